//! What a daemon started as root gives up: its user and every capability it does
//! not need.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use caps::{CapSet, Capability, CapsHashSet};
use rustix::fs::Access;

use trunkline_config::{Plan, ProgramPrivileges};

/// Why privileges could not be given up. The daemon does not start then.
#[derive(Debug, thiserror::Error)]
pub enum PrivilegeError {
    /// The user is not in the system's user database.
    #[error("there is no user {name:?} (agent.user); create it or name another")]
    NoSuchUser {
        /// The name.
        name: String,
    },
    /// A system call failed.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A set of capabilities cannot be changed.
    #[error("cannot change capabilities: {0}")]
    Capabilities(#[from] caps::errors::CapsError),
}

/// A user to change to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    name: String,
    uid: libc::uid_t,
    gid: libc::gid_t,
}

impl Account {
    /// A user that the system knows by this name, with its number and that of its first group.
    pub fn new(name: &str, uid: u32, gid: u32) -> Self {
        Account { name: name.to_owned(), uid, gid }
    }

    /// The user's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The user and group for what is created before the change; `None` if there is none, since we are not root.
    pub fn new_owner(&self) -> Option<(u32, u32)> {
        rustix::process::geteuid().is_root().then_some((self.uid, self.gid))
    }

    /// Whether the user and its groups may do something with a file, by the modes of the file and of the folders that it is in.
    pub fn may(&self, path: &Path, access: Access) -> bool {
        let groups = self.groups();
        let allowed = |path: &Path, wanted: u32| {
            let Ok(found) = std::fs::metadata(path) else { return false };
            let mode = match () {
                () if self.uid == 0 => return wanted & 1 == 0 || found.is_dir() || found.mode() & 0o111 != 0,
                () if found.uid() == self.uid => found.mode() >> 6,
                () if found.gid() == self.gid || groups.contains(&found.gid()) => found.mode() >> 3,
                () => found.mode(),
            };
            mode & wanted == wanted
        };
        let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        allowed(path, access.bits())
            && folders.into_iter().all(|folder| allowed(folder, Access::EXEC_OK.bits()))
    }

    /// The groups that list the user, as `initgroups` finds them.
    fn groups(&self) -> Vec<libc::gid_t> {
        let text = std::fs::read_to_string("/etc/group").unwrap_or_default();
        let of_line = |line: &str| {
            let mut fields = line.split(':').skip(2);
            let (gid, members) = (fields.next()?.parse().ok()?, fields.next()?);
            members.split(',').any(|member| member == self.name).then_some(gid)
        };
        text.lines().filter_map(of_line).collect()
    }

    /// Makes the account the owner of a directory and of some of its files, if we are root.
    pub fn own(
        &self,
        directory: &Path,
        files: impl FnOnce() -> io::Result<Vec<File>>,
    ) -> Result<(), PrivilegeError> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let wrong = |source| system("give the state directory to the user", source);
        let opened = File::open(directory).map_err(wrong)?;
        for file in std::iter::once(opened).chain(files().map_err(wrong)?) {
            std::os::unix::fs::fchown(&file, Some(self.uid), Some(self.gid)).map_err(wrong)?;
        }
        Ok(())
    }
}

/// Gives up what is not needed: the user first, if one is configured, then capabilities. Without root it only
/// prevents new privileges from being gained. Programs that are unrestricted may gain them when they are started:
/// neither `no_new_privs` nor the bounding set is in their way.
pub fn drop_privileges(plan: &Plan, account: Option<&Account>) -> Result<(), PrivilegeError> {
    let is_restricted = plan.program_privileges == ProgramPrivileges::Restricted;
    if is_restricted {
        set_no_new_privileges()?;
    }
    if !is_root() {
        if let Some(warning) = account.and_then(idle_user) {
            tracing::warn!("{warning}");
        }
        return Ok(());
    }
    let needed = needed_capabilities(plan);
    // Afterwards the right to do so may be gone with root.
    if is_restricted {
        bound(&needed)?;
    }
    if let Some(account) = account {
        rustix::thread::set_keep_capabilities(true)
            .map_err(|error| system("keep capabilities over the change of user", error.into()))?;
        change_user(account)?;
        rustix::thread::set_keep_capabilities(false)
            .map_err(|error| system("forget capabilities at the next change of user", error.into()))?;
        tracing::info!(user = account.name, "changed user");
    }
    restrict(&needed)
}

/// Whether this process may change its user.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A warning if this process cannot change to the configured user, and is another one.
pub fn idle_user(account: &Account) -> Option<String> {
    let own = rustix::process::geteuid();
    (!own.is_root() && own.as_raw() != account.uid).then(|| {
        format!(
            "user = {:?} in [agent] has no effect, as the agent is not started as root: it and its programs run as {}",
            account.name,
            user_of(own.as_raw())
        )
    })
}

/// The name of a user, or the number if it has none.
fn user_of(uid: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    found.unwrap_or_else(|| format!("user number {uid}"))
}

/// The user of this name, if there is one.
///
/// # Errors
/// The list of users cannot be read.
pub fn account(name: &str) -> Result<Option<Account>, PrivilegeError> {
    let users =
        std::fs::read_to_string("/etc/passwd").map_err(|source| system("read /etc/passwd", source))?;
    Ok(users.lines().find_map(|line| parse_account(line, name)))
}

/// Looks the configured user up, before the root file system or rights to read it may be gone.
pub fn find_account(plan: &Plan) -> Result<Option<Account>, PrivilegeError> {
    let Some(name) = &plan.user else { return Ok(None) };
    account(name)?.map(Some).ok_or_else(|| PrivilegeError::NoSuchUser { name: name.clone() })
}

fn parse_account(line: &str, name: &str) -> Option<Account> {
    let mut fields = line.split(':');
    let found = fields.next().filter(|found| *found == name)?;
    let uid = fields.nth(1)?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    Some(Account { name: found.into(), uid, gid })
}

/// Changing links needs `CAP_NET_ADMIN`, ports below 1024 (also after a reload) need `CAP_NET_BIND_SERVICE`; all
/// data is readable for everybody except what processes of other users have open, and their command lines and
/// programs: `read-processes` keeps the two capabilities for that.
fn needed_capabilities(plan: &Plan) -> CapsHashSet {
    let mut needed = CapsHashSet::from([Capability::CAP_NET_BIND_SERVICE]);
    if plan.may_write() {
        needed.insert(Capability::CAP_NET_ADMIN);
    }
    if plan.read_processes {
        needed.extend([Capability::CAP_SYS_PTRACE, Capability::CAP_DAC_READ_SEARCH]);
    }
    needed
}

/// Reduces the bounding set to what is needed: no program that we start ever has more.
fn bound(needed: &CapsHashSet) -> Result<(), PrivilegeError> {
    for capability in caps::read(None, CapSet::Bounding)?.difference(needed) {
        if let Err(error) = caps::drop(None, CapSet::Bounding, *capability) {
            // A container may have taken CAP_SETPCAP; the sets of `restrict` are what counts.
            tracing::warn!(%error, "the bounding set of capabilities stays as it is: CAP_SETPCAP is missing");
            return Ok(());
        }
    }
    Ok(())
}

fn restrict(needed: &CapsHashSet) -> Result<(), PrivilegeError> {
    let permitted = caps::read(None, CapSet::Permitted)?;
    let kept: CapsHashSet = needed.intersection(&permitted).copied().collect();
    caps::clear(None, CapSet::Ambient).or_else(ignore_old_kernel)?;
    caps::set(None, CapSet::Effective, &kept)?;
    caps::set(None, CapSet::Permitted, &kept)?;
    caps::set(None, CapSet::Inheritable, &CapsHashSet::new())?;
    Ok(())
}

/// Ambient capabilities came with Linux 4.3; without them there is nothing to clear.
fn ignore_old_kernel(_: caps::errors::CapsError) -> Result<(), caps::errors::CapsError> {
    Ok(())
}

/// Keeps keys out of core files, and out of the reach of programs of the same user that would look into the process.
/// For the start of the program; a change of user keeps it so.
///
/// # Errors
/// The operating system refuses it, which it never does.
pub fn hide_memory() -> Result<(), PrivilegeError> {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    rustix::process::setrlimit(rustix::process::Resource::Core, none)
        .map_err(|error| system("forbid core files", error.into()))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .map_err(|error| system("hide the process's memory", error.into()))
}

fn set_no_new_privileges() -> Result<(), PrivilegeError> {
    rustix::thread::set_no_new_privs(true).map_err(|error| system("refuse new privileges", error.into()))
}

fn system(doing: &'static str, source: io::Error) -> PrivilegeError {
    PrivilegeError::System { doing, source }
}

/// Changes to a user. Groups first, the user last: afterwards the right to change them is gone.
///
/// # Errors
/// The system refuses it.
#[allow(unsafe_code)]
pub fn change_user(account: &Account) -> Result<(), PrivilegeError> {
    let check = |doing, result: libc::c_int| match result {
        0 => Ok(()),
        _ => Err(system(doing, io::Error::last_os_error())),
    };
    let name = CString::new(account.name.as_str())
        .map_err(|_| PrivilegeError::NoSuchUser { name: account.name.clone() })?;
    // SAFETY: initgroups reads a C string that lives through the call; setgid and setuid take
    // numbers. glibc applies all three to every thread of the process.
    unsafe {
        check("set the user's groups", libc::initgroups(name.as_ptr(), account.gid))?;
        check("change the group", libc::setgid(account.gid))?;
        check("change the user", libc::setuid(account.uid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_config::Rights;

    #[test]
    fn accounts_are_found_by_their_whole_name() {
        let line = "nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin";
        let account = parse_account(line, "nobody").unwrap();
        assert_eq!((account.uid, account.gid), (65534, 65533));
        assert_eq!(parse_account(line, "nob"), None);
        assert_eq!(parse_account("nobody:x:many", "nobody"), None);
    }

    #[test]
    fn a_missing_user_is_named() {
        let plan = Plan { user: Some("no-such-user-here".into()), ..Plan::default() };
        let error = find_account(&plan).unwrap_err();
        assert!(error.to_string().contains("no-such-user-here"));
    }

    #[test]
    fn rights_to_change_links_are_kept_only_for_writers() {
        assert!(!needed_capabilities(&Plan::default()).contains(&Capability::CAP_NET_ADMIN));
        let mut plan = Plan::default();
        if let Rights::View { write, .. } = &mut plan.snmp.communities[0].rights {
            *write = true;
        }
        assert!(needed_capabilities(&plan).contains(&Capability::CAP_NET_ADMIN));
    }
}

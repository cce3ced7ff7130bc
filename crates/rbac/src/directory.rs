//! The authority on the disk.
//!
//! ```text
//! authority.toml          roles with their keys, users, devices; secret
//! devices/NAME.toml       what a device has acknowledged
//! tokens/ROLE/USER.toml   the current token of each member; secret
//! ```
//!
//! Each file is written beside its place, synchronised and renamed, so that a process that is killed leaves the old or the new one. The
//! files follow from `authority.toml`, which is written first: [`Held::complete`] makes up for what a killed process did not come to.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use trunkline_login::own_engine::random;
use trunkline_login::{Mistake, private_file, write_private};
use zeroize::Zeroizing;

use crate::document::{read_acknowledged, read_authority, write_acknowledged, write_authority};
use crate::{Acknowledged, Authority, Error, Name, RoleSecrets};

/// The folder of an authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
}

/// The folder, which one process holds until this is dropped.
#[derive(Debug)]
pub struct Held {
    directory: Directory,
    _lock: File,
}

impl Directory {
    /// The directory at this path; nothing is read or written yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Directory { path: path.into() }
    }

    /// Where the files of this user are: `/etc/trunkline/rbac` for root, else `trunkline/rbac` in `$XDG_CONFIG_HOME` or `~/.config`.
    ///
    /// # Errors
    /// [`Error::NoHome`].
    pub fn default_location() -> Result<Self, Error> {
        if rustix::process::geteuid().is_root() {
            return Ok(Directory::at("/etc/trunkline/rbac"));
        }
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
        Ok(Directory::at(config.ok_or(Error::NoHome)?.join("trunkline/rbac")))
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the current token of a member is.
    #[must_use]
    pub fn token(&self, user: &Name, role: &Name) -> PathBuf {
        self.path.join(TOKENS).join(role.as_str()).join(format!("{user}.toml"))
    }

    /// Makes an authority without roles, users and devices.
    ///
    /// # Errors
    /// There is one, or the files cannot be written.
    pub fn init(&self) -> Result<(), Error> {
        make_folder(&self.path)?;
        let held = self.lock(&mut || {})?;
        if self.document().exists() {
            return Err(Error::Exists { directory: self.path.clone() });
        }
        held.save(&Authority::default())
    }

    /// The authority as it is now. No lock is needed for it: the file is replaced as a whole.
    ///
    /// # Errors
    /// There is none, others can read it, or it is not what was written.
    pub fn authority(&self) -> Result<Authority, Error> {
        let path = self.document();
        let text = read(&path)?.ok_or_else(|| Error::NoAuthority { directory: self.path.clone() })?;
        read_authority(&path, &text)
    }

    /// What a device has acknowledged: nothing, if there is no file.
    ///
    /// # Errors
    /// The file cannot be read, or is not what was written.
    pub fn acknowledged(&self, device: &Name) -> Result<Acknowledged, Error> {
        let path = self.device(device);
        read(&path)?.map_or_else(|| Ok(Acknowledged::default()), |text| read_acknowledged(&path, &text))
    }

    /// Holds the directory, so that one process at a time changes it. `waits` is called if another one has it.
    ///
    /// # Errors
    /// There is no authority, or others may enter the directory.
    pub fn hold(&self, waits: &mut dyn FnMut()) -> Result<Held, Error> {
        if !self.document().exists() {
            return Err(Error::NoAuthority { directory: self.path.clone() });
        }
        self.lock(waits)
    }

    fn lock(&self, waits: &mut dyn FnMut()) -> Result<Held, Error> {
        let failed = |errno: rustix::io::Errno| Error::File { path: self.path.clone(), fault: errno.into() };
        let lock = File::open(&self.path).map_err(Error::file(&self.path))?;
        let mode = lock.metadata().map_err(Error::file(&self.path))?.mode() & 0o777;
        if mode & 0o077 != 0 {
            let path = self.path.display();
            let words =
                format!("{path} may be entered by others (its mode is {mode:04o}): run `chmod 700 {path}`");
            return Err(Mistake(words).into());
        }
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                waits();
                flock(&lock, FlockOperation::LockExclusive).map_err(failed)?;
            }
            Err(errno) => return Err(failed(errno)),
        }
        self.clear()?;
        Ok(Held { directory: self.clone(), _lock: lock })
    }

    /// Removes what commands have left that were killed while they wrote, and all keys in it. Whoever writes holds the directory.
    fn clear(&self) -> Result<(), Error> {
        let is_left = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(".authority.toml.") && name.ends_with(".new")
        };
        entries(&self.path)?
            .filter(is_left)
            .try_for_each(|path| gone(fs::remove_file(&path)).map_err(Error::file(&path)))
    }

    fn document(&self) -> PathBuf {
        self.path.join("authority.toml")
    }

    fn device(&self, name: &Name) -> PathBuf {
        self.path.join(DEVICES).join(format!("{name}.toml"))
    }
}

impl Held {
    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Writes the authority, and then the tokens that follow from it.
    ///
    /// # Errors
    /// A file cannot be written. If the authority's was, [`Held::complete`] writes the others.
    pub fn save(&self, authority: &Authority) -> Result<(), Error> {
        let path = self.directory.document();
        write_private(&path, write_authority(&path, authority)?.as_bytes())?;
        self.complete(authority)
    }

    /// Writes the tokens that members lack, and removes those of others; as it is with devices.
    ///
    /// # Errors
    /// A file cannot be written or removed.
    pub fn complete(&self, authority: &Authority) -> Result<(), Error> {
        let (tokens, devices) = (self.directory.path.join(TOKENS), self.directory.path.join(DEVICES));
        for folder in [&tokens, &devices] {
            make_folder(folder)?;
        }
        for role in authority.roles.keys() {
            make_folder(&tokens.join(role.as_str()))?;
        }
        let mut wanted = BTreeSet::new();
        for (user, role) in authority.members() {
            let (path, token) = (self.directory.token(user, role), authority.token(user, role)?);
            let text = token.text();
            if fs::read(&path).map(Zeroizing::new).is_ok_and(|found| *found == text.as_bytes()) {
                wanted.insert(path);
                continue;
            }
            token.write(&path)?;
            wanted.insert(path);
        }
        for folder in entries(&tokens)?.filter(|path| path.is_dir()) {
            remove_others(&folder, &wanted)?;
            let is_role = authority.roles.keys().any(|role| folder == tokens.join(role.as_str()));
            if !is_role {
                gone(fs::remove_dir(&folder)).map_err(Error::file(&folder))?;
            }
        }
        let known = authority.devices.keys().map(|name| self.directory.device(name)).collect();
        remove_others(&devices, &known)
    }

    /// Writes what a device has acknowledged.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn acknowledge(&self, device: &Name, has: &Acknowledged) -> Result<(), Error> {
        let path = self.directory.device(device);
        Ok(write_private(&path, write_acknowledged(&path, has)?.as_bytes())?)
    }

    /// Forgets which public keys of a user devices have acknowledged, so that those that they should have are sent once more: a device may
    /// have another one of which the acknowledgement was lost.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn forget_public_keys(&self, authority: &Authority, user: &Name) -> Result<(), Error> {
        for device in authority.devices.keys() {
            let mut has = self.directory.acknowledged(device)?;
            if has.users.remove(user.as_str()).is_some() {
                self.acknowledge(device, &has)?;
            }
        }
        Ok(())
    }

    /// Random keys for an epoch.
    ///
    /// # Errors
    /// The kernel gives none.
    pub fn secrets() -> Result<RoleSecrets, Error> {
        Ok(RoleSecrets::new(random()?, random()?))
    }
}

fn read(path: &Path) -> Result<Option<Zeroizing<String>>, Error> {
    if matches!(fs::symlink_metadata(path), Err(fault) if fault.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let octets = Zeroizing::new(private_file(path)?);
    let text = std::str::from_utf8(&octets).map(|text| Zeroizing::new(text.to_owned()));
    let not_text = |_| Error::Document { path: path.to_owned(), line: 1, expected: "UTF-8" };
    text.map(Some).map_err(not_text)
}

/// Makes a folder, and those above it, that only its owner may enter; one that is there must be one.
fn make_folder(path: &Path) -> Result<(), Error> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(Error::file(path))?;
    match fs::symlink_metadata(path).map_err(Error::file(path))?.is_dir() {
        true => Ok(()),
        false => Err(Error::File { path: path.to_owned(), fault: ErrorKind::NotADirectory.into() }),
    }
}

fn remove_others(folder: &Path, wanted: &BTreeSet<PathBuf>) -> Result<(), Error> {
    for path in entries(folder)? {
        if !wanted.contains(&path) {
            gone(fs::remove_file(&path)).map_err(Error::file(&path))?;
        }
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<impl Iterator<Item = PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::file(folder))?;
    Ok(entries.filter_map(Result::ok).map(|entry| entry.path()))
}

/// Removed by another one is removed.
fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(fault) if fault.kind() != ErrorKind::NotFound => Err(fault),
        _ => Ok(()),
    }
}

const TOKENS: &str = "tokens";
const DEVICES: &str = "devices";

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use trunkline_login::token::RoleToken;

    use super::*;
    use crate::Content;
    use crate::authority::tests::{at, name, secrets, some};

    fn held(folder: &Path) -> Held {
        let directory = Directory::at(folder.join("rbac"));
        directory.init().unwrap();
        directory.hold(&mut || panic!("nobody else holds it")).unwrap()
    }

    fn all_modes(folder: &Path, found: &mut Vec<(PathBuf, u32)>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let metadata = entry.metadata().unwrap();
            found.push((entry.path(), metadata.mode() & 0o777));
            if metadata.is_dir() {
                all_modes(&entry.path(), found);
            }
        }
    }

    #[test]
    fn everything_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        held.save(&some()).unwrap();
        held.acknowledge(&name("r1"), Content::of(&some(), at(0)).wanted()).unwrap();
        let mut modes = Vec::new();
        all_modes(folder.path(), &mut modes);
        assert_eq!(modes.len(), 10, "{modes:?}");
        for (path, mode) in modes {
            assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        }
        let directory = held.directory().clone();
        drop(held);
        assert!(matches!(directory.init(), Err(Error::Exists { .. })));
        fs::set_permissions(directory.path(), Permissions::from_mode(0o750)).unwrap();
        assert!(directory.hold(&mut || {}).unwrap_err().to_string().contains("chmod 700"));
        fs::set_permissions(directory.document(), Permissions::from_mode(0o644)).unwrap();
        assert!(directory.authority().unwrap_err().to_string().contains("chmod 600"));
        let none = Directory::at(folder.path().join("none"));
        assert!(matches!(none.authority(), Err(Error::NoAuthority { .. })));
        assert!(matches!(none.hold(&mut || {}), Err(Error::NoAuthority { .. })));
    }

    #[test]
    fn one_process_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        let directory = held.directory().clone();
        let (told, waits) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || directory.hold(&mut || told.send(()).unwrap()).map(drop));
        waits.recv().unwrap();
        assert!(!other.is_finished());
        drop(held);
        other.join().unwrap().unwrap();
    }

    /// A revocation is killed after each of its writes: what was not written is made up for, and nobody is given a key that a device
    /// is not going to have.
    #[test]
    fn a_killed_revocation_is_completed() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        let (ann, bob, operator) = (name("ann"), name("bob"), name("operator"));
        held.save(&some()).unwrap();
        held.acknowledge(&name("r1"), Content::of(&some(), at(0)).wanted()).unwrap();
        let mut authority = some();
        authority.revoke(&ann, &operator, Duration::ZERO, at(1), secrets(3)).unwrap();
        let directory = held.directory();
        // Before the first rename: the old state, and a file beside it.
        fs::write(directory.path().join(".authority.toml.1.new"), "half").unwrap();
        assert_eq!(directory.authority().unwrap(), some());
        directory.clear().unwrap();
        assert_eq!(entries(directory.path()).unwrap().filter(|path| path.is_file()).count(), 1);
        // After it: the tokens are still the old ones.
        let path = directory.document();
        write_private(&path, write_authority(&path, &authority).unwrap().as_bytes()).unwrap();
        let token =
            |user: &Name| RoleToken::read(&directory.token(user, &operator)).map(|it| it.name().to_string());
        assert_eq!(token(&ann).unwrap(), "operator/1/ann");
        // After one token.
        authority.token(&bob, &operator).unwrap().write(&directory.token(&bob, &operator)).unwrap();
        let again = directory.authority().unwrap();
        assert_eq!(again, authority);
        held.complete(&again).unwrap();
        assert_eq!(token(&bob).unwrap(), "operator/2/bob");
        assert!(token(&ann).is_err());
        // The device is behind until it acknowledges.
        let content = Content::of(&again, at(2));
        assert_eq!(content.behind(&directory.acknowledged(&name("r1")).unwrap()), 1);
        held.acknowledge(&name("r1"), content.wanted()).unwrap();
        assert_eq!(content.behind(&directory.acknowledged(&name("r1")).unwrap()), 0);
    }

    #[test]
    fn a_removed_role_leaves_no_tokens_and_a_removed_key_is_not_taken_for_sent() {
        let folder = tempfile::tempdir().unwrap();
        let held = held(folder.path());
        let mut authority = some();
        let ann = name("ann");
        authority.users.get_mut(&ann).unwrap().public_keys.insert(vec![1, 2, 3]);
        held.save(&authority).unwrap();
        held.acknowledge(&name("r1"), Content::of(&authority, at(0)).wanted()).unwrap();
        authority.remove_role(&name("operator")).unwrap();
        held.save(&authority).unwrap();
        let left: Vec<_> = entries(&held.directory().path().join(TOKENS)).unwrap().collect();
        assert_eq!(left, [held.directory().path().join("tokens/reader")]);
        held.forget_public_keys(&authority, &ann).unwrap();
        assert!(held.directory().acknowledged(&name("r1")).unwrap().users.is_empty());
    }

    #[test]
    fn keys_are_random() {
        let (one, other) = (Held::secrets().unwrap(), Held::secrets().unwrap());
        assert!(one != other && one.authentication != one.encryption && *one.encryption != [0; 32]);
    }
}

//! Which process has a socket open: /proc/PID/fd read for links like `socket:[12345]`.
//!
//! The scan is expensive (a readlink for each open file of each process: 65 ms for 580 processes with 3,000 files
//! together), so its result is cached: a scan happens only when an unknown socket appears, at most every
//! [`RESCAN`], and after [`REFRESH`], because a socket can be handed to another process. A socket without a process
//! has the process 0, as RFC 4022 and RFC 4113 say. If the agent may not look into every process (it has no
//! CAP_SYS_PTRACE), a socket that is not found may be one of those: its process is unknown.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::{number, process};
use crate::SourceRoot;

/// The least time between two scans.
pub const RESCAN: Duration = Duration::from_secs(5);
/// After this time cached owners are no longer trusted.
pub const REFRESH: Duration = Duration::from_secs(60);

/// The processes that own sockets, shared by the providers of TCP and UDP.
#[derive(Debug)]
pub struct SocketOwners {
    root: SourceRoot,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    owners: HashMap<u32, u32>,
    /// Whether some processes could not be looked into.
    is_partial: bool,
    scanned: Option<Instant>,
}

impl SocketOwners {
    pub fn new(root: SourceRoot) -> Self {
        SocketOwners { root, known: Mutex::default() }
    }

    /// Calls back with a function from inode to process ID, 0 if there is no such process, and `None` if that is
    /// unknown. `inodes` are those that will be looked up.
    pub fn with<T>(
        &self,
        inodes: impl Iterator<Item = u32>,
        now: Instant,
        use_it: impl FnOnce(&dyn Fn(u32) -> Option<u32>) -> T,
    ) -> T {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.needs_scan(inodes, now) {
            (known.owners, known.is_partial) = scan(&self.root);
            known.scanned = Some(now);
        }
        use_it(&|inode| known.owner(inode))
    }
}

impl Known {
    fn owner(&self, inode: u32) -> Option<u32> {
        let none = (inode == 0 || !self.is_partial).then_some(0);
        self.owners.get(&inode).copied().or(none)
    }

    fn needs_scan(&self, mut inodes: impl Iterator<Item = u32>, now: Instant) -> bool {
        let age = self.scanned.map(|scanned| now.saturating_duration_since(scanned));
        match age {
            None => true,
            Some(age) if age < RESCAN => false,
            Some(age) if age >= REFRESH => true,
            Some(_) => inodes.any(|inode| inode != 0 && !self.owners.contains_key(&inode)),
        }
    }
}

/// The processes by the inodes of their sockets, and whether some could not be looked into.
fn scan(root: &SourceRoot) -> (HashMap<u32, u32>, bool) {
    let (mut owners, mut is_partial) = (HashMap::new(), false);
    let open = |path: &std::path::Path| {
        rustix::fs::openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    };
    let Ok(proc) = open(&root.path("proc")) else { return (owners, true) };
    let mut name = Vec::new();
    let result = process::numbered(proc.as_fd(), |pid, folder| {
        name.clear();
        name.extend_from_slice(folder.to_bytes());
        name.extend_from_slice(b"/fd\0");
        let Ok(path) = CStr::from_bytes_with_nul(&name) else { return };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let files = match rustix::fs::openat(&proc, path, flags, Mode::empty()) {
            Ok(files) => files,
            Err(error) => {
                // Otherwise it is gone meanwhile.
                is_partial |= matches!(error, Errno::ACCESS | Errno::PERM);
                return;
            }
        };
        sockets_of(files.as_fd(), |inode| {
            // Of processes that share a socket the first, which after a fork is the parent.
            owners.entry(inode).or_insert(pid);
        });
    });
    if let Err(cause) = result {
        tracing::debug!(%cause, "cannot list /proc");
    }
    (owners, is_partial)
}

fn sockets_of(files: std::os::fd::BorrowedFd<'_>, mut each: impl FnMut(u32)) {
    let result = process::numbered(files, |_, file| {
        let mut buffer = [0; 64];
        let target = rustix::fs::readlinkat_raw(files, file, &mut buffer);
        let Ok(length) = target else { return };
        if let Some(inode) = buffer.get(..length).and_then(socket_inode) {
            each(inode);
        }
    });
    if let Err(cause) = result {
        tracing::trace!(%cause, "a process ended while its files were listed");
    }
}

/// The inode in the target of a link in `/proc/PID/fd`, if it is a socket's.
pub fn socket_inode(target: &[u8]) -> Option<u32> {
    let digits = target.strip_prefix(b"socket:[")?.strip_suffix(b"]")?;
    u32::try_from(number(digits)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_sockets_are_distinguished_from_others() {
        assert_eq!(socket_inode(b"socket:[4711]"), Some(4711));
        for other in [&b"pipe:[4711]"[..], b"socket:[", b"socket:[x]", b"/dev/null", b""] {
            assert_eq!(socket_inode(other), None);
        }
    }

    #[test]
    fn scans_are_rare() {
        let start = Instant::now();
        let mut known = Known::default();
        let needs = |known: &Known, inode: u32, seconds| {
            known.needs_scan([inode].into_iter(), start + Duration::from_secs(seconds))
        };
        assert!(needs(&known, 1, 0), "never scanned");
        known.owners.insert(1, 10);
        known.scanned = Some(start);
        assert!(!needs(&known, 2, 4), "too early for a new socket");
        assert!(needs(&known, 2, 5));
        assert!(!needs(&known, 1, 59), "all known");
        assert!(!needs(&known, 0, 59), "no process can have it");
        assert!(needs(&known, 1, 60), "it may have been handed on");
    }

    #[test]
    fn an_owner_that_may_not_be_seen_is_unknown() {
        let mut known = Known { owners: HashMap::from([(1, 10)]), ..Known::default() };
        assert_eq!([1, 2, 0].map(|inode| known.owner(inode)), [Some(10), Some(0), Some(0)]);
        known.is_partial = true;
        assert_eq!([1, 2, 0].map(|inode| known.owner(inode)), [Some(10), None, Some(0)]);
    }

    #[test]
    fn this_process_owns_its_sockets() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let link =
            std::fs::read_link(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&listener)));
        let inode = socket_inode(link.unwrap().as_os_str().as_encoded_bytes()).unwrap();
        let owners = SocketOwners::new(SourceRoot::host());
        let pid = owners.with([inode].into_iter(), Instant::now(), |owner| owner(inode));
        assert_eq!(pid, Some(std::process::id()));
    }
}

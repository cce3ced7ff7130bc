//! Mounted file systems with their sizes, under numbers that stay while the agent runs.
//!
//! A file system of another machine (or of a FUSE program) may never answer. It is queried on a separate thread;
//! the caller waits at most `PATIENCE` for all of them together and then uses the last known sizes, or none.
//! While a thread hangs no other is started for that mount, and there are never more than `MAX_HANGING`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use trunkline_tree::SourceError;

use super::mounts::{Mount, unescape};
use super::{lines, number, words};
use crate::SourceRoot;

/// How long remote file systems are waited for, together.
const PATIENCE: Duration = Duration::from_millis(250);
/// Threads that wait for a remote file system.
const MAX_HANGING: usize = 16;
/// Unmounted paths whose numbers are kept.
const MAX_GONE: usize = 1024;

/// A mounted file system.
#[derive(Clone, Debug)]
pub struct Volume {
    /// Its rank among all mount points, pseudo file systems included, in the order in which they
    /// were first seen; from 1. hrFSIndex and dskIndex, as with Net-SNMP, where those that the configuration names come first.
    pub index: u32,
    pub mount: Mount,
    /// `None` if the file system has not answered yet.
    pub size: Option<Size>,
}

/// The result of statvfs(3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Octets of a block.
    pub block: u64,
    /// Blocks.
    pub blocks: u64,
    /// Unused blocks.
    pub free: u64,
    /// Unused blocks that everybody may use.
    pub available: u64,
    /// Inodes; 0 for file systems without.
    pub inodes: u64,
    /// Unused inodes.
    pub inodes_free: u64,
}

/// The file systems of the machine; shared, so that all groups use the same numbers.
#[derive(Debug)]
pub struct Volumes {
    root: SourceRoot,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    numbers: Numbers,
    remote: HashMap<Vec<u8>, Remote>,
}

/// The numbers of mount points. One that is unmounted keeps its number for when it comes back;
/// where containers come and go, the longest gone lose theirs, and these are given again.
#[derive(Debug, Default)]
struct Numbers {
    /// By path: the number, and the reading that saw it last.
    paths: HashMap<Vec<u8>, (u32, u64)>,
    free: BTreeSet<u32>,
    reading: u64,
}

/// A remote file system: its last answer, and an outstanding query.
#[derive(Debug, Default)]
struct Remote {
    last: Option<Size>,
    asked: Option<Receiver<Option<Size>>>,
}

impl Volumes {
    /// Those of a machine. `first`: mount points that have the first numbers, in this order, mounted or not.
    pub fn new<'p>(root: SourceRoot, first: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut known = Known::default();
        for path in first {
            known.numbers.of(path);
        }
        Volumes { root, known: Mutex::new(known) }
    }

    /// The file systems that hold data, in the order of their numbers; of several mounts on one
    /// path the last, which hides the others.
    pub fn list(&self) -> Result<Vec<Volume>, SourceError> {
        let mut known = self.known();
        let mounted = self.read_mounts(&mut known)?.into_iter();
        let mut volumes: Vec<Volume> =
            mounted.map(|(index, mount)| Volume { index, mount, size: None }).collect();
        self.measure(&mut known, &mut volumes);
        Ok(volumes)
    }

    /// As [`Volumes::list`] without asking for sizes.
    pub fn mounted(&self) -> Result<BTreeMap<u32, Mount>, SourceError> {
        self.read_mounts(&mut self.known())
    }

    fn read_mounts(&self, known: &mut Known) -> Result<BTreeMap<u32, Mount>, SourceError> {
        let mut text = Vec::new();
        self.root.read_into(Mount::FILE, &mut text)?;
        let mut mounts = BTreeMap::new();
        known.numbers.reading += 1;
        for mount in Mount::parse(&text) {
            mounts.insert(known.numbers.of(&mount.path), mount);
        }
        known.numbers.forget(MAX_GONE);
        mounts.retain(|_, mount: &mut Mount| !mount.is_pseudo());
        Ok(mounts)
    }

    fn measure(&self, known: &mut Known, volumes: &mut [Volume]) {
        if self.root.is_recording() {
            let recorded = self.root.read_or_empty("statvfs");
            volumes.iter_mut().for_each(|volume| volume.size = recorded_size(&recorded, &volume.mount.path));
            return;
        }
        let is_mounted = |path: &[u8]| volumes.iter().any(|volume| volume.mount.path == path);
        known.remote.retain(|path, remote| remote.asked.is_some() || is_mounted(path));
        for volume in volumes.iter_mut().filter(|volume| !volume.mount.may_hang()) {
            volume.size = size(&path_of(&volume.mount));
        }
        for volume in volumes.iter().filter(|volume| volume.mount.may_hang()) {
            known.ask(&volume.mount);
        }
        let deadline = Instant::now() + PATIENCE;
        for volume in volumes.iter_mut().filter(|volume| volume.mount.may_hang()) {
            let remote = known.remote.entry(volume.mount.path.clone()).or_default();
            volume.size = remote.answer(deadline);
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Numbers {
    /// The number of a path that is mounted now.
    fn of(&mut self, path: &[u8]) -> u32 {
        if let Some((number, seen)) = self.paths.get_mut(path) {
            *seen = self.reading;
            return *number;
        }
        let number = self.free.pop_first().unwrap_or(self.paths.len() as u32 + 1);
        self.paths.insert(path.to_vec(), (number, self.reading));
        number
    }

    /// Forgets the paths longest gone, so that `limit` of those gone stay.
    fn forget(&mut self, limit: usize) {
        let reading = self.reading;
        let mut gone: Vec<(u64, u32)> = self
            .paths
            .values()
            .filter(|(_, seen)| *seen < reading)
            .map(|(number, seen)| (*seen, *number))
            .collect();
        let Some(excess) = gone.len().checked_sub(limit).filter(|excess| *excess > 0) else { return };
        gone.sort_unstable();
        self.free.extend(gone[..excess].iter().map(|(_, number)| *number));
        let free = &self.free;
        self.paths.retain(|_, (number, _)| !free.contains(number));
    }
}

impl Known {
    fn ask(&mut self, mount: &Mount) {
        let path = path_of(mount);
        self.ask_with(&mount.path, move || size(&path));
    }

    /// Starts a question on a thread, unless one is under way.
    fn ask_with(&mut self, path: &[u8], question: impl FnOnce() -> Option<Size> + Send + 'static) {
        let hanging = self.remote.values().filter(|remote| remote.asked.is_some()).count();
        let remote = self.remote.entry(path.to_vec()).or_default();
        if remote.asked.is_some() || hanging >= MAX_HANGING {
            return;
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = std::thread::Builder::new().name("statvfs".into()).stack_size(64 * 1024);
        let started = thread.spawn(move || sender.send(question()));
        match started {
            Ok(_) => remote.asked = Some(receiver),
            Err(cause) => tracing::warn!(%cause, "cannot start a thread to query a remote file system"),
        }
    }
}

impl Remote {
    /// The answer, if it comes in time, otherwise the last one.
    fn answer(&mut self, deadline: Instant) -> Option<Size> {
        let Some(receiver) = &self.asked else { return self.last };
        let left = deadline.saturating_duration_since(Instant::now());
        let answer = match receiver.try_recv() {
            Err(TryRecvError::Empty) => receiver.recv_timeout(left),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Ok(size) => Ok(size),
        };
        match answer {
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => self.asked = None,
            Ok(size) => {
                self.asked = None;
                self.last = size;
            }
        }
        self.last
    }
}

fn path_of(mount: &Mount) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(&mount.path))
}

/// `None` if it cannot be queried, such as a folder that only its owner may enter.
fn size(path: &Path) -> Option<Size> {
    let told = rustix::fs::statvfs(path).ok()?;
    let block = if told.f_frsize > 0 { told.f_frsize } else { told.f_bsize };
    Some(Size {
        block,
        blocks: told.f_blocks,
        free: told.f_bfree,
        available: told.f_bavail,
        inodes: told.f_files,
        inodes_free: told.f_ffree,
    })
}

/// A recording's `statvfs` file: path as in /proc/mounts, then the six numbers of [`Size`].
fn recorded_size(text: &[u8], path: &[u8]) -> Option<Size> {
    let line = lines(text).find(|line| words(line).next().map(unescape).as_deref() == Some(path))?;
    let mut numbers = words(line).skip(1).map_while(number);
    Some(Size {
        block: numbers.next()?,
        blocks: numbers.next()?,
        free: numbers.next()?,
        available: numbers.next()?,
        inodes: numbers.next()?,
        inodes_free: numbers.next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { block: 1, blocks: 2, free: 1, available: 1, inodes: 0, inodes_free: 0 };

    #[test]
    fn numbers_stay_when_mounts_come_and_go() {
        let mut numbers = Numbers::default();
        let mut read = |paths: &[&str]| {
            numbers.reading += 1;
            let found: Vec<u32> = paths.iter().map(|path| numbers.of(path.as_bytes())).collect();
            numbers.forget(2);
            found
        };
        assert_eq!(read(&["/", "/a", "/b", "/a"]), [1, 2, 3, 2]);
        assert_eq!(read(&["/", "/c"]), [1, 4], "/a and /b are gone and keep theirs");
        assert_eq!(read(&["/", "/b"]), [1, 3]);
        assert_eq!(read(&["/", "/b", "/d"]), [1, 3, 5]);
        assert_eq!(read(&["/"]), [1], "/a is longest gone and forgotten, then /c");
        assert_eq!(read(&["/", "/e", "/f", "/g", "/b"]), [1, 2, 4, 6, 3]);
    }

    #[test]
    fn a_file_system_that_hangs_is_not_waited_for_and_asked_once() {
        let mut known = Known::default();
        let (release, released) = mpsc::channel::<()>();
        known.remote.insert(b"/nfs".to_vec(), Remote { last: Some(SIZE), asked: None });
        known.ask_with(b"/nfs", move || released.recv().ok().and(None));
        known.ask_with(b"/nfs", || panic!("asked while a question is under way"));
        let remote = known.remote.get_mut(&b"/nfs"[..]).unwrap();
        assert_eq!(remote.answer(Instant::now()), Some(SIZE), "the last known size");
        assert!(remote.asked.is_some());
        release.send(()).unwrap();
        let far = Instant::now() + Duration::from_secs(60);
        assert_eq!(remote.answer(far), None, "it has answered that it cannot be asked");
        assert!(remote.asked.is_none());
    }

    #[test]
    fn hanging_threads_are_bounded() {
        let mut known = Known::default();
        let mut held = Vec::new();
        for mount in 0..MAX_HANGING + 3 {
            let (release, released) = mpsc::channel::<()>();
            held.push(release);
            known.ask_with(format!("/{mount}").as_bytes(), move || released.recv().ok().and(None));
        }
        assert_eq!(known.remote.values().filter(|remote| remote.asked.is_some()).count(), MAX_HANGING);
    }

    #[test]
    fn the_root_of_this_machine_has_a_size() {
        let volumes = Volumes::new(SourceRoot::host(), []).list().unwrap();
        let root = volumes.iter().find(|volume| volume.mount.path == b"/").unwrap();
        let size = root.size.unwrap();
        assert!(size.blocks > 0 && size.available <= size.blocks && size.block >= 512);
    }
}

//! The folder of a `serve`: its configuration, with the hash of a password, and its state. It ends with the program; that of a program
//! which was killed is removed by the next one.

use std::fs::{File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::TempDir;

/// A folder that is locked as long as its program lives: the kernel releases the lock, however the program ends.
pub(crate) struct Folder {
    // Dropped first: what is not locked any more has no owner.
    folder: TempDir,
    _lock: File,
}

impl Folder {
    /// A new one within `parent`, from which those are removed whose programs are gone.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new_in(parent: &Path) -> io::Result<Folder> {
        // From the start: of a folder that others may enter, they keep a place within.
        let owner_only = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix(PREFIX).permissions(owner_only).tempdir_in(parent)?;
        let unlocked = folder.path().join("unlocked");
        let lock = File::create_new(&unlocked)?;
        lock.lock()?;
        // Under this name it is always locked, so that nobody takes a folder that is being made for one that was left.
        std::fs::rename(unlocked, folder.path().join(LOCK))?;
        let owner = std::fs::symlink_metadata(folder.path())?.uid();
        for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(PREFIX) {
                // What cannot be removed stays.
                let _ = remove_if_left(&entry.path(), owner);
            }
        }
        Ok(Folder { folder, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes a folder of this user that no program has locked.
fn remove_if_left(folder: &Path, owner: u32) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    // A link may lead anywhere, and folders of others are theirs.
    if !found.is_dir() || found.uid() != owner {
        return Ok(());
    }
    let lock = File::open(folder.join(LOCK))?;
    match lock.try_lock() {
        // The lock is held until all is gone: another program that looks meanwhile leaves it alone.
        Ok(()) => std::fs::remove_dir_all(folder),
        Err(TryLockError::WouldBlock) => Ok(()),
        Err(TryLockError::Error(fault)) => Err(fault),
    }
}

const PREFIX: &str = "trunkline-serve-";
const LOCK: &str = "lock";

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn names(parent: &Path) -> Vec<String> {
        let mut all: Vec<String> = std::fs::read_dir(parent)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        all.sort();
        all
    }

    #[test]
    fn a_folder_ends_with_its_program_or_when_the_next_begins() {
        let parent = tempfile::tempdir().unwrap();
        let lives = Folder::new_in(parent.path()).unwrap();
        // As after kill -9: the lock is gone, the folder is there.
        let killed = Folder::new_in(parent.path()).unwrap();
        std::fs::write(killed.path().join("trunklined.toml"), "hash").unwrap();
        let left = killed.folder.keep();
        drop(killed._lock);
        // What is being made, what has another name, and a link.
        let made = parent.path().join("trunkline-serve-new");
        std::fs::create_dir(&made).unwrap();
        let other = parent.path().join("other");
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(&other, parent.path().join("trunkline-serve-link")).unwrap();
        let next = Folder::new_in(parent.path()).unwrap();
        assert!(!left.exists() && lives.path().exists() && made.exists() && other.join(LOCK).exists());
        drop((next, lives));
        assert_eq!(names(parent.path()), ["other", "trunkline-serve-link", "trunkline-serve-new"]);
    }

    #[test]
    fn others_never_enter_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::new_in(parent.path()).unwrap();
        let mode = std::fs::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{mode:o}");
    }

    #[test]
    fn programs_that_begin_together_leave_each_other_alone() {
        let parent = tempfile::tempdir().unwrap();
        let begin = || {
            for _ in 0..50 {
                let folder = Folder::new_in(parent.path()).unwrap();
                std::fs::write(folder.path().join("trunklined.toml"), "hash").unwrap();
                assert!(folder.path().join(LOCK).exists());
            }
        };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(begin);
            }
        });
        assert_eq!(names(parent.path()), [""; 0]);
    }

    #[test]
    fn folders_of_other_users_stay() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("trunkline-serve-x");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(LOCK), "").unwrap();
        let owner = std::fs::metadata(&folder).unwrap().uid();
        remove_if_left(&folder, owner.wrapping_add(1)).unwrap();
        assert!(folder.exists());
        remove_if_left(&folder, owner).unwrap();
        assert!(!folder.exists());
    }
}

//! Writing files that hold secrets: what belongs together completely or not at all, with their mode from the first
//! octet, and never through a planted symbolic link.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use crate::{Error, key};

/// Files and links that appear together. All are written to a folder of their own first; renaming that folder is
/// the moment from which they count. [`finish`] then puts them in place, or the next process that holds the folder
/// does, if this one is killed.
pub(crate) struct Batch<'a> {
    root: &'a Path,
    staging: PathBuf,
    /// Where each is to be, relative to `root`.
    places: Vec<PathBuf>,
}

impl<'a> Batch<'a> {
    /// An empty batch for a folder that the caller has locked.
    pub(crate) fn new(root: &'a Path) -> Result<Self, Error> {
        let word = u64::from_ne_bytes(key::random()?);
        let staging = root.join(format!("{STAGING}{word:016x}"));
        DirBuilder::new().mode(0o700).create(&staging).map_err(Error::file(&staging))?;
        Ok(Batch { root, staging, places: Vec::new() })
    }

    /// Writes a file that will be at `path`, which is below the folder, with this mode.
    pub(crate) fn write(&mut self, path: &Path, octets: &[u8], mode: u32) -> Result<(), Error> {
        let staged = self.place(path)?;
        write_new(&staged, octets, mode).map_err(Error::file(path))
    }

    /// Makes a link to `target` that will be at `path`.
    pub(crate) fn link(&mut self, path: &Path, target: &Path) -> Result<(), Error> {
        let staged = self.place(path)?;
        symlink(target, &staged).map_err(Error::file(path))
    }

    /// Puts all of it in place, in the order in which it was added. What was there is replaced, never followed.
    pub(crate) fn commit(self) -> Result<(), Error> {
        self.seal()?;
        finish(self.root)
    }

    /// From here on the batch counts.
    fn seal(&self) -> Result<(), Error> {
        let mut list = Vec::new();
        for place in &self.places {
            list.extend_from_slice(place.as_os_str().as_bytes());
            list.push(b'\n');
        }
        let path = self.staging.join(LIST);
        write_new(&path, &list, 0o600).map_err(Error::file(&path))?;
        sync_folder(&path)?;
        let pending = self.root.join(PENDING);
        fs::rename(&self.staging, &pending).map_err(Error::file(&pending))?;
        sync_folder(&pending)
    }

    fn place(&mut self, path: &Path) -> Result<PathBuf, Error> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
            let fault = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(Error::File { path: path.to_owned(), fault });
        }
        let staged = self.staging.join(self.places.len().to_string());
        self.places.push(path.strip_prefix(self.root).unwrap_or(path).to_owned());
        Ok(staged)
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.staging); // it is gone if the batch was sealed
    }
}

/// Completes what an earlier process had to put in place, and removes what it did not come to. The caller has
/// locked the folder.
pub(crate) fn finish(root: &Path) -> Result<(), Error> {
    let pending = root.join(PENDING);
    let list = match fs::read(pending.join(LIST)) {
        Ok(list) => list,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(fault) => return Err(Error::File { path: pending.join(LIST), fault }),
    };
    let places = list.split(|octet| *octet == b'\n').filter(|place| !place.is_empty());
    for (at, place) in places.enumerate() {
        let place = Path::new(OsStr::from_bytes(place));
        if !place.components().all(|part| matches!(part, Component::Normal(_))) {
            let fault = io::Error::other(format!("{} is not a place below this folder", place.display()));
            return Err(Error::File { path: pending.join(LIST), fault });
        }
        let path = root.join(place);
        match fs::rename(pending.join(at.to_string()), &path) {
            Ok(()) => sync_folder(&path)?,
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {} // put in place before
            Err(fault) => return Err(Error::File { path, fault }),
        }
    }
    for entry in fs::read_dir(root).map_err(Error::file(root))?.filter_map(Result::ok) {
        let name = entry.file_name();
        if name == PENDING || name.as_bytes().starts_with(STAGING.as_bytes()) {
            fs::remove_dir_all(entry.path()).map_err(Error::file(&entry.path()))?;
        }
    }
    Ok(())
}

fn write_new(path: &Path, octets: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.write_all(octets)?;
    file.sync_all()
}

/// Refuses a path with anything other than a link.
pub(crate) fn linkable(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_symlink() => Err(Error::NotLink { path: path.to_owned() }),
        _ => Ok(()),
    }
}

/// Makes a folder, and those above it, with this mode; one that is there stays as it is.
pub(crate) fn folder(path: &Path, mode: u32) -> Result<(), Error> {
    DirBuilder::new().recursive(true).mode(mode).create(path).map_err(|fault| match fault.kind() {
        io::ErrorKind::AlreadyExists => Error::NotFolder { path: path.to_owned() },
        _ => Error::File { path: path.to_owned(), fault },
    })
}

/// As [`folder`], and it must not be a symbolic link.
pub(crate) fn own_folder(path: &Path, mode: u32) -> Result<(), Error> {
    folder(path, mode)?;
    let found = fs::symlink_metadata(path).map_err(Error::file(path))?;
    if found.is_dir() { Ok(()) } else { Err(Error::NotFolder { path: path.to_owned() }) }
}

/// The text of a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(Error::File { path: path.to_owned(), fault }),
    }
}

/// Whether the path exists, even as a dangling link.
pub(crate) fn is_taken(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Holds a folder for one process until it is dropped. What an earlier one did not complete is completed.
pub(crate) fn lock(folder: &Path) -> Result<File, Error> {
    let file = File::open(folder).map_err(Error::file(folder))?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|errno| Error::File { path: folder.to_owned(), fault: errno.into() })?;
    finish(folder)?;
    Ok(file)
}

fn sync_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::file(path))
}

/// Begins the name of a folder that holds an unfinished batch.
const STAGING: &str = ".staging-";

/// The folder of a batch that counts.
const PENDING: &str = ".pending";

/// In it: where each of its files, whose names are numbers from 0, is to be; a path a line.
const LIST: &str = "list";

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]
mod tests {
    use super::*;

    fn batch(root: &Path) -> Batch<'_> {
        let mut batch = Batch::new(root).unwrap();
        batch.write(&root.join("a.key"), b"new key", 0o600).unwrap();
        batch.write(&root.join("a.pem"), b"new certificate", 0o644).unwrap();
        batch.link(&root.join("default"), Path::new("a.pem")).unwrap();
        batch
    }

    fn contents(root: &Path) -> Vec<(String, String)> {
        let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
        let text = |path| fs::read_to_string(path).unwrap_or_default();
        let mut found: Vec<_> =
            entries.map(|entry| (entry.file_name().into_string().unwrap(), text(entry.path()))).collect();
        found.sort();
        found
    }

    fn new() -> Vec<(String, String)> {
        let pairs = [("a.key", "new key"), ("a.pem", "new certificate"), ("default", "new certificate")];
        pairs.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec()
    }

    /// A process may be killed after each step; the next one completes the batch or begins anew.
    #[test]
    fn a_batch_is_put_in_place_wholly_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("a.key"), "old key").unwrap();
        fs::write(root.join("a.pem"), "old certificate").unwrap();
        let old = contents(root);
        std::mem::forget(batch(root)); // killed before the batch counts
        assert_ne!(contents(root), old, "its folder is there");
        finish(root).unwrap();
        assert_eq!(contents(root), old);

        let killed = batch(root);
        killed.seal().unwrap();
        std::mem::forget(killed);
        fs::rename(root.join(PENDING).join("0"), root.join("a.key")).unwrap(); // killed after the first file
        finish(root).unwrap();
        assert_eq!(contents(root), new());
        finish(root).unwrap();
        batch(root).commit().unwrap();
        assert_eq!(contents(root), new());
    }

    #[test]
    fn a_list_that_leads_out_of_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("pki");
        fs::create_dir_all(root.join(PENDING)).unwrap();
        fs::write(root.join(PENDING).join("0"), "planted").unwrap();
        for list in ["../victim\n", "/tmp/victim\n"] {
            fs::write(root.join(PENDING).join(LIST), list).unwrap();
            assert!(finish(&root).unwrap_err().to_string().contains("is not a place below this folder"));
        }
        assert!(!folder.path().join("victim").exists());
    }
}

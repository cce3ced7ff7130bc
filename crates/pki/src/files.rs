//! Writing files that hold secrets: completely or not at all, with their mode from the first octet, and never
//! through a planted symbolic link.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::{Error, key};

/// Whether a file that is there is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replace {
    No,
    Yes,
}

/// Writes a file with this mode. An existing one is refused or replaced, never followed or written into.
pub(crate) fn write(path: &Path, octets: &[u8], mode: u32, replace: Replace) -> Result<(), Error> {
    let temporary = Temporary::beside(path)?;
    let fault = Error::file(path);
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(&temporary.0).map_err(&fault)?;
    file.set_permissions(Permissions::from_mode(mode)).map_err(&fault)?;
    file.write_all(octets).and_then(|()| file.sync_all()).map_err(&fault)?;
    match replace {
        Replace::Yes => fs::rename(&temporary.0, path).map_err(&fault)?,
        Replace::No => fs::hard_link(&temporary.0, path).map_err(|error| taken(path, error))?,
    }
    sync_folder(path)
}

/// Points a link that is there or not to `target`, in one step.
pub(crate) fn link(path: &Path, target: &Path) -> Result<(), Error> {
    linkable(path)?;
    let temporary = Temporary::beside(path)?;
    symlink(target, &temporary.0).and_then(|()| fs::rename(&temporary.0, path)).map_err(Error::file(path))?;
    sync_folder(path)
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

/// Holds a folder for one process until it is dropped.
pub(crate) fn lock(folder: &Path) -> Result<File, Error> {
    let file = File::open(folder).map_err(Error::file(folder))?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|errno| Error::File { path: folder.to_owned(), fault: errno.into() })?;
    Ok(file)
}

fn taken(path: &Path, fault: io::Error) -> Error {
    match fault.kind() {
        io::ErrorKind::AlreadyExists => Error::Exists { path: path.to_owned() },
        _ => Error::File { path: path.to_owned(), fault },
    }
}

fn sync_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::file(path))
}

/// The name of a file that is not there yet, in the same folder; gone when dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn beside(path: &Path) -> Result<Self, Error> {
        let word = u64::from_ne_bytes(key::random()?);
        Ok(Temporary(path.with_file_name(format!(".{word:016x}.tmp"))))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

//! One folder of files that clients name, such as configurations of NETCONF (RFC 6241 section 8.8). Nothing outside of it can be named, and
//! no link leads out of it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, renameat, statat, unlinkat};

/// The folder.
#[derive(Clone, Debug)]
pub struct NamedFiles {
    folder: PathBuf,
    /// Octets of one file.
    most: usize,
}

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub enum NamedFileError {
    /// It is not a URL of a file in the folder.
    #[error(
        "expected file:///NAME with a name of at most 100 letters, digits, dots, hyphens and underscores that does not begin with a dot, \
         found {0:?}"
    )]
    Url(String),
    /// There is no such file.
    #[error("there is no file {0}")]
    Missing(String),
    /// It is a link, a folder or a device.
    #[error("{0} is not a regular file")]
    NotRegular(String),
    /// It is longer than files may be.
    #[error("{name} has more than {most} octets")]
    TooLong {
        /// The file.
        name: String,
        /// The most octets.
        most: usize,
    },
    /// There are as many files as may be.
    #[error("the folder has {MOST_FILES} files: delete some")]
    TooMany,
    /// The operating system refuses.
    #[error("{name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// Why.
        source: io::Error,
    },
}

/// Files that the folder may have.
pub const MOST_FILES: usize = 1000;
/// Octets of a name.
const LONGEST_NAME: usize = 100;

impl NamedFiles {
    /// The files in a folder, each of at most so many octets.
    #[must_use]
    pub fn new(folder: &Path, most: usize) -> Self {
        NamedFiles { folder: folder.to_path_buf(), most }
    }

    /// The name of the file that a URL is about: `file:///NAME`, or with the whole path.
    ///
    /// # Errors
    /// [`NamedFileError::Url`]
    pub fn name<'u>(&self, url: &'u str) -> Result<&'u str, NamedFileError> {
        let path = url.strip_prefix("file://").filter(|path| path.starts_with('/'));
        let in_folder = |path: &'u str| {
            let rest = path.strip_prefix(self.folder.to_str()?)?;
            rest.strip_prefix('/')
        };
        let name = path.and_then(|path| in_folder(path).or_else(|| path.strip_prefix('/')));
        let is_name = |name: &&str| {
            let is_part = |octet: u8| octet.is_ascii_alphanumeric() || b"._-".contains(&octet);
            !name.is_empty()
                && name.len() <= LONGEST_NAME
                && !name.starts_with('.')
                && name.bytes().all(is_part)
        };
        name.filter(is_name).ok_or_else(|| NamedFileError::Url(url.chars().take(2 * LONGEST_NAME).collect()))
    }

    /// What a file holds.
    ///
    /// # Errors
    /// [`NamedFileError`]
    pub fn read(&self, url: &str) -> Result<Vec<u8>, NamedFileError> {
        let name = self.name(url)?;
        let folder = self.open(name)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&folder, name, flags, Mode::empty()).map_err(|error| failed(name, error))?;
        let file = File::from(file);
        let metadata = file.metadata().map_err(|source| io_error(name, source))?;
        if !metadata.is_file() {
            return Err(NamedFileError::NotRegular(name.to_owned()));
        }
        let mut octets = Vec::new();
        let read = file.take(self.most as u64 + 1).read_to_end(&mut octets);
        read.map_err(|source| io_error(name, source))?;
        if octets.len() > self.most {
            return Err(NamedFileError::TooLong { name: name.to_owned(), most: self.most });
        }
        Ok(octets)
    }

    /// Writes a file, or replaces it as a whole.
    ///
    /// # Errors
    /// [`NamedFileError`]; then it is as it was.
    pub fn write(&self, url: &str, octets: &[u8]) -> Result<(), NamedFileError> {
        let name = self.name(url)?;
        if octets.len() > self.most {
            return Err(NamedFileError::TooLong { name: name.to_owned(), most: self.most });
        }
        let folder = self.open(name)?;
        match kind(&folder, name) {
            Ok(FileType::RegularFile) => {}
            Ok(_) => return Err(NamedFileError::NotRegular(name.to_owned())),
            Err(rustix::io::Errno::NOENT) if count(&folder, name)? >= MOST_FILES => {
                return Err(NamedFileError::TooMany);
            }
            Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(failed(name, error)),
        }
        // No client can name it.
        let fresh = format!(".{name}.new");
        let _ = unlinkat(&folder, &fresh, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            openat(&folder, &fresh, flags, Mode::RUSR | Mode::WUSR).map_err(|error| failed(name, error))?;
        let mut file = File::from(file);
        let written = file
            .write_all(octets)
            .and_then(|()| file.sync_all())
            .and_then(|()| renameat(&folder, &fresh, &folder, name).map_err(io::Error::from));
        if let Err(source) = written {
            // It occupies the space that the next attempt needs.
            let _ = unlinkat(&folder, &fresh, AtFlags::empty());
            return Err(io_error(name, source));
        }
        rustix::fs::fsync(&folder).map_err(|error| failed(name, error))
    }

    /// Deletes a file.
    ///
    /// # Errors
    /// [`NamedFileError`]
    pub fn remove(&self, url: &str) -> Result<(), NamedFileError> {
        let name = self.name(url)?;
        let folder = self.open(name)?;
        match kind(&folder, name).map_err(|error| failed(name, error))? {
            FileType::RegularFile => {}
            _ => return Err(NamedFileError::NotRegular(name.to_owned())),
        }
        unlinkat(&folder, name, AtFlags::empty()).map_err(|error| failed(name, error))?;
        rustix::fs::fsync(&folder).map_err(|error| failed(name, error))
    }

    fn open(&self, name: &str) -> Result<OwnedFd, NamedFileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, &self.folder, flags, Mode::empty()).map_err(|error| {
            let words =
                format!("the folder {} cannot be opened: {}", self.folder.display(), io::Error::from(error));
            io_error(name, io::Error::other(words))
        })
    }
}

fn kind(folder: &OwnedFd, name: &str) -> rustix::io::Result<FileType> {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|found| FileType::from_raw_mode(found.st_mode))
}

fn count(folder: &OwnedFd, name: &str) -> Result<usize, NamedFileError> {
    let all = Dir::read_from(folder).map_err(|error| failed(name, error))?;
    Ok(all.take(MOST_FILES + 2).count())
}

fn failed(name: &str, error: rustix::io::Errno) -> NamedFileError {
    match error {
        rustix::io::Errno::NOENT => NamedFileError::Missing(name.to_owned()),
        rustix::io::Errno::LOOP => NamedFileError::NotRegular(name.to_owned()),
        error => io_error(name, error.into()),
    }
}

fn io_error(name: &str, source: io::Error) -> NamedFileError {
    NamedFileError::Io { name: name.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_written_read_and_deleted_in_their_folder_alone() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("files");
        fs::create_dir(&place).unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        let files = NamedFiles::new(&place, 100);
        files.write("file:///a.xml", b"one").unwrap();
        files.write(&format!("file://{}/a.xml", place.display()), b"two").unwrap();
        assert_eq!(files.read("file:///a.xml").unwrap(), b"two");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
        for url in [
            "a.xml",
            "file:a.xml",
            "file://host/a.xml",
            "file:///../secret",
            "file:///..",
            "file:///.a.xml.new",
            "file:///sub/a.xml",
            "file:///a%2Exml",
            "file:///",
            "file:///a\0b",
            "http:///a.xml",
            &format!("file:///{}", "a".repeat(101)),
            &format!("file://{}", folder.path().join("secret").display()),
            &format!("file://{}x/a.xml", place.display()),
        ] {
            assert!(matches!(files.read(url), Err(NamedFileError::Url(_))), "{url}");
            assert!(matches!(files.write(url, b"x"), Err(NamedFileError::Url(_))), "{url}");
            assert!(matches!(files.remove(url), Err(NamedFileError::Url(_))), "{url}");
        }
        // Nothing leads out of it.
        std::os::unix::fs::symlink(folder.path().join("secret"), place.join("link")).unwrap();
        fs::create_dir(place.join("sub")).unwrap();
        for name in ["link", "sub"] {
            let url = format!("file:///{name}");
            assert!(matches!(files.read(&url), Err(NamedFileError::NotRegular(_))), "{name}");
            assert!(matches!(files.write(&url, b"x"), Err(NamedFileError::NotRegular(_))), "{name}");
            assert!(matches!(files.remove(&url), Err(NamedFileError::NotRegular(_))), "{name}");
        }
        assert_eq!(fs::read(folder.path().join("secret")).unwrap(), b"secret");
        assert!(matches!(files.write("file:///b", &[0; 101]), Err(NamedFileError::TooLong { .. })));
        fs::write(place.join("long"), [0; 101]).unwrap();
        assert!(matches!(files.read("file:///long"), Err(NamedFileError::TooLong { .. })));
        files.remove("file:///a.xml").unwrap();
        assert!(matches!(files.read("file:///a.xml"), Err(NamedFileError::Missing(_))));
        assert!(matches!(files.remove("file:///a.xml"), Err(NamedFileError::Missing(_))));
        // A folder that is full takes no other file, and those that are there can be replaced.
        for at in 0..MOST_FILES {
            fs::write(place.join(format!("f{at}")), "").unwrap();
        }
        assert!(matches!(files.write("file:///new", b"x"), Err(NamedFileError::TooMany)));
        files.write("file:///f7", b"x").unwrap();
        let nowhere = NamedFiles::new(&folder.path().join("nowhere"), 100);
        assert!(nowhere.write("file:///a", b"x").unwrap_err().to_string().contains("cannot be opened"));
    }
}

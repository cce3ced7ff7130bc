//! Files named in a configuration: whatever is at the path, reading it terminates.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The maximum length of a file written by a person or by one of our programs: far above any real one.
pub const LONGEST: u64 = 64 << 20;

/// Opens a file, which may be `/dev/null`. A pipe or another device is refused: it might never end, and could not
/// be read again on a reload.
///
/// # Errors
/// What the path refers to instead, or why it cannot be opened.
pub fn open_regular(path: &Path) -> io::Result<File> {
    // Do not wait for the other end of a pipe.
    let flags = libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| {
        match error.raw_os_error() == Some(libc::ENXIO) {
            true => io::Error::other("it is a socket"),
            false => error,
        }
    })?;
    let metadata = file.metadata()?;
    let kind = metadata.file_type();
    let found = match () {
        () if kind.is_file() || metadata.rdev() == libc::makedev(1, 3) => return Ok(file),
        () if kind.is_dir() => "directory",
        () if kind.is_fifo() => "pipe",
        () if kind.is_socket() => "socket",
        () => "device",
    };
    Err(io::Error::other(format!("it is a {found}")))
}

/// Reads a whole file of at most `limit` octets.
///
/// # Errors
/// As above, or the file is longer.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    open_regular(path)?.take(limit.saturating_add(1)).read_to_end(&mut octets)?;
    match octets.len() as u64 > limit {
        true => Err(io::Error::other(format!("it has more than {limit} octets"))),
        false => Ok(octets),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_files_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (pipe, socket, file) = (at("pipe"), at("socket"), at("file"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::fs::write(&file, "12345").unwrap();
        for (path, what) in [
            (folder.path(), "it is a directory"),
            (&*pipe, "it is a pipe"),
            (&*socket, "it is a socket"),
            (Path::new("/dev/zero"), "it is a device"),
        ] {
            assert!(read_regular(path, 9).unwrap_err().to_string().contains(what), "{path:?}");
        }
        assert_eq!(read_regular(Path::new("/dev/null"), 9).unwrap(), b"");
        assert_eq!(read_regular(&file, 5).unwrap(), b"12345");
        assert!(read_regular(&file, 4).unwrap_err().to_string().contains("more than 4 octets"));
    }
}

//! Files named in a configuration: whatever is at the path, reading it terminates.

use std::fs::{File, Metadata, OpenOptions};
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
    be_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file to append to it, and creates it with these rights if there is none. What [`open_regular`] refuses is refused: writing to a
/// pipe might wait without end.
///
/// # Errors
/// What the path refers to instead, or why it cannot be opened.
pub fn open_to_append(path: &Path, mode: u32) -> io::Result<File> {
    let opened = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(mode)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path);
    match opened {
        Ok(file) => be_regular(&file.metadata()?).map(|()| file),
        // A pipe that nobody reads, or a socket: the reason is better than the error.
        Err(error) => check_to_append(path).and(Err(error)),
    }
}

/// Whether whatever is at the path now could be appended to, by its kind; nothing is there is fine.
///
/// # Errors
/// What the path refers to instead.
pub fn check_to_append(path: &Path) -> io::Result<()> {
    std::fs::metadata(path).map_or(Ok(()), |metadata| be_regular(&metadata))
}

/// A regular file, or `/dev/null`.
fn be_regular(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    let found = match () {
        () if kind.is_file() || metadata.rdev() == libc::makedev(1, 3) => return Ok(()),
        () if kind.is_dir() => "directory",
        () if kind.is_fifo() => "pipe",
        () if kind.is_socket() => "socket",
        () => "device",
    };
    Err(io::Error::other(format!("it is a {found}, not a file")))
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

/// The same as text.
///
/// # Errors
/// As above, or it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    text(read_regular(path, limit)?)
}

/// The text of at most `limit` octets of whatever a person has named on a command line, which may be a pipe.
///
/// # Errors
/// It is longer or not UTF-8, or cannot be read.
pub fn read_named(path: &Path, limit: u64) -> io::Result<String> {
    let mut octets = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut octets)?;
    match octets.len() as u64 > limit {
        true => Err(io::Error::other(format!("it has more than {limit} octets"))),
        false => text(octets),
    }
}

fn text(octets: Vec<u8>) -> io::Result<String> {
    String::from_utf8(octets).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::other(format!("it is not UTF-8 text (octet {})", at + 1))
    })
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
        let _reader = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&pipe).unwrap();
        for (path, what) in [
            (folder.path(), "it is a directory"),
            (&*pipe, "it is a pipe"),
            (&*socket, "it is a socket"),
            (Path::new("/dev/zero"), "it is a device"),
        ] {
            assert!(open_to_append(path, 0o600).unwrap_err().to_string().contains(what), "{path:?}");
            assert!(check_to_append(path).unwrap_err().to_string().contains(what), "{path:?}");
        }
        assert!(check_to_append(&at("new")).is_ok() && open_to_append(&at("new"), 0o600).is_ok());
        assert_eq!(read_regular(&file, 5).unwrap(), b"12345");
        assert!(read_regular(&file, 4).unwrap_err().to_string().contains("more than 4 octets"));
        assert!(read_named(&file, 4).unwrap_err().to_string().contains("more than 4 octets"));
        assert!(read_named(Path::new("/dev/zero"), 9).is_err());
        assert_eq!(read_named(&file, 5).unwrap(), "12345");
        std::fs::write(&file, b"a\xff").unwrap();
        assert!(read_text(&file, 5).unwrap_err().to_string().contains("octet 2"));
    }
}

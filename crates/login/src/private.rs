//! Files that only their owner may read.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::mistake::Mistake;

/// The first line of a file that only its owner may read.
pub fn secret_of_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    let text = private_file(path)?;
    let line = text.split(|octet| matches!(octet, b'\n' | b'\r')).next().unwrap_or_default();
    Ok(line.to_vec())
}

/// A file with secrets, which must not be open to others; at most 1 MiB.
///
/// # Errors
/// It cannot be read, or others can read it.
pub fn private_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    let failed = |fault: std::io::Error| Mistake(format!("{}: {fault}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o7777;
    let folder = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    if mode & open_to_others(path, folder.as_deref()) != 0 {
        let path = path.display();
        let words = format!("{path} may be read by others (its mode is {mode:04o}): run `chmod 600 {path}`");
        return Err(Mistake(words));
    }
    let mut octets = Vec::new();
    file.take(1 << 20).read_to_end(&mut octets).map_err(failed)?;
    Ok(octets)
}

/// Writes a file that only its owner may read: whole or not at all, whatever happens meanwhile. A file that is there is replaced, never
/// followed.
///
/// # Errors
/// It cannot be written.
pub fn write_private(path: &Path, octets: &[u8]) -> Result<(), Mistake> {
    let failed = |fault: io::Error| Mistake(format!("{}: {fault}", path.display()));
    let Some(name) = path.file_name() else { return Err(failed(io::ErrorKind::InvalidFilename.into())) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.new", std::process::id()));
    let beside = folder.join(beside);
    let written = write_new(&beside, octets).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.and_then(|()| File::open(folder)?.sync_all()).map_err(failed)
}

fn write_new(path: &Path, octets: &[u8]) -> io::Result<()> {
    // Of an earlier process with this number, which was killed.
    let _ = fs::remove_file(path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(octets)?;
    file.sync_all()
}

/// The rights that nobody but the owner may have. A file of systemd's `LoadCredential=`, in its `folder`, may be one of root
/// that an access control list opens to the service; the list's mask appears as the right of the group.
fn open_to_others(path: &Path, folder: Option<&Path>) -> u32 {
    match folder {
        Some(folder) if folder.is_absolute() && path.starts_with(folder) => 0o037,
        _ => 0o077,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_private_and_replaces_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("other"));
        fs::write(&other, "theirs").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        for text in ["one", "two"] {
            write_private(&path, text.as_bytes()).unwrap();
            assert_eq!(private_file(&path).unwrap(), text.as_bytes());
        }
        assert_eq!(fs::read_to_string(&other).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(write_private(&folder.path().join("no/a"), b"").is_err());
        assert!(write_private(Path::new("/"), b"").is_err());
    }

    #[test]
    fn a_credential_of_systemd_may_have_a_list() {
        let folder = Some(Path::new("/run/credentials/a.service"));
        assert_eq!(open_to_others(Path::new("/run/credentials/a.service/users.toml"), folder), 0o037);
        for folder in [folder, None, Some(Path::new(""))] {
            assert_eq!(open_to_others(Path::new("/etc/users.toml"), folder), 0o077, "{folder:?}");
        }
    }
}

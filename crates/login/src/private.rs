//! Files that only their owner may read.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::mistake::Mistake;

/// The first line of a file that only its owner may read.
pub fn secret_of_file(path: &Path) -> Result<Vec<u8>, Mistake> {
    let text = private_file(path)?;
    let line = text.split(|octet| matches!(octet, b'\n' | b'\r')).next().unwrap_or_default();
    Ok(line.to_vec())
}

/// A file with secrets, which must not be open to others; at most 1 MiB.
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
    fn a_credential_of_systemd_may_have_a_list() {
        let folder = Some(Path::new("/run/credentials/a.service"));
        assert_eq!(open_to_others(Path::new("/run/credentials/a.service/users.toml"), folder), 0o037);
        for folder in [folder, None, Some(Path::new(""))] {
            assert_eq!(open_to_others(Path::new("/etc/users.toml"), folder), 0o077, "{folder:?}");
        }
    }
}

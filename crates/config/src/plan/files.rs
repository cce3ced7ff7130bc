//! Files that the configuration names, read while it is checked: later the agent has no right to some of them.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_spanned::Spanned;

use super::value::Checked;
use crate::Place;

/// A file and its contents, which are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct FilePlan {
    /// Its path.
    pub path: PathBuf,
    /// Its contents.
    pub octets: Arc<[u8]>,
}

impl fmt::Debug for FilePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FilePlan({:?}, {} octets)", self.path, self.octets.len())
    }
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Anybody.
    Anybody,
    /// Its owner alone, since it is a secret.
    Owner,
}

/// More is not a certificate, no key and no list of them.
const MOST_OCTETS: u64 = 16 << 20;

impl FilePlan {
    /// Reads a file at a default path; `None` if it does not exist.
    pub(super) fn find(path: &Path, readers: Readers) -> Result<Option<Self>, String> {
        match std::fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            _ => Self::read(path, readers).map(Some),
        }
    }

    fn read(path: &Path, readers: Readers) -> Result<Self, String> {
        let octets = read_within(path, readers, MOST_OCTETS)?;
        Ok(Self { path: path.to_path_buf(), octets: octets.into() })
    }
}

/// The octets of a regular file, of at most so many, that nobody else may read if it is a secret.
pub(super) fn read_within(path: &Path, readers: Readers, most: u64) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("cannot read {shown}: {error}");
    let metadata = std::fs::metadata(path).map_err(cannot)?;
    if !metadata.is_file() {
        return Err(format!("{shown} is not a regular file"));
    }
    let mode = metadata.permissions().mode() & 0o777;
    if readers == Readers::Owner && mode & 0o077 != 0 {
        return Err(format!(
            "{shown} has mode {mode:03o}: users other than its owner can read the secret; run chmod 600 {shown}"
        ));
    }
    if metadata.len() > most {
        return Err(format!("{shown} has {} octets, expected at most {most}", metadata.len()));
    }
    std::fs::read(path).map_err(cannot)
}

/// The full path of a file; one that is not absolute begins where the configuration file is.
pub(super) fn path(text: &str, config: &Path) -> PathBuf {
    config.parent().unwrap_or(Path::new("")).join(text)
}

/// A file that the configuration names.
pub(super) fn read(name: &Spanned<String>, readers: Readers, place: Place<'_>) -> Checked<FilePlan> {
    FilePlan::read(&path(name.get_ref(), place.path), readers)
        .map_err(|message| place.wrong(name.span(), message))
}

/// The default directory of certificates and keys: where `trunkline pki` puts them.
pub(super) fn pki_directory() -> PathBuf {
    if rustix::process::geteuid().is_root() {
        return PathBuf::from("/etc/trunkline/pki");
    }
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    // Without a home there is only the system's.
    base.unwrap_or_else(|| PathBuf::from("/etc")).join("trunkline/pki")
}

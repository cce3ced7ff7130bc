//! The file with the process id. It is opened while that is allowed, written when the agent listens, and
//! removed at the end if that is still allowed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A pid file that can be written.
#[derive(Clone, Debug)]
pub(super) struct PidFile {
    path: PathBuf,
    file: Arc<File>,
}

impl PidFile {
    /// Opens the file, which may be there from before.
    pub fn open(path: &Path) -> io::Result<Self> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).open(path).map_err(named)?;
        Ok(PidFile { path: path.to_path_buf(), file: Arc::new(file) })
    }

    /// Writes our process id.
    pub fn write(&self) -> io::Result<()> {
        (&*self.file).write_all(format!("{}\n", std::process::id()).as_bytes())
    }

    /// Removes the file; where the user may not, it is emptied.
    pub fn remove(&self) {
        let emptied = || self.file.set_len(0);
        if let Err(error) = std::fs::remove_file(&self.path).or_else(|_| emptied()) {
            tracing::warn!("cannot remove {}: {error}", self.path.display());
        }
    }
}

//! The file with the process id. It is opened while that is allowed, written when the agent listens, and
//! removed at the end if that is still allowed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A pid file that can be written.
#[derive(Clone, Debug)]
pub struct PidFile {
    path: PathBuf,
    file: Arc<File>,
}

impl PidFile {
    /// Opens the file, which may be there from before. Its content stays until this agent listens: it may name one that
    /// runs, for which this start then fails.
    ///
    /// # Errors
    /// It cannot be opened for writing.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|error| named(path, error))?;
        Ok(PidFile { path: path.to_path_buf(), file: Arc::new(file) })
    }

    /// Writes our process id.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self) -> io::Result<()> {
        self.file.set_len(0)?;
        (&*self.file).write_all(format!("{}\n", std::process::id()).as_bytes())
    }

    /// Removes the file; where the user may not, it is emptied.
    ///
    /// # Errors
    /// Neither can be done.
    pub fn remove(&self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
            .or_else(|_| self.file.set_len(0))
            .map_err(|error| named(&self.path, error))
    }
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_agent_that_listens_replaces_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pid");
        std::fs::write(&path, "1234567890\n").unwrap();
        let file = PidFile::open(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "1234567890\n");
        file.write().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{}\n", std::process::id()));
        file.remove().unwrap();
        assert!(!path.exists());
    }
}

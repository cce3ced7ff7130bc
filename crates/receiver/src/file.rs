//! Notifications in a file: appended, reopened on demand, rotated by size.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use trunkline_client::transport::files;

use crate::form::Form;

/// A file of notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// The file.
    pub path: PathBuf,
    /// How they are written.
    pub form: Form,
    /// From this size on the file is renamed to `PATH.1`, and a new one begun.
    pub rotate: Option<u64>,
    /// How many renamed files are kept.
    pub keep: usize,
}

impl FilePlan {
    /// Whether what is at the path now is a file, or nothing.
    ///
    /// # Errors
    /// What is there instead.
    pub fn check(&self) -> io::Result<()> {
        files::check_to_append(&self.path)
    }
}

/// The open file.
#[derive(Debug)]
pub(crate) struct LogFile {
    pub(crate) plan: FilePlan,
    /// `None` if it could not be opened; it is tried again with the next notification.
    file: Option<File>,
    written: u64,
}

impl LogFile {
    /// Opens the file, to learn at the start whether that is possible.
    pub(crate) fn open(plan: FilePlan) -> io::Result<Self> {
        let mut file = LogFile { plan, file: None, written: 0 };
        file.reopen()?;
        Ok(file)
    }

    /// Opens the file again: whoever renamed it wants a new one.
    pub(crate) fn reopen(&mut self) -> io::Result<()> {
        self.file = None;
        let file = files::open_to_append(&self.plan.path, 0o640)?;
        self.written = file.metadata()?.len();
        self.file = Some(file);
        Ok(())
    }

    /// Appends a notification with one write, so that its lines stay together.
    pub(crate) fn append(&mut self, text: &str) -> io::Result<()> {
        let length = text.len() as u64;
        if self.plan.rotate.is_some_and(|most| self.written > 0 && self.written + length > most) {
            self.rotate()?;
        }
        if self.file.is_none() {
            self.reopen()?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = file.write_all(text.as_bytes());
        match written {
            Ok(()) => self.written += length,
            // A full disk or a lost mount: the next one opens it again.
            Err(_) => self.file = None,
        }
        written
    }

    /// `PATH` becomes `PATH.1`, that `PATH.2`, and so on; the oldest is overwritten.
    fn rotate(&mut self) -> io::Result<()> {
        let FilePlan { path, keep, .. } = &self.plan;
        for number in (1..*keep).rev() {
            rename(&numbered(path, number), &numbered(path, number + 1))?;
        }
        match keep {
            0 => std::fs::remove_file(path)?,
            _ => rename(path, &numbered(path, 1))?,
        }
        self.reopen()
    }
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

/// A file that is not there need not be renamed.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(()),
        renamed => renamed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_rotated_by_size_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("traps");
        let plan = FilePlan { path: path.clone(), form: Form::Text, rotate: Some(10), keep: 2 };
        let mut file = LogFile::open(plan).unwrap();
        for text in ["one\n", "two\n", "three and more than ten\n", "four\n", "five\n", "six\n"] {
            file.append(text).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("traps"), read("traps.1")), ("six\n".into(), "four\nfive\n".into()));
        assert_eq!(read("traps.2"), "three and more than ten\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "the oldest is gone");
    }

    #[test]
    fn a_renamed_file_is_left_at_the_next_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("traps");
        let plan = FilePlan { path: path.clone(), form: Form::Json, rotate: None, keep: 5 };
        let mut file = LogFile::open(plan).unwrap();
        file.append("one\n").unwrap();
        let moved = folder.path().join("moved");
        std::fs::rename(&path, &moved).unwrap();
        file.append("two\n").unwrap();
        file.reopen().unwrap();
        file.append("three\n").unwrap();
        assert_eq!(std::fs::read_to_string(&moved).unwrap(), "one\ntwo\n");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three\n");
    }
}

//! What must outlive a restart: a small TOML file in the state directory, replaced as a whole so that a crash leaves
//! the old or the new one.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value of type `T` and its file, which only its owner may read.
pub struct StateFile<T> {
    directory: PathBuf,
    name: &'static str,
    state: Mutex<T>,
}

/// Why kept state cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The operating system refuses.
    #[error("cannot keep state in {}: {source}; see `state` in the [agent] section", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{}: {message}; mend or remove the file", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

impl<T: Clone + Default + PartialEq + Serialize + DeserializeOwned> StateFile<T> {
    /// Reads the file `name`; a missing file is the default state. Creates nothing.
    pub fn open_named(directory: &Path, name: &'static str) -> Result<Self, StateError> {
        let path = directory.join(name);
        let state = match fs::read_to_string(&path) {
            // What stands in the file may be secret: the error says where and what, and quotes nothing.
            Ok(text) => toml::from_str(&text)
                .map_err(|error| StateError::Damaged { path, message: error.message().to_string() })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => T::default(),
            Err(source) => return Err(StateError::Io { path, source }),
        };
        Ok(StateFile { directory: directory.to_path_buf(), name, state: Mutex::new(state) })
    }

    /// The present state.
    pub fn state(&self) -> T {
        self.lock().clone()
    }

    /// Changes the state, on disk first. Returns the old one. What does not change is not written.
    pub fn change(&self, change: impl FnOnce(&mut T)) -> Result<T, StateError> {
        let mut state = self.lock();
        let mut new = state.clone();
        change(&mut new);
        if *state == new {
            return Ok(new);
        }
        self.write(&new)?;
        Ok(std::mem::replace(&mut *state, new))
    }

    /// Puts another state in the place of this one, on disk first. Returns the old one.
    pub fn replace(&self, new: T) -> Result<T, StateError> {
        self.change(|state| *state = new)
    }

    /// The file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(self.name)
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &T) -> Result<(), StateError> {
        let path = self.path();
        let text = toml::to_string(state)
            .map_err(|error| StateError::Damaged { path: path.clone(), message: error.to_string() })?;
        replace_file(&self.directory, &path, text.as_bytes())
            .map_err(|source| StateError::Io { path, source })
    }
}

/// Writes a new file beside `path` and moves it there, each step on disk before the next.
fn replace_file(directory: &Path, path: &Path, octets: &[u8]) -> io::Result<()> {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    let fresh = PathBuf::from(fresh);
    fs::create_dir_all(directory)?;
    // One that a crash has left may have another mode.
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    file.write_all(octets)?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    File::open(directory)?.sync_all()
}

impl<T> fmt::Debug for StateFile<T> {
    /// Without the state, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateFile").field("path", &self.directory.join(self.name)).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    type Words = std::collections::BTreeMap<String, String>;

    fn words(text: &str) -> Words {
        Words::from([("word".to_string(), text.to_string())])
    }

    #[test]
    fn state_outlives_the_program_and_is_its_owners() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("not-yet-there");
        let open = || StateFile::<Words>::open_named(&place, "words.toml").unwrap();
        let file = open();
        assert_eq!(file.state(), Words::new());
        assert_eq!(file.replace(words("a \"b\"\nc")).unwrap(), Words::new());
        assert_eq!(open().state(), words("a \"b\"\nc"));
        let mode =
            |name: &str| fs::metadata(place.join(name)).map(|found| found.permissions().mode() & 0o777);
        assert_eq!(mode("words.toml").unwrap(), 0o600);
        fs::write(place.join("words.toml.new"), "left by a crash").unwrap();
        fs::set_permissions(place.join("words.toml.new"), fs::Permissions::from_mode(0o644)).unwrap();
        file.replace(words("new")).unwrap();
        assert_eq!(mode("words.toml").unwrap(), 0o600);
        assert!(mode("words.toml.new").is_err());
        assert!(!format!("{file:?}").contains("new\""), "{file:?}");
    }

    #[test]
    fn a_damaged_file_is_named_and_not_quoted() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("words.toml"), "word = [\"hidden\"").unwrap();
        let error = StateFile::<Words>::open_named(directory.path(), "words.toml").unwrap_err();
        assert!(error.to_string().contains("words.toml"), "{error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_an_error_and_changes_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let blocked = StateFile::<Words> {
            directory: file.path().join("below-a-file"),
            name: "words.toml",
            state: Mutex::default(),
        };
        assert!(matches!(blocked.replace(words("x")), Err(StateError::Io { .. })));
        assert_eq!(blocked.state(), Words::new());
    }
}

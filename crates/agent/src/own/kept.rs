//! What must outlive a restart: a small TOML file in the state directory,
//! replaced as a whole so that a crash leaves the old or the new one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// The values that managers have set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptState {
    /// sysContact.
    pub sys_contact: Option<String>,
    /// sysName.
    pub sys_name: Option<String>,
    /// sysLocation.
    pub sys_location: Option<String>,
    /// snmpEnableAuthenTraps.
    pub snmp_enable_authen_traps: Option<bool>,
}

impl KeptState {
    /// Takes over what `new` has.
    pub fn merge(&mut self, new: &KeptState) {
        let take = |own: &mut Option<String>, new: &Option<String>| {
            if new.is_some() {
                own.clone_from(new);
            }
        };
        take(&mut self.sys_contact, &new.sys_contact);
        take(&mut self.sys_name, &new.sys_name);
        take(&mut self.sys_location, &new.sys_location);
        self.snmp_enable_authen_traps = new.snmp_enable_authen_traps.or(self.snmp_enable_authen_traps);
    }
}

/// The kept state and its file.
#[derive(Debug)]
pub struct Kept {
    directory: PathBuf,
    state: Mutex<KeptState>,
}

/// Why kept state cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
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

const FILE: &str = "system.toml";

impl Kept {
    /// Reads the state; a missing file is an empty state. Creates nothing.
    pub fn open(directory: &Path) -> Result<Self, KeptError> {
        let path = directory.join(FILE);
        let state = match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text)
                .map_err(|error| KeptError::Damaged { path, message: error.message().to_string() })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => KeptState::default(),
            Err(source) => return Err(KeptError::Io { path, source }),
        };
        Ok(Kept { directory: directory.to_path_buf(), state: Mutex::new(state) })
    }

    /// The present state.
    pub fn state(&self) -> KeptState {
        self.lock().clone()
    }

    /// Changes the state, on disk first. Returns the old one.
    pub fn change(&self, change: impl FnOnce(&mut KeptState)) -> Result<KeptState, KeptError> {
        let mut state = self.lock();
        let mut new = state.clone();
        change(&mut new);
        if *state == new {
            return Ok(new);
        }
        self.write(&new)?;
        Ok(std::mem::replace(&mut *state, new))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, KeptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, state: &KeptState) -> Result<(), KeptError> {
        let path = self.directory.join(FILE);
        let text = toml::to_string(state)
            .map_err(|error| KeptError::Damaged { path: path.clone(), message: error.to_string() })?;
        let fresh = self.directory.join("system.toml.new");
        let io_error = |source| KeptError::Io { path: path.clone(), source };
        fs::create_dir_all(&self.directory).map_err(io_error)?;
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(&fresh).map_err(io_error)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(io_error)?;
        fs::rename(&fresh, &path).map_err(io_error)?;
        File::open(&self.directory).and_then(|directory| directory.sync_all()).map_err(io_error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_outlives_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("not-yet-there");
        let kept = Kept::open(&place).unwrap();
        assert_eq!(kept.state(), KeptState::default());
        let new = KeptState { sys_contact: Some("a \"b\"\nc".into()), ..KeptState::default() };
        assert_eq!(kept.change(|state| *state = new.clone()).unwrap(), KeptState::default());
        assert_eq!(Kept::open(&place).unwrap().state(), new);
    }

    #[test]
    fn a_damaged_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(FILE), "sys_contact = [").unwrap();
        let error = Kept::open(directory.path()).unwrap_err();
        assert!(error.to_string().contains("system.toml"), "{error}");
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_an_error_and_changes_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let kept = Kept::open(&file.path().with_file_name("no-such-state")).unwrap();
        let blocked = Kept { directory: file.path().join("below-a-file"), state: Mutex::default() };
        let written = blocked.change(|state| state.sys_name = Some("x".into()));
        assert!(matches!(written, Err(KeptError::Io { .. })));
        assert_eq!(blocked.state(), KeptState::default());
        drop(kept);
    }
}

//! The values of the system and snmp groups that managers have set.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::state_file::{Readers, StateError, StateFile};

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
    /// Takes over the data of `new`.
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

/// The kept state and its file, `system.toml`.
pub type Kept = StateFile<KeptState>;

impl Kept {
    /// Reads the state; a missing file is an empty state. Creates nothing.
    pub fn open(directory: &Path) -> Result<Self, StateError> {
        StateFile::open_named(directory, "system.toml", Readers::Anybody)
    }
}

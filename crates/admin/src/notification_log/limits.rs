//! The limits of all logs together: two scalars that outlive a restart.

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use trunkline_tree::{SetCheck, SetError, SetTransaction};

use super::NotificationLog;
use crate::state_file::StateFile;

/// nlmConfigGlobalEntryLimit and nlmConfigGlobalAgeOut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Limits {
    /// The most entries of all logs together; 0: no separate limit.
    pub entries: u32,
    /// How old an entry may become, in minutes; 0: any age.
    pub age_out_minutes: u32,
}

impl Default for Limits {
    /// RFC 3014: no limit, a day.
    fn default() -> Self {
        Limits { entries: 0, age_out_minutes: 1440 }
    }
}

/// A set of the limits that has passed the first phase.
pub(super) struct LimitsChange {
    pub file: Arc<StateFile<Limits>>,
    pub log: NotificationLog,
    pub binding: usize,
    pub new: Limits,
    pub old: Option<Limits>,
}

impl LimitsChange {
    fn put(&self, limits: Limits) -> Result<Limits, SetError> {
        let old = self.file.replace(limits).map_err(|error| SetError {
            binding: self.binding,
            check: SetCheck::CommitFailed,
            reason: error.to_string(),
        })?;
        self.log.set_limits(limits, Instant::now());
        Ok(old)
    }
}

impl SetTransaction for LimitsChange {
    fn commit(&mut self) -> Result<(), SetError> {
        self.old = Some(self.put(self.new)?);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        match self.old.take() {
            Some(old) => self.put(old).map(drop),
            None => Ok(()),
        }
    }
}

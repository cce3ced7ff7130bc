//! The limits that managers set, mteResourceSampleMinimum and mteResourceSampleInstanceMaximum: two scalars that
//! outlive a restart.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use trunkline_admin::StateFile;
use trunkline_tree::{SetCheck, SetError, SetTransaction};

use crate::shared::Shared;

/// The two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct Limits {
    /// The least mteTriggerFrequency, in seconds.
    pub least_frequency: i32,
    /// How many instances are sampled; 0: as many as the configuration admits.
    pub instances: u32,
}

impl Default for Limits {
    /// RFC 2981: 1 and 0, unless resources are short.
    fn default() -> Self {
        Limits { least_frequency: 1, instances: 0 }
    }
}

/// A set of them that has passed the first phase.
pub(crate) struct LimitsChange {
    pub file: Arc<StateFile<Limits>>,
    pub shared: Arc<Shared>,
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
        self.shared.limit(limits);
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

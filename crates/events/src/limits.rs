//! The limits that managers set, mteResourceSampleMinimum and mteResourceSampleInstanceMaximum: two scalars that
//! outlive a restart. How such limits change, together with rows, is the same for DISMAN-EXPRESSION-MIB.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use trunkline_admin::StateFile;
use trunkline_admin::rows::RowChange;
use trunkline_tree::{SetCheck, SetError, SetTransaction};

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

/// A set of limits that has passed the first phase.
pub(crate) struct LimitsChange<L> {
    pub file: Arc<StateFile<L>>,
    /// Applies them.
    pub apply: Box<dyn Fn(L) + Send + Sync>,
    pub binding: usize,
    pub new: L,
    pub old: Option<L>,
}

impl<L: Copy + Default + PartialEq + Serialize + DeserializeOwned> LimitsChange<L> {
    fn put(&self, limits: L) -> Result<L, SetError> {
        let old = self.file.replace(limits).map_err(|error| SetError {
            binding: self.binding,
            check: SetCheck::CommitFailed,
            reason: error.to_string(),
        })?;
        (self.apply)(limits);
        Ok(old)
    }
}

impl<L: Copy + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync> SetTransaction
    for LimitsChange<L>
{
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

/// A set of limits and rows that has passed the first phase.
pub(crate) struct TablesChange<L> {
    pub limits: Option<LimitsChange<L>>,
    pub rows: Option<RowChange>,
}

impl<L: Copy + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync> SetTransaction
    for TablesChange<L>
{
    fn commit(&mut self) -> Result<(), SetError> {
        self.limits.as_mut().map_or(Ok(()), SetTransaction::commit)?;
        self.rows.as_mut().map_or(Ok(()), SetTransaction::commit)
    }

    fn undo(&mut self) -> Result<(), SetError> {
        self.rows.as_mut().map_or(Ok(()), SetTransaction::undo)?;
        self.limits.as_mut().map_or(Ok(()), SetTransaction::undo)
    }
}

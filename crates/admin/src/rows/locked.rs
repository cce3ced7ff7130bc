//! A set of rows and of the TestAndIncr that guards them, as one change.

use std::sync::Arc;

use trunkline_tree::policy::Principal;
use trunkline_tree::{SetError, SetItem, SetTransaction};

use super::{RowChange, RowStore};
use crate::spin_lock::{Increment, SpinLock};

/// A set that has passed the first phase.
pub struct LockedChange {
    increment: Option<Increment>,
    rows: Option<RowChange>,
}

impl LockedChange {
    /// First phase: the scalar called `lock_name`, and rows of a store.
    pub fn prepare(
        store: &Arc<RowStore>,
        (lock_name, lock): (&str, &SpinLock),
        items: &[SetItem<'_>],
        principal: Option<&Principal<'_>>,
    ) -> Result<Self, SetError> {
        let (locks, rows): (Vec<SetItem<'_>>, Vec<SetItem<'_>>) =
            items.iter().partition(|item| item.name == lock_name);
        let increment = locks.first().map(|item| lock.prepare(item)).transpose()?;
        let rows = (!rows.is_empty()).then(|| store.prepare(&rows, principal)).transpose()?;
        Ok(LockedChange { increment, rows })
    }
}

impl SetTransaction for LockedChange {
    fn commit(&mut self) -> Result<(), SetError> {
        self.increment.as_mut().map_or(Ok(()), Increment::commit)?;
        self.rows.as_mut().map_or(Ok(()), SetTransaction::commit)
    }

    fn undo(&mut self) -> Result<(), SetError> {
        if let Some(increment) = &mut self.increment {
            increment.undo();
        }
        self.rows.as_mut().map_or(Ok(()), SetTransaction::undo)
    }
}

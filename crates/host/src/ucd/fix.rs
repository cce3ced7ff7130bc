//! prErrFix and extErrFix: set to 1 they run the fix command of their row.

use trunkline_smi::ValueRef;
use trunkline_tree::{SetCheck, SetError, SetItem, SetTransaction};

use crate::programs::{Fix, Programs};

/// Commands that are to be run.
struct Transaction {
    programs: Programs,
    fixes: Vec<(usize, Fix)>,
}

/// First phase. `fix_of` returns the command of a row, counted from 0: `None` if there is no such row, and
/// `Some(None)` if it has none.
pub(super) fn prepare(
    programs: &Programs,
    items: &[SetItem<'_>],
    object: &str,
    fix_of: impl Fn(usize) -> Option<Option<Fix>>,
) -> Result<Box<dyn SetTransaction>, SetError> {
    let mut fixes = Vec::new();
    for item in items {
        let refuse =
            |check, reason: &str| Err(SetError { binding: item.binding, check, reason: reason.into() });
        if item.name != object {
            return refuse(SetCheck::NotWritable, "only the fix can be set");
        }
        let row = item.index.first().and_then(|index| (*index as usize).checked_sub(1));
        match row.and_then(&fix_of) {
            None => return refuse(SetCheck::NoCreation, "rows come only from the configuration"),
            Some(_) if item.value != ValueRef::Integer(1) => {} // 0 is its value already
            Some(None) => {
                return refuse(SetCheck::InconsistentValue, "the configuration has no fix for this row");
            }
            Some(Some(fix)) => fixes.push((item.binding, fix)),
        }
    }
    Ok(Box::new(Transaction { programs: programs.clone(), fixes }))
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        for (binding, fix) in self.fixes.drain(..) {
            let started = self.programs.fix(fix);
            started.map_err(|error| {
                let reason = format!("cannot start a thread for a fix command: {error}");
                SetError { binding, check: SetCheck::CommitFailed, reason }
            })?;
        }
        Ok(())
    }

    /// A fix cannot be undone, and none of our own state has changed.
    fn undo(&mut self) -> Result<(), SetError> {
        Ok(())
    }
}

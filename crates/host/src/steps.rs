//! Steps of a transaction over the kernel: carried out in order, undone in the other.

use trunkline_tree::SetError;

/// Steps, and how many of them were carried out.
pub(crate) struct Steps<S> {
    all: Vec<S>,
    applied: usize,
}

impl<S> Steps<S> {
    pub fn new(all: Vec<S>) -> Self {
        Steps { all, applied: 0 }
    }

    /// Carries them out, up to the first that fails.
    pub fn commit(&mut self, mut apply: impl FnMut(&S) -> Result<(), SetError>) -> Result<(), SetError> {
        for step in &self.all {
            apply(step)?;
            self.applied += 1;
        }
        Ok(())
    }

    /// Undoes every step that was carried out, the last first, despite any failures.
    pub fn undo(&mut self, mut revert: impl FnMut(&S) -> Result<(), SetError>) -> Result<(), SetError> {
        let mut outcome = Ok(());
        for step in self.all[..std::mem::take(&mut self.applied)].iter().rev() {
            outcome = revert(step).and(outcome);
        }
        outcome
    }
}

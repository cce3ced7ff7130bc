//! Steps of a transaction over the kernel: carried out in order, undone in the other.

use trunkline_tree::SetError;

/// Steps, and which of them changed something.
pub(crate) struct Steps<S> {
    all: Vec<S>,
    changed: Vec<bool>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// What it was to do.
    Changed,
    /// Nothing: it was so before.
    WasSo,
}

impl<S> Steps<S> {
    pub fn new(all: Vec<S>) -> Self {
        Steps { all, changed: Vec::new() }
    }

    /// All of them.
    pub fn all(&self) -> &[S] {
        &self.all
    }

    /// Carries them out, up to the first that fails.
    pub fn commit(&mut self, mut apply: impl FnMut(&S) -> Result<Done, SetError>) -> Result<(), SetError> {
        for step in &self.all {
            self.changed.push(apply(step)? == Done::Changed);
        }
        Ok(())
    }

    /// Undoes every step that changed something, the last first, despite any failures.
    pub fn undo(&mut self, mut revert: impl FnMut(&S) -> Result<Done, SetError>) -> Result<(), SetError> {
        let mut outcome = Ok(());
        let changed = std::mem::take(&mut self.changed);
        let done = self.all.iter().zip(changed).filter(|(_, changed)| *changed).map(|(step, _)| step);
        for step in done.collect::<Vec<_>>().into_iter().rev() {
            outcome = revert(step).map(drop).and(outcome);
        }
        outcome
    }
}

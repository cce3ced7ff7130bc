//! What went wrong with each expression (expErrorTable, expExpressionErrors).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use trunkline_expression::Fault;

/// The errors, by the index of the expression's row.
#[derive(Debug, Default)]
pub(super) struct Errors(Mutex<BTreeMap<Vec<u32>, Error>>);

/// What is known of one expression's errors.
#[derive(Clone, Debug)]
pub(super) struct Error {
    /// The last one.
    pub fault: Fault,
    /// When.
    pub at: Instant,
    /// Where: expValueInstance, or nothing.
    pub instance: Vec<u32>,
    /// How many there were while it was evaluated.
    pub count: u32,
}

/// Of refused expressions of rows that do not exist nothing is kept; of others as many as there may be rows.
const MOST: usize = 4000;

impl Errors {
    /// A text was refused.
    pub fn refused(&self, index: &[u32], fault: Fault, at: Instant) {
        self.note(index, fault, Vec::new(), at, 0);
    }

    /// An evaluation failed.
    pub fn failed(&self, index: &[u32], fault: Fault, instance: Vec<u32>, at: Instant) {
        self.note(index, fault, instance, at, 1);
    }

    /// What is known of an expression.
    pub fn of(&self, index: &[u32]) -> Option<Error> {
        self.lock().get(index).cloned()
    }

    /// Keeps those of rows that there are.
    pub fn retain(&self, exists: impl Fn(&[u32]) -> bool) {
        self.lock().retain(|index, _| exists(index));
    }

    fn note(&self, index: &[u32], fault: Fault, instance: Vec<u32>, at: Instant, more: u32) {
        let mut errors = self.lock();
        if errors.len() >= MOST && !errors.contains_key(index) {
            return;
        }
        let count = errors.get(index).map_or(0, |known| known.count).wrapping_add(more);
        errors.insert(index.to_vec(), Error { fault, at, instance, count });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u32>, Error>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

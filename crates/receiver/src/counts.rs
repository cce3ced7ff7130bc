//! What has become of notifications.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counters of one action.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub done: AtomicU64,
    pub failed: AtomicU64,
    pub dropped: AtomicU64,
}

impl Counts {
    pub(crate) fn done(&self) {
        self.done.fetch_add(1, Relaxed);
    }

    pub(crate) fn failed(&self) {
        self.failed.fetch_add(1, Relaxed);
    }
}

/// What has become of the notifications of one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCounts {
    /// The rule and the action.
    pub name: String,
    /// Programs that ended with success, notifications that were sent, confirmed or written.
    pub done: u64,
    /// Those that failed or were killed.
    pub failed: u64,
    /// Those for which the queue had no room.
    pub dropped: u64,
}

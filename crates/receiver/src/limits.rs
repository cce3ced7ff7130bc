//! What the actions may use at most.

use std::time::Duration;

/// Bounds of the actions.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Programs that run at once.
    pub programs: usize,
    /// Notifications that wait in each queue: one for all programs, and one for each receiver.
    pub waiting: usize,
    /// How long a program may run.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { programs: 8, waiting: 1000, timeout: Duration::from_secs(30) }
    }
}

//! Telling of failures: at once, and then no oftener than once a minute, so that those who ask cannot fill the log.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What one source has failed at.
#[derive(Debug, Default)]
pub struct Complaints {
    told: Mutex<(Option<Instant>, u32)>,
}

impl Complaints {
    /// Tells of a failure of `who`.
    pub fn tell(&self, who: &str, failure: impl Display) {
        let now = Instant::now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.0.is_some_and(|told| now.saturating_duration_since(told) < EVERY) {
            told.1 = told.1.saturating_add(1);
            return;
        }
        let untold = told.1;
        *told = (Some(now), 0);
        tracing::warn!(who, %failure, untold, "a request gets no good answer");
    }
}

const EVERY: Duration = Duration::from_secs(60);

//! How long to wait for an answer, and how often to ask again.

use std::time::Duration;

/// How long to wait for an answer, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The wait after the first sending.
    pub timeout: Duration,
    /// How often a request is sent again when no answer comes.
    pub retries: u32,
    /// How the wait grows.
    pub backoff: Backoff,
}

/// How the wait for an answer grows from one sending of a request to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    /// Not at all, as with Net-SNMP.
    #[default]
    Fixed,
    /// It doubles each time.
    Double,
}

impl Patience {
    pub(crate) fn wait(&self, attempt: u32) -> Duration {
        match self.backoff {
            Backoff::Fixed => self.timeout,
            Backoff::Double => self.timeout.saturating_mul(1 << attempt.saturating_sub(1).min(16)),
        }
    }

    /// The wait over all attempts.
    pub(crate) fn whole(&self) -> Duration {
        (1..=self.retries.saturating_add(1)).take(64).map(|attempt| self.wait(attempt)).sum()
    }
}

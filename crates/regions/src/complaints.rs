//! Reports of failures: at once, and then at most once a minute, so that clients cannot fill the log.

use std::fmt::Display;

use trunkline_transport::LogLimit;

/// What one source has failed at.
#[derive(Debug)]
pub struct Complaints(LogLimit);

impl Default for Complaints {
    fn default() -> Self {
        Complaints(LogLimit::for_failures())
    }
}

impl Complaints {
    /// Reports a failure of `who`, at a question about `object`, if there is one.
    pub fn tell(&self, who: &str, object: Option<&str>, failure: impl Display) {
        if let Some(untold) = self.0.admit() {
            tracing::warn!(who, object, %failure, untold, "a request fails");
        }
    }
}

//! How devices are served, and the namespace of what they are sent.

use std::time::Duration;

/// How.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many devices are served at the same time.
    pub parallel: usize,
    /// How long a device may be silent.
    pub timeout: Duration,
    /// How long a device may take in all, however often it says something: see [`Options::whole_time`].
    pub deadline: Duration,
    /// Whether everything is sent, also what was acknowledged: for a device that has lost it.
    pub whole: bool,
}

impl Options {
    /// The whole time of a device that may be silent for `timeout`: six times that, and never less than 15 s, since it is waited that
    /// another lock ends.
    #[must_use]
    pub fn whole_time(timeout: Duration) -> Duration {
        timeout.saturating_mul(6).max(SHORTEST)
    }
}

/// The namespace of NETCONF's operations.
pub(crate) const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
/// The least time of a device.
const SHORTEST: Duration = Duration::from_secs(15);

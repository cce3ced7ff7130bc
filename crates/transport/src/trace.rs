//! Observing each message as it passes: for byte meters, captures and `--octets`.

use std::time::Instant;

/// Receives every message of a session, in both directions, as raw octets without transport headers. Called on the
/// session's task: must not block.
pub trait Observer: Send + Sync {
    /// A message is about to be passed to the transport.
    fn sent(&self, octets: &[u8], at: Instant);
    /// A message arrived; whether it is valid is not known yet.
    fn received(&self, octets: &[u8], at: Instant);
}

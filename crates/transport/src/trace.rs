//! Seeing each message as it passes: for byte meters, captures and `--octets`.

use std::time::Instant;

/// Is shown every message of a session, both ways, as raw octets without the
/// transport's own headers. Called on the session's task: must not block.
pub trait Observer: Send + Sync {
    /// A message is about to be given to the transport.
    fn sent(&self, octets: &[u8], at: Instant);
    /// A message came in; whether it is any good is not known yet.
    fn received(&self, octets: &[u8], at: Instant);
}

//! Streams of octets, whatever carries them.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use crate::ending::Ending;

/// A stream of any kind to a peer.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Ends a stream in order: says so, and waits until the peer has ended it too. Ends after [`PARTING`] at the latest, also if
/// the peer does not read.
pub async fn part(stream: impl Stream) {
    // An error is an end as well.
    let _ = timeout(PARTING, Ending::of(stream).shutdown()).await;
}

/// The longest wait for the end of a session's other side.
pub const PARTING: Duration = Duration::from_secs(1);

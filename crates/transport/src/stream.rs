//! Streams of octets, whatever carries them.

use tokio::io::{AsyncRead, AsyncWrite};

/// A stream to a peer, of whatever kind.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

//! Streams of octets, whatever carries them.

use tokio::io::{AsyncRead, AsyncWrite};

/// A stream of any kind to a peer.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

//! Streams of octets, whatever carries them.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// A stream of any kind to a peer.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Ends a stream in order: says so, and waits until the peer has ended it too. What the peer still sends, such as its
/// close_notify, would otherwise meet a closed socket, which answers with a reset. Ends after [`PARTING`] at the latest.
pub async fn part(mut stream: impl Stream) {
    let parting = async {
        stream.shutdown().await?;
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    };
    // An error is an end as well.
    let _ = timeout(PARTING, parting).await;
}

/// The longest wait for the end of a session's other side.
pub const PARTING: Duration = Duration::from_secs(1);

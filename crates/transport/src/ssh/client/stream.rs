//! The stream of a client's channel.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use russh::ChannelStream;
use russh::client::Msg;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connect::Session;

/// A subsystem's channel, and its connection, which it uses alone. Each write is sent as one packet if the server
/// accepts packets of that size. On drop, written data is still sent; then the connection ends.
pub struct SshStream {
    channel: ChannelStream<Msg>,
    /// The library ends the session when this and the channel are dropped.
    _session: Session,
}

impl SshStream {
    pub(super) const fn new(channel: ChannelStream<Msg>, session: Session) -> Self {
        Self { channel, _session: session }
    }
}

impl std::fmt::Debug for SshStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SshStream").finish_non_exhaustive()
    }
}

impl AsyncRead for SshStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.channel).poll_read(cx, buffer)
    }
}

impl AsyncWrite for SshStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, octets: &[u8]) -> Poll<io::Result<usize>> {
        if octets.is_empty() {
            return Poll::Ready(Ok(0));
        }
        Pin::new(&mut self.channel).poll_write(cx, octets)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.channel).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.channel).poll_shutdown(cx)
    }
}

//! The stream of a client's channel.

use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};

use russh::client::Msg;
use russh::{ChannelStream, Disconnect};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connect::Session;

/// A subsystem's channel, and its connection, which it uses alone. Each write is sent as one packet if the server
/// accepts packets of that size. On drop, written data is still sent; then the connection ends, with a disconnect message if the
/// server has closed the channel.
pub struct SshStream {
    channel: ChannelStream<Msg>,
    /// The library ends the session when this and the channel are dropped.
    session: Session,
    /// The server sends no more.
    ended: bool,
}

impl SshStream {
    pub(super) const fn new(channel: ChannelStream<Msg>, session: Session) -> Self {
        Self { channel, session, ended: false }
    }
}

impl std::fmt::Debug for SshStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SshStream").finish_non_exhaustive()
    }
}

impl Drop for SshStream {
    /// RFC 4253 section 11.1. While the channel is open, data may wait in the library, which a disconnect would overtake.
    fn drop(&mut self) {
        if self.ended {
            let bye = pin!(self.session.disconnect(Disconnect::ByApplication, "", ""));
            // The library takes it at once, or the connection ends without it.
            let _ = bye.poll(&mut Context::from_waker(Waker::noop()));
        }
    }
}

impl AsyncRead for SshStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.channel).poll_read(cx, buffer));
        self.ended = buffer.filled().len() == before && buffer.remaining() > 0;
        Poll::Ready(read)
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

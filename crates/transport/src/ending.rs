//! The end of a session's stream.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::stream::{PARTING, Stream};

/// A stream whose shutdown also waits for the peer's. What the peer still sends, a close_notify of TLS or the close of its
/// channel after the end of it (SSH, RFC 4254 section 5.3), would otherwise meet a closed socket, which answers with a
/// reset. The wait ends after [`PARTING`] at the latest.
pub(crate) struct Ending<S> {
    stream: S,
    /// Our side is shut down, and the wait ends at this time.
    until: Option<Pin<Box<Sleep>>>,
}

impl<S> Ending<S> {
    pub(crate) const fn of(stream: S) -> Self {
        Ending { stream, until: None }
    }
}

impl<S: Stream> AsyncRead for Ending<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: Stream> AsyncWrite for Ending<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, octets: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, octets)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Ending { stream, until } = &mut *self;
        if until.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
        }
        let until = until.get_or_insert_with(|| Box::pin(sleep(PARTING)));
        let mut rest = [0; 1024];
        loop {
            let mut buffer = ReadBuf::new(&mut rest);
            match Pin::new(&mut *stream).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {}
                // An error is an end as well.
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => return until.as_mut().poll(cx).map(Ok),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn what_the_server_sends_after_our_end_is_still_read() {
        let (ours, mut server) = duplex(64);
        let mut ours = Ending::of(ours);
        let serve = async move {
            let mut asked = Vec::new();
            server.read_to_end(&mut asked).await.unwrap();
            // More than the pipe holds: it is taken only if somebody reads.
            server.write_all(&[7; 500]).await.unwrap();
            asked
        };
        let end = async {
            ours.write_all(b"bye").await.unwrap();
            ours.shutdown().await.unwrap();
        };
        let (asked, ()) = tokio::join!(serve, end);
        assert_eq!(asked, b"bye");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_end_is_not_waited_for_longer_than_a_second() {
        let (ours, server) = duplex(64);
        let begin = tokio::time::Instant::now();
        Ending::of(ours).shutdown().await.unwrap();
        assert!(begin.elapsed() >= PARTING && begin.elapsed() < 2 * PARTING, "{:?}", begin.elapsed());
        drop(server);
    }
}

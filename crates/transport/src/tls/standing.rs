//! A session whose client showed a certificate: it ends when a later configuration does not accept that certificate any more.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch::Receiver;

use super::trust::Trust;

/// Where the trust of the configuration that is in force comes from.
pub(super) type Trusted = Receiver<Arc<Trust>>;

/// A server's stream.
pub struct Standing<T> {
    stream: T,
    /// `None`: the client showed nothing.
    certificate: Option<Certificate>,
}

struct Certificate {
    chain: Arc<[Vec<u8>]>,
    change: Pin<Box<dyn Future<Output = Option<Trusted>> + Send + Sync>>,
    is_refused: bool,
}

impl<T> Standing<T> {
    /// A stream whose client showed this chain.
    pub(super) fn new(stream: T, shown: Option<(Arc<[Vec<u8>]>, Trusted)>) -> Self {
        let certificate = shown.map(|(chain, trusted)| Certificate {
            chain,
            change: Box::pin(change_of(trusted)),
            is_refused: false,
        });
        Self { stream, certificate }
    }

    pub(super) const fn inner(&self) -> &T {
        &self.stream
    }

    /// Whether the client's certificate still counts; when it does not any more, the task is woken.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let Some(certificate) = &mut self.certificate else { return Ok(()) };
        while !certificate.is_refused
            && let Poll::Ready(changed) = certificate.change.as_mut().poll(cx)
        {
            let Some(mut trusted) = changed else {
                // The server is gone: nothing changes any more.
                self.certificate = None;
                return Ok(());
            };
            let trust = Arc::clone(&trusted.borrow_and_update());
            certificate.is_refused = !trust.still_accepts(&certificate.chain);
            certificate.change = Box::pin(change_of(trusted));
        }
        match certificate.is_refused {
            true => Err(io::Error::new(io::ErrorKind::ConnectionAborted, Refused)),
            false => Ok(()),
        }
    }
}

/// The next change; `None`: there is none any more.
async fn change_of(mut trusted: Trusted) -> Option<Trusted> {
    trusted.changed().await.ok().map(|()| trusted)
}

/// Why a session has ended.
#[derive(Debug, thiserror::Error)]
#[error("the client's certificate is not accepted any more")]
struct Refused;

impl<T: AsyncRead + Unpin> AsyncRead for Standing<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Standing<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

//! A TLS stream with meaningful errors, which ends like any other stream.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustls::{CommonState, HandshakeKind, ProtocolVersion};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::TlsVersion;
use super::fault::TlsFault;
use crate::session::Protection;

/// A TLS session as a stream of octets.
///
/// Its errors contain a [`TlsFault`] if the peer or the protocol is at fault: a TLS 1.3 server that refuses our
/// certificate reports it only on the first read. If the peer closes without `close_notify`, the stream just ends:
/// messages contain their own length, so a truncation is always noticed.
pub struct TlsStream<T>(T);

/// A client's end.
pub type ClientStream = TlsStream<tokio_rustls::client::TlsStream<TcpStream>>;

impl<T> TlsStream<T> {
    pub(super) const fn new(inner: T) -> Self {
        Self(inner)
    }
}

impl ClientStream {
    /// Whether the session was resumed.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        self.0.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// The version of TLS.
    #[must_use]
    pub fn version(&self) -> Option<TlsVersion> {
        match self.0.get_ref().1.protocol_version()? {
            ProtocolVersion::TLSv1_3 => Some(TlsVersion::V1_3),
            ProtocolVersion::TLSv1_2 => Some(TlsVersion::V1_2),
            _ => None,
        }
    }

    /// The name of the cipher suite.
    #[must_use]
    pub fn suite(&self) -> Option<String> {
        let suite = self.0.get_ref().1.negotiated_cipher_suite()?.suite();
        Some(suite.as_str().map_or_else(|| format!("{suite:?}"), str::to_owned))
    }
}

impl ClientStream {
    /// Whether this protocol was negotiated (RFC 7301).
    pub(crate) fn speaks(&self, protocol: &[u8]) -> bool {
        self.0.get_ref().1.alpn_protocol() == Some(protocol)
    }
}

impl super::ServerStream {
    /// Whether this protocol was negotiated (RFC 7301).
    pub(crate) fn speaks(&self, protocol: &[u8]) -> bool {
        self.inner().0.get_ref().1.alpn_protocol() == Some(protocol)
    }
}

/// How a session protects its octets.
pub(super) fn protection(state: &CommonState) -> Protection {
    match state.negotiated_cipher_suite() {
        Some(suite) if super::integrity::is_one(suite) => Protection::Integrity,
        _ => Protection::Encrypted,
    }
}

fn readable(error: io::Error) -> io::Error {
    let kind = error.kind();
    match TlsFault::of_stream(error) {
        Ok(fault) => io::Error::new(kind, fault),
        Err(error) => error,
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for TlsStream<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(match ready!(Pin::new(&mut self.0).poll_read(cx, buf)) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
            read => read.map_err(readable),
        })
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for TlsStream<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf).map_err(readable)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, bufs).map_err(readable)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx).map_err(readable)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx).map_err(readable)
    }
}

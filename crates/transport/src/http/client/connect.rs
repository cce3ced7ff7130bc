//! From addresses to a link.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use http::HeaderValue;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::bounded::Bounded;
use super::error::fault_of;
use super::observed::Observed;
use super::{HttpLink, HttpVersion, LinkOptions, Place, Sender};
use crate::Transport;
use crate::dial;
use crate::error::TransportError;
use crate::http::compress::Compressors;
use crate::session::SessionInfo;
use crate::stream::{Stream, part};
use crate::tcp::HandshakeError;
use crate::tls::TlsFault;

/// A connection to the first address that accepts one.
pub(super) async fn connect(place: Place<'_>, options: LinkOptions) -> Result<HttpLink, TransportError> {
    let kind = if place.tls.is_some() { "https" } else { "http" };
    let nowhere = (Ipv4Addr::UNSPECIFIED, 0).into();
    let mut failure =
        TransportError::Connect { kind, address: nowhere, source: io::ErrorKind::AddrNotAvailable.into() };
    for &address in place.addresses {
        match connect_one(address, &place, &options).await {
            Ok(link) => return Ok(link),
            // Another address is the same server, with the same certificate.
            Err(error @ TransportError::Tls { .. }) => return Err(error),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

async fn connect_one(
    address: SocketAddr,
    place: &Place<'_>,
    options: &LinkOptions,
) -> Result<HttpLink, TransportError> {
    let kind = if place.tls.is_some() { "https" } else { "http" };
    let failed = |source| TransportError::Connect { kind, address, source };
    let stream = dial::tcp(&[address], options.connect_time).await.map_err(|error| match error {
        TransportError::Connect { source, .. } => failed(source),
        error => error,
    })?;
    let Some((client, server)) = place.tls else {
        let local = stream.local_addr().map_err(failed)?;
        let info = SessionInfo::plain(Transport::Http, address, local);
        return link(stream, info, false, place, options).await.map_err(failed);
    };
    let protocols: &[&[u8]] = match options.version {
        HttpVersion::One => &[b"http/1.1"],
        HttpVersion::Two => &[b"h2"],
    };
    let shaking = client.handshake_for(stream, server, Transport::Https, protocols);
    let shaken = timeout(options.connect_time, shaking).await.unwrap_or(Err(HandshakeError::TimedOut));
    let (stream, info) = shaken.map_err(|error| dial::failed_handshake(kind, address, error))?;
    if options.version == HttpVersion::Two && !stream.speaks(b"h2") {
        return Err(failed(io::Error::new(io::ErrorKind::Unsupported, "the server does not speak HTTP/2")));
    }
    let resumed = stream.is_resumed();
    link(stream, info, resumed, place, options).await.map_err(failed)
}

async fn link<S>(
    stream: S,
    info: SessionInfo,
    resumed: bool,
    place: &Place<'_>,
    options: &LinkOptions,
) -> io::Result<HttpLink>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let authority = HeaderValue::from_str(place.authority)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "no host name has these characters"))?;
    let (sender, driver) = match &options.observer {
        Some(observer) => drive(Observed::new(stream, observer.clone()), &info, options).await?,
        None => drive(stream, &info, options).await?,
    };
    let accept = options.accept.iter().map(|coding| coding.name()).collect::<Vec<_>>().join(", ");
    Ok(HttpLink {
        sender,
        driver: Some(driver),
        is_busy: false,
        info,
        resumed,
        authority,
        accept: HeaderValue::from_str(&accept).ok().filter(|accept| !accept.is_empty()),
        compressors: options.compress.map(|coding| (coding, Compressors::new(options.level))),
        options: options.clone(),
    })
}

/// A separate task moves the bytes.
async fn drive<S>(
    stream: S,
    info: &SessionInfo,
    options: &LinkOptions,
) -> io::Result<(Sender, JoinHandle<Option<TlsFault>>)>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    match options.version {
        HttpVersion::One => {
            let most = options.max_answer.saturating_mul(2).saturating_add(HEADS);
            let stream = TokioIo::new(Bounded::new(stream, most));
            let (sender, connection) = http1::handshake(stream).await.map_err(io::Error::other)?;
            let is_secure = info.transport == Transport::Https;
            let driver = tokio::spawn(async move {
                match connection.without_shutdown().await {
                    Ok(parts) => {
                        finish(parts.io.into_inner(), is_secure).await;
                        None
                    }
                    Err(error) => ended(Err(error)),
                }
            });
            Ok((Sender::One(sender), driver))
        }
        HttpVersion::Two => {
            let stream = TokioIo::new(stream);
            let mut builder = http2::Builder::new(TokioExecutor::new());
            // Wide enough that the round-trip time does not slow down a long answer.
            builder.initial_stream_window_size(WINDOW).initial_connection_window_size(WINDOW);
            builder.timer(TokioTimer::new());
            let (sender, connection) = builder.handshake(stream).await.map_err(io::Error::other)?;
            Ok((Sender::Two(sender), tokio::spawn(async move { ended(connection.await) })))
        }
    }
}

/// Ends the stream; the answer to a close_notify is awaited.
async fn finish(mut stream: impl Stream, is_secure: bool) {
    if is_secure {
        part(stream).await;
    } else {
        let _ = stream.shutdown().await;
    }
}

/// A caller that waits for an answer gets the error too; one that asks later, the fault of TLS.
fn ended(end: hyper::Result<()>) -> Option<TlsFault> {
    let error = end.err()?;
    tracing::debug!(%error, "a connection to a server of HTTP failed");
    fault_of(&error)
}

const WINDOW: u32 = 1 << 20;
/// Octets of heads, interim ones included; how a body is cut into chunks may double it.
const HEADS: usize = 1 << 20;

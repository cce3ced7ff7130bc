//! The listening socket of HTTP. Connections are counted and limited as by [`TcpServer`], which accepts them.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::connection::{Spoken, serve};
use super::counters::HttpCounters;
use super::guard::Line;
use super::limits::HttpLimits;
use super::message::HttpHandler;
use super::service::House;
use crate::error::TransportError;
use crate::resources::Resources;
use crate::service::{Guest, Visit};
use crate::session::SessionInfo;
use crate::tcp::{Ends, Greeter, HandshakeError, TcpServer};
use crate::tls::TlsServer;
use crate::{Closing, Transport};

/// A listening HTTP server socket.
pub struct HttpServer {
    socket: TcpServer,
    counters: Arc<HttpCounters>,
}

impl HttpServer {
    /// Binds to `address` and listens; port 0 lets the kernel choose. An IPv6 socket accepts IPv6 only. Needs no
    /// runtime yet.
    ///
    /// # Errors
    /// [`TransportError::Bind`] if the address is in use, not ours or forbidden.
    pub fn bind(address: SocketAddr) -> Result<Self, TransportError> {
        let socket = TcpServer::bind(address)?;
        let counters = Arc::new(HttpCounters::of(socket.counters()));
        Ok(Self { socket, counters })
    }

    /// The same server, sharing these resources with other listeners.
    #[must_use]
    pub fn sharing(self, resources: Arc<Resources>) -> Self {
        Self { socket: self.socket.sharing(resources), ..self }
    }

    /// The bound address with its real port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.socket.local_addr()
    }

    /// The server's counters, shared with it.
    #[must_use]
    pub fn counters(&self) -> Arc<HttpCounters> {
        Arc::clone(&self.counters)
    }

    /// Accepts and serves connections: HTTPS with `tls`, whose configuration should contain [`super::PROTOCOLS`]
    /// and say whether clients need certificates. HTTP/1.1 and HTTP/2, whichever the peer begins with. Dropping
    /// the future closes the socket and all connections.
    ///
    /// # Errors
    /// [`TransportError::Socket`] if the socket cannot be registered with the runtime; after that it only ends by
    /// being dropped.
    pub async fn serve<H: HttpHandler>(
        self,
        handler: Arc<H>,
        limits: HttpLimits,
        tls: Option<Arc<TlsServer>>,
    ) -> Result<(), TransportError> {
        let house = House::new(Arc::clone(&handler), limits, self.counters);
        let reception = Reception { house: Arc::new(house), handler, tls };
        self.socket.serve(reception, limits.of_connections()).await
    }
}

/// Serves one connection until it ends, over a stream that need not be a socket: in cleartext, HTTP/1.1 and
/// HTTP/2, under the same limits as a server. The caller limits the number of connections.
pub async fn serve_stream<S, H>(
    stream: S,
    info: SessionInfo,
    handler: Arc<H>,
    limits: HttpLimits,
    counters: Arc<HttpCounters>,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    H: HttpHandler,
{
    let line = Line::new(limits, counters.connections.clone(), &Resources::default(), Arc::default());
    serve(stream, Spoken::Unknown, info, line, Arc::new(House::new(handler, limits, counters))).await;
}

/// Turns TCP connections into HTTP connections.
struct Reception<H> {
    house: Arc<House<H>>,
    handler: Arc<H>,
    tls: Option<Arc<TlsServer>>,
}

impl<H: HttpHandler> Greeter for Reception<H> {
    fn transport(&self) -> Transport {
        if self.tls.is_some() { Transport::Https } else { Transport::Http }
    }

    fn has_handshake(&self) -> bool {
        self.tls.is_some()
    }

    fn refuse(&self, stream: TcpStream) {
        if self.tls.is_none() {
            // Whether the peer reads it is up to the peer.
            let _ = turn_away(stream);
        }
    }

    fn failed(&self, peer: SocketAddr, error: &HandshakeError) {
        self.handler.failed(peer, self.transport(), error);
    }

    fn closing(&self) -> Closing {
        self.handler.closing()
    }

    async fn greet(&self, stream: TcpStream, ends: Ends, visit: Visit) -> Result<Guest, HandshakeError> {
        let house = Arc::clone(&self.house);
        let Visit { resources, standing, .. } = visit;
        let line = Line::new(house.limits, house.counters.connections.clone(), &resources, standing);
        let Some(tls) = &self.tls else {
            let info = SessionInfo::plain(Transport::Http, ends.peer, ends.local);
            return Ok(Box::pin(serve(stream, Spoken::Unknown, info, line, house)));
        };
        let (stream, info) = tls.handshake(stream, ends, Transport::Https).await?;
        let spoken = if stream.speaks(b"h2") { Spoken::Two } else { Spoken::Unknown };
        line.begins_now();
        Ok(Box::pin(serve(stream, spoken, info, line, house)))
    }
}

/// Answers any request at once, without waiting.
fn turn_away(stream: TcpStream) -> std::io::Result<()> {
    let mut stream = stream.into_std()?;
    // If some of it were left unread, the kernel would discard our answer.
    let _ = stream.read(&mut [0; 4_096]);
    stream.write_all(NO_ROOM)?;
    stream.shutdown(Shutdown::Write)
}

/// For a peer whose connection there is no room for.
const NO_ROOM: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 10\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

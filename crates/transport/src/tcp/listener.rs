//! The listening socket: who may come in.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{Id, JoinSet};

use super::connection::{PeerInfo, TcpHandler, serve_stream};
use super::counters::{TcpCounters, count};
use super::limits::{Framer, TcpLimits};
use crate::error::TransportError;

/// A TCP server socket, bound and listening.
pub struct TcpServer {
    socket: std::net::TcpListener,
    address: SocketAddr,
    counters: Arc<TcpCounters>,
}

impl TcpServer {
    /// Binds to `address` and listens; port 0 lets the kernel choose. An IPv6
    /// socket takes IPv6 only. Needs no runtime yet.
    ///
    /// # Errors
    /// [`TransportError::Bind`] when the address is in use, not ours or forbidden.
    pub fn bind(address: SocketAddr) -> Result<Self, TransportError> {
        let wrong = |source| TransportError::Bind { kind: "tcp", address, source };
        let socket = listening(address).map_err(wrong)?;
        let address = socket.local_addr().map_err(wrong)?;
        Ok(Self { socket, address, counters: Arc::default() })
    }

    /// The bound address with its real port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// What the server saw so far; shared with it.
    #[must_use]
    pub fn counters(&self) -> Arc<TcpCounters> {
        Arc::clone(&self.counters)
    }

    /// Accepts and serves connections. Dropping the future closes the socket and
    /// all connections.
    ///
    /// # Errors
    /// [`TransportError::Socket`] when the socket cannot be given to the runtime;
    /// after that it only ends by being dropped.
    pub async fn serve<H: TcpHandler>(
        self,
        handler: Arc<H>,
        framer: Framer,
        limits: TcpLimits,
    ) -> Result<(), TransportError> {
        let listener = TcpListener::from_std(self.socket)
            .map_err(|source| TransportError::Socket { doing: "starting to accept", source })?;
        let mut guests =
            Guests { limits, counters: self.counters, tasks: JoinSet::new(), peers: HashMap::new() };
        let mut pause = FIRST_PAUSE;
        loop {
            tokio::select! {
                Some(ended) = guests.tasks.join_next_with_id() => guests.left(ended),
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        pause = FIRST_PAUSE;
                        guests.came(stream, peer, &handler, framer);
                    }
                    Err(error) => {
                        count(&guests.counters.accept_errors);
                        // Without file descriptors or memory accept fails again at
                        // once, and the connection stays in the queue: wait.
                        if !gone_already(&error) {
                            tracing::warn!(%error, "cannot accept connections");
                            tokio::time::sleep(pause).await;
                            pause = (pause * 2).min(LONGEST_PAUSE);
                        }
                    }
                },
            }
        }
    }
}

/// The open connections.
struct Guests {
    limits: TcpLimits,
    counters: Arc<TcpCounters>,
    tasks: JoinSet<()>,
    /// How many connections each address has, and which task serves whom.
    peers: HashMap<IpAddr, Vec<Id>>,
}

impl Guests {
    fn came<H: TcpHandler>(&mut self, stream: TcpStream, peer: SocketAddr, handler: &Arc<H>, framer: Framer) {
        if self.tasks.len() >= self.limits.max_connections {
            return count(&self.counters.refused_total);
        }
        let of_peer = self.peers.entry(peer.ip()).or_default();
        if of_peer.len() >= self.limits.max_per_peer {
            return count(&self.counters.refused_per_peer);
        }
        let Ok(local) = stream.local_addr() else {
            return count(&self.counters.io_errors);
        };
        // Each answer is a message that the manager waits for.
        let _ = stream.set_nodelay(true);
        count(&self.counters.accepted);
        self.counters.open.fetch_add(1, Relaxed);
        let info = PeerInfo { peer, local };
        let serving =
            serve_stream(stream, info, Arc::clone(handler), framer, self.limits, Arc::clone(&self.counters));
        of_peer.push(self.tasks.spawn(serving).id());
    }

    fn left(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                count(&self.counters.panics);
                error.id()
            }
        };
        self.counters.open.fetch_sub(1, Relaxed);
        self.peers.retain(|_, tasks| {
            tasks.retain(|task| *task != id);
            !tasks.is_empty()
        });
    }
}

/// The peer gave up before we accepted; nothing is short.
fn gone_already(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

fn listening(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // Connections of an earlier run that linger in TIME_WAIT are no obstacle.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

const BACKLOG: i32 = 128;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

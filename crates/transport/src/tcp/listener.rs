//! The listening socket: who may come in.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{Id, JoinSet};

use super::counters::TcpCounters;
use super::greeter::{Ends, Greeter, Guest, HandshakeError, Plain, Serving};
use super::limits::{Framer, TcpLimits};
use crate::counters::count;
use crate::error::TransportError;
use crate::session::SessionHandler;

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
    pub async fn serve<H: SessionHandler>(
        self,
        handler: Arc<H>,
        framer: Framer,
        limits: TcpLimits,
    ) -> Result<(), TransportError> {
        self.serve_by(Arc::new(Plain), handler, framer, limits).await
    }

    /// The same, with something between the connection and its messages: TLS or SSH.
    ///
    /// # Errors
    /// As [`TcpServer::serve`].
    pub async fn serve_by<G: Greeter, H: SessionHandler>(
        self,
        greeter: Arc<G>,
        handler: Arc<H>,
        framer: Framer,
        limits: TcpLimits,
    ) -> Result<(), TransportError> {
        let listener = TcpListener::from_std(self.socket)
            .map_err(|source| TransportError::Socket { doing: "starting to accept", source })?;
        let serving = Serving { handler, framer, limits, counters: self.counters };
        let (tasks, peers) = (JoinSet::new(), HashMap::new());
        let mut guests = Guests { greeter, serving, tasks, peers, greeting: HashSet::new() };
        let mut pause = FIRST_PAUSE;
        loop {
            tokio::select! {
                Some(ended) = guests.tasks.join_next_with_id() => guests.ended(ended),
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        pause = FIRST_PAUSE;
                        guests.came(stream, peer);
                    }
                    Err(error) => {
                        count(&guests.serving.counters.accept_errors);
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
struct Guests<G, H> {
    greeter: Arc<G>,
    serving: Serving<H>,
    tasks: JoinSet<Ended>,
    /// How many connections each address has, and which task serves whom.
    peers: HashMap<IpAddr, Vec<Id>>,
    /// Those that have not proved yet who they are.
    greeting: HashSet<Id>,
}

/// How a task of a connection ends.
enum Ended {
    /// The peer has proved who it is: what serves it goes on in a task of its own, so that the memory of the handshake
    /// is given back.
    Greeted(Guest),
    /// The connection is over.
    Left,
}

impl<G: Greeter, H: SessionHandler> Guests<G, H> {
    fn came(&mut self, stream: TcpStream, peer: SocketAddr) {
        let Serving { limits, counters, .. } = &self.serving;
        if self.tasks.len() >= limits.max_connections {
            return count(&counters.refused_total);
        }
        let of_peer = self.peers.get(&peer.ip()).map_or(0, Vec::len);
        if of_peer >= limits.max_per_peer {
            return count(&counters.refused_per_peer);
        }
        if self.greeting.len() >= limits.max_handshakes {
            return count(&counters.refused_handshakes);
        }
        let Ok(local) = stream.local_addr() else { return count(&counters.io_errors) };
        // Each answer is a message that the manager waits for.
        let _ = stream.set_nodelay(true);
        count(&counters.accepted);
        counters.open.fetch_add(1, Relaxed);
        let ends = Ends { peer, local };
        let (greeter, serving, limit) = (self.greeter.clone(), self.serving.clone(), limits.handshake_time);
        let id = self.tasks.spawn(async move {
            let (counters, handler) = (serving.counters.clone(), serving.handler.clone());
            let greeted = tokio::time::timeout(limit, greeter.greet(stream, ends, serving)).await;
            match greeted.unwrap_or(Err(HandshakeError::TimedOut)) {
                Ok(guest) => Ended::Greeted(guest),
                Err(error) => {
                    tracing::info!(%peer, %error, "a handshake failed");
                    handler.failed(greeter.transport(), &error);
                    count(if error.is_slow() {
                        &counters.slow_handshakes
                    } else {
                        &counters.failed_handshakes
                    });
                    Ended::Left
                }
            }
        });
        self.greeting.insert(id.id());
        self.peers.entry(peer.ip()).or_default().push(id.id());
    }

    fn ended(&mut self, ended: Result<(Id, Ended), tokio::task::JoinError>) {
        let (id, next) = match ended {
            Ok((id, Ended::Greeted(guest))) => (id, Some(guest)),
            Ok((id, Ended::Left)) => (id, None),
            Err(error) => {
                count(&self.serving.counters.panics);
                (error.id(), None)
            }
        };
        self.greeting.remove(&id);
        let next = next.map(|guest| {
            self.tasks.spawn(async move {
                guest.await;
                Ended::Left
            })
        });
        match next {
            Some(next) => self.peers.values_mut().for_each(|tasks| {
                tasks.iter_mut().filter(|task| **task == id).for_each(|task| *task = next.id());
            }),
            None => {
                self.serving.counters.open.fetch_sub(1, Relaxed);
                self.peers.retain(|_, tasks| {
                    tasks.retain(|task| *task != id);
                    !tasks.is_empty()
                });
            }
        }
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

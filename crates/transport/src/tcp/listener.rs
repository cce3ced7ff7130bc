//! The listening socket, and the admission of connections.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{Id, JoinError, JoinSet};

use super::counters::TcpCounters;
use super::greeter::{Ends, Greeter};
use super::limits::TcpLimits;
use crate::counters::{add, count};
use crate::error::TransportError;
use crate::handshake::HandshakeError;
use crate::network;
use crate::register::{GaveWay, Refusal, Register};
use crate::resources::Resources;
use crate::service::{Guest, Visit};

/// A listening TCP server socket.
pub struct TcpServer {
    socket: std::net::TcpListener,
    address: SocketAddr,
    counters: Arc<TcpCounters>,
    resources: Arc<Resources>,
}

impl TcpServer {
    /// Binds to `address` and listens; port 0 lets the kernel choose. An IPv6 socket accepts IPv6 only. Needs no
    /// runtime yet.
    ///
    /// # Errors
    /// [`TransportError::Bind`] if the address is in use, not ours or forbidden.
    pub fn bind(address: SocketAddr) -> Result<Self, TransportError> {
        let wrong = |source| TransportError::Bind { kind: "tcp", address, source };
        let socket = listening(address).map_err(wrong)?;
        let address = socket.local_addr().map_err(wrong)?;
        Ok(Self { socket, address, counters: Arc::default(), resources: Arc::default() })
    }

    /// The same server, sharing these resources with other listeners.
    #[must_use]
    pub fn sharing(self, resources: Arc<Resources>) -> Self {
        Self { resources, ..self }
    }

    /// The same server, whose connections end if their peers vanish without notice, though nobody speaks.
    #[must_use]
    pub fn noticing_death(self) -> Self {
        // The connections have what their listener has.
        crate::dial::notice_death(&self.socket);
        self
    }

    /// The bound address with its real port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The server's counters, shared with it.
    #[must_use]
    pub fn counters(&self) -> Arc<TcpCounters> {
        Arc::clone(&self.counters)
    }

    /// Accepts and serves connections until the greeter's service shuts its listeners down. Dropping the future
    /// closes the socket and all connections.
    ///
    /// # Errors
    /// [`TransportError::Socket`] if the socket cannot be registered with the runtime.
    pub async fn serve<G: Greeter>(self, greeter: G, limits: TcpLimits) -> Result<(), TransportError> {
        let listener = TcpListener::from_std(self.socket)
            .map_err(|source| TransportError::Socket { doing: "starting to accept", source })?;
        let visit = Visit { counters: self.counters, resources: self.resources, ..Visit::new(limits) };
        let mut closed = pin!(greeter.closing().closed());
        let (greeter, tasks, register) = (Arc::new(greeter), JoinSet::new(), Register::default());
        let mut guests = Guests { greeter, visit, tasks, register };
        let mut pause = FIRST_PAUSE;
        loop {
            tokio::select! {
                () = closed.as_mut() => break,
                Some(ended) = guests.tasks.join_next_with_id() => guests.ended(ended),
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => {
                        pause = FIRST_PAUSE;
                        if guests.came(stream, peer) > 0 {
                            // Those that gave way close their sockets before the next one is accepted.
                            tokio::task::yield_now().await;
                        }
                    }
                    Err(error) => {
                        count(&guests.visit.counters.accept_errors);
                        // Without file descriptors or memory accept fails again at once, and the connection stays
                        // in the queue: wait.
                        if !gone_already(&error) {
                            if let Some(left_out) = guests.visit.resources.logs.sockets.admit() {
                                tracing::warn!(%error, left_out, "cannot accept connections");
                            }
                            tokio::time::sleep(pause).await;
                            pause = (pause * 2).min(LONGEST_PAUSE);
                        }
                    }
                },
            }
        }
        drop(listener);
        while let Some(ended) = guests.tasks.join_next_with_id().await {
            guests.ended(ended);
        }
        Ok(())
    }
}

/// The open connections.
struct Guests<G> {
    greeter: Arc<G>,
    visit: Visit,
    tasks: JoinSet<Ended>,
    register: Register,
}

/// How a task of a connection ends.
pub(super) enum Ended {
    /// The peer is authenticated: serving it continues in a separate task, so that the memory of the handshake is
    /// released.
    Greeted(Guest),
    /// The connection is over.
    Left,
}

impl<G: Greeter> Guests<G> {
    /// A connection was accepted. Returns how many others gave way to it.
    fn came(&mut self, stream: TcpStream, peer: SocketAddr) -> GaveWay {
        let Visit { limits, counters, resources, .. } = &self.visit;
        let (network, has_handshake) = (network(peer.ip()), self.greeter.has_handshake());
        let descriptors = resources.room_for(stream.as_raw_fd());
        let gave_way = match self.register.make_room(network, has_handshake, limits.bounds(), descriptors) {
            Ok(gave_way) => gave_way,
            Err(refusal) => {
                count(match refusal {
                    Refusal::Total => &counters.refused_total,
                    Refusal::PerPeer => &counters.refused_per_peer,
                    Refusal::Descriptors => &counters.refused_descriptors,
                });
                if let Some(left_out) = resources.logs.refusals.admit() {
                    let (transport, reason) = (self.greeter.transport().name(), refusal.words());
                    tracing::info!(%peer, transport, reason, left_out, "a connection is refused");
                }
                self.greeter.refuse(stream);
                return 0;
            }
        };
        add(&counters.gave_way, gave_way);
        let Ok(local) = stream.local_addr() else {
            count(&counters.io_errors);
            return gave_way;
        };
        // Each answer is a message that the manager waits for.
        let _ = stream.set_nodelay(true);
        bound_kernel_buffer(&stream);
        count(&counters.accepted);
        counters.open.fetch_add(1, Relaxed);
        let (ends, visit) = (Ends { peer, local }, self.visit.another());
        let standing = visit.standing.clone();
        let task = self.tasks.spawn(greeted(self.greeter.clone(), stream, ends, visit));
        self.register.enter(task, network, has_handshake, standing);
        gave_way
    }

    fn ended(&mut self, ended: Result<(Id, Ended), JoinError>) {
        let (id, next) = match ended {
            Ok((id, Ended::Greeted(guest))) => (id, Some(guest)),
            Ok((id, Ended::Left)) => (id, None),
            Err(error) => {
                if error.is_panic() {
                    count(&self.visit.counters.panics);
                }
                (error.id(), None)
            }
        };
        match next.filter(|_| self.register.has(id)) {
            Some(guest) => {
                let task = self.tasks.spawn(async move {
                    guest.await;
                    Ended::Left
                });
                self.register.greeted(id);
                self.register.goes_on(id, task);
            }
            None => {
                self.register.leave(id);
                self.visit.counters.open.fetch_sub(1, Relaxed);
                self.visit.resources.connection_ended();
            }
        }
    }
}

/// The handshake, with its time-out.
pub(super) async fn greeted<G: Greeter>(
    greeter: Arc<G>,
    stream: TcpStream,
    ends: Ends,
    visit: Visit,
) -> Ended {
    let Visit { counters, resources, limits, .. } = visit.clone();
    let closed = greeter.closing().closed();
    let greeted = tokio::select! {
        greeted = tokio::time::timeout(limits.handshake_time, greeter.greet(stream, ends, visit)) => greeted,
        () = closed => return Ended::Left,
    };
    match greeted.unwrap_or(Err(HandshakeError::TimedOut)) {
        Ok(guest) => Ended::Greeted(guest),
        Err(error) => {
            if let Some(left_out) = resources.logs.handshakes.admit() {
                tracing::info!(peer = %ends.peer, %error, left_out, "a handshake failed");
            }
            greeter.failed(ends.peer, &error);
            count(if error.is_slow() { &counters.slow_handshakes } else { &counters.failed_handshakes });
            Ended::Left
        }
    }
}

/// Limits the kernel's unsent data for a peer, beyond what is in flight: the rest waits here, where it is counted.
fn bound_kernel_buffer(stream: &TcpStream) {
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT);
}

/// The peer gave up before we accepted; no resource is short.
fn gone_already(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

fn listening(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    // Connections of an earlier run that linger in TIME_WAIT do not prevent this.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Octets that wait in the kernel for a peer.
const UNSENT: u32 = 16 << 10;
const BACKLOG: i32 = 1024;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

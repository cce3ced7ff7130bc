//! One socket for all peers: admission of sessions, and assignment of datagrams to sessions.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::pin::pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};
use trunkline_datagrams::mmsg::{self, Inbox};

use super::context::ServerContext;
use super::counters::DtlsCounters;
use super::hello::{ContentKind, FirstRecord};
use super::limits::DtlsLimits;
use super::machine::Machine;
use super::session::Seat;
use crate::counters::{add, count};
use crate::error::TransportError;
use crate::network;
use crate::register::{Refusal, Register, Standing};
use crate::resources::{Resources, Room};
use crate::session::SessionHandler;
use crate::tls::{CredentialError, TlsServerConfig, Trust};

use crate::udp::{MAX_DATAGRAM, ReplyTo};

/// A DTLS server's identity and trust anchors; they can change while it serves.
pub struct DtlsConfig {
    current: RwLock<Arc<ServerContext>>,
    /// For the sessions that are open.
    trusted: watch::Sender<Arc<Trust>>,
}

impl DtlsConfig {
    /// From the same configuration as TLS.
    ///
    /// # Errors
    /// [`CredentialError`] if its parts do not match.
    pub fn new(config: &TlsServerConfig) -> Result<Self, CredentialError> {
        let trusted = watch::Sender::new(Arc::clone(&config.trust));
        Ok(Self { current: RwLock::new(Arc::new(ServerContext::new(config)?)), trusted })
    }

    /// Uses another configuration for handshakes from now on; open sessions stay, unless the certificate of their client is not
    /// accepted any more.
    ///
    /// # Errors
    /// As [`DtlsConfig::new`]; the old configuration stays.
    pub fn reconfigure(&self, config: &TlsServerConfig) -> Result<(), CredentialError> {
        let context = Arc::new(ServerContext::new(config)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = context;
        self.trusted.send_replace(Arc::clone(&config.trust));
        Ok(())
    }

    /// The server's end of a session for a peer with a valid cookie, without a socket. `mtu`: see
    /// [`DtlsLimits::mtu`].
    ///
    /// # Errors
    /// [`CredentialError`] if OpenSSL has no memory.
    pub fn machine(&self, mtu: u32) -> Result<Machine, CredentialError> {
        Ok(self.current().session(mtu)?)
    }

    fn current(&self) -> Arc<ServerContext> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A bound DTLS server socket.
pub struct DtlsServer {
    socket: std::net::UdpSocket,
    address: SocketAddr,
    config: Arc<DtlsConfig>,
    limits: DtlsLimits,
    counters: Arc<DtlsCounters>,
    resources: Arc<Resources>,
}

impl DtlsServer {
    /// Binds to `address`; port 0 lets the kernel choose. An IPv6 socket accepts IPv6 only. Needs no runtime yet.
    ///
    /// # Errors
    /// [`TransportError::Bind`] if the address is in use, not ours or forbidden.
    pub fn bind(
        address: SocketAddr,
        config: Arc<DtlsConfig>,
        limits: DtlsLimits,
    ) -> Result<Self, TransportError> {
        let wrong = |source| TransportError::Bind { kind: "dtls", address, source };
        let socket = bound(address).map_err(wrong)?;
        let address = socket.local_addr().map_err(wrong)?;
        Ok(Self { socket, address, config, limits, counters: Arc::default(), resources: Arc::default() })
    }

    /// The same server, sharing these resources with other listeners.
    #[must_use]
    pub fn sharing(self, resources: Arc<Resources>) -> Self {
        Self { resources, ..self }
    }

    /// The bound address with its real port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The server's counters, shared with it.
    #[must_use]
    pub fn counters(&self) -> Arc<DtlsCounters> {
        Arc::clone(&self.counters)
    }

    /// Serves sessions until the handler shuts its servers down. Dropping the future closes the socket and all
    /// sessions.
    ///
    /// # Errors
    /// [`TransportError::Socket`] if the socket cannot be registered with the runtime, or OpenSSL has no memory.
    pub async fn serve<H: SessionHandler>(self, handler: Arc<H>) -> Result<(), TransportError> {
        let starting = |source| TransportError::Socket { doing: "starting to receive", source };
        let socket = Arc::new(UdpSocket::from_std(self.socket).map_err(starting)?);
        let (tell, mut told) = mpsc::unbounded_channel();
        let context = self.config.current();
        let mut guests = Guests {
            spare: context.session(self.limits.mtu).map_err(|error| starting(error.into()))?,
            context,
            config: self.config,
            socket: Arc::clone(&socket),
            local: self.address,
            handler,
            limits: self.limits,
            counters: self.counters,
            resources: self.resources,
            register: Register::default(),
            tasks: JoinSet::new(),
            seats: HashMap::new(),
            peers: HashMap::new(),
            tell,
        };
        let wildcard = self.address.ip().is_unspecified();
        let mut inbox = Inbox::new(BATCH, MAX_DATAGRAM, wildcard).map_err(starting)?;
        let mut closed = pin!(guests.handler.closing().closed());
        loop {
            tokio::select! {
                () = closed.as_mut() => break,
                Some(ended) = guests.tasks.join_next_with_id() => guests.ended(ended),
                Some(id) = told.recv() => guests.established(id),
                received = socket.async_io(Interest::READABLE, || inbox.receive(socket.as_fd())) => {
                    match received {
                        Ok(received) => guests.came(&mut inbox, received).await,
                        Err(error) => {
                            if let Some(left_out) = guests.resources.logs.sockets.admit() {
                                tracing::warn!(%error, left_out, "cannot receive datagrams");
                            }
                            count(&guests.counters.io_errors);
                            tokio::time::sleep(PAUSE).await;
                        }
                    }
                }
            }
        }
        while let Some(ended) = guests.tasks.join_next_with_id().await {
            guests.ended(ended);
        }
        Ok(())
    }
}

/// A peer, and the address of ours that its session uses.
type Key = (SocketAddr, Option<IpAddr>);

const fn key(to: &ReplyTo) -> Key {
    (to.peer, to.local.address)
}

/// Sends a datagram from the address that the peer sent to.
pub(super) async fn send(socket: &UdpSocket, to: &ReplyTo, datagram: &[u8]) -> io::Result<()> {
    let sent = socket.async_io(Interest::WRITABLE, || mmsg::send_one(socket.as_fd(), to, datagram));
    sent.await.map(drop)
}

/// The channel to a session's task.
struct Way {
    id: Id,
    datagrams: mpsc::Sender<Vec<u8>>,
}

/// The sessions with one address and port. While a peer performs a new handshake, its old session stays: until the
/// handshake is done, anybody can forge the peer's address.
#[derive(Default)]
struct Peer {
    established: Option<Way>,
    /// With the random octets of its ClientHello.
    shaking: Option<(Way, [u8; 32])>,
}

struct Guests<H> {
    /// The session for the next peer with a cookie; peers without one leave no trace in it.
    spare: Machine,
    /// The context of `spare`.
    context: Arc<ServerContext>,
    config: Arc<DtlsConfig>,
    socket: Arc<UdpSocket>,
    local: SocketAddr,
    handler: Arc<H>,
    limits: DtlsLimits,
    counters: Arc<DtlsCounters>,
    resources: Arc<Resources>,
    register: Register,
    tasks: JoinSet<()>,
    /// The peer of each task.
    seats: HashMap<Id, Key>,
    peers: HashMap<Key, Peer>,
    /// Where tasks report that their handshake is done.
    tell: mpsc::UnboundedSender<Id>,
}

impl<H: SessionHandler> Guests<H> {
    async fn came(&mut self, inbox: &mut Inbox, received: usize) {
        for slot in 0..received {
            let Some(peer) = inbox.peer(slot) else { continue };
            let to = ReplyTo { peer, local: inbox.local(slot) };
            self.sort(inbox.bytes(slot), to).await;
        }
    }

    /// Passes a datagram to its session.
    async fn sort(&mut self, datagram: &[u8], to: ReplyTo) {
        count(&self.counters.datagrams);
        let Some(first) = FirstRecord::of(datagram) else { return count(&self.counters.strays) };
        let known = self.peers.get(&key(&to));
        let shaking = known.and_then(|known| known.shaking.as_ref());
        let way = match (first.hello, shaking) {
            // Repeated by the same client.
            (Some(random), Some((way, began))) if random == *began => Some(way),
            (Some(random), _) => return self.visit(datagram, to, random).await,
            (None, Some((way, _))) if first.content != ContentKind::Message => Some(way),
            (None, _) => known.and_then(|known| known.established.as_ref().or(shaking.map(|(way, _)| way))),
        };
        match way.map(|way| way.datagrams.try_send(datagram.to_vec())) {
            None => count(&self.counters.strays),
            Some(Ok(())) => {}
            Some(Err(_)) => count(&self.counters.overrun),
        }
    }

    /// A peer begins a handshake.
    async fn visit(&mut self, datagram: &[u8], to: ReplyTo, random: [u8; 32]) {
        if self.renew_spare().is_err() {
            return count(&self.counters.session_errors);
        }
        self.spare.feed(datagram.to_vec());
        let good = self.spare.listen(to.peer);
        for answer in self.spare.leaving() {
            if send(&self.socket, &to, &answer).await.is_err() {
                count(&self.counters.io_errors);
            }
        }
        if !good {
            return count(&self.counters.without_cookie);
        }
        let Ok(next) = self.context.session(self.limits.mtu) else {
            return count(&self.counters.session_errors);
        };
        let machine = std::mem::replace(&mut self.spare, next);
        match self.register.make_room(network(to.peer.ip()), true, self.limits.bounds(), Room::Enough) {
            Ok(gave_way) => {
                add(&self.counters.gave_way, gave_way);
                self.seat(machine, to, random);
            }
            Err(refusal) => self.refused(to.peer, refusal),
        }
    }

    /// After a change of configuration the spare session is replaced.
    fn renew_spare(&mut self) -> Result<(), openssl::error::ErrorStack> {
        let current = self.config.current();
        if !Arc::ptr_eq(&current, &self.context) {
            self.spare = current.session(self.limits.mtu)?;
            self.context = current;
        }
        Ok(())
    }

    /// This peer may not begin a handshake now.
    fn refused(&self, peer: SocketAddr, refusal: Refusal) {
        count(match refusal {
            Refusal::PerPeer => &self.counters.refused_per_peer,
            Refusal::Total | Refusal::Descriptors => &self.counters.refused_total,
        });
        if let Some(left_out) = self.resources.logs.refusals.admit() {
            tracing::info!(%peer, transport = "dtls", reason = refusal.words(), left_out, "a session is refused");
        }
    }

    fn seat(&mut self, machine: Machine, to: ReplyTo, random: [u8; 32]) {
        count(&self.counters.handshakes);
        self.counters.open.fetch_add(1, Relaxed);
        let (datagrams, arrived) = mpsc::channel(self.limits.max_waiting.max(1));
        let standing = Arc::<Standing>::default();
        let seat = Seat {
            machine,
            arrived,
            socket: Arc::clone(&self.socket),
            local: to.local.address.map_or(self.local, |ip| (ip, self.local.port()).into()),
            to,
            handler: Arc::clone(&self.handler),
            limits: self.limits,
            counters: Arc::clone(&self.counters),
            resources: Arc::clone(&self.resources),
            standing: Arc::clone(&standing),
            trusted: self.config.trusted.subscribe(),
        };
        let tell = self.tell.clone();
        let established = move || {
            // If the receiver is gone, the server has ended.
            let _ = tell.send(tokio::task::id());
        };
        let task = self.tasks.spawn(seat.run(established));
        let id = task.id();
        self.register.enter(task, network(to.peer.ip()), true, standing);
        self.seats.insert(id, key(&to));
        // A handshake in progress gets no more datagrams, and so ends.
        self.peers.entry(key(&to)).or_default().shaking = Some((Way { id, datagrams }, random));
    }

    /// The peer is authenticated: its old session, if there is one, is replaced.
    fn established(&mut self, id: Id) {
        self.register.greeted(id);
        let Some(known) = self.seats.get(&id).and_then(|peer| self.peers.get_mut(peer)) else { return };
        if let Some((way, _)) = known.shaking.take_if(|(way, _)| way.id == id) {
            known.established = Some(way);
        }
    }

    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                if error.is_panic() {
                    count(&self.counters.panics);
                }
                error.id()
            }
        };
        self.register.leave(id);
        self.counters.open.fetch_sub(1, Relaxed);
        self.resources.connection_ended();
        let Some(peer) = self.seats.remove(&id) else { return };
        let Some(known) = self.peers.get_mut(&peer) else { return };
        known.established.take_if(|way| way.id == id);
        known.shaking.take_if(|(way, _)| way.id == id);
        if known.established.is_none() && known.shaking.is_none() {
            self.peers.remove(&peer);
        }
    }
}

fn bound(address: SocketAddr) -> io::Result<std::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    if address.ip().is_unspecified() {
        mmsg::ask_local(socket.as_fd(), address.is_ipv6())?;
    }
    // Room for requests of many peers that arrive at once.
    let _ = socket.set_recv_buffer_size(1 << 20);
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Datagrams received at a time.
const BATCH: usize = 16;

/// The pause after a failed receive, which could fail again at once.
const PAUSE: Duration = Duration::from_millis(50);

//! A notification receiver: receives traps and informs of every version over every transport, confirms informs,
//! and hands on the notifications (RFC 3413 section 3.4).
//!
//! ```text
//! socket -> transport -> Gate: the engine authenticates the sender
//!                          |-> Report or Response back
//!                          '-> queue of bounded length -> Listener::next
//! ```
//! Notifications that do not fit into the queue are dropped and counted; an inform is confirmed only once it is
//! queued, so that its sender retries.

mod gate;
#[cfg(feature = "http")]
mod posts;
mod secure;
mod stranger;

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::SystemTime;

use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::Engine;
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{PduKind, TrapV1, Version, frame_length};
#[cfg(feature = "dtls")]
use trunkline_transport::dtls::{DtlsLimits, DtlsServer};
#[cfg(feature = "http")]
use trunkline_transport::http::{HttpLimits, HttpServer};
use trunkline_transport::tcp::{FrameError, Messages, Plain, TcpLimits, TcpServer};
use trunkline_transport::udp::{UdpBatch, UdpOptions, UdpStop};
use trunkline_transport::{ListenUrl, Transport, TransportError};

use gate::{Datagrams, Gate, Inbox};
pub use gate::{ListenCounts, RefusedMessage};
#[cfg(feature = "http")]
use posts::Posts;
pub use secure::ListenSecure;
use secure::Servers;
pub use stranger::{RefusedSession, SessionFault};

use crate::error::Error;
use crate::setters::setters;

/// What to accept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListenOptions {
    /// The accepted communities; `None` accepts any. A community proves nothing.
    pub communities: Option<Vec<Vec<u8>>>,
    /// The minimum security level: noAuthNoPriv accepts everything, a higher one accepts SNMPv3 and what arrives
    /// over TLS, DTLS and SSH.
    pub least: SecurityLevel,
    /// How many notifications may wait for the reader.
    pub queue: usize,
    /// What TLS, DTLS and SSH need.
    pub secure: ListenSecure,
    /// Which notifications are accepted of those that everything else accepts; an inform that is not is not confirmed.
    pub admission: Admission,
}

/// Decides about a notification, on the path of messages: it must not wait.
#[derive(Clone, Default)]
pub struct Admission(Option<Arc<Admits>>);

type Admits = dyn Fn(&Received) -> bool + Send + Sync;

impl Admission {
    /// Those for which `admits` is true.
    pub fn of(admits: impl Fn(&Received) -> bool + Send + Sync + 'static) -> Self {
        Admission(Some(Arc::new(admits)))
    }

    fn admits(&self, received: &Received) -> bool {
        self.0.as_ref().is_none_or(|admits| admits(received))
    }
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Admission(some)" } else { "Admission(all)" })
    }
}

setters! {
    ListenOptions {
        communities: Option<Vec<Vec<u8>>> => with_communities,
        least: SecurityLevel => with_least,
        queue: usize => with_queue,
        secure: ListenSecure => with_secure,
        admission: Admission => with_admission,
    }
}

impl Default for ListenOptions {
    fn default() -> Self {
        let (least, secure) = (SecurityLevel::NoAuthNoPriv, ListenSecure::default());
        ListenOptions { communities: None, least, queue: 1024, secure, admission: Admission::default() }
    }
}

/// A received notification.
#[derive(Clone, Debug)]
pub struct Received {
    /// When it arrived.
    pub at: SystemTime,
    /// The sender's address.
    pub peer: SocketAddr,
    /// Our address and port that it was sent to, if known.
    pub local: Option<SocketAddr>,
    /// The transport that it arrived over.
    pub transport: Transport,
    /// The version of the message.
    pub version: Version,
    /// [`PduKind::TrapV1`], [`PduKind::TrapV2`] or [`PduKind::Inform`].
    pub kind: PduKind,
    /// The security level; without authentication anybody may have sent it.
    pub level: SecurityLevel,
    /// The user of SNMPv3, or the principal that the session authenticates over TLS, DTLS and SSH.
    pub user: Option<Vec<u8>>,
    /// The community of SNMPv1 and SNMPv2c; `None` over TLS, DTLS and SSH, where it means nothing.
    pub community: Option<Vec<u8>>,
    /// msgAuthoritativeEngineID: the sender's engine for traps, ours for informs; empty in SNMPv1 and SNMPv2c.
    pub engine_id: Vec<u8>,
    /// contextEngineID; empty in SNMPv1 and SNMPv2c.
    pub context_engine_id: Vec<u8>,
    /// contextName.
    pub context_name: Vec<u8>,
    /// The event, in the form of SNMPv2.
    pub notification: Notification,
    /// The original trap, if it was SNMPv1.
    pub trap_v1: Option<TrapV1>,
}

impl Received {
    /// Whether the sender is authenticated: SNMPv3 with authNoPriv or authPriv, or anything over TLS, DTLS and
    /// SSH.
    #[must_use]
    pub fn is_authenticated(&self) -> bool {
        self.level.is_authenticated()
    }
}

/// What a listener reports.
#[derive(Debug)]
#[non_exhaustive]
pub enum Listened {
    /// A notification.
    Received(Box<Received>),
    /// A message that is refused.
    Refused(RefusedMessage),
    /// A peer that gets no session, because one end refuses the other.
    NoSession(RefusedSession),
}

/// How many refused messages and sessions wait to be reported; further ones are only counted.
const REFUSALS: usize = 4;

/// Listening sockets. Dropping it closes them.
pub struct Listener {
    received: mpsc::Receiver<Received>,
    refused: mpsc::Receiver<Listened>,
    gate: Arc<Gate>,
    sockets: Vec<Socket>,
}

struct Socket {
    place: ListenUrl,
    _serving: Serving,
}

/// What stops when the listener is dropped.
enum Serving {
    Datagrams(#[expect(dead_code, reason = "dropped with the socket")] DatagramThread),
    Streams(#[expect(dead_code, reason = "dropped with the socket")] StreamTask),
}

/// A thread that receives datagrams.
struct DatagramThread {
    stop: UdpStop,
    thread: Option<JoinHandle<()>>,
}

impl Drop for DatagramThread {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A task that accepts connections.
struct StreamTask(AbortHandle);

impl Drop for StreamTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Listener {
    /// Binds all of these places and starts listening. `engine` is authoritative for informs, must accept
    /// notifications ([`Handlers::RECEIVER`](trunkline_snmp::engine::Handlers)) and holds the users. Must be
    /// called on a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Transport`] if a place cannot be bound, or uses TLS, DTLS or SSH without the options for it;
    /// [`Error::Credential`] if certificate and key do not match. In both cases nothing stays bound.
    pub fn bind(places: &[ListenUrl], engine: Arc<Engine>, options: ListenOptions) -> Result<Self, Error> {
        places.iter().try_for_each(|place| place.transport.require_built())?;
        let (sender, received) = mpsc::channel(options.queue.max(1));
        let servers = Servers::of(places, &options.secure)?;
        let (refusals, refused) = mpsc::channel(REFUSALS);
        let gate = Arc::new(Gate::new(engine, options, sender, refusals));
        let mut sockets = Vec::new();
        for place in places {
            for address in place.socket_addrs() {
                match serve(place.transport, address, &gate, &servers) {
                    Ok(socket) => sockets.push(socket),
                    Err(error) if place.address.is_none() && is_without_ipv6(address, &error) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(Listener { received, refused, gate, sockets })
    }

    /// The next notification. Cancel safe.
    pub async fn next(&mut self) -> Option<Received> {
        self.received.recv().await
    }

    /// The next notification, or the next refused message or session; under load some of the latter are left out. Cancel
    /// safe.
    pub async fn either(&mut self) -> Option<Listened> {
        tokio::select! {
            biased;
            received = self.received.recv() => received.map(|received| Listened::Received(Box::new(received))),
            Some(refused) = self.refused.recv() => Some(refused),
        }
    }

    /// The places that it listens on, with the ports that the kernel chose.
    pub fn places(&self) -> impl Iterator<Item = &ListenUrl> {
        self.sockets.iter().map(|socket| &socket.place)
    }

    /// The counters so far.
    #[must_use]
    pub fn counts(&self) -> ListenCounts {
        self.gate.counts()
    }
}

fn serve(
    transport: Transport,
    address: SocketAddr,
    gate: &Arc<Gate>,
    #[cfg_attr(not(any(feature = "tls", feature = "ssh")), expect(unused_variables))] servers: &Servers,
) -> Result<Socket, TransportError> {
    let (address, serving) = match transport {
        Transport::Udp => {
            let (address, thread) = receive(address, Arc::clone(gate))?;
            (address, Serving::Datagrams(thread))
        }
        #[cfg(feature = "dtls")]
        Transport::Dtls => {
            let server = DtlsServer::bind(address, servers.dtls()?, DtlsLimits::default())?;
            let (address, handler) = (server.local_addr(), Arc::new(Inbox::new(Arc::clone(gate))));
            (address, accept(transport, address, async move { server.serve(handler).await }))
        }
        #[cfg(feature = "http")]
        Transport::Http | Transport::Https => {
            let server = HttpServer::bind(address)?;
            let (address, handler) = (server.local_addr(), Arc::new(Posts::new(Arc::clone(gate))));
            let tls = (transport == Transport::Https).then(|| servers.https()).transpose()?;
            let limits = HttpLimits::default();
            let serve = async move { server.serve(handler, limits, tls).await };
            (address, accept(transport, address, serve))
        }
        // Transports that are not compiled in are refused earlier.
        _ => {
            let server = TcpServer::bind(address)?;
            let (address, handler) = (server.local_addr(), Arc::new(Inbox::new(Arc::clone(gate))));
            let (service, limits) = (Messages::new(handler, framed), TcpLimits::default());
            let serving = match transport {
                #[cfg(feature = "tls")]
                Transport::Tls => {
                    let greeter = trunkline_transport::tls::TlsGreeter::new(servers.tls()?, service);
                    accept(transport, address, server.serve(greeter, limits))
                }
                #[cfg(feature = "ssh")]
                Transport::Ssh => {
                    let greeter = trunkline_transport::ssh::SshGreeter::new(
                        servers.ssh()?,
                        trunkline_transport::Subsystems::of(trunkline_transport::SNMP_SUBSYSTEM, service),
                    );
                    accept(transport, address, server.serve(greeter, limits))
                }
                _ => accept(transport, address, server.serve(Plain::new(service), limits)),
            };
            (address, serving)
        }
    };
    Ok(Socket { place: ListenUrl::bound(transport, address), _serving: serving })
}

/// A thread that receives datagrams.
fn receive(address: SocketAddr, gate: Arc<Gate>) -> Result<(SocketAddr, DatagramThread), TransportError> {
    let mut socket = UdpBatch::bind(address, &UdpOptions::default())?;
    let (address, stop) = (socket.local_addr(), socket.stopper());
    let mut handler = Datagrams::new(gate, address);
    let receive = move || {
        if let Err(error) = socket.run(&mut handler) {
            tracing::error!(%address, %error, "a UDP socket has ended");
        }
    };
    let thread = std::thread::Builder::new()
        .name("notifications".into())
        .spawn(receive)
        .map_err(|source| TransportError::Socket { doing: "starting a thread for UDP", source })?;
    Ok((address, DatagramThread { stop, thread: Some(thread) }))
}

/// A task that serves sessions.
fn accept(
    transport: Transport,
    address: SocketAddr,
    serve: impl Future<Output = Result<(), TransportError>> + Send + 'static,
) -> Serving {
    let task = tokio::spawn(async move {
        if let Err(error) = serve.await {
            tracing::error!(transport = transport.name(), %address, %error, "a socket has ended");
        }
    });
    Serving::Streams(StreamTask(task.abort_handle()))
}

/// Whether a wildcard cannot be bound because the machine has no IPv6: then IPv4 alone is enough.
fn is_without_ipv6(address: SocketAddr, error: &TransportError) -> bool {
    let kind = match error {
        TransportError::Bind { source, .. } => source.kind(),
        _ => return false,
    };
    address.is_ipv6() && !matches!(kind, ErrorKind::AddrInUse | ErrorKind::PermissionDenied)
}

fn framed(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    frame_length(octets).map_err(|_| FrameError)
}

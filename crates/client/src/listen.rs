//! One who is notified: receives traps and informs of every version over UDP and
//! TCP, confirms informs, and hands on what came (RFC 3413 section 3.4).
//!
//! ```text
//! socket -> transport -> Gate: engine says who it is and how well that is proved
//!                          |-> Report or Response back
//!                          '-> queue of bounded length -> Listener::next
//! ```
//! What does not fit the queue is dropped and counted; an inform is confirmed
//! only when it is in the queue, so that its sender tries again.

mod gate;

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
use trunkline_transport::tcp::{FrameError, TcpLimits, TcpServer};
use trunkline_transport::udp::{UdpBatch, UdpOptions, UdpStop};
use trunkline_transport::{ListenUrl, Transport, TransportError};

pub use gate::ListenCounts;
use gate::{Datagrams, Gate, Messages};

use crate::error::Error;

/// Whom to listen to.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// The communities that are taken; `None` takes any. A community proves nothing.
    pub communities: Option<Vec<Vec<u8>>>,
    /// The least level that is taken: noAuthNoPriv takes SNMPv1 and SNMPv2c too, anything above SNMPv3 alone.
    pub least: SecurityLevel,
    /// How many notifications may wait to be taken.
    pub queue: usize,
}

impl Default for ListenOptions {
    fn default() -> Self {
        ListenOptions { communities: None, least: SecurityLevel::NoAuthNoPriv, queue: 1024 }
    }
}

/// A notification that came.
#[derive(Clone, Debug)]
pub struct Received {
    /// When.
    pub at: SystemTime,
    /// From where.
    pub peer: SocketAddr,
    /// Over what.
    pub transport: Transport,
    /// The version of the message.
    pub version: Version,
    /// [`PduKind::TrapV1`], [`PduKind::TrapV2`] or [`PduKind::Inform`].
    pub kind: PduKind,
    /// How well the sender is proved; without authentication anybody may have sent it.
    pub level: SecurityLevel,
    /// The user of SNMPv3.
    pub user: Option<Vec<u8>>,
    /// The community of SNMPv1 and SNMPv2c.
    pub community: Option<Vec<u8>>,
    /// msgAuthoritativeEngineID: the sender's engine for traps, ours for informs; empty in SNMPv1 and SNMPv2c.
    pub engine_id: Vec<u8>,
    /// contextEngineID: whose data it is about; empty in SNMPv1 and SNMPv2c.
    pub context_engine_id: Vec<u8>,
    /// contextName.
    pub context_name: Vec<u8>,
    /// What happened, in the words of SNMPv2.
    pub notification: Notification,
    /// What came where it was SNMPv1.
    pub trap_v1: Option<TrapV1>,
}

impl Received {
    /// Whether it is proved who sent it: SNMPv3 with authNoPriv or authPriv.
    #[must_use]
    pub fn is_authenticated(&self) -> bool {
        self.level.is_authenticated()
    }
}

/// Sockets that are listened on. Dropping it closes them.
pub struct Listener {
    received: mpsc::Receiver<Received>,
    gate: Arc<Gate>,
    sockets: Vec<Socket>,
}

struct Socket {
    place: ListenUrl,
    _serving: Serving,
}

/// What ends when the socket is dropped.
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
    /// Binds all of these places and begins. `engine` is authoritative for informs, must take notifications
    /// ([`Handlers::RECEIVER`](trunkline_snmp::engine::Handlers)) and has the users. Must be called on a tokio
    /// runtime.
    ///
    /// # Errors
    /// [`Error::Transport`] when a place cannot be bound; none is then.
    pub fn bind(places: &[ListenUrl], engine: Arc<Engine>, options: ListenOptions) -> Result<Self, Error> {
        let (sender, received) = mpsc::channel(options.queue.max(1));
        let gate = Arc::new(Gate::new(engine, options, sender));
        let mut sockets = Vec::new();
        for place in places {
            for address in place.socket_addrs() {
                match serve(place.transport, address, &gate) {
                    Ok(socket) => sockets.push(socket),
                    Err(error) if place.address.is_none() && is_without_ipv6(address, &error) => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(Listener { received, gate, sockets })
    }

    /// The next notification. May be dropped and called again.
    pub async fn next(&mut self) -> Option<Received> {
        self.received.recv().await
    }

    /// Where it listens, with the ports that the kernel chose.
    pub fn places(&self) -> impl Iterator<Item = &ListenUrl> {
        self.sockets.iter().map(|socket| &socket.place)
    }

    /// What came so far.
    #[must_use]
    pub fn counts(&self) -> ListenCounts {
        self.gate.counts()
    }
}

fn serve(transport: Transport, address: SocketAddr, gate: &Arc<Gate>) -> Result<Socket, TransportError> {
    let gate = Arc::clone(gate);
    let (address, serving) = match transport {
        Transport::Udp => {
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
            (address, Serving::Datagrams(DatagramThread { stop, thread: Some(thread) }))
        }
        Transport::Tcp => {
            let server = TcpServer::bind(address)?;
            let address = server.local_addr();
            let handler = Arc::new(Messages::new(gate));
            let accept = async move {
                if let Err(error) = server.serve(handler, framed, TcpLimits::default()).await {
                    tracing::error!(%address, %error, "a TCP socket has ended");
                }
            };
            (address, Serving::Streams(StreamTask(tokio::spawn(accept).abort_handle())))
        }
    };
    Ok(Socket { place: ListenUrl::bound(transport, address), _serving: serving })
}

/// Whether a wildcard cannot be bound because the machine has no IPv6: then all of IPv4 is all there is.
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

//! The listeners and how a reload changes them: those that stay are not touched,
//! so that no request is lost.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_snmp::wire::frame_length;
use trunkline_transport::tcp::{FrameError, Reply, TcpHandler, TcpLimits, TcpServer};
use trunkline_transport::{ListenUrl, Transport, TransportError};

use crate::config::{SnmpPlan, TcpPlan};
use crate::door::snmp::{Answer, Door, Probe, UdpListener, serve_udp};

/// All sockets that are being served.
pub struct Listeners {
    door: Arc<Door>,
    runtime: Handle,
    serve_udp: fn(Arc<Door>, SocketAddr, Handle) -> Result<UdpListener, TransportError>,
    open: Vec<Listener>,
}

struct Listener {
    asked: ListenUrl,
    bound: ListenUrl,
    _socket: Open,
}

impl Listener {
    /// Whether it is what a configuration asks for, by the words of then or the port of now.
    fn serves(&self, asked: &ListenUrl) -> bool {
        self.asked == *asked || self.bound == *asked
    }
}

/// Dropping it closes the socket.
enum Open {
    Udp { _listener: UdpListener },
    Tcp(JoinHandle<()>),
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Open::Tcp(task) = self {
            task.abort();
        }
    }
}

impl Listeners {
    /// None yet. `P` is the instrument of the fast path.
    pub fn new<P: Probe>(door: Arc<Door>, runtime: Handle) -> Self {
        Listeners { door, runtime, serve_udp: serve_udp::<P>, open: Vec::new() }
    }

    /// Opens what the plan lists and is not open, closes what is open and not listed.
    /// An address that cannot be opened is an error; the others are served all the same.
    /// Gives the addresses newly opened.
    pub fn apply(&mut self, plan: &SnmpPlan) -> (Vec<ListenUrl>, Vec<TransportError>) {
        self.open.retain(|listener| plan.listen.iter().any(|asked| listener.serves(asked)));
        let (mut opened, mut errors) = (Vec::new(), Vec::new());
        for asked in &plan.listen {
            if self.open.iter().any(|listener| listener.serves(asked)) {
                continue;
            }
            for address in asked.socket_addrs() {
                match self.open_one(asked.transport, address, &plan.tcp, plan.max_message_size) {
                    Ok((bound, socket)) => {
                        opened.push(bound);
                        self.open.push(Listener { asked: *asked, bound, _socket: socket });
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        (opened, errors)
    }

    /// The addresses served now.
    pub fn bound(&self) -> impl Iterator<Item = &ListenUrl> {
        self.open.iter().map(|listener| &listener.bound)
    }

    fn open_one(
        &self,
        transport: Transport,
        address: SocketAddr,
        tcp: &TcpPlan,
        max_message: usize,
    ) -> Result<(ListenUrl, Open), TransportError> {
        match transport {
            Transport::Udp => {
                let listener = (self.serve_udp)(self.door.clone(), address, self.runtime.clone())?;
                let bound = ListenUrl::bound(transport, listener.address);
                Ok((bound, Open::Udp { _listener: listener }))
            }
            Transport::Tcp => {
                let server = TcpServer::bind(address)?;
                let bound = ListenUrl::bound(transport, server.local_addr());
                let limits = tcp_limits(tcp, max_message);
                let handler = handler(self.door.clone());
                let task = self.runtime.spawn(async move {
                    if let Err(error) = server.serve(handler, frame, limits).await {
                        tracing::error!(%error, "a TCP listener has ended");
                    }
                });
                Ok((bound, Open::Tcp(task)))
            }
        }
    }
}

fn handler(door: Arc<Door>) -> Arc<impl TcpHandler> {
    Arc::new(move |message: Vec<u8>, peer: trunkline_transport::tcp::PeerInfo| {
        let door = door.clone();
        async move {
            match door.answer(&message, peer.peer.ip()).await {
                Answer::Message(octets) => Reply::Send(octets),
                Answer::Silence => Reply::Nothing,
                Answer::Unreadable => Reply::Close,
            }
        }
    })
}

/// SNMP messages delimit themselves (RFC 3430 section 2.1).
fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    frame_length(octets).map_err(|_| FrameError)
}

fn tcp_limits(plan: &TcpPlan, max_message: usize) -> TcpLimits {
    TcpLimits {
        max_connections: plan.max_connections,
        max_per_peer: plan.max_connections_per_peer,
        max_in_flight: plan.max_in_flight,
        idle: plan.idle_timeout,
        message_time: plan.message_timeout,
        max_message: max_message.max(TcpLimits::default().max_message),
        ..TcpLimits::default()
    }
}

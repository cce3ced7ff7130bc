//! The listeners and how a reload changes them: those that stay are not touched,
//! so that no request is lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use trunkline_snmp::wire::frame_length;
use trunkline_transport::tcp::{FrameError, Reply, TcpCounters, TcpCounts, TcpHandler, TcpLimits, TcpServer};
use trunkline_transport::udp::UdpCounts;
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
    socket: Open,
}

impl Listener {
    /// Whether it is what a configuration asks for, by the words of then or the port of now.
    fn serves(&self, asked: &ListenUrl) -> bool {
        self.asked == *asked || self.bound == *asked
    }
}

/// Dropping it closes the socket.
enum Open {
    Udp(UdpListener),
    Tcp { task: JoinHandle<()>, counters: Arc<TcpCounters> },
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Open::Tcp { task, .. } = self {
            task.abort();
        }
    }
}

impl Open {
    /// What the socket saw, as names and numbers.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        match self {
            Open::Udp(listener) => {
                let mut counts = udp_counts(&listener.counters.read());
                counts.push(("crowded_out", listener.crowded_out.load(Ordering::Relaxed)));
                counts
            }
            Open::Tcp { counters, .. } => tcp_counts(&counters.read()),
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
                        self.open.push(Listener { asked: *asked, bound, socket });
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

    /// What each listener saw, in a line: its address and `name=number` for each counter.
    pub fn counts(&self) -> impl Iterator<Item = String> {
        self.open.iter().map(|listener| {
            let counts = listener.socket.counts().into_iter().map(|(name, count)| format!(" {name}={count}"));
            std::iter::once(listener.bound.to_string()).chain(counts).collect()
        })
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
                Ok((bound, Open::Udp(listener)))
            }
            Transport::Tcp => {
                let server = TcpServer::bind(address)?;
                let bound = ListenUrl::bound(transport, server.local_addr());
                let (limits, counters) = (tcp_limits(tcp, max_message), server.counters());
                let handler = handler(self.door.clone());
                let task = self.runtime.spawn(async move {
                    if let Err(error) = server.serve(handler, frame, limits).await {
                        tracing::error!(%error, "a TCP listener has ended");
                    }
                });
                Ok((bound, Open::Tcp { task, counters }))
            }
        }
    }
}

fn handler(door: Arc<Door>) -> Arc<impl TcpHandler> {
    Arc::new(move |message: Vec<u8>, peer: trunkline_transport::tcp::PeerInfo| {
        let door = door.clone();
        async move {
            match door.answer(&message, peer.peer).await {
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
        write_time: plan.write_timeout,
        max_message: max_message.max(TcpLimits::default().max_message),
        ..TcpLimits::default()
    }
}

/// Gives each named field of a struct of counts with its name: a counter that is added there and not here
/// does not compile.
macro_rules! named {
    ($counts:expr, $of:ident { $($field:ident),* $(,)? }) => {{
        let $of { $($field),* } = *$counts;
        vec![$((stringify!($field), $field)),*]
    }};
}

fn udp_counts(counts: &UdpCounts) -> Vec<(&'static str, u64)> {
    named!(
        counts,
        UdpCounts {
            received,
            received_octets,
            sent,
            sent_octets,
            truncated,
            receive_errors,
            too_long,
            refused,
            not_permitted,
            no_buffers,
            other_send_errors,
            panics,
        }
    )
}

fn tcp_counts(counts: &TcpCounts) -> Vec<(&'static str, u64)> {
    named!(
        counts,
        TcpCounts {
            accepted,
            refused_total,
            refused_per_peer,
            accept_errors,
            open,
            received,
            received_octets,
            sent,
            sent_octets,
            framing_errors,
            too_long,
            idle_closed,
            slow_messages,
            slow_readers,
            cut_short,
            io_errors,
            panics,
        }
    )
}

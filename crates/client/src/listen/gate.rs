//! What decides about each message that comes to a listener: who sent it, whether
//! it is taken, and what goes back.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Instant, SystemTime};

use tokio::sync::mpsc;
use trunkline_snmp::engine::{CommunityEntry, Engine, Incoming, Request, TrapV1Received};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{ErrorStatus, PduKind, ResponseWriter, Version};
use trunkline_snmp::{Counters, SecurityLevel};
use trunkline_transport::Transport;
use trunkline_transport::tcp::{PeerInfo, Reply, TcpHandler};
use trunkline_transport::udp::{Datagram, DatagramHandler, ReplySlot};

use super::{ListenOptions, Received};

/// The engine and the rules, for all sockets of a listener.
pub(super) struct Gate {
    engine: Arc<Engine>,
    options: ListenOptions,
    queue: mpsc::Sender<Received>,
    counters: Counters,
    taken: AtomicU64,
    refused: AtomicU64,
    malformed: AtomicU64,
    below_level: AtomicU64,
    crowded_out: AtomicU64,
    our_own: AtomicU64,
}

/// What came to a listener so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListenCounts {
    /// Notifications that were taken.
    pub taken: u64,
    /// Messages that the engine did not take: no SNMP, an unknown community or user, a wrong code, out of time.
    pub refused: u64,
    /// Messages of somebody we know whose bindings are no notification.
    pub malformed: u64,
    /// Notifications below the level that is required.
    pub below_level: u64,
    /// Notifications for which the queue had no room.
    pub crowded_out: u64,
    /// Datagrams that say they come from our own socket: answering them would go round in circles.
    pub our_own: u64,
}

/// What is used again from message to message.
#[derive(Default)]
struct Scratch {
    plain: Vec<u8>,
}

impl Gate {
    pub(super) fn new(engine: Arc<Engine>, options: ListenOptions, queue: mpsc::Sender<Received>) -> Self {
        Gate {
            engine,
            options,
            queue,
            counters: Counters::default(),
            taken: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            malformed: AtomicU64::new(0),
            below_level: AtomicU64::new(0),
            crowded_out: AtomicU64::new(0),
            our_own: AtomicU64::new(0),
        }
    }

    pub(super) fn counts(&self) -> ListenCounts {
        ListenCounts {
            taken: self.taken.load(Relaxed),
            refused: self.refused.load(Relaxed),
            malformed: self.malformed.load(Relaxed),
            below_level: self.below_level.load(Relaxed),
            crowded_out: self.crowded_out.load(Relaxed),
            our_own: self.our_own.load(Relaxed),
        }
    }

    /// Takes in one message; gives which octets of `out` go back, if any.
    fn message(
        &self,
        octets: &[u8],
        (transport, peer): (Transport, SocketAddr),
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let known = |community: &[u8]| self.takes(community).then_some(ANYBODY);
        let now = Instant::now();
        let plain = &mut scratch.plain;
        match self.engine.receive(octets, plain, out, now, known, &self.counters) {
            Incoming::Request(request) => {
                let received = self.notification(&request, transport, peer)?;
                let is_inform = request.pdu.kind == PduKind::Inform;
                if !self.hand_on(received) || !is_inform {
                    return None;
                }
                // RFC 3416 section 4.2.7: the Response repeats the bindings.
                let writer = ResponseWriter::new(out, request.max_size, request.reply());
                writer.finish_with_raw_bindings(ErrorStatus::NoError, 0, request.pdu.raw_bindings())
            }
            Incoming::TrapV1(trap) => {
                let received = self.trap_v1(trap, octets, transport, peer)?;
                self.hand_on(received);
                None
            }
            Incoming::Report { reply, .. } => {
                self.refused.fetch_add(1, Relaxed);
                Some(reply)
            }
            Incoming::Drop(reason) => {
                tracing::debug!(%peer, %reason, "a message is dropped");
                self.refused.fetch_add(1, Relaxed);
                None
            }
        }
    }

    fn takes(&self, community: &[u8]) -> bool {
        self.options.communities.as_ref().is_none_or(|taken| taken.iter().any(|taken| taken == community))
    }

    fn notification(
        &self,
        request: &Request<'_>,
        transport: Transport,
        peer: SocketAddr,
    ) -> Option<Received> {
        let pdu = request.pdu.to_pdu().ok();
        let notification = pdu.and_then(|pdu| Notification::from_bindings(pdu.bindings).ok());
        let Some(notification) = notification else {
            self.malformed.fetch_add(1, Relaxed);
            return None;
        };
        Some(Received {
            at: SystemTime::now(),
            peer,
            transport,
            version: request.version,
            kind: request.pdu.kind,
            level: request.level,
            user: request.user().map(|user| user.name().to_vec()),
            community: request.community().map(<[u8]>::to_vec),
            engine_id: request.authoritative_engine_id().unwrap_or_default().to_vec(),
            context_engine_id: request.user().map(|_| request.context_engine_id.to_vec()).unwrap_or_default(),
            context_name: request.context_name.to_vec(),
            notification,
            trap_v1: None,
        })
    }

    fn trap_v1(
        &self,
        received: TrapV1Received<'_>,
        octets: &[u8],
        transport: Transport,
        peer: SocketAddr,
    ) -> Option<Received> {
        // The engine has read it; what it does not hand on is the community.
        let community = trunkline_snmp::wire::TrapV1Message::decode(octets).ok()?.community;
        let Ok(notification) = Notification::from_trap_v1(&received.trap) else {
            self.malformed.fetch_add(1, Relaxed);
            return None;
        };
        Some(Received {
            at: SystemTime::now(),
            peer,
            transport,
            version: Version::V1,
            kind: PduKind::TrapV1,
            level: SecurityLevel::NoAuthNoPriv,
            user: None,
            community: Some(community),
            engine_id: Vec::new(),
            context_engine_id: Vec::new(),
            context_name: Vec::new(),
            notification,
            trap_v1: Some(received.trap),
        })
    }

    /// Whether it was taken.
    fn hand_on(&self, received: Received) -> bool {
        if received.level < self.options.least {
            self.below_level.fetch_add(1, Relaxed);
            return false;
        }
        let taken = self.queue.try_send(received).is_ok();
        let counter = if taken { &self.taken } else { &self.crowded_out };
        counter.fetch_add(1, Relaxed);
        taken
    }
}

/// A community names nobody.
const ANYBODY: CommunityEntry<'static> =
    CommunityEntry { security_name: b"", context_engine_id: None, context_name: b"" };

/// Takes in the datagrams of one socket.
pub(super) struct Datagrams {
    gate: Arc<Gate>,
    address: SocketAddr,
    scratch: Scratch,
}

impl Datagrams {
    pub(super) fn new(gate: Arc<Gate>, address: SocketAddr) -> Self {
        Datagrams { gate, address, scratch: Scratch::default() }
    }

    /// Whether a datagram says that it comes from this very socket.
    fn is_our_own(&self, datagram: &Datagram<'_>) -> bool {
        let asked = datagram.local.address.unwrap_or(self.address.ip());
        datagram.peer.port() == self.address.port() && datagram.peer.ip() == asked
    }
}

impl DatagramHandler for Datagrams {
    fn datagram(&mut self, datagram: Datagram<'_>, reply: &mut ReplySlot) {
        if self.is_our_own(&datagram) {
            self.gate.our_own.fetch_add(1, Relaxed);
            return;
        }
        let from = (Transport::Udp, datagram.peer);
        if let Some(answer) = self.gate.message(datagram.bytes, from, &mut self.scratch, reply.buffer()) {
            reply.send(answer);
        }
    }
}

/// Takes in the messages of all connections of one socket.
pub(super) struct Messages {
    gate: Arc<Gate>,
}

impl Messages {
    pub(super) fn new(gate: Arc<Gate>) -> Self {
        Messages { gate }
    }
}

impl TcpHandler for Messages {
    async fn handle(&self, message: Vec<u8>, peer: PeerInfo) -> Reply {
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let answer = self.gate.message(&message, (Transport::Tcp, peer.peer), &mut scratch, &mut out);
        match answer {
            Some(range) => Reply::Send(out.get(range).unwrap_or_default().to_vec()),
            None => Reply::Nothing,
        }
    }
}

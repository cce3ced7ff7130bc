//! Decides about each message that reaches a listener: who sent it, whether it is accepted, and what is sent back.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Instant, SystemTime};

use tokio::sync::mpsc;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{
    CommunityEntry, DropReason, Engine, Incoming, Request, TransportState, TrapV1Received, UsmFailure,
};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::usm::{EngineMoment, User};
use trunkline_snmp::wire::{ErrorStatus, PduKind, ResponseWriter, Version};
use trunkline_transport::tcp::HandshakeError;
use trunkline_transport::udp::{Datagram, DatagramHandler, ReplySlot};
use trunkline_transport::{Refused, Reply, SessionHandler, SessionInfo, Transport};

use crate::snmp_session::SNMP_ENGINE_ID;

use super::stranger::{RefusedSession, SessionFault};
use super::{ListenOptions, Listened, Received, secure};

/// The engine and the rules, for all sockets of a listener.
pub(super) struct Gate {
    engine: Arc<Engine>,
    pub(super) options: ListenOptions,
    queue: mpsc::Sender<Received>,
    counters: Counters,
    taken: AtomicU64,
    refused: AtomicU64,
    malformed: AtomicU64,
    below_level: AtomicU64,
    not_admitted: AtomicU64,
    strangers: AtomicU64,
    unauthenticated: AtomicU64,
    crowded_out: AtomicU64,
    our_own: AtomicU64,
    /// Reports refused messages and sessions, while the queue has room and somebody listens.
    refusals: mpsc::Sender<Listened>,
}

/// A message that a listener refused, and why. A sender may send many, so not every one is reported.
#[derive(Clone, Debug)]
pub struct RefusedMessage {
    /// The sender's address.
    pub peer: SocketAddr,
    /// The transport that it arrived over.
    pub transport: Transport,
    /// The reason; it may contain text of the sender's.
    pub why: String,
}

/// What a listener has received so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListenCounts {
    /// Notifications that were accepted.
    pub taken: u64,
    /// Messages that the engine refused: not SNMP, an unknown community or user, a wrong digest, out of time.
    pub refused: u64,
    /// Messages from known senders whose bindings are not a notification.
    pub malformed: u64,
    /// Notifications below the level that is required.
    pub below_level: u64,
    /// Notifications that [`ListenOptions::admission`] does not accept.
    pub not_admitted: u64,
    /// Sessions of TLS, DTLS and SSH whose certificate or user maps to no name here.
    pub strangers: u64,
    /// Sessions that were not made because one end refused the other's certificate, user, key or password.
    pub unauthenticated: u64,
    /// Notifications for which the queue had no room.
    pub crowded_out: u64,
    /// Datagrams whose source is our own socket: answering them would create a loop.
    pub our_own: u64,
}

/// The source of a message, and what its session authenticates.
#[derive(Clone, Copy)]
pub(super) struct Sender<'s> {
    pub(super) transport: Transport,
    pub(super) peer: SocketAddr,
    /// The address that it was sent to, if known.
    pub(super) local: Option<SocketAddr>,
    pub(super) over: Option<&'s TransportState>,
}

/// The outcome of a message, with the octets to send back, if any.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Its sender is accepted.
    Taken(Option<Range<usize>>),
    /// Its sender is not, or it is not a notification.
    Refused(Option<Range<usize>>),
}

impl Outcome {
    /// The octets to send back.
    pub(super) fn answer(&self) -> Option<Range<usize>> {
        match self {
            Self::Taken(answer) | Self::Refused(answer) => answer.clone(),
        }
    }
}

/// Buffers reused from message to message.
#[derive(Default)]
pub(super) struct Scratch {
    plain: Vec<u8>,
}

impl Gate {
    pub(super) fn new(
        engine: Arc<Engine>,
        options: ListenOptions,
        queue: mpsc::Sender<Received>,
        refusals: mpsc::Sender<Listened>,
    ) -> Self {
        Gate {
            refusals,
            engine,
            options,
            queue,
            counters: Counters::default(),
            taken: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            malformed: AtomicU64::new(0),
            below_level: AtomicU64::new(0),
            not_admitted: AtomicU64::new(0),
            strangers: AtomicU64::new(0),
            unauthenticated: AtomicU64::new(0),
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
            not_admitted: self.not_admitted.load(Relaxed),
            strangers: self.strangers.load(Relaxed),
            unauthenticated: self.unauthenticated.load(Relaxed),
            crowded_out: self.crowded_out.load(Relaxed),
            our_own: self.our_own.load(Relaxed),
        }
    }

    /// Handles one message.
    pub(super) fn message(
        &self,
        octets: &[u8],
        sender: Sender<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let Sender { peer, over, .. } = sender;
        let known = |community: &[u8]| self.takes(community).then_some(ANYBODY);
        let now = Instant::now();
        let plain = &mut scratch.plain;
        match self.engine.receive(octets, plain, out, now, over, known, &self.counters) {
            // RFC 5343 section 3.2: the sender of an inform requests our engine ID.
            Incoming::Request(request) if request.pdu.kind == PduKind::Get => {
                let mut writer = ResponseWriter::new(out, request.max_size, request.reply());
                let id = self.engine.id().as_bytes();
                writer.value_at(&SNMP_ENGINE_ID, trunkline_smi::ValueRef::OctetString(id));
                Outcome::Taken(writer.finish())
            }
            Incoming::Request(request) => {
                let Some(received) = self.notification(&request, sender) else {
                    return Outcome::Refused(None);
                };
                let is_inform = request.pdu.kind == PduKind::Inform;
                if !self.hand_on(received) || !is_inform {
                    return Outcome::Taken(None);
                }
                // RFC 3416 section 4.2.7: the Response repeats the bindings.
                let writer = ResponseWriter::new(out, request.max_size, request.reply());
                let bindings = request.pdu.raw_bindings();
                Outcome::Taken(writer.finish_with_raw_bindings(ErrorStatus::NoError, 0, bindings))
            }
            Incoming::TrapV1(trap) => {
                let Some(received) = self.trap_v1(trap, octets, sender) else {
                    return Outcome::Refused(None);
                };
                self.hand_on(received);
                Outcome::Taken(None)
            }
            Incoming::Report { reply, reason } => {
                if !is_discovery(&reason) {
                    self.refused.fetch_add(1, Relaxed);
                    self.refuse(sender, || reason.to_string());
                }
                Outcome::Refused(Some(reply))
            }
            Incoming::Drop(reason) => {
                tracing::debug!(%peer, %reason, "a message is dropped");
                self.refused.fetch_add(1, Relaxed);
                self.refuse(sender, || reason.to_string());
                Outcome::Refused(None)
            }
        }
    }

    fn refuse(&self, Sender { transport, peer, .. }: Sender<'_>, why: impl FnOnce() -> String) {
        if let Ok(place) = self.refusals.try_reserve() {
            place.send(Listened::Refused(RefusedMessage { peer, transport, why: why() }));
        }
    }

    /// A handshake failed.
    pub(super) fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        if let Some(fault) = SessionFault::of(error) {
            self.unauthenticated.fetch_add(1, Relaxed);
            self.no_session(RefusedSession { peer, transport, fault, why: error.to_string() });
        }
    }

    /// A peer is authenticated, but has no name here.
    pub(super) fn stranger(&self, &SessionInfo { peer, transport, .. }: &SessionInfo) {
        self.strangers.fetch_add(1, Relaxed);
        let why = match transport {
            Transport::Ssh => "its user has no name here",
            _ => "its certificate has no name here",
        };
        self.no_session(RefusedSession { peer, transport, fault: SessionFault::NoName, why: why.into() });
    }

    fn no_session(&self, refused: RefusedSession) {
        // Nobody may listen, or many may come: it is counted.
        let _ = self.refusals.try_send(Listened::NoSession(refused));
    }

    fn takes(&self, community: &[u8]) -> bool {
        self.options.communities.as_ref().is_none_or(|taken| taken.iter().any(|taken| taken == community))
    }

    fn notification(&self, request: &Request<'_>, sender: Sender<'_>) -> Option<Received> {
        let Sender { transport, peer, local, over } = sender;
        let pdu = request.pdu.to_pdu().ok();
        let notification = pdu.and_then(|pdu| Notification::from_bindings(pdu.bindings).ok());
        let Some(notification) = notification else {
            self.malformed.fetch_add(1, Relaxed);
            self.refuse(sender, || NOT_A_NOTIFICATION.to_owned());
            return None;
        };
        let is_v3 = request.version == Version::V3;
        let user = request.user().map(User::name).or_else(|| over.map(|_| request.security_name()));
        Some(Received {
            at: SystemTime::now(),
            peer,
            local,
            transport,
            version: request.version,
            kind: request.pdu.kind,
            level: request.level,
            user: user.map(<[u8]>::to_vec),
            community: request.community().filter(|_| over.is_none()).map(<[u8]>::to_vec),
            engine_id: request.authoritative_engine_id().unwrap_or_default().to_vec(),
            context_engine_id: if is_v3 { request.context_engine_id.to_vec() } else { Vec::new() },
            context_name: request.context_name.to_vec(),
            notification,
            trap_v1: None,
        })
    }

    fn trap_v1(&self, received: TrapV1Received<'_>, octets: &[u8], sender: Sender<'_>) -> Option<Received> {
        let Sender { transport, peer, local, over } = sender;
        // The engine has decoded it; the community is what it does not hand on.
        let community = trunkline_snmp::wire::TrapV1Message::decode(octets).ok()?.community;
        let notification = match Notification::from_trap_v1(&received.trap) {
            Ok(notification) => notification,
            Err(fault) => {
                self.malformed.fetch_add(1, Relaxed);
                self.refuse(sender, || format!("the trap has no name: {fault}"));
                return None;
            }
        };
        Some(Received {
            at: SystemTime::now(),
            peer,
            local,
            transport,
            version: Version::V1,
            kind: PduKind::TrapV1,
            level: received.level,
            user: over.map(|_| received.entry.security_name.to_vec()),
            community: over.is_none().then_some(community),
            engine_id: Vec::new(),
            context_engine_id: Vec::new(),
            context_name: Vec::new(),
            notification,
            trap_v1: Some(received.trap),
        })
    }

    /// Whether the queue took it.
    fn hand_on(&self, received: Received) -> bool {
        if received.level < self.options.least {
            self.below_level.fetch_add(1, Relaxed);
            let Received { transport, peer, level, .. } = received;
            let least = self.options.least.name();
            let why = || format!("it is {}, and {least} is required", level.name());
            self.refuse(Sender { transport, peer, local: None, over: None }, why);
            return false;
        }
        if !self.options.admission.admits(&received) {
            self.not_admitted.fetch_add(1, Relaxed);
            let Received { transport, peer, .. } = received;
            let sender = Sender { transport, peer, local: None, over: None };
            self.refuse(sender, || "its sender has no right to such a notification".to_owned());
            return false;
        }
        let taken = self.queue.try_send(received).is_ok();
        let counter = if taken { &self.taken } else { &self.crowded_out };
        counter.fetch_add(1, Relaxed);
        taken
    }
}

/// Whether it only requests our engine ID or clock, as the sender of an inform does first (RFC 3414 section 4).
fn is_discovery(reason: &DropReason) -> bool {
    match reason {
        DropReason::Usm(UsmFailure::UnknownEngineId) => true,
        DropReason::Usm(UsmFailure::NotInTimeWindow(late)) => EngineMoment::new(0, 0) == Some(late.found),
        _ => false,
    }
}

const NOT_A_NOTIFICATION: &str = "its bindings are not those of a notification";

/// A community that maps to nobody.
const ANYBODY: CommunityEntry<'static> =
    CommunityEntry { security_name: b"", context_engine_id: None, context_name: b"" };

/// Handles the datagrams of one socket.
pub(super) struct Datagrams {
    gate: Arc<Gate>,
    address: SocketAddr,
    scratch: Scratch,
}

impl Datagrams {
    pub(super) fn new(gate: Arc<Gate>, address: SocketAddr) -> Self {
        Datagrams { gate, address, scratch: Scratch::default() }
    }

    /// Whether a datagram claims to come from this very socket.
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
        let asked = datagram.local.address.unwrap_or(self.address.ip());
        let local = (!asked.is_unspecified()).then(|| SocketAddr::new(asked, self.address.port()));
        let sender = Sender { transport: Transport::Udp, peer: datagram.peer, local, over: None };
        let outcome = self.gate.message(datagram.bytes, sender, &mut self.scratch, reply.buffer());
        if let Some(answer) = outcome.answer() {
            reply.send(answer);
        }
    }
}

/// Handles the messages of all connections of one socket.
pub(super) struct Inbox {
    gate: Arc<Gate>,
}

impl Inbox {
    pub(super) fn new(gate: Arc<Gate>) -> Self {
        Inbox { gate }
    }
}

/// A session, and its peer.
pub(super) struct Peer {
    transport: Transport,
    address: SocketAddr,
    local: SocketAddr,
    state: Option<TransportState>,
    /// The longest answer that the transport can carry.
    max_message: usize,
}

impl SessionHandler for Inbox {
    type Session = Peer;

    fn open(&self, info: &SessionInfo) -> Result<Arc<Peer>, Refused> {
        let names = &self.gate.options.secure.names;
        let state = secure::state(info, names).inspect_err(|_| self.gate.stranger(info))?;
        let &SessionInfo { transport, peer: address, local, .. } = info;
        let max_message = info.max_message();
        Ok(Arc::new(Peer { transport, address, local, state, max_message }))
    }

    fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        self.gate.failed(peer, transport, error);
    }

    async fn handle(&self, message: Vec<u8>, session: &Arc<Peer>) -> Reply {
        let Peer { transport, address: peer, local, ref state, max_message } = **session;
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let sender = Sender { transport, peer, local: Some(local), over: state.as_ref() };
        let outcome = self.gate.message(&message, sender, &mut scratch, &mut out);
        let answer = outcome.answer().filter(|range| range.len() <= max_message);
        let octets = answer.map(|range| out.get(range).unwrap_or_default().to_vec());
        match outcome {
            Outcome::Taken(_) => octets.into(),
            Outcome::Refused(_) => Reply::Refuse(octets.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::{Oid, Value};
    use trunkline_snmp::SecurityLevel;
    use trunkline_snmp::engine::{EngineOptions, Handlers};
    use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
    use trunkline_snmp::wire::{Message, Pdu, TrapV1, TrapV1Message, VarBind};
    use trunkline_transport::udp::Local;

    use super::*;
    use crate::listen::Admission;

    const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 50_000);

    fn gate(options: ListenOptions) -> (Gate, mpsc::Receiver<Received>) {
        let (gate, received, _) = gate_with_refusals(options);
        (gate, received)
    }

    fn gate_with_refusals(
        options: ListenOptions,
    ) -> (Gate, mpsc::Receiver<Received>, mpsc::Receiver<Listened>) {
        let engine = Engine::new(EngineOptions {
            id: EngineId::generate(8072, [1; 12]),
            clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
            max_size: 65_507,
            handlers: Handlers::RECEIVER,
            remote_engines: 4,
            entropy: 0,
        });
        let (sender, received) = mpsc::channel(options.queue);
        let (refusals, refused) = mpsc::channel(1);
        (Gate::new(Arc::new(engine), options, sender, refusals), received, refused)
    }

    fn notification() -> Notification {
        let binding = VarBind::new(Oid::from([1, 3, 6, 1, 9]), Value::Integer(7));
        Notification {
            uptime: 5,
            trap_oid: Oid::from([1, 3, 6, 1, 6, 3, 1, 1, 5, 1]),
            bindings: vec![binding],
        }
    }

    fn message(kind: PduKind, id: i32) -> Vec<u8> {
        let pdu = notification().to_pdu(kind, id);
        Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode()
    }

    fn take(gate: &Gate, octets: &[u8]) -> Option<Vec<u8>> {
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let sender = Sender { transport: Transport::Udp, peer: PEER, local: None, over: None };
        let range = gate.message(octets, sender, &mut scratch, &mut out).answer()?;
        Some(out[range].to_vec())
    }

    #[test]
    fn an_inform_is_confirmed_with_its_bindings_and_only_if_accepted() {
        let (gate, mut received) = gate(ListenOptions { queue: 2, ..ListenOptions::default() });
        for id in [1, 2] {
            let answer = Message::decode(&take(&gate, &message(PduKind::Inform, id)).unwrap()).unwrap();
            assert_eq!((answer.pdu.kind, answer.pdu.request_id), (PduKind::Response, id));
            assert_eq!(answer.pdu.bindings, notification().to_bindings());
        }
        // The queue is full: the sender must retry.
        assert_eq!(take(&gate, &message(PduKind::Inform, 3)), None);
        assert_eq!(take(&gate, &message(PduKind::TrapV2, 4)), None);
        assert_eq!((gate.counts().taken, gate.counts().crowded_out), (2, 2));
        assert_eq!(received.try_recv().unwrap().notification, notification());
        assert!(take(&gate, &message(PduKind::Inform, 3)).is_some());
    }

    #[test]
    fn what_is_not_admitted_is_neither_confirmed_nor_handed_on() {
        let admission = Admission::of(|received| received.kind == PduKind::Inform);
        let (gate, mut received) = gate(ListenOptions::default().with_admission(admission));
        assert_eq!(take(&gate, &message(PduKind::TrapV2, 1)), None);
        assert!(received.try_recv().is_err());
        assert_eq!(gate.counts(), ListenCounts { not_admitted: 1, ..ListenCounts::default() });
        assert!(take(&gate, &message(PduKind::Inform, 2)).is_some());
        assert_eq!(received.try_recv().unwrap().kind, PduKind::Inform);
        let none = Admission::of(|_| false);
        let (closed, mut received) = self::gate(ListenOptions::default().with_admission(none));
        assert_eq!(take(&closed, &message(PduKind::Inform, 3)), None);
        assert!(received.try_recv().is_err());
    }

    #[test]
    fn each_reason_for_refusing_a_message_is_counted() {
        let communities = Some(vec![b"public".to_vec()]);
        let least = SecurityLevel::AuthNoPriv;
        let (strict, _queue) = gate(ListenOptions {
            communities: communities.clone(),
            least,
            queue: 1,
            ..ListenOptions::default()
        });
        assert_eq!(take(&strict, &message(PduKind::Inform, 1)), None);
        assert_eq!(strict.counts(), ListenCounts { below_level: 1, ..ListenCounts::default() });

        let (gate, mut received) = gate(ListenOptions { communities, queue: 1, ..ListenOptions::default() });
        let mut stranger = message(PduKind::TrapV2, 1);
        stranger[7] = b'P';
        assert_eq!(take(&gate, &stranger), None);
        assert_eq!(take(&gate, &[0x30]), None);
        assert_eq!(take(&gate, &message(PduKind::Get, 1)), None, "we answer no requests");
        assert_eq!(gate.counts().refused, 3);
        let nothing = Pdu::new(PduKind::Inform, 1, vec![]);
        let nothing = Message { version: Version::V2c, community: b"public".to_vec(), pdu: nothing };
        assert_eq!(take(&gate, &nothing.encode()), None);
        let trap = TrapV1 {
            enterprise: Oid::from([1, 3, 6, 1, 4, 1, 9]),
            agent_addr: [0; 4],
            generic: 9,
            specific: 0,
            time_stamp: 0,
            bindings: vec![],
        };
        let trap = TrapV1Message { community: b"public".to_vec(), trap };
        assert_eq!(take(&gate, &trap.encode()), None);
        assert_eq!(gate.counts().malformed, 2);
        assert!(received.try_recv().is_err());
    }

    #[test]
    fn a_refused_message_is_reported_with_its_reason_if_somebody_listens() {
        let options =
            ListenOptions { communities: Some(vec![b"public".to_vec()]), ..ListenOptions::default() };
        let (gate, _received, mut refused) = gate_with_refusals(options);
        let mut stranger = message(PduKind::TrapV2, 1);
        stranger[7] = b'P';
        for _ in 0..3 {
            assert_eq!(take(&gate, &stranger), None);
        }
        let Ok(Listened::Refused(told)) = refused.try_recv() else { panic!("it was reported") };
        assert_eq!((told.peer, told.why.as_str()), (PEER, "unknown community"));
        assert!(refused.try_recv().is_err(), "there was room for one");
        assert_eq!(take(&gate, &message(PduKind::Get, 1)), None);
        let Ok(Listened::Refused(told)) = refused.try_recv() else { panic!("it was reported") };
        assert!(told.why.contains("GetRequest"));
        assert_eq!(gate.counts().refused, 4);
    }

    #[test]
    fn discovery_is_answered_and_not_counted_as_refused() {
        use trunkline_snmp::engine::{SecurityName, TransportDomain};
        use trunkline_snmp::role::manager::{TransportAsker, TransportManager};

        let (gate, _received, mut refused) = gate_with_refusals(ListenOptions::default());
        // RFC 5343: snmpEngineID.0 of the engine that receives it.
        let name = SecurityName::new(b"ann").unwrap();
        let state = TransportState::new(TransportDomain::Dtls, name, SecurityLevel::AuthPriv, 0);
        let level = SecurityLevel::AuthPriv;
        let asker = TransportAsker { level, context_name: Vec::new(), context_engine_id: None };
        let probe = TransportManager::new(asker, 65_507).encode_discovery(4, 5).unwrap();
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let sender = Sender { transport: Transport::Dtls, peer: PEER, local: None, over: Some(&state) };
        let outcome = gate.message(&probe, sender, &mut scratch, &mut out);
        let Outcome::Taken(Some(range)) = outcome else { panic!("{outcome:?}") };
        let id = gate.engine.id().as_bytes();
        assert!(out[range].windows(id.len()).filter(|part| *part == id).count() >= 1);
        assert!(refused.try_recv().is_err());
        assert_eq!(gate.counts(), ListenCounts::default());
    }

    #[test]
    fn a_datagram_from_our_own_address_is_not_answered() {
        let (gate, mut received) = gate(ListenOptions::default());
        let ours = SocketAddr::new(PEER.ip(), 162);
        let mut handler = Datagrams::new(Arc::new(gate), ours);
        let octets = message(PduKind::Inform, 1);
        let mut reply = ReplySlot::default();
        let mut datagram = Datagram { bytes: &octets, peer: ours, local: Local::default() };
        handler.datagram(datagram, &mut reply);
        assert_eq!(handler.gate.counts(), ListenCounts { our_own: 1, ..ListenCounts::default() });
        datagram.peer = PEER;
        handler.datagram(datagram, &mut reply);
        assert_eq!(handler.gate.counts().taken, 1);
        assert!(received.try_recv().is_ok());
    }
}

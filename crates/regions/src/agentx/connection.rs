//! A connection of subagents: what they ask of the master, and their responses to what it asks of them.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use trunkline_agentx::registry;
use trunkline_agentx::wire::{
    ByteOrder, DecodeError, ErrorCode, Header, HeaderError, Packet, Pdu, decode, first_packet,
};
use trunkline_local::PlainStream;
use trunkline_smi::{VarBind, visible};

use super::link::{Answer, Link};
use super::master::Master;
use super::session::{Fault, Session};

/// Serves a connection until it ends.
pub(super) async fn serve(master: Arc<Master>, stream: PlainStream, peer: String, number: u64) {
    let link = Arc::new(Link::new(stream));

    let mut connection = Connection { master, link, peer, number, sessions: HashMap::new(), incomplete: 0 };
    let link = connection.link.clone();
    let ended = tokio::select! {
        ended = connection.read() => ended,
        Err(error) = link.flush() => Err(Ended::Failed(error)),
    };
    connection.end(&ended);
}

struct Connection {
    master: Arc<Master>,
    link: Arc<Link>,
    peer: String,
    number: u64,
    sessions: HashMap<u32, Arc<Session>>,
    /// Octets that wait for the rest of their packet.
    incomplete: usize,
}

/// Why a connection has ended.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("the connection failed: {0}")]
    Failed(#[from] io::Error),
    #[error("what it sends is not AgentX: {0}")]
    NotAgentX(#[from] HeaderError),
    #[error("a packet was not complete after {PACKET_WITHIN:?}")]
    Incomplete,
    #[error("it has had no session for {SESSION_WITHIN:?}")]
    NoSession,
    #[error("{MOST_UNREADABLE} packets in a row cannot be read")]
    Unreadable,
    #[error("a packet of more than {MOST_BEFORE_OPEN} octets, without a session")]
    TooLong,
    #[error("packets that are not complete have {MOST_INCOMPLETE} octets, over all connections")]
    Crowded,
}

/// What a response repeats of its request.
struct Asked {
    order: ByteOrder,
    session: u32,
    transaction: u32,
    packet: u32,
}

/// What the master answers.
struct Reply {
    error: u16,
    index: u16,
    bindings: Vec<VarBind>,
    /// The session of the answer, where it is another one than that of the request.
    session: Option<u32>,
    /// What must be in effect before.
    change: Option<u64>,
}

impl Reply {
    const OK: Reply = Reply { error: 0, index: 0, bindings: Vec::new(), session: None, change: None };

    fn of(error: ErrorCode) -> Self {
        Reply { error: error.code(), ..Reply::OK }
    }

    fn after(changed: Result<u64, ErrorCode>) -> Self {
        changed.map_or_else(Reply::of, |change| Reply { change: Some(change), ..Reply::OK })
    }
}

impl Connection {
    async fn read(&mut self) -> Result<(), Ended> {
        let mut buffer = Vec::new();
        let mut idle_since = Instant::now();
        let mut begun = None;
        let mut unreadable = 0;
        loop {
            let mut taken = 0;
            while let Some(packet) = first_packet(&buffer[taken..])? {
                taken += packet.len();
                match decode(packet) {
                    Ok(packet) => {
                        unreadable = 0;
                        self.packet(packet);
                    }
                    Err(error) => {
                        unreadable += 1;
                        self.unreadable(&error);
                    }
                }
                if unreadable >= MOST_UNREADABLE {
                    return Err(Ended::Unreadable);
                }
                begun = None;
            }
            buffer.drain(..taken);
            if buffer.is_empty() {
                buffer.shrink_to(KEPT);
            } else {
                begun = begun.or_else(|| Some(Instant::now()));
            }
            self.sessions.retain(|_, session| !session.is_gone());
            if self.sessions.is_empty() && buffer.len() > MOST_BEFORE_OPEN {
                return Err(Ended::TooLong);
            }
            self.account(buffer.len())?;
            if !self.sessions.is_empty() {
                idle_since = Instant::now();
            }
            let deadline = match (begun, self.sessions.is_empty()) {
                (Some(begun), _) => Some((begun + PACKET_WITHIN, Ended::Incomplete)),
                (None, true) => Some((idle_since + SESSION_WITHIN, Ended::NoSession)),
                (None, false) => None,
            };
            let read = self.link.read(&mut buffer);
            let count = match deadline {
                None => read.await?,
                Some((at, ended)) => timeout_at(at, read).await.map_err(|_| ended)??,
            };
            if count == 0 {
                return Ok(());
            }
        }
    }

    /// Counts what waits for the rest of its packet.
    fn account(&mut self, incomplete: usize) -> Result<(), Ended> {
        let all = &self.master.incomplete;
        let others = all.fetch_sub(self.incomplete, Ordering::Relaxed) - self.incomplete;
        all.fetch_add(incomplete, Ordering::Relaxed);
        self.incomplete = incomplete;
        if incomplete > KEPT && others + incomplete > MOST_INCOMPLETE { Err(Ended::Crowded) } else { Ok(()) }
    }

    /// Takes a packet.
    fn packet(&mut self, packet: Packet) {
        let session = self.sessions.get(&packet.session).filter(|session| !session.is_gone()).cloned();
        let context = packet.context.as_deref().unwrap_or_default();
        let reply = match (packet.pdu, session) {
            (Pdu::Response { error, index, bindings, .. }, session) => {
                if !self.link.respond(packet.packet, Ok(Answer { error, index, bindings })) {
                    let what = format!("it sends a response to packet {}, which was not sent", packet.packet);
                    self.complain(session.as_ref(), Fault::Unknown, &what);
                }
                return;
            }
            (Pdu::Open { timeout, id, mut description }, _) => {
                let timeout = stated(timeout);
                description.truncate(MOST_DESCRIBED);
                let opened = self.master.up_time();
                let order = packet.order;
                self.open(registry::Session { timeout, id, description, order, opened })
            }
            (_, None) => Reply::of(ErrorCode::NotOpen),
            (Pdu::Close { .. }, Some(session)) => {
                self.sessions.remove(&session.number);
                self.master.close(session.number);
                Reply::OK
            }
            (pdu, Some(session)) => self.of_session(&session, context, pdu),
        };
        let session = reply.session.unwrap_or(packet.session);
        let to =
            Asked { order: packet.order, session, transaction: packet.transaction, packet: packet.packet };
        self.answer(to, reply);
    }

    /// What a subagent asks of the master within a session.
    fn of_session(&self, session: &Session, context: &[u8], pdu: Pdu) -> Reply {
        let (master, number) = (&self.master, session.number);
        if context.len() > MOST_OF_CONTEXT {
            return Reply::of(ErrorCode::UnsupportedContext);
        }
        match pdu {
            Pdu::Register(mut registration) => {
                registration.timeout = stated(registration.timeout);
                let registered = master.register(number, context, &registration);
                if let Err(error) = registered {
                    let subtree = &registration.subtree;
                    session.complain(
                        Fault::Refused,
                        format_args!("its registration of {subtree} is refused: {error}"),
                    );
                }
                Reply::after(registered)
            }
            Pdu::Unregister(registration) => Reply::after(master.unregister(number, context, &registration)),
            Pdu::Ping => Reply::OK,
            Pdu::Notify(bindings) => match master.notify(context, bindings) {
                Ok(()) => Reply::OK,
                Err((error, index)) => Reply { index, ..Reply::of(error) },
            },
            Pdu::IndexAllocate(request) => match master.allocate(number, context, &request) {
                Ok(bindings) => Reply { bindings, ..Reply::OK },
                Err(fault) => {
                    Reply { index: fault.index, bindings: request.bindings, ..Reply::of(fault.error) }
                }
            },
            Pdu::IndexDeallocate(request) => {
                let (error, index) = match master.deallocate(number, context, &request) {
                    Ok(()) => (0, 0),
                    Err(fault) => (fault.error.code(), fault.index),
                };
                Reply { error, index, bindings: request.bindings, ..Reply::OK }
            }
            Pdu::AddAgentCaps { id, mut description } => {
                description.truncate(MOST_DESCRIBED);
                master.add_capability(number, context, id, description).map_or_else(Reply::of, |()| Reply::OK)
            }
            Pdu::RemoveAgentCaps { id } => {
                master.remove_capability(number, context, &id).map_or_else(Reply::of, |()| Reply::OK)
            }
            other => {
                session.complain(
                    Fault::Unexpected,
                    format_args!("it sends {}, which only a master does", other.name()),
                );
                Reply::of(ErrorCode::ProcessingError)
            }
        }
    }

    fn open(&mut self, session: registry::Session) -> Reply {
        let description = visible(&String::from_utf8_lossy(&session.description)).into_owned();
        let name = match description.as_str() {
            "" => format!("{} ({})", session.id, self.peer),
            description => format!("{description} ({})", self.peer),
        };
        match self.master.open(self.number, session, name.clone(), &self.link) {
            Ok(session) => {
                let number = session.number;
                self.sessions.insert(number, session);
                Reply { session: Some(number), ..Reply::OK }
            }
            Err(error) => {
                if let Some(left_out) = self.master.log.admit() {
                    tracing::warn!(subagent = name, left_out, "a session is refused");
                }
                Reply::of(error)
            }
        }
    }

    /// A packet whose end is known, and nothing else of it: its request fails, or it is answered with an error.
    fn unreadable(&self, error: &DecodeError) {
        let Some(header) = error.header else { return };
        let session = self.sessions.get(&header.session);
        if header.is_response() {
            if !self.link.respond(header.packet, Err(error.to_string())) {
                self.complain(session, Fault::Unreadable, &format!("a packet cannot be read: {error}"));
            }
            return;
        }
        self.complain(session, Fault::Unreadable, &format!("a packet cannot be read: {error}"));
        let Header { order, session, transaction, packet, .. } = header;
        self.answer(Asked { order, session, transaction, packet }, Reply::of(ErrorCode::ParseError));
    }

    fn complain(&self, session: Option<&Arc<Session>>, fault: Fault, what: &str) {
        if let Some(session) = session.or_else(|| self.sessions.values().next()) {
            session.complain(fault, what);
        } else if let Some(left_out) = self.master.log.admit() {
            tracing::warn!(peer = self.peer, what, left_out, "a subagent without a session fails");
        }
    }

    /// Answers, at once or when what was changed is in effect.
    fn answer(&self, to: Asked, reply: Reply) {
        let Reply { error, index, bindings, change, .. } = reply;
        let Asked { order, session, transaction, packet } = to;
        let pdu = Pdu::Response { sys_up_time: self.master.up_time(), error, index, bindings };
        let response = Packet { order, session, transaction, packet, context: None, pdu };
        let Some(change) = change else {
            self.send(&response);
            return;
        };
        let (master, link) = (self.master.clone(), self.link.clone());
        tokio::spawn(async move {
            master.in_effect(change).await;
            // If it does not read, it does not learn of it.
            let _ = link.send(&response);
        });
    }

    fn send(&self, response: &Packet) {
        if let Err(unsent) = self.link.send(response) {
            self.complain(self.sessions.get(&response.session), Fault::TimedOut, &unsent.to_string());
        }
    }

    /// Logs its end.
    fn end(&self, ended: &Result<(), Ended>) {
        let sessions: Vec<&str> = self
            .sessions
            .values()
            .filter(|session| !session.is_gone())
            .map(|session| &*session.name)
            .collect();
        match ended {
            Ok(()) => {
                for subagent in sessions {
                    if let Some(left_out) = self.master.log.admit() {
                        tracing::info!(subagent, left_out, "a subagent has gone");
                    }
                }
            }
            Err(reason) => {
                let subagent = sessions.first().copied().unwrap_or(&self.peer);
                if let Some(left_out) = self.master.log.admit() {
                    tracing::warn!(subagent, %reason, left_out, "a subagent's connection is closed");
                }
            }
        }
    }
}

/// All that was on it is gone, also when its listener is closed.
impl Drop for Connection {
    fn drop(&mut self) {
        self.link.close();
        self.master.incomplete.fetch_sub(self.incomplete, Ordering::Relaxed);
        self.master.went(self.number);
    }
}

/// A time limit in seconds, 0 if none is stated. Net-SNMP's library sends 255 for none (its -1 in one octet).
fn stated(timeout: u8) -> u8 {
    if timeout == u8::MAX { 0 } else { timeout }
}

/// Octets of a description, as agentxSessionDescr and sysORDescr have them (RFC 2742, RFC 3418).
const MOST_DESCRIBED: usize = 255;

/// Octets of a context's name (RFC 3415, vacmContextName).
const MOST_OF_CONTEXT: usize = 32;

/// Octets of a packet before the first Open, whose description is at most 255 octets of use.
const MOST_BEFORE_OPEN: usize = 64 * 1024;

/// Octets of packets that are not complete, over all connections.
const MOST_INCOMPLETE: usize = 16 << 20;

/// How long a packet may take from its first octet to its last.
const PACKET_WITHIN: Duration = Duration::from_secs(10);

/// How long a connection may be without a session.
const SESSION_WITHIN: Duration = Duration::from_secs(30);

/// Packets in a row that cannot be read, before the connection is closed.
const MOST_UNREADABLE: usize = 64;

/// Of the buffer.
const KEPT: usize = 16 * 1024;

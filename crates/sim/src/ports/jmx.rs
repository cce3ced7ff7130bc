//! A session of JMX Remote over RMI. Registry, server and connection are objects of the same port; none of them has a state, so
//! that any number of clients may have them, for as long as they like.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use trunkline_jmx::jrmp::{Call, Endpoint, Event, Lease, ObjId, Reference, Server, Stub, StubKind, Uid};
use trunkline_jmx::model::{Array, NotificationResult, Value};
use trunkline_jmx::remote::{Method, Reply, Request};
use trunkline_jmx::stream::Limits;
use trunkline_transport::dial::Stream;
use trunkline_transport::talk::{Parted, Talk};
use trunkline_transport::{Closing, Guest, SessionInfo, StreamService, Visit};

use super::ground::{Act, Ground};
use super::mbean;
use crate::counts::Count;
use crate::faults::Lie;
use crate::fleet::{Agent, Life, Port};

/// The service of all agents with JMX.
pub(super) struct Jmx {
    ground: Arc<Ground>,
    port: u16,
    /// Connections of JMX so far, which have names with numbers.
    connections: AtomicU64,
}

impl Jmx {
    pub(super) const fn new(ground: Arc<Ground>, port: u16) -> Self {
        Self { ground, port, connections: AtomicU64::new(0) }
    }
}

impl StreamService for Jmx {
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest {
        Box::pin(async move {
            let limits = *visit.limits;
            let mut talk = Talk::new(stream, visit, limits, self.ground.closing.clone());
            let (peer, asked) = (info.peer.ip(), info.local.ip());
            let Some((_, Life { boots, .. })) = self.ground.agent(asked, Port::Jmx) else { return };
            let client = Endpoint { host: peer.to_string(), port: info.peer.port().into() };
            let server = Server::new(LIMITS, Method::signature_of, client);
            let (input, out) = (Vec::new(), Vec::new());
            let session =
                Session { jmx: &self, peer, asked, boots, server, input, out, held: 0, since: None };
            let ended = session.converse(&mut talk).await;
            if ended.is_none_or(Parted::is_orderly) {
                talk.part().await;
            }
        })
    }

    fn closing(&self) -> Closing {
        self.ground.closing.clone()
    }
}

/// One TCP connection, over which calls to any of the objects come one after the other.
struct Session<'j> {
    jmx: &'j Jmx,
    peer: IpAddr,
    asked: IpAddr,
    /// In which life of the agent it began.
    boots: u32,
    server: Server,
    input: Vec<u8>,
    out: Vec<u8>,
    /// Octets that have arrived of the next call.
    held: usize,
    /// When they began to.
    since: Option<Instant>,
}

/// What becomes of an answer that was written.
enum Next {
    /// It is sent after this time.
    Send(Duration),
    /// Half of it is sent, and the session ends.
    Cut,
    /// The session ends.
    Leave,
    /// There are no notifications yet: it is sent after this time, unless the simulator ends.
    Wait(Duration),
}

impl Session<'_> {
    /// Answers until the session ends, and returns why, unless it ended in order.
    async fn converse(mut self, talk: &mut Talk) -> Option<Parted> {
        loop {
            if let Err(parted) = talk.receive(&mut self.input, self.since, self.held).await {
                return Some(parted);
            }
            self.held += self.input.len();
            self.server.push(&self.input);
            self.input.clear();
            match self.answer_all(talk).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(parted) => return Some(parted),
            }
        }
    }

    /// Answers the calls that have arrived; `false` if the session is over.
    async fn answer_all(&mut self, talk: &mut Talk) -> Result<bool, Parted> {
        loop {
            let event = match self.server.poll(&mut self.out) {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(_) => {
                    self.jmx.ground.counts.add(Count::Malformed);
                    self.send(talk).await?;
                    return Ok(false);
                }
            };
            talk.heard(true);
            self.held = 0;
            let closed = self.jmx.ground.closing.closed();
            match self.answer(event) {
                Next::Send(after) if after.is_zero() => {}
                Next::Send(after) | Next::Wait(after) => tokio::select! {
                    () = sleep(after) => {}
                    () = closed => return Err(Parted::Closing),
                },
                Next::Cut => {
                    self.out.truncate(self.out.len() / 2);
                    self.send(talk).await?;
                    return Ok(false);
                }
                Next::Leave => return Ok(false),
            }
            self.send(talk).await?;
            talk.said();
            if self.server.is_over() {
                return Ok(false);
            }
        }
        // An answer of the protocol itself is to a message that is complete.
        if !self.out.is_empty() {
            self.held = 0;
            self.send(talk).await?;
        }
        self.since = (self.held > 0).then(|| self.since.unwrap_or_else(Instant::now));
        Ok(true)
    }

    async fn send(&mut self, talk: &mut Talk) -> Result<(), Parted> {
        let sent = talk.send(&self.out, 0).await;
        self.out.clear();
        sent
    }

    /// Writes the answer to a call.
    fn answer(&mut self, event: Event) -> Next {
        let ground = &self.jmx.ground;
        ground.counts.add(Count::JmxCalls);
        let Some((agent, life)) = ground.agent(self.asked, Port::Jmx) else { return Next::Leave };
        let (after, lie) = match ground.requested(&agent, life, self.boots) {
            Act::Answer { after, lie } => (after, lie),
            Act::Mute | Act::Leave => return Next::Leave,
        };
        let (reply, wait) = match event {
            Event::Call(call) => self.reply(&call, &agent, life, lie),
            Event::Refused { error, .. } => {
                ground.counts.add(Count::Malformed);
                (Reply::refusal(&error), None)
            }
        };
        reply.encode(self.number(&agent, life), &mut self.out);
        match (lie, wait) {
            (Some(Lie::Truncated), _) => {
                ground.counts.add(Count::Wrong);
                Next::Cut
            }
            (_, Some(wait)) => Next::Wait(wait),
            _ => Next::Send(after),
        }
    }

    fn reply(
        &self,
        call: &Call,
        agent: &Agent<'_>,
        life: Life,
        lie: Option<Lie>,
    ) -> (Reply, Option<Duration>) {
        let (server, connection) = (object(agent, life, SERVER), object(agent, life, CONNECTION));
        let request = match Request::decode(call, LIMITS) {
            Ok(request) => request,
            Err(error) => return (Reply::refusal(&error), None),
        };
        let of = |object: ObjId| call.header.object == object;
        let is_there = match &request {
            Request::List | Request::Lookup(_) | Request::ChangeRegistry => of(ObjId::REGISTRY),
            Request::Clean { .. } | Request::Dirty { .. } => of(ObjId::DGC),
            Request::GetVersion | Request::NewClient(_) => of(server),
            _ => of(connection),
        };
        if !is_there {
            return (Reply::no_such_object(), None);
        }
        let reply = match request {
            Request::List => Reply::Value(Value::Array(Array::Strings(vec![NAME.to_owned()]))),
            Request::Lookup(name) if name == NAME => self.stub(StubKind::Server, server),
            Request::Lookup(name) => Reply::not_bound(&name),
            Request::ChangeRegistry => Reply::registry_is_fixed(),
            Request::Clean { .. } => Reply::Void,
            Request::Dirty { lease, .. } => Reply::Lease(Lease { duration: LEASE, client: lease.client }),
            Request::GetVersion => Reply::Value(VERSION.into()),
            // Whoever it is: simulated agents have no secrets.
            Request::NewClient(_) => self.stub(StubKind::Connection, connection),
            Request::GetConnectionId => {
                let number = self.jmx.connections.fetch_add(1, Ordering::Relaxed) + 1;
                Reply::Value(Value::String(format!("rmi://{}  {number}", self.peer)))
            }
            Request::Close => Reply::Void,
            Request::FetchNotifications { sequence, timeout, .. } => {
                let wait = Duration::from_millis(u64::try_from(timeout).unwrap_or(0)).min(LONGEST_FETCH);
                let wait = (sequence >= 0).then_some(wait);
                let none = NotificationResult { earliest: 0, next: 0, notifications: Vec::new() };
                return (Reply::Notifications(none), wait);
            }
            other => {
                if lie == Some(Lie::Type) {
                    self.jmx.ground.counts.add(Count::Wrong);
                }
                agent.with_objects(life, |objects| mbean::reply(objects, other, lie == Some(Lie::Type)))
            }
        };
        (reply, None)
    }

    /// The host in a stub is the address that was asked, so that one port is that of many agents.
    fn stub(&self, kind: StubKind, object: ObjId) -> Reply {
        let endpoint = Endpoint { host: self.asked.to_string(), port: self.jmx.port.into() };
        Reply::Stub(Stub { kind, reference: Reference { endpoint, tls: false, object, acknowledged: false } })
    }

    /// The number of an answer, which nobody acknowledges.
    fn number(&self, agent: &Agent<'_>, life: Life) -> Uid {
        object(agent, life, 0).space
    }
}

/// An object of one life of an agent: after a restart, stubs of the one before are of no use.
fn object(agent: &Agent<'_>, life: Life, number: i64) -> ObjId {
    let time = (agent.seed.draw(SPACE) >> 20).cast_signed();
    ObjId { number, space: Uid { unique: life.boots.cast_signed(), time, count: 0 } }
}

/// For what a client sends: a query, a list of attributes.
pub(super) const LIMITS: Limits =
    Limits { depth: 100, values: 10_000, octets: 256 << 10, array: 4_096, string: 64 << 10 };
/// The name of the server in the registry.
const NAME: &str = "jmxrmi";
const VERSION: &str = "1.0 trunkline sim";
/// Ten minutes, as Java's servers have it, in milliseconds. Nothing depends on it.
const LEASE: i64 = 600_000;
/// Nothing is ever notified; a client that waits is answered after this time at the latest.
const LONGEST_FETCH: Duration = Duration::from_secs(60);
/// Numbers of objects.
const SERVER: i64 = 100;
const CONNECTION: i64 = 101;
/// What is drawn.
const SPACE: u64 = 52;

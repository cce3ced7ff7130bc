//! A session with one agent: many requests in flight over one socket. The handle is cheap to clone; a separate
//! task carries the octets until the last handle is dropped.

mod connect;
mod counters;
mod datagrams;
#[cfg(feature = "http")]
mod http;
mod keys;
mod links;
mod stream;
mod talk;

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::usm::EngineId;
use trunkline_snmp::wire::{Bound, Compression, MAX_MESSAGE_SIZE, Message, Pdu, PduKind, VarBind, Version};
use trunkline_transport::dial::{self, DatagramLink};
use trunkline_transport::trace::Observer;
use trunkline_transport::{Transport, TransportError};

#[cfg(feature = "netconf")]
pub(crate) use connect::HANDSHAKE_TIME;
pub use connect::{Carrier, Connected, Connecting, Connector};
pub use counters::{SessionCounters, SessionCounts};

use crate::credentials::Credentials;
use crate::error::Error;
use crate::setters::setters;
use keys::Keys;
use talk::{Talk, TalkOptions};

use crate::exchange::{Backoff, Content, Endurance, Exchanges, Expect, Limits, Patience, Request, Response};
use crate::ids::Ids;
use crate::target::Target;

/// Options of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionOptions {
    /// The wait for an answer before the request is sent again. Default 1 s.
    pub timeout: Duration,
    /// How many times a request is sent again. Default 5. Over TCP a request is sent once (RFC 3430 section 2.1),
    /// and its answer awaited for as long as over UDP.
    pub retries: u32,
    /// What a request does when an attempt fails. Default: it ends soon.
    pub endurance: Endurance,
    /// How the wait grows. Default: it does not.
    pub backoff: Backoff,
    /// Octets of the longest answer that is accepted. Default 65,535.
    pub max_message_size: usize,
    /// Maximum number of requests in flight; others wait their turn. Default 16.
    pub window: usize,
    /// A connection or secure session without requests is closed after this time; the next request opens another
    /// one. Default: never.
    pub idle: Option<Duration>,
    /// The compression to request for answers, in SNMPv1 and SNMPv2c. If the agent does not support it, requests
    /// are sent uncompressed after one time-out. Default: none.
    pub compression: Option<Compression>,
}

setters! {
    SessionOptions {
        timeout: Duration => with_timeout,
        retries: u32 => with_retries,
        endurance: Endurance => with_endurance,
        backoff: Backoff => with_backoff,
        max_message_size: usize => with_max_message_size,
        window: usize => with_window,
        idle: Option<Duration> => with_idle,
        compression: Option<Compression> => with_compression,
    }
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(1),
            retries: 5,
            endurance: Endurance::Quick,
            backoff: Backoff::Fixed,
            max_message_size: MAX_MESSAGE_SIZE,
            window: 16,
            idle: None,
            compression: None,
        }
    }
}

impl SessionOptions {
    /// The time-out for making a connection: the usual one, but if another attempt follows a failed one, short
    /// enough to leave time for it.
    pub(crate) fn connect_time(&self, usual: Duration) -> Duration {
        let usual = usual.max(self.timeout);
        match self.endurance {
            Endurance::Retries => usual.min(self.timeout.max(self.patience().whole() / 3)),
            Endurance::Quick | Endurance::PastRefusals => usual,
        }
    }

    pub(crate) const fn patience(&self) -> Patience {
        Patience { timeout: self.timeout, retries: self.retries, backoff: self.backoff }
    }
}

/// A handle of a session with one agent.
///
/// Over TCP, TLS and SSH a lost connection is made again when it is needed. Requests under way when it broke are
/// repeated once if that is safe: requests that only read, and informs, with the same request-id. A Set is not
/// ([`Error::OutcomeUnknown`]).
///
/// Over UDP the socket is connected, so that the kernel delivers only datagrams from the agent's address and port:
/// an agent that answers from another address is not heard. Messages that answer no request are counted and
/// ignored.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/example_agent.in"));
/// use trunkline_client::{Bound, Oid, SnmpSession, SessionOptions, Value, VarBind};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let address = agent()?; // such as `router:161`
/// let session = SnmpSession::open(&format!("snmp://public@{address}").parse()?, SessionOptions::default()).await?;
/// let sys_name = Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]);
///
/// let bindings = session.get(&[sys_name.clone()]).await?.into_bindings()?;
/// assert_eq!(bindings[0].value, Bound::Value(Value::text("router")));
///
/// let answer = session.set(&[VarBind::new(sys_name.clone(), Value::text("core-1"))]).await?;
/// assert!(answer.is_ok());
///
/// let bindings = session.next(&["1.3.6.1.2.1.1".parse()?]).await?.into_bindings()?;
/// assert_eq!(bindings[0], VarBind::new(sys_name, Value::text("core-1")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SnmpSession {
    inner: Arc<Inner>,
}

struct Inner {
    commands: mpsc::UnboundedSender<Command>,
    credentials: Credentials,
    options: SessionOptions,
    medium: Medium,
    /// Our own address.
    local: Option<Ipv4Addr>,
    ids: Ids,
    shared: Arc<Shared>,
}

/// What handles and the task share.
#[derive(Default)]
struct Shared {
    counters: SessionCounters,
    watch: OnceLock<Arc<dyn Watch>>,
    observed: AtomicBool,
    observers: RwLock<Vec<Arc<dyn Observer>>>,
    /// The agent's engine, once a user's keys were made for it.
    engine: Mutex<Option<EngineId>>,
}

/// Observes the connections of a session. It is called in the session's task, so it must be quick.
pub trait Watch: Send + Sync {
    /// A connection is being made.
    fn opens(&self);
    /// An attempt failed: no connection was made, or the one in use broke during a request.
    fn failed(&self, error: &Error);
}

type Reply = oneshot::Sender<Result<Response, Error>>;

enum Command {
    /// A request with an answer.
    Ask(Request, Reply),
    /// A message without an answer.
    Tell(Vec<u8>, Reply),
    /// The session is to end.
    Close,
}

impl Command {
    /// `None` if the session is to end.
    fn give_to(self, exchanges: &mut Exchanges<Reply>) -> Option<()> {
        match self {
            Command::Ask(request, reply) => exchanges.submit(request, reply),
            Command::Tell(octets, reply) => exchanges.tell(octets, reply),
            Command::Close => return None,
        }
        Some(())
    }
}

impl SnmpSession {
    /// Opens a session. Over UDP nothing is sent yet; otherwise the connection is made, with TLS, DTLS and SSH up
    /// to mutual authentication. Must be called on a tokio runtime, which runs the session's task. With
    /// [`Endurance::Retries`] the connection is made on the first request, as by [`SnmpSession::on_demand`], and
    /// the host is looked up then.
    ///
    /// # Errors
    /// [`Error::Transport`] if the host is not found or not reached, or one end does not trust the other.
    pub async fn open(target: &Target, options: SessionOptions) -> Result<Self, Error> {
        let endures = options.endurance == Endurance::Retries;
        Self::begin(target, options, if endures { Begin::OnDemand } else { Begin::AtOnce }).await
    }

    /// A session that connects on the first request. If the agent cannot be reached, that request fails.
    ///
    /// # Errors
    /// As [`SnmpSession::open`] over UDP, where nothing is sent either.
    pub async fn on_demand(target: &Target, options: SessionOptions) -> Result<Self, Error> {
        Self::begin(target, options, Begin::OnDemand).await
    }

    async fn begin(target: &Target, options: SessionOptions, begin: Begin) -> Result<Self, Error> {
        if let Some(how) = options.compression.filter(|_| target.credentials.version() == Version::V3) {
            return Err(Error::CompressedV3 { how });
        }
        target.transport.require_built()?;
        if target.transport == Transport::Udp && options.endurance != Endurance::Retries {
            let addresses = dial::resolve(&target.host, target.port, target.family).await?;
            let link = dial::udp(&addresses).await?;
            return Ok(Self::over_datagrams(link, target.credentials.clone(), options));
        }
        #[cfg(feature = "http")]
        if target.transport.is_http() {
            return Self::over_http(target, options, begin).await;
        }
        let connector = connect::connector(target, &options)?;
        let first = match begin {
            Begin::AtOnce => Some(connector().await?),
            Begin::OnDemand => None,
        };
        let medium = match target.transport {
            Transport::Udp => Medium::UDP,
            Transport::Dtls => Medium::DTLS,
            Transport::Tls => Medium { parts: true, refuses_late: true, ..Medium::STREAM },
            Transport::Ssh => Medium { parts: true, ..Medium::STREAM },
            _ => Medium::STREAM,
        };
        Ok(Self::over_connections(first, connector, target.credentials.clone(), options, medium))
    }

    /// A session over an existing link: an in-memory link, or a socket with special settings.
    #[must_use]
    pub fn over_datagrams(link: DatagramLink, credentials: Credentials, options: SessionOptions) -> Self {
        let local = link.local_addr().and_then(|address| ipv4(address.ip()));
        let (session, commands) = Self::new(credentials, options, local, Medium::UDP);
        let exchanges = session.exchanges();
        tokio::spawn(datagrams::drive(link, commands, exchanges, Arc::clone(&session.inner.shared)));
        session
    }

    /// A session over streams: `first` if there is one, then those from the connector.
    #[must_use]
    pub fn over_streams(
        first: Option<Connected>,
        connector: Connector,
        credentials: Credentials,
        options: SessionOptions,
    ) -> Self {
        Self::over_connections(first, connector, credentials, options, Medium::STREAM)
    }

    /// A session over datagrams whose links come from the connector, as [`SnmpSession::open`] makes one with
    /// [`Endurance::Retries`] over UDP.
    #[must_use]
    pub fn over_links(connector: Connector, credentials: Credentials, options: SessionOptions) -> Self {
        Self::over_connections(None, connector, credentials, options, Medium::UDP)
    }

    /// Compressed messages are not XML, so compression is not requested; HTTP has its own.
    #[cfg(feature = "http")]
    async fn over_http(target: &Target, options: SessionOptions, begin: Begin) -> Result<Self, Error> {
        let options = SessionOptions { compression: None, ..options };
        let links = http::Links::new(target, &options)?;
        if begin == Begin::AtOnce {
            links.connect().await?;
        }
        let (session, commands) = Self::new(target.credentials.clone(), options, None, Medium::STREAM);
        let (exchanges, shared) = (session.exchanges(), Arc::clone(&session.inner.shared));
        tokio::spawn(http::drive(links, commands, exchanges, shared));
        Ok(session)
    }

    fn over_connections(
        first: Option<Connected>,
        connector: Connector,
        credentials: Credentials,
        options: SessionOptions,
        medium: Medium,
    ) -> Self {
        let local = first.as_ref().and_then(|first| ipv4(first.local?.ip()));
        let least = match &credentials {
            Credentials::Transport(session) => session.level,
            _ => SecurityLevel::NoAuthNoPriv,
        };
        let (session, commands) = Self::new(credentials, options, local, medium);
        let max_message = options.max_message_size.min(medium.max_received);
        let (timeout, idle) = (options.timeout, options.idle);
        let talk = Talk {
            commands,
            exchanges: session.exchanges(),
            keys: Keys::default(),
            shared: Arc::clone(&session.inner.shared),
            options: TalkOptions {
                max_message,
                timeout,
                idle,
                least,
                parts: medium.parts,
                refuses_late: medium.refuses_late,
                is_udp: medium.is_udp,
            },
        };
        tokio::spawn(talk.drive(first, connector));
        session
    }

    fn new(
        credentials: Credentials,
        options: SessionOptions,
        local: Option<Ipv4Addr>,
        medium: Medium,
    ) -> (Self, mpsc::UnboundedReceiver<Command>) {
        let (commands, from_handles) = mpsc::unbounded_channel();
        let ids = Ids::random();
        let inner = Inner { commands, credentials, options, medium, local, ids, shared: Arc::default() };
        (Self { inner: Arc::new(inner) }, from_handles)
    }

    fn exchanges(&self) -> Exchanges<Reply> {
        let Inner { credentials, options, medium, .. } = &*self.inner;
        let limits = Limits {
            window: options.window,
            max_message: options.max_message_size.min(medium.max_received),
            max_request: medium.max_sent,
            resends: medium.sends_again,
            endurance: options.endurance,
        };
        Exchanges::new(credentials, limits, now()).compressed(options.compression)
    }

    /// The session's credentials.
    #[must_use]
    pub fn credentials(&self) -> &Credentials {
        &self.inner.credentials
    }

    /// The version of SNMP.
    #[must_use]
    pub fn version(&self) -> Version {
        self.inner.credentials.version()
    }

    /// Whether requests without an answer are sent again: over datagrams.
    pub(crate) fn sends_again(&self) -> bool {
        self.inner.medium.sends_again
    }

    /// Whether the peer may refuse us after our handshake has ended.
    pub(crate) fn refuses_late(&self) -> bool {
        self.inner.medium.refuses_late
    }

    /// The session's options.
    #[must_use]
    pub fn options(&self) -> &SessionOptions {
        &self.inner.options
    }

    /// The session's counters so far.
    #[must_use]
    pub fn counts(&self) -> SessionCounts {
        self.inner.shared.counters.read()
    }

    /// Whether its task is gone: its socket failed for good, or its runtime was shut down. All requests fail then.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inner.commands.is_closed()
    }

    /// Ends the session for all its handles, in order: the connection is closed as its protocol says, and over TLS, DTLS, SSH
    /// and HTTPS the agent's answer to that is awaited, for a second at most. Requests under way fail. Dropping the last handle
    /// does the same without waiting for it.
    pub async fn close(&self) {
        if self.inner.commands.send(Command::Close).is_ok() {
            self.inner.commands.closed().await;
        }
    }

    /// Passes every message from now on to `observer`.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        let shared = &self.inner.shared;
        shared.observers.write().unwrap_or_else(PoisonError::into_inner).push(observer);
        shared.observed.store(true, Ordering::Release);
    }

    /// Reports the session's connections from now on to `watch`. Only the first call has an effect.
    pub fn watch(&self, watch: Arc<dyn Watch>) {
        let _ = self.inner.shared.watch.set(watch);
    }

    /// Get: the values of these instances. A good answer has the same names in the same order.
    ///
    /// # Errors
    /// [`Error`]; an error-status of the agent is not an error here but part of the [`Response`].
    pub async fn get(&self, names: &[Oid]) -> Result<Response, Error> {
        let expect = Expect::Names(names.to_vec());
        self.send(PduKind::Get, (0, 0), unspecified(names), expect, None).await
    }

    /// The agent's engine ID, read from snmpEngineID.0. If only the agent's address is known, set the user's
    /// contextEngineID to [`EngineId::LOCAL`] (RFC 5343 section 3): any agent answers for it.
    ///
    /// # Errors
    /// As [`SnmpSession::get`]; [`Error::Status`] or [`Error::NoEngineId`] if the agent does not report it.
    pub async fn engine_id(&self) -> Result<EngineId, Error> {
        let answer = self.get(&[Oid::from(SNMP_ENGINE_ID)]).await?.into_bindings()?;
        match answer.first().map(|binding| &binding.value) {
            Some(Bound::Value(Value::OctetString(octets))) => Ok(EngineId::new(octets)?),
            _ => Err(Error::NoEngineId),
        }
    }

    /// The engine ID of the agent that a user of SNMPv3 talks to, once a request was answered: nothing needs to be read for it.
    #[must_use]
    pub fn discovered_engine(&self) -> Option<EngineId> {
        *self.inner.shared.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// GetNext: the instance after each name.
    ///
    /// # Errors
    /// As [`SnmpSession::get`].
    pub async fn next(&self, names: &[Oid]) -> Result<Response, Error> {
        self.next_with(names, None).await
    }

    /// GetBulk (RFC 3416 section 4.2.3), not in SNMPv1: the instance after each of the first `non_repeaters`
    /// names, and `max_repetitions` instances after each other name.
    ///
    /// # Errors
    /// As [`SnmpSession::get`], and [`Error::NotInVersion`].
    pub async fn bulk(
        &self,
        non_repeaters: u32,
        max_repetitions: u32,
        names: &[Oid],
    ) -> Result<Response, Error> {
        self.bulk_with(non_repeaters, max_repetitions, names, None).await
    }

    /// Set: all of the values, or none.
    ///
    /// # Errors
    /// As [`SnmpSession::get`].
    pub async fn set(&self, bindings: &[VarBind]) -> Result<Response, Error> {
        let expect = Expect::Names(bindings.iter().map(|binding| binding.name.clone()).collect());
        self.send(PduKind::Set, (0, 0), bindings.to_vec(), expect, None).await
    }

    pub(crate) async fn next_with(
        &self,
        names: &[Oid],
        patience: Option<Patience>,
    ) -> Result<Response, Error> {
        let expect = Expect::Count(names.len());
        self.send(PduKind::GetNext, (0, 0), unspecified(names), expect, patience).await
    }

    pub(crate) async fn bulk_with(
        &self,
        non_repeaters: u32,
        max_repetitions: u32,
        names: &[Oid],
        patience: Option<Patience>,
    ) -> Result<Response, Error> {
        if self.version() == Version::V1 {
            return Err(Error::NotInVersion { kind: PduKind::GetBulk, version: Version::V1 });
        }
        let first = names.len().min(non_repeaters as usize);
        let most = (names.len() - first).saturating_mul(max_repetitions as usize).saturating_add(first);
        let numbers = [non_repeaters, max_repetitions].map(|n| i32::try_from(n).unwrap_or(i32::MAX));
        let (bindings, expect) = (unspecified(names), Expect::AtMost(most));
        self.send(PduKind::GetBulk, (numbers[0], numbers[1]), bindings, expect, patience).await
    }

    /// Inform: notifies the receiver, and waits for the confirmation (RFC 3416 section 4.2.7). Not in SNMPv1.
    ///
    /// # Errors
    /// As [`SnmpSession::get`], and [`Error::NotInVersion`].
    pub async fn inform(&self, notification: &Notification) -> Result<Response, Error> {
        if self.version() == Version::V1 {
            return Err(Error::NotInVersion { kind: PduKind::Inform, version: Version::V1 });
        }
        // Any bindings are accepted: the Response confirms it.
        let expect = Expect::AtMost(usize::MAX);
        self.send(PduKind::Inform, (0, 0), notification.to_bindings(), expect, None).await
    }

    /// Sends a message without an answer, once. Over a stream it has been written when this returns; whether it
    /// arrives is unknown.
    ///
    /// # Errors
    /// [`Error`] if it was not sent.
    pub(crate) async fn tell(&self, octets: Vec<u8>) -> Result<(), Error> {
        let (found, limit) = (octets.len(), self.inner.medium.max_sent);
        if found > limit {
            return Err(Error::RequestTooLong { found, limit });
        }
        let (reply, sent) = oneshot::channel();
        self.inner.commands.send(Command::Tell(octets, reply)).map_err(|_| Error::SessionClosed)?;
        sent.await.unwrap_or(Err(Error::ConnectionLost { kind: None })).map(drop)
    }

    /// A request-id that no other request of this session has.
    pub(crate) fn next_id(&self) -> i32 {
        self.inner.ids.next()
    }

    /// Our own IPv4 address on the route to the agent, if known.
    pub(crate) fn local_ipv4(&self) -> Option<Ipv4Addr> {
        self.inner.local
    }

    async fn send(
        &self,
        kind: PduKind,
        (error_status, error_index): (i32, i32),
        bindings: Vec<VarBind>,
        expect: Expect,
        patience: Option<Patience>,
    ) -> Result<Response, Error> {
        let inner = &*self.inner;
        let id = inner.ids.next();
        let pdu = Pdu { kind, request_id: id, error_status, error_index, bindings };
        let content = match &inner.credentials {
            Credentials::Community { version, community } => {
                Content::Octets(Message { version: *version, community: community.clone(), pdu }.encode())
            }
            Credentials::Usm(_) | Credentials::Transport(_) => Content::Pdu(pdu),
        };
        let patience = patience.unwrap_or_else(|| inner.options.patience());
        let (reply, answer) = oneshot::channel();
        let command = Command::Ask(Request { id, kind, content, expect, patience }, reply);
        inner.commands.send(command).map_err(|_| Error::SessionClosed)?;
        answer.await.unwrap_or(Err(Error::SessionClosed))
    }
}

fn ipv4(address: IpAddr) -> Option<Ipv4Addr> {
    match address {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    }
}

fn unspecified(names: &[Oid]) -> Vec<VarBind> {
    names.iter().map(|name| VarBind { name: name.clone(), value: Bound::Unspecified }).collect()
}

impl Shared {
    fn watch(&self, tell: impl Fn(&dyn Watch)) {
        if let Some(watch) = self.watch.get() {
            tell(&**watch);
        }
    }

    fn found_engine(&self, engine: &EngineId) {
        *self.engine.lock().unwrap_or_else(PoisonError::into_inner) = Some(*engine);
    }

    fn sent(&self, octets: &[u8]) {
        self.counters.sent(octets.len());
        self.show(|observer, at| observer.sent(octets, at));
    }

    fn received(&self, octets: &[u8]) {
        self.counters.received(octets.len());
        self.show(|observer, at| observer.received(octets, at));
    }

    fn show(&self, to: impl Fn(&dyn Observer, Instant)) {
        if !self.observed.load(Ordering::Acquire) {
            return;
        }
        let at = Instant::now();
        let observers = self.observers.read().unwrap_or_else(PoisonError::into_inner);
        observers.iter().for_each(|observer| to(&**observer, at));
    }
}

/// The clock of the runtime, which tests can move.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Passes errors to the callers that are still there.
fn reply(answers: impl IntoIterator<Item = (Reply, Error)>) {
    for (reply, error) in answers {
        let _ = reply.send(Err(error));
    }
}

fn socket_error(doing: &'static str, source: io::Error) -> Error {
    TransportError::Socket { doing, source }.into()
}

/// snmpEngineID.0 (RFC 3411 section 5).
pub(crate) const SNMP_ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

/// The longest payload of a UDP datagram over IPv4.
const MAX_UDP_PAYLOAD: usize = 65_507;

/// The longest record of TLS; over DTLS a message is one (RFC 6347 section 4.1).
const MAX_RECORD: usize = 16_384;

/// The properties of a transport.
#[derive(Clone, Copy)]
struct Medium {
    /// Over datagrams a request is sent again, over a stream and HTTP never.
    sends_again: bool,
    /// Octets of the longest message to be sent.
    max_sent: usize,
    /// Octets of the longest message to be received.
    max_received: usize,
    /// Datagrams without a session.
    is_udp: bool,
    /// The peer answers the end of a connection.
    parts: bool,
    /// The peer may refuse us after our handshake has ended.
    refuses_late: bool,
}

impl Medium {
    const STREAM: Self = Medium {
        sends_again: false,
        max_sent: MAX_MESSAGE_SIZE,
        max_received: MAX_MESSAGE_SIZE,
        is_udp: false,
        parts: false,
        refuses_late: false,
    };
    const UDP: Self = Medium { sends_again: true, max_sent: MAX_UDP_PAYLOAD, is_udp: true, ..Self::STREAM };
    const DTLS: Self =
        Medium { sends_again: true, max_sent: MAX_RECORD, max_received: MAX_RECORD, ..Self::STREAM };
}

/// When a connection is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    AtOnce,
    OnDemand,
}

//! One session with an agent, from before opening to after closing, with a clock at every phase, as in both
//! papers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Handle;
use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::soap::{SoapOptions, SoapSession};
use trunkline_client::{
    Answer, Error as ClientError, HttpObserver, NetconfTarget, Observer, Session, SessionOptions,
    SnmpSession, SoapTarget, Target, Version,
};
use trunkline_smi::Oid;

use crate::fetch::Fetch;
use crate::place::link::{Link, LinkCounts};
use crate::transport::Transport;

/// The peer of a session, and its protocol.
#[derive(Debug, Clone)]
pub enum Peer {
    /// SNMP over any transport.
    Snmp(Box<Target>),
    /// The operations of the SOAP service.
    Soap(Box<SoapTarget>, SoapOptions),
    /// NETCONF over SSH, TLS or TCP.
    Netconf(Box<NetconfTarget>, NetconfOptions),
}

impl From<Target> for Peer {
    fn from(target: Target) -> Peer {
        Peer::Snmp(Box::new(target))
    }
}

impl Peer {
    /// The transport.
    pub const fn transport(&self) -> Transport {
        match self {
            Peer::Snmp(target) => target.transport,
            Peer::Soap(target, _) => target.transport,
            Peer::Netconf(target, _) => target.transport,
        }
    }

    /// The same, with or without asking for compressed answers, which HTTP has.
    #[must_use]
    pub fn with_http_compression(mut self, is_asked: bool) -> Peer {
        match &mut self {
            Peer::Snmp(target) => target.http.compress = is_asked,
            Peer::Soap(_, options) => *options = options.clone().with_compression(is_asked),
            Peer::Netconf(..) => {}
        }
        self
    }

    /// Whether GetBulk may be sent: SNMPv1 has none.
    pub fn has_bulk(&self) -> bool {
        !matches!(self, Peer::Snmp(target) if target.version() == Version::V1)
    }

    /// The same, whose octets of HTTP are shown to an observer. Nothing is shown over other transports.
    #[must_use]
    pub fn observed(mut self, observer: Arc<dyn Observer>) -> Peer {
        let observer = Some(HttpObserver(observer));
        match &mut self {
            Peer::Snmp(target) => target.http.observer = observer,
            Peer::Soap(_, options) => options.observer = observer,
            Peer::Netconf(..) => {}
        }
        self
    }

    /// Where it listens.
    pub fn place(&self) -> (&str, u16) {
        match self {
            Peer::Snmp(target) => (&target.host, target.port),
            Peer::Soap(target, _) => (&target.host, target.port),
            Peer::Netconf(target, _) => (&target.host, target.port),
        }
    }

    /// Opens a session; over HTTP this connects at once.
    ///
    /// # Errors
    /// The session's error.
    pub async fn open(&self, options: SessionOptions) -> Result<Arc<dyn Session>, ClientError> {
        match self {
            Peer::Snmp(target) => Ok(Arc::new(SnmpSession::open(target, options).await?)),
            Peer::Soap(target, soap) => {
                let soap = soap.clone().with_timeout(options.timeout * (options.retries + 1));
                Ok(Arc::new(SoapSession::open(target, soap).await?))
            }
            Peer::Netconf(target, netconf) => {
                let patience = options.timeout * (options.retries + 1);
                let netconf = netconf.clone().with_timeout(patience);
                Ok(Arc::new(NetconfSession::open(target, netconf).await?))
            }
        }
    }
}

/// The requests of a session, one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Script {
    /// The same instance, this many times.
    Get {
        /// The instance.
        name: Oid,
        /// How many times.
        times: u32,
    },
    /// GetNext from a subtree's name on, this many times: starts over whenever an answer lies outside.
    Walk {
        /// The subtree.
        root: Oid,
        /// How many requests.
        times: u32,
    },
    /// The same objects of ifTable, this many times.
    Fetch {
        /// Which.
        fetch: Fetch,
        /// How many times.
        rounds: u32,
    },
    /// Nothing: the session is only opened and closed.
    Nothing,
}

impl Script {
    /// How many requests it has.
    pub const fn messages(&self) -> u32 {
        match self {
            Script::Get { times, .. } | Script::Walk { times, .. } => *times,
            Script::Fetch { rounds, .. } => *rounds,
            Script::Nothing => 0,
        }
    }
}

/// The cost of a session. Times are nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// To open: resolve, connect, handshake.
    pub open_ns: u64,
    /// From the first request to the last answer.
    pub exchange_ns: u64,
    /// Each exchange.
    pub each_ns: Vec<u64>,
    /// To close: until the agent has answered the end, where the protocol has such an answer, and the session's task is gone.
    pub close_ns: u64,
    /// Requests that were sent more than once.
    pub resent: u32,
    /// CPU time of this thread.
    pub cpu_ns: u64,
    /// Instances that a walk found before it first left its subtree.
    pub instances: Option<u32>,
    /// Objects that were fetched ([`Script::Fetch`]).
    pub objects: u32,
    /// Octets of the messages of all requests and of all answers, where the client counts them.
    pub messages: Option<[u64; 2]>,
    /// What each round put on the link, if the link was quiet between them.
    pub rounds: Vec<Round>,
}

/// A round of a session, with a quiet link before and behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Round {
    /// Its packets.
    pub link: LinkCounts,
    /// Nanoseconds from its first request to its last answer.
    pub ns: u64,
    /// Requests that were sent more than once.
    pub resent: u32,
}

/// A link that must be quiet before the next round begins, so that each packet belongs to one round: an acknowledgement that
/// waits for the next request does not wait that long where rounds are seconds apart.
#[derive(Debug, Clone, Copy)]
pub struct Pause<'a>(pub &'a Link);

impl Pause<'_> {
    /// The counts once nothing is under way and nothing more is sent, or after [`PAUSE_WITHIN`].
    async fn counts(&self) -> LinkCounts {
        let deadline = Instant::now() + PAUSE_WITHIN;
        let mut counts = self.0.counts();
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = self.0.counts();
            let is_quiet = now == counts && now.to_agent.under_way() == 0 && now.to_manager.under_way() == 0;
            if is_quiet || Instant::now() > deadline {
                return now;
            }
            counts = now;
        }
    }
}

/// How the end of a session's task is awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Without sleeping: the time to close is exact, and the waiting is part of this thread's CPU time.
    Awake,
    /// Asleep: the CPU time is the session's own, and the time to close is exact to a millisecond.
    Asleep,
}

/// Runs a session. The runtime must have one thread, and no other tasks than ours.
///
/// # Errors
/// The session's error. An error-status in an answer counts as one.
pub async fn converse(
    peer: &Peer,
    options: SessionOptions,
    script: &Script,
    wait: Wait,
    pause: Option<Pause<'_>>,
) -> Result<Observed, ClientError> {
    let tasks = Handle::current().metrics().num_alive_tasks();
    let mut observed = Observed::default();
    let (cpu, start) = (thread_cpu(), Instant::now());
    let session = peer.open(options).await?;
    let opened = Instant::now();
    match (pause, script) {
        (Some(pause), Script::Fetch { fetch, rounds }) => {
            fetch_apart(&*session, fetch, *rounds, pause, &mut observed).await?;
        }
        _ => exchange(&*session, script, &mut observed).await?,
    }
    let exchanged = Instant::now();
    session.close().await;
    drop(session);
    until_gone(tasks, wait).await;
    let closed = Instant::now();
    observed.cpu_ns = thread_cpu().saturating_sub(cpu);
    observed.open_ns = nanos(opened - start);
    observed.exchange_ns = nanos(exchanged - opened);
    observed.close_ns = nanos(closed - exchanged);
    Ok(observed)
}

/// Sends the script's requests in an open session.
///
/// # Errors
/// As [`converse`].
pub async fn exchange(
    session: &dyn Session,
    script: &Script,
    observed: &mut Observed,
) -> Result<(), ClientError> {
    let mut notes = Notes::of(observed);
    match script {
        Script::Nothing => {}
        Script::Get { name, times } => {
            for _ in 0..*times {
                let answer = session.get(std::slice::from_ref(name)).await?;
                notes.answer(&answer, 1);
            }
        }
        Script::Fetch { fetch, rounds } => {
            for _ in 0..*rounds {
                fetch.once(session, &mut notes).await?;
            }
        }
        Script::Walk { root, times } => {
            let mut from = root.clone();
            for count in 0..*times {
                let answer = session.next(std::slice::from_ref(&from)).await?;
                notes.answer(&answer, 1);
                let found = answer.bindings.into_iter().next().map(|binding| binding.name);
                match found.filter(|name| name.starts_with(root) && *name > from) {
                    Some(name) => from = name,
                    None => {
                        from = root.clone();
                        notes.observed.instances.get_or_insert(count);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Fetches in rounds with a quiet link before and behind each. The time of the whole includes the silence, that of each round
/// does not.
async fn fetch_apart(
    session: &dyn Session,
    fetch: &Fetch,
    rounds: u32,
    pause: Pause<'_>,
    observed: &mut Observed,
) -> Result<(), ClientError> {
    let mut before = pause.counts().await;
    for _ in 0..rounds {
        let (resent, begun) = (observed.resent, Instant::now());
        fetch.once(session, &mut Notes::of(observed)).await?;
        let ns = nanos(begun.elapsed());
        let after = pause.counts().await;
        observed.rounds.push(Round { link: after - before, ns, resent: observed.resent - resent });
        before = after;
    }
    Ok(())
}

/// Takes down each exchange of a session.
#[derive(Debug)]
pub struct Notes<'a> {
    observed: &'a mut Observed,
    last: Instant,
}

impl<'a> Notes<'a> {
    /// Exchanges from now on.
    pub fn of(observed: &'a mut Observed) -> Notes<'a> {
        Notes { observed, last: Instant::now() }
    }

    /// An answer has arrived, with so many of the wanted objects.
    pub fn answer(&mut self, answer: &Answer, objects: u32) {
        self.exchange(objects);
        self.observed.resent += u32::from(answer.cost.attempts > 1);
        let [requests, answers] = self.observed.messages.get_or_insert([0; 2]);
        *requests += answer.cost.request_octets as u64;
        *answers += answer.cost.response_octets as u64;
    }

    /// Rows have arrived over SOAP, whose client does not report the octets of rows.
    pub fn rows(&mut self, objects: u32) {
        self.exchange(objects);
    }

    fn exchange(&mut self, objects: u32) {
        let now = Instant::now();
        self.observed.each_ns.push(nanos(now - self.last));
        self.last = now;
        self.observed.objects += objects;
    }
}

/// Waits until there are no more tasks than before the session: its own has then closed its socket.
async fn until_gone(tasks: usize, wait: Wait) {
    let deadline = Instant::now() + CLOSE_WITHIN;
    while Handle::current().metrics().num_alive_tasks() > tasks && Instant::now() < deadline {
        match wait {
            Wait::Awake => tokio::task::yield_now().await,
            Wait::Asleep => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
}

/// CPU time of the calling thread, nanoseconds.
pub fn thread_cpu() -> u64 {
    read_clock(ClockId::ThreadCPUTime)
}

/// CPU time of this process, nanoseconds.
pub fn process_cpu() -> u64 {
    read_clock(ClockId::ProcessCPUTime)
}

/// The monotonic clock of the system, nanoseconds: that of [`Instant`], and of other programs that write it down.
pub fn monotonic() -> u64 {
    read_clock(ClockId::Monotonic)
}

fn read_clock(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

/// A duration in nanoseconds.
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How long nothing is sent on a quiet link: an acknowledgement waits for up to 40 ms for something to travel with.
pub const PAUSE: Duration = Duration::from_millis(60);
/// The longest wait for a quiet link.
const PAUSE_WITHIN: Duration = Duration::from_secs(10);
/// The time-out for the end of a session's task; it takes as long as a close on the link, so seconds on a slow
/// one.
const CLOSE_WITHIN: Duration = Duration::from_secs(10);

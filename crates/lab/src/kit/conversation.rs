//! One session with an agent, from before opening to after closing, with a clock at every phase, as in both
//! papers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Handle;
use trunkline_client::soap::{SoapOptions, SoapSession};
use trunkline_client::{
    Error as ClientError, HttpObserver, Observer, Session, SessionOptions, SnmpSession, SoapTarget, Target,
    Version,
};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use crate::kit::transport::Transport;

/// The peer of a session, and its protocol.
#[derive(Debug, Clone)]
pub enum Peer {
    /// SNMP over any transport.
    Snmp(Box<Target>),
    /// The operations of the SOAP service.
    Soap(Box<SoapTarget>, SoapOptions),
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
        }
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
        }
        self
    }

    /// Where it listens.
    pub fn place(&self) -> (&str, u16) {
        match self {
            Peer::Snmp(target) => (&target.host, target.port),
            Peer::Soap(target, _) => (&target.host, target.port),
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
    /// GetBulk of the first instances of a subtree, repeated; more than one request if an answer has fewer. Over
    /// SOAP the corresponding number of rows of ifTable.
    Bulk {
        /// The subtree.
        root: Oid,
        /// Instances.
        objects: u32,
        /// How many times.
        rounds: u32,
    },
    /// The same with GetNext in SNMPv1, for as many instances of a table at a time as it has columns: each answer
    /// is the next request.
    Columns {
        /// The table.
        root: Oid,
        /// Instances.
        objects: u32,
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
            Script::Bulk { rounds, .. } | Script::Columns { rounds, .. } => *rounds,
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
}

/// Runs a session. The runtime must have one thread, and no other tasks than ours.
///
/// # Errors
/// The session's error. An error-status in an answer counts as one.
pub async fn converse(
    peer: &Peer,
    options: SessionOptions,
    script: &Script,
) -> Result<Observed, ClientError> {
    let tasks = Handle::current().metrics().num_alive_tasks();
    let mut observed = Observed::default();
    let (cpu, start) = (thread_cpu(), Instant::now());
    let session = peer.open(options).await?;
    let opened = Instant::now();
    exchange(&*session, script, &mut observed).await?;
    let exchanged = Instant::now();
    session.close().await;
    drop(session);
    until_gone(tasks).await;
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
    let mut last = Instant::now();
    let mut note = |attempts: u32| {
        let now = Instant::now();
        observed.each_ns.push(nanos(now - last));
        last = now;
        observed.resent += u32::from(attempts > 1);
    };
    match script {
        Script::Nothing => {}
        Script::Get { name, times } => {
            for _ in 0..*times {
                let answer = session.get(std::slice::from_ref(name)).await?;
                note(answer.cost.attempts);
            }
        }
        Script::Bulk { root, objects, rounds } => {
            for _ in 0..*rounds {
                if let Some(session) = session.as_soap() {
                    let rows = objects.div_ceil(COLUMNS) as usize;
                    session.next_rows(&IF_TABLE, &ALL_COLUMNS, &[], rows).await?;
                    note(1);
                    continue;
                }
                let (mut from, mut left) = (root.clone(), *objects);
                while left > 0 {
                    let answer = session.bulk(0, left, std::slice::from_ref(&from)).await?;
                    note(answer.cost.attempts);
                    let found = answer.bindings;
                    left = left.saturating_sub(found.len() as u32);
                    match found.into_iter().next_back().filter(|last| last.name > from) {
                        Some(last) => from = last.name,
                        None => break,
                    }
                }
            }
        }
        Script::Columns { root, objects, rounds } => {
            for _ in 0..*rounds {
                let mut names: Vec<Oid> = (1..=COLUMNS).map(|column| root.child(&[1, column])).collect();
                let mut left = *objects;
                while left > 0 {
                    names.truncate(left as usize);
                    let answer = session.next(&names).await?;
                    note(answer.cost.attempts);
                    let found = answer.bindings;
                    left = left.saturating_sub(found.len() as u32);
                    if found.is_empty() {
                        break;
                    }
                    names = found.into_iter().map(|binding| binding.name).collect();
                }
            }
        }
        Script::Walk { root, times } => {
            let mut from = root.clone();
            for count in 0..*times {
                let answer = session.next(std::slice::from_ref(&from)).await?;
                note(answer.cost.attempts);
                let found = answer.bindings.into_iter().next().map(|binding| binding.name);
                match found.filter(|name| name.starts_with(root) && *name > from) {
                    Some(name) => from = name,
                    None => {
                        from = root.clone();
                        observed.instances.get_or_insert(count);
                    }
                }
            }
        }
    }
    Ok(())
}

/// Waits until there are no more tasks than before the session: its own has then closed its socket.
async fn until_gone(tasks: usize) {
    let deadline = Instant::now() + CLOSE_WITHIN;
    while Handle::current().metrics().num_alive_tasks() > tasks && Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
}

/// CPU time of the calling thread, nanoseconds.
pub fn thread_cpu() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    (time.tv_sec as u64) * 1_000_000_000 + time.tv_nsec as u64
}

/// A duration in nanoseconds.
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The time-out for the end of a session's task; it takes as long as a close on the link, so seconds on a slow
/// one.
const CLOSE_WITHIN: Duration = Duration::from_secs(10);
/// The columns of ifTable.
const COLUMNS: u32 = crate::kit::place::IF_TABLE_COLUMNS;
/// Their numbers (RFC 2863).
const ALL_COLUMNS: [u32; COLUMNS as usize] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22];

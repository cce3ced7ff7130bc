//! Walks: all instances of a subtree, in order, with as many requests under way as that allows. `Plan` decides (no
//! I/O); the task here passes its requests to the session and its results to the caller.

mod plan;
mod segment;
mod tune;

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use trunkline_smi::Oid;
use trunkline_snmp::wire::VarBind;

pub use tune::Repetitions;

use crate::error::Error;
use crate::exchange::{Patience, Response};
use crate::setters::setters;
use crate::snmp_session::SnmpSession;
use plan::{Ask, Operation, Plan};

/// Options of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WalkOptions {
    /// How many repetitions a GetBulk requests. SNMPv1 has none: it walks with GetNext.
    pub repetitions: Repetitions,
    /// Octets that an answer should not exceed, as far as that is predictable. Default 16 KiB; falls to one packet
    /// when answers get lost.
    pub max_octets: usize,
    /// Maximum number of requests under way (the session's window applies too). 1 walks strictly one request after
    /// another. Default 8.
    pub concurrency: usize,
    /// Ends the walk after this many bindings.
    pub max_bindings: Option<usize>,
    /// Whether to Get the root itself if nothing is below it, as `snmpwalk` does. Default true.
    pub get_root_if_empty: bool,
    /// Whether names must increase ([`Error::NotIncreasing`] if not). Without the check (`snmpwalk -Cc`) the walk
    /// is not split, and ends only at the end of the subtree or at `max_bindings`. Default true.
    pub check_order: bool,
    /// Points at which the walk can be split, if the caller knows the columns below the root. In increasing order;
    /// wrong ones do no harm.
    pub split_at: Vec<Oid>,
    /// Approximate maximum of bindings kept that arrived before their turn. Default 20,000.
    pub buffer: usize,
}

setters! {
    WalkOptions {
        repetitions: Repetitions => with_repetitions,
        max_octets: usize => with_max_octets,
        concurrency: usize => with_concurrency,
        max_bindings: Option<usize> => with_max_bindings,
        get_root_if_empty: bool => with_get_root_if_empty,
        check_order: bool => with_check_order,
        split_at: Vec<Oid> => with_split_at,
        buffer: usize => with_buffer,
    }
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            repetitions: Repetitions::default(),
            max_octets: 16 << 10,
            concurrency: 8,
            max_bindings: None,
            get_root_if_empty: true,
            check_order: true,
            split_at: Vec::new(),
            buffer: 20_000,
        }
    }
}

/// The results of a walk, as they come. Dropping it ends the walk.
pub struct Walk {
    batches: mpsc::Receiver<Result<Vec<VarBind>, Error>>,
    current: VecDeque<VarBind>,
}

impl Walk {
    /// A walk whose results another task sends.
    #[must_use]
    pub fn of(batches: mpsc::Receiver<Result<Vec<VarBind>, Error>>) -> Self {
        Walk { batches, current: VecDeque::new() }
    }

    /// The next binding; `None` at the end. After an error nothing follows. Cancel safe.
    pub async fn next(&mut self) -> Option<Result<VarBind, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// All bindings.
    ///
    /// # Errors
    /// The error that ended the walk; results found before it are dropped.
    pub async fn collect(mut self) -> Result<Vec<VarBind>, Error> {
        let mut all: Vec<VarBind> = self.current.drain(..).collect();
        while let Some(batch) = self.batches.recv().await {
            all.extend(batch?);
        }
        Ok(all)
    }
}

/// The bindings in order; the stream ends with the walk, or after its error.
impl Stream for Walk {
    type Item = Result<VarBind, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(binding) = self.current.pop_front() {
                return Poll::Ready(Some(Ok(binding)));
            }
            match ready!(self.batches.poll_recv(cx)) {
                Some(Ok(batch)) => self.current = batch.into(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// Walks the subtree `root`. Must be called on a tokio runtime.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/example_agent.in"));
/// use trunkline_client::{SnmpSession, SessionOptions, WalkOptions, walk};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = SnmpSession::open(&agent()?.parse()?, SessionOptions::default()).await?;
/// let mut found = walk(&session, "1.3.6.1.2.1.2.2.1.2".parse()?, WalkOptions::default());
/// let mut names = Vec::new();
/// while let Some(binding) = found.next().await {
///     names.push(binding?.name.to_string());
/// }
/// assert_eq!(names, ["1.3.6.1.2.1.2.2.1.2.1", "1.3.6.1.2.1.2.2.1.2.2"]);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn walk(session: &SnmpSession, root: Oid, options: WalkOptions) -> Walk {
    walk_all(session, vec![root], options)
}

/// Walks several subtrees one after another (in order of their names), with requests for all of them under way at
/// the same time. Subtrees inside others are left out.
#[must_use]
pub fn walk_all(session: &SnmpSession, mut roots: Vec<Oid>, options: WalkOptions) -> Walk {
    roots.sort();
    roots.dedup_by(|later, earlier| later.starts_with(earlier));
    let (batches, received) = mpsc::channel(BATCHES);
    let concurrency = options.concurrency.max(1);
    let session_options = session.options();
    let retries = if session.sends_again() { session_options.retries } else { 0 };
    let plan = Plan::new(roots, options, session.version(), session_options.timeout, retries);
    tokio::spawn(run(session.clone(), plan, concurrency, batches));
    Walk::of(received)
}

async fn run(
    session: SnmpSession,
    mut plan: Plan,
    concurrency: usize,
    batches: mpsc::Sender<Result<Vec<VarBind>, Error>>,
) {
    let mut under_way = JoinSet::new();
    loop {
        while let Some(ready) = plan.take_ready() {
            if batches.send(ready).await.is_err() {
                return;
            }
        }
        if plan.is_finished() {
            return;
        }
        while under_way.len() < concurrency
            && let Some(ask) = plan.next_ask()
        {
            let session = session.clone();
            under_way.spawn(async move { (ask.ticket, perform(&session, &ask).await) });
        }
        match under_way.join_next().await {
            Some(Ok((ticket, answer))) => plan.handle(ticket, answer),
            // Nothing is under way and nothing is left to request, or the runtime is shutting down.
            Some(Err(_)) | None => {
                let _ = batches.send(Err(Error::SessionClosed)).await;
                return;
            }
        }
    }
}

async fn perform(session: &SnmpSession, ask: &Ask) -> Result<Response, Error> {
    // A walk retries on its own, for less: see `Tuner::timed_out`.
    let patience = session.sends_again().then(|| once(session.options().patience(), ask.attempt));
    match ask.operation {
        Operation::Get => session.get(&ask.names).await,
        Operation::Next => session.next_with(&ask.names, patience).await,
        Operation::Bulk(repetitions) => session.bulk_with(0, repetitions, &ask.names, patience).await,
    }
}

/// The patience of one of several attempts.
fn once(patience: Patience, attempt: u32) -> Patience {
    Patience { timeout: patience.wait(attempt), retries: 0, ..patience }
}

const BATCHES: usize = 4;

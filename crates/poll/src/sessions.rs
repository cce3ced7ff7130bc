//! Agents that are asked in open sessions: SNMP over TCP, TLS or SSH, SOAP, NETCONF, whatever has a request and an answer.
//!
//! The schedule is open-loop as for datagrams: what is due takes its place then, whatever is outstanding. A session carries so
//! many requests at a time as its protocol can (one in NETCONF and HTTP/1.1); others wait in its line, and are sent when one
//! of those is over. A sample has both moments, so that the wait is in the delay from the due time and not in the one from
//! the sending. What still waits at its deadline was never sent.
//!
//! ```text
//! a thread that keeps the time --wakes--> Sessions --ask--> a task for each request that is under way
//!                                            ^-------------- what it said, and when
//! ```

use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time;

use crate::error::PollError;
use crate::protocol::RequestId;
use crate::requests::{Counts, End, Requests, RoundsOptions};
use crate::sample::Sink;
use crate::schedule::Schedule;

/// The future of a request in a session.
pub type Asking = Pin<Box<dyn Future<Output = Said> + Send>>;

/// What became of a request in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// What was requested.
    Good,
    /// An error, by its number.
    Failed(i32),
    /// The session was lost.
    Broken,
}

/// The status of a request whose session was lost.
const BROKEN: i32 = -2;

/// An open session with one agent.
pub trait Session {
    /// Sends the request of this agent. The future ends some time after the deadline at the latest.
    fn ask(&self) -> Asking;
}

/// How sessions are used.
#[derive(Clone, Copy, Debug)]
pub struct SessionsOptions {
    /// How many requests may be outstanding, and for how long.
    pub rounds: RoundsOptions,
    /// How many requests a session carries at a time.
    pub under_way: NonZeroU32,
}

/// How a run ended.
#[derive(Debug)]
pub struct SessionsEnded<S> {
    /// What happened.
    pub counts: Counts,
    /// Agents whose session was lost during a request.
    pub lost_sessions: u32,
    /// The sink.
    pub sink: S,
}

/// Agents, their sessions and a schedule.
#[derive(Debug)]
pub struct Sessions<T, S> {
    requests: Requests<S>,
    sessions: Vec<T>,
    lines: Vec<Line>,
    under_way: u32,
    lost_sessions: BTreeSet<u32>,
    tasks: JoinSet<Over>,
}

/// What waits for a session, and what it carries.
#[derive(Clone, Debug, Default)]
struct Line {
    waiting: VecDeque<RequestId>,
    under_way: u32,
}

/// A request that was under way.
struct Over {
    id: RequestId,
    agent: u32,
    said: Said,
    at: Instant,
}

impl<T: Session, S: Sink> Sessions<T, S> {
    /// Asks the agents of these sessions, as many as the schedule has.
    ///
    /// # Errors
    /// Not as many, or more places than there can be.
    pub fn new(
        schedule: Schedule,
        sessions: Vec<T>,
        options: SessionsOptions,
        sink: S,
    ) -> Result<Self, PollError> {
        if sessions.len() != schedule.agents() as usize {
            return Err(PollError::NoAgents);
        }
        Ok(Self {
            requests: Requests::new(schedule, options.rounds, sink)?,
            lines: vec![Line::default(); sessions.len()],
            sessions,
            under_way: options.under_way.get(),
            lost_sessions: BTreeSet::new(),
            tasks: JoinSet::new(),
        })
    }

    /// Asks until all rounds are over, or until `stop`: then what is outstanding has no sample. Moments are since `start`.
    /// Must be called on a tokio runtime.
    ///
    /// # Errors
    /// There is no thread to keep the time.
    pub async fn run(mut self, start: Instant, stop: &AtomicBool) -> Result<SessionsEnded<S>, PollError> {
        time::sleep_until(start.into()).await;
        let pacer = Pacer::start(self.requests.schedule().clone(), start)?;
        while !self.requests.is_done() && !stop.load(Ordering::Relaxed) {
            let now = start.elapsed();
            while let Some(Ok(over)) = self.tasks.try_join_next() {
                self.take(&over, start);
            }
            self.requests.expire(now);
            while let Some((id, agent)) = self.requests.begin(now) {
                self.lines[agent as usize].waiting.push_back(id);
                self.send(agent, now);
            }
            let next = self.requests.next().unwrap_or_default();
            let rest = next.saturating_sub(start.elapsed()).min(LONGEST_REST);
            tokio::select! {
                biased;
                over = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    if let Some(Ok(over)) = over {
                        self.take(&over, start);
                    }
                }
                () = pacer.due.notified() => {}
                () = time::sleep(rest) => {}
            }
        }
        let lost_sessions = u32::try_from(self.lost_sessions.len()).unwrap_or(u32::MAX);
        Ok(SessionsEnded { counts: self.requests.counts, lost_sessions, sink: self.requests.into_sink() })
    }

    /// A request is over.
    fn take(&mut self, over: &Over, start: Instant) {
        let Over { id, agent, said, at } = *over;
        let end = match said {
            Said::Good => End::Good,
            Said::Failed(status) => End::Failed(status),
            Said::Broken => {
                self.lost_sessions.insert(agent);
                End::Failed(BROKEN)
            }
        };
        self.requests.end(id, end, at.saturating_duration_since(start));
        self.lines[agent as usize].under_way -= 1;
        self.send(agent, start.elapsed());
    }

    /// Sends what waits for a session, as much as it carries.
    fn send(&mut self, agent: u32, now: Duration) {
        let line = &mut self.lines[agent as usize];
        // Those at the front began first, and are given up first: a line is never longer than what is outstanding.
        while let Some(&id) = line.waiting.front() {
            let is_outstanding = self.requests.find(id).is_some_and(|(_, is_outstanding)| is_outstanding);
            if is_outstanding && line.under_way == self.under_way {
                return;
            }
            line.waiting.pop_front();
            if is_outstanding {
                line.under_way += 1;
                self.requests.sent(id, now);
                let asking = self.sessions[agent as usize].ask();
                self.tasks.spawn(async move {
                    let said = asking.await;
                    Over { id, agent, said, at: Instant::now() }
                });
            }
        }
    }
}

/// A thread that wakes the runtime whenever something is due: its own timers are a millisecond coarse.
struct Pacer {
    due: Arc<Notify>,
    is_over: Arc<AtomicBool>,
}

impl Pacer {
    fn start(mut schedule: Schedule, start: Instant) -> Result<Self, PollError> {
        let pacer = Pacer { due: Arc::new(Notify::new()), is_over: Arc::new(AtomicBool::new(false)) };
        let (due, is_over) = (Arc::clone(&pacer.due), Arc::clone(&pacer.is_over));
        let keeping = move || {
            while let Some(next) = schedule.peek() {
                let left = next.at.saturating_sub(start.elapsed());
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                if left.is_zero() {
                    // Of many that are due together the first wakes for all.
                    let at = next.at;
                    while schedule.peek().is_some_and(|it| it.at == at) {
                        schedule.advance();
                    }
                    due.notify_one();
                } else {
                    std::thread::sleep(left.min(LONGEST_REST));
                }
            }
        };
        std::thread::Builder::new().name("poll-time".into()).spawn(keeping).map_err(PollError::Thread)?;
        Ok(pacer)
    }
}

impl Drop for Pacer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// After this time it is looked whether to stop.
const LONGEST_REST: Duration = Duration::from_millis(100);

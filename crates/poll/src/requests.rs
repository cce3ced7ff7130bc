//! Which requests are due, outstanding, answered and lost, however they are carried; without I/O.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::error::PollError;
use crate::places::{Place, Places, State};
use crate::protocol::RequestId;
use crate::sample::{Outcome, Sample, Sink};
use crate::schedule::Schedule;

/// How many requests may be outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// All that are due. With no place left a request is [`Outcome::Unsent`], not sent later.
    Unbounded,
    /// So many; others are sent when one of them has ended, in the order in which they were due. One is a serial round.
    Bounded(NonZeroU32),
}

impl Parallel {
    /// One after the other.
    pub const SERIAL: Parallel = Parallel::Bounded(NonZeroU32::MIN);
}

/// How agents are asked.
#[derive(Clone, Copy, Debug)]
pub struct RoundsOptions {
    /// How many requests may be outstanding.
    pub parallel: Parallel,
    /// How long after its sending a request is given up; if it waits in a session, after its turn.
    pub deadline: Duration,
    /// Places of [`Parallel::Unbounded`]; `None`: as many as are outstanding when nobody answers until the deadline.
    pub places: Option<usize>,
}

/// What happened to datagrams and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that were sent.
    pub sent: u64,
    /// Those of them that were sent again, because the agent has said what was missing in them (SNMPv3).
    pub again: u64,
    /// Requests that were answered before the deadline.
    pub answered: u64,
    /// Requests that were answered with an error, or whose session was lost.
    pub failed: u64,
    /// Requests that were given up.
    pub lost: u64,
    /// Requests that were answered after they had been given up.
    pub late: u64,
    /// Requests that were not sent, for want of a place, or since their session was busy until the deadline.
    pub unsent: u64,
    /// Datagrams that are no answer, or answer no request that we know.
    pub strays: u64,
    /// Answers with the request-id of a request that went to another address.
    pub wrong_source: u64,
}

/// How an answer ends its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With what was requested.
    Good,
    /// With an error.
    Failed(i32),
}

/// The requests of some agents.
#[derive(Debug)]
pub struct Requests<S> {
    schedule: Schedule,
    places: Places,
    options: RoundsOptions,
    sink: S,
    pub counts: Counts,
}

impl<S: Sink> Requests<S> {
    pub fn new(schedule: Schedule, options: RoundsOptions, sink: S) -> Result<Self, PollError> {
        let agents = schedule.agents() as usize;
        let count = match options.parallel {
            Parallel::Bounded(most) => most.get() as usize,
            Parallel::Unbounded => options.places.unwrap_or_else(|| {
                let periods = options.deadline.as_nanos().div_ceil(schedule.period().as_nanos()) + 1;
                agents.saturating_mul(usize::try_from(periods).unwrap_or(usize::MAX))
            }),
        };
        let places = Places::new(count)?;
        Ok(Self { schedule, places, options, sink, counts: Counts::default() })
    }

    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The next moment at which something is to be done; `None` when everything is done. With a bound that is reached,
    /// nothing is due until a request ends.
    pub fn next(&self) -> Option<Duration> {
        let lost = self.places.oldest().map(|(_, place)| place.begun + self.options.deadline);
        match (lost, self.next_due()) {
            (Some(lost), Some(due)) => Some(lost.min(due)),
            (lost, due) => lost.or(due),
        }
    }

    /// The moment at which the next request is due, if it may be sent then.
    pub fn next_due(&self) -> Option<Duration> {
        self.schedule.peek().filter(|_| !self.must_wait()).map(|due| due.at)
    }

    fn must_wait(&self) -> bool {
        self.options.parallel != Parallel::Unbounded && self.places.free() == 0
    }

    /// The next request that is due at `now`, with its agent; [`Requests::sent`] says when it is sent. `None`: nothing
    /// (more) is due.
    pub fn begin(&mut self, now: Duration) -> Option<(RequestId, u32)> {
        loop {
            let due = self.schedule.peek().filter(|due| due.at <= now && !self.must_wait())?;
            self.schedule.advance();
            match self.places.take(due.agent, due.round, due.at, now) {
                Some(id) => return Some((id, due.agent)),
                None => {
                    self.counts.unsent += 1;
                    let (agent, round, at) = (due.agent, due.round, due.at);
                    self.sink.take(&Sample { agent, round, due: at, sent: now, outcome: Outcome::Unsent });
                }
            }
        }
    }

    /// A request is sent.
    pub fn sent(&mut self, id: RequestId, now: Duration) {
        self.counts.sent += 1;
        self.places.send(id, now);
    }

    /// The agent of a request that was not answered yet, and whether it is still waited for.
    pub fn find(&self, id: RequestId) -> Option<(u32, bool)> {
        self.places.get(id).map(|place| (place.agent, place.state == State::Outstanding))
    }

    /// A request that [`Requests::find`] knows was answered at `at`.
    pub fn end(&mut self, id: RequestId, end: End, at: Duration) {
        let Some(place) = self.places.get(id).copied() else { return };
        let outcome = match (end, place.state) {
            (End::Good, State::Lost) => Outcome::Late(at),
            (End::Good, _) => Outcome::Answered(at),
            // It stays lost.
            (End::Failed(_), State::Lost) => return self.places.end(id, State::Free),
            (End::Failed(status), _) => Outcome::Failed { at, status },
        };
        match outcome {
            Outcome::Late(_) => self.counts.late += 1,
            Outcome::Failed { .. } => self.counts.failed += 1,
            _ => self.counts.answered += 1,
        }
        self.places.end(id, State::Free);
        self.sink.take(&sample(&place, at, outcome));
    }

    /// Gives up the requests whose deadline is over.
    pub fn expire(&mut self, now: Duration) {
        while let Some((id, place)) = self.places.oldest()
            && place.begun + self.options.deadline <= now
        {
            let place = *place;
            let is_sent = place.sent.is_some();
            // One that never left its session's line is forgotten: nothing can answer it.
            self.places.end(id, if is_sent { State::Lost } else { State::Free });
            let outcome = if is_sent { Outcome::Lost } else { Outcome::Unsent };
            *(if is_sent { &mut self.counts.lost } else { &mut self.counts.unsent }) += 1;
            self.sink.take(&sample(&place, now, outcome));
        }
    }

    /// Whether every round is over and nothing is outstanding.
    pub fn is_done(&self) -> bool {
        self.schedule.peek().is_none() && self.places.outstanding() == 0
    }

    pub const fn outstanding(&self) -> usize {
        self.places.outstanding()
    }

    pub fn into_sink(self) -> S {
        self.sink
    }
}

/// Of a request that ends at `now`.
fn sample(place: &Place, now: Duration, outcome: Outcome) -> Sample {
    let sent = place.sent.unwrap_or(now);
    Sample { agent: place.agent, round: place.round, due: place.due, sent, outcome }
}

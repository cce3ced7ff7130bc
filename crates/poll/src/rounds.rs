//! Which requests are due, outstanding, answered and lost; without I/O.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::error::PollError;
use crate::places::{Places, State};
use crate::protocol::{Protocol, RequestId, Verdict};
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
    /// How long after its sending a request is given up.
    pub deadline: Duration,
    /// Places of [`Parallel::Unbounded`]; `None`: as many as are outstanding when nobody answers until the deadline.
    pub places: Option<usize>,
}

/// What happened to datagrams and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that were sent.
    pub sent: u64,
    /// Requests that were answered before the deadline.
    pub answered: u64,
    /// Requests that were answered with an error.
    pub failed: u64,
    /// Requests that were given up.
    pub lost: u64,
    /// Requests that were answered after they had been given up.
    pub late: u64,
    /// Requests that were not sent, for want of a place.
    pub unsent: u64,
    /// Datagrams that are no answer, or answer no request that we know.
    pub strays: u64,
    /// Answers with the request-id of a request that went to another address.
    pub wrong_source: u64,
}

/// The requests of one shard.
#[derive(Debug)]
pub struct Rounds<P, S> {
    schedule: Schedule,
    peers: Vec<SocketAddr>,
    places: Places,
    options: RoundsOptions,
    protocol: P,
    sink: S,
    counts: Counts,
    again: Option<RequestId>,
}

impl<P: Protocol, S: Sink> Rounds<P, S> {
    /// Asks the agents at these addresses, as many as the schedule has.
    ///
    /// # Errors
    /// Not as many, or more places than there can be.
    pub fn new(
        schedule: Schedule,
        peers: Vec<SocketAddr>,
        options: RoundsOptions,
        protocol: P,
        sink: S,
    ) -> Result<Self, PollError> {
        if peers.len() != schedule.agents() as usize {
            return Err(PollError::NoAgents);
        }
        let count = match options.parallel {
            Parallel::Bounded(most) => most.get() as usize,
            Parallel::Unbounded => options.places.unwrap_or_else(|| {
                let periods = options.deadline.as_nanos().div_ceil(schedule.period().as_nanos()) + 1;
                peers.len().saturating_mul(usize::try_from(periods).unwrap_or(usize::MAX))
            }),
        };
        let places = Places::new(count)?;
        let counts = Counts::default();
        Ok(Self { schedule, peers, places, options, protocol, sink, counts, again: None })
    }

    /// The next moment at which something is to be done; `None` when everything is done. With a bound that is reached,
    /// nothing is due until a request ends.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        let lost = self.places.oldest().map(|(_, place)| place.sent + self.options.deadline);
        let due = self.schedule.peek().filter(|_| !self.must_wait()).map(|due| due.at);
        match (lost, due) {
            (Some(lost), Some(due)) => Some(lost.min(due)),
            (lost, due) => lost.or(due),
        }
    }

    /// The moment at which the next request is due, if it may be sent then.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        self.schedule.peek().filter(|_| !self.must_wait()).map(|due| due.at)
    }

    fn must_wait(&self) -> bool {
        self.options.parallel != Parallel::Unbounded && self.places.free() == 0
    }

    /// Writes the next request that is due at `now` into `out`, and returns its agent's address. It counts as sent at
    /// `now`. `None`: nothing (more) is due.
    pub fn request(&mut self, now: Duration, out: &mut Vec<u8>) -> Option<SocketAddr> {
        if let Some(id) = self.again.take()
            && let Some(agent) = self.places.get(id).map(|place| place.agent)
        {
            self.protocol.request(agent, id, out);
            return self.peers.get(agent as usize).copied();
        }
        loop {
            let due = self.schedule.peek().filter(|due| due.at <= now && !self.must_wait())?;
            self.schedule.advance();
            let Some(id) = self.places.take(due.agent, due.round, due.at, now) else {
                self.counts.unsent += 1;
                let (agent, round, at) = (due.agent, due.round, due.at);
                self.sink.take(&Sample { agent, round, due: at, sent: now, outcome: Outcome::Unsent });
                continue;
            };
            self.counts.sent += 1;
            self.protocol.request(due.agent, id, out);
            return self.peers.get(due.agent as usize).copied();
        }
    }

    /// Takes a datagram that was received at `at`. True: a request is to be sent again, by [`Rounds::request`], before
    /// the next datagram is taken.
    pub fn received(&mut self, octets: &[u8], from: SocketAddr, at: Duration) -> bool {
        let Some((id, place)) =
            self.protocol.identify(octets).and_then(|id| Some((id, *self.places.get(id)?)))
        else {
            self.counts.strays += 1;
            return false;
        };
        if self.peers.get(place.agent as usize) != Some(&from) {
            self.counts.wrong_source += 1;
            return false;
        }
        let outcome = match (self.protocol.read(place.agent, octets), place.state) {
            (Verdict::Again, State::Outstanding) => {
                self.again = Some(id);
                return true;
            }
            (Verdict::Stranger | Verdict::Again, _) => {
                self.counts.strays += 1;
                return false;
            }
            (_, State::Lost) => Outcome::Late(at),
            (Verdict::Good, _) => Outcome::Answered(at),
            (Verdict::Failed(status), _) => Outcome::Failed { at, status },
        };
        match outcome {
            Outcome::Late(_) => self.counts.late += 1,
            Outcome::Failed { .. } => self.counts.failed += 1,
            _ => self.counts.answered += 1,
        }
        self.places.end(id, State::Free);
        let (agent, round, due, sent) = (place.agent, place.round, place.due, place.sent);
        self.sink.take(&Sample { agent, round, due, sent, outcome });
        false
    }

    /// Gives up the requests whose deadline is over.
    pub fn expire(&mut self, now: Duration) {
        while let Some((id, place)) = self.places.oldest()
            && place.sent + self.options.deadline <= now
        {
            let (agent, round, due, sent) = (place.agent, place.round, place.due, place.sent);
            self.places.end(id, State::Lost);
            self.counts.lost += 1;
            self.sink.take(&Sample { agent, round, due, sent, outcome: Outcome::Lost });
        }
    }

    /// Whether every round is over and nothing is outstanding.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.schedule.peek().is_none() && self.places.outstanding() == 0
    }

    /// How many requests are outstanding.
    #[must_use]
    pub const fn outstanding(&self) -> usize {
        self.places.outstanding()
    }

    /// What happened so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The sink, with what it has taken.
    pub fn into_sink(self) -> S {
        self.sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Phase;

    /// Requests and answers are the request-id; an answer may have a status behind it.
    struct Echo;

    impl Protocol for Echo {
        fn request(&mut self, _agent: u32, id: RequestId, out: &mut Vec<u8>) {
            out.extend_from_slice(&id.get().to_be_bytes());
        }

        fn identify(&mut self, octets: &[u8]) -> Option<RequestId> {
            octets.first_chunk().map(|id| RequestId::from(i32::from_be_bytes(*id)))
        }

        fn read(&mut self, _agent: u32, octets: &[u8]) -> Verdict {
            match octets.get(4) {
                None => Verdict::Good,
                Some(255) => Verdict::Again,
                Some(status) => Verdict::Failed(i32::from(*status)),
            }
        }
    }

    type Samples = Vec<Sample>;

    impl Sink for Samples {
        fn take(&mut self, sample: &Sample) {
            self.push(*sample);
        }
    }

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn peer(agent: u32) -> SocketAddr {
        SocketAddr::from(([127, 1, 0, agent as u8], 161))
    }

    fn rounds(phase: Phase, rounds: u64, parallel: Parallel, places: Option<usize>) -> Rounds<Echo, Samples> {
        let schedule = Schedule::new(4, ms(1000), phase, Some(rounds)).unwrap();
        let options = RoundsOptions { parallel, deadline: ms(2500), places };
        Rounds::new(schedule, (0..4).map(peer).collect(), options, Echo, Vec::new()).unwrap()
    }

    /// The requests that are due now.
    fn due(rounds: &mut Rounds<Echo, Samples>, now: Duration) -> Vec<(SocketAddr, Vec<u8>)> {
        let mut found = Vec::new();
        loop {
            let mut out = Vec::new();
            let Some(to) = rounds.request(now, &mut out) else { return found };
            found.push((to, out));
        }
    }

    #[test]
    fn requests_are_sent_when_they_are_due_whatever_is_outstanding() {
        let mut rounds = rounds(Phase::EVEN, 3, Parallel::Unbounded, None);
        let mut first = Vec::new();
        for step in 0..12 {
            assert_eq!(rounds.next_due(), Some(ms(250 * step)));
            assert!(due(&mut rounds, ms(250 * step) - Duration::from_nanos(u64::from(step > 0))).len() <= 1);
            let sent = due(&mut rounds, ms(250 * step));
            first.extend(sent);
        }
        assert_eq!((rounds.counts().sent, rounds.next_due()), (12, None));
        assert!(!rounds.is_done());
        // The oldest is lost first.
        rounds.expire(ms(2499));
        assert_eq!(rounds.counts().lost, 0);
        rounds.expire(ms(2750));
        assert!(rounds.counts().lost >= 2);
        rounds.expire(ms(10_000));
        assert!(rounds.is_done() && rounds.outstanding() == 0 && rounds.next().is_none());
        let samples = rounds.into_sink();
        assert_eq!(samples.len(), 12);
        assert!(samples.iter().all(|it| it.outcome == Outcome::Lost && it.received().is_none()));
        assert!(samples.iter().all(|it| it.due == ms(1000 * it.round + 250 * u64::from(it.agent))));
    }

    #[test]
    fn answers_have_both_delays_and_lies_are_refused() {
        let mut rounds = rounds(Phase::Together, 1, Parallel::Unbounded, None);
        let sent = due(&mut rounds, ms(3));
        assert_eq!(sent.len(), 4);
        let answer = |status: u8| [&sent[1].1[..], &[status]].concat();
        rounds.received(&sent[0].1, peer(1), ms(5));
        rounds.received(&[1, 2, 3], peer(1), ms(5));
        rounds.received(&[0, 0, 0, 1], peer(1), ms(5));
        assert_eq!((rounds.counts().wrong_source, rounds.counts().strays), (1, 2));
        rounds.received(&sent[0].1, peer(0), ms(10));
        rounds.received(&answer(2), peer(1), ms(11));
        // The same answer again is nobody's.
        rounds.received(&sent[0].1, peer(0), ms(12));
        assert_eq!(rounds.counts().strays, 3);
        rounds.expire(ms(2503));
        rounds.received(&sent[2].1, peer(2), ms(2600));
        assert_eq!(
            *rounds.counts(),
            Counts {
                sent: 4,
                answered: 1,
                failed: 1,
                lost: 2,
                late: 1,
                strays: 3,
                wrong_source: 1,
                unsent: 0
            }
        );
        let samples = rounds.into_sink();
        assert_eq!((samples[0].from_due(), samples[0].from_sending()), (Some(ms(10)), Some(ms(7))));
        assert_eq!(samples[1].outcome, Outcome::Failed { at: ms(11), status: 2 });
        let late = samples.last().unwrap();
        assert_eq!((late.agent, late.outcome), (2, Outcome::Late(ms(2600))));
    }

    #[test]
    fn a_bound_waits_and_a_serial_round_has_one_at_a_time() {
        let mut rounds = rounds(Phase::Together, 2, Parallel::SERIAL, None);
        for step in 0..8 {
            let now = ms(1000 * (step / 4) + 10 * step);
            let sent = due(&mut rounds, now);
            assert_eq!(sent.len(), 1, "{step}");
            assert_eq!(rounds.next_due(), None);
            assert_eq!(rounds.next(), Some(now + ms(2500)));
            rounds.received(&sent[0].1, sent[0].0, now + ms(5));
        }
        assert!(rounds.is_done());
        let samples = rounds.into_sink();
        let dues: Vec<u64> = samples.iter().map(|it| it.due.as_millis() as u64).collect();
        assert_eq!(dues, [0, 0, 0, 0, 1000, 1000, 1000, 1000]);
        assert_eq!(samples[3].from_due(), Some(ms(35)));
    }

    #[test]
    fn without_a_place_a_request_is_not_sent_later() {
        let mut rounds = rounds(Phase::Together, 2, Parallel::Unbounded, Some(3));
        assert_eq!(due(&mut rounds, ms(0)).len(), 3);
        assert_eq!(due(&mut rounds, ms(1000)).len(), 0);
        assert_eq!((rounds.counts().unsent, rounds.outstanding()), (5, 3));
        let samples = rounds.into_sink();
        assert_eq!(samples.iter().filter(|it| it.outcome == Outcome::Unsent).count(), 5);
    }

    #[test]
    fn a_request_is_sent_again_with_the_same_id() {
        let mut rounds = rounds(Phase::Together, 1, Parallel::SERIAL, None);
        let sent = due(&mut rounds, ms(0));
        assert!(rounds.received(&[&sent[0].1[..], &[255]].concat(), peer(0), ms(1)));
        let again = due(&mut rounds, ms(2));
        assert_eq!(again, sent);
        assert!(!rounds.received(&again[0].1, peer(0), ms(3)));
        let sample = rounds.into_sink()[0];
        assert_eq!((sample.sent, sample.outcome), (ms(0), Outcome::Answered(ms(3))));
    }
}

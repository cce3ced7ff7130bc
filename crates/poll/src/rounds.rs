//! The rounds of a shard over datagrams: octets of requests and answers, and whose they are; without I/O.

use std::net::SocketAddr;
use std::time::Duration;

use crate::error::PollError;
use crate::protocol::{Protocol, RequestId, Verdict};
use crate::requests::{Counts, End, Requests, RoundsOptions};
use crate::sample::Sink;
use crate::schedule::Schedule;

/// The requests of one shard.
#[derive(Debug)]
pub struct Rounds<P, S> {
    requests: Requests<S>,
    peers: Vec<SocketAddr>,
    protocol: P,
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
        let requests = Requests::new(schedule, options, sink)?;
        Ok(Self { requests, peers, protocol, again: None })
    }

    /// The next moment at which something is to be done; `None` when everything is done. With a bound that is reached,
    /// nothing is due until a request ends.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        self.requests.next()
    }

    /// The moment at which the next request is due, if it may be sent then.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        self.requests.next_due()
    }

    /// Writes the next request that is due at `now` into `out`, and returns its agent's address. It counts as sent at
    /// `now`. `None`: nothing (more) is due.
    pub fn request(&mut self, now: Duration, out: &mut Vec<u8>) -> Option<SocketAddr> {
        if let Some(id) = self.again.take()
            && let Some((agent, _)) = self.requests.find(id)
        {
            self.requests.counts.again += 1;
            self.protocol.request(agent, id, now, out);
            return self.peers.get(agent as usize).copied();
        }
        let (id, agent) = self.requests.begin(now)?;
        self.requests.sent(id, now);
        self.protocol.request(agent, id, now, out);
        self.peers.get(agent as usize).copied()
    }

    /// Takes a datagram that was received at `at`. True: a request is to be sent again, by [`Rounds::request`], before
    /// the next datagram is taken.
    pub fn received(&mut self, octets: &[u8], from: SocketAddr, at: Duration) -> bool {
        let known = self.protocol.identify(octets).and_then(|id| Some((id, self.requests.find(id)?)));
        let Some((id, (agent, is_outstanding))) = known else {
            self.requests.counts.strays += 1;
            return false;
        };
        if self.peers.get(agent as usize) != Some(&from) {
            self.requests.counts.wrong_source += 1;
            return false;
        }
        match self.protocol.read(agent, octets, at) {
            Verdict::Again if is_outstanding => {
                self.again = Some(id);
                return true;
            }
            Verdict::Stranger | Verdict::Again => self.requests.counts.strays += 1,
            Verdict::Good => self.requests.end(id, End::Good, at),
            Verdict::Failed(status) => self.requests.end(id, End::Failed(status), at),
        }
        false
    }

    /// Gives up the requests whose deadline is over.
    pub fn expire(&mut self, now: Duration) {
        self.requests.expire(now);
    }

    /// Whether every round is over and nothing is outstanding.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.requests.is_done()
    }

    /// How many requests are outstanding.
    #[must_use]
    pub const fn outstanding(&self) -> usize {
        self.requests.outstanding()
    }

    /// What happened so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.requests.counts
    }

    /// The sink, with what it has taken, and the protocol, with what it has learned of the agents.
    pub fn into_parts(self) -> (S, P) {
        (self.requests.into_sink(), self.protocol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::Parallel;
    use crate::sample::{Outcome, Sample};
    use crate::schedule::Phase;

    /// Requests and answers are the request-id; an answer may have a status behind it.
    struct Echo;

    impl Protocol for Echo {
        fn request(&mut self, _agent: u32, id: RequestId, _now: Duration, out: &mut Vec<u8>) {
            out.extend_from_slice(&id.get().to_be_bytes());
        }

        fn identify(&mut self, octets: &[u8]) -> Option<RequestId> {
            octets.first_chunk().map(|id| RequestId::from(i32::from_be_bytes(*id)))
        }

        fn read(&mut self, _agent: u32, octets: &[u8], _at: Duration) -> Verdict {
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
        let samples = rounds.into_parts().0;
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
                ..Counts::default()
            }
        );
        let samples = rounds.into_parts().0;
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
        let samples = rounds.into_parts().0;
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
        let samples = rounds.into_parts().0;
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
        assert_eq!((rounds.counts().sent, rounds.counts().again), (1, 1));
        let sample = rounds.into_parts().0[0];
        assert_eq!((sample.sent, sample.outcome), (ms(0), Outcome::Answered(ms(3))));
    }
}

//! When which agent's request is due.

use std::time::Duration;

use crate::error::PollError;

/// When within a period each agent is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// One after the other, as far apart as the period allows. Of several shards each has every n-th agent of all.
    Even {
        /// Which shard this is, from 0.
        shard: u32,
        /// How many there are.
        of: u32,
    },
    /// All at the beginning of the period.
    Together,
    /// Each at a moment that is drawn from this seed, the same in each period.
    Drawn(u64),
}

impl Phase {
    /// Evenly, by one shard.
    pub const EVEN: Phase = Phase::Even { shard: 0, of: 1 };
}

/// A request that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub agent: u32,
    pub round: u64,
    pub at: Duration,
}

/// The order of all requests. Nothing is kept for each agent, but for [`Phase::Drawn`].
#[derive(Clone, Debug)]
pub struct Schedule {
    agents: u32,
    period: Duration,
    rounds: Option<u64>,
    phase: Phase,
    /// For [`Phase::Drawn`]: moments in the period with their agents, in order.
    drawn: Vec<(Duration, u32)>,
    round: u64,
    next: u32,
    /// What is looked at several times for each request.
    upcoming: Option<Due>,
}

impl Schedule {
    /// Each of `agents` agents is asked once in each period, for `rounds` rounds or without end.
    ///
    /// # Errors
    /// No agents, or no period.
    pub fn new(agents: u32, period: Duration, phase: Phase, rounds: Option<u64>) -> Result<Self, PollError> {
        if agents == 0 {
            return Err(PollError::NoAgents);
        }
        if period.is_zero() {
            return Err(PollError::Period);
        }
        let mut drawn = Vec::new();
        if let Phase::Drawn(seed) = phase {
            drawn.extend((0..agents).map(|agent| (drawn_at(seed, agent, period), agent)));
            drawn.sort_unstable();
        }
        let mut schedule = Self { agents, period, rounds, phase, drawn, round: 0, next: 0, upcoming: None };
        schedule.upcoming = schedule.due();
        Ok(schedule)
    }

    /// How many agents there are.
    #[must_use]
    pub const fn agents(&self) -> u32 {
        self.agents
    }

    /// The time between two requests to the same agent.
    #[must_use]
    pub const fn period(&self) -> Duration {
        self.period
    }

    /// The next request; `None` behind the last round.
    pub(crate) const fn peek(&self) -> Option<Due> {
        self.upcoming
    }

    fn due(&self) -> Option<Due> {
        if self.rounds.is_some_and(|rounds| self.round >= rounds) {
            return None;
        }
        let (phase, agent) = match self.phase {
            Phase::Together => (Duration::ZERO, self.next),
            Phase::Even { shard, of } => {
                let (at, of) =
                    (u64::from(shard) + u64::from(self.next) * u64::from(of), u64::from(of.max(1)));
                (share(self.period, at, u64::from(self.agents) * of), self.next)
            }
            Phase::Drawn(_) => self.drawn[self.next as usize],
        };
        Some(Due { agent, round: self.round, at: times(self.period, self.round) + phase })
    }

    /// Goes on behind the next request.
    pub(crate) fn advance(&mut self) {
        self.next += 1;
        if self.next == self.agents {
            self.next = 0;
            self.round += 1;
        }
        self.upcoming = self.due();
    }
}

fn times(period: Duration, round: u64) -> Duration {
    of_nanoseconds(period.as_nanos() * u128::from(round))
}

fn share(period: Duration, part: u64, of: u64) -> Duration {
    of_nanoseconds(period.as_nanos() * u128::from(part) / u128::from(of))
}

fn of_nanoseconds(nanoseconds: u128) -> Duration {
    let seconds = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(u64::MAX);
    Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32)
}

fn drawn_at(seed: u64, agent: u32, period: Duration) -> Duration {
    // SplitMix64 (Steele, Lea, Flood 2014).
    let number = seed.wrapping_add(u64::from(agent).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    share(period, (number ^ (number >> 31)) >> 32, 1 << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn all(phase: Phase) -> Vec<(u32, u64, u64)> {
        let mut schedule = Schedule::new(4, SECOND, phase, Some(2)).unwrap();
        let mut found = Vec::new();
        while let Some(due) = schedule.peek() {
            found.push((due.agent, due.round, due.at.as_millis() as u64));
            schedule.advance();
        }
        found
    }

    #[test]
    fn rounds_are_even_together_or_drawn() {
        let even = [
            (0, 0, 0),
            (1, 0, 250),
            (2, 0, 500),
            (3, 0, 750),
            (0, 1, 1000),
            (1, 1, 1250),
            (2, 1, 1500),
            (3, 1, 1750),
        ];
        assert_eq!(all(Phase::EVEN), even);
        let together = even.map(|(agent, round, _)| (agent, round, round * 1000));
        assert_eq!(all(Phase::Together), together);
        let second: Vec<u64> = all(Phase::Even { shard: 1, of: 2 }).iter().map(|it| it.2).collect();
        assert_eq!(second[..4], [125, 375, 625, 875]);
        let drawn = all(Phase::Drawn(7));
        assert_eq!(drawn, all(Phase::Drawn(7)));
        assert_ne!(drawn, all(Phase::Drawn(8)));
        assert!(drawn.is_sorted_by_key(|it| it.2));
        let mut agents: Vec<u32> = drawn[..4].iter().map(|it| it.0).collect();
        agents.sort_unstable();
        assert_eq!(agents, [0, 1, 2, 3]);
        assert!(drawn[..4].iter().zip(&drawn[4..]).all(|(one, other)| one.2 + 1000 == other.2));
    }

    #[test]
    fn nobody_and_no_period_are_refused() {
        assert!(matches!(Schedule::new(0, SECOND, Phase::EVEN, None), Err(PollError::NoAgents)));
        assert!(matches!(Schedule::new(1, Duration::ZERO, Phase::EVEN, None), Err(PollError::Period)));
    }
}

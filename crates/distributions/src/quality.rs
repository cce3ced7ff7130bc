//! The quality of monitoring (EMANICS D7.1, section 6.3): q(D) is the share that arrives within the tolerable delay D, and 1 - q is
//! the monitoring error. The share of what, the deliverable leaves open; here are three readings, each with its name:
//!
//! - **agents**: those whose mean delay exceeds D (the deliverable's table 6.2);
//! - **answers**: single ones later than D;
//! - **rounds**: those whose group delay exceeds D: the longest delay of a round whose requests go out at once, the sum in one where
//!   each waits for the one before.
//!
//! A request without an answer is later than D in all three: as an answer it counts as late; in its agent's mean as the time that it
//! waited, and at least as D, so that the mean is a lower bound, and an agent that never answers is late; and its round is late.
//! Of an agent with answers and losses whose bound is within D, it is not known whether it is late ([`Gathering::undecided_agents`]).

use std::collections::BTreeMap;

use crate::sample::{Sample, SampleError};

/// One request and its delay, in the unit of the tolerable delay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The agent's number, if known.
    pub agent: Option<u32>,
    /// The round's number, if known.
    pub round: Option<u32>,
    /// How long it took, or how long it has waited in vain.
    pub delay: Delay,
}

/// How long an answer took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Delay {
    /// It came after so long.
    Answered(f64),
    /// None came, although so long was waited for it: 0 if that is not known.
    Lost(f64),
}

/// A share, by its counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub some: u64,
    /// Of how many; at least 1.
    pub of: u64,
}

impl Share {
    /// `None` of nothing.
    pub const fn new(some: u64, of: u64) -> Option<Share> {
        if of == 0 { None } else { Some(Share { some, of }) }
    }

    /// Between 0 and 1.
    pub fn value(self) -> f64 {
        self.some as f64 / self.of as f64
    }
}

/// What was asked of one agent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OfAgent {
    /// The sum of its delays, a lower bound if answers were lost.
    pub sum: f64,
    /// Its answers.
    pub answered: u64,
    /// Its requests without one.
    pub lost: u64,
}

impl OfAgent {
    /// The mean of its delays, a lower bound if answers were lost.
    pub fn mean(&self) -> f64 {
        self.sum / (self.answered + self.lost) as f64
    }

    /// Whether the mean is later than D. What is lost is later than D, however short it was waited for.
    fn is_late(&self, tolerable: f64) -> bool {
        self.answered == 0 || self.mean() > tolerable
    }
}

/// One round of a group.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Round {
    /// The longest delay: the group delay of a parallel round, a lower bound if answers were lost.
    pub parallel: f64,
    /// The sum: the group delay of a serial round, a lower bound if answers were lost.
    pub serial: f64,
    /// Its requests.
    pub requests: u64,
    /// Those without an answer.
    pub lost: u64,
}

/// Gathers answers one by one: memory grows with agents and rounds, not with answers.
#[derive(Debug, Clone)]
pub struct Gathering {
    tolerable: f64,
    answers: u64,
    late: u64,
    lost: u64,
    agents: BTreeMap<u32, OfAgent>,
    rounds: BTreeMap<u32, Round>,
}

impl Gathering {
    /// For a tolerable delay.
    pub const fn new(tolerable: f64) -> Self {
        Gathering {
            tolerable,
            answers: 0,
            late: 0,
            lost: 0,
            agents: BTreeMap::new(),
            rounds: BTreeMap::new(),
        }
    }

    /// Adds one.
    pub fn add(&mut self, answer: &Answer) {
        let (delay, is_lost) = match answer.delay {
            Delay::Answered(delay) => (delay, false),
            Delay::Lost(waited) => (waited.max(self.tolerable), true),
        };
        self.answers += 1;
        self.lost += u64::from(is_lost);
        self.late += u64::from(is_lost || delay > self.tolerable);
        if let Some(agent) = answer.agent {
            let its = self.agents.entry(agent).or_default();
            its.answered += u64::from(!is_lost);
            its.lost += u64::from(is_lost);
            its.sum += delay;
        }
        if let Some(round) = answer.round {
            let its = self.rounds.entry(round).or_default();
            its.parallel = its.parallel.max(delay);
            its.serial += delay;
            its.requests += 1;
            its.lost += u64::from(is_lost);
        }
    }

    /// The tolerable delay.
    pub const fn tolerable(&self) -> f64 {
        self.tolerable
    }

    /// Requests, and those without an answer.
    pub const fn counts(&self) -> (u64, u64) {
        (self.answers, self.lost)
    }

    /// What was asked of each agent.
    pub const fn agents(&self) -> &BTreeMap<u32, OfAgent> {
        &self.agents
    }

    /// The whole rounds: those with as many requests as the largest. A run that was ended has one that is not.
    pub fn rounds(&self) -> impl Iterator<Item = &Round> {
        let whole = self.rounds.values().map(|it| it.requests).max().unwrap_or(0);
        self.rounds.values().filter(move |it| it.requests == whole)
    }

    /// The requests of a whole round: the size of the group.
    pub fn group(&self) -> u64 {
        self.rounds.values().map(|it| it.requests).max().unwrap_or(0)
    }

    /// Rounds that are not whole, and are left out.
    pub fn incomplete_rounds(&self) -> usize {
        self.rounds.len() - self.rounds().count()
    }

    /// 1 - q by answers.
    pub const fn error_of_answers(&self) -> Option<Share> {
        Share::new(self.late, self.answers)
    }

    /// 1 - q by agents: at least so many, if some are [undecided](Self::undecided_agents).
    pub fn error_of_agents(&self) -> Option<Share> {
        let late = self.agents.values().filter(|it| it.is_late(self.tolerable));
        Share::new(late.count() as u64, self.agents.len() as u64)
    }

    /// Agents that are not counted as late although answers are lost: their mean is known from below only.
    pub fn undecided_agents(&self) -> u64 {
        self.agents.values().filter(|it| it.lost > 0 && !it.is_late(self.tolerable)).count() as u64
    }

    /// 1 - q by parallel rounds.
    pub fn error_of_parallel_rounds(&self) -> Option<Share> {
        self.error_of_rounds(|round| round.parallel)
    }

    /// 1 - q by serial rounds.
    pub fn error_of_serial_rounds(&self) -> Option<Share> {
        self.error_of_rounds(|round| round.serial)
    }

    fn error_of_rounds(&self, delay: impl Fn(&Round) -> f64) -> Option<Share> {
        let late = self.rounds().filter(|round| round.lost > 0 || delay(round) > self.tolerable);
        Share::new(late.count() as u64, self.rounds().count() as u64)
    }

    /// The agents' means as a sample: those of agents with lost answers are censored.
    ///
    /// # Errors
    /// There is no agent with all answers.
    pub fn means(&self) -> Result<Sample, SampleError> {
        let whole = self.agents.values().filter(|it| it.lost == 0).map(OfAgent::mean).collect();
        let bounds = self.agents.values().filter(|it| it.lost > 0).map(OfAgent::mean).collect();
        Sample::censored_at(whole, bounds)
    }

    /// The group delays of parallel rounds (or of serial ones) as a sample: those with lost answers are censored.
    ///
    /// # Errors
    /// There is no round with all answers.
    pub fn group_delays(&self, is_serial: bool) -> Result<Sample, SampleError> {
        let delay = |round: &Round| if is_serial { round.serial } else { round.parallel };
        let whole = self.rounds().filter(|round| round.lost == 0).map(delay).collect();
        let bounds = self.rounds().filter(|round| round.lost > 0).map(delay).collect();
        Sample::censored_at(whole, bounds)
    }
}

/// The share of parallel rounds of so many agents that are late, if each answer is late with this probability, independently of
/// all others: 1 - (1 - p)^m. Delays of one manager are not independent, so that fewer rounds are late than it says.
pub fn of_independent_rounds(late: f64, agents: u64) -> f64 {
    -(agents as f64 * (-late).ln_1p()).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gathering(tolerable: f64, answers: &[(u32, u32, Delay)]) -> Gathering {
        let mut all = Gathering::new(tolerable);
        for &(agent, round, delay) in answers {
            all.add(&Answer { agent: Some(agent), round: Some(round), delay });
        }
        all
    }

    fn shares(all: &Gathering) -> [f64; 4] {
        [
            all.error_of_agents(),
            all.error_of_answers(),
            all.error_of_parallel_rounds(),
            all.error_of_serial_rounds(),
        ]
        .map(|share| share.unwrap().value())
    }

    #[test]
    fn the_readings_differ() {
        use Delay::Answered;
        // Two agents, four rounds, D = 10: one slow answer, whose agent is still fast in the mean.
        let all = gathering(
            10.0,
            &[
                (1, 1, Answered(1.0)),
                (2, 1, Answered(6.0)),
                (1, 2, Answered(1.0)),
                (2, 2, Answered(12.0)),
                (1, 3, Answered(5.0)),
                (2, 3, Answered(6.0)),
                (1, 4, Answered(1.0)),
                (2, 4, Answered(2.0)),
            ],
        );
        assert_eq!(shares(&all), [0.0, 0.125, 0.25, 0.5]);
        assert_eq!(all.means().unwrap().observed(), [2.0, 6.5]);
        assert_eq!(all.group_delays(false).unwrap().observed(), [2.0, 6.0, 6.0, 12.0]);
        assert_eq!(all.group_delays(true).unwrap().observed(), [3.0, 7.0, 11.0, 13.0]);
        assert_eq!((all.group(), all.counts(), all.tolerable()), (2, (8, 0), 10.0));
    }

    #[test]
    fn a_lost_answer_is_late_in_each_reading() {
        use Delay::{Answered, Lost};
        let all = gathering(
            10.0,
            &[(1, 1, Answered(1.0)), (2, 1, Lost(5.0)), (1, 2, Answered(3.0)), (2, 2, Lost(30.0))],
        );
        assert_eq!(shares(&all), [0.5, 0.5, 1.0, 1.0]);
        // It waited 5, but is known to be later than 10.
        assert_eq!(all.agents()[&2], OfAgent { sum: 40.0, answered: 0, lost: 2 });
        let means = all.means().unwrap();
        assert_eq!((means.observed(), means.censored()), (&[2.0][..], &[20.0][..]));
        assert!(matches!(all.group_delays(false), Err(SampleError::NoneObserved { censored: 2 })));
        assert_eq!(all.counts(), (4, 2));
    }

    /// Each waited for less than D, and nothing came: no mean is known, and none is within D.
    #[test]
    fn an_agent_that_never_answers_is_late_however_short_it_was_waited_for() {
        use Delay::{Answered, Lost};
        let silent = (0..10).map(|round| (1, round, Lost(2.0)));
        let others = (0..10).flat_map(|round| {
            [(2, round, Answered(1.0)), (3, round, if round == 0 { Lost(2.0) } else { Answered(1.0) })]
        });
        let all = gathering(5.1, &silent.chain(others).collect::<Vec<_>>());
        assert_eq!(all.error_of_agents(), Share::new(1, 3));
        // The third may have a mean of any length.
        assert_eq!(all.undecided_agents(), 1);
    }

    #[test]
    fn a_round_that_was_cut_off_is_left_out_and_nothing_has_no_share() {
        use Delay::Answered;
        let all = gathering(10.0, &[(1, 1, Answered(11.0)), (2, 1, Answered(1.0)), (1, 2, Answered(1.0))]);
        assert_eq!(all.error_of_parallel_rounds(), Share::new(1, 1));
        assert_eq!(all.incomplete_rounds(), 1);
        let none = Gathering::new(1.0);
        assert_eq!(
            (none.error_of_answers(), none.error_of_agents(), none.error_of_parallel_rounds()),
            (None, None, None)
        );
        let mut alone = Gathering::new(1.0);
        alone.add(&Answer { agent: None, round: None, delay: Answered(2.0) });
        assert_eq!((alone.error_of_answers(), alone.error_of_agents()), (Share::new(1, 1), None));
    }

    #[test]
    fn late_rounds_of_independent_answers() {
        assert!((of_independent_rounds(0.01, 1) - 0.01).abs() < 1e-15);
        assert!((of_independent_rounds(0.5, 3) - 0.875).abs() < 1e-15);
        assert!((of_independent_rounds(1e-12, 700) / 7e-10 - 1.0).abs() < 1e-6);
        assert_eq!((of_independent_rounds(0.0, 700), of_independent_rounds(1.0, 7)), (0.0, 1.0));
    }

    proptest! {
        /// Checklist J.7.
        #[test]
        fn the_sum_is_at_least_the_maximum_and_equal_for_one_agent(delays in prop::collection::vec(0.0..100.0f64, 1..30)) {
            let answers: Vec<(u32, u32, Delay)> =
                delays.iter().enumerate().map(|(agent, &it)| (agent as u32, 1, Delay::Answered(it))).collect();
            let all = gathering(50.0, &answers);
            let round = *all.rounds().next().unwrap();
            prop_assert_eq!(round.parallel, delays.iter().copied().fold(0.0, f64::max));
            prop_assert!((round.serial - delays.iter().sum::<f64>()).abs() < 1e-9);
            prop_assert!(round.serial >= round.parallel);
            if delays.len() == 1 {
                prop_assert_eq!(round.serial, round.parallel);
            }
            let [agents, answers, parallel, serial] = shares(&all);
            prop_assert!(parallel >= answers && serial >= parallel && agents == answers);
        }
    }
}

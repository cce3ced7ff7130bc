//! The delays of one file, gathered as they are read: memory grows with agents and rounds; of more than [`MOST_KEPT`] delays
//! some are drawn.

use trunkline_delays::{Header, Outcome, Record, Scheduling};
use trunkline_distributions::quality::{Answer, Delay, Gathering};
use trunkline_distributions::{Sample, SampleError};

/// How many requests ended in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// All.
    pub requests: u64,
    /// Answered in time.
    pub answered: u64,
    /// Answered after they were given up.
    pub late: u64,
    /// Not answered.
    pub lost: u64,
    /// Answered with an error.
    pub failed: u64,
    /// Never sent.
    pub unsent: u64,
}

/// From when a delay is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum From {
    /// From when the request was due: what waits in the manager is in it.
    #[default]
    Due,
    /// From when it was sent, as the deliverable counts.
    Sent,
}

/// One file's delays, in milliseconds.
#[derive(Debug)]
pub struct Group {
    /// The file's name.
    pub name: String,
    /// What the file says of itself.
    pub header: Option<Header>,
    /// How requests ended.
    pub counts: Counts,
    /// The readings of the monitoring error.
    pub gathering: Gathering,
    /// How long what is lost of a text was waited for, ms, if the user says it.
    pub waited: Option<f64>,
    /// What to know before reading, in sentences.
    pub conditions: Vec<String>,
    from: From,
    chosen: Kept,
    other: Kept,
    /// The readings by the time that was not chosen, for the rounds; nothing of texts.
    gathering_of_other: Gathering,
}

/// How the requests of a round went out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// Each at its time.
    AtOnce,
    /// One after the other, or a few at a time: in words.
    Bounded(String),
}

/// Delays with their rounds; of many, some that are drawn evenly.
#[derive(Debug)]
struct Kept {
    all: u64,
    some: Vec<(u32, Delay)>,
    random: fastrand::Rng,
}

impl Kept {
    fn new(seed: u64) -> Self {
        Kept { all: 0, some: Vec::new(), random: fastrand::Rng::with_seed(seed) }
    }

    /// Each of all is among the kept ones with the same probability.
    fn add(&mut self, round: u32, delay: Delay) {
        self.all += 1;
        if self.some.len() < MOST_KEPT {
            self.some.push((round, delay));
            return;
        }
        let place = self.random.u64(..self.all);
        if let Some(kept) = usize::try_from(place).ok().and_then(|place| self.some.get_mut(place)) {
            *kept = (round, delay);
        }
    }
}

/// A sample of delays, those that were not answered by how long they waited.
fn sample<'a>(delays: impl Iterator<Item = &'a Delay>) -> Result<Sample, SampleError> {
    let (mut observed, mut censored) = (Vec::new(), Vec::new());
    for delay in delays {
        match delay {
            Delay::Answered(delay) => observed.push(*delay),
            Delay::Lost(waited) => censored.push(*waited),
        }
    }
    Sample::censored_at(observed, censored)
}

impl Group {
    /// Nothing yet.
    pub fn new(name: String, tolerable: f64, from: From, seed: u64) -> Self {
        Group {
            name,
            header: None,
            counts: Counts::default(),
            gathering: Gathering::new(tolerable),
            conditions: vec![],
            from,
            waited: None,
            chosen: Kept::new(seed),
            other: Kept::new(seed),
            gathering_of_other: Gathering::new(tolerable),
        }
    }

    /// Requests without an answer.
    pub fn unanswered(&self) -> u64 {
        self.counts.requests - self.counts.answered - self.counts.late
    }

    /// Adds a record of a file of delays.
    pub fn add_record(&mut self, record: &Record) {
        self.counts.requests += 1;
        let count = match record.outcome {
            Outcome::Answered => &mut self.counts.answered,
            Outcome::Late => &mut self.counts.late,
            Outcome::Lost => &mut self.counts.lost,
            Outcome::Failed => &mut self.counts.failed,
            Outcome::Unsent => &mut self.counts.unsent,
        };
        *count += 1;
        let delay = |ns: u64| {
            let ms = ns as f64 / MS;
            if record.outcome.has_answer() { Delay::Answered(ms) } else { Delay::Lost(ms) }
        };
        let from_due = delay(record.from_due());
        let from_sent = record.from_sent().map(delay);
        let (chosen, other) = match self.from {
            From::Due => (Some(from_due), from_sent),
            // What was never sent has waited in vain all the same.
            From::Sent => (from_sent.or(Some(from_due)), Some(from_due)),
        };
        if let Some(delay) = chosen {
            self.chosen.add(record.round, delay);
            self.gathering.add(&Answer { agent: Some(record.agent), round: Some(record.round), delay });
        }
        if let Some(delay) = other {
            self.other.add(record.round, delay);
        }
        let answer = Answer { agent: None, round: Some(record.round), delay: other.unwrap_or(from_due) };
        self.gathering_of_other.add(&answer);
    }

    /// The readings by delays from when requests were due: those of a text have one time.
    pub fn from_due(&self) -> &Gathering {
        if self.from == From::Due || self.header.is_none() {
            &self.gathering
        } else {
            &self.gathering_of_other
        }
    }

    /// The readings by delays from when requests were sent.
    pub fn from_sent(&self) -> &Gathering {
        if self.from == From::Sent || self.header.is_none() {
            &self.gathering
        } else {
            &self.gathering_of_other
        }
    }

    /// Adds a delay that another program wrote.
    pub fn add_line(&mut self, line: &trunkline_delays::Line) {
        self.counts.requests += 1;
        let delay = match line.delay {
            Some(ns) => Delay::Answered(ns / MS),
            // If it is not known how long it was waited for: at least the tolerable delay is the reading's own rule.
            None => Delay::Lost(self.waited.unwrap_or(self.gathering.tolerable())),
        };
        match delay {
            Delay::Answered(_) => self.counts.answered += 1,
            Delay::Lost(_) => self.counts.lost += 1,
        }
        self.chosen.add(line.round.unwrap_or(0), delay);
        self.gathering.add(&Answer { agent: line.agent, round: line.round, delay });
    }

    /// The delays.
    ///
    /// # Errors
    /// No request was answered.
    pub fn delays(&self) -> Result<Sample, SampleError> {
        sample(self.chosen.some.iter().map(|(_, delay)| delay))
    }

    /// From when they count, and those from the other time; `None` if only one is known.
    pub fn both(&self) -> Option<[(&'static str, Sample); 2]> {
        let other = sample(self.other.some.iter().map(|(_, delay)| delay)).ok()?;
        let chosen = self.delays().ok()?;
        let [due, sent] = ["from when it was due", "from when it was sent"];
        Some(match self.from {
            From::Due => [(due, chosen), (sent, other)],
            From::Sent => [(sent, chosen), (due, other)],
        })
    }

    /// The delays of the first half of the rounds, and those of the second; `None` without two rounds that were answered.
    pub fn halves(&self) -> Option<[Sample; 2]> {
        let rounds = self.chosen.some.iter().map(|(round, _)| *round);
        let (first, last) = (rounds.clone().min()?, rounds.max()?);
        let middle = first + (last - first).div_ceil(2);
        let half = |is_first: bool| {
            let of = self.chosen.some.iter().filter(|(round, _)| (*round < middle) == is_first);
            sample(of.map(|(_, delay)| delay)).ok()
        };
        (first < last).then_some(())?;
        Some([half(true)?, half(false)?])
    }

    /// How many delays there are in all, if only some were kept.
    pub fn thinned(&self) -> Option<u64> {
        (self.chosen.all > self.chosen.some.len() as u64).then_some(self.chosen.all)
    }

    /// The size of the group: as the file says, else as its rounds or agents show; 0 if neither is known.
    pub fn size(&self) -> u32 {
        let said = self.header.as_ref().map_or(0, |header| header.group);
        let seen = self.gathering.agents().len().max(self.gathering.group() as usize);
        if said > 0 { said } else { u32::try_from(seen).unwrap_or(u32::MAX) }
    }

    /// How the requests of a round went out.
    pub fn asked(&self) -> Asked {
        self.header.as_ref().map_or(Asked::AtOnce, asked)
    }

    /// Whether fits of its delays depend on how long lost answers were waited for, which nobody has said.
    pub fn is_unbounded(&self) -> bool {
        self.header.is_none() && self.counts.lost > 0 && self.waited.is_none()
    }
}

/// How the requests of a round of this file went out.
pub fn asked(header: &Header) -> Asked {
    let most = header.settings.get("outstanding").and_then(|text| text.parse::<u32>().ok());
    match (header.scheduling, most) {
        (Scheduling::Serial, _) | (_, Some(1)) => Asked::Bounded("serial rounds".into()),
        (_, Some(most)) => Asked::Bounded(format!("rounds with at most {most} outstanding")),
        (_, None) => Asked::AtOnce,
    }
}

/// How a file was asked, in words; `None`: by polling in parallel rounds.
pub fn how(header: &Header) -> Option<String> {
    if header.metric.operation() == "Trap" {
        return Some("traps one way".into());
    }
    match asked(header) {
        Asked::AtOnce => None,
        Asked::Bounded(how) => Some(how),
    }
}

/// The command, and the experiment of its tables.
pub(crate) const NAME: &str = "analyze";
/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;
/// The most delays that are kept, 32 MB for each time that they are counted from.
pub const MOST_KEPT: usize = 2_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn record(agent: u32, round: u32, wait: u64, delay: u64, outcome: Outcome) -> Record {
        let due = u64::from(round) * 1_000_000_000;
        Record { agent, round, due, sent: due + wait, ended: due + wait + delay, outcome }
    }

    #[test]
    fn delays_count_from_when_they_were_due_or_sent_and_the_lost_are_kept() {
        for (from, first) in [(From::Due, 3.0), (From::Sent, 2.0)] {
            let mut group = Group::new("x".into(), 1000.0, from, 1);
            group.add_record(&record(0, 0, 1_000_000, 2_000_000, Outcome::Answered));
            group.add_record(&record(1, 0, 1_000_000, 5_000_000_000, Outcome::Lost));
            group.add_record(&record(0, 1, 7_000_000, 0, Outcome::Unsent));
            let delays = group.delays().unwrap();
            assert_eq!(delays.observed(), [first]);
            assert_eq!(delays.censored().len(), 2);
            assert_eq!(
                group.counts,
                Counts { requests: 3, answered: 1, lost: 1, unsent: 1, ..Counts::default() }
            );
            assert_eq!(group.both().unwrap()[0].1, delays);
            // The second round has one of two requests.
            assert_eq!((group.size(), group.gathering.incomplete_rounds()), (2, 1));
        }
    }

    /// A serial round of three requests, each sent after the answer to the one before, all due when it began.
    #[test]
    fn a_serial_round_takes_until_its_last_answer() {
        for (from, settings) in [(From::Due, "1"), (From::Sent, "1"), (From::Due, "10")] {
            let mut group = Group::new("x".into(), 1000.0, from, 1);
            let mut header = Header::new("A-AttributeDelay-Get-M-A-1".parse().unwrap());
            header.settings.insert("outstanding".into(), settings.into());
            group.header = Some(header);
            for at in 0..3 {
                group.add_record(&record(at, 0, u64::from(at) * 10_000_000, 10_000_000, Outcome::Answered));
            }
            assert_eq!(group.from_due().group_delays(false).unwrap().observed(), [30.0]);
            assert_eq!(group.from_sent().group_delays(true).unwrap().observed(), [30.0]);
            let words = if settings == "1" { "serial rounds" } else { "rounds with at most 10 outstanding" };
            assert_eq!(group.asked(), Asked::Bounded(words.into()));
        }
        let mut all = Group::new("x".into(), 1000.0, From::Due, 1);
        assert_eq!(all.asked(), Asked::AtOnce);
        all.header = Some(Header::new("A-AttributeDelay-Get-M-A-1".parse().unwrap()));
        all.header.as_mut().unwrap().settings.insert("outstanding".into(), "all that are due".into());
        assert_eq!(all.asked(), Asked::AtOnce);
    }

    #[test]
    fn the_halves_are_the_first_and_the_last_rounds() {
        let mut group = Group::new("x".into(), 1000.0, From::Due, 1);
        for round in 0..4 {
            group.add_record(&record(0, round, 0, u64::from(round + 1) * 1_000_000, Outcome::Answered));
        }
        let [seen, unseen] = group.halves().unwrap();
        assert_eq!((seen.observed(), unseen.observed()), (&[1.0, 2.0][..], &[3.0, 4.0][..]));
        assert_eq!(group.thinned(), None);
    }

    #[test]
    fn of_too_many_delays_each_is_kept_as_likely() {
        let mut kept = Kept::new(1);
        for at in 0..(MOST_KEPT as u32 * 2) {
            kept.add(at, Delay::Answered(f64::from(at)));
        }
        assert_eq!((kept.some.len(), kept.all), (MOST_KEPT, 2 * MOST_KEPT as u64));
        let late = kept.some.iter().filter(|(at, _)| *at >= MOST_KEPT as u32).count();
        assert!((late as f64 / MOST_KEPT as f64 - 0.5).abs() < 0.005, "{late}");
    }
}

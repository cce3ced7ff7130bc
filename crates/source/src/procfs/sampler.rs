//! Rates over the last minute from counters that the kernel only adds up.
//!
//! A sample is taken whenever a group that needs one is loaded; nothing runs in between, so that an idle agent
//! uses no processor time. The answer is the change since the youngest sample that is at least a minute old; if
//! there is none that old, since the oldest one; and at the first load since the machine started. Polled every
//! second this is the last minute to within `SPACING`, polled every five minutes the last five.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use trunkline_tree::SourceError;

use super::cpu::{KernelStat, Paging, Ticks};
use super::words;
use crate::SourceRoot;

/// Samples closer together than this are not kept.
const SPACING: Duration = Duration::from_secs(5);
/// Over what is averaged.
const MINUTE: Duration = Duration::from_secs(60);

/// The kernel's counters at one moment.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub stat: KernelStat,
    pub paging: Paging,
    /// Since the machine was started, in seconds.
    pub uptime: f64,
}

/// A sample and an earlier one to compare it with.
#[derive(Clone, Debug)]
pub struct Change {
    pub now: Arc<Sample>,
    pub before: Arc<Sample>,
}

/// Takes samples and remembers those of the last minute; shared by the providers that need it.
#[derive(Debug)]
pub struct Sampler {
    root: SourceRoot,
    history: Mutex<History>,
}

#[derive(Debug, Default)]
struct History {
    samples: VecDeque<(Instant, Arc<Sample>)>,
}

impl Sampler {
    pub fn new(root: SourceRoot) -> Self {
        Sampler { root, history: Mutex::default() }
    }

    /// Reads the counters now.
    pub fn sample(&self, now: Instant) -> Result<Change, SourceError> {
        let mut text = Vec::new();
        self.root.read_into(KernelStat::FILE, &mut text)?;
        let stat = KernelStat::parse(&text);
        self.root.read_into(Paging::FILE, &mut text)?;
        let paging = Paging::parse(&text);
        self.root.read_into("proc/uptime", &mut text)?;
        let sample = Arc::new(Sample { stat, paging, uptime: uptime(&text) });
        let mut history = self.history.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = history.record(now, &sample);
        Ok(Change { now: sample, before })
    }
}

/// The first number of /proc/uptime: seconds with two decimals.
pub fn uptime(text: &[u8]) -> f64 {
    let first = words(text).next().and_then(|word| std::str::from_utf8(word).ok());
    first.and_then(|word| word.parse().ok()).filter(|seconds: &f64| seconds.is_finite()).unwrap_or(0.0)
}

impl History {
    /// The sample to compare with; `sample` is kept for later.
    fn record(&mut self, now: Instant, sample: &Arc<Sample>) -> Arc<Sample> {
        let is_old = |at: Instant| now.saturating_duration_since(at) >= MINUTE;
        while self.samples.get(1).is_some_and(|(at, _)| is_old(*at)) {
            self.samples.pop_front();
        }
        let before = self.samples.front().map(|(_, before)| Arc::clone(before)).unwrap_or_default();
        let last = self.samples.back().map(|(at, _)| now.saturating_duration_since(*at));
        if last.is_none_or(|age| age >= SPACING) {
            self.samples.push_back((now, Arc::clone(sample)));
        }
        before
    }
}

impl Change {
    /// Of all processors: the percentage of time that `part` selects.
    pub fn percent(&self, part: impl Fn(&Ticks) -> u64) -> i32 {
        percent(&self.before.stat.all, &self.now.stat.all, part)
    }

    /// Each processor with the percentage of time that it was not idle (0 to 100). Waiting for
    /// input and output counts as not idle, as it does in Net-SNMP.
    pub fn processor_loads(&self) -> impl Iterator<Item = (u32, i32)> {
        self.now.stat.processors.iter().map(|(number, now)| {
            let before = self.before.stat.processors.iter().find(|(other, _)| other == number);
            let before = before.map(|(_, ticks)| *ticks).unwrap_or_default();
            (*number, percent(&before, now, |ticks| ticks.total().saturating_sub(ticks.idle)))
        })
    }

    /// How much a counter grew each second, on average, in whole numbers.
    pub fn per_second(&self, counter: impl Fn(&Sample) -> u64) -> i32 {
        let mut growth = counter(&self.now).wrapping_sub(counter(&self.before));
        let mut seconds = self.now.uptime - self.before.uptime;
        if seconds < 1.0 {
            // Too short to say anything.
            (growth, seconds) = (counter(&self.now), self.now.uptime.max(1.0));
        }
        (growth as f64 / seconds).round() as i32 // a cast saturates
    }
}

fn percent(before: &Ticks, now: &Ticks, part: impl Fn(&Ticks) -> u64) -> i32 {
    let mut total = now.total().wrapping_sub(before.total());
    let mut share = part(now).saturating_sub(part(before));
    // No tick since, or a counter that went back (idle and iowait may, and processors are unplugged).
    if total == 0 || total > now.total() || share > total {
        (total, share) = (now.total(), part(now));
    }
    let percent = (share as u128 * 100 + u128::from(total / 2)).checked_div(u128::from(total));
    percent.map_or(0, |percent| percent.min(100) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: u64, busy: u64) -> Arc<Sample> {
        let ticks = Ticks { user: busy, idle: seconds * 100 - busy, ..Ticks::default() };
        let stat =
            KernelStat { all: ticks, processors: vec![(0, ticks)], contexts: busy, ..KernelStat::default() };
        Arc::new(Sample { stat, uptime: seconds as f64, ..Sample::default() })
    }

    #[test]
    fn the_first_answer_is_since_the_start_and_then_over_a_minute() {
        let start = Instant::now();
        let mut history = History::default();
        let mut ask = |seconds: u64, busy: u64| {
            let now = sample(1000 + seconds, busy);
            let before = history.record(start + Duration::from_secs(seconds), &now);
            let change = Change { now, before };
            (change.processor_loads().next().unwrap().1, change.per_second(|sample| sample.stat.contexts))
        };
        assert_eq!(ask(0, 50_000), (50, 50), "1,000 s, half of them busy");
        assert_eq!(ask(10, 50_100), (10, 10));
        for second in 11..=70 {
            ask(second, 50_100);
        }
        assert_eq!(ask(70, 50_100), (0, 0), "only the last minute counts");
        assert_eq!(ask(370, 80_100), (100, 100), "polled rarely: since the last poll");
        assert!(history.samples.len() <= 14);
    }

    #[test]
    fn counters_that_go_back_do_not_make_nonsense() {
        let change = Change { now: sample(10, 300), before: sample(20, 1500) };
        assert_eq!(change.percent(|ticks| ticks.user), 30, "since the start");
        let change = Change { now: Arc::default(), before: Arc::default() };
        assert_eq!(change.percent(|ticks| ticks.user), 0);
        assert_eq!(change.per_second(|sample| sample.stat.contexts), 0);
    }
}

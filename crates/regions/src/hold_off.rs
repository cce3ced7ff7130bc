//! Which questions a program is spared: those that it failed at, for a while, so that an instance that it cannot
//! answer costs that instance alone, and a program that cannot be started is not started for each question.
//!
//! - A question that the program failed at (it ended, hung, or answered nonsense) is not put to it again for one
//!   second, then two, up to 15. A good answer to it ends that.
//! - Failures cost time and processes. Once they have used up their budget, the program only receives questions
//!   that were answered well before, so that a client that requests one bad name after another cannot take the
//!   subtree from others.
//! - A program that cannot be started at all is left alone as a whole, for the same pauses.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The question: an instance, or the one after a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    /// The name as programs get it.
    pub name: String,
    /// Whether it is the instance of this name.
    pub exact: bool,
}

/// The known failures of one program.
#[derive(Debug, Default)]
pub(super) struct HoldOff(Mutex<Failures>);

#[derive(Debug, Default)]
struct Failures {
    /// Questions that failed the last time.
    failed: HashMap<Asked, Pause>,
    /// Questions that were answered the last time.
    answered: HashSet<Asked>,
    share: Share,
    /// The program cannot be started.
    start: Pause,
}

impl HoldOff {
    /// Whether a question may be put to the program now.
    pub fn may_ask(&self, question: &Asked, now: Instant) -> bool {
        let mut failures = self.lock();
        let is_paused = failures.failed.get(question).is_some_and(|pause| pause.is_on(now));
        let is_known = failures.answered.contains(question);
        !failures.start.is_on(now) && !is_paused && (is_known || failures.share.is_left(now))
    }

    /// Whether the program may be started now.
    pub fn may_start(&self, now: Instant) -> bool {
        !self.lock().start.is_on(now)
    }

    /// The program could not be started, or failed before its first question.
    pub fn not_started(&self, now: Instant) {
        self.lock().start.prolong(now);
    }

    /// The program runs.
    pub fn started(&self) {
        self.lock().start = Pause::default();
    }

    /// It has answered; "no such instance" is an answer too.
    pub fn answered(&self, question: Asked) {
        let mut failures = self.lock();
        failures.failed.remove(&question);
        if failures.answered.len() >= MOST_KEPT {
            failures.answered.clear();
        }
        failures.answered.insert(question);
    }

    /// It has failed at this question, which took this long.
    pub fn failed(&self, question: Asked, took: Duration, now: Instant) {
        let mut failures = self.lock();
        failures.answered.remove(&question);
        failures.share.take(took, now);
        failures.failed.retain(|_, pause| !pause.is_forgotten(now));
        if failures.failed.len() < MOST_KEPT || failures.failed.contains_key(&question) {
            failures.failed.entry(question).or_default().prolong(now);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Failures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time in which nothing is tried, twice as long each time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pause {
    until: Option<Instant>,
    length: Duration,
}

impl Pause {
    pub fn is_on(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }

    fn is_forgotten(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| now > until + LAST_PAUSE)
    }

    pub fn prolong(&mut self, now: Instant) {
        self.length = (2 * self.length).clamp(FIRST_PAUSE, LAST_PAUSE);
        self.until = Some(now + self.length);
    }
}

/// The share of time for failures.
#[derive(Debug, Default)]
struct Share {
    taken: Duration,
    since: Option<Instant>,
}

impl Share {
    fn is_left(&mut self, now: Instant) -> bool {
        let past = self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        self.taken = self.taken.saturating_sub(past / ONE_IN);
        self.since = Some(now);
        self.taken < MOST_TAKEN
    }

    fn take(&mut self, took: Duration, now: Instant) {
        self.is_left(now);
        // However long it hung, a retry is possible after the longest interval.
        self.taken = (self.taken + took + START).min(MOST_TAKEN + LAST_PAUSE / ONE_IN);
    }
}

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LAST_PAUSE: Duration = Duration::from_secs(15);

/// Failures may use a quarter of the time.
const ONE_IN: u32 = 4;

/// So much of it at once.
const MOST_TAKEN: Duration = Duration::from_secs(4);

/// The cost of restarting a program.
const START: Duration = Duration::from_millis(250);

/// Questions that are remembered, of those that failed and of those that did not.
const MOST_KEPT: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn get(n: u32) -> Asked {
        Asked { name: format!(".1.3.{n}"), exact: true }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_failing_request_is_held_off_longer_each_time_and_others_are_not() {
        let (hold_off, mut now) = (HoldOff::default(), Instant::now());
        for pause in [1, 2, 4, 8, 15, 15] {
            assert!(hold_off.may_ask(&get(6), now), "before the pause of {pause} s");
            hold_off.failed(get(6), Duration::ZERO, now);
            assert!(!hold_off.may_ask(&get(6), now + seconds(pause) - START));
            assert!(hold_off.may_ask(&get(1), now), "another one");
            assert!(hold_off.may_ask(&Asked { exact: false, ..get(6) }, now), "what is behind it");
            now += seconds(pause);
        }
        hold_off.answered(get(6));
        assert!(hold_off.may_ask(&get(6), now));
        hold_off.failed(get(6), Duration::ZERO, now);
        assert!(hold_off.may_ask(&get(6), now + seconds(1)), "the pauses begin anew after a good answer");
    }

    #[test]
    fn failures_at_new_names_do_not_affect_working_ones() {
        let (hold_off, now) = (HoldOff::default(), Instant::now());
        hold_off.answered(get(1));
        let asked = |from: u32, now| {
            let asked = (from..from + 1000).filter(|n| {
                let may = hold_off.may_ask(&get(*n), now);
                if may {
                    hold_off.failed(get(*n), Duration::ZERO, now);
                }
                may
            });
            asked.count()
        };
        assert_eq!(asked(1000, now), 16);
        assert!(hold_off.may_ask(&get(1), now));
        assert_eq!(asked(2000, now + seconds(60)), 16, "no more than at first, however long it was quiet");
        assert_eq!(asked(3000, now + seconds(61)), 1, "one a second");
        hold_off.failed(get(1), seconds(20), now + seconds(61));
        assert!(!hold_off.may_ask(&get(9), now + seconds(70)));
        assert!(hold_off.may_ask(&get(9), now + seconds(61) + LAST_PAUSE + START));
    }

    #[test]
    fn a_program_that_cannot_be_started_is_left_alone_until_it_can() {
        let (hold_off, now) = (HoldOff::default(), Instant::now());
        hold_off.answered(get(1));
        hold_off.not_started(now);
        assert!(!hold_off.may_start(now) && !hold_off.may_ask(&get(1), now));
        assert!(hold_off.may_ask(&get(1), now + seconds(1)));
        hold_off.not_started(now + seconds(1));
        assert!(!hold_off.may_start(now + seconds(2)));
        hold_off.started();
        assert!(hold_off.may_ask(&get(1), now + seconds(2)));
    }

    #[test]
    fn memory_of_failures_is_bounded() {
        let (hold_off, now) = (HoldOff::default(), Instant::now());
        for n in 0..5000 {
            hold_off.failed(get(n), Duration::ZERO, now);
            hold_off.answered(get(10_000 + n));
        }
        let failures = hold_off.lock();
        assert!(failures.failed.len() <= MOST_KEPT && failures.answered.len() <= MOST_KEPT);
    }
}

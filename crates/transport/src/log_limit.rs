//! Log lines that others can cause: their rate is limited, so that nobody fills the log. Suppressed lines are
//! counted.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A limit for one kind of line.
#[derive(Debug)]
pub struct LogLimit {
    most: u32,
    period: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the period began, and the lines since then.
    began: Option<Instant>,
    written: u32,
    left_out: u32,
}

impl LogLimit {
    /// At most `most` lines in each `period`, which begins with its first line.
    #[must_use]
    pub const fn new(most: u32, period: Duration) -> Self {
        Self { most, period, state: Mutex::new(State { began: None, written: 0, left_out: 0 }) }
    }

    /// For lines that strangers cause: 10 per minute.
    #[must_use]
    pub const fn for_strangers() -> Self {
        Self::new(10, MINUTE)
    }

    /// For a lasting failure: one line per minute.
    #[must_use]
    pub const fn for_failures() -> Self {
        Self::new(1, MINUTE)
    }

    /// Whether a line may be written now; if so, how many were suppressed since the one before.
    pub fn admit(&self) -> Option<u32> {
        self.admit_at(Instant::now())
    }

    /// The failure is over: the next one is logged at once.
    pub fn reset(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    fn admit_at(&self, now: Instant) -> Option<u32> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.began.is_none_or(|began| now.saturating_duration_since(began) >= self.period) {
            (state.began, state.written) = (Some(now), 0);
        }
        if state.written >= self.most {
            state.left_out = state.left_out.saturating_add(1);
            return None;
        }
        state.written += 1;
        Some(std::mem::take(&mut state.left_out))
    }
}

const MINUTE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lasting_failure_is_logged_once_a_minute() {
        let (limit, start) = (LogLimit::for_failures(), Instant::now());
        let at = |seconds| limit.admit_at(start + Duration::from_secs(seconds));
        assert_eq!([at(0), at(1), at(59)], [Some(0), None, None]);
        assert_eq!([at(60), at(61)], [Some(2), None]);
        limit.reset();
        assert_eq!(at(62), Some(0));
    }

    #[test]
    fn strangers_cause_ten_lines_a_minute() {
        let (limit, start) = (LogLimit::for_strangers(), Instant::now());
        let lines = (0..2_000).filter_map(|_| limit.admit_at(start)).count();
        assert_eq!(lines, 10);
        assert_eq!(limit.admit_at(start + Duration::from_secs(60)), Some(1_990));
    }
}

//! Whether a device has restarted: each answer says since when it runs.

use std::time::Duration;

/// sysUpTime as last seen, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UpTime {
    last: Option<(u32, Duration)>,
}

impl UpTime {
    pub const fn last(&self) -> Option<(u32, Duration)> {
        self.last
    }

    /// Takes a sysUpTime in hundredths of a second; whether the device has restarted since the last one.
    pub fn saw(&mut self, ticks: u32, now: Duration) -> bool {
        let Some((last, at)) = self.last else {
            self.last = Some((ticks, now));
            return false;
        };
        let elapsed = hundredths(now.saturating_sub(at));
        let slack = SLACK + elapsed / 50;
        let expected = u64::from(last) + elapsed;
        let (last, now_at, ticks_now) = (u64::from(last), now, u64::from(ticks));
        // TimeTicks wrap after 497 days.
        let has_wrapped =
            expected + slack >= WRAP && (expected % WRAP).abs_diff(ticks_now).min(WRAP) <= 2 * slack;
        // An answer may have been overtaken by a later one.
        let has_fallen = ticks_now + slack < last;
        // It runs for a shorter time than since the last answer.
        let is_younger = ticks_now + slack < elapsed;
        let is_restarted = (has_fallen || is_younger) && !has_wrapped;
        if is_restarted || has_wrapped || ticks_now >= last {
            self.last = Some((ticks, now_at));
        }
        is_restarted
    }
}

fn hundredths(time: Duration) -> u64 {
    u64::try_from(time.as_millis() / 10).unwrap_or(u64::MAX / 4)
}

/// Ticks that answers may be out of order by, and clocks apart.
const SLACK: u64 = 200;

const WRAP: u64 = 1 << 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_and_overtaken_answers_are_not_restarts() {
        let seconds = Duration::from_secs;
        let saw = |first: u32, second: u32, elapsed: u64| {
            let mut time = UpTime::default();
            assert!(!time.saw(first, seconds(100)));
            time.saw(second, seconds(100 + elapsed))
        };
        assert!(!saw(5000, 8000, 30));
        assert!(saw(5000, 300, 30), "it has fallen");
        assert!(!saw(5000, 4990, 0), "overtaken");
        assert!(saw(500, 900, 60), "it ran for 9 s, and the last answer is a minute old");
        assert!(!saw(u32::MAX - 1000, 2000, 30), "wrapped");
        assert!(saw(u32::MAX - 1000, 100_000, 30), "near the wrap, but elsewhere");
        assert!(!saw(0, 6000, 60));
        // The clock of a device may be slow by two in a hundred.
        assert!(!saw(1000, 1000 + 98_100, 1000));
    }
}

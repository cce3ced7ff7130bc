//! When an update is due. Time is an argument.

use std::time::{Duration, SystemTime};

/// A time in hundredths of a second, as the module has them.
#[must_use]
pub const fn centiseconds(number: u32) -> Duration {
    Duration::from_millis(number as u64 * 10)
}

/// The first time after this one that is a whole number of periods before or after the anchor (RFC 8641 section 5,
/// `anchor-time`). What was missed meanwhile is not made up for. A period of nothing counts as the shortest there is.
#[must_use]
pub fn after(now: SystemTime, anchor: SystemTime, period: Duration) -> SystemTime {
    let period = period.max(centiseconds(1));
    let nanos = period.as_nanos();
    let part = |of: Duration| {
        let rest = of.as_nanos() % nanos;
        Duration::new((rest / 1_000_000_000) as u64, (rest % 1_000_000_000) as u32)
    };
    let next = match now.duration_since(anchor) {
        Ok(since) => now.checked_add(period - part(since)),
        Err(before) => match part(before.duration()) {
            Duration::ZERO => now.checked_add(period),
            rest => now.checked_add(rest),
        },
    };
    next.unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn updates_are_whole_periods_from_the_anchor() {
        let ten = Duration::from_secs(10);
        for (now, anchor, due) in [
            (100, 100, 110),
            (101, 100, 110),
            (109, 100, 110),
            (110, 100, 120),
            // Some were missed.
            (157, 100, 160),
            // The anchor is still to come.
            (95, 100, 100),
            (90, 100, 100),
            (81, 103, 83),
            (83, 103, 93),
        ] {
            assert_eq!(after(at(now), at(anchor), ten), at(due), "{now} {anchor}");
        }
        assert_eq!(centiseconds(150), Duration::from_millis(1500));
    }

    proptest! {
        #[test]
        fn the_next_one_is_within_a_period(now in 0_u64..1 << 33, anchor in 0_u64..1 << 33, period: u32) {
            let period = centiseconds(period);
            let due = after(at(now), at(anchor), period);
            prop_assert!(due > at(now));
            prop_assert!(due.duration_since(at(now)).unwrap() <= period.max(centiseconds(1)));
            let (from, to) = (due.min(at(anchor)), due.max(at(anchor)));
            let away = to.duration_since(from).unwrap().as_nanos();
            prop_assert_eq!(away % period.max(centiseconds(1)).as_nanos(), 0);
        }
    }
}

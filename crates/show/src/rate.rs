//! From two samples of a value to a rate, across counter wraps, restarts and discontinuities.
//! Pure: the clock is in the samples.

use std::time::Duration;

use trunkline_smi::Value;

/// A value, and the agent's clock in the same answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The value.
    pub value: Value,
    /// sysUpTime in the same answer, hundredths of a second.
    pub uptime: Option<u32>,
    /// The discontinuity time of the row the value is in, where its table has one.
    pub discontinuity: Option<u32>,
    /// When the answer came, since the watch began.
    pub at: Duration,
}

/// What happened between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// A rate per second.
    Rate(f64),
    /// The value is not a counter: look at the value itself.
    Level,
    /// The counter was reset: there is no rate.
    Reset(Reason),
}

/// How a reset was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// sysUpTime went back.
    Restart,
    /// The row's discontinuity time changed.
    Discontinuity,
    /// The counter went back further than a wrap explains.
    WentBack,
    /// The type of the value changed.
    OtherType,
}

impl Reason {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Reason::Restart => "the agent restarted",
            Reason::Discontinuity => "the counter's discontinuity time changed",
            Reason::WentBack => "the counter went back",
            Reason::OtherType => "the type changed",
        }
    }
}

/// Whether a value counts events, so that its rate is more useful than its size.
pub fn is_counter(value: &Value) -> bool {
    matches!(value, Value::Counter32(_) | Value::Counter64(_))
}

/// What happened between `before` and `now`.
pub fn change(before: &Sample, now: &Sample) -> Change {
    if !is_counter(&now.value) {
        return Change::Level;
    }
    if restarted(before, now) {
        return Change::Reset(Reason::Restart);
    }
    if before.discontinuity != now.discontinuity && now.discontinuity.is_some() {
        return Change::Reset(Reason::Discontinuity);
    }
    let counted = match (&before.value, &now.value) {
        (Value::Counter32(before_count), Value::Counter32(count)) => {
            let counted = count.wrapping_sub(*before_count);
            // Without a discontinuity time to trust, a step back by less than half the range is a reset.
            let doubtful = now.discontinuity.is_none() && count < before_count && counted > u32::MAX / 2;
            (!doubtful).then_some(u64::from(counted))
        }
        (Value::Counter64(before_count), Value::Counter64(count)) => {
            // 2^63 events between two looks do not happen.
            Some(count.wrapping_sub(*before_count)).filter(|counted| *counted < 1 << 63)
        }
        _ => return Change::Reset(Reason::OtherType),
    };
    match counted {
        Some(counted) => Change::Rate(counted as f64 / seconds_between(before, now)),
        None => Change::Reset(Reason::WentBack),
    }
}

/// Bits a second in the largest unit of which there is one.
pub fn bit_words(bits: f64) -> String {
    const STEPS: [(f64, &str); 3] = [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")];
    match STEPS.iter().find(|(step, _)| bits >= *step) {
        Some((step, name)) => format!("{:.2} {name}", bits / step),
        None => format!("{bits:.0} bit/s"),
    }
}

/// Whether sysUpTime went back, other than by its wrap after 497 days.
fn restarted(before: &Sample, now: &Sample) -> bool {
    let (Some(then), Some(uptime)) = (before.uptime, now.uptime) else { return false };
    let passed = now.at.saturating_sub(before.at).as_millis() as u64 / 10;
    let ticked = u64::from(uptime.wrapping_sub(then));
    // The agent's clock may run unevenly (a snapshot, a busy host); a restart or a clock turned
    // back is far off, since a wrapped difference then is close to 497 days.
    uptime < then && ticked > passed + passed / 2 + 6_000
}

/// By the agent's clock, which is in the same answers; by ours if it does not advance or is unknown.
fn seconds_between(before: &Sample, now: &Sample) -> f64 {
    let ours = now.at.saturating_sub(before.at).as_secs_f64().max(1e-6);
    match (before.uptime, now.uptime) {
        (Some(then), Some(uptime)) if uptime != then => {
            let theirs = f64::from(uptime.wrapping_sub(then)) / 100.0;
            // A clock that disagrees by more than a half is a cached answer, not a measure.
            if (0.5..=1.5).contains(&(theirs / ours)) { theirs } else { ours }
        }
        _ => ours,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(value: Value, uptime: u32, discontinuity: Option<u32>, at: u64) -> Sample {
        Sample { value, uptime: Some(uptime), discontinuity, at: Duration::from_secs(at) }
    }

    #[track_caller]
    fn check(before: Sample, now: Sample, expected: Change) {
        assert_eq!(change(&before, &now), expected);
    }

    use Value::{Counter32, Counter64, Unsigned32};

    #[test]
    fn counters_have_rates_and_gauges_levels() {
        check(
            sample(Counter32(100), 100, None, 1),
            sample(Counter32(300), 300, None, 3),
            Change::Rate(100.0),
        );
        check(sample(Counter64(100), 100, None, 1), sample(Counter64(100), 300, None, 3), Change::Rate(0.0));
        check(sample(Unsigned32(9), 100, None, 1), sample(Unsigned32(5), 300, None, 3), Change::Level);
    }

    #[test]
    fn wraps_are_counted_on() {
        let near = u32::MAX - 99;
        check(
            sample(Counter32(near), 100, Some(0), 1),
            sample(Counter32(100), 200, Some(0), 2),
            Change::Rate(200.0),
        );
        check(
            sample(Counter32(near), 100, None, 1),
            sample(Counter32(100), 200, None, 2),
            Change::Rate(200.0),
        );
        // More than half the range in a second: 10 Gbit/s do that in two seconds; with a discontinuity time it is true.
        check(
            sample(Counter32(3_000_000_000), 100, Some(0), 1),
            sample(Counter32(1_500_000_000), 200, Some(0), 2),
            Change::Rate(2_794_967_296.0),
        );
        let near = u64::MAX - 99;
        check(
            sample(Counter64(near), 100, None, 1),
            sample(Counter64(100), 200, None, 2),
            Change::Rate(200.0),
        );
    }

    #[test]
    fn resets_are_shown_and_never_a_giant_rate() {
        let reset = Change::Reset;
        check(
            sample(Counter32(5000), 9_000, None, 1),
            sample(Counter32(10), 50, None, 2),
            reset(Reason::Restart),
        );
        check(
            sample(Counter32(5000), 100, Some(0), 1),
            sample(Counter32(10), 200, Some(150), 2),
            reset(Reason::Discontinuity),
        );
        check(
            sample(Counter32(5000), 100, None, 1),
            sample(Counter32(10), 200, None, 2),
            reset(Reason::WentBack),
        );
        check(
            sample(Counter64(5000), 100, Some(7), 1),
            sample(Counter64(10), 200, Some(7), 2),
            reset(Reason::WentBack),
        );
        check(
            sample(Counter32(5), 100, None, 1),
            sample(Counter64(10), 200, None, 2),
            reset(Reason::OtherType),
        );
    }

    #[test]
    fn the_wrap_of_sysuptime_is_not_a_restart() {
        let near = u32::MAX - 49;
        check(sample(Counter32(0), near, None, 1), sample(Counter32(100), 50, None, 2), Change::Rate(100.0));
    }

    #[test]
    fn a_clock_that_stands_still_is_not_divided_by() {
        check(sample(Counter32(0), 100, None, 1), sample(Counter32(10), 100, None, 2), Change::Rate(10.0));
    }

    proptest! {
        #[test]
        fn a_rate_is_finite_and_not_negative(
            a: u64, b: u64, up: u32, up2: u32, d: Option<u32>, d2: Option<u32>, at in 0u64..1000, at2 in 0u64..1000,
        ) {
            for (a, b) in [(Counter64(a), Counter64(b)), (Counter32(a as u32), Counter32(b as u32))] {
                if let Change::Rate(rate) = change(&sample(a, up, d, at), &sample(b, up2, d2, at2)) {
                    prop_assert!(rate.is_finite() && rate >= 0.0);
                }
            }
        }
    }
}

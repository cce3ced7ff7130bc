//! How fast the values of a column grow, in a second: right across wraps, and unknown across restarts.

use std::collections::BTreeMap;
use std::time::Duration;

use trunkline_smi::Value;

use crate::aggregate::Number;

/// The rates of an object of one member.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    boots: u64,
    last: BTreeMap<Box<[u32]>, (Value, Duration)>,
    rates: BTreeMap<Box<[u32]>, f64>,
}

impl Rates {
    /// Takes the values that were read in a life of the member. Instances that are not among them are forgotten.
    pub fn take<'v>(&mut self, boots: u64, values: impl Iterator<Item = (&'v [u32], &'v Value, Duration)>) {
        let is_same_life = self.boots == boots;
        self.boots = boots;
        let before = std::mem::take(&mut self.last);
        let before_rates = std::mem::take(&mut self.rates);
        for (index, value, at) in values {
            if let Some((last, last_at)) = before.get(index).filter(|_| is_same_life) {
                if at <= *last_at {
                    // The same sample once more.
                    if let Some(rate) = before_rates.get(index) {
                        self.rates.insert(index.into(), *rate);
                    }
                } else if let Some(grown) = growth(last, value) {
                    self.rates.insert(index.into(), grown / (at - *last_at).as_secs_f64());
                }
            }
            self.last.insert(index.into(), (value.clone(), at));
        }
    }

    /// The rate of an instance.
    pub fn of(&self, index: &[u32]) -> Option<f64> {
        self.rates.get(index).copied()
    }
}

/// By how much a value has grown. A counter of 32 bits that is less than before has wrapped, if it has then grown by less than
/// half of its range; otherwise, and if one of 64 bits is less, it began anew.
fn growth(before: &Value, now: &Value) -> Option<f64> {
    match (before, now) {
        (Value::Counter32(before), Value::Counter32(now))
        | (Value::TimeTicks(before), Value::TimeTicks(now)) => {
            let grown = now.wrapping_sub(*before);
            (now >= before || grown < 1 << 31).then(|| f64::from(grown))
        }
        (Value::Counter64(before), Value::Counter64(now)) => Some(now.checked_sub(*before)? as f64),
        _ => Some(number(now)?.real() - number(before)?.real()),
    }
}

/// A value as a number.
pub(crate) fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Integer(number) => Some(Number::Whole((*number).into())),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(Number::Whole((*number).into()))
        }
        Value::Counter64(number) => Some(Number::Whole((*number).into())),
        Value::OctetString(_) | Value::ObjectIdentifier(_) | Value::IpAddress(_) | Value::Opaque(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(before: Value, now: Value, boots: u64) -> Option<f64> {
        let (mut rates, seconds) = (Rates::default(), Duration::from_secs);
        rates.take(0, [(&[7][..], &before, seconds(10))].into_iter());
        rates.take(boots, [(&[7][..], &now, seconds(20))].into_iter());
        rates.of(&[7])
    }

    #[test]
    fn counters_wrap_and_begin_anew() {
        assert_eq!(rate(Value::Counter32(100), Value::Counter32(600), 0), Some(50.0));
        assert_eq!(rate(Value::Counter32(u32::MAX - 99), Value::Counter32(400), 0), Some(50.0), "wrapped");
        assert_eq!(rate(Value::Counter32(3_000_000_000), Value::Counter32(5), 0), Some(129_496_730.1));
        assert_eq!(rate(Value::Counter32(1_000_000), Value::Counter32(5), 0), None, "began anew");
        assert_eq!(rate(Value::Counter64(1000), Value::Counter64(5), 0), None);
        assert_eq!(rate(Value::Counter64(1 << 40), Value::Counter64((1 << 40) + 70), 0), Some(7.0));
        assert_eq!(rate(Value::Unsigned32(50), Value::Unsigned32(20), 0), Some(-3.0), "a gauge may fall");
        assert_eq!(rate(Value::Counter32(100), Value::Counter32(600), 1), None, "another life");
        assert_eq!(rate(Value::text("a"), Value::text("b"), 0), None);
        assert_eq!(rate(Value::Counter32(1), Value::Counter64(9), 0), Some(0.8));
    }

    #[test]
    fn the_same_sample_again_changes_nothing_and_gone_instances_are_forgotten() {
        let (mut rates, seconds) = (Rates::default(), Duration::from_secs);
        for (value, at) in [(10, 1), (30, 2), (30, 2)] {
            rates.take(0, [(&[1][..], &Value::Counter32(value), seconds(at))].into_iter());
        }
        assert_eq!(rates.of(&[1]), Some(20.0));
        rates.take(0, std::iter::empty());
        rates.take(0, [(&[1][..], &Value::Counter32(90), seconds(4))].into_iter());
        assert_eq!(rates.of(&[1]), None);
    }
}

//! How fast the values of a column grow, in a second: right across wraps, and unknown across restarts.

use std::time::Duration;

use trunkline_smi::ValueRef;

use crate::aggregate::Number;

/// An instance of an object: its index, its value, and when that was read.
pub(crate) type Instance<'v> = (&'v [u32], ValueRef<'v>, Duration);

/// The rates of instances, which are in the order of their indexes; NaN where none is known. `before`: what was read in the cycle
/// before, and the rates then; empty if that was another life of the member.
pub(crate) fn rates<'v>(
    before: impl Iterator<Item = Instance<'v>>,
    before_rates: &[f64],
    now: impl Iterator<Item = Instance<'v>>,
) -> Vec<f64> {
    let mut before = before.enumerate().peekable();
    let rate = |(index, value, at): Instance<'_>| {
        while before.next_if(|(_, (known, ..))| *known < index).is_some() {}
        let (position, (_, last, last_at)) = before.next_if(|(_, (known, ..))| *known == index)?;
        if at <= last_at {
            // The same sample once more.
            return before_rates.get(position).copied();
        }
        Some(growth(last, value)? / (at - last_at).as_secs_f64())
    };
    let mut rates: Vec<f64> = now.map(rate).map(|rate| rate.unwrap_or(f64::NAN)).collect();
    rates.shrink_to_fit();
    rates
}

/// By how much a value has grown. A counter of 32 bits that is less than before has wrapped, if it has then grown by less than
/// half of its range; otherwise, and if one of 64 bits is less, it began anew.
fn growth(before: ValueRef<'_>, now: ValueRef<'_>) -> Option<f64> {
    match (before, now) {
        (ValueRef::Counter32(before), ValueRef::Counter32(now))
        | (ValueRef::TimeTicks(before), ValueRef::TimeTicks(now)) => {
            let grown = now.wrapping_sub(before);
            (now >= before || grown < 1 << 31).then(|| f64::from(grown))
        }
        (ValueRef::Counter64(before), ValueRef::Counter64(now)) => Some(now.checked_sub(before)? as f64),
        _ => Some(number(now)?.real() - number(before)?.real()),
    }
}

/// A value as a number.
pub(crate) fn number(value: ValueRef<'_>) -> Option<Number> {
    match value {
        ValueRef::Integer(number) => Some(Number::Whole((number).into())),
        ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
            Some(Number::Whole((number).into()))
        }
        ValueRef::Counter64(number) => Some(Number::Whole((number).into())),
        ValueRef::OctetString(_)
        | ValueRef::ObjectIdentifier(_)
        | ValueRef::IpAddress(_)
        | ValueRef::Opaque(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;

    use super::*;

    fn rate(before: Value, now: Value) -> Option<f64> {
        let seconds = Duration::from_secs;
        let before = [(&[7][..], before.as_value_ref(), seconds(10))];
        let now = [(&[7][..], now.as_value_ref(), seconds(20))];
        let found = rates(before.into_iter(), &[], now.into_iter())[0];
        (!found.is_nan()).then_some(found)
    }

    #[test]
    fn counters_wrap_and_begin_anew() {
        assert_eq!(rate(Value::Counter32(100), Value::Counter32(600)), Some(50.0));
        assert_eq!(rate(Value::Counter32(u32::MAX - 99), Value::Counter32(400)), Some(50.0), "wrapped");
        assert_eq!(rate(Value::Counter32(3_000_000_000), Value::Counter32(5)), Some(129_496_730.1));
        assert_eq!(rate(Value::Counter32(1_000_000), Value::Counter32(5)), None, "began anew");
        assert_eq!(rate(Value::Counter64(1000), Value::Counter64(5)), None);
        assert_eq!(rate(Value::Counter64(1 << 40), Value::Counter64((1 << 40) + 70)), Some(7.0));
        assert_eq!(rate(Value::Unsigned32(50), Value::Unsigned32(20)), Some(-3.0), "a gauge may fall");
        assert_eq!(rate(Value::text("a"), Value::text("b")), None);
        assert_eq!(rate(Value::Counter32(1), Value::Counter64(9)), Some(0.8));
    }

    #[test]
    fn the_same_sample_again_changes_nothing_and_gone_instances_are_forgotten() {
        let at = |rows: &[(u32, u32)], at| -> Vec<(Vec<u32>, Value, Duration)> {
            let row = |(index, value): &(u32, u32)| {
                (vec![*index], Value::Counter32(*value), Duration::from_secs(at))
            };
            rows.iter().map(row).collect()
        };
        fn all(rows: &[(Vec<u32>, Value, Duration)]) -> impl Iterator<Item = Instance<'_>> {
            rows.iter().map(|(index, value, at)| (&**index, value.as_value_ref(), *at))
        }
        let (first, second) = (at(&[(1, 10), (3, 5), (4, 0)], 1), at(&[(1, 30), (2, 7), (4, 9)], 2));
        let found = rates(all(&first), &[], all(&second));
        assert_eq!((found[0], found[1].is_nan(), found[2]), (20.0, true, 9.0));
        let again = rates(all(&second), &found, all(&second));
        assert_eq!((again[0], again[1].is_nan(), again[2]), (20.0, true, 9.0));
        let later = at(&[(3, 9)], 4);
        assert!(rates(all(&second), &found, all(&later))[0].is_nan());
    }
}

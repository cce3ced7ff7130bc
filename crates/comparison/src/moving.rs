//! Values that move by their nature, and how far apart two agents may see them. They are read at different moments,
//! and each agent keeps what it has read for a while, so that two walks of one agent can show a value that stands still.

use trunkline_smi::{Oid, Value};

use super::difference::{Walks, number};

/// How far apart two values may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tolerance {
    /// A rate or a share over each agent's own interval: any two numbers.
    Rate,
    /// Kilobytes of memory: a quarter, or a twentieth of all memory.
    Memory,
    /// Space of a file system or of memory: a quarter, or a fiftieth of the size in this column of the same row.
    Space(u32),
    /// A load average, as text, in hundredths, or as a float: a quarter, or 0.5.
    Load,
    /// A count: a quarter, or so many.
    Count(u32),
    /// A date and time: half a minute.
    Clock,
    /// What a process or a socket is doing, and whose it is: any value, as long as a third of the column is equal in both.
    Busy,
}

const MOVING: &[(&[u32], Tolerance)] = &[
    (&[1, 3, 6, 1, 2, 1, 6, 9], Tolerance::Count(30)),
    (&[1, 3, 6, 1, 2, 1, 6, 13, 1, 1], Tolerance::Busy),
    (&[1, 3, 6, 1, 2, 1, 6, 19, 1, 7], Tolerance::Busy),
    // A connection that is closed has no process any more.
    (&[1, 3, 6, 1, 2, 1, 6, 19, 1, 8], Tolerance::Busy),
    // Each agent counts what it was asked itself, and one of them may be asked again.
    (&[1, 3, 6, 1, 2, 1, 11, 15], Tolerance::Count(20)),
    (&[1, 3, 6, 1, 2, 1, 25, 1, 2], Tolerance::Clock),
    (&[1, 3, 6, 1, 2, 1, 25, 1, 6], Tolerance::Count(50)),
    (&[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 5], Tolerance::Space(6)),
    (&[1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 6], Tolerance::Space(5)),
    (&[1, 3, 6, 1, 2, 1, 25, 3, 3, 1, 2], Tolerance::Rate),
    (&[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 2], Tolerance::Busy),
    (&[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 4], Tolerance::Busy),
    (&[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 5], Tolerance::Busy),
    (&[1, 3, 6, 1, 2, 1, 25, 4, 2, 1, 7], Tolerance::Busy),
    (&[1, 3, 6, 1, 2, 1, 25, 5, 1, 1], Tolerance::Busy),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 4], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 6], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 11], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 13], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 14], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 15], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 19], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 21], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 22], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 24], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 25], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 26], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 4, 27], Tolerance::Memory),
    (&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 7], Tolerance::Space(6)),
    (&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 8], Tolerance::Space(6)),
    (&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 9], Tolerance::Count(2)),
    (&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 10], Tolerance::Count(2)),
    (&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 13], Tolerance::Space(6)),
    (&[1, 3, 6, 1, 4, 1, 2021, 9, 1, 15], Tolerance::Space(6)),
    (&[1, 3, 6, 1, 4, 1, 2021, 10, 1, 3], Tolerance::Load),
    (&[1, 3, 6, 1, 4, 1, 2021, 10, 1, 5], Tolerance::Load),
    (&[1, 3, 6, 1, 4, 1, 2021, 10, 1, 6], Tolerance::Load),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 3], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 4], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 5], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 6], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 7], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 8], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 9], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 10], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 11, 11], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 9], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 10], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1, 1, 11], Tolerance::Rate),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 16, 2, 1, 3], Tolerance::Count(10_000)),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 16, 3, 1, 3], Tolerance::Count(500)),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 16, 4, 1, 3], Tolerance::Count(200)),
    (&[1, 3, 6, 1, 4, 1, 2021, 13, 16, 5, 1, 3], Tolerance::Count(200)),
    (&[1, 3, 6, 1, 4, 1, 2021, 15, 1, 3], Tolerance::Count(1024)),
];

/// memTotalReal.0, in kilobytes.
const TOTAL_MEMORY: [u32; 10] = [1, 3, 6, 1, 4, 1, 2021, 4, 5, 0];

/// How the object of this instance moves, if it does.
pub(super) fn tolerance(name: &Oid) -> Option<Tolerance> {
    MOVING.iter().find(|(object, _)| name.starts_with(object)).map(|(_, tolerance)| *tolerance)
}

impl Tolerance {
    /// Whether two values of an instance are close enough. Of a busy column one instance alone does not say.
    pub fn allows(self, name: &Oid, own: &Value, other: &Value, theirs: &Walks<'_>) -> bool {
        let value_of = |name: &Oid| {
            theirs.first.get(name).or_else(|| theirs.second.get(name)).and_then(number).unwrap_or(0.0)
        };
        let near = |part: f64, least: f64| match (number(own), number(other)) {
            (Some(own), Some(other)) => (own - other).abs() <= least.max(own.abs().max(other.abs()) * part),
            _ => false,
        };
        match self {
            Tolerance::Rate => number(own).is_some() && number(other).is_some(),
            Tolerance::Busy => false,
            Tolerance::Count(count) => near(0.25, f64::from(count)),
            Tolerance::Memory => near(0.25, value_of(&Oid::from(TOTAL_MEMORY)) / 20.0),
            Tolerance::Space(column) => {
                let mut sub_ids = name.to_vec();
                let [.., known, _] = sub_ids.as_mut_slice() else { return false };
                // A size itself moves only for rows of memory, which have the first numbers.
                let is_size = *known == 5;
                if is_size && name.last().is_some_and(|index| *index > LAST_OF_MEMORY) {
                    return false;
                }
                *known = column;
                near(0.25, value_of(&Oid::from([]).child(&sub_ids)) / 50.0)
            }
            Tolerance::Load => match (load(own), load(other)) {
                (Some(own), Some(other)) => (own - other).abs() <= 0.5_f64.max(own.max(other) / 4.0),
                _ => false,
            },
            Tolerance::Clock => match (own, other) {
                (Value::OctetString(own), Value::OctetString(other)) => are_close_times(own, other),
                _ => false,
            },
        }
    }
}

/// The last hrStorageIndex of memory; file systems follow.
const LAST_OF_MEMORY: u32 = 30;

/// A load average, however it is written.
fn load(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(hundredths) => Some(f64::from(*hundredths) / 100.0),
        Value::OctetString(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        // UCD-SNMP-MIB's Float: an Opaque with a tag of two octets, a length and an IEEE 754 number.
        Value::Opaque(octets) => match octets.as_slice() {
            [0x9f, 0x78, 4, number @ ..] => Some(f64::from(f32::from_be_bytes(number.try_into().ok()?))),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two dates (RFC 2579 DateAndTime) of the same time zone are half a minute apart at most.
fn are_close_times(own: &[u8], other: &[u8]) -> bool {
    let second = |octets: &[u8]| {
        let [_, _, _, _, hour, minute, second, ..] = octets else { return None };
        Some(i32::from(*hour) * 3600 + i32::from(*minute) * 60 + i32::from(*second))
    };
    let (Some(first), Some(last)) = (second(own), second(other)) else { return false };
    let apart = (first - last).rem_euclid(86_400);
    let apart = apart.min(86_400 - apart);
    // Around midnight the days differ.
    let is_same_day = own[..4] == other[..4] || first.abs_diff(last) > 43_200;
    apart <= 30 && is_same_day && own.get(8..) == other.get(8..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walked::Instances;

    fn allows(name: &str, own: Value, other: Value) -> bool {
        let name: Oid = name.parse().unwrap();
        let walk: Instances = [
            ("1.3.6.1.4.1.2021.4.5.0", 16_000_000),
            ("1.3.6.1.2.1.25.2.3.1.5.31", 1000),
            ("1.3.6.1.2.1.25.2.3.1.5.7", 100),
        ]
        .into_iter()
        .map(|(name, value)| (name.parse().unwrap(), Value::Integer(value)))
        .collect();
        let walks = Walks { before: None, first: &walk, second: &walk, silent: &[] };
        tolerance(&name).is_some_and(|tolerance| tolerance.allows(&name, &own, &other, &walks))
    }

    #[test]
    fn what_moves_may_be_so_far_apart() {
        let integer = Value::Integer;
        let date = |octets: [u8; 11]| Value::OctetString(octets.to_vec());
        let float = |number: f32| Value::Opaque([&[0x9f, 0x78, 4][..], &number.to_be_bytes()].concat());
        for (name, own, other, expected) in [
            // Memory is compared with all memory, so that little of it may differ by much of itself.
            ("1.3.6.1.4.1.2021.4.6.0", integer(500_000), integer(1_200_000), true),
            ("1.3.6.1.4.1.2021.4.6.0", integer(500_000), integer(6_000_000), false),
            ("1.3.6.1.4.1.2021.4.12.0", integer(16_000), integer(16_001), false),
            ("1.3.6.1.2.1.25.2.3.1.6.31", integer(500), integer(515), true),
            ("1.3.6.1.2.1.25.2.3.1.6.31", integer(0), integer(500), false),
            // The size of a file system does not move, that of cached memory does.
            ("1.3.6.1.2.1.25.2.3.1.5.31", integer(1000), integer(1001), false),
            ("1.3.6.1.2.1.25.2.3.1.5.7", integer(100), integer(110), true),
            ("1.3.6.1.4.1.2021.10.1.3.1", Value::text("2.70"), Value::text("2.71"), true),
            ("1.3.6.1.4.1.2021.10.1.3.1", Value::text("2.70"), Value::text("0.02"), false),
            ("1.3.6.1.4.1.2021.10.1.5.1", integer(270), integer(2), false),
            ("1.3.6.1.4.1.2021.10.1.6.1", float(2.7), float(2.75), true),
            ("1.3.6.1.4.1.2021.10.1.6.1", float(2.7), Value::Opaque(vec![1]), false),
            ("1.3.6.1.4.1.2021.11.9.0", integer(1), integer(99), true),
            (
                "1.3.6.1.2.1.25.1.2.0",
                date([7, 234, 11, 26, 23, 59, 55, 8, 43, 0, 0]),
                date([7, 234, 11, 27, 0, 0, 3, 0, 43, 0, 0]),
                true,
            ),
            (
                "1.3.6.1.2.1.25.1.2.0",
                date([7, 234, 11, 26, 21, 0, 0, 8, 43, 0, 0]),
                date([7, 234, 11, 26, 22, 0, 0, 0, 43, 0, 0]),
                false,
            ),
            (
                "1.3.6.1.2.1.25.1.2.0",
                date([7, 234, 11, 26, 21, 0, 0, 8, 43, 0, 0]),
                date([7, 234, 11, 26, 21, 0, 0, 8, 43, 1, 0]),
                false,
            ),
            ("1.3.6.1.2.1.1.7.0", integer(72), integer(73), false),
        ] {
            assert_eq!(allows(name, own.clone(), other.clone()), expected, "{name} {own:?} {other:?}");
        }
    }
}

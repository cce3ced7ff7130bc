//! The cells of a column in few octets: of many devices with long tables nothing takes as much.

use trunkline_smi::{ValueKind, ValueRef};

/// The cells of a column, by the positions of their rows. One may be absent, as of a row that came or went during the walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// 0, or 1 more than the position in [`KINDS`].
    kinds: Vec<u8>,
    /// The value of 32 bits, or where it begins in `octets` or `words`.
    places: Vec<u32>,
    /// Octets, behind their count in four octets.
    octets: Vec<u8>,
    /// Sub-identifiers, behind their count; the halves of numbers of 64 bits.
    words: Vec<u32>,
}

const KINDS: [ValueKind; 9] = [
    ValueKind::Integer,
    ValueKind::OctetString,
    ValueKind::ObjectIdentifier,
    ValueKind::IpAddress,
    ValueKind::Counter32,
    ValueKind::Unsigned32,
    ValueKind::TimeTicks,
    ValueKind::Opaque,
    ValueKind::Counter64,
];

impl Cells {
    /// Octets of a cell, whatever is in it.
    pub(crate) const EACH: usize = size_of::<u8>() + size_of::<u32>();

    /// The cell of a row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<ValueRef<'_>> {
        let kind = KINDS.get(usize::from(self.kinds.get(row)?.checked_sub(1)?))?;
        let place = *self.places.get(row)?;
        let at = place as usize;
        let octets = || {
            let (count, octets) = self.octets.get(at..)?.split_first_chunk::<4>()?;
            octets.get(..u32::from_le_bytes(*count) as usize)
        };
        let words = |from: usize, count: usize| self.words.get(from..from.checked_add(count)?);
        Some(match kind {
            ValueKind::Integer => ValueRef::Integer(place.cast_signed()),
            ValueKind::Counter32 => ValueRef::Counter32(place),
            ValueKind::Unsigned32 => ValueRef::Unsigned32(place),
            ValueKind::TimeTicks => ValueRef::TimeTicks(place),
            ValueKind::IpAddress => ValueRef::IpAddress(place.to_be_bytes()),
            ValueKind::OctetString => ValueRef::OctetString(octets()?),
            ValueKind::Opaque => ValueRef::Opaque(octets()?),
            ValueKind::ObjectIdentifier => {
                ValueRef::ObjectIdentifier(words(at + 1, *self.words.get(at)? as usize)?)
            }
            ValueKind::Counter64 => match words(at, 2)? {
                [high, low] => ValueRef::Counter64((u64::from(*high) << 32) | u64::from(*low)),
                _ => return None,
            },
        })
    }

    /// Puts a value into the cell of a row.
    pub fn set(&mut self, row: usize, value: ValueRef<'_>) {
        let place = match value {
            ValueRef::Integer(number) => number.cast_unsigned(),
            ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
                number
            }
            ValueRef::IpAddress(address) => u32::from_be_bytes(address),
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
                let at = self.octets.len() as u32;
                self.octets.extend((octets.len() as u32).to_le_bytes());
                self.octets.extend(octets);
                at
            }
            ValueRef::ObjectIdentifier(parts) => {
                let at = self.words.len() as u32;
                self.words.push(parts.len() as u32);
                self.words.extend(parts);
                at
            }
            ValueRef::Counter64(number) => {
                let at = self.words.len() as u32;
                self.words.extend([(number >> 32) as u32, number as u32]);
                at
            }
        };
        if self.kinds.len() <= row {
            self.kinds.resize(row + 1, 0);
            self.places.resize(row + 1, 0);
        }
        let kind = KINDS.iter().position(|kind| *kind == value.kind()).map_or(0, |at| at as u8 + 1);
        (self.kinds[row], self.places[row]) = (kind, place);
    }

    /// The cells in another order of their rows.
    pub(crate) fn in_order(&self, order: &[u32]) -> Self {
        let mut cells = Cells::default();
        for (row, from) in order.iter().enumerate() {
            if let Some(value) = self.get(*from as usize) {
                cells.set(row, value);
            }
        }
        cells
    }

    pub(crate) fn shrink(&mut self) {
        self.kinds.shrink_to_fit();
        self.places.shrink_to_fit();
        self.octets.shrink_to_fit();
        self.words.shrink_to_fit();
    }
}

/// Octets of a value beside its cell.
pub(crate) fn contents(value: ValueRef<'_>) -> usize {
    match value {
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => size_of::<u32>() + octets.len(),
        ValueRef::ObjectIdentifier(parts) => size_of::<u32>() + size_of_val(parts),
        ValueRef::Counter64(_) => size_of::<u64>(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_smi::{Oid, Value};

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i32>().prop_map(Value::Integer),
            any::<u32>().prop_map(Value::Counter32),
            any::<u32>().prop_map(Value::Unsigned32),
            any::<u32>().prop_map(Value::TimeTicks),
            any::<u64>().prop_map(Value::Counter64),
            any::<[u8; 4]>().prop_map(Value::IpAddress),
            proptest::collection::vec(any::<u8>(), 0..9).prop_map(Value::OctetString),
            proptest::collection::vec(any::<u8>(), 0..9).prop_map(Value::Opaque),
            proptest::collection::vec(any::<u32>(), 0..9)
                .prop_map(|parts| Value::ObjectIdentifier(Oid::EMPTY.child(&parts))),
        ]
    }

    proptest! {
        /// Whatever is put into cells comes out of them, and takes the octets that are counted.
        #[test]
        fn cells_keep_values(values in proptest::collection::vec(proptest::option::of(value()), 0..20)) {
            let (mut cells, mut octets) = (Cells::default(), 0);
            for (row, value) in values.iter().enumerate() {
                if let Some(value) = value {
                    cells.set(row, value.as_value_ref());
                    octets += contents(value.as_value_ref());
                }
            }
            cells.shrink();
            prop_assert!(cells.octets.len() + size_of_val(&*cells.words) == octets);
            prop_assert!(cells.kinds.len() + size_of_val(&*cells.places) <= values.len() * Cells::EACH);
            for (row, value) in values.iter().enumerate() {
                prop_assert_eq!(cells.get(row), value.as_ref().map(Value::as_value_ref));
            }
            prop_assert_eq!(cells.get(values.len()), None);
            let order: Vec<u32> = (0..values.len() as u32).rev().collect();
            let backwards = cells.in_order(&order);
            for (row, value) in values.iter().rev().enumerate() {
                prop_assert_eq!(backwards.get(row), value.as_ref().map(Value::as_value_ref));
            }
        }
    }
}

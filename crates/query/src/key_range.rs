//! What a predicate implies for index order: the range of indexes in which matching rows can be (RFC 2578 section
//! 7.7 gives each index object its sub-identifiers).

use std::cmp::Ordering;

use trunkline_smi::OidBuf;
use trunkline_smi::schema::{IndexEncoding, IndexPart};

use crate::literal::Bound;
use crate::predicate::Node;
use crate::{Comparison, Operand};

/// A range of indexes in their lexicographic order.
#[derive(Clone, Debug)]
pub struct KeyRange {
    from: OidBuf,
    below: Option<OidBuf>,
}

impl Default for KeyRange {
    /// Every index.
    fn default() -> Self {
        KeyRange::all()
    }
}

impl KeyRange {
    /// Every index.
    pub fn all() -> Self {
        KeyRange { from: OidBuf::new(), below: None }
    }

    /// No index.
    pub fn none() -> Self {
        KeyRange { from: OidBuf::new(), below: Some(OidBuf::new()) }
    }

    /// The indexes that are not less than `from` and, where `below` is given, less than that.
    pub fn between(from: &[u32], below: Option<&[u32]>) -> Self {
        let copy = |sub_ids: &[u32]| {
            let mut copy = OidBuf::new();
            // No index is longer than the kept part of this one.
            let _ = copy.extend(&sub_ids[..sub_ids.len().min(trunkline_smi::MAX_SUB_IDS)]);
            copy
        };
        KeyRange { from: copy(from), below: below.map(copy) }
    }

    /// The least index that is in it, if there is one there.
    pub fn from(&self) -> &[u32] {
        &self.from
    }

    /// The first index after the range; `None` if it has no end.
    pub fn below(&self) -> Option<&[u32]> {
        self.below.as_deref()
    }

    /// Whether no index is in it.
    pub fn is_empty(&self) -> bool {
        self.below().is_some_and(|below| below <= self.from())
    }

    /// Whether an index is in it.
    pub fn contains(&self, index: &[u32]) -> bool {
        index >= self.from() && self.below().is_none_or(|below| index < below)
    }

    pub(crate) fn of(node: &Node, index: &[IndexPart]) -> Self {
        match node {
            Node::And(all) => {
                let mut range = KeyRange::of_tests(all, index);
                for inner in all {
                    if !matches!(inner, Node::Compare { .. } | Node::Present { .. }) {
                        range = range.intersection(KeyRange::of(inner, index));
                    }
                }
                range
            }
            Node::Or(some) => {
                let ranges = some.iter().map(|node| KeyRange::of(node, index));
                ranges.reduce(KeyRange::hull).unwrap_or_else(KeyRange::none)
            }
            Node::Compare { .. } => KeyRange::of_tests(std::slice::from_ref(node), index),
            // What does not hold of an index that cannot be read holds when it is negated: nothing is known.
            Node::Not(_) | Node::Present { .. } => KeyRange::all(),
        }
    }

    /// Of comparisons that all hold: the parts that must be equal to one value, and the limits of the next one.
    fn of_tests(all: &[Node], index: &[IndexPart]) -> Self {
        let mut prefix = OidBuf::new();
        for (position, part) in index.iter().enumerate() {
            let tests = all.iter().filter_map(|node| match node {
                Node::Compare { operand, comparison, bound } if *operand == Operand::Index(position) => {
                    Some((*comparison, bound))
                }
                _ => None,
            });
            let limits = Limits::of(tests);
            if limits.is_contradiction() {
                return KeyRange::none();
            }
            let equal = limits.equal().filter(|bound| can_be(bound, part));
            let Some(equal) = equal else { return limits.range(&prefix, part) };
            if push(&mut prefix, part, equal).is_none() {
                return KeyRange::all();
            }
        }
        let below = successor(&prefix);
        KeyRange { from: prefix, below }
    }

    fn intersection(self, other: KeyRange) -> Self {
        let from = if *self.from >= *other.from { self.from } else { other.from };
        let below = match (self.below, other.below) {
            (Some(a), Some(b)) => Some(if *a <= *b { a } else { b }),
            (a, b) => a.or(b),
        };
        KeyRange { from, below }
    }

    fn hull(self, other: KeyRange) -> Self {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let from = if *self.from <= *other.from { self.from } else { other.from };
        let below = match (self.below, other.below) {
            (Some(a), Some(b)) => Some(if *a >= *b { a } else { b }),
            _ => None,
        };
        KeyRange { from, below }
    }
}

/// The strictest limits that comparisons set one part of the index.
#[derive(Default)]
struct Limits<'p> {
    /// The literal, and whether it is itself excluded.
    low: Option<(&'p Bound, bool)>,
    high: Option<(&'p Bound, bool)>,
}

impl<'p> Limits<'p> {
    fn of(tests: impl Iterator<Item = (Comparison, &'p Bound)>) -> Self {
        let mut limits = Limits::default();
        for (comparison, bound) in tests {
            match comparison {
                Comparison::Equal => {
                    limits.raise(bound, false);
                    limits.lower(bound, false);
                }
                Comparison::Greater => limits.raise(bound, true),
                Comparison::GreaterOrEqual => limits.raise(bound, false),
                Comparison::Less => limits.lower(bound, true),
                Comparison::LessOrEqual => limits.lower(bound, false),
                Comparison::NotEqual => {}
            }
        }
        limits
    }

    fn raise(&mut self, bound: &'p Bound, excluded: bool) {
        let stricter = |(old, out): (&Bound, bool)| match order(bound, old) {
            Ordering::Greater => true,
            Ordering::Equal => excluded && !out,
            Ordering::Less => false,
        };
        if self.low.is_none_or(stricter) {
            self.low = Some((bound, excluded));
        }
    }

    fn lower(&mut self, bound: &'p Bound, excluded: bool) {
        let stricter = |(old, out): (&Bound, bool)| match order(bound, old) {
            Ordering::Less => true,
            Ordering::Equal => excluded && !out,
            Ordering::Greater => false,
        };
        if self.high.is_none_or(stricter) {
            self.high = Some((bound, excluded));
        }
    }

    fn is_contradiction(&self) -> bool {
        let (Some((low, low_out)), Some((high, high_out))) = (self.low, self.high) else { return false };
        match order(low, high) {
            Ordering::Greater => true,
            Ordering::Equal => low_out || high_out,
            Ordering::Less => false,
        }
    }

    fn equal(&self) -> Option<&'p Bound> {
        let ((low, _), (high, _)) = (self.low?, self.high?);
        (order(low, high) == Ordering::Equal).then_some(low)
    }

    /// The range that these limits leave below `prefix`.
    fn range(&self, prefix: &OidBuf, part: &IndexPart) -> KeyRange {
        if !is_ordered(part) {
            return KeyRange { from: prefix.clone(), below: successor(prefix) };
        }
        let mut range = KeyRange { from: prefix.clone(), below: successor(prefix) };
        let mut bound = prefix.clone();
        match self.low {
            Some((Bound::Number(low), excluded)) => {
                let Ok(low) = u32::try_from((*low + i128::from(excluded)).max(0)) else {
                    return KeyRange::none();
                };
                if bound.push(low).is_ok() {
                    range.from = bound;
                }
            }
            Some((low, _)) if push(&mut bound, part, low).is_some() => range.from = bound,
            _ => {}
        }
        let mut bound = prefix.clone();
        match self.high {
            Some((Bound::Number(high), excluded)) => {
                let behind = *high + i128::from(!excluded);
                if behind <= 0 {
                    return KeyRange::none();
                }
                if let Ok(behind) = u32::try_from(behind)
                    && bound.push(behind).is_ok()
                {
                    range.below = Some(bound);
                }
            }
            Some((high, excluded)) if push(&mut bound, part, high).is_some() => {
                range.below = if excluded { Some(bound) } else { successor(&bound).or(range.below) };
            }
            _ => {}
        }
        range
    }
}

/// Whether the part's values have the order of their sub-identifiers: not where a length comes before them.
fn is_ordered(part: &IndexPart) -> bool {
    !matches!(part.encoding, IndexEncoding::Octets | IndexEncoding::ObjectIdentifier)
}

/// Whether one value of the part is one sequence of sub-identifiers.
fn can_be(bound: &Bound, part: &IndexPart) -> bool {
    use IndexEncoding as E;
    match (part.encoding, bound) {
        (E::Integer, Bound::Number(number)) => u32::try_from(*number).is_ok(),
        (E::FixedOctets(len), Bound::Octets(octets)) => octets.len() == len,
        (E::IpAddress, Bound::Octets(octets)) => octets.len() == 4,
        (E::Octets | E::ImpliedOctets, Bound::Octets(_)) => true,
        (E::ObjectIdentifier | E::ImpliedObjectIdentifier, Bound::Oid(_)) => true,
        _ => false,
    }
}

/// Appends the sub-identifiers of a value; returns `None`, and appends nothing useful, if they do not fit.
fn push(into: &mut OidBuf, part: &IndexPart, bound: &Bound) -> Option<()> {
    let has_length = !is_ordered(part);
    match bound {
        Bound::Number(number) => into.push(u32::try_from(*number).ok()?).ok(),
        Bound::Octets(octets) => {
            if has_length {
                into.push(octets.len() as u32).ok()?;
            }
            octets.iter().try_for_each(|octet| into.push(u32::from(*octet))).ok()
        }
        Bound::Oid(oid) => {
            if has_length {
                into.push(oid.len() as u32).ok()?;
            }
            into.extend(oid).ok()
        }
    }
}

/// Of two literals of one column.
fn order(a: &Bound, b: &Bound) -> Ordering {
    match (a, b) {
        (Bound::Number(a), Bound::Number(b)) => a.cmp(b),
        (Bound::Octets(a), Bound::Octets(b)) => a.cmp(b),
        (Bound::Oid(a), Bound::Oid(b)) => a.cmp(b),
        _ => Ordering::Equal,
    }
}

/// The smallest sequence greater than all that start with this one; `None` if there is none.
fn successor(beginning: &OidBuf) -> Option<OidBuf> {
    let last = beginning.iter().rposition(|sub_id| *sub_id < u32::MAX)?;
    let mut end = OidBuf::new();
    // Never too long: it is shorter than its source.
    let _ = end.extend(&beginning[..last]);
    let _ = end.push(beginning[last] + 1);
    Some(end)
}

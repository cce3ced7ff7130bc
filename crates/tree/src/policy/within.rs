//! What of a view is within another one: acting in a role gives nothing that the principal does not have otherwise.

use std::collections::BTreeSet;

use trunkline_smi::Oid;

use crate::{Family, Mask, View};

/// What of `inner` is in `outer` too; `None`: all of it, so that `inner` can stay as it is.
///
/// The families of views with wildcards cannot always be combined to a view. Where they cannot, nothing is left.
pub(super) fn within(inner: &View, outer: &View) -> Option<View> {
    if has_all_of(outer, inner) {
        return None;
    }
    let families = || [inner, outer].into_iter().flat_map(View::families);
    let is_plain = families().all(|family| family.mask.is_empty());
    let combined: Vec<Pattern> =
        if is_plain { families().map(pattern_of).collect() } else { meets(inner, outer) };
    let Some(free) = free_sub_id(&combined) else { return Some(View::NOTHING) };
    let both = |pattern: &Pattern| {
        let name = pattern.name(free);
        (inner.contains(&name), outer.contains(&name))
    };
    let verdicts: Vec<(bool, bool)> = combined.iter().map(both).collect();
    if is_plain && verdicts.iter().all(|(inner, outer)| *outer || !inner) {
        return None;
    }
    let mut view = View::NOTHING;
    for (pattern, verdict) in combined.iter().zip(&verdicts) {
        pattern.family(*verdict == (true, true)).into_iter().for_each(|family| view.insert(family));
    }
    let is_so = |(pattern, verdict): (&Pattern, &(bool, bool))| {
        view.contains(&pattern.name(free)) == (*verdict == (true, true))
    };
    let is_exact = is_plain || combined.len() <= MOST && combined.iter().zip(&verdicts).all(is_so);
    Some(if is_exact { view } else { View::NOTHING })
}

/// Whether `outer` plainly includes what `inner` does: it has the same families and only adds to them.
fn has_all_of(outer: &View, inner: &View) -> bool {
    let mut rest = inner.families().iter().peekable();
    for family in outer.families() {
        match rest.next_if_eq(&family) {
            Some(_) => {}
            None if family.included => {}
            None => return false,
        }
    }
    rest.peek().is_none()
}

/// A subtree with wildcards: `None` is any sub-identifier.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern(Vec<Option<u32>>);

fn pattern_of(family: &Family) -> Pattern {
    let own = family.subtree.iter().enumerate().map(|(at, sub_id)| (!family.is_open(at)).then_some(*sub_id));
    Pattern(own.collect())
}

/// The subtrees that are in one of each view: of all names in one the same two families decide, or longer ones.
fn meets(inner: &View, outer: &View) -> Vec<Pattern> {
    let mut meets = BTreeSet::new();
    for one in inner.families() {
        for other in outer.families() {
            if let Some(meet) = meet(&pattern_of(one), &pattern_of(other)) {
                meets.insert(meet);
            }
            if meets.len() > MOST {
                return meets.into_iter().collect();
            }
        }
    }
    meets.into_iter().collect()
}

fn meet(one: &Pattern, other: &Pattern) -> Option<Pattern> {
    let at = |pattern: &Pattern, at: usize| pattern.0.get(at).copied().flatten();
    let both = |place| match (at(one, place), at(other, place)) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => Some(one.or(other)),
    };
    (0..one.0.len().max(other.0.len())).map(both).collect::<Option<_>>().map(Pattern)
}

/// A sub-identifier that is in none of them.
fn free_sub_id(patterns: &[Pattern]) -> Option<u32> {
    let taken: BTreeSet<u32> =
        patterns.iter().flat_map(|pattern| pattern.0.iter().flatten().copied()).collect();
    (0..=u32::MAX).rev().take(taken.len() + 1).find(|sub_id| !taken.contains(sub_id))
}

impl Pattern {
    /// One of its names that is in no narrower subtree.
    fn name(&self, free: u32) -> Vec<u32> {
        self.0.iter().map(|sub_id| sub_id.unwrap_or(free)).collect()
    }

    fn family(&self, included: bool) -> Option<Family> {
        let subtree = Oid::new(&self.name(0)).ok()?;
        let mut octets = vec![0xff_u8; self.0.len().div_ceil(8)];
        for (at, _) in self.0.iter().enumerate().filter(|(_, sub_id)| sub_id.is_none()) {
            octets[at / 8] &= !(0x80 >> (at % 8));
        }
        let is_open = self.0.contains(&None);
        let mask = if is_open { Mask::new(&octets).ok()? } else { Mask::default() };
        Some(Family { subtree, mask, included })
    }
}

/// Combinations of families with wildcards.
const MOST: usize = 2048;

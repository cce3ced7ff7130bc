//! Finds the leaf for a name: a trie over the leaves' OIDs.
//!
//! Every request begins here, once for each name. The served leaves lie below a few
//! long common prefixes with short runs of numbers under them, so a walk down a trie
//! with whole prefixes in its nodes compares each sub-identifier of the name about
//! once, where a binary search over the OIDs compares all of them nine times.

use std::ops::Range;

use trunkline_smi::OidList;

/// The trie. Leaves are named by their position in the sorted list that it was made from.
#[derive(Debug, Default)]
pub(crate) struct LeafSearch {
    /// The root first.
    nodes: Vec<Node>,
    /// The nodes' labels, end to end.
    labels: Vec<u32>,
    /// The nodes' branches, those of one node side by side and ascending: the sub-identifier ...
    sub_ids: Vec<u32>,
    /// ... and the node after it.
    targets: Vec<u32>,
}

/// All leaves that begin with the same sub-identifiers.
#[derive(Debug, Default)]
struct Node {
    /// The sub-identifiers that they share, after the branch that led here.
    label: Range<u32>,
    /// None: this is one leaf, and its OID ends with the label.
    branches: Range<u32>,
    leaves: Range<u32>,
}

/// The position of a name among the leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The leaf's OID is the beginning of the name.
    Inside(usize),
    /// In no leaf; this is the first one after the name, or the number of leaves.
    Before(usize),
}

impl LeafSearch {
    /// A trie of ascending OIDs, none of which is a prefix of another.
    pub(crate) fn new(oids: &OidList) -> Self {
        let mut search = LeafSearch::default();
        if !oids.is_empty() {
            search.add(oids, 0..oids.len(), 0);
        }
        search
    }

    /// Adds the node of these leaves, which have their first `depth` sub-identifiers in common; returns its position.
    fn add(&mut self, oids: &OidList, leaves: Range<usize>, depth: usize) -> usize {
        let (first, last) = (&oids[leaves.start], &oids[leaves.end - 1]);
        let common = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        let label = extend(&mut self.labels, first[depth..common].iter().copied());
        let at = self.nodes.len();
        self.nodes.push(Node { label, branches: 0..0, leaves: leaves.start as u32..leaves.end as u32 });
        if leaves.len() == 1 {
            return at;
        }
        let parts = branches(oids, leaves, common);
        let branches = extend(&mut self.sub_ids, parts.iter().map(|(sub_id, _)| *sub_id));
        extend(&mut self.targets, parts.iter().map(|_| 0));
        self.nodes[at].branches = branches.clone();
        for (slot, (_, leaves)) in branches.zip(parts) {
            self.targets[slot as usize] = self.add(oids, leaves, common + 1) as u32;
        }
        at
    }

    /// The position of a name.
    pub(crate) fn place(&self, name: &[u32]) -> Place {
        let Some(mut node) = self.nodes.first() else { return Place::Before(0) };
        let mut rest = name;
        loop {
            let label = &self.labels[as_usize(&node.label)];
            let Some(behind) = behind(label, rest) else {
                let before = if rest < label { node.leaves.start } else { node.leaves.end };
                return Place::Before(before as usize);
            };
            if node.branches.is_empty() {
                return Place::Inside(node.leaves.start as usize);
            }
            let Some((sub_id, behind)) = behind.split_first() else {
                return Place::Before(node.leaves.start as usize);
            };
            let branches = as_usize(&node.branches);
            match position(&self.sub_ids[branches.clone()], *sub_id) {
                Ok(slot) => node = &self.nodes[self.targets[branches.start + slot] as usize],
                Err(slot) => {
                    let next = self.targets[branches].get(slot).map(|next| &self.nodes[*next as usize]);
                    return Place::Before(next.map_or(node.leaves.end, |next| next.leaves.start) as usize);
                }
            }
            rest = behind;
        }
    }
}

/// The remainder after a prefix. Labels are short: a loop is faster than a call to compare memory.
#[inline]
fn behind<'n>(beginning: &[u32], name: &'n [u32]) -> Option<&'n [u32]> {
    let (head, rest) = name.split_at_checked(beginning.len())?;
    head.iter().zip(beginning).all(|(a, b)| a == b).then_some(rest)
}

/// The position of a number in an ascending list, or of the first one greater. Most lists have no gaps, and
/// there the distance from the first number is the position.
pub(crate) fn position(ascending: &[u32], number: u32) -> Result<usize, usize> {
    let guess = number.wrapping_sub(ascending.first().copied().unwrap_or(0)) as usize;
    if ascending.get(guess) == Some(&number) { Ok(guess) } else { ascending.binary_search(&number) }
}

/// The parts of these leaves that have the same sub-identifier at `depth`.
fn branches(oids: &OidList, leaves: Range<usize>, depth: usize) -> Vec<(u32, Range<usize>)> {
    let mut parts: Vec<(u32, Range<usize>)> = Vec::new();
    for leaf in leaves {
        let sub_id = oids[leaf][depth];
        match parts.last_mut() {
            Some((last, part)) if *last == sub_id => part.end = leaf + 1,
            _ => parts.push((sub_id, leaf..leaf + 1)),
        }
    }
    parts
}

fn extend(list: &mut Vec<u32>, more: impl Iterator<Item = u32>) -> Range<u32> {
    let start = list.len() as u32;
    list.extend(more);
    start..list.len() as u32
}

fn as_usize(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    /// The same by binary search.
    fn slowly(oids: &OidList, name: &[u32]) -> Place {
        let behind = oids.upper_bound(name);
        match behind.checked_sub(1) {
            Some(at) if name.starts_with(&oids[at]) => Place::Inside(at),
            _ => Place::Before(behind),
        }
    }

    #[test]
    fn nothing_and_one() {
        assert_eq!(LeafSearch::new(&OidList::new()).place(&[1, 3]), Place::Before(0));
        let one = LeafSearch::new(&[&[1, 3, 6][..]].into_iter().collect());
        for (name, place) in [
            (&[][..], Place::Before(0)),
            (&[1, 3], Place::Before(0)),
            (&[1, 2, 9], Place::Before(0)),
            (&[1, 3, 6], Place::Inside(0)),
            (&[1, 3, 6, 0], Place::Inside(0)),
            (&[1, 3, 7], Place::Before(1)),
            (&[2], Place::Before(1)),
        ] {
            assert_eq!(one.place(name), place, "{name:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn places_are_those_of_a_binary_search(
            oids in btree_set(vec(0u32..4, 1..6), 0..40),
            names in vec(vec(0u32..5, 0..8), 1..40),
        ) {
            let mut leaves: Vec<Vec<u32>> = Vec::new();
            for oid in oids {
                if leaves.last().is_none_or(|last| !oid.starts_with(last)) {
                    leaves.push(oid);
                }
            }
            let oids: OidList = leaves.iter().map(Vec::as_slice).collect();
            let search = LeafSearch::new(&oids);
            for name in names.iter().chain(&leaves) {
                prop_assert_eq!(search.place(name), slowly(&oids, name), "{:?} in {:?}", name, &oids);
            }
        }

        #[test]
        fn positions_are_those_of_a_binary_search(numbers in btree_set(0u32..30, 0..20), number in 0u32..40) {
            let numbers: Vec<u32> = numbers.into_iter().collect();
            prop_assert_eq!(position(&numbers, number), numbers.binary_search(&number));
        }
    }
}

//! Families that are finer than a leaf: which of its instances a view includes, and how far a search may skip
//! ahead where it does not, so that a table with few visible rows is not walked row by row.

use trunkline_smi::{Oid, OidBuf};

use crate::view::{Family, View};

/// What of one leaf's instances a view includes.
#[derive(Debug)]
pub(crate) struct FineRules {
    /// Rules that leave nothing open, ascending by their beginnings.
    exact: Vec<FineRule>,
    /// How long the exact rules are, the longest first.
    lengths: Vec<usize>,
    /// Rules that leave something open, the one that decides first.
    open: Vec<FineRule>,
    /// What holds for an index that no rule matches.
    otherwise: bool,
}

/// The part of a family after a leaf's OID.
#[derive(Debug)]
struct FineRule {
    /// A beginning of indexes ...
    beginning: Oid,
    /// ... in which these may be others.
    open: Vec<bool>,
    included: bool,
    /// Of two rules that match the one of the lower rank decides.
    rank: usize,
}

impl FineRules {
    /// The rules of a view for the leaf of this OID.
    pub(super) fn new(view: &View, leaf: &[u32]) -> Self {
        let finer = |family: &&Family| family.subtree.len() > leaf.len() && family.meets(leaf);
        // The families are sorted so that the first match decides.
        let rules = view.families().iter().filter(finer).enumerate();
        let rules = rules.map(|(rank, family)| FineRule::new(family, leaf.len(), rank));
        let (mut exact, open): (Vec<_>, Vec<_>) = rules.partition(|rule| !rule.open.contains(&true));
        // Rules that differ only where the leaf is may be equal here: the first one decides.
        exact.sort_by(|a, b| (&a.beginning, a.rank).cmp(&(&b.beginning, b.rank)));
        exact.dedup_by(|later, first| later.beginning == first.beginning);
        let mut lengths: Vec<usize> = exact.iter().map(|rule| rule.beginning.len()).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        FineRules { exact, lengths, open, otherwise: view.contains(leaf) }
    }

    /// Whether the view includes the instance of this index.
    pub(crate) fn include(&self, index: &[u32]) -> bool {
        self.deciding(index).map_or(self.otherwise, |rule| rule.included)
    }

    /// For an index whose instance the view does not include: where the next included one may be. There is none
    /// in between; `None`: there is none after it at all.
    pub(crate) fn bound(&self, excluded: &[u32]) -> Option<OidBuf> {
        let mut bound = OidBuf::new();
        // The one rule holds to its end, but where another begins.
        let mut bounded =
            self.deciding(excluded).is_some_and(|rule| end_of(&excluded[..rule.beginning.len()], &mut bound));
        let mut offer = |candidate: &[u32]| {
            if !bounded || *candidate < *bound {
                bound.clear();
                // Never too long: beginnings are parts of OIDs.
                let _ = bound.extend(candidate);
                bounded = true;
            }
        };
        let behind = self.exact.partition_point(|rule| *rule.beginning <= *excluded);
        if let Some(next) = self.exact.get(behind) {
            offer(&next.beginning);
        }
        let mut first = OidBuf::new();
        for rule in &self.open {
            if rule.first_behind(excluded, &mut first) {
                offer(&first);
            }
        }
        bounded.then_some(bound)
    }

    fn deciding(&self, index: &[u32]) -> Option<&FineRule> {
        let exact = self.lengths.iter().find_map(|length| self.exact(index.get(..*length)?));
        let before = |rule: &&FineRule| exact.is_none_or(|exact| rule.rank < exact.rank);
        self.open.iter().take_while(before).find(|rule| rule.matches(index)).or(exact)
    }

    fn exact(&self, beginning: &[u32]) -> Option<&FineRule> {
        let at = self.exact.binary_search_by(|rule| (*rule.beginning).cmp(beginning));
        at.ok().map(|at| &self.exact[at])
    }
}

impl FineRule {
    fn new(family: &Family, leaf: usize, rank: usize) -> Self {
        FineRule {
            beginning: Oid::EMPTY.child(&family.subtree[leaf..]),
            open: (leaf..family.subtree.len()).map(|at| family.is_open(at)).collect(),
            included: family.included,
            rank,
        }
    }

    fn matches(&self, index: &[u32]) -> bool {
        index.len() >= self.beginning.len() && self.agreement(index) == self.beginning.len()
    }

    /// How many of the rule's sub-identifiers the index agrees with.
    fn agreement(&self, index: &[u32]) -> usize {
        let agrees = |(at, found): &(usize, &u32)| self.open[*at] || self.beginning[*at] == **found;
        index.iter().take(self.beginning.len()).enumerate().take_while(agrees).count()
    }

    /// The least index greater than this one that matches, if this one does not match and there is one.
    fn first_behind(&self, index: &[u32], first: &mut OidBuf) -> bool {
        let agreed = self.agreement(index);
        let Some(wanted) = self.beginning.get(agreed) else { return false };
        // Too great at the first difference: a wildcard before it has to become greater.
        let (kept, raised) = match index.get(agreed) {
            Some(found) if found > wanted => {
                match (0..agreed).rev().find(|at| self.open[*at] && index[*at] < u32::MAX) {
                    Some(at) => (at, Some(index[at] + 1)),
                    None => return false,
                }
            }
            _ => (agreed, None),
        };
        first.clear();
        let least = |at: usize| if self.open[at] { 0 } else { self.beginning[at] };
        let rest = (kept + usize::from(raised.is_some())..self.beginning.len()).map(least);
        let whole = index[..kept].iter().copied().chain(raised).chain(rest);
        // Never too long: as long as a part of an OID.
        whole.for_each(|sub_id| _ = first.push(sub_id));
        true
    }
}

/// The least index greater than all that begin with this one, if there is one.
fn end_of(beginning: &[u32], end: &mut OidBuf) -> bool {
    let Some(last) = beginning.iter().rposition(|sub_id| *sub_id < u32::MAX) else { return false };
    end.clear();
    // Never too long: a part of an index.
    let _ = end.extend(&beginning[..last]);
    let _ = end.push(beginning[last] + 1);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn rules(text: &str, leaf: &[u32]) -> FineRules {
        let view = View::of(text.split_whitespace().map(|rule| rule.parse().unwrap())).unwrap();
        FineRules::new(&view, leaf)
    }

    fn check(text: &str, index: &[u32], expected: Option<&[u32]>) {
        let rules = rules(text, &[1]);
        assert!(!rules.include(index), "{text} {index:?}");
        assert_eq!(rules.bound(index).as_deref(), expected, "{text} {index:?}");
    }

    #[test]
    fn where_a_search_goes_on() {
        check("1.7 1.9", &[1], Some(&[7]));
        check("1.7 1.9", &[8], Some(&[9]));
        check("1.7 1.9", &[10], None);
        check("1 -1.7", &[7, 7], Some(&[8]));
        check("1 -1.4294967295", &[u32::MAX, 7], None);
        check("1 -1.3.4294967295", &[3, u32::MAX], Some(&[4]));
        check("1 -1.7 1.7.5", &[7, 1], Some(&[7, 5]));
        check("1 -1.7 1.7.5", &[7, 6], Some(&[8]));
        check("1.*.5", &[3], Some(&[3, 5]));
        check("1.*.5", &[3, 9], Some(&[4, 5]));
        check("1.*.5", &[u32::MAX, 9], None);
        check("1.*.*.5", &[3, u32::MAX, 6], Some(&[4, 0, 5]));
        check("1 -1.*.5", &[3, 5, 8], Some(&[3, 6]));
        check("1.2.3", &[], Some(&[2, 3]));
    }

    /// 128 sub-identifiers, all of them open but the last.
    #[test]
    fn the_deepest_rule() {
        let text = format!("1.{}.5", vec!["*"; 126].join("."));
        let mut index = vec![u32::MAX; 127];
        check(&text, &index, None);
        index[0] = 0;
        check(&text, &index, Some(&[&[1][..], &[0; 125], &[5]].concat()));
        index[126] = 5;
        assert!(rules(&text, &[1]).include(&index));
    }

    fn sub_id() -> impl Strategy<Value = u32> {
        select(&[0, 1, 2, u32::MAX])
    }

    fn rule() -> impl Strategy<Value = String> {
        let part = prop_oneof![select(&["0", "1", "2", "4294967295"]), Just("*")];
        (any::<bool>(), vec(part, 1..5))
            .prop_map(|(included, parts)| format!("{}{}", if included { "" } else { "-" }, parts.join(".")))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

        /// The rules agree with the view, and nothing is included between an index and its bound.
        #[test]
        fn rules_are_those_of_the_view(
            texts in vec(rule(), 0..7),
            leaf in vec(sub_id(), 0..3),
            index in vec(sub_id(), 0..4),
            others in vec(vec(sub_id(), 0..4), 40),
        ) {
            let families = texts.iter().map(|text| text.parse::<Family>().unwrap());
            let view = families.fold(View::NOTHING, View::with);
            let rules = FineRules::new(&view, &leaf);
            let contains = |index: &[u32]| view.contains(&[&leaf, index].concat());
            prop_assert_eq!(rules.include(&index), contains(&index));
            if !contains(&index) {
                let bound = rules.bound(&index);
                prop_assert!(bound.as_deref().is_none_or(|bound| *bound > *index), "{:?}", bound);
                for other in others.iter().filter(|other| **other > index && contains(other)) {
                    prop_assert!(bound.as_deref().is_some_and(|bound| **other >= *bound), "{:?} {:?}", other, bound);
                }
            }
        }
    }
}

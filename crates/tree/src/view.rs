//! MIB views: families of subtrees with masks, and which of them decides for a name
//! (RFC 3415, vacmViewTreeFamilyTable). Compiled for a tree a view becomes a part of an
//! [`Access`](crate::Access).

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use trunkline_smi::{MAX_SUB_IDS, Oid, ParseOidError};

/// Included and excluded families of subtrees. Of several that match a name the one with the longest subtree
/// decides, of equally long ones the lexicographically greatest, and without one nothing is included.
///
/// As in vacmViewTreeFamilyTable a view has one family for a subtree: a later one replaces it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The one that decides first: the first that matches is the one.
    families: Vec<Family>,
}

/// A row of vacmViewTreeFamilyTable: all subtrees that equal this one in the positions that the mask selects.
///
/// In text `1.3.6.1.2.1.2.2.1.*.7`, with a leading `-` if it excludes; `*` is a sub-identifier that the mask
/// leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// vacmViewTreeFamilySubtree.
    pub subtree: Oid,
    /// vacmViewTreeFamilyMask.
    pub mask: Mask,
    /// vacmViewTreeFamilyType: whether it includes or excludes.
    pub included: bool,
}

/// Which sub-identifiers of a family's subtree must be equal: those whose bit is 1; the most significant bit of
/// the first octet is for the first sub-identifier. A mask that is too short is extended with ones (RFC 3415,
/// vacmViewTreeFamilyMask); the default is empty and has no wildcards.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Mask {
    len: u8,
    octets: [u8; Mask::MAX_OCTETS],
}

/// A mask of more than [`Mask::MAX_OCTETS`] octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a mask has at most 16 octets, this one has {found}")]
pub struct MaskTooLongError {
    /// How many octets it has.
    pub found: usize,
}

/// Two rules of one view that are the same row of vacmViewTreeFamilyTable, except for their masks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the rules {first} and {second} are the same subtree {subtree} with different masks; drop one of them"
)]
pub struct AmbiguousRulesError {
    /// The rule that came first.
    pub first: Family,
    /// The rule that came second.
    pub second: Family,
    /// Their common vacmViewTreeFamilySubtree: 0 where they have a `*`.
    pub subtree: Oid,
}

/// How much of a leaf's instances a view includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// None of them.
    None,
    /// In part: each instance must be checked.
    Some,
    /// All of them.
    All,
}

impl View {
    /// Nothing.
    pub const NOTHING: View = View { families: Vec::new() };

    /// Everything.
    pub fn everything() -> Self {
        View::NOTHING.include(Oid::EMPTY)
    }

    /// A view of rules as people write them; of two equal rules the later one counts.
    ///
    /// # Errors
    /// When two rules have one subtree and different masks: vacmViewTreeFamilyTable has no place for both.
    pub fn of(rules: impl IntoIterator<Item = Family>) -> Result<Self, AmbiguousRulesError> {
        let mut view = View::NOTHING;
        for rule in rules {
            let other =
                view.families.binary_search_by_key(&rank(&rule), rank).ok().map(|at| &view.families[at]);
            if let Some(first) = other.filter(|known| !known.matches_like(&rule)) {
                let subtree = rule.subtree.clone();
                return Err(AmbiguousRulesError { first: first.clone(), second: rule, subtree });
            }
            view.insert(rule);
        }
        Ok(view)
    }

    /// Adds a subtree.
    #[must_use]
    pub fn include(self, subtree: Oid) -> Self {
        self.with(Family { subtree, mask: Mask::default(), included: true })
    }

    /// Removes a subtree.
    #[must_use]
    pub fn exclude(self, subtree: Oid) -> Self {
        self.with(Family { subtree, mask: Mask::default(), included: false })
    }

    /// Adds a family, in place of the one with the same subtree.
    #[must_use]
    pub fn with(mut self, family: Family) -> Self {
        self.insert(family);
        self
    }

    /// Adds a family, in place of the one with the same subtree.
    pub fn insert(&mut self, family: Family) {
        match self.families.binary_search_by_key(&rank(&family), rank) {
            Ok(at) => self.families[at] = family,
            Err(at) => self.families.insert(at, family),
        }
    }

    /// The families; of two that match a name the former decides.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Whether an instance is in the view.
    pub fn contains(&self, name: &[u32]) -> bool {
        self.deciding(name).is_some_and(|family| family.included)
    }

    /// The family that decides about a name.
    pub fn deciding(&self, name: &[u32]) -> Option<&Family> {
        self.families.iter().find(|family| family.matches(name))
    }

    /// How much of the instances below `prefix` is in the view. `Some` where families are finer than the prefix and
    /// say otherwise than what holds for the prefix.
    pub fn coverage(&self, prefix: &[u32]) -> Coverage {
        let whole = self.contains(prefix);
        let finer = |family: &&Family| family.subtree.len() > prefix.len() && family.meets(prefix);
        let says_otherwise = |family: &Family| family.included != whole && !self.is_overruled(family, prefix);
        if self.families.iter().filter(finer).any(says_otherwise) {
            Coverage::Some
        } else if whole {
            Coverage::All
        } else {
            Coverage::None
        }
    }

    /// Whether one of equal length always decides before this family, below `prefix`, which both meet.
    fn is_overruled(&self, family: &Family, prefix: &[u32]) -> bool {
        let len = family.subtree.len();
        let as_wide = |other: &Family| {
            (prefix.len()..len)
                .all(|at| other.is_open(at) || !family.is_open(at) && other.subtree[at] == family.subtree[at])
        };
        let before = self.families.iter().take_while(|other| other.subtree != family.subtree);
        before.filter(|other| other.subtree.len() == len).any(|other| other.meets(prefix) && as_wide(other))
    }
}

/// Longest subtree first, among equally long ones the greatest (RFC 3415, vacmViewTreeFamilyTable).
fn rank(family: &Family) -> (Reverse<usize>, Reverse<&[u32]>) {
    (Reverse(family.subtree.len()), Reverse(&family.subtree))
}

impl Family {
    /// Whether a name lies in one of the family's subtrees.
    pub fn matches(&self, name: &[u32]) -> bool {
        name.len() >= self.subtree.len() && self.meets(name)
    }

    /// Whether the name and the subtree agree as far as the shorter of the two goes.
    pub(crate) fn meets(&self, name: &[u32]) -> bool {
        let pairs = self.subtree.iter().zip(name);
        if self.mask.is_empty() {
            return pairs.into_iter().all(|(ours, theirs)| ours == theirs);
        }
        pairs.enumerate().all(|(at, (ours, theirs))| ours == theirs || self.is_open(at))
    }

    /// Whether any sub-identifier matches at this position of the subtree, counted from 0.
    pub fn is_open(&self, at: usize) -> bool {
        self.mask.is_open(at)
    }

    /// Whether both have the same wildcards in their subtrees; masks may differ beyond the subtree.
    fn matches_like(&self, other: &Family) -> bool {
        (0..self.subtree.len()).all(|at| self.is_open(at) == other.is_open(at))
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.included {
            f.write_str("-")?;
        }
        for (at, sub_id) in self.subtree.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            if self.is_open(at) {
                f.write_str("*")?;
            } else {
                write!(f, "{sub_id}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Family {
    type Err = ParseOidError;

    /// Dotted decimal with `*` for wildcards, which are 0 in the subtree, and a leading `-` to exclude.
    fn from_str(text: &str) -> Result<Self, ParseOidError> {
        let (included, body) = match text.strip_prefix('-') {
            Some(body) => (false, body),
            None => (true, text),
        };
        let body = body.strip_prefix('.').unwrap_or(body);
        let mut mask = Mask::default();
        for (at, part) in body.split('.').enumerate().take(MAX_SUB_IDS) {
            if part == "*" {
                mask.open(at);
            }
        }
        let parts: Vec<&str> = body.split('.').map(|part| if part == "*" { "0" } else { part }).collect();
        Ok(Family { subtree: parts.join(".").parse()?, mask, included })
    }
}

impl Mask {
    /// The longest mask: a bit for each sub-identifier that a name may have.
    pub const MAX_OCTETS: usize = MAX_SUB_IDS / 8;

    /// The mask of these octets, as in vacmViewTreeFamilyMask.
    pub fn new(octets: &[u8]) -> Result<Self, MaskTooLongError> {
        let mut mask = Mask { len: octets.len() as u8, ..Mask::default() };
        let place = mask.octets.get_mut(..octets.len()).ok_or(MaskTooLongError { found: octets.len() })?;
        place.copy_from_slice(octets);
        Ok(mask)
    }

    /// The octets, as in vacmViewTreeFamilyMask.
    pub fn octets(&self) -> &[u8] {
        &self.octets[..usize::from(self.len)]
    }

    /// Whether it has no octets, and so leaves nothing open.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the sub-identifier at this position, counted from 0, may be any.
    pub fn is_open(&self, at: usize) -> bool {
        self.octets().get(at / 8).is_some_and(|octet| octet & bit(at) == 0)
    }

    /// Makes a position a wildcard. Beyond [`MAX_SUB_IDS`] there is none.
    fn open(&mut self, at: usize) {
        while usize::from(self.len) <= at / 8 && usize::from(self.len) < Mask::MAX_OCTETS {
            self.octets[usize::from(self.len)] = 0xff;
            self.len += 1;
        }
        if let Some(octet) = self.octets.get_mut(at / 8) {
            *octet &= !bit(at);
        }
    }
}

fn bit(at: usize) -> u8 {
    0x80 >> (at % 8)
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.octets().iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(rules: &[&str]) -> View {
        View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap()
    }

    #[test]
    fn the_longest_rule_decides() {
        let view = view(&["1.3.6", "-1.3.6.5", "1.3.6.5.2.7"]);
        assert!(view.contains(&[1, 3, 6, 1, 0]));
        assert!(!view.contains(&[1, 3, 6, 5, 1, 0]));
        assert!(!view.contains(&[1, 3, 6, 5, 2, 6]));
        assert!(view.contains(&[1, 3, 6, 5, 2, 7, 1]));
        assert!(!view.contains(&[1, 3]));
        assert_eq!(view.coverage(&[1, 3, 6, 1]), Coverage::All);
        assert_eq!(view.coverage(&[1, 3, 6, 5, 1]), Coverage::None);
        assert_eq!(view.coverage(&[1, 3, 6, 5, 2]), Coverage::Some);
        assert_eq!(View::everything().coverage(&[2]), Coverage::All);
        assert_eq!(View::NOTHING.coverage(&[]), Coverage::None);
    }

    /// The row for one interface as in manuals: subtree ifEntry.0.N, mask ff:a0.
    #[test]
    fn the_mask_of_one_row() {
        let row = Family {
            subtree: Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 0, 3]),
            mask: Mask::new(&[0xff, 0xa0]).unwrap(),
            included: true,
        };
        assert_eq!(row.to_string(), "1.3.6.1.2.1.2.2.1.*.3");
        let view = View::NOTHING.with(row.clone());
        assert!(view.contains(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 3]));
        assert!(!view.contains(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 4]));
        assert!(!view.contains(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10]));
        assert_eq!(view.coverage(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10]), Coverage::Some);
        assert_eq!(view.coverage(&[1, 3, 6, 1, 2, 1, 2, 2, 2, 10]), Coverage::None);
        let parsed: Family = "1.3.6.1.2.1.2.2.1.*.3".parse().unwrap();
        assert_eq!(parsed.subtree, row.subtree);
        assert_eq!(parsed.mask.octets(), &[0xff, 0xbf], "behind the subtree the bits are of no account");
        assert!(parsed.matches_like(&row));
    }

    #[test]
    fn a_short_mask_goes_on_with_ones() {
        let family = |octets: &[u8]| Family {
            subtree: Oid::from([1, 2, 3, 4, 5, 6, 7, 8, 9]),
            mask: Mask::new(octets).unwrap(),
            included: true,
        };
        for (octets, name, expected) in [
            (&[][..], [1, 2, 3, 4, 5, 6, 7, 8, 9], true),
            (&[], [0, 2, 3, 4, 5, 6, 7, 8, 9], false),
            (&[0x7f], [0, 2, 3, 4, 5, 6, 7, 8, 9], true),
            (&[0x7f], [0, 2, 3, 4, 5, 6, 7, 8, 0], false),
            (&[0], [0, 0, 0, 0, 0, 0, 0, 0, 9], true),
            (&[0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], true),
        ] {
            assert_eq!(family(octets).matches(&name), expected, "{octets:x?} {name:?}");
        }
        assert_eq!(Mask::new(&[0; 17]), Err(MaskTooLongError { found: 17 }));
    }

    #[test]
    fn of_equally_long_families_the_greatest_decides() {
        let both = |rules: &[&str]| view(rules).contains(&[1, 7, 7]);
        assert!(both(&["-1.*.7", "1.7.*"]), "1.7.0 is greater than 1.0.7");
        assert!(!both(&["1.*.7", "-1.7.*"]));
        assert!(both(&["1.*.7", "-1.*.*"]), "1.0.7 is greater than 1.0.0");
        // The sub-identifier at a wildcard counts in the order.
        let high =
            Family { subtree: Oid::from([1, 9, 0]), mask: Mask::new(&[0x9f]).unwrap(), included: false };
        assert!(!view(&["1.7.7"]).with(high).contains(&[1, 7, 7]));
    }

    #[test]
    fn rules_in_text() {
        for text in ["1.3.6.1", "-1.3", "*", "-1.*.*.4", "1.3.6.1.2.1.2.2.1.*.4294967295"] {
            assert_eq!(text.parse::<Family>().unwrap().to_string(), text);
        }
        assert_eq!("-.1.3".parse::<Family>().unwrap().to_string(), "-1.3");
        assert!(matches!("".parse::<Family>(), Err(ParseOidError::Empty)));
        assert!(matches!("1.**".parse::<Family>(), Err(ParseOidError::SubId { position: 2, .. })));
        assert!(matches!("--1".parse::<Family>(), Err(ParseOidError::SubId { position: 1, .. })));
        let long = vec!["*"; 128].join(".");
        let widest: Family = long.parse().unwrap();
        assert_eq!(widest.mask.octets(), &[0; 16]);
        assert!(matches!(format!("{long}.*").parse::<Family>(), Err(ParseOidError::TooLong(_))));
        let ambiguous = View::of(["1.*".parse().unwrap(), "-1.0".parse().unwrap()]).unwrap_err();
        assert!(ambiguous.to_string().contains("the rules 1.* and -1.0"), "{ambiguous}");
        assert_eq!(view(&["1.*", "-1.*"]).families().len(), 1);
    }
}

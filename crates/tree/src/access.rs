//! The one guard: which objects somebody may see and change.
//!
//! A [`View`] is a set of subtrees (RFC 3415 section 5, families without masks);
//! compiled for a tree it becomes an [`Access`], which decides once per leaf where
//! it can and per instance only where a rule is finer than a leaf.

use trunkline_smi::Oid;

use crate::registry::{LeafId, Tree};

/// Included and excluded subtrees; of several rules for a name the longest decides,
/// of two rules for one subtree the later one, and without a rule nothing is included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    rules: Vec<(Oid, bool)>,
}

/// How much of a leaf's instances a view includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// None of them.
    None,
    /// Some: each instance is to be asked for.
    Some,
    /// All of them.
    All,
}

/// What a principal may read and write, decided for each leaf of one tree.
#[derive(Clone, Debug)]
pub struct Access {
    read: Rights,
    write: View,
}

/// A view, compiled for one tree.
#[derive(Clone, Debug)]
struct Rights {
    leaves: Vec<Coverage>,
    /// The rules that are finer than a leaf, for leaves that are covered in part; ascending by leaf.
    fine: Vec<(LeafId, FineRules)>,
}

/// What of a leaf's instances a view includes.
#[derive(Clone, Debug)]
struct FineRules {
    /// Beginnings of indexes, the longest first.
    rules: Vec<(Oid, bool)>,
    /// What holds for an index that begins with none of them.
    otherwise: bool,
}

impl View {
    /// Nothing.
    pub const NOTHING: View = View { rules: Vec::new() };

    /// Everything.
    pub fn everything() -> Self {
        View::NOTHING.include(Oid::EMPTY)
    }

    /// Adds a subtree.
    #[must_use]
    pub fn include(self, subtree: Oid) -> Self {
        self.rule(subtree, true)
    }

    /// Takes a subtree away.
    #[must_use]
    pub fn exclude(self, subtree: Oid) -> Self {
        self.rule(subtree, false)
    }

    fn rule(mut self, subtree: Oid, included: bool) -> Self {
        self.rules.retain(|(known, _)| *known != subtree);
        self.rules.push((subtree, included));
        // Longest first, so that the first match decides.
        self.rules.sort_by_key(|(subtree, _)| std::cmp::Reverse(subtree.len()));
        self
    }

    /// Whether an instance is in the view.
    pub fn contains(&self, prefix: &[u32], index: &[u32]) -> bool {
        let matches = |subtree: &Oid| {
            let head = subtree.len().min(prefix.len());
            let (front, back) = subtree.split_at(head);
            front == &prefix[..head] && index.starts_with(back)
        };
        self.rules.iter().find(|(subtree, _)| matches(subtree)).is_some_and(|(_, included)| *included)
    }

    fn fine_rules(&self, prefix: &[u32]) -> FineRules {
        let finer = |(subtree, included): &(Oid, bool)| {
            subtree.strip_prefix(prefix).map(|beginning| (Oid::EMPTY.child(beginning), *included))
        };
        FineRules {
            rules: self.rules.iter().filter_map(finer).collect(),
            otherwise: self.contains(prefix, &[]),
        }
    }

    /// How much of the instances below `prefix` is in the view.
    pub fn coverage(&self, prefix: &[u32]) -> Coverage {
        let finer = |(subtree, _): &&(Oid, bool)| subtree.len() > prefix.len() && subtree.starts_with(prefix);
        let whole = self.contains(prefix, &[]);
        if self.rules.iter().filter(finer).any(|(_, included)| *included != whole) {
            Coverage::Some
        } else if whole {
            Coverage::All
        } else {
            Coverage::None
        }
    }
}

impl Access {
    pub(crate) fn new(tree: &Tree, read: View, write: View) -> Self {
        Access { read: Rights::new(tree, &read), write }
    }

    /// How much of a leaf may be read.
    pub(crate) fn may_read(&self, leaf: LeafId) -> Coverage {
        self.read.leaves.get(leaf.position()).copied().unwrap_or(Coverage::None)
    }

    /// Whether an instance of a partly covered leaf may be read.
    pub(crate) fn may_read_instance(&self, leaf: LeafId, index: &[u32]) -> bool {
        let at = self.read.fine.binary_search_by_key(&leaf, |(leaf, _)| *leaf);
        at.is_ok_and(|at| self.read.fine[at].1.include(index))
    }

    /// Whether a name may be written.
    pub(crate) fn may_write(&self, name: &[u32]) -> bool {
        self.write.contains(name, &[])
    }
}

impl Rights {
    fn new(tree: &Tree, view: &View) -> Self {
        let leaves: Vec<Coverage> = tree.leaves().iter().map(|leaf| view.coverage(leaf.oid())).collect();
        let partly = tree.leaves().iter().filter(|leaf| leaves[leaf.id().position()] == Coverage::Some);
        let fine = partly.map(|leaf| (leaf.id(), view.fine_rules(leaf.oid()))).collect();
        Rights { leaves, fine }
    }
}

impl FineRules {
    fn include(&self, index: &[u32]) -> bool {
        let decisive = self.rules.iter().find(|(beginning, _)| index.starts_with(beginning));
        decisive.map_or(self.otherwise, |(_, included)| *included)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_decides() {
        let view = View::NOTHING
            .include(Oid::from([1, 3, 6]))
            .exclude(Oid::from([1, 3, 6, 5]))
            .include(Oid::from([1, 3, 6, 5, 2, 7]));
        assert!(view.contains(&[1, 3, 6, 1], &[0]));
        assert!(!view.contains(&[1, 3, 6, 5, 1], &[0]));
        assert!(!view.contains(&[1, 3, 6, 5, 2], &[6]));
        assert!(view.contains(&[1, 3, 6, 5, 2], &[7, 1]));
        assert!(!view.contains(&[1, 3], &[]));
        assert_eq!(view.coverage(&[1, 3, 6, 1]), Coverage::All);
        assert_eq!(view.coverage(&[1, 3, 6, 5, 1]), Coverage::None);
        assert_eq!(view.coverage(&[1, 3, 6, 5, 2]), Coverage::Some);
        assert_eq!(View::everything().coverage(&[2]), Coverage::All);
        assert_eq!(View::NOTHING.coverage(&[]), Coverage::None);
    }
}

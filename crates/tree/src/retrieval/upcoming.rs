//! Questions to regions that a request will come to: whoever answers several of them may do so at once, as a subagent that reads a
//! row of its table (RFC 2741 section 7.2.1.1).

use trunkline_smi::Oid;

use super::{From, Walker, is_visible};
use crate::{Aim, Coverage, LeafKind, Operation, Query, Question, RegionAnswer, RegionId, Tree};

/// A question that the current request will come to unless it ends before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upcoming {
    /// For which binding of the request.
    binding: usize,
    name: Oid,
    aim: Aim,
    region: RegionId,
    end: Option<Oid>,
    wanted: usize,
}

impl Upcoming {
    /// The question.
    pub fn question(&self) -> Question<'_> {
        Question {
            region: self.region,
            name: &self.name,
            aim: self.aim,
            passed_over: 0,
            end: self.end.as_deref(),
            wanted: self.wanted,
        }
    }
}

impl Walker {
    /// After [`Progress::Ask`](crate::Progress::Ask): what regions will be asked for the bindings behind the current one, at most
    /// so many of them. An answer that is there already is passed to [`Walker::answered_early`].
    pub fn upcoming(&self, tree: &Tree, query: &Query<'_>, most: usize) -> Vec<Upcoming> {
        let names = query.names.len();
        let end = match query.operation {
            Operation::Bulk { non_repeaters, .. } if self.binding < non_repeaters.min(names) => {
                non_repeaters.min(names)
            }
            _ => names,
        };
        let behind = self.binding + 1..end;
        behind.filter_map(|binding| self.upcoming_of(tree, query, binding)).take(most).collect()
    }

    /// Accepts the answer to a question of [`Walker::upcoming`].
    pub fn answered_early(&mut self, upcoming: Upcoming, answer: impl Into<RegionAnswer>) {
        let Upcoming { binding, name, aim, .. } = upcoming;
        self.asking.answered_early(binding, name, aim, answer.into());
    }

    fn upcoming_of(&self, tree: &Tree, query: &Query<'_>, binding: usize) -> Option<Upcoming> {
        let name = query.names.get(binding)?;
        if query.operation == Operation::Get {
            let leaf = tree.leaf_of(name).filter(|leaf| is_visible(leaf, query))?;
            let LeafKind::Region { territory } = leaf.kind() else { return None };
            let index = &name[leaf.oid().len()..];
            let is_hidden = query.access.may_read(leaf.id()) == Coverage::Some
                && !query.access.may_read_instance(leaf.id(), index);
            let region = tree.territory(territory).region_of(name).filter(|_| !is_hidden)?;
            let (name, aim) = (Oid::EMPTY.child(name), Aim::Exactly);
            return Some(Upcoming { binding, name, aim, region, end: None, wanted: 1 });
        }
        let mut cursor = self.cursors.get(binding).copied().unwrap_or_default();
        cursor.begin(tree, name);
        let leaf = tree.leaves().get(cursor.leaf).filter(|leaf| is_visible(leaf, query))?;
        let LeafKind::Region { territory } = leaf.kind() else { return None };
        let behind = match cursor.from {
            From::Row(_) => None,
            From::Passed => Some(&**self.passed.get(binding)?),
            From::Name | From::AfterName => name.get(leaf.oid().len()..),
        };
        if self.asking.has_ahead(binding, leaf.id()) {
            return None;
        }
        let (region, name, aim, end) = tree.territory(territory).search(behind)?;
        Some(Upcoming { binding, name, aim, region, end, wanted: self.asking.wanted })
    }
}

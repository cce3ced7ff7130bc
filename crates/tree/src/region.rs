//! Regions: subtrees that something else answers for, such as a program or another agent.
//!
//! The tree knows where they are and audits their answers, but does not fetch them:
//! [`Walker::advance`](crate::Walker::advance) stops with [`Progress::Ask`](crate::Progress::Ask), the caller
//! finds the answer to the [`Question`], and passes it to [`Walker::answered`](crate::Walker::answered).
//!
//! A region shadows every object below its root, and a region within another one takes its part out of the outer
//! one. The list of leaves has one leaf per outermost region; [`Territory`] maps its parts to regions.

use std::sync::Arc;

use trunkline_smi::schema::{MaxAccess, Syntax};
use trunkline_smi::{Oid, Value, ValueKind};

use crate::RegisterError;
use crate::leaf::{GroupId, Leaf, LeafId, LeafKind};
use crate::{Coverage, Progress, Query, SetError, SetItem, SetTransaction};
use trunkline_smi::Exception;

/// Which region; its position in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(u16);

/// What the tree itself requests of a region: sets. For retrieval see [`Question`].
pub trait Region: Send + Sync + 'static {
    /// First phase of a set: checks what can be checked without changing anything.
    ///
    /// The tree has already checked access. All items of a request that belong to this region come in one call;
    /// [`SetItem::object`] is the region's root and the index the rest of the name. Called outside the request
    /// path: it may block. The commit may refuse too, and its refusal is reported as it is, not as commitFailed.
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError>;
}

/// A walker's question to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question<'w> {
    /// The region to ask.
    pub region: RegionId,
    /// The name: the region's root, or a name below it.
    pub name: &'w [u32],
    /// Which instance is wanted.
    pub aim: Aim,
    /// How many answers this search has skipped already, because the principal may not see them. Whoever answers
    /// may limit it, and so the time that a request takes.
    pub passed_over: usize,
}

/// Which instance is wanted of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The one of this name (Get).
    Exactly,
    /// The first one after the name (GetNext).
    Behind,
    /// The one with this name or else the first one after it: for a search that enters the region from before
    /// (AgentX calls it `include`, RFC 2741 section 5.2). A region that cannot distinguish it from
    /// [`Aim::Behind`] misses an instance whose name is exactly the region's root, which exists in theory.
    AtOrBehind,
}

/// A region's answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionAnswer {
    /// The instance. A name outside the region, or one that does not match the question, counts as
    /// [`RegionAnswer::Nothing`].
    Instance(Oid, Value),
    /// No such instance; after a GetNext: none after the name.
    Nothing,
    /// Not even such an object type: only an agent that serves the region can tell.
    NoSuchObject,
}

impl From<Option<(Oid, Value)>> for RegionAnswer {
    fn from(found: Option<(Oid, Value)>) -> Self {
        found.map_or(RegionAnswer::Nothing, |(name, value)| RegionAnswer::Instance(name, value))
    }
}

impl RegionId {
    /// The region's position in the order of registration.
    pub fn position(self) -> usize {
        usize::from(self.0)
    }
}

/// A region before the tree is built.
pub(crate) struct Registration {
    pub root: Oid,
    /// Of several with one root, the lowest answers (as with Net-SNMP).
    pub priority: u8,
    pub region: Arc<dyn Region>,
}

/// An outermost region and those within it.
#[derive(Debug)]
pub(crate) struct Territory {
    root: Oid,
    /// Side by side and ascending, without gaps.
    pieces: Vec<Piece>,
}

/// Names that one region answers for.
#[derive(Debug)]
struct Piece {
    region: RegionId,
    /// The first name.
    start: Oid,
    /// After the last name; `None`: there is no end.
    end: Option<Oid>,
}

impl Piece {
    /// Whether it ends before a name.
    fn ends_before(&self, name: &[u32]) -> bool {
        self.end.as_ref().is_some_and(|end| **end <= *name)
    }
}

impl Territory {
    /// What answers for a name of this territory.
    pub fn region_of(&self, name: &[u32]) -> Option<RegionId> {
        self.pieces.get(self.piece_of(name)).map(|piece| piece.region)
    }

    /// The piece that holds a name of this territory.
    fn piece_of(&self, name: &[u32]) -> usize {
        self.pieces.partition_point(|piece| *piece.start <= *name).saturating_sub(1)
    }

    /// `nested` are all regions at or below `root`, each root once.
    fn new(root: Oid, nested: &[(Oid, RegionId)]) -> Self {
        let end = behind(&root);
        let mut starts: Vec<Oid> = nested.iter().map(|(root, _)| root.clone()).collect();
        starts.extend(nested.iter().filter_map(|(root, _)| behind(root)));
        starts.retain(|start| end.as_ref().is_none_or(|end| start < end));
        starts.sort();
        starts.dedup();
        let mut pieces: Vec<Piece> = Vec::new();
        for start in starts {
            let Some((_, region)) = longest(nested, &start) else { continue };
            if let Some(last) = pieces.last_mut() {
                if last.region == *region {
                    continue;
                }
                last.end = Some(start.clone());
            }
            pieces.push(Piece { region: *region, start, end: end.clone() });
        }
        Territory { root, pieces }
    }
}

/// The region with the longest root that a name begins with.
fn longest<'r>(regions: &'r [(Oid, RegionId)], name: &[u32]) -> Option<&'r (Oid, RegionId)> {
    regions.iter().filter(|(root, _)| name.starts_with(root)).max_by_key(|(root, _)| root.len())
}

/// The first name after a subtree; `None` if there is none.
fn behind(root: &Oid) -> Option<Oid> {
    let last = root.iter().rposition(|sub_id| *sub_id < u32::MAX)?;
    Some(Oid::EMPTY.child(&root[..last]).child(&[root[last] + 1]))
}

/// The territories of these regions in the order of their roots, and the leaves of the objects that stay.
pub(crate) fn settle(
    registrations: &[Registration],
    leaves: Vec<Leaf>,
) -> Result<(Vec<Territory>, Vec<Leaf>), RegisterError> {
    let all = registrations.iter().enumerate();
    let mut regions: Vec<(Oid, u8, RegionId)> =
        all.map(|(at, one)| (one.root.clone(), one.priority, RegionId(at as u16))).collect();
    regions.sort();
    regions.dedup_by(|later, first| later.0 == first.0);
    let regions: Vec<(Oid, RegionId)> = regions.into_iter().map(|(root, _, id)| (root, id)).collect();
    let mut territories: Vec<Territory> = Vec::new();
    let mut at = 0;
    while let Some((root, _)) = regions.get(at) {
        let nested = regions[at..].iter().take_while(|(inner, _)| inner.starts_with(root)).count();
        territories.push(Territory::new(root.clone(), &regions[at..at + nested]));
        at += nested;
    }
    let stays = |leaf: &Leaf| !territories.iter().any(|territory| is_shadowed(leaf, &territory.root));
    let mut leaves: Vec<Leaf> = leaves.into_iter().filter(stays).collect();
    for (at, territory) in territories.iter().enumerate() {
        if let Some(leaf) = leaves.iter().find(|leaf| territory.root.starts_with(leaf.oid())) {
            let (root, name) = (territory.root.clone(), leaf.name());
            return Err(RegisterError::RegionInObject { root, name });
        }
        leaves.push(leaf_of(at, territory));
    }
    Ok((territories, leaves))
}

/// Whether a region replaces a leaf: it is below the root, or it is a scalar and the root is its instance.
fn is_shadowed(leaf: &Leaf, root: &[u32]) -> bool {
    let instance = root.strip_prefix(leaf.oid());
    leaf.oid().starts_with(root)
        || matches!(leaf.kind(), LeafKind::Scalar { .. }) && instance.is_some_and(|behind| behind == [0])
}

fn leaf_of(at: usize, territory: &Territory) -> Leaf {
    Leaf {
        id: LeafId::FIRST,
        oid: territory.root.clone(),
        name: "region",
        // Of no meaning: a region's values are of any type.
        syntax: Syntax::OCTET_STRING,
        access: MaxAccess::ReadWrite,
        group: GroupId::NONE,
        kind: LeafKind::Region { territory: at as u16 },
    }
}

/// A walker's question and its answer.
#[derive(Debug)]
pub(crate) struct Asking {
    state: State,
    /// The last question's name.
    name: Oid,
    aim: Aim,
    /// The part of the territory in question.
    piece: usize,
    passed_over: usize,
    /// The instance that was found last.
    pub found: Option<(Oid, Value)>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    Asked(RegionId),
    Answered(RegionAnswer),
}

/// The verdict on an answer.
enum Verdict {
    Found(Oid, Value),
    /// Its type is unknown to the requesting protocol; the search continues after it.
    PassOver(Oid),
    /// Not visible; the search continues at the first name that may be, or ends with the territory.
    Hidden(Option<Oid>),
    /// Nothing more in this piece.
    End,
}

impl Default for Asking {
    fn default() -> Self {
        let (name, aim) = (Oid::EMPTY, Aim::Exactly);
        Asking { state: State::Idle, name, aim, piece: 0, passed_over: 0, found: None }
    }
}

impl Asking {
    pub fn reset(&mut self) {
        self.state = State::Idle;
        self.found = None;
    }

    pub fn question(&self) -> Option<Question<'_>> {
        let State::Asked(region) = self.state else { return None };
        Some(Question { region, name: &self.name, aim: self.aim, passed_over: self.passed_over })
    }

    pub fn answered(&mut self, answer: RegionAnswer) {
        if let State::Asked(_) = self.state {
            self.state = State::Answered(answer);
        }
    }

    /// The sub-identifiers of the found instance after its leaf.
    pub fn found_behind(&self, leaf: &[u32]) -> &[u32] {
        self.found.as_ref().and_then(|(name, _)| name.get(leaf.len()..)).unwrap_or(&[])
    }

    /// Whether this instance is there; `found` has it.
    #[cold]
    pub fn exactly(
        &mut self,
        territory: &Territory,
        query: &Query<'_>,
        name: &[u32],
    ) -> Result<Result<(), Exception>, Progress> {
        match std::mem::take(&mut self.state) {
            State::Answered(RegionAnswer::Instance(found, value)) => {
                let is_it = *found == *name && is_known(query, &value);
                self.found = is_it.then_some((found, value));
                Ok(if is_it { Ok(()) } else { Err(Exception::NoSuchInstance) })
            }
            State::Answered(RegionAnswer::Nothing) => Ok(Err(Exception::NoSuchInstance)),
            State::Answered(RegionAnswer::NoSuchObject) => Ok(Err(Exception::NoSuchObject)),
            State::Idle | State::Asked(_) => {
                self.passed_over = 0;
                Err(self.ask(territory, territory.piece_of(name), Oid::EMPTY.child(name), Aim::Exactly))
            }
        }
    }

    /// Whether there is a visible instance after the root and these sub-identifiers (`None`: from the start);
    /// `found` holds it.
    #[cold]
    pub fn next(
        &mut self,
        territory: &Territory,
        query: &Query<'_>,
        leaf: &Leaf,
        behind: Option<&[u32]>,
    ) -> Result<bool, Progress> {
        let State::Answered(answer) = std::mem::take(&mut self.state) else {
            self.passed_over = 0;
            let Some(behind) = behind else { return self.enter(territory, 0) };
            let name = territory.root.child(behind);
            return Err(self.ask(territory, territory.piece_of(&name), name, Aim::Behind));
        };
        match self.judge(territory, query, leaf, answer) {
            Verdict::Found(name, value) => {
                self.found = Some((name, value));
                Ok(true)
            }
            Verdict::PassOver(name) => {
                self.passed_over += 1;
                Err(self.ask(territory, self.piece, name, Aim::Behind))
            }
            Verdict::Hidden(Some(name)) => {
                self.passed_over += 1;
                Err(self.ask(territory, territory.piece_of(&name), name, Aim::AtOrBehind))
            }
            Verdict::Hidden(None) => Ok(false),
            Verdict::End => self.enter(territory, self.piece + 1),
        }
    }

    /// The audit: an answer must be greater than the requested name and within the region.
    fn judge(&self, territory: &Territory, query: &Query<'_>, leaf: &Leaf, answer: RegionAnswer) -> Verdict {
        let (RegionAnswer::Instance(name, value), Some(piece)) = (answer, territory.pieces.get(self.piece))
        else {
            return Verdict::End;
        };
        if name < self.name || name == self.name && self.aim != Aim::AtOrBehind || piece.ends_before(&name) {
            return Verdict::End;
        }
        let Some(index) = name.strip_prefix(&*territory.root) else { return Verdict::End };
        if query.access.may_read(leaf.id()) != Coverage::All {
            let Some(rules) = query.access.fine(leaf.id()) else { return Verdict::Hidden(None) };
            if !rules.include(index) {
                return Verdict::Hidden(rules.bound(index).map(|bound| territory.root.child(&bound)));
            }
        }
        if is_known(query, &value) { Verdict::Found(name, value) } else { Verdict::PassOver(name) }
    }

    fn enter(&mut self, territory: &Territory, piece: usize) -> Result<bool, Progress> {
        match territory.pieces.get(piece) {
            Some(next) => Err(self.ask(territory, piece, next.start.clone(), Aim::AtOrBehind)),
            None => Ok(false),
        }
    }

    fn ask(&mut self, territory: &Territory, piece: usize, name: Oid, aim: Aim) -> Progress {
        // Every territory has a first piece.
        let region = territory.pieces.get(piece).map_or(RegionId(0), |piece| piece.region);
        (self.piece, self.name, self.aim) = (piece, name, aim);
        self.state = State::Asked(region);
        Progress::Ask(region)
    }
}

/// Whether the request's protocol knows the type.
fn is_known(query: &Query<'_>, value: &Value) -> bool {
    !(query.without_counter64 && value.kind() == ValueKind::Counter64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn territory(roots: &[&[u32]]) -> Territory {
        let nested: Vec<(Oid, RegionId)> = roots
            .iter()
            .enumerate()
            .map(|(at, root)| (Oid::new(root).unwrap(), RegionId(at as u16)))
            .collect();
        Territory::new(nested[0].0.clone(), &nested)
    }

    #[test]
    fn a_region_within_a_region_splits_it() {
        let split = territory(&[&[1, 5], &[1, 5, 7], &[1, 5, 7, 3], &[1, 5, 8], &[1, 5, u32::MAX]]);
        let owner = |name: &[u32]| split.region_of(name).unwrap().position();
        let all = [
            (&[1, 5][..], 0),
            (&[1, 5, 6, 9], 0),
            (&[1, 5, 7], 1),
            (&[1, 5, 7, 2, 4], 1),
            (&[1, 5, 7, 3], 2),
            (&[1, 5, 7, 3, 9], 2),
            (&[1, 5, 7, 4], 1),
            (&[1, 5, 8, 1], 3),
            (&[1, 5, 9], 0),
            (&[1, 5, u32::MAX, 2], 4),
        ];
        for (name, region) in all {
            assert_eq!(owner(name), region, "{name:?}");
        }
        assert_eq!(split.pieces.len(), 7);
        for pair in split.pieces.windows(2) {
            assert_eq!(pair[0].end.as_ref(), Some(&pair[1].start));
            assert!(pair[0].start < pair[1].start && pair[0].region != pair[1].region);
        }
    }

    #[test]
    fn ends_of_subtrees() {
        assert_eq!(behind(&Oid::from([1, 3])), Some(Oid::from([1, 4])));
        assert_eq!(behind(&Oid::from([1, u32::MAX, u32::MAX])), Some(Oid::from([2])));
        assert_eq!(behind(&Oid::from([u32::MAX])), None);
        assert_eq!(behind(&Oid::EMPTY), None);
    }
}

//! Regions: subtrees that something else answers for, such as a program or another agent.
//!
//! The tree knows where they are and audits their answers, but does not fetch them:
//! [`Walker::advance`](crate::Walker::advance) stops with [`Progress::Ask`](crate::Progress::Ask), the caller
//! finds the answer to the [`Question`], and passes it to [`Walker::answered`](crate::Walker::answered).
//!
//! A region shadows every object below its root, and a region within another one takes its part out of the outer
//! one. The list of leaves has one leaf per outermost region; [`Territory`] maps its parts to regions.
//!
//! A region *beside* objects leaves those below its root where they are, and answers for the names in between. There
//! the list has a leaf for each gap: its OID is the region's root, and its place that of the gap's first name.

use std::collections::VecDeque;
use std::sync::Arc;

use trunkline_smi::schema::{MaxAccess, Syntax};
use trunkline_smi::{Oid, Value, ValueKind};

use crate::RegisterError;
use crate::leaf::{GroupId, Leaf, LeafId, LeafKind};
use crate::{Coverage, Progress, Query, SetError, SetItem, SetTransaction};
use trunkline_smi::Exception;

/// Which region; its position in the order of registration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// The first name that the region does not answer for any more; `None`: there is no end.
    pub end: Option<&'w [u32]>,
    /// How many instances in a row are of use, at least 1: more than one in a GetBulk. See [`RegionAnswer::Run`].
    pub wanted: usize,
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
    /// The first instances after the name, ascending and without gaps; for a search only. More than are wanted may
    /// come, or fewer: the region is asked again for what is missing.
    Run {
        /// The instances. As soon as one is not greater than the one before, the rest counts as missing.
        found: VecDeque<(Oid, Value)>,
        /// Whether nothing follows the last one before the question's end.
        is_all: bool,
    },
}

impl From<Option<(Oid, Value)>> for RegionAnswer {
    fn from(found: Option<(Oid, Value)>) -> Self {
        found.map_or(RegionAnswer::Nothing, |(name, value)| RegionAnswer::Instance(name, value))
    }
}

impl RegionId {
    /// By the order of registration.
    pub(crate) fn at(position: usize) -> Self {
        RegionId(position as u16)
    }

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
    /// Whether it leaves the objects below its root where they are.
    pub is_beside: bool,
    pub region: Arc<dyn Region>,
}

/// What a tree has where a region would answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Neither an object nor a part of one. There may be objects below.
    Free,
    /// An object, or the only instance of a scalar.
    Object,
    /// Some instances of an object: no region can have them.
    Inside,
}

/// An outermost region and those within it, or the part of them that is in a gap between objects.
#[derive(Debug)]
pub(crate) struct Territory {
    root: Oid,
    /// Side by side and ascending, without gaps. Never empty.
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
    /// The question for the first instance behind these sub-identifiers after the root, or of all.
    pub fn search(&self, behind: Option<&[u32]>) -> Option<(RegionId, Oid, Aim, Option<Oid>)> {
        let (name, aim) = match behind {
            Some(behind) => (self.root.child(behind), Aim::Behind),
            None => (self.pieces.first()?.start.clone(), Aim::AtOrBehind),
        };
        let piece = self.pieces.get(self.piece_of(&name))?;
        Some((piece.region, name, aim, piece.end.clone()))
    }

    /// What answers for a name of this territory.
    pub fn region_of(&self, name: &[u32]) -> Option<RegionId> {
        self.pieces.get(self.piece_of(name)).map(|piece| piece.region)
    }

    /// The piece that holds a name of this territory.
    fn piece_of(&self, name: &[u32]) -> usize {
        self.pieces.partition_point(|piece| *piece.start <= *name).saturating_sub(1)
    }

    /// Where a name is that no object holds.
    pub fn place(&self, name: &[u32]) -> std::cmp::Ordering {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match (self.pieces.first(), self.pieces.last()) {
            (Some(first), _) if *name < *first.start => Less,
            (_, Some(last)) if last.ends_before(name) => Greater,
            _ => Equal,
        }
    }

    /// `nested` are all regions at or below `root`, each root once.
    fn new(root: Oid, nested: &[(Oid, RegionId)]) -> Self {
        let (start, end) = (root.clone(), behind(&root));
        Territory::between(root, nested, start, end)
    }

    /// The same of the names from `first` on, before `end`.
    fn between(root: Oid, nested: &[(Oid, RegionId)], first: Oid, end: Option<Oid>) -> Self {
        let mut starts: Vec<Oid> = nested.iter().map(|(root, _)| root.clone()).collect();
        starts.extend(nested.iter().filter_map(|(root, _)| behind(root)));
        starts.retain(|start| *start > first && end.as_ref().is_none_or(|end| start < end));
        starts.push(first);
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

/// What is left of the leaves of objects, and the leaves of regions.
pub(crate) struct Settled {
    pub territories: Vec<Territory>,
    /// Objects and outermost regions, ascending; none is inside of another one.
    pub whole: Vec<Leaf>,
    /// Gaps between them, ascending by the names in them.
    pub gaps: Vec<Leaf>,
}

/// Settles who answers where.
pub(crate) fn settle(registrations: &[Registration], leaves: Vec<Leaf>) -> Result<Settled, RegisterError> {
    let (shadowing, beside) = by_root(registrations);
    let mut territories: Vec<Territory> = Vec::new();
    for (root, nested) in outermost(&shadowing) {
        territories.push(Territory::new(root.clone(), nested));
    }
    let stays = |leaf: &Leaf| !territories.iter().any(|territory| is_shadowed(leaf, &territory.root));
    let mut whole: Vec<Leaf> = leaves.into_iter().filter(stays).collect();
    let roots =
        territories.iter().map(|territory| &territory.root).chain(beside.iter().map(|(root, _)| root));
    for root in roots {
        if let Some(leaf) = whole.iter().find(|leaf| root.starts_with(leaf.oid())) {
            return Err(RegisterError::RegionInObject { root: root.clone(), name: leaf.name() });
        }
    }
    whole.extend(territories.iter().enumerate().map(|(at, territory)| leaf_of(at, territory)));
    whole.sort_by(|a, b| a.oid.cmp(&b.oid));
    let mut gaps = Vec::new();
    for (root, nested) in outermost(&beside) {
        let first = whole.partition_point(|leaf| leaf.oid < *root);
        let inside =
            whole[first..].iter().take_while(|leaf| leaf.oid.starts_with(root)).map(|leaf| &leaf.oid);
        for (start, end) in between(root, inside) {
            let gap = Territory::between(root.clone(), nested, start, end);
            gaps.push(leaf_of(territories.len(), &gap));
            territories.push(gap);
        }
    }
    Ok(Settled { territories, whole, gaps })
}

/// Regions by their roots, ascending, each root once.
type ByRoot = Vec<(Oid, RegionId)>;

/// Which region has which root: those that shadow objects, with all that are within them, and those beside objects.
fn by_root(registrations: &[Registration]) -> (ByRoot, ByRoot) {
    let all = registrations.iter().enumerate();
    let mut all: Vec<(&Oid, u8, bool, RegionId)> =
        all.map(|(at, one)| (&one.root, one.priority, one.is_beside, RegionId::at(at))).collect();
    all.sort();
    all.dedup_by(|later, first| later.0 == first.0);
    let (mut shadowing, mut beside): (ByRoot, ByRoot) = Default::default();
    let mut outer: Option<&Oid> = None;
    for (root, _, is_beside, id) in all {
        // What is within a region that shadows has no objects to leave in their places.
        let is_within = outer.is_some_and(|outer| root.starts_with(outer));
        if is_beside && !is_within {
            beside.push((root.clone(), id));
            continue;
        }
        shadowing.push((root.clone(), id));
        if !is_within {
            outer = Some(root);
        }
    }
    (shadowing, beside)
}

/// Each outermost root with all regions at or below it.
fn outermost(regions: &ByRoot) -> impl Iterator<Item = (&Oid, &[(Oid, RegionId)])> {
    let mut rest = &regions[..];
    std::iter::from_fn(move || {
        let (root, _) = rest.first()?;
        let (nested, behind) =
            rest.split_at(rest.iter().take_while(|(inner, _)| inner.starts_with(root)).count());
        rest = behind;
        Some((root, nested))
    })
}

/// The names below a root that are in none of the subtrees, as first names and ends.
fn between<'l>(root: &Oid, inside: impl Iterator<Item = &'l Oid>) -> Vec<(Oid, Option<Oid>)> {
    let mut gaps = Vec::new();
    let mut start = Some(root.clone());
    for subtree in inside {
        if let Some(start) = start.filter(|start| start < subtree) {
            gaps.push((start, Some(subtree.clone())));
        }
        start = behind(subtree);
    }
    let end = behind(root);
    if let Some(start) = start.filter(|start| end.as_ref().is_none_or(|end| start < end)) {
        gaps.push((start, end));
    }
    gaps
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
    /// The part of the territory in question, and where it ends.
    piece: usize,
    end: Option<Oid>,
    passed_over: usize,
    /// How many instances in a row are of use.
    pub wanted: usize,
    /// The instance that was found last.
    pub found: Option<(Oid, Value)>,
    /// What has come in runs and was not used yet.
    ahead: Vec<Ahead>,
    /// Answers to questions before they were asked.
    early: Vec<Early>,
}

/// An answer to a question that the request will come to.
#[derive(Debug)]
struct Early {
    binding: usize,
    name: Oid,
    aim: Aim,
    answer: RegionAnswer,
}

/// The rest of a run.
#[derive(Debug)]
struct Ahead {
    /// The binding that it was fetched for ...
    binding: usize,
    /// ... in this part ...
    piece: usize,
    /// ... of this leaf.
    leaf: LeafId,
    rest: VecDeque<(Oid, Value)>,
    is_all: bool,
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
        Asking {
            state: State::Idle,
            name: Oid::EMPTY,
            aim: Aim::Exactly,
            piece: 0,
            end: None,
            passed_over: 0,
            wanted: 1,
            found: None,
            ahead: Vec::new(),
            early: Vec::new(),
        }
    }
}

impl Asking {
    pub fn reset(&mut self) {
        self.state = State::Idle;
        self.found = None;
        self.wanted = 1;
        self.ahead.clear();
        self.early.clear();
    }

    pub fn question(&self) -> Option<Question<'_>> {
        let State::Asked(region) = self.state else { return None };
        let (name, end) = (&*self.name, self.end.as_deref());
        let (aim, passed_over, wanted) = (self.aim, self.passed_over, self.wanted);
        Some(Question { region, name, aim, passed_over, end, wanted })
    }

    pub fn answered(&mut self, answer: RegionAnswer) {
        if let State::Asked(_) = self.state {
            self.state = State::Answered(answer);
        }
    }

    /// Keeps an answer until its question is due.
    pub fn answered_early(&mut self, binding: usize, name: Oid, aim: Aim, answer: RegionAnswer) {
        self.early.retain(|early| early.binding != binding);
        self.early.push(Early { binding, name, aim, answer });
    }

    /// Whether the next instance of this binding is known, or that there is none.
    pub fn has_ahead(&self, binding: usize, leaf: LeafId) -> bool {
        let mut of_this = self.ahead.iter().filter(|ahead| (ahead.binding, ahead.leaf) == (binding, leaf));
        of_this.any(|ahead| !ahead.rest.is_empty() || ahead.is_all)
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
        binding: usize,
    ) -> Result<Result<(), Exception>, Progress> {
        let answer = match std::mem::take(&mut self.state) {
            State::Answered(answer) => answer,
            State::Idle | State::Asked(_) => {
                self.passed_over = 0;
                let piece = territory.piece_of(name);
                self.ask(territory, piece, Oid::EMPTY.child(name), Aim::Exactly, binding)?
            }
        };
        Ok(match answer {
            RegionAnswer::Instance(found, value) => {
                let is_it = *found == *name && is_known(query, &value);
                self.found = is_it.then_some((found, value));
                if is_it { Ok(()) } else { Err(Exception::NoSuchInstance) }
            }
            RegionAnswer::Nothing | RegionAnswer::Run { .. } => Err(Exception::NoSuchInstance),
            RegionAnswer::NoSuchObject => Err(Exception::NoSuchObject),
        })
    }

    /// Whether there is a visible instance after the root and these sub-identifiers (`None`: from the start);
    /// `found` holds it. `binding` is the one that is searched for.
    #[cold]
    pub fn next(
        &mut self,
        territory: &Territory,
        query: &Query<'_>,
        leaf: &Leaf,
        behind: Option<&[u32]>,
        binding: usize,
    ) -> Result<bool, Progress> {
        let mut answer = match std::mem::take(&mut self.state) {
            State::Answered(answer) => answer,
            State::Idle | State::Asked(_) => {
                self.passed_over = 0;
                if let Some(behind) = behind {
                    if self.is_next_of_run(territory, query, leaf, behind, binding) {
                        return Ok(true);
                    }
                    let name = territory.root.child(behind);
                    self.go_on(territory, leaf, binding, name, Aim::Behind)?
                } else {
                    let Some(answer) = self.enter(territory, 0, binding)? else { return Ok(false) };
                    answer
                }
            }
        };
        loop {
            if let RegionAnswer::Run { found, is_all } = answer {
                answer = self.keep(leaf, binding, found, is_all);
            }
            let (name, aim) = match self.judge(territory, query, leaf, answer) {
                Verdict::Found(name, value) => {
                    self.found = Some((name, value));
                    return Ok(true);
                }
                Verdict::PassOver(name) => (name, Aim::Behind),
                Verdict::Hidden(Some(name)) if territory.place(&name).is_eq() => (name, Aim::AtOrBehind),
                Verdict::Hidden(_) => return Ok(false),
                Verdict::End => {
                    let next = self.enter(territory, self.piece + 1, binding)?;
                    let Some(next) = next else { return Ok(false) };
                    answer = next;
                    continue;
                }
            };
            self.passed_over += 1;
            answer = self.go_on(territory, leaf, binding, name, aim)?;
        }
    }

    /// Takes the first of a run's rest if nothing speaks against it, which is what mostly happens and costs least.
    fn is_next_of_run(
        &mut self,
        territory: &Territory,
        query: &Query<'_>,
        leaf: &Leaf,
        behind: &[u32],
        binding: usize,
    ) -> bool {
        let of_this = |ahead: &&mut Ahead| (ahead.binding, ahead.leaf) == (binding, leaf.id());
        let Some(ahead) = self.ahead.iter_mut().find(of_this) else { return false };
        let Some((name, value)) = ahead.rest.front() else { return false };
        let index = name.strip_prefix(&*territory.root).filter(|index| *index > behind);
        let piece = territory.pieces.get(ahead.piece);
        let is_next = index.is_some()
            && piece.is_some_and(|piece| !piece.ends_before(name))
            && query.access.may_read(leaf.id()) == Coverage::All
            && is_known(query, value);
        if is_next {
            self.found = ahead.rest.pop_front();
        }
        is_next
    }

    /// The answer to a question that the rest of a run has; otherwise the region must be asked.
    fn go_on(
        &mut self,
        territory: &Territory,
        leaf: &Leaf,
        binding: usize,
        name: Oid,
        aim: Aim,
    ) -> Result<RegionAnswer, Progress> {
        let piece = territory.piece_of(&name);
        let of_this =
            |ahead: &&mut Ahead| (ahead.binding, ahead.piece, ahead.leaf) == (binding, piece, leaf.id());
        let Some(ahead) = self.ahead.iter_mut().find(of_this) else {
            return self.ask(territory, piece, name, aim, binding);
        };
        while ahead.rest.front().is_some_and(|(next, _)| *next < name || *next == name && aim == Aim::Behind)
        {
            ahead.rest.pop_front();
        }
        match ahead.rest.pop_front() {
            Some((next, value)) => {
                (self.piece, self.name, self.aim) = (piece, name, aim);
                Ok(RegionAnswer::Instance(next, value))
            }
            None if ahead.is_all => {
                (self.piece, self.name, self.aim) = (piece, name, aim);
                Ok(RegionAnswer::Nothing)
            }
            None => self.ask(territory, piece, name, aim, binding),
        }
    }

    /// The first instance of a run; the rest is kept for the next questions of this binding.
    fn keep(
        &mut self,
        leaf: &Leaf,
        binding: usize,
        mut rest: VecDeque<(Oid, Value)>,
        is_all: bool,
    ) -> RegionAnswer {
        let first = rest.pop_front();
        let before = first.iter().chain(&rest);
        let sound = rest.iter().zip(before).take_while(|((name, _), (before, _))| name > before).count();
        let is_all = is_all && sound == rest.len();
        rest.truncate(sound);
        self.ahead.retain(|ahead| ahead.binding != binding);
        self.ahead.push(Ahead { binding, piece: self.piece, leaf: leaf.id(), rest, is_all });
        first.into()
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

    /// The first instance of a part of the territory; `None` behind the last part.
    fn enter(
        &mut self,
        territory: &Territory,
        piece: usize,
        binding: usize,
    ) -> Result<Option<RegionAnswer>, Progress> {
        let Some(next) = territory.pieces.get(piece) else { return Ok(None) };
        self.ask(territory, piece, next.start.clone(), Aim::AtOrBehind, binding).map(Some)
    }

    /// The answer, if it has come early.
    fn ask(
        &mut self,
        territory: &Territory,
        piece: usize,
        name: Oid,
        aim: Aim,
        binding: usize,
    ) -> Result<RegionAnswer, Progress> {
        // Every territory has a first piece.
        let region = territory.pieces.get(piece).map_or(RegionId(0), |piece| piece.region);
        (self.piece, self.name, self.aim) = (piece, name, aim);
        self.end = territory.pieces.get(piece).and_then(|piece| piece.end.clone());
        let of_this = |early: &Early| early.binding == binding && early.aim == aim && early.name == self.name;
        if let Some(at) = self.early.iter().position(of_this) {
            return Ok(self.early.swap_remove(at).answer);
        }
        self.state = State::Asked(region);
        Err(Progress::Ask(region))
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

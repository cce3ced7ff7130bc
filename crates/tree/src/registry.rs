//! The registry: every object of every group in one ordered list of leaves, and
//! the groups with their snapshots.

use std::cmp::Ordering;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use trunkline_smi::Oid;
use trunkline_smi::schema::MaxAccess;

use crate::leaf::{GroupId, Leaf, LeafId, LeafKind};
use crate::leaf_search::{LeafSearch, Place};
use crate::region::{self, Claim, Region, RegionId, Registration, Settled, Territory};
use crate::tables::{self, ServedTable, TableId};
use crate::{Access, Freshness, Loaded, Provider, RegisterError, Snapshot, SourceError, View};

/// The tree: groups, their snapshots, and the leaves in order.
pub struct Tree {
    leaves: Vec<Leaf>,
    /// Finds a leaf that is not a gap, by its number among those.
    search: LeafSearch,
    /// Where those are among all leaves; `None` where there are no gaps.
    whole: Option<Vec<u32>>,
    groups: Vec<Arc<GroupState>>,
    tables: Vec<ServedTable>,
    territories: Vec<Territory>,
    regions: Vec<Arc<dyn Region>>,
    /// One set at a time.
    setting: Arc<Mutex<()>>,
    epoch: Instant,
}

pub(crate) struct GroupState {
    pub(crate) provider: Arc<dyn Provider>,
    held: ArcSwapOption<Held>,
    /// One load at a time.
    loading: Mutex<()>,
    /// Nanoseconds, or one of the two marks below.
    freshness: AtomicU64,
    /// Snapshots taken before this moment (nanoseconds since the epoch) no longer count.
    invalidated: AtomicU64,
}

const PER_OBJECT: u64 = u64::MAX;
const PER_REQUEST: u64 = u64::MAX - 1;

/// A snapshot and when reading it began.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) taken: u64,
}

/// Collects providers.
#[derive(Default)]
pub struct TreeBuilder {
    groups: Vec<Arc<GroupState>>,
    regions: Vec<Registration>,
    setting: Arc<Mutex<()>>,
    /// Of the tree whose groups these are.
    epoch: Option<Instant>,
}

impl TreeBuilder {
    /// Adds a provider and how fresh its group's data must be.
    pub fn provider(&mut self, provider: Arc<dyn Provider>, freshness: Freshness) -> &mut Self {
        self.groups.push(Arc::new(GroupState::new(provider, freshness)));
        self
    }

    /// Adds a subtree that a region answers for; it shadows every object below its root. Of two regions the one
    /// with the longer root answers, of two with one root that of the lower `priority`, then the first. IDs are
    /// assigned in order, starting with 0.
    pub fn region(&mut self, root: Oid, priority: u8, region: Arc<dyn Region>) -> &mut Self {
        self.regions.push(Registration { root, priority, is_beside: false, region });
        self
    }

    /// Adds a region that leaves the objects below its root where they are and answers for the names in between.
    /// Otherwise as [`TreeBuilder::region`]; no object may hold the root itself.
    pub fn region_beside(&mut self, root: Oid, priority: u8, region: Arc<dyn Region>) -> &mut Self {
        self.regions.push(Registration { root, priority, is_beside: true, region });
        self
    }

    /// The tree. `now` is the moment from which it counts, unless its groups come from another tree.
    pub fn build(self, now: Instant) -> Result<Tree, RegisterError> {
        let mut leaves = Vec::new();
        for (position, group) in self.groups.iter().enumerate() {
            register(&mut leaves, GroupId(position as u16), group.provider.as_ref());
        }
        let Settled { territories, whole, gaps } = region::settle(&self.regions, leaves)?;
        self.check_overlaps(&whole)?;
        let search = LeafSearch::new(&whole.iter().map(|leaf| &*leaf.oid).collect());
        let (leaves, whole) = merge(whole, gaps, &territories);
        let tables = tables::served(self.groups.iter().map(|group| group.provider.group()), &leaves);
        let regions = self.regions.into_iter().map(|registration| registration.region).collect();
        let (groups, setting, epoch) = (self.groups, self.setting, self.epoch.unwrap_or(now));
        Ok(Tree { leaves, search, whole, groups, tables, territories, regions, setting, epoch })
    }

    fn check_overlaps(&self, leaves: &[Leaf]) -> Result<(), RegisterError> {
        let state_of = |leaf: &Leaf| self.groups.get(leaf.group.position());
        let group_of = |leaf: &Leaf| state_of(leaf).map_or(leaf.name, |state| state.provider.group().name);
        for pair in leaves.windows(2) {
            let (first, second) = (&pair[0], &pair[1]);
            if second.oid.starts_with(&first.oid) {
                return Err(RegisterError::Overlap {
                    group: group_of(second),
                    oid: second.oid.clone(),
                    name: second.name,
                    other: group_of(first),
                    other_name: first.name,
                });
            }
        }
        Ok(())
    }
}

/// All leaves in order, numbered, and where there are gaps the positions of the others.
fn merge(whole: Vec<Leaf>, gaps: Vec<Leaf>, territories: &[Territory]) -> (Vec<Leaf>, Option<Vec<u32>>) {
    let mut whole_at = None;
    let mut leaves = whole;
    if !gaps.is_empty() {
        let mut positions = Vec::with_capacity(leaves.len());
        let mut gaps = gaps.into_iter().peekable();
        let mut all = Vec::with_capacity(leaves.len() + gaps.len());
        for leaf in leaves {
            while let Some(gap) = gaps.next_if(|gap| is_before(gap, &leaf.oid, territories)) {
                all.push(gap);
            }
            positions.push(all.len() as u32);
            all.push(leaf);
        }
        all.extend(gaps);
        leaves = all;
        whole_at = Some(positions);
    }
    for (position, leaf) in leaves.iter_mut().enumerate() {
        leaf.id = LeafId(position as u32);
    }
    (leaves, whole_at)
}

fn is_before(gap: &Leaf, name: &[u32], territories: &[Territory]) -> bool {
    let LeafKind::Region { territory } = gap.kind() else { return false };
    territories[usize::from(territory)].place(name).is_gt()
}

fn register(leaves: &mut Vec<Leaf>, group: GroupId, provider: &dyn Provider) {
    let id = LeafId::FIRST;
    let accessible = |access: MaxAccess| access.is_readable() || access.is_writable();
    for (slot, scalar) in provider.group().scalars.iter().enumerate() {
        if accessible(scalar.access) {
            let kind = LeafKind::Scalar { slot: slot as u16 };
            let oid = Oid::EMPTY.child(scalar.oid);
            leaves.push(Leaf {
                id,
                oid,
                name: scalar.name,
                syntax: scalar.syntax,
                access: scalar.access,
                group,
                kind,
            });
        }
    }
    for (table_slot, table) in provider.group().tables.iter().enumerate() {
        for (slot, column) in table.columns.iter().enumerate().filter(|(_, c)| accessible(c.access)) {
            let kind = LeafKind::Column { table: table_slot as u16, slot: slot as u16 };
            let oid = Oid::EMPTY.child(table.oid).child(&[1, column.id]);
            leaves.push(Leaf {
                id,
                oid,
                name: column.name,
                syntax: column.syntax,
                access: column.access,
                group,
                kind,
            });
        }
    }
}

impl Tree {
    /// Every leaf in the order of OIDs; a leaf's position is its [`LeafId`].
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Every table of which a column is served, in the order of OIDs; a table's position is its [`TableId`].
    pub fn tables(&self) -> &[ServedTable] {
        &self.tables
    }

    /// A table by its number.
    pub fn table(&self, id: TableId) -> &ServedTable {
        &self.tables[id.position()]
    }

    /// A table by its descriptor, as in `ifTable`.
    pub fn table_named(&self, name: &str) -> Option<&ServedTable> {
        self.tables.iter().find(|table| table.schema().name == name)
    }

    /// The leaf that a name is an instance of (or would be).
    pub fn leaf_of(&self, name: &[u32]) -> Option<&Leaf> {
        match self.place(name) {
            Place::Inside(at) => Some(&self.leaves[at]),
            Place::Before(_) => None,
        }
    }

    /// Where a search for names after `name` begins.
    pub(crate) fn place(&self, name: &[u32]) -> Place {
        let place = self.search.place(name);
        match &self.whole {
            None => place,
            Some(whole) => self.place_among_gaps(whole, place, name),
        }
    }

    /// The same where there are gaps, from the place among the other leaves.
    #[cold]
    fn place_among_gaps(&self, whole: &[u32], place: Place, name: &[u32]) -> Place {
        let position = |at: usize| whole.get(at).map_or(self.leaves.len(), |at| *at as usize);
        let next = match place {
            Place::Inside(at) => return Place::Inside(position(at)),
            Place::Before(at) => at,
        };
        let first = next.checked_sub(1).map_or(0, |before| position(before) + 1);
        let place_in = |gap: &Leaf| match gap.kind() {
            LeafKind::Region { territory } => self.territory(territory).place(name),
            LeafKind::Scalar { .. } | LeafKind::Column { .. } => Ordering::Greater,
        };
        let gaps = &self.leaves[first..position(next)];
        let at = gaps.partition_point(|gap| place_in(gap).is_gt());
        match gaps.get(at).map(place_in) {
            Some(Ordering::Equal) => Place::Inside(first + at),
            _ => Place::Before(first + at),
        }
    }

    /// What is there where a region would answer.
    pub fn claim(&self, root: &[u32]) -> Claim {
        let Some(leaf) = self.leaf_of(root) else { return Claim::Free };
        match (leaf.kind(), &root[leaf.oid().len()..]) {
            (LeafKind::Region { .. }, _) => Claim::Free,
            (_, []) | (LeafKind::Scalar { .. }, [0]) => Claim::Object,
            _ => Claim::Inside,
        }
    }

    /// A builder of a tree with the same groups and their snapshots, in the same order, and without regions: when
    /// others answer, nothing is read again. Sets on both trees wait for each other.
    pub fn without_regions(&self) -> TreeBuilder {
        let (groups, setting) = (self.groups.clone(), self.setting.clone());
        TreeBuilder { groups, regions: Vec::new(), setting, epoch: Some(self.epoch) }
    }

    /// How many regions were registered.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    pub(crate) fn region(&self, region: RegionId) -> &dyn Region {
        &*self.regions[region.position()]
    }

    /// The first of all regions that are the same value as this one: they are written in one transaction.
    pub(crate) fn first_of_region(&self, region: RegionId) -> RegionId {
        let address = |region: &Arc<dyn Region>| Arc::as_ptr(region).cast::<()>();
        let wanted = address(&self.regions[region.position()]);
        self.regions.iter().position(|other| address(other) == wanted).map_or(region, RegionId::at)
    }

    /// By the position in [`LeafKind::Region`].
    pub(crate) fn territory(&self, position: u16) -> &Territory {
        &self.territories[usize::from(position)]
    }

    /// Compiles what a principal may read and write.
    pub fn access(&self, read: View, write: View) -> Access {
        Access::new(self.leaves(), read, write)
    }

    /// The access that somebody has in another tree, compiled for this one.
    pub fn access_like(&self, other: &Access) -> Access {
        other.compiled_for(self.leaves())
    }

    /// The groups' names in order of their ids.
    pub fn group_names(&self) -> impl Iterator<Item = &'static str> {
        self.groups.iter().map(|group| group.provider.group().name)
    }

    /// The id of a group by name.
    pub fn group(&self, name: &str) -> Option<GroupId> {
        self.group_names().position(|known| known == name).map(|at| GroupId(at as u16))
    }

    /// How fresh a group's data must be.
    pub fn freshness(&self, group: GroupId) -> Freshness {
        self.state(group).freshness()
    }

    /// Changes how fresh a group's data must be.
    pub fn set_freshness(&self, group: GroupId, freshness: Freshness) {
        self.state(group).freshness.store(encode_freshness(freshness), Release);
    }

    /// From `now` on, earlier snapshots do not count: the source has reported a change.
    pub fn invalidate(&self, group: GroupId, now: Instant) {
        self.state(group).invalidated.fetch_max(self.nanos(now), AcqRel);
    }

    /// The group's snapshot, if one is good for a request that arrived at `arrived`.
    pub fn fresh_snapshot(&self, group: GroupId, arrived: Instant) -> Option<Arc<Snapshot>> {
        self.held(group, self.nanos(arrived)).map(|held| held.snapshot.clone())
    }

    pub(crate) fn held(&self, group: GroupId, arrived: u64) -> Option<Arc<Held>> {
        self.held_since(group, self.state(group).oldest_good(arrived))
    }

    /// The group's snapshot, if it was started at `moment` or later, regardless of the policy.
    pub(crate) fn held_since(&self, group: GroupId, moment: u64) -> Option<Arc<Held>> {
        self.state(group).held.load_full().filter(|held| held.taken >= moment)
    }

    /// Reads a group's source, unless there is already a snapshot that is fresh enough for a request that arrived
    /// at `arrived`. Blocks; called outside the request path. `clock` returns the present.
    pub fn load(
        &self,
        group: GroupId,
        arrived: Instant,
        clock: impl Fn() -> Instant,
    ) -> Result<(), SourceError> {
        let state = self.state(group);
        let per_object = state.freshness() == Freshness::PerObject;
        // A panic in a provider poisons the lock; the data that it protects is the swap, which stays intact.
        let _one_at_a_time = state.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if !per_object && self.held(group, self.nanos(arrived)).is_some() {
            return Ok(());
        }
        let taken = self.nanos(clock());
        let previous = state.held.load_full();
        let loaded = state.provider.load(previous.as_ref().map(|held| &*held.snapshot))?;
        let snapshot = match (loaded, previous) {
            (Loaded::Snapshot(snapshot), _) if snapshot.is_of(state.provider.group()) => Arc::new(snapshot),
            (Loaded::Snapshot(_), _) => return Err(of_another_group(state.provider.group().name)),
            (Loaded::Unchanged, Some(previous)) => previous.snapshot.clone(),
            (Loaded::Unchanged, None) => Arc::new(Snapshot::builder(state.provider.group()).finish()),
        };
        state.held.store(Some(Arc::new(Held { snapshot, taken })));
        Ok(())
    }

    pub(crate) fn one_set_at_a_time(&self) -> MutexGuard<'_, ()> {
        // This lock protects nothing that a panic in a provider could leave incomplete.
        self.setting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self, group: GroupId) -> &GroupState {
        &self.groups[group.position()]
    }

    pub(crate) fn nanos(&self, at: Instant) -> u64 {
        // One second of head start: a snapshot of the first moment is not "never".
        at.saturating_duration_since(self.epoch).as_nanos() as u64 + 1_000_000_000
    }

    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }
}

impl GroupState {
    fn new(provider: Arc<dyn Provider>, freshness: Freshness) -> Self {
        GroupState {
            provider,
            held: ArcSwapOption::empty(),
            loading: Mutex::new(()),
            freshness: AtomicU64::new(encode_freshness(freshness)),
            invalidated: AtomicU64::new(0),
        }
    }

    fn freshness(&self) -> Freshness {
        match self.freshness.load(Acquire) {
            PER_OBJECT => Freshness::PerObject,
            PER_REQUEST => Freshness::PerRequest,
            nanos => Freshness::MaxAge(Duration::from_nanos(nanos)),
        }
    }

    fn oldest_good(&self, arrived: u64) -> u64 {
        let by_policy = match self.freshness.load(Acquire) {
            PER_OBJECT | PER_REQUEST => arrived,
            max_age => arrived.saturating_sub(max_age),
        };
        by_policy.max(self.invalidated.load(Acquire))
    }
}

fn of_another_group(name: &str) -> SourceError {
    let kind = std::io::ErrorKind::InvalidData;
    SourceError::new(name, std::io::Error::new(kind, "the provider returned a snapshot of another group"))
}

fn encode_freshness(freshness: Freshness) -> u64 {
    match freshness {
        Freshness::PerObject => PER_OBJECT,
        Freshness::PerRequest => PER_REQUEST,
        Freshness::MaxAge(age) => u64::try_from(age.as_nanos()).unwrap_or(u64::MAX).min(PER_REQUEST - 1),
    }
}

//! The registry: every object of every group in one ordered list of leaves, and
//! the groups with their snapshots.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use trunkline_smi::Oid;
use trunkline_smi::schema::MaxAccess;

use crate::leaf::{GroupId, Leaf, LeafId, LeafKind};
use crate::leaf_search::{LeafSearch, Place};
use crate::region::{self, Region, RegionId, Registration, Territory};
use crate::tables::{self, ServedTable, TableId};
use crate::{Access, Freshness, Loaded, Provider, RegisterError, Snapshot, SourceError, View};

/// The tree: groups, their snapshots, and the leaves in order.
pub struct Tree {
    leaves: Vec<Leaf>,
    search: LeafSearch,
    groups: Vec<GroupState>,
    tables: Vec<ServedTable>,
    territories: Vec<Territory>,
    regions: Vec<Arc<dyn Region>>,
    /// One set at a time.
    setting: Mutex<()>,
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
    providers: Vec<(Arc<dyn Provider>, Freshness)>,
    regions: Vec<Registration>,
}

impl TreeBuilder {
    /// Adds a provider and how fresh its group's data must be.
    pub fn provider(&mut self, provider: Arc<dyn Provider>, freshness: Freshness) -> &mut Self {
        self.providers.push((provider, freshness));
        self
    }

    /// Adds a subtree that a region answers for; it shadows every object below its root. Of two regions the one
    /// with the longer root answers, of two with one root that of the lower `priority`, then the first. IDs are
    /// assigned in order, starting with 0.
    pub fn region(&mut self, root: Oid, priority: u8, region: Arc<dyn Region>) -> &mut Self {
        self.regions.push(Registration { root, priority, region });
        self
    }

    /// The tree. `now` is the moment from which it counts.
    pub fn build(self, now: Instant) -> Result<Tree, RegisterError> {
        let mut leaves = Vec::new();
        for (position, (provider, _)) in self.providers.iter().enumerate() {
            register(&mut leaves, GroupId(position as u16), provider.as_ref());
        }
        let (territories, mut leaves) = region::settle(&self.regions, leaves)?;
        leaves.sort_by(|a, b| a.oid.cmp(&b.oid));
        for (position, leaf) in leaves.iter_mut().enumerate() {
            leaf.id = LeafId(position as u32);
        }
        self.check_overlaps(&leaves)?;
        let search = LeafSearch::new(&leaves.iter().map(|leaf| &*leaf.oid).collect());
        let schemas = self.providers.iter().map(|(provider, _)| provider.group());
        let tables = tables::served(schemas, &leaves);
        let groups: Vec<_> = self.providers.into_iter().map(|(p, f)| GroupState::new(p, f)).collect();
        let regions = self.regions.into_iter().map(|registration| registration.region).collect();
        Ok(Tree { leaves, search, groups, tables, territories, regions, setting: Mutex::new(()), epoch: now })
    }

    fn check_overlaps(&self, leaves: &[Leaf]) -> Result<(), RegisterError> {
        let provider_of = |leaf: &Leaf| self.providers.get(leaf.group.position());
        let group_of =
            |leaf: &Leaf| provider_of(leaf).map_or(leaf.name, |(provider, _)| provider.group().name);
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
        match self.search.place(name) {
            Place::Inside(at) => Some(&self.leaves[at]),
            Place::Before(_) => None,
        }
    }

    /// Where a search for names after `name` begins.
    pub(crate) fn place(&self, name: &[u32]) -> Place {
        self.search.place(name)
    }

    /// How many regions were registered.
    pub fn region_count(&self) -> usize {
        self.regions.len()
    }

    pub(crate) fn region(&self, region: RegionId) -> &dyn Region {
        &*self.regions[region.position()]
    }

    /// By the position in [`LeafKind::Region`].
    pub(crate) fn territory(&self, position: u16) -> &Territory {
        &self.territories[usize::from(position)]
    }

    /// Compiles what a principal may read and write.
    pub fn access(&self, read: View, write: View) -> Access {
        Access::new(self.leaves(), read, write)
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
        self.state(group).freshness.store(encode_freshness(freshness), Ordering::Release);
    }

    /// From `now` on, earlier snapshots do not count: the source has reported a change.
    pub fn invalidate(&self, group: GroupId, now: Instant) {
        self.state(group).invalidated.fetch_max(self.nanos(now), Ordering::AcqRel);
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
        match self.freshness.load(Ordering::Acquire) {
            PER_OBJECT => Freshness::PerObject,
            PER_REQUEST => Freshness::PerRequest,
            nanos => Freshness::MaxAge(Duration::from_nanos(nanos)),
        }
    }

    fn oldest_good(&self, arrived: u64) -> u64 {
        let by_policy = match self.freshness.load(Ordering::Acquire) {
            PER_OBJECT | PER_REQUEST => arrived,
            max_age => arrived.saturating_sub(max_age),
        };
        by_policy.max(self.invalidated.load(Ordering::Acquire))
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

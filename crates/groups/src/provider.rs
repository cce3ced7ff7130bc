//! The groups as tables of TRUNKLINE-MIB.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use trunkline_config::{AggregatePlan, FunctionPlan};
use trunkline_polling::Wanted;
use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::{MAX_SUB_IDS, Oid, Value, ValueKind, ValueRef};
use trunkline_transport::LogLimit;
use trunkline_tree::{Group as TreeGroup, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::aggregate::Outcome;
use crate::member::{Member, State};
use crate::nested::{Nested, NestedAggregate, NestedMember};
use crate::store::{Group, Store};
use crate::takeover::{PeerState, Role};

/// Groups, members and aggregates.
pub static GROUPS: TreeGroup = TreeGroup {
    name: "groups",
    scalars: &[&mib::GROUP_STRANGERS, &mib::GROUP_PASSED_ON],
    tables: &[&mib::GROUP_TABLE, &mib::GROUP_MEMBER_TABLE, &mib::GROUP_AGGREGATE_TABLE],
};

/// Members' values.
pub static GROUP_VALUES: TreeGroup = TreeGroup {
    name: "group-values",
    scalars: &[&mib::GROUP_VALUES_LEFT_OUT],
    tables: &[&mib::GROUP_VALUE_TABLE],
};

/// The provider of the groups, or of the values.
pub(crate) struct GroupsProvider {
    pub group: &'static TreeGroup,
    pub store: Arc<Mutex<Store>>,
    /// What moments are since: when sysUpTime was 0.
    pub started: Instant,
    /// How many values of members are given out.
    pub most_values: usize,
    /// When there are more.
    pub full: LogLimit,
}

/// How many values of members are given out: 30 MB of rows, and a manager above keeps 20,000 of them. If there are more, none are: a
/// table of those that there is room for would look whole. Of contexts there is no copy.
pub(crate) const MOST_VALUES: usize = 200_000;

impl Provider for GroupsProvider {
    fn group(&self) -> &'static TreeGroup {
        self.group
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.started.elapsed();
        let mut snapshot = Snapshot::builder(self.group);
        if self.group.name == GROUPS.name {
            fill_groups(&store, now, &mut snapshot);
        } else {
            // The values of many members take a moment: what is read meanwhile does not wait.
            let members = read(&store);
            drop(store);
            let most = self.most_values;
            let fill =
                |index: &[u32], value: (ValueRef<'_>, Duration)| fill_value(index, value, &mut snapshot);
            let count = each_indexed(&members, now, most, |name| name.index(), fill);
            let has_room = count <= most;
            let left_out = if has_room { 0 } else { u32::try_from(count).unwrap_or(u32::MAX) };
            snapshot.scalar(&mib::GROUP_VALUES_LEFT_OUT, Value::Unsigned32(left_out));
            if !has_room && let Some(left_out) = self.full.admit() {
                tracing::warn!(
                    values = count,
                    most,
                    left_out,
                    "groupValueTable is empty: there are too many values"
                );
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn fill_groups(store: &Store, now: Duration, snapshot: &mut SnapshotBuilder) {
    let count = |count: u64| Value::Counter32(count as u32);
    snapshot
        .scalar(&mib::GROUP_STRANGERS, count(store.strangers))
        .scalar(&mib::GROUP_PASSED_ON, count(store.passed_on));
    for (name, group) in &store.groups {
        fill_group(store, name, group, snapshot);
        for inner in &group.plan.groups {
            fill_inner(store, name, inner, snapshot);
        }
        for (member_name, member) in &group.members {
            fill_member(name, member_name, (member, group), now, snapshot);
            for (nested, row) in &member.nested.members {
                fill_nested_member(name, nested, (row, member), snapshot);
            }
            for (nested, row) in &member.nested.aggregates {
                fill_nested_aggregate((name, nested), row, (now, group.plan.max_age), snapshot);
            }
        }
        for aggregate in group.plan.aggregates.iter().filter(|_| group.is_active) {
            let outcome = store.aggregate(group, aggregate, now);
            fill_aggregate((name, &aggregate.name), aggregate, &outcome, now, snapshot);
        }
    }
}

fn fill_group(store: &Store, name: &str, group: &Group, snapshot: &mut SnapshotBuilder) {
    let members = group.members.len() + group.plan.groups.len();
    let reachable = group.members.values().filter(|member| member.state.is_reachable()).count()
        + group.plan.groups.iter().filter(|inner| state_of(store, inner).is_reachable()).count();
    let slowest = group.members.values().map(|member| member.took).max().unwrap_or_default();
    let peer = match group.peer {
        PeerState::None => 1,
        PeerState::Unknown => 2,
        PeerState::Answers(Role::Active) => 3,
        PeerState::Answers(Role::Standby) => 4,
        PeerState::Lost => 5,
    };
    let address = group.plan.peer.as_ref().map(|peer| peer.at.way.address()).unwrap_or_default();
    let Some(index) = index(&[name], &[]) else { return };
    let mut row = snapshot.table(&mib::GROUP_TABLE).row(&index);
    row.unsigned32(2, group.plan.importance)
        .gauge32(3, milliseconds(group.plan.interval))
        .gauge32(4, members as u64)
        .gauge32(5, reachable as u64)
        .integer(6, if group.is_active { 1 } else { 2 })
        .counter32(7, group.cycles)
        .counter32(8, group.overruns)
        .text(11, &address)
        .integer(12, peer);
    if let Some(at) = group.last_cycle {
        row.time_ticks(9, ticks(at)).gauge32(10, milliseconds(slowest));
    }
}

/// How a group that is a member is as a whole.
fn state_of(store: &Store, name: &str) -> State {
    let Some(group) = store.groups.get(name) else { return State::Unknown };
    if !group.is_active {
        return State::NotRead;
    }
    let states = || group.members.values().map(|member| member.state);
    let inner = || group.plan.groups.iter().map(|inner| state_of(store, inner));
    let all = || states().chain(inner());
    match (all().all(|state| state == State::Up), all().any(State::is_reachable)) {
        (true, _) => State::Up,
        (false, true) => State::Partial,
        (false, false) if all().any(|state| state == State::Unknown) => State::Unknown,
        (false, false) => State::Down,
    }
}

fn fill_inner(store: &Store, group: &str, inner: &str, snapshot: &mut SnapshotBuilder) {
    let name = format!("@{inner}");
    let Some(index) = index(&[group, &name], &[]) else { return };
    let mut row = snapshot.table(&mib::GROUP_MEMBER_TABLE).row(&index);
    row.text(2, &name).text(3, "group").integer(4, state_of(store, inner) as i32);
    if let Some(at) = store.groups.get(inner).and_then(|group| group.last_cycle) {
        row.time_ticks(5, ticks(at));
    }
}

fn fill_member(
    group_name: &str,
    name: &str,
    (member, group): (&Member, &Group),
    now: Duration,
    snapshot: &mut SnapshotBuilder,
) {
    let Some(index) = index(&[group_name, name], &[]) else { return };
    let counts = member.health.counts;
    let strange = counts.late + counts.doubled + counts.strays + counts.foreign + counts.unfit;
    // A cycle that is long over without another one: what is known is not new.
    let is_old = member.last_success.is_some_and(|at| now.saturating_sub(at) > group.plan.max_age);
    let state = if is_old && member.state.is_reachable() { State::Down } else { member.state };
    let waits = (is_old || member.last_success.is_none()) && member.is_waiting();
    let reason = if waits { WAITS } else { &member.reason };
    let mut row = snapshot.table(&mib::GROUP_MEMBER_TABLE).row(&index);
    row.text(2, cut(&member.address))
        .text(3, &member.protocol)
        .integer(4, state as i32)
        .gauge32(6, u64::from(member.health.failures))
        .counter32(8, counts.restarts)
        .text(9, cut(reason))
        .counter64(10, counts.requests)
        .counter64(11, counts.timeouts)
        .counter64(12, strange);
    if let Some(at) = member.last_success {
        row.time_ticks(5, ticks(at));
    }
    if let Some(time) = member.health.round_trip {
        row.gauge32(7, time.as_micros() as u64);
    }
}

fn fill_nested_member(
    group: &str,
    name: &str,
    (nested, member): (&NestedMember, &Member),
    snapshot: &mut SnapshotBuilder,
) {
    let Some(index) = index(&[group, name], &[]) else { return };
    let mut row = snapshot.table(&mib::GROUP_MEMBER_TABLE).row(&index);
    for (id, value) in &nested.cells {
        match id {
            // Who does not answer knows nothing of others.
            4 if !member.state.is_reachable() => drop(row.integer(4, State::Unknown as i32)),
            id if is_fitting(mib::GROUP_MEMBER_TABLE.column(*id), value) => {
                row.value(*id, value.as_value_ref());
            }
            _ => {}
        }
    }
    if let Some(at) = nested.last_success {
        row.time_ticks(5, ticks(at));
    }
}

fn fill_nested_aggregate(
    (group, name): (&str, &str),
    nested: &NestedAggregate,
    (now, max_age): (Duration, Duration),
    snapshot: &mut SnapshotBuilder,
) {
    if now.saturating_sub(nested.at) > max_age {
        return;
    }
    let Some(index) = index(&[group, name], &[]) else { return };
    let mut row = snapshot.table(&mib::GROUP_AGGREGATE_TABLE).row(&index);
    for (id, value) in &nested.cells {
        if is_fitting(mib::GROUP_AGGREGATE_TABLE.column(*id), value) {
            row.value(*id, value.as_value_ref());
        }
    }
    if let Some(oldest) = nested.oldest {
        row.gauge32(10, milliseconds(now.saturating_sub(oldest)));
    }
}

fn fill_aggregate(
    (group, name): (&str, &str),
    plan: &AggregatePlan,
    outcome: &Outcome,
    now: Duration,
    snapshot: &mut SnapshotBuilder,
) {
    let Some(index) = index(&[group, name], &[]) else { return };
    let function = match plan.function {
        FunctionPlan::Sum => 1,
        FunctionPlan::Mean => 2,
        FunctionPlan::Minimum => 3,
        FunctionPlan::Maximum => 4,
        FunctionPlan::Count => 5,
        FunctionPlan::Quantile(_) => 6,
    };
    let mut row = snapshot.table(&mib::GROUP_AGGREGATE_TABLE).row(&index);
    row.integer(2, function)
        .oid(3, &plan.object)
        .text(7, &plan.units)
        .gauge32(8, u64::from(outcome.counted))
        .gauge32(9, u64::from(outcome.missing));
    if let Some(oldest) = outcome.oldest {
        row.gauge32(10, milliseconds(now.saturating_sub(oldest)));
    }
    let Some(value) = outcome.value else { return };
    row.text(6, &format!("{value}"));
    let rounded = value.rounded();
    if let Ok(rounded) = rounded.try_into() {
        row.counter64(4, rounded);
    }
    if let Ok(rounded) = rounded.try_into() {
        row.integer(5, rounded);
    }
}

/// What was read of a member: shared with the store, which goes on meanwhile.
struct Read {
    group: String,
    member: String,
    wanted: Arc<Wanted>,
    snapshot: Option<Arc<trunkline_polling::Snapshot>>,
    nested: Arc<Nested>,
    max_age: Duration,
}

/// What was read of all members.
fn read(store: &Store) -> Vec<Read> {
    let of_group = |(name, group): (&String, &Group)| -> Vec<Read> {
        let members = group.members.iter().map(|(member_name, member)| Read {
            group: name.clone(),
            member: member_name.clone(),
            wanted: group.wanted.clone(),
            snapshot: member.snapshot.clone().filter(|_| !member.is_manager),
            nested: member.nested.clone(),
            max_age: group.plan.max_age,
        });
        members.collect()
    };
    store.groups.iter().flat_map(of_group).collect()
}

/// The name of a value: whose it is, of which object, and in which row.
struct Name<'v> {
    of: [&'v str; 2],
    object: &'v Oid,
    row: &'v [u32],
}

impl Name<'_> {
    /// Whether an object identifier has so many parts.
    fn has_room(&self) -> bool {
        has_room(&self.of, self.object.len() + self.row.len())
    }

    /// Its index in groupValueTable.
    fn index(&self) -> Option<Vec<u32>> {
        let mut index = index(&self.of, self.object)?;
        index.extend(self.row);
        Some(index)
    }
}

/// Calls this for each value that is not too old, with its index, if there are at most `most`. Returns how many there are. To count them no
/// index is made: there may be millions.
fn each_indexed(
    members: &[Read],
    now: Duration,
    most: usize,
    index_of: impl Fn(&Name<'_>) -> Option<Vec<u32>>,
    mut found: impl FnMut(&[u32], (ValueRef<'_>, Duration)),
) -> usize {
    let mut count = 0;
    each_value(members, now, |_, _| count += 1);
    if count <= most {
        each_value(members, now, |name, value| {
            if let Some(index) = index_of(name) {
                found(&index, value);
            }
        });
    }
    count
}

/// Calls this for each value that is not too old.
fn each_value(members: &[Read], now: Duration, mut found: impl FnMut(&Name<'_>, (ValueRef<'_>, Duration))) {
    for Read { group, member, wanted, snapshot: read, nested, max_age } in members {
        let is_fresh = |at: Duration| now.saturating_sub(at) <= *max_age;
        let mut of = |name: &str, (object, row): (&Oid, &[u32]), value: (ValueRef<'_>, Duration)| {
            let name = Name { of: [group, name], object, row };
            if is_fresh(value.1) && name.has_room() {
                found(&name, value);
            }
        };
        if let Some(read) = read {
            each_value_of(wanted, read, |object, value| of(member, object, value));
        }
        for (name, values) in &nested.values {
            values
                .iter()
                .for_each(|(object, (value, at))| of(name, (object, &[]), (value.as_value_ref(), *at)));
        }
    }
}

fn each_value_of(
    wanted: &Wanted,
    read: &trunkline_polling::Snapshot,
    mut found: impl FnMut((&Oid, &[u32]), (ValueRef<'_>, Duration)),
) {
    for (object, scalar) in wanted.scalars.iter().zip(&read.scalars) {
        if let Ok(value) = &scalar.value {
            found((object, &[]), (value.as_value_ref(), scalar.at));
        }
    }
    for (columns, table) in wanted.tables.iter().zip(&read.tables) {
        for (object, column) in columns.iter().zip(&table.columns) {
            for (row, (index, at)) in table.rows().enumerate() {
                if let Some(value) = column.cells.get(row) {
                    found((object, index), (value, at));
                }
            }
        }
    }
}

fn fill_value(index: &[u32], (value, at): (ValueRef<'_>, Duration), snapshot: &mut SnapshotBuilder) {
    let column = match value.kind() {
        ValueKind::Counter32 => 3,
        ValueKind::Unsigned32 => 4,
        ValueKind::TimeTicks => 5,
        ValueKind::Integer => 6,
        ValueKind::OctetString => 7,
        ValueKind::IpAddress => 8,
        ValueKind::ObjectIdentifier => 9,
        ValueKind::Counter64 => 10,
        ValueKind::Opaque => 11,
    };
    let row = &mut snapshot.table(&mib::GROUP_VALUE_TABLE).row(index);
    row.time_ticks(2, ticks(at)).value(column, value);
}

/// Names with their lengths, and what follows; `None`: no object identifier has so many parts.
fn index(names: &[&str], rest: &[u32]) -> Option<Vec<u32>> {
    if !has_room(names, rest.len()) {
        return None;
    }
    let mut index = Vec::new();
    for name in names {
        index.push(name.len() as u32);
        index.extend(name.bytes().map(u32::from));
    }
    index.extend(rest);
    Some(index)
}

/// Whether an object identifier has room for names with their lengths, and so many parts behind them.
fn has_room(names: &[&str], rest: usize) -> bool {
    let names: usize = names.iter().map(|name| 1 + name.len()).sum();
    names + rest + ENTRY <= MAX_SUB_IDS
}

/// Why nothing new is known of a member that answers.
const WAITS: &str = "it waits for memory for its table: other members take long";

/// Sub-identifiers of a column.
const ENTRY: usize = 10;

/// Whether a value that another agent gave may be that column's.
fn is_fitting(column: Option<&trunkline_smi::schema::Column>, value: &Value) -> bool {
    column.is_some_and(|column| column.syntax.check(value.as_value_ref()).is_ok())
}

/// The most that a text of the tables has.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(255);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A moment as sysUpTime then.
fn ticks(at: Duration) -> u32 {
    (at.as_millis() / 10) as u32
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).min(u64::from(u32::MAX))
}

#[cfg(test)]
mod tests;

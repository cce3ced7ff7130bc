//! What is known of a member.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use trunkline_config::{AggregatePlan, MemberPlan, MemberWay};
use trunkline_polling::{Health, Missing, Report, Snapshot, Wanted};
use trunkline_smi::{Oid, Value};

use crate::nested::{Nested, NestedMember};
use crate::rates::Rates;

/// groupMemberState.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Not read yet.
    Unknown = 1,
    /// All of it was read.
    Up = 2,
    /// Some of it was read.
    Partial = 3,
    /// It does not answer.
    Down = 4,
    /// It does not answer, and is left alone for a while.
    Paused = 5,
    /// The peer reads it.
    NotRead = 6,
}

impl State {
    pub const fn is_reachable(self) -> bool {
        matches!(self, State::Up | State::Partial)
    }
}

/// That a member has gone or come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Down,
    Up,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub address: String,
    pub protocol: String,
    pub is_manager: bool,
    pub state: State,
    /// When a cycle in which it answered ended.
    pub last_success: Option<Duration>,
    /// How long its last cycle took.
    pub took: Duration,
    pub health: Health,
    pub reason: String,
    /// What was read last.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The members of a mid-level manager, and what it computes.
    pub nested: Arc<Nested>,
    /// By the position of the aggregate, and the nested member, if it is one's.
    pub rates: BTreeMap<(usize, String), Rates>,
    /// What was told last: whether it answers.
    told: Option<bool>,
}

impl Member {
    pub fn new(plan: &MemberPlan) -> Self {
        let protocol = match &plan.way {
            MemberWay::Snmp { address, .. } => format!("snmp+{}", address.transport.name()),
            MemberWay::Url { url, .. } => url.split(':').next().unwrap_or_default().to_owned(),
        };
        Member {
            address: plan.way.address(),
            protocol,
            is_manager: plan.is_manager,
            state: State::NotRead,
            last_success: None,
            took: Duration::ZERO,
            health: Health::default(),
            reason: String::new(),
            snapshot: None,
            nested: Arc::default(),
            rates: BTreeMap::new(),
            told: None,
        }
    }

    /// Takes a report.
    pub fn take(
        &mut self,
        name: &str,
        report: Report,
        wanted: &Wanted,
        aggregates: &[AggregatePlan],
    ) -> Option<Turn> {
        self.health = report.health;
        let Some(snapshot) = report.snapshot else {
            self.state = State::Paused;
            return None;
        };
        self.took = snapshot.ended - snapshot.began;
        if !snapshot.is_heard {
            self.state = State::Down;
            self.reason = snapshot.failure.unwrap_or_else(|| Missing::NoAnswer.to_string());
            let is_news = self.told != Some(false) && self.health.failures >= BEFORE_DOWN;
            return is_news.then(|| {
                self.told = Some(false);
                Turn::Down
            });
        }
        self.last_success = Some(snapshot.ended);
        let missing = first_missing(&snapshot).map(|missing| missing.to_string());
        let missing = missing.or_else(|| has_nothing(&snapshot).then(|| NOTHING.to_owned()));
        self.state = if missing.is_some() { State::Partial } else { State::Up };
        self.reason = missing.unwrap_or_default();
        if self.is_manager {
            self.nested = Arc::new(Nested::of(name, &snapshot));
        }
        self.snapshot = Some(Arc::new(snapshot));
        self.measure(wanted, aggregates);
        (self.told.replace(true) == Some(false)).then_some(Turn::Up)
    }

    /// The peer reads it: what is known of it becomes old.
    pub fn leave(&mut self) {
        (self.state, self.snapshot, self.nested) = (State::NotRead, None, Arc::default());
        self.reason.clear();
        self.rates.clear();
        self.told = None;
    }

    /// How fast counters grow.
    fn measure(&mut self, wanted: &Wanted, aggregates: &[AggregatePlan]) {
        let Some(snapshot) = &self.snapshot else { return };
        for (at, aggregate) in aggregates.iter().enumerate().filter(|(_, aggregate)| aggregate.rate) {
            if self.is_manager {
                self.rates.retain(|(_, name), _| self.nested.values.contains_key(name));
                for (name, values) in &self.nested.values {
                    let of_column = below(values, &aggregate.object);
                    let rates = self.rates.entry((at, name.clone())).or_default();
                    let boots = self.nested.members.get(name).map_or(0, NestedMember::restarts);
                    rates.take(boots, of_column.map(|(index, (value, at))| (index, value, *at)));
                }
            } else {
                let rates = self.rates.entry((at, String::new())).or_default();
                let of_column = column(wanted, snapshot, &aggregate.object);
                rates.take(snapshot.boots, of_column.into_iter());
            }
        }
    }
}

/// A member is reported down after so many cycles, so that one that flaps is not reported each time.
const BEFORE_DOWN: u32 = 2;

/// Why the snapshot is not whole. What the device does not have is not missing.
fn first_missing(snapshot: &Snapshot) -> Option<Missing> {
    let scalars = snapshot.scalars.iter().filter_map(|scalar| scalar.value.as_ref().err().copied());
    let columns = snapshot.tables.iter().flat_map(|table| &table.columns).filter_map(|column| column.missing);
    scalars.chain(columns).find(|missing| *missing != Missing::NotThere)
}

/// Whether the device answers, and has nothing of what is read, not even a sysUpTime.
fn has_nothing(snapshot: &Snapshot) -> bool {
    snapshot.up_time.is_none()
        && snapshot.scalars.iter().all(|scalar| scalar.value.is_err())
        && snapshot.tables.iter().all(|table| table.indexes.is_empty())
}

const NOTHING: &str =
    "it answers, and has none of the objects: it is a server without them, as any JVM, or does not show them";

/// The instances of a column, or of a scalar, whose index is empty.
pub(crate) fn column<'s>(
    wanted: &Wanted,
    snapshot: &'s Snapshot,
    object: &Oid,
) -> Vec<(&'s [u32], &'s Value, Duration)> {
    if let Some(at) = wanted.scalars.iter().position(|scalar| scalar == object) {
        let scalar = snapshot.scalars.get(at).into_iter();
        let found = scalar.filter_map(|scalar| Some((&[][..], scalar.value.as_ref().ok()?, scalar.at)));
        return found.collect();
    }
    let Some((table, column)) = place(wanted, object) else { return Vec::new() };
    let Some(table) = snapshot.tables.get(table) else { return Vec::new() };
    let Some(column) = table.columns.get(column) else { return Vec::new() };
    let rows = table.indexes.iter().zip(&table.at).zip(&column.cells);
    rows.filter_map(|((index, at), cell)| Some((&**index, cell.as_ref()?, *at))).collect()
}

/// The cell of a row.
pub(crate) fn cell<'s>(
    wanted: &Wanted,
    snapshot: &'s Snapshot,
    object: &Oid,
    index: &[u32],
) -> Option<&'s Value> {
    let (table, column) = place(wanted, object)?;
    let table = snapshot.tables.get(table)?;
    let row = table.indexes.binary_search_by(|known| (**known).cmp(index)).ok()?;
    table.columns.get(column)?.cells.get(row)?.as_ref()
}

/// Why a column was not read whole.
pub(crate) fn missing(wanted: &Wanted, snapshot: &Snapshot, object: &Oid) -> Option<Missing> {
    let (table, column) = place(wanted, object)?;
    snapshot.tables.get(table)?.columns.get(column)?.missing
}

fn place(wanted: &Wanted, object: &Oid) -> Option<(usize, usize)> {
    wanted
        .tables
        .iter()
        .enumerate()
        .find_map(|(table, columns)| Some((table, columns.iter().position(|column| column == object)?)))
}

/// The values below an object, by what comes after its identifier.
pub(crate) fn below<'v, T>(
    values: &'v BTreeMap<Oid, T>,
    object: &Oid,
) -> impl Iterator<Item = (&'v [u32], &'v T)> {
    let object = object.clone();
    let from = values.range(object.clone()..);
    from.map_while(move |(name, value)| Some((name.strip_prefix(&*object)?, value)))
}

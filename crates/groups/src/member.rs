//! What is known of a member.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use trunkline_config::{MemberPlan, MemberWay};
use trunkline_polling::{Account, Health, Limits, Missing, Report, Scalar, Snapshot, Wanted};
use trunkline_smi::{Oid, Value, ValueRef};

use crate::nested::{self, Nested};
use crate::rates::{Instance, rates};

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
    /// Its part in the memory of all, while it is read.
    pub account: Weak<Account>,
    /// What was read last; of a mid-level manager `nested` has it.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The members of a mid-level manager, and what it computes.
    pub nested: Arc<Nested>,
    /// By the object, and the nested member, if it is one's: a rate for each instance that was read; NaN where none is known.
    pub rates: BTreeMap<(Oid, String), Vec<f64>>,
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
            account: Weak::new(),
            snapshot: None,
            nested: Arc::default(),
            rates: BTreeMap::new(),
            told: None,
        }
    }

    /// Whether it waits for memory just now.
    pub fn is_waiting(&self) -> bool {
        self.account.upgrade().is_some_and(|account| account.is_waiting())
    }

    /// Takes a report.
    pub fn take(&mut self, name: &str, report: Report, wanted: &Wanted, rated: &[Oid]) -> Option<Turn> {
        self.health = report.health;
        let Some(snapshot) = report.snapshot else {
            self.state = State::Paused;
            return None;
        };
        self.took = snapshot.ended - snapshot.began;
        if !snapshot.is_heard {
            self.state = State::Down;
            self.reason = reason_of(Missing::NoAnswer, &snapshot);
            let is_news = self.told != Some(false) && self.health.failures >= BEFORE_DOWN;
            return is_news.then(|| {
                self.told = Some(false);
                Turn::Down
            });
        }
        self.last_success = Some(snapshot.ended);
        let missing = first_missing(&snapshot).map(|missing| reason_of(missing, &snapshot));
        let missing = missing.or_else(|| has_nothing(&snapshot).then(|| NOTHING.to_owned()));
        let left_out = if self.is_manager { nested::left_out(&snapshot) } else { 0 };
        let missing = missing.or_else(|| {
            (left_out > 0)
                .then(|| format!("it has {left_out} values, more than it gives out (groupValuesLeftOut)"))
        });
        self.state = if missing.is_some() { State::Partial } else { State::Up };
        self.reason = missing.unwrap_or_default();
        let before = Before { snapshot: self.snapshot.take(), nested: std::mem::take(&mut self.nested) };
        if self.is_manager {
            self.nested = Arc::new(Nested::of(name, snapshot));
        } else {
            self.snapshot = Some(Arc::new(snapshot));
        }
        self.measure(&before, wanted, rated);
        (self.told.replace(true) == Some(false)).then_some(Turn::Up)
    }

    /// The peer reads it: what is known of it becomes old.
    pub fn leave(&mut self) {
        (self.state, self.snapshot, self.nested) = (State::NotRead, None, Arc::default());
        self.reason.clear();
        self.account = Weak::new();
        self.rates.clear();
        self.told = None;
    }

    /// How fast counters grow since what was known before.
    fn measure(&mut self, before: &Before, wanted: &Wanted, objects: &[Oid]) {
        let old = std::mem::take(&mut self.rates);
        let old = |key: &(Oid, String)| old.get(key).map_or(&[][..], Vec::as_slice);
        for object in objects {
            if let Some(now) = &self.snapshot {
                let key = (object.clone(), String::new());
                let last = before.snapshot.as_ref().filter(|last| last.boots == now.boots);
                let last = last.map(|last| column(wanted, last, object)).unwrap_or_default();
                let found = rates(last.into_iter(), old(&key), column(wanted, now, object).into_iter());
                self.rates.insert(key, found);
            }
            for (name, values) in &self.nested.values {
                let key = (object.clone(), name.clone());
                let last = before.nested.values.get(name);
                let last = last.filter(|_| self.nested.restarts(name) == before.nested.restarts(name));
                let last = last.into_iter().flat_map(|last| instances(last, object));
                let found = rates(last, old(&key), instances(values, object));
                self.rates.insert(key, found);
            }
        }
    }
}

/// What was known of a member before its last cycle.
struct Before {
    snapshot: Option<Arc<Snapshot>>,
    nested: Arc<Nested>,
}

/// A member is reported down after so many cycles, so that one that flaps is not reported each time.
const BEFORE_DOWN: u32 = 2;

/// Why the snapshot is not whole. What the device does not have is not missing.
fn first_missing(snapshot: &Snapshot) -> Option<Missing> {
    let scalars = snapshot.scalars.iter().filter_map(|scalar| scalar.value.as_ref().err().copied());
    let columns = snapshot.tables.iter().flat_map(|table| &table.columns).filter_map(|column| column.missing);
    scalars.chain(columns).find(|missing| *missing != Missing::NotThere)
}

/// Why something is missing, in words for operators.
fn reason_of(missing: Missing, snapshot: &Snapshot) -> String {
    match missing {
        // An answer that was cut is none.
        Missing::NoAnswer => snapshot.failure.clone().unwrap_or_else(|| missing.to_string()),
        Missing::TooLong => {
            let Limits { rows, octets, .. } = Limits::default();
            format!("{missing}: {rows} rows of a table and {} MiB", octets >> 20)
        }
        Missing::NoMemory => "the memory of all members is full: `memory` in [groups]".into(),
        other => other.to_string(),
    }
}

/// Whether the device answers, and has nothing of what is read, not even a sysUpTime.
fn has_nothing(snapshot: &Snapshot) -> bool {
    snapshot.up_time.is_none()
        && snapshot.scalars.iter().all(|scalar| scalar.value.is_err())
        && snapshot.tables.iter().all(|table| table.is_empty())
}

const NOTHING: &str =
    "it answers, and has none of the objects: it is a server without them, as any JVM, or does not show them";

/// The instances of a column, or of a scalar, whose index is empty.
pub(crate) fn column<'s>(wanted: &Wanted, snapshot: &'s Snapshot, object: &Oid) -> Vec<Instance<'s>> {
    if let Some(at) = wanted.scalars.iter().position(|scalar| scalar == object) {
        let scalar = snapshot.scalars.get(at).into_iter();
        let value = |scalar: &'s Scalar| Some(scalar.value.as_ref().ok()?.as_value_ref());
        return scalar.filter_map(|scalar| Some((&[][..], value(scalar)?, scalar.at))).collect();
    }
    let Some((table, column)) = place(wanted, object) else { return Vec::new() };
    let Some(table) = snapshot.tables.get(table) else { return Vec::new() };
    let Some(column) = table.columns.get(column) else { return Vec::new() };
    let rows = table.rows().enumerate();
    rows.filter_map(|(row, (index, at))| Some((index, column.cells.get(row)?, at))).collect()
}

/// The cell of a row.
pub(crate) fn cell<'s>(
    wanted: &Wanted,
    snapshot: &'s Snapshot,
    object: &Oid,
    index: &[u32],
) -> Option<ValueRef<'s>> {
    let (table, column) = place(wanted, object)?;
    let table = snapshot.tables.get(table)?;
    let row = table.find(index);
    (row < table.len() && table.index_of(row) == index)
        .then(|| table.cell(row, column))?
        .map(|(value, _)| value)
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

/// The instances of an object among the values of a nested member.
pub(crate) fn instances<'v>(
    values: &'v BTreeMap<Oid, (Value, Duration)>,
    object: &Oid,
) -> impl Iterator<Item = Instance<'v>> {
    let object = object.clone();
    let from = values.range(object.clone()..);
    from.map_while(move |(name, (value, at))| Some((name.strip_prefix(&*object)?, value.as_value_ref(), *at)))
}

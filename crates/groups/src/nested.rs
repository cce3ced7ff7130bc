//! A member that is a mid-level manager itself: its members, what it computes, and on demand the values of its members.

use std::collections::BTreeMap;
use std::time::Duration;

use trunkline_polling::{Held, Missing, Snapshot, Table, Wanted};
use trunkline_smi::module::trunkline_mib::groups as mib;
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{IndexValue, Oid, Value, decode_index};

use crate::store;

/// What a mid-level manager has.
#[derive(Debug, Default)]
pub(crate) struct Nested {
    /// Its members, by `MANAGER/GROUP/MEMBER`.
    pub members: BTreeMap<String, NestedMember>,
    /// What it computes, by `MANAGER/GROUP/AGGREGATE`.
    pub aggregates: BTreeMap<String, NestedAggregate>,
    /// Its members' values, by the members' names here.
    pub values: BTreeMap<String, BTreeMap<Oid, (Value, Duration)>>,
    /// Whether it has more values than were read.
    pub is_cut: bool,
    /// The memory that it has of the one of all members.
    pub held: Held,
}

/// A row of groupMemberTable there.
#[derive(Debug, PartialEq)]
pub(crate) struct NestedMember {
    /// The columns but the times.
    pub cells: BTreeMap<u32, Value>,
    /// When it answered last.
    pub last_success: Option<Duration>,
}

/// A row of groupAggregateTable there.
#[derive(Debug, PartialEq)]
pub(crate) struct NestedAggregate {
    /// The columns but the age.
    pub cells: BTreeMap<u32, Value>,
    /// When the oldest of its numbers was read.
    pub oldest: Option<Duration>,
    /// When the row was read.
    pub at: Duration,
}

/// Octets that a row of a manager needs in [`Nested`] beyond those that it has in a snapshot.
pub(crate) const OCTETS_BESIDE: usize = 128;

const LAST_SUCCESS: u32 = 5;
const AGE: u32 = 10;
const VALUE_TIME: u32 = 2;

/// What is read of a mid-level manager.
pub(crate) fn wanted(with_values: bool) -> Wanted {
    let columns = |table: &Schema| -> Vec<Oid> {
        let readable = table.columns.iter().filter(|column| column.access.is_readable());
        readable.map(|column| Oid::EMPTY.child(table.oid).child(&[1, column.id])).collect()
    };
    let mut tables = vec![columns(&mib::GROUP_MEMBER_TABLE), columns(&mib::GROUP_AGGREGATE_TABLE)];
    let mut scalars = Vec::new();
    if with_values {
        tables.push(columns(&mib::GROUP_VALUE_TABLE));
        scalars.push(Oid::EMPTY.child(mib::GROUP_VALUES_LEFT_OUT.oid).child(&[0]));
    }
    store::with_kinds(Wanted { scalars, tables, ..Wanted::default() })
}

impl NestedMember {
    /// groupMemberRestarts.
    fn restarts(&self) -> u64 {
        match self.cells.get(&8) {
            Some(Value::Counter32(restarts)) => u64::from(*restarts),
            _ => 0,
        }
    }
}

impl Nested {
    /// What was read of the manager with this name.
    pub fn of(manager: &str, snapshot: Snapshot) -> Self {
        let mut nested = Nested::default();
        for (index, _, mut cells) in rows(snapshot.tables.first(), &mib::GROUP_MEMBER_TABLE) {
            let Some((name, _)) = names(manager, &mib::GROUP_MEMBER_TABLE, index) else { continue };
            let stamp = cells.remove(&LAST_SUCCESS);
            let last_success = stamp.and_then(|stamp| moment(&snapshot, &stamp));
            nested.members.insert(name, NestedMember { cells, last_success });
        }
        for (index, at, mut cells) in rows(snapshot.tables.get(1), &mib::GROUP_AGGREGATE_TABLE) {
            let Some((name, _)) = names(manager, &mib::GROUP_AGGREGATE_TABLE, index) else { continue };
            let oldest = match cells.remove(&AGE) {
                Some(Value::Unsigned32(age)) => Some(at.saturating_sub(Duration::from_millis(age.into()))),
                _ => None,
            };
            nested.aggregates.insert(name, NestedAggregate { cells, oldest, at });
        }
        for (index, _, mut cells) in rows(snapshot.tables.get(2), &mib::GROUP_VALUE_TABLE) {
            let found = names(manager, &mib::GROUP_VALUE_TABLE, index);
            let Some((name, Some(object))) = found else { continue };
            let stamp = cells.remove(&VALUE_TIME);
            let at = stamp.and_then(|stamp| moment(&snapshot, &stamp));
            let (Some(at), Some((_, value))) = (at, cells.pop_first()) else { continue };
            nested.values.entry(name).or_default().insert(object, (value, at));
        }
        let mut columns = snapshot.tables.get(2).into_iter().flat_map(|table| &table.columns);
        nested.is_cut = columns.any(|column| column.missing.is_some_and(|it| it != Missing::NotThere))
            || left_out(&snapshot) > 0;
        nested.held = snapshot.held;
        nested
    }

    /// How often a member of its has started again.
    pub fn restarts(&self, member: &str) -> u64 {
        self.members.get(member).map_or(0, NestedMember::restarts)
    }

    /// Its members of which no values were read, other than groups and managers.
    pub fn silent(&self) -> impl Iterator<Item = &str> {
        let is_manager = |name: &str| {
            let below = format!("{name}/");
            self.members.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
        };
        let is_group = |name: &str| name.rsplit('/').next().is_some_and(|last| last.starts_with('@'));
        let silent = self.members.keys().filter(|name| !self.values.contains_key(*name));
        silent.map(String::as_str).filter(move |name| !is_group(name) && !is_manager(name))
    }
}

/// How many values a manager has and does not give out.
pub(crate) fn left_out(snapshot: &Snapshot) -> u32 {
    match snapshot.scalars.first().map(|scalar| &scalar.value) {
        Some(Ok(Value::Unsigned32(count))) => *count,
        _ => 0,
    }
}

/// The rows of a table, each with its cells by their columns.
fn rows<'s>(
    table: Option<&'s Table>,
    schema: &'static Schema,
) -> impl Iterator<Item = (&'s [u32], Duration, BTreeMap<u32, Value>)> {
    let ids: Vec<u32> =
        schema.columns.iter().filter(|column| column.access.is_readable()).map(|column| column.id).collect();
    table.into_iter().flat_map(move |table| {
        let ids = ids.clone();
        table.rows().enumerate().map(move |(row, (index, at))| {
            let cells = ids.iter().zip(&table.columns);
            let cells = cells.filter_map(|(id, column)| Some((*id, column.cells.get(row)?.to_value())));
            (index, at, cells.collect())
        })
    })
}

/// A TimeStamp of the manager as a moment here.
fn moment(snapshot: &Snapshot, stamp: &Value) -> Option<Duration> {
    let (Some((ticks, at)), Value::TimeTicks(stamp)) = (snapshot.up_time, stamp) else { return None };
    let ago = ticks.wrapping_sub(*stamp);
    // What was read after its sysUpTime was is from now.
    let ago = if ago > 1 << 31 { 0 } else { ago };
    Some(at.saturating_sub(Duration::from_millis(u64::from(ago) * 10)))
}

/// The name here of a row there, and the object in its index, if it has one.
fn names(manager: &str, schema: &Schema, index: &[u32]) -> Option<(String, Option<Oid>)> {
    let mut parts = decode_index(schema.index, index).ok()?.into_iter();
    let mut text = || match parts.next()? {
        IndexValue::Octets(octets) => String::from_utf8(octets).ok(),
        IndexValue::Integer(_) | IndexValue::ObjectIdentifier(_) => None,
    };
    let name = format!("{manager}/{}/{}", text()?, text()?);
    let object = parts.next().and_then(|part| match part {
        IndexValue::ObjectIdentifier(object) => Some(object),
        IndexValue::Integer(_) | IndexValue::Octets(_) => None,
    });
    Some((name, object))
}

#[cfg(test)]
mod tests {
    use trunkline_polling::Scalar;

    use super::*;

    fn index(names: [&str; 2], rest: &[u32]) -> Box<[u32]> {
        let mut index = Vec::new();
        for name in names {
            index.push(name.len() as u32);
            index.extend(name.bytes().map(u32::from));
        }
        index.extend(rest);
        index.into()
    }

    #[test]
    fn the_tables_of_a_manager_are_members_aggregates_and_values_here() {
        let seconds = Duration::from_secs;
        let table = |schema: &'static Schema, index: Box<[u32]>, cells: &[(u32, Value)]| {
            let columns = schema.columns.iter().filter(|column| column.access.is_readable());
            let cell = |id| cells.iter().find(|(known, _)| *known == id).map(|(_, value)| value.clone());
            let mut table = Table::of(columns.clone().count());
            table.push(&index, seconds(50), columns.map(|column| cell(column.id)));
            table
        };
        let snapshot = Snapshot {
            began: seconds(49),
            ended: seconds(50),
            is_heard: true,
            is_overrun: false,
            boots: 0,
            up_time: Some((6000, seconds(50))),
            failure: None,
            scalars: Vec::new(),
            tables: vec![
                table(
                    &mib::GROUP_MEMBER_TABLE,
                    index(["edge", "r1"], &[]),
                    &[(4, Value::Integer(2)), (5, Value::TimeTicks(5500))],
                ),
                table(
                    &mib::GROUP_AGGREGATE_TABLE,
                    index(["edge", "in"], &[]),
                    &[(4, Value::Counter64(7)), (10, Value::Unsigned32(2000))],
                ),
                table(
                    &mib::GROUP_VALUE_TABLE,
                    index(["edge", "r1"], &[1, 3, 6, 1]),
                    &[(2, Value::TimeTicks(5900)), (3, Value::Counter32(9))],
                ),
            ],
            held: Held::default(),
        };
        let left_out = |count| {
            let scalar = Scalar { value: Ok(Value::Unsigned32(count)), at: seconds(50) };
            Snapshot { scalars: vec![scalar], ..snapshot.clone() }
        };
        assert!(!Nested::of("m", left_out(0)).is_cut && Nested::of("m", left_out(200_001)).is_cut);
        let nested = Nested::of("m", snapshot);
        let member = &nested.members["m/edge/r1"];
        assert_eq!((member.last_success, &member.cells[&4]), (Some(seconds(45)), &Value::Integer(2)));
        assert_eq!(nested.aggregates["m/edge/in"].oldest, Some(seconds(48)));
        let values = &nested.values["m/edge/r1"];
        assert_eq!(values[&Oid::from([1, 3, 6, 1])], (Value::Counter32(9), seconds(49)));
        // Names that are cut short are nobody's.
        for wrong in [&[5, 65][..], &[1, 999, 1, 65], &[1, 65], &[1, 65, 1, 65, 7]] {
            assert_eq!(names("m", &mib::GROUP_MEMBER_TABLE, wrong), None, "{wrong:?}");
        }
    }
}

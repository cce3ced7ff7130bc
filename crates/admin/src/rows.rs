//! Tables that managers write into: RowStatus and StorageType (RFC 2579), once for all of them.
//!
//! A provider describes its table in a [`RowTable`], and the constraints of its columns in its [`Rules`]. Its
//! data are [`Rows`], a value: from it and the items of a set, [`Rows::changed`] makes the rows as they will be,
//! or reports which binding is wrong. The [`RowStore`] keeps them, on disk and for readers, and makes a set of
//! several rows in several tables one change.

mod edit;
mod kept;
mod locked;
mod row;
mod status;
mod store;

use std::collections::BTreeMap;
use std::sync::Arc;

use trunkline_smi::schema::{Column, Table};
use trunkline_smi::{IndexValue, Value, ValueRef, decode_index};
use trunkline_tree::policy::Principal;
use trunkline_tree::{SetCheck, SetError, SetItem, SnapshotBuilder};

pub use edit::{Edited, RowEdit};
pub use locked::LockedChange;
pub use row::{Row, Secret};
pub use store::{RowChange, RowStore, kept_rows};

/// A table whose rows managers may write.
pub struct RowTable {
    /// The table, followed by those that augment it: one row has its columns in all of them.
    pub tables: &'static [&'static Table],
    /// The column of RowStatus.
    pub status: &'static str,
    /// The column of StorageType.
    pub storage: &'static str,
    /// Columns without a default value: a row is complete when it has them.
    pub required: &'static [&'static str],
    /// The values of the other columns in a new row with this index (DEFVAL).
    pub defaults: fn(index: &[u32]) -> Vec<(&'static str, Value)>,
    /// Columns that may not be changed while the row is active.
    pub fixed_while_active: &'static [&'static str],
    /// Columns that are assigned before the others of the same request, in this order.
    pub first: &'static [&'static str],
}

/// The constraints on the columns of a group of tables beyond their syntax.
pub trait Rules: Send + Sync {
    /// Sets what defaults cannot express in a new row.
    fn new_row(&self, _table: &RowTable, _row: &mut Row) {}

    /// Assigns a value to a column, or returns why not. Status and storage are not passed here.
    fn assign(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        row.set(assignment.column, assignment.value.to_value());
        Ok(())
    }

    /// The same for a whole row that another protocol than SNMP configures.
    fn place(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        self.assign(assignment, row)
    }

    /// Whether a row that has all required columns has its secrets too.
    fn is_complete(&self, _row: &Row) -> bool {
        true
    }

    /// Whether a row that has all required columns is fit to be active, as far as its columns go together.
    fn check(&self, _table: &RowTable, _index: &[u32], _row: &Row) -> Result<(), Refusal> {
        Ok(())
    }

    /// A row becomes active by a request of this principal.
    fn activated(&self, _table: &RowTable, _row: &mut Row, _principal: Option<&Principal<'_>>) {}

    /// Whether a manager's row that one of the configuration covers is there again when that goes; otherwise it is forgotten.
    fn comes_back(&self, _table: &RowTable) -> bool {
        false
    }

    /// The value that a column reads as; `None`: there is no such instance.
    fn read(&self, column: &'static str, row: &Row) -> Option<Value> {
        row.get(column).cloned()
    }

    /// What becomes of a permanent row of the configuration that managers have changed before.
    fn merge(&self, configured: &Row, _changed: &Row) -> Row {
        configured.clone()
    }
}

/// A column that a manager writes.
#[derive(Clone, Copy)]
pub struct Assignment<'a> {
    /// The table.
    pub table: &'a RowTable,
    /// The row's index.
    pub index: &'a [u32],
    /// The column.
    pub column: &'static str,
    /// Its new value.
    pub value: ValueRef<'a>,
    /// Whether the row is created with this request.
    pub is_new: bool,
    /// The principal, if known.
    pub principal: Option<&'a Principal<'a>>,
    /// All rows as they were before the request.
    pub rows: &'a Rows,
    /// Whether it is only asked whether the row could be that: nobody notes that it could not.
    pub is_trial: bool,
}

/// Why a column or a row is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of refusal.
    pub check: SetCheck,
    /// For the log.
    pub reason: String,
}

/// The rows of all tables of a group, by the tables' positions and their indexes. A value: cloned, changed, swapped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    tables: BTreeMap<&'static str, BTreeMap<Vec<u32>, Arc<Row>>>,
}

/// The most rows that managers may create in one table.
const MAX_SET_ROWS: usize = 2000;

impl Rows {
    /// No rows.
    pub const fn new() -> Self {
        Rows { tables: BTreeMap::new() }
    }

    /// The rows of a table with their indexes, ascending.
    pub fn of(&self, table: &Table) -> impl Iterator<Item = (&[u32], &Row)> {
        let rows = self.tables.get(table.name).into_iter().flatten();
        rows.map(|(index, row)| (index.as_slice(), &**row))
    }

    /// The active rows of a table with their indexes, ascending.
    pub fn active(&self, table: &Table) -> impl Iterator<Item = (&[u32], &Row)> {
        self.of(table).filter(|(_, row)| row.state.is_active())
    }

    /// A row.
    pub fn get(&self, table: &Table, index: &[u32]) -> Option<&Row> {
        self.tables.get(table.name)?.get(index).map(|row| &**row)
    }

    /// Inserts a row, replacing the one with this index.
    pub fn insert(&mut self, table: &'static Table, index: Vec<u32>, row: Row) {
        self.tables.entry(table.name).or_default().insert(index, Arc::new(row));
    }

    fn remove(&mut self, table: &Table, index: &[u32]) {
        if let Some(rows) = self.tables.get_mut(table.name) {
            rows.remove(index);
        }
    }

    /// The rows as they will be after a set, or why the set is refused.
    pub fn changed(
        &self,
        tables: &'static [RowTable],
        items: &[SetItem<'_>],
        principal: Option<&Principal<'_>>,
        rules: &dyn Rules,
    ) -> Result<Rows, SetError> {
        let mut new = self.clone();
        for (table, index, items) in by_row(tables, items)? {
            let before = self.get(table.tables[0], index);
            let is_full = || self.set_rows(table) >= MAX_SET_ROWS;
            let change = status::Change { table, index, items: &items, principal, rules, rows: self };
            match change.apply(before, is_full)? {
                Some(row) => new.insert(table.tables[0], index.to_vec(), row),
                None => new.remove(table.tables[0], index),
            }
        }
        Ok(new)
    }

    fn set_rows(&self, table: &RowTable) -> usize {
        self.of(table.tables[0]).filter(|(_, row)| row.is_set()).count()
    }

    /// Fills a snapshot with the rows.
    pub fn fill(&self, tables: &'static [RowTable], rules: &dyn Rules, snapshot: &mut SnapshotBuilder) {
        for spec in tables {
            for table in spec.tables {
                let builder = snapshot.table(table);
                for (index, row) in self.of(spec.tables[0]) {
                    let mut cells = builder.row(index);
                    for column in table.columns.iter().filter(|column| column.access.is_readable()) {
                        if let Some(value) = spec.read(column, row, rules) {
                            cells.value(column.id, value.as_value_ref());
                        }
                    }
                }
            }
        }
    }
}

impl RowTable {
    /// A column of the table or of one that augments it.
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.tables.iter().flat_map(|table| table.columns).find(|column| column.name == name)
    }

    fn read(&self, column: &Column, row: &Row, rules: &dyn Rules) -> Option<Value> {
        match column.name {
            name if name == self.status => Some(Value::Integer(row.state.status as i32)),
            name if name == self.storage => Some(Value::Integer(row.state.storage as i32)),
            name => rules.read(name, row),
        }
    }

    /// Whether a row may have this index: each part of it fits its syntax.
    fn may_have(&self, index: &[u32]) -> bool {
        let parts = self.tables[0].index;
        let Ok(values) = decode_index(parts, index) else { return false };
        parts.iter().zip(&values).all(|(part, value)| match value {
            IndexValue::Integer(number) => {
                let signed = i32::try_from(*number).map(ValueRef::Integer);
                let fits = |value| part.syntax.check(value).is_ok();
                signed.is_ok_and(fits) || fits(ValueRef::Unsigned32(*number))
            }
            IndexValue::Octets(octets) => part.syntax.check(ValueRef::OctetString(octets)).is_ok(),
            IndexValue::ObjectIdentifier(_) => true,
        })
    }
}

impl Refusal {
    /// A refusal and its reason.
    pub fn new(check: SetCheck, reason: impl Into<String>) -> Self {
        Refusal { check, reason: reason.into() }
    }

    /// The refusal of a binding.
    pub fn of(self, item: &SetItem<'_>) -> SetError {
        SetError { binding: item.binding, check: self.check, reason: self.reason }
    }
}

type RowItems<'i> = (&'static RowTable, &'i [u32], Vec<SetItem<'i>>);

/// The items of each row, in the order in which the request first names the rows.
fn by_row<'i>(tables: &'static [RowTable], items: &[SetItem<'i>]) -> Result<Vec<RowItems<'i>>, SetError> {
    let mut rows: Vec<RowItems<'i>> = Vec::new();
    for item in items {
        let table = tables
            .iter()
            .find(|table| table.column(item.name).is_some())
            .ok_or_else(|| Refusal::new(SetCheck::NotWritable, "no column of these tables").of(item))?;
        let same =
            |(other, index, _): &&mut RowItems<'_>| std::ptr::eq(*other, table) && *index == item.index;
        match rows.iter_mut().find(same) {
            Some((_, _, items)) => items.push(*item),
            None => rows.push((table, item.index, vec![*item])),
        }
    }
    Ok(rows)
}

//! What a cycle has gathered so far, within limits.

use std::collections::BTreeMap;
use std::time::Duration;

use trunkline_smi::Value;

use super::{Limits, Wanted};
use crate::snapshot::{Column, Missing, Scalar, Table};

#[derive(Debug)]
pub(super) struct Gathering {
    scalars: Vec<Option<Scalar>>,
    tables: Vec<Rows>,
    octets: usize,
}

#[derive(Debug)]
struct Rows {
    rows: BTreeMap<Box<[u32]>, Row>,
    missing: Vec<Option<Missing>>,
}

#[derive(Debug)]
struct Row {
    at: Duration,
    cells: Vec<Option<Value>>,
}

impl Gathering {
    pub fn new(wanted: &Wanted) -> Self {
        let rows = |columns: &Vec<_>| Rows { rows: BTreeMap::new(), missing: vec![None; columns.len()] };
        Gathering {
            scalars: vec![None; wanted.scalars.len()],
            tables: wanted.tables.iter().map(rows).collect(),
            octets: 0,
        }
    }

    /// A scalar, or why there is none.
    pub fn scalar(&mut self, which: usize, value: Result<Value, Missing>, at: Duration) {
        if let Some(place) = self.scalars.get_mut(which) {
            *place = Some(Scalar { value, at });
        }
    }

    /// A cell; false: there is no more room.
    pub fn cell(
        &mut self,
        (table, column): (usize, usize),
        index: &[u32],
        value: Value,
        at: Duration,
        limits: &Limits,
    ) -> bool {
        let Some(Rows { rows, missing }) = self.tables.get_mut(table) else { return false };
        let columns = missing.len();
        let is_new = !rows.contains_key(index);
        let row = size_of::<(Box<[u32]>, Row)>() + size_of_val(index) + columns * size_of::<Option<Value>>();
        let octets = self.octets + contents(&value) + if is_new { row } else { 0 };
        if octets > limits.octets || (is_new && rows.len() >= limits.rows) {
            return false;
        }
        self.octets = octets;
        let row = rows.entry(index.into()).or_insert_with(|| Row { at, cells: vec![None; columns] });
        row.at = at;
        if let Some(cell) = row.cells.get_mut(column) {
            *cell = Some(value);
        }
        true
    }

    /// Why a column is not whole.
    pub fn missing(&mut self, table: usize, column: usize, missing: Missing) {
        if let Some(place) = self.tables.get_mut(table).and_then(|table| table.missing.get_mut(column)) {
            *place = Some(missing);
        }
    }

    pub fn finish(self, now: Duration) -> (Vec<Scalar>, Vec<Table>) {
        let none = Scalar { value: Err(Missing::NoAnswer), at: now };
        let scalars = self.scalars.into_iter().map(|it| it.unwrap_or_else(|| none.clone())).collect();
        (scalars, self.tables.into_iter().map(Rows::finish).collect())
    }
}

impl Rows {
    fn finish(self) -> Table {
        let column =
            |missing: Option<Missing>| Column { cells: Vec::with_capacity(self.rows.len()), missing };
        let mut table = Table { columns: self.missing.into_iter().map(column).collect(), ..Table::default() };
        for (index, row) in self.rows {
            table.indexes.push(index);
            table.at.push(row.at);
            for (column, cell) in table.columns.iter_mut().zip(row.cells) {
                column.cells.push(cell);
            }
        }
        table
    }
}

/// Octets of a value besides itself.
fn contents(value: &Value) -> usize {
    match value {
        Value::OctetString(octets) | Value::Opaque(octets) => octets.len(),
        Value::ObjectIdentifier(oid) => size_of_val::<[u32]>(oid),
        _ => 0,
    }
}

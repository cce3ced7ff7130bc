//! What a cycle has gathered so far, within limits.

use std::time::Duration;

use trunkline_smi::Value;

use super::{Limits, Wanted};
use crate::cells::{Cells, contents};
use crate::pool::Reading;
use crate::snapshot::{Column, Held, Missing, Rows, Scalar, Table};

#[derive(Debug)]
pub(super) struct Gathering {
    scalars: Vec<Option<Scalar>>,
    tables: Vec<Gathered>,
    octets: usize,
    /// Values of wrong types.
    wrong: usize,
    /// Its part in the memory of all devices, if there is one.
    reading: Option<Reading>,
}

/// A table whose rows are in the order in which they arrived.
#[derive(Debug)]
struct Gathered {
    rows: Rows,
    /// The positions of the rows, in the order of their indexes.
    order: Vec<u32>,
    columns: Vec<Column>,
}

impl Gathering {
    pub fn new(wanted: &Wanted, reading: Option<Reading>) -> Self {
        let table = |columns: &Vec<_>| Gathered {
            rows: Rows::default(),
            order: Vec::new(),
            columns: vec![Column::default(); columns.len()],
        };
        Gathering {
            scalars: vec![None; wanted.scalars.len()],
            tables: wanted.tables.iter().map(table).collect(),
            octets: 0,
            wrong: 0,
            reading,
        }
    }

    /// Values of wrong types so far.
    pub const fn wrong(&self) -> usize {
        self.wrong
    }

    /// A value of a wrong type, which is left out; whether there were so many that it is a walk that does not end.
    pub fn is_wrong(&mut self, limits: &Limits) -> bool {
        self.wrong += 1;
        self.wrong > limits.rows
    }

    /// Forgets what it has.
    pub fn begin_again(&mut self, wanted: &Wanted) {
        *self = Gathering::new(wanted, self.reading.take());
    }

    /// A scalar, or why there is none.
    pub fn scalar(&mut self, which: usize, value: Result<Value, Missing>, at: Duration) {
        if let Some(place) = self.scalars.get_mut(which) {
            *place = Some(Scalar { value, at });
        }
    }

    /// A cell; in the other case there is no more room.
    pub fn cell(
        &mut self,
        (table, column): (usize, usize),
        index: &[u32],
        (value, at): (Value, Duration),
        limits: &Limits,
    ) -> Result<(), Missing> {
        let Some(table) = self.tables.get_mut(table) else { return Err(Missing::TooLong) };
        let place = table.order.binary_search_by(|row| table.rows.index(*row as usize).cmp(index));
        let row =
            Rows::octets(index.len()) + size_of::<u32>() + table.columns.len() * Cells::EACH + limits.beside;
        let octets = self.octets + contents(value.as_value_ref()) + if place.is_err() { row } else { 0 };
        if octets > limits.octets || (place.is_err() && table.order.len() >= limits.rows) {
            return Err(Missing::TooLong);
        }
        if self.reading.as_mut().is_some_and(|reading| !reading.has_room(octets)) {
            return Err(Missing::NoMemory);
        }
        self.octets = octets;
        let row = match place {
            Ok(place) => table.order[place] as usize,
            Err(place) => {
                let row = table.rows.push(index, at);
                table.order.insert(place, row as u32);
                row
            }
        };
        table.rows.read(row, at);
        if let Some(column) = table.columns.get_mut(column) {
            column.cells.set(row, value.as_value_ref());
        }
        Ok(())
    }

    /// Why a column is not whole.
    pub fn missing(&mut self, table: usize, column: usize, missing: Missing) {
        if let Some(column) = self.tables.get_mut(table).and_then(|table| table.columns.get_mut(column)) {
            column.missing = Some(missing);
        }
    }

    /// `is_heard`: it replaces the last snapshot.
    pub fn finish(self, now: Duration, is_heard: bool) -> (Vec<Scalar>, Vec<Table>, Held) {
        let none = Scalar { value: Err(Missing::NoAnswer), at: now };
        let scalars = self.scalars.into_iter().map(|it| it.unwrap_or_else(|| none.clone())).collect();
        let held = self.reading.filter(|_| is_heard).map(|reading| reading.settle(self.octets));
        (scalars, self.tables.into_iter().map(Gathered::finish).collect(), Held { _account: held })
    }
}

impl Gathered {
    fn finish(self) -> Table {
        let Gathered { rows, order, columns } = self;
        let is_in_order = order.iter().zip(0..).all(|(row, at)| *row == at);
        let mut table = Table { rows, columns };
        if !is_in_order {
            let mut rows = Rows::default();
            for row in order.iter().map(|row| *row as usize) {
                rows.push(table.rows.index(row), table.rows.at(row));
            }
            table.rows = rows;
            table.columns.iter_mut().for_each(|column| column.cells = column.cells.in_order(&order));
        }
        table.rows.shrink();
        table.columns.iter_mut().for_each(|column| column.cells.shrink());
        table
    }
}

//! What a cycle has read.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use trunkline_smi::{Value, ValueRef};

use crate::cells::Cells;
use crate::pool::Account;

/// What a cycle has read of a device. Moments are those of the clock that the device is driven by.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// When the cycle began.
    pub began: Duration,
    /// When it ended.
    pub ended: Duration,
    /// Whether the device answered at all.
    pub is_heard: bool,
    /// Whether the deadline ended it though the device answered.
    pub is_overrun: bool,
    /// How often the device has been seen to restart: values of counters can be compared only within one number.
    pub boots: u64,
    /// The device's sysUpTime in hundredths of a second, and when it said so.
    pub up_time: Option<(u32, Duration)>,
    /// Why the last request that failed did, in words; `None`: none did for another reason than silence.
    pub failure: Option<String>,
    /// The scalars, in the order of what was wanted.
    pub scalars: Vec<Scalar>,
    /// The tables, in the order of what was wanted.
    pub tables: Vec<Table>,
    /// The memory that it has of the one of all devices.
    pub held: Held,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its value, or why there is none.
    pub value: Result<Value, Missing>,
    /// When it was read.
    pub at: Duration,
}

/// A table, by its columns. Rows are in the order of their indexes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub(crate) rows: Rows,
    /// The columns, in the order of what was wanted.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The cells of the rows.
    pub cells: Cells,
    /// Why the column is not whole. What it has is not all that there is.
    pub missing: Option<Missing>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn of(columns: usize) -> Self {
        Table { rows: Rows::default(), columns: vec![Column::default(); columns] }
    }

    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.ends.len()
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.ends.is_empty()
    }

    /// The index of a row.
    #[must_use]
    pub fn index_of(&self, row: usize) -> &[u32] {
        self.rows.index(row)
    }

    /// The indexes of the rows, each with the moment of the last answer with a cell of it.
    pub fn rows(&self) -> impl Iterator<Item = (&[u32], Duration)> {
        (0..self.len()).map(|row| (self.rows.index(row), self.rows.at(row)))
    }

    /// The first row whose index is not before this one.
    #[must_use]
    pub fn find(&self, index: &[u32]) -> usize {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            if self.rows.index(middle) < index { from = middle + 1 } else { to = middle }
        }
        from
    }

    /// The cell of a row, and when it was read.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Option<(ValueRef<'_>, Duration)> {
        Some((self.columns.get(column)?.cells.get(row)?, self.rows.at(row)))
    }

    /// Adds a row behind the others.
    pub fn push(&mut self, index: &[u32], at: Duration, cells: impl IntoIterator<Item = Option<Value>>) {
        let row = self.rows.push(index, at);
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            if let Some(value) = cell {
                column.cells.set(row, value.as_value_ref());
            }
        }
    }
}

/// The rows of a table: their indexes behind each other, and when they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    ends: Vec<u32>,
    parts: Vec<u32>,
    /// Milliseconds.
    at: Vec<u32>,
    /// What the moments are since.
    origin: Duration,
}

impl Rows {
    /// Octets of a row whose index has so many parts.
    pub const fn octets(parts: usize) -> usize {
        (2 + parts) * size_of::<u32>()
    }

    pub fn index(&self, row: usize) -> &[u32] {
        let from = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.parts[from as usize..self.ends[row] as usize]
    }

    pub fn at(&self, row: usize) -> Duration {
        self.origin + Duration::from_millis(self.at[row].into())
    }

    pub fn push(&mut self, index: &[u32], at: Duration) -> usize {
        if self.ends.is_empty() {
            self.origin = at;
        }
        self.parts.extend(index);
        self.ends.push(self.parts.len() as u32);
        self.at.push(0);
        self.read(self.ends.len() - 1, at);
        self.ends.len() - 1
    }

    /// A cell of a row was read.
    pub fn read(&mut self, row: usize, at: Duration) {
        let since = at.saturating_sub(self.origin).as_millis();
        self.at[row] = u32::try_from(since).unwrap_or(u32::MAX);
    }

    pub fn shrink(&mut self) {
        self.ends.shrink_to_fit();
        self.parts.shrink_to_fit();
        self.at.shrink_to_fit();
    }
}

/// What keeps the octets of a snapshot counted. It is nothing of its content.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub(crate) _account: Option<Arc<Account>>,
}

impl PartialEq for Held {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Why something was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// No answer, however often it was requested.
    NoAnswer,
    /// The cycle's time was over.
    Deadline,
    /// The device does not have it.
    NotThere,
    /// The device refuses it with this error-status.
    Refused(i32),
    /// The device goes back in a walk: it would never end.
    NotIncreasing,
    /// More rows or octets than are kept of a device.
    TooLong,
    /// There is no more memory: all devices together have it.
    NoMemory,
    /// An answer that does not fit the request.
    Unfit,
    /// A value that is not of the object's type.
    WrongType,
    /// The device restarted once more while it was read again.
    Restarted,
    /// It had memory for the answer for too long, while others waited for that.
    HeldUp,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::NoAnswer => "no answer",
            Missing::Deadline => "the time for the cycle is over",
            Missing::NotThere => "the device does not have it",
            Missing::Refused(status) => return write!(f, "the device answers with error-status {status}"),
            Missing::NotIncreasing => "the device goes back in a walk",
            Missing::TooLong => "more than is kept of a device",
            Missing::NoMemory => "the memory of all devices together is full",
            Missing::Unfit => "the answer does not fit the request",
            Missing::WrongType => "a value is not of the object's type",
            Missing::Restarted => "the device restarts again and again",
            Missing::HeldUp => "its table was not there in time, while others waited for memory",
        })
    }
}

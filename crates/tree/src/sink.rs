//! The results of the tree, and the trait of those that receive them.
//!
//! A door's [`Sink`] encodes each value into its one output buffer while the [`Walker`](crate::Walker) walks, and
//! reports when the buffer is full.

use trunkline_smi::{Exception, Oid, ValueRef};

use crate::{ColumnData, Leaf, TableData};

/// Takes what is found, in the order of the answer.
pub trait Sink {
    /// One instance with its value.
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room;

    /// A name without a value.
    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room;

    /// Rows of one column that follow each other; returns how many were taken, fewer than there are
    /// meaning that the sink is full. For sinks that encode a whole run faster than one by one.
    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        for at in 0..rows.len() {
            let Some(value) = rows.value(at) else { return at };
            if self.value(Name::Instance(leaf, rows.row_index(at)), value) == Room::Full {
                return at;
            }
        }
        rows.len()
    }
}

/// The name of an instance.
#[derive(Clone, Copy, Debug)]
pub enum Name<'a> {
    /// A leaf and the sub-identifiers behind it.
    Instance(&'a Leaf, &'a [u32]),
    /// A name as it was asked for.
    Asked(&'a [u32]),
}

impl Name<'_> {
    /// The whole name.
    #[must_use]
    pub fn to_oid(self) -> Oid {
        match self {
            Name::Asked(name) => Oid::EMPTY.child(name),
            Name::Instance(leaf, index) => Oid::EMPTY.child(leaf.oid()).child(index),
        }
    }
}

/// Whether the sink accepted a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Yes.
    Taken,
    /// No: it is full, and nothing was added.
    Full,
}

/// Consecutive rows of a column in which every cell is present.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The table.
    pub table: &'a TableData,
    /// The column.
    pub column: &'a ColumnData,
    /// The first row.
    pub start: usize,
    /// Behind the last row.
    pub end: usize,
}

impl<'a> Rows<'a> {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.end == self.start
    }

    /// The index of the `at`-th of these rows.
    pub fn row_index(&self, at: usize) -> &'a [u32] {
        &self.table.index()[self.start + at]
    }

    /// The value of the `at`-th of these rows.
    pub fn value(&self, at: usize) -> Option<ValueRef<'a>> {
        self.column.get(self.start + at)
    }
}

//! A row whose objects are read separately ([`Freshness::PerObject`](crate::Freshness::PerObject)): its cells
//! come from snapshots of different moments, and are collected until the row is complete.

use trunkline_smi::{Value, ValueRef};

/// The cells that were read so far, by position in the query's columns.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    cells: Vec<Option<Value>>,
    begun: bool,
    /// How many cells were read, the ones that were not there included.
    read: usize,
    /// Whether the load for the next cell has been requested.
    counted: usize,
}

impl Gathered {
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.begun = false;
        self.read = 0;
        self.counted = 0;
    }

    pub(super) fn begin(&mut self) {
        self.clear();
        self.begun = true;
    }

    pub(super) fn is_begun(&self) -> bool {
        self.begun
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether no cell of the row is there.
    pub(super) fn is_empty(&self) -> bool {
        self.cells.iter().all(Option::is_none)
    }

    pub(super) fn cells(&self) -> &[Option<Value>] {
        &self.cells
    }

    /// Whether the next cell belongs to another object than the last one; reported once, however often its load
    /// is waited for. The first one is read where the row was found.
    pub(super) fn wants_another_object(&mut self) -> bool {
        let wants = self.counted < self.read;
        self.counted = self.read;
        wants
    }

    /// A cell that is not to be read.
    pub(super) fn push(&mut self, cell: Option<Value>) {
        self.cells.push(cell);
    }

    /// A cell that was read.
    pub(super) fn push_read(&mut self, value: Option<ValueRef<'_>>) {
        self.cells.push(value.map(|value| value.to_value()));
        self.read += 1;
    }
}

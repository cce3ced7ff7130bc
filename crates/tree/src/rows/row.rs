//! A row as the sink sees it.

use std::ops::Range;

use trunkline_smi::{Value, ValueRef};

use super::plan::Asked;
use crate::{ColumnData, TableData};

/// A row of a table: its index, and the cells of the requested columns.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    index: &'r [u32],
    source: Source<'r>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'r> {
    Stored {
        /// Those of the group, and which of them it is.
        tables: &'r [TableData],
        position: usize,
        row: usize,
        columns: &'r [Asked],
        /// `None`: every cell is there and may be read.
        visible: Option<&'r [bool]>,
    },
    Gathered(&'r [Option<Value>]),
}

impl<'r> Row<'r> {
    pub(super) fn new(index: &'r [u32], source: Source<'r>) -> Self {
        Row { index, source }
    }

    /// The sub-identifiers of the row's index; [`trunkline_smi::index_refs`] converts them to values.
    pub fn index(&self) -> &'r [u32] {
        self.index
    }

    /// How many columns were requested.
    #[inline]
    pub fn len(&self) -> usize {
        match self.source {
            Source::Stored { columns, .. } => columns.len(),
            Source::Gathered(cells) => cells.len(),
        }
    }

    /// Whether no column was requested.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cell of the column at this position of the query; `None` if the row has none or the principal may not
    /// read it.
    #[inline(always)]
    pub fn cell(&self, at: usize) -> Option<ValueRef<'r>> {
        match self.source {
            Source::Stored { tables, position, row, columns, visible } => {
                if visible.is_some_and(|visible| !visible.get(at).copied().unwrap_or(false)) {
                    return None;
                }
                columns.get(at)?.value(tables, position, row)
            }
            Source::Gathered(cells) => cells.get(at)?.as_ref().map(Value::as_value_ref),
        }
    }

    /// All cells of a row that is in a snapshot and may be read as a whole, as most are: for encoders, whose loop over
    /// them has then no other question to ask for each cell.
    #[inline(always)]
    pub fn stored_cells(self) -> Option<StoredCells<'r>> {
        let Source::Stored { tables, position, row, columns, visible: None } = self.source else {
            return None;
        };
        Some(StoredCells { columns: columns.iter(), table: &tables[position], row })
    }

    /// All cells, in the order of the query's columns.
    #[inline(always)]
    pub fn cells(self) -> impl ExactSizeIterator<Item = Option<ValueRef<'r>>> {
        (0..self.len()).map(move |at| self.cell(at))
    }
}

/// Rows of a snapshot that follow each other, all of them, for sinks that make columns of them.
#[derive(Clone, Copy, Debug)]
pub struct Block<'r> {
    tables: &'r [TableData],
    position: usize,
    columns: &'r [Asked],
    start: usize,
    end: usize,
}

impl<'r> Block<'r> {
    pub(super) fn new(
        tables: &'r [TableData],
        position: usize,
        columns: &'r [Asked],
        rows: Range<usize>,
    ) -> Self {
        let Range { start, end } = rows;
        Block { tables, position, columns, start, end: end.max(start) }
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end == self.start
    }

    /// Which rows of the snapshot they are, for what [`Block::column`] returns.
    #[must_use]
    pub fn rows(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The first of these rows, at most as many.
    #[must_use]
    pub fn first(self, rows: usize) -> Self {
        Block { end: self.end.min(self.start.saturating_add(rows)), ..self }
    }

    /// The sub-identifiers of the index of a row of the snapshot.
    #[must_use]
    pub fn index_of(&self, row: usize) -> &'r [u32] {
        &self.tables[self.position].index()[row]
    }

    /// The column at this position of the query, with all its rows. `None`: its cells are to be got one by one.
    #[must_use]
    pub fn column(&self, at: usize) -> Option<&'r ColumnData> {
        self.columns.get(at)?.whole(self.tables, self.position)
    }

    /// The cell of the column at this position of the query in a row of the snapshot; `None` if the row has none or the principal
    /// may not read it.
    #[must_use]
    pub fn cell(&self, at: usize, row: usize) -> Option<ValueRef<'r>> {
        self.columns.get(at)?.readable(self.tables, self.position, row)
    }
}

/// What [`Row::stored_cells`] returns: a type of ours, since the library's own iterators are not always inlined, and
/// then each value is moved through memory.
#[derive(Clone, Debug)]
pub struct StoredCells<'r> {
    columns: std::slice::Iter<'r, Asked>,
    table: &'r TableData,
    row: usize,
}

impl<'r> Iterator for StoredCells<'r> {
    type Item = Option<ValueRef<'r>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let column = self.columns.next()?;
        Some(self.table.column(column.slot).get(self.row))
    }
}

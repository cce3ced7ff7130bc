//! The plan of a query for rows in its table: which columns, which of them may be read, and which rows.

use trunkline_query::{Cells, KeyRange, RowRange};
use trunkline_smi::{IndexRef, OidBuf, ValueRef, index_refs};

use super::RowQuery;
use crate::tables::slot;
use crate::{Access, ColumnData, Coverage, LeafId, LeafKind, ServedTable, TableData, Tree};

/// Reused from query to query.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// By position in the query.
    columns: Vec<Asked>,
    /// By position in the table's schema, if there is a filter or rows may be empty.
    readable: Vec<Asked>,
    keys: KeyRange,
    /// The table's in the group's list.
    position: usize,
    /// Whether each row of the table has every requested cell, and the principal may read it.
    is_whole: bool,
    /// Whether the table has every row as far as the request is concerned: a whole column may be read, and of no other only some
    /// instances.
    has_each_row: bool,
    /// Whether a row is one of the request's for any cell of the table that is there and may be read.
    with_empty: bool,
    /// Whether no column that counts may be read as a whole.
    is_by_rules: bool,
    /// By position in the query: what of the row that was last found is there and may be read.
    visible: Vec<bool>,
}

/// A column of the table, or of one of its group that has the same index, and how much of it may be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    leaf: Option<LeafId>,
    /// In the group's list of tables.
    table: usize,
    pub(super) slot: usize,
    coverage: Coverage,
}

impl Asked {
    fn new(leaf: Option<LeafId>, table: usize, slot: usize, access: &Access) -> Self {
        let coverage = leaf.map_or(Coverage::None, |leaf| access.may_read(leaf));
        Asked { leaf, table, slot, coverage }
    }

    /// Its value in a row of the group's table at `position`.
    #[inline]
    pub(super) fn value<'t>(
        &self,
        tables: &'t [TableData],
        position: usize,
        row: usize,
    ) -> Option<ValueRef<'t>> {
        if self.table == position {
            return tables[position].column(self.slot).get(row);
        }
        self.value_at(tables, &tables[position].index()[row], row)
    }

    /// Its value in the row with this index, which is probably the row of this number.
    pub(super) fn value_at<'t>(
        &self,
        tables: &'t [TableData],
        index: &[u32],
        row: usize,
    ) -> Option<ValueRef<'t>> {
        let table = tables.get(self.table)?;
        let is_there = row < table.len() && table.index()[row] == *index;
        let row = if is_there { row } else { table.find(index)? };
        table.column(self.slot).get(row)
    }

    /// The column itself, if it is one of the table at `position` that may be read as a whole.
    pub(super) fn whole<'t>(&self, tables: &'t [TableData], position: usize) -> Option<&'t ColumnData> {
        let is_whole = self.coverage == Coverage::All && self.table == position;
        is_whole.then(|| tables[position].column(self.slot))
    }

    /// Its value in a row of the group's table at `position`, if it may be read as a whole.
    pub(super) fn readable<'t>(
        &self,
        tables: &'t [TableData],
        position: usize,
        row: usize,
    ) -> Option<ValueRef<'t>> {
        if self.coverage == Coverage::All { self.value(tables, position, row) } else { None }
    }

    /// Whether the instance of this index may be read.
    pub(super) fn may_read(&self, access: &Access, index: &[u32]) -> bool {
        match (self.coverage, self.leaf) {
            (Coverage::All, _) => true,
            (Coverage::Some, Some(leaf)) => access.may_read_instance(leaf, index),
            _ => false,
        }
    }
}

impl Plan {
    pub(super) fn make(&mut self, tree: &Tree, query: &RowQuery<'_>) {
        let served = tree.table(query.table);
        self.columns.clear();
        self.columns.extend(query.columns.iter().map(|leaf| asked(tree, served, *leaf, query.access)));
        self.position = served.position();
        self.readable.clear();
        self.keys = KeyRange::all();
        self.with_empty = query.with_empty;
        if query.filter.is_some() || query.with_empty {
            let slots = 0..served.schema().columns.len();
            let of_slot = |slot| Asked::new(served.leaf_at(slot), served.position(), slot, query.access);
            self.readable.extend(slots.map(of_slot));
        }
        if let Some(filter) = query.filter {
            self.keys = filter.key_range(served.schema().index);
        }
        let is_by_rules = self.counting().all(|column| column.coverage != Coverage::All);
        self.is_by_rules = is_by_rules;
    }

    /// Whether anything of the request may be read at all.
    pub(super) fn may_read_any(&self) -> bool {
        self.counting().any(|column| column.coverage != Coverage::None)
    }

    /// Columns whose cells make a row one of the request's.
    fn counting(&self) -> impl Iterator<Item = &Asked> {
        let others = if self.with_empty { &self.readable[..] } else { &[] };
        self.columns.iter().chain(others)
    }

    pub(super) fn columns(&self) -> &[Asked] {
        &self.columns
    }

    /// By position in the query: which cells of the row that was last found may be given out; `None`: all of them.
    pub(super) fn visible(&self) -> Option<&[bool]> {
        (!self.is_whole).then_some(&self.visible)
    }

    /// Looks at a snapshot before its rows are requested.
    pub(super) fn fit(&mut self, tables: &[TableData]) {
        let table = &tables[self.position];
        let whole = |column: &Asked| {
            column.coverage == Coverage::All
                && column.table == self.position
                && table.column(column.slot).is_full()
        };
        self.is_whole = !self.columns.is_empty() && self.columns.iter().all(whole);
        let is_by_instance = |column: &Asked| column.coverage == Coverage::Some;
        self.has_each_row = self.columns.iter().any(whole) && !self.columns.iter().any(is_by_instance);
    }

    /// Whether every row of the snapshot is one of the request's, whatever cells it has; see [`Plan::fit`].
    pub(super) fn has_each_row(&self) -> bool {
        self.has_each_row
    }

    /// The first row of the query's range, and the end of the range.
    pub(super) fn bounds(&self, table: &TableData, query: &RowQuery<'_>) -> (usize, usize) {
        let (first, end) = match query.range {
            RowRange::All => (0, table.len()),
            RowRange::One(index) => table.find(index).map_or((0, 0), |row| (row, row + 1)),
            RowRange::After { index, .. } => (table.rows_upto(index), table.len()),
            RowRange::Keys(keys) => within(table, keys),
        };
        let (from, below) = within(table, &self.keys);
        (first.max(from), end.min(below))
    }

    /// The next row from `row` on that may be returned.
    #[inline]
    pub(super) fn next_row(
        &mut self,
        tables: &[TableData],
        query: &RowQuery<'_>,
        row: usize,
        end: usize,
    ) -> Option<usize> {
        if self.is_whole && query.filter.is_none() {
            return (row < end).then_some(row);
        }
        self.search(tables, query, row, end)
    }

    fn search(
        &mut self,
        tables: &[TableData],
        query: &RowQuery<'_>,
        mut row: usize,
        end: usize,
    ) -> Option<usize> {
        let table = &tables[self.position];
        while row < end {
            if !self.is_whole && !self.look_at(tables, query.access, row) {
                row = self.behind(table, query.access, row)?;
                continue;
            }
            let cells = RowCells { table, row, readable: &self.readable, access: query.access };
            if query.filter.is_none_or(|filter| filter.holds(&cells)) {
                return Some(row);
            }
            row += 1;
        }
        None
    }

    /// Finds out what of a row is there and may be read; whether it is one of the request's.
    fn look_at(&mut self, tables: &[TableData], access: &Access, row: usize) -> bool {
        self.visible.clear();
        let table = &tables[self.position];
        for column in &self.columns {
            let is_there = column.coverage != Coverage::None
                && match column.table == self.position {
                    true => table.column(column.slot).is_present(row),
                    false => column.value_at(tables, &table.index()[row], row).is_some(),
                };
            self.visible.push(is_there && column.may_read(access, &table.index()[row]));
        }
        let index = &table.index()[row];
        let is_there = |column: &Asked| {
            column.coverage != Coverage::None
                && table.column(column.slot).is_present(row)
                && column.may_read(access, index)
        };
        self.visible.contains(&true) || self.with_empty && self.readable.iter().any(is_there)
    }

    /// Where the search continues after a row that may not be returned: rows that rules exclude are skipped
    /// together. `None`: there is nothing more.
    fn behind(&self, table: &TableData, access: &Access, row: usize) -> Option<usize> {
        if !self.is_by_rules {
            return Some(row + 1);
        }
        let index = &table.index()[row];
        let mut nearest: Option<OidBuf> = None;
        for column in self.counting().filter(|column| column.coverage == Coverage::Some) {
            let Some(rules) = column.leaf.and_then(|leaf| access.fine(leaf)) else { continue };
            if rules.include(index) {
                return Some(row + 1); // only the cell is missing
            }
            if let Some(bound) = rules.bound(index)
                && nearest.as_ref().is_none_or(|nearest| *bound < **nearest)
            {
                nearest = Some(bound);
            }
        }
        Some(table.first_from(row + 1, &nearest?))
    }
}

fn asked(tree: &Tree, served: &ServedTable, leaf: LeafId, access: &Access) -> Asked {
    if let Some(known) = tree.leaves().get(leaf.position())
        && let LeafKind::Column { table, slot } = known.kind()
        && known.group() == served.group()
    {
        return Asked::new(Some(leaf), table.into(), slot.into(), access);
    }
    Asked { leaf: None, table: served.position(), slot: 0, coverage: Coverage::None }
}

/// The rows in a range of indexes.
fn within(table: &TableData, keys: &KeyRange) -> (usize, usize) {
    let first = table.first_from(0, keys.from());
    (first, keys.below().map_or(table.len(), |below| table.first_from(first, below)))
}

/// A row as the filter sees it: what the principal may read.
struct RowCells<'a> {
    table: &'a TableData,
    row: usize,
    readable: &'a [Asked],
    access: &'a Access,
}

impl Cells for RowCells<'_> {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        let slot = slot(self.table.schema(), column)?;
        let value = self.table.column(slot).get(self.row)?;
        self.readable.get(slot)?.may_read(self.access, &self.table.index()[self.row]).then_some(value)
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        index_refs(self.table.schema().index, &self.table.index()[self.row]).nth(part)?.ok()
    }
}

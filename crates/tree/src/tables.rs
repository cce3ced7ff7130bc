//! The tables that a tree serves: each with its group and the leaves of its columns, for requests by row.

use trunkline_smi::schema::{Column, Table};

use crate::{Group, GroupId, Leaf, LeafId, LeafKind};

/// Which table; tables are numbered in the order of their OIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(u16);

/// A table of one of the tree's groups.
#[derive(Debug)]
pub struct ServedTable {
    id: TableId,
    schema: &'static Table,
    group: GroupId,
    /// In the group's list of tables.
    position: u16,
    /// By position in the schema's list of columns.
    leaves: Box<[Option<LeafId>]>,
}

impl TableId {
    /// The table's position in [`Tree::tables`](crate::Tree::tables).
    pub fn position(self) -> usize {
        usize::from(self.0)
    }
}

impl ServedTable {
    /// The table's number.
    pub fn id(&self) -> TableId {
        self.id
    }

    /// Its schema.
    pub fn schema(&self) -> &'static Table {
        self.schema
    }

    /// The group it is read with.
    pub fn group(&self) -> GroupId {
        self.group
    }

    /// The leaf of the column of this last sub-identifier; `None` for one that is not accessible, or that belongs
    /// to a region.
    pub fn leaf(&self, column: u32) -> Option<LeafId> {
        self.leaf_at(slot(self.schema, column)?)
    }

    /// The columns that have leaves, ascending.
    pub fn columns(&self) -> impl Iterator<Item = (&'static Column, LeafId)> {
        self.schema.columns.iter().zip(&self.leaves).filter_map(|(column, leaf)| Some((column, (*leaf)?)))
    }

    pub(crate) fn position(&self) -> usize {
        usize::from(self.position)
    }

    /// By the position in the schema's list of columns.
    pub(crate) fn leaf_at(&self, slot: usize) -> Option<LeafId> {
        self.leaves.get(slot).copied().flatten()
    }
}

/// The position of a column in a table's list.
pub(crate) fn slot(table: &Table, column: u32) -> Option<usize> {
    // Most tables number their columns from 1 without a gap.
    let guess = (column as usize).wrapping_sub(1);
    match table.columns.get(guess) {
        Some(found) if found.id == column => Some(guess),
        _ => table.columns.iter().position(|found| found.id == column),
    }
}

/// The tables of these groups that have a leaf in the tree.
pub(crate) fn served(groups: impl Iterator<Item = &'static Group>, leaves: &[Leaf]) -> Vec<ServedTable> {
    let mut tables: Vec<ServedTable> = groups
        .enumerate()
        .flat_map(|(group, schema)| {
            schema.tables.iter().enumerate().map(move |(position, table)| ServedTable {
                id: TableId(0),
                schema: table,
                group: GroupId::at(group),
                position: position as u16,
                leaves: vec![None; table.columns.len()].into(),
            })
        })
        .collect();
    for leaf in leaves {
        let LeafKind::Column { table, slot } = leaf.kind() else { continue };
        let of_leaf = |served: &&mut ServedTable| served.group == leaf.group() && served.position == table;
        if let Some(served) = tables.iter_mut().find(of_leaf) {
            served.leaves[usize::from(slot)] = Some(leaf.id());
        }
    }
    tables.retain(|table| table.leaves.iter().any(Option::is_some));
    tables.sort_by_key(|table| table.schema.oid);
    for (position, table) in tables.iter_mut().enumerate() {
        table.id = TableId(position as u16);
    }
    tables
}

//! What is read of the rows of a table, for the attributes that are wanted.

use trunkline_beans::{Attribute, Source, TableBean, to_java};
use trunkline_jmx::model::Value;
use trunkline_smi::{ValueRef, index_refs};
use trunkline_tree::{LeafId, Row, ServedTable};

/// What is read of each row, for some attributes.
pub(crate) struct Columns<'b> {
    pub table: &'b TableBean,
    pub leaves: Vec<LeafId>,
    /// By attribute that is wanted.
    pub wanted: Vec<(&'b Attribute, Place)>,
}

/// Where a row has the value of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// This part of its index.
    Key(usize),
    /// This cell.
    Cell(usize),
    /// Nowhere.
    Nowhere,
}

impl<'b> Columns<'b> {
    pub fn new(
        table: &'b TableBean,
        served: &ServedTable,
        wanted: impl Iterator<Item = &'b Attribute>,
    ) -> Self {
        let mut leaves = Vec::new();
        let mut place = |attribute: &'b Attribute| match attribute.source {
            Source::Key(part) => (attribute, Place::Key(part)),
            Source::Column(id) => match served.leaf(id) {
                Some(leaf) => {
                    leaves.push(leaf);
                    (attribute, Place::Cell(leaves.len() - 1))
                }
                None => (attribute, Place::Nowhere),
            },
            Source::Scalar(_) => (attribute, Place::Nowhere),
        };
        let wanted: Vec<_> = wanted.map(&mut place).collect();
        if leaves.is_empty() {
            // A row is there if anything of it may be read.
            leaves = served.columns().map(|(_, leaf)| leaf).collect();
        }
        Columns { table, leaves, wanted }
    }

    /// With all other columns too: then the rows are the same whatever is wanted of them, since a row is there if anything of it
    /// may be read.
    pub fn of_each_row(mut self, served: &ServedTable) -> Self {
        let others: Vec<LeafId> =
            served.columns().map(|(_, leaf)| leaf).filter(|leaf| !self.leaves.contains(leaf)).collect();
        self.leaves.extend(others);
        self
    }

    /// Calls `then` with each attribute and its value in a row.
    pub fn each(&self, row: Row<'_>, mut then: impl FnMut(usize, &'b Attribute, Option<ValueRef<'_>>)) {
        let mut octets = Vec::new();
        for (position, (attribute, place)) in self.wanted.iter().enumerate() {
            match *place {
                Place::Key(part) => then(position, attribute, self.key(part, row.index(), &mut octets)),
                Place::Cell(at) => then(position, attribute, row.cell(at)),
                Place::Nowhere => then(position, attribute, None),
            }
        }
    }

    /// The value of a part of the index of a row.
    pub fn key<'i>(&self, part: usize, index: &'i [u32], octets: &'i mut Vec<u8>) -> Option<ValueRef<'i>> {
        let parts = self.table.table.index;
        index_refs(parts, index).nth(part)?.ok()?.value(&parts[part], octets)
    }

    /// The values of a row, those that it has.
    pub fn values(&self, row: Row<'_>) -> Vec<(&'b str, Value)> {
        let mut values = Vec::with_capacity(self.wanted.len());
        self.each(row, |_, attribute, value| {
            values.extend(value.map(|value| (attribute.name, to_java(value, &attribute.syntax))));
        });
        values
    }
}

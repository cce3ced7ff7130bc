//! A snapshot: all data of a group at one moment.

use std::fmt;
use std::sync::Arc;

use trunkline_smi::Value;
use trunkline_smi::schema::{Scalar, Table};

use crate::{Group, Live, TableBuilder, TableData};

/// The immutable contents of a group at one moment.
#[derive(Debug)]
pub struct Snapshot {
    group: &'static Group,
    pub(crate) scalars: Vec<Option<ScalarCell>>,
    pub(crate) tables: Vec<TableData>,
}

/// A scalar's contents.
#[derive(Clone)]
pub enum ScalarCell {
    /// Its value when the snapshot was taken.
    Value(Value),
    /// Read at each request.
    Live(Arc<dyn Live>),
}

impl fmt::Debug for ScalarCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScalarCell::Value(value) => value.fmt(f),
            ScalarCell::Live(_) => f.write_str("Live"),
        }
    }
}

impl Snapshot {
    /// Starts an empty snapshot: scalars that are not set do not exist, tables have no rows.
    pub fn builder(group: &'static Group) -> SnapshotBuilder {
        SnapshotBuilder {
            group,
            scalars: vec![None; group.scalars.len()],
            tables: group.tables.iter().map(|table| TableBuilder::new(table)).collect(),
        }
    }

    /// Whether it was built for this group. Groups are constants that may have several addresses, so the test is
    /// that each scalar, table and column is at the same position.
    pub(crate) fn is_of(&self, group: &Group) -> bool {
        let columns =
            |table: &&'static Table| table.columns.iter().map(|column| (column.id, column.syntax.kind));
        let same_table = |(ours, theirs): (&&'static Table, &&'static Table)| {
            ours.oid == theirs.oid && columns(ours).eq(columns(theirs))
        };
        let ours = self.group;
        std::ptr::eq(ours, group)
            || ours.scalars.iter().map(|scalar| scalar.oid).eq(group.scalars.iter().map(|scalar| scalar.oid))
                && ours.tables.len() == group.tables.len()
                && ours.tables.iter().zip(group.tables).all(same_table)
    }

    /// A scalar of this group, by its schema; `None` when it has no instance.
    pub fn scalar(&self, scalar: &Scalar) -> Option<&ScalarCell> {
        let at = self.group.scalars.iter().position(|listed| listed.oid == scalar.oid)?;
        self.scalars[at].as_ref()
    }

    /// A table of this group, by its schema.
    pub fn table(&self, table: &Table) -> Option<&TableData> {
        self.tables.iter().find(|data| data.schema().oid == table.oid)
    }
}

/// Fills a snapshot.
#[derive(Debug)]
pub struct SnapshotBuilder {
    group: &'static Group,
    scalars: Vec<Option<ScalarCell>>,
    tables: Vec<TableBuilder>,
}

impl SnapshotBuilder {
    /// Sets a scalar of the group.
    ///
    /// A scalar that the group does not list, or a value of another type than the
    /// schema's, is a mistake in the provider: it is left out and panics in debug builds.
    pub fn scalar(&mut self, scalar: &Scalar, value: Value) -> &mut Self {
        let fits = value.kind() == scalar.syntax.kind;
        debug_assert!(fits, "{}: {:?} is not of kind {:?}", scalar.name, value, scalar.syntax.kind);
        if fits {
            self.cell(scalar, ScalarCell::Value(value));
        }
        self
    }

    /// Sets a scalar that is read at each request.
    pub fn live(&mut self, scalar: &Scalar, live: Arc<dyn Live>) -> &mut Self {
        self.cell(scalar, ScalarCell::Live(live));
        self
    }

    fn cell(&mut self, scalar: &Scalar, cell: ScalarCell) {
        let at = self.group.scalars.iter().position(|listed| listed.oid == scalar.oid);
        debug_assert!(at.is_some(), "{} is not in group {}", scalar.name, self.group.name);
        if let Some(at) = at {
            self.scalars[at] = Some(cell);
        }
    }

    /// The rows of a table of the group, to be filled.
    ///
    /// # Panics
    /// If the group does not list the table: a mistake in the provider's own constants.
    #[allow(clippy::panic)]
    pub fn table(&mut self, table: &Table) -> &mut TableBuilder {
        let at = self.group.tables.iter().position(|listed| listed.oid == table.oid);
        match at {
            Some(at) => &mut self.tables[at],
            None => panic!("{} is not in group {}", table.name, self.group.name),
        }
    }

    /// The finished snapshot: rows sorted by index.
    pub fn finish(self) -> Snapshot {
        Snapshot {
            group: self.group,
            scalars: self.scalars,
            tables: self.tables.into_iter().map(TableBuilder::finish).collect(),
        }
    }
}

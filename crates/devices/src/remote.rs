//! A group of a device: what a session answers, as a snapshot.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use trunkline_client::{Bound, Error, ErrorStatus, Oid, Session, Table as Fetched, TableLimit, Value};
use trunkline_smi::decode_index;
use trunkline_smi::schema::{Scalar, Table};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::link::Link;
use crate::memory::Kept;

/// The provider of a group of a device.
pub(crate) struct Remote {
    pub group: &'static Group,
    pub link: Arc<Link>,
    pub kept: Arc<Kept>,
}

impl Provider for Remote {
    fn group(&self) -> &'static Group {
        self.group
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(self.group);
        self.scalars(&mut snapshot).and_then(|()| self.tables(&mut snapshot)).map_err(|cause| {
            SourceError::new(format!("{} of {}", self.group.name, self.link.name()), cause)
        })?;
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

impl Remote {
    fn scalars(&self, snapshot: &mut SnapshotBuilder) -> io::Result<()> {
        let readable: Vec<&Scalar> =
            self.group.scalars.iter().copied().filter(|scalar| scalar.access.is_readable()).collect();
        if readable.is_empty() {
            return Ok(());
        }
        let names: Vec<Oid> =
            readable.iter().map(|scalar| Oid::EMPTY.child(scalar.oid).child(&[0])).collect();
        let answered = self.link.ask(|session| values(session, names))?.unwrap_or_default();
        for scalar in readable {
            let name = Oid::EMPTY.child(scalar.oid).child(&[0]);
            if let Some(value) = answered.get(&name).and_then(Bound::value)
                && value.kind() == scalar.syntax.kind
            {
                snapshot.scalar(scalar, value.clone());
            }
        }
        Ok(())
    }

    fn tables(&self, snapshot: &mut SnapshotBuilder) -> io::Result<()> {
        for table in self.group.tables {
            let columns: Vec<u32> = table
                .columns
                .iter()
                .filter(|column| column.access.is_readable())
                .map(|column| column.id)
                .collect();
            if columns.is_empty() {
                continue;
            }
            let room = self.kept.room().map_err(|error| self.link.refused(&error))?;
            let asked = self.link.ask(|session| rows(session, table, columns.clone(), room.limit));
            let fetched = asked?.unwrap_or_default();
            fill(snapshot, table, &columns, &fetched);
            self.kept.note(self.group.name, weight(&fetched));
        }
        Ok(())
    }
}

/// The values of instances, by their names. In SNMPv1 an instance that is missing is an error of the whole request: then each is
/// asked for alone.
pub(crate) async fn values(
    session: Arc<dyn Session>,
    names: Vec<Oid>,
) -> Result<BTreeMap<Oid, Bound>, Error> {
    match session.get(&names).await {
        Ok(answer) => Ok(answer.bindings.into_iter().map(|binding| (binding.name, binding.value)).collect()),
        Err(Error::Status { .. }) => {
            let (mut all, mut refused) = (BTreeMap::new(), None);
            for name in names {
                match session.get(std::slice::from_ref(&name)).await {
                    Ok(answer) => {
                        all.extend(answer.bindings.into_iter().map(|binding| (binding.name, binding.value)));
                    }
                    Err(Error::Status { status, .. }) if status == ErrorStatus::NoSuchName.code() => {}
                    Err(error @ Error::Status { .. }) => refused = Some(error),
                    Err(error) => return Err(error),
                }
            }
            // A device that has some of them has said what is wrong with the others.
            refused.filter(|_| all.is_empty()).map_or(Ok(all), Err)
        }
        Err(error) => Err(error),
    }
}

async fn rows(
    session: Arc<dyn Session>,
    table: &'static Table,
    columns: Vec<u32>,
    limit: TableLimit,
) -> Result<Fetched, Error> {
    session.table(table, &columns, limit).await
}

/// About how many octets a table is.
fn weight(fetched: &Fetched) -> usize {
    let contents = |cell: &Option<Bound>| match cell.as_ref().and_then(Bound::value) {
        Some(Value::OctetString(octets) | Value::Opaque(octets)) => octets.len(),
        _ => 0,
    };
    let rows = fetched.rows.iter().map(|(index, cells)| {
        let cells_of_it = cells.iter().map(contents).sum::<usize>() + size_of_val(&cells[..]);
        size_of_val(&index[..]) + cells_of_it
    });
    rows.sum()
}

/// The rows whose indexes and values are as the schema says; of others the device has made something up.
fn fill(snapshot: &mut SnapshotBuilder, table: &'static Table, columns: &[u32], fetched: &Fetched) {
    let kind_of = |id: u32| table.columns.iter().find(|column| column.id == id).map(|it| it.syntax.kind);
    let kinds: Vec<_> = columns.iter().map(|id| kind_of(*id)).collect();
    let rows = snapshot.table(table);
    for (index, cells) in &fetched.rows {
        if decode_index(table.index, index).is_err() {
            continue;
        }
        let mut row = rows.row(index);
        for ((id, kind), cell) in columns.iter().zip(&kinds).zip(cells) {
            if let Some(value) = cell.as_ref().and_then(Bound::value)
                && Some(value.kind()) == *kind
            {
                row.value(*id, value.as_value_ref());
            }
        }
    }
}

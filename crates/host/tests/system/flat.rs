//! A group's contents as one sorted list of instances.

use std::collections::BTreeMap;
use std::time::Instant;

use trunkline_host::{HostOptions, providers};
use trunkline_smi::{Oid, Value};
use trunkline_tree::{Group, Loaded, Provider, ScalarCell, Snapshot};

/// The instances of a group, by name.
pub type Instances = BTreeMap<Oid, Value>;

/// The snapshot of a provider that has not been loaded before.
pub fn load(provider: &dyn Provider) -> Snapshot {
    match provider.load(None).unwrap() {
        Loaded::Snapshot(snapshot) => snapshot,
        Loaded::Unchanged => panic!("{}: unchanged since nothing", provider.group().name),
    }
}

/// The snapshot of one group of a machine.
pub fn load_group(options: &HostOptions, name: &str) -> Snapshot {
    load(&*providers(options).into_iter().find(|provider| provider.group().name == name).unwrap())
}

/// What a manager can read of a snapshot.
pub fn instances(group: &Group, snapshot: &Snapshot) -> Instances {
    let mut all = Instances::new();
    for scalar in group.scalars {
        let value = match snapshot.scalar(scalar) {
            None => continue,
            Some(ScalarCell::Value(value)) => value.clone(),
            Some(ScalarCell::Live(live)) => live.read(Instant::now()).to_value(),
        };
        all.insert(Oid::new(scalar.oid).unwrap().child(&[0]), value);
    }
    for table in group.tables {
        let data = snapshot.table(table).unwrap();
        for column in table.columns.iter().filter(|column| column.access.is_readable()) {
            let prefix = Oid::new(table.oid).unwrap().child(&[1, column.id]);
            for (row, index) in data.index().iter().enumerate() {
                all.extend(data.get(row, column.id).map(|value| (prefix.child(index), value.to_value())));
            }
        }
    }
    all
}

/// A table as lines: the index, then the cells in the order of the columns; `-` for a missing one.
pub fn table_lines(snapshot: &Snapshot, table: &trunkline_smi::schema::Table) -> Vec<String> {
    let data = snapshot.table(table).unwrap();
    let columns: Vec<_> = table.columns.iter().filter(|column| column.access.is_readable()).collect();
    let line = |row: usize| {
        let cells = columns.iter().map(|column| match data.get(row, column.id) {
            None => "-".to_owned(),
            Some(trunkline_smi::ValueRef::OctetString(octets)) => match std::str::from_utf8(octets) {
                Ok(text) if !text.chars().any(char::is_control) => format!("{text:?}"),
                _ => trunkline_smi::ValueRef::OctetString(octets).to_string(),
            },
            Some(value) => value.to_string(),
        });
        let index = trunkline_smi::display_oid(data.index().get(row).unwrap()).to_string();
        std::iter::once(index).chain(cells).collect::<Vec<_>>().join(" ")
    };
    (0..data.len()).map(line).collect()
}

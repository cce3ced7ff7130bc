//! Names of objects, from the schema of what this agent serves.

use std::collections::BTreeMap;
use std::fmt;

use trunkline_netsnmp::oids::{self, Kind};
use trunkline_smi::{Oid, module};

/// An object or a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    /// Its identifier.
    pub oid: Oid,
    /// Its name; below a known node if it is unknown.
    pub name: String,
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.oid)
    }
}

/// All names.
pub(super) struct Objects {
    names: BTreeMap<Vec<u32>, &'static str>,
    /// The number of sub-identifiers of the table above a column.
    columns: BTreeMap<Vec<u32>, usize>,
}

impl Objects {
    pub fn new() -> Self {
        let mut names = BTreeMap::new();
        let mut columns = BTreeMap::new();
        for module in module::ALL {
            names.extend(module.nodes.iter().map(|node| (node.oid.to_vec(), node.name)));
            names.extend(module.scalars.iter().map(|scalar| (scalar.oid.to_vec(), scalar.name)));
            for table in module.tables {
                names.insert(table.oid.to_vec(), table.name);
                for column in table.columns {
                    let oid = [table.oid, &[1, column.id]].concat();
                    columns.insert(oid.clone(), table.oid.len());
                    names.insert(oid, column.name);
                }
            }
        }
        names.extend(oids::NODES.iter().map(|(name, oid)| (oid.to_vec(), *name)));
        Objects { names, columns }
    }

    /// The object of an instance; if it is unknown, the known node above it and the next sub-identifiers, which
    /// distinguish groups and tables.
    pub fn of(&self, instance: &Oid) -> Object {
        let (length, label) = self.known(instance);
        let is_leaf = oids::kind(&instance[..length]) != Kind::Node;
        let end = if is_leaf { length } else { (length + 3).min(instance.len()) };
        let more: String = instance[length..end].iter().map(|sub_id| format!(".{sub_id}")).collect();
        Object { oid: Oid::from([]).child(&instance[..end]), name: format!("{label}{more}") }
    }

    /// The table of an instance, or its object if it is not in a known table.
    pub fn table_of(&self, instance: &Oid) -> Object {
        let (length, _) = self.known(instance);
        match self.columns.get(&instance[..length]) {
            Some(table) => {
                let oid = &instance[..*table];
                let name = self.names.get(oid).copied().unwrap_or_default().to_string();
                Object { oid: Oid::from([]).child(oid), name }
            }
            None => self.of(instance),
        }
    }

    fn known(&self, instance: &Oid) -> (usize, &'static str) {
        (1..=instance.len())
            .rev()
            .find_map(|length| self.names.get(&instance[..length]).map(|known| (length, *known)))
            .unwrap_or((1, "iso"))
    }
}

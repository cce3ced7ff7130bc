//! The operations: generated from the schema of the served modules, never written by hand.
//!
//! | for | operation | answer |
//! | --- | --- | --- |
//! | `ifTable` | `GetIfTable`, wanted columns | every row |
//! | | `GetIfTableColumn`, one column | that column of every row |
//! | | `GetIfEntry`, the index objects, wanted columns | one row |
//! | | `GetNextIfEntries`, after which row, how many | the rows after it |
//! | | `SetIfEntry`, the index objects, new values | only that it is done |
//! | the scalars of `system` | `GetSystem`, `SetSystem` | all of them |

mod name;

use std::collections::HashMap;

use trunkline_smi::schema::{Column, IndexPart, Module, Scalar, Syntax, Table};

pub use name::{NameError, ObjectName};

use crate::near::near;

/// All operations on the tables and groups of some modules.
#[derive(Debug)]
pub struct Catalog {
    tables: Vec<ServedTable>,
    groups: Vec<ServedGroup>,
    /// By local name.
    operations: HashMap<String, Target>,
    names: name::Names,
}

/// What an operation's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Something with a table, by its position in [`Catalog::tables`].
    Table(TableVerb, usize),
    /// `GetSystem`, by position in [`Catalog::groups`].
    GetGroup(usize),
    /// `SetSystem`, by position in [`Catalog::groups`].
    SetGroup(usize),
}

/// The operations on a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableVerb {
    /// `GetIfTable`
    Whole,
    /// `GetIfTableColumn`
    Column,
    /// `GetIfEntry`
    Row,
    /// `GetNextIfEntries`
    NextRows,
    /// `SetIfEntry`
    SetRow,
}

/// A table and the parts of its operations' names.
#[derive(Debug)]
pub struct ServedTable {
    /// The module.
    pub module: &'static Module,
    /// The table.
    pub table: &'static Table,
    /// The fields of a row: index objects, then the readable columns that are not index objects.
    pub record: Record,
}

/// Scalars with one parent.
#[derive(Debug)]
pub struct ServedGroup {
    /// The module.
    pub module: &'static Module,
    /// The parent's descriptor, as in `system`.
    pub name: &'static str,
    /// The readable scalars, ascending.
    pub scalars: Vec<&'static Scalar>,
    /// The same as fields.
    pub record: Record,
}

/// The fields of an answer's row, or of a group's scalars.
#[derive(Clone, Debug)]
pub struct Record {
    /// The element around the fields: `ifEntry`, `system`.
    pub element: &'static str,
    /// Index objects.
    pub keys: &'static [IndexPart],
    /// Values in the order in which they are written; they may all be absent.
    pub fields: Vec<Field>,
}

/// An object of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The descriptor.
    pub name: &'static str,
    /// What its values may be.
    pub syntax: Syntax,
    /// The last sub-identifier of the column, or of the scalar.
    pub id: u32,
    /// Whether a manager may write it.
    pub is_writable: bool,
    /// UNITS, or empty.
    pub units: &'static str,
}

impl Catalog {
    /// The operations for what `is_served` of these modules' objects (by OID, without instance).
    pub fn new(modules: &'static [&'static Module], is_served: impl Fn(&[u32]) -> bool) -> Self {
        let mut catalog = Catalog {
            tables: Vec::new(),
            groups: Vec::new(),
            operations: HashMap::new(),
            names: name::Names::new(modules),
        };
        for module in modules {
            module.tables.iter().for_each(|table| catalog.add_table(module, table, &is_served));
            catalog.add_scalars(modules, module, &is_served);
        }
        catalog
    }

    /// The operations for everything that has a schema.
    pub fn complete() -> Self {
        Catalog::new(trunkline_smi::module::ALL, |_| true)
    }

    /// The tables, in the order of the modules.
    pub fn tables(&self) -> &[ServedTable] {
        &self.tables
    }

    /// The groups of scalars, in the order of the modules.
    pub fn groups(&self) -> &[ServedGroup] {
        &self.groups
    }

    /// What an operation's local name stands for.
    pub fn operation(&self, name: &str) -> Option<Target> {
        self.operations.get(name).copied()
    }

    /// The module that an operation belongs to.
    pub fn module_of(&self, target: Target) -> &'static Module {
        match target {
            Target::Table(_, table) => self.tables[table].module,
            Target::GetGroup(group) | Target::SetGroup(group) => self.groups[group].module,
        }
    }

    /// Operations whose names are near to a mistyped one.
    pub fn near(&self, name: &str) -> Vec<String> {
        let generic = ["Get", "GetNext", "Set"].into_iter();
        near(name, self.operations.keys().map(String::as_str).chain(generic))
    }

    /// The table of this descriptor.
    pub fn table(&self, name: &str) -> Option<&ServedTable> {
        self.tables.iter().find(|served| served.table.name == name)
    }

    /// What `IF-MIB::ifDescr.2`, `ifDescr.2` or `1.3.6.1.2.1.2.2.1.2.2` names.
    pub fn object_name(&self, text: &str) -> Result<ObjectName, NameError> {
        self.names.parse(text)
    }

    /// The object that an instance's name belongs to, and how many sub-identifiers its own are.
    pub fn object_of(&self, oid: &[u32]) -> Option<(&'static str, &'static str, Syntax, usize)> {
        self.names.object_of(oid)
    }

    /// Appends the readable form of a name: `IF-MIB::ifDescr.2`, or numbers if there is no schema.
    pub fn write_name(&self, oid: &[u32], into: &mut Vec<u8>) {
        self.names.write(oid, into);
    }

    fn add_table(
        &mut self,
        module: &'static Module,
        table: &'static Table,
        is_served: &impl Fn(&[u32]) -> bool,
    ) {
        let served = |column: &&Column| {
            let mut oid = table.oid.to_vec();
            oid.extend([1, column.id]);
            (column.access.is_readable() || column.access.is_writable()) && is_served(&oid)
        };
        let is_key = |column: &&Column| table.index.iter().any(|part| part.name == column.name);
        let columns: Vec<&'static Column> = table.columns.iter().filter(served).collect();
        if columns.is_empty() {
            return;
        }
        let fields = columns.into_iter().filter(|column| !is_key(column)).map(Field::of_column).collect();
        let record = Record { element: table.entry, keys: table.index, fields };
        let at = self.tables.len();
        let served = ServedTable { module, table, record };
        for verb in TableVerb::ALL {
            if verb != TableVerb::SetRow || served.record.is_writable() {
                self.operations.insert(served.operation(verb), Target::Table(verb, at));
            }
        }
        self.tables.push(served);
    }

    fn add_scalars(
        &mut self,
        modules: &'static [&'static Module],
        module: &'static Module,
        is_served: &impl Fn(&[u32]) -> bool,
    ) {
        let served = |scalar: &&Scalar| scalar.access.is_readable() && is_served(scalar.oid);
        let scalars: Vec<&'static Scalar> = module.scalars.iter().filter(served).collect();
        for group in scalars.chunk_by(|a, b| parent(a) == parent(b)) {
            let Some(name) = node_name(modules, module, parent(group[0])) else { continue };
            let known =
                self.groups.iter().position(|known| known.name == name && known.module.name == module.name);
            let at = known.unwrap_or(self.groups.len());
            if known.is_none() {
                let record = Record { element: name, keys: &[], fields: Vec::new() };
                self.groups.push(ServedGroup { module, name, scalars: Vec::new(), record });
            }
            let into = &mut self.groups[at];
            into.scalars.extend(group);
            into.record.fields.extend(group.iter().map(|scalar| Field::of_scalar(scalar)));
            let is_writable = into.record.is_writable();
            self.operations.insert(format!("Get{}", capital(name)), Target::GetGroup(at));
            if is_writable {
                self.operations.insert(format!("Set{}", capital(name)), Target::SetGroup(at));
            }
        }
    }
}

impl TableVerb {
    /// Every one.
    pub const ALL: [TableVerb; 5] =
        [TableVerb::Whole, TableVerb::Column, TableVerb::Row, TableVerb::NextRows, TableVerb::SetRow];
}

impl ServedTable {
    /// The name of an operation on this table.
    pub fn operation(&self, verb: TableVerb) -> String {
        let (table, entry) = (capital(self.table.name), capital(self.table.entry));
        match verb {
            TableVerb::Whole => format!("Get{table}"),
            TableVerb::Column => format!("Get{table}Column"),
            TableVerb::Row => format!("Get{entry}"),
            TableVerb::NextRows => match entry.strip_suffix("Entry") {
                Some(stem) => format!("GetNext{stem}Entries"),
                None => format!("GetNext{entry}Rows"),
            },
            TableVerb::SetRow => format!("Set{entry}"),
        }
    }

    /// The OID of a column.
    pub fn column_oid(&self, id: u32) -> Vec<u32> {
        let mut oid = self.table.oid.to_vec();
        oid.extend([1, id]);
        oid
    }
}

impl ServedGroup {
    /// `GetSystem`
    pub fn get_operation(&self) -> String {
        format!("Get{}", capital(self.name))
    }

    /// `SetSystem`
    pub fn set_operation(&self) -> String {
        format!("Set{}", capital(self.name))
    }
}

impl Record {
    /// Whether a manager may write any of it.
    pub fn is_writable(&self) -> bool {
        self.fields.iter().any(|field| field.is_writable)
    }

    /// The position of a field.
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The same record with these fields only, in this order.
    #[must_use]
    pub fn only(&self, fields: &[usize]) -> Record {
        let fields = fields.iter().filter_map(|at| self.fields.get(*at)).copied().collect();
        Record { element: self.element, keys: self.keys, fields }
    }
}

impl Field {
    fn of_column(column: &'static Column) -> Self {
        Field {
            name: column.name,
            syntax: column.syntax,
            id: column.id,
            is_writable: column.access.is_writable(),
            units: column.units,
        }
    }

    fn of_scalar(scalar: &'static Scalar) -> Self {
        Field {
            name: scalar.name,
            syntax: scalar.syntax,
            id: scalar.oid.last().copied().unwrap_or(0),
            is_writable: scalar.access.is_writable(),
            units: scalar.units,
        }
    }
}

fn parent(scalar: &Scalar) -> &'static [u32] {
    scalar.oid.split_last().map_or(&[], |(_, parent)| parent)
}

/// The descriptor of a node, looked for in its own module first; else the module's own nodes above it.
fn node_name(modules: &'static [&'static Module], own: &'static Module, oid: &[u32]) -> Option<&'static str> {
    let named = |oid: &[u32]| {
        let all = own.nodes.iter().chain(modules.iter().flat_map(|module| module.nodes));
        all.into_iter().find(|node| node.oid == oid).map(|node| node.name)
    };
    (1..=oid.len()).rev().find_map(|len| named(&oid[..len]))
}

/// `ifTable` as in `GetIfTable`.
pub(crate) fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_scalar_has_its_operations_and_no_two_share_a_name() {
        let catalog = Catalog::complete();
        let mut expected = 0;
        for table in catalog.tables() {
            expected += if table.record.is_writable() { 5 } else { 4 };
        }
        for group in catalog.groups() {
            expected += if group.record.is_writable() { 2 } else { 1 };
        }
        assert_eq!(catalog.operations.len(), expected);
        let scalars: usize = catalog.groups().iter().map(|group| group.scalars.len()).sum();
        let modules = trunkline_smi::module::ALL;
        let readable = |scalar: &&Scalar| scalar.access.is_readable();
        let all: usize = modules.iter().map(|module| module.scalars.iter().filter(readable).count()).sum();
        assert_eq!(scalars, all);
        for module in modules {
            for table in module.tables {
                let any = table.columns.iter().any(|column| column.access.is_readable());
                assert_eq!(catalog.table(table.name).is_some(), any, "{}", table.name);
            }
        }
    }

    #[test]
    fn names_are_those_of_the_paper() {
        let catalog = Catalog::complete();
        let table = catalog.table("ifTable").unwrap();
        let names: Vec<String> = TableVerb::ALL.iter().map(|verb| table.operation(*verb)).collect();
        assert_eq!(names, ["GetIfTable", "GetIfTableColumn", "GetIfEntry", "GetNextIfEntries", "SetIfEntry"]);
        assert!(matches!(catalog.operation("GetSystem"), Some(Target::GetGroup(_))));
        assert!(matches!(catalog.operation("SetSystem"), Some(Target::SetGroup(_))));
        assert_eq!(catalog.near("GetIfTabel"), ["GetIfTable"]);
    }
}

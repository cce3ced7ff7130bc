//! A row of a table: its instances as bindings, and its cells as an agent answers them.

use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, Oid, OidBuf, Value, encode_index};
use trunkline_snmp::wire::{Bound, VarBind};

use crate::AccountError;

/// What a manager does to a row by its RowStatus (RFC 2579).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// active(1).
    Activate,
    /// notInService(2).
    Deactivate,
    /// createAndGo(4).
    Create,
    /// createAndWait(5).
    CreateInactive,
    /// destroy(6).
    Delete,
}

impl Action {
    const fn number(self) -> i32 {
        match self {
            Action::Activate => 1,
            Action::Deactivate => 2,
            Action::Create => 4,
            Action::CreateInactive => 5,
            Action::Delete => 6,
        }
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    table: TableRef,
    index: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct TableRef(&'static Table);

impl PartialEq for TableRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.oid == other.0.oid
    }
}

impl Eq for TableRef {}

impl Row {
    pub(crate) fn new(table: &'static Table, index: &[IndexValue]) -> Result<Self, AccountError> {
        let too_long = |_| AccountError::Index { table: table.name };
        let mut octets = OidBuf::new();
        // A column and the entry precede the index in a name.
        octets.extend(table.oid).map_err(|_| AccountError::Index { table: table.name })?;
        octets.extend(&[1, 1]).map_err(|_| AccountError::Index { table: table.name })?;
        let front = octets.len();
        encode_index(table.index, index, &mut octets).map_err(too_long)?;
        Ok(Row { table: TableRef(table), index: octets[front..].to_vec() })
    }

    /// The instance of a column, which the table has.
    pub(crate) fn at(&self, column: &str) -> Oid {
        column_of(self.table.0, column).child(&self.index)
    }

    pub(crate) fn set(&self, column: &str, value: Value) -> VarBind {
        VarBind::new(self.at(column), value)
    }

    pub(crate) fn act(&self, status: &str, action: Action) -> VarBind {
        self.set(status, Value::Integer(action.number()))
    }
}

/// A column's object identifier. All names of columns are in this crate.
pub(crate) fn column_of(table: &'static Table, name: &str) -> Oid {
    let id = table.columns.iter().find(|column| column.name == name).map_or(0, |column| column.id);
    Oid::EMPTY.child(table.oid).child(&[1, id])
}

/// The columns of a table that a manager may read, in the order of [`Cells`].
pub(crate) fn columns_of(table: &'static Table, names: &[&str]) -> Vec<Oid> {
    names.iter().map(|name| column_of(table, name)).collect()
}

/// The cells of a row in the order of the columns; what the agent does not have or show is missing.
pub type Cells = [Option<Bound>];

/// The number in a cell.
pub(crate) fn number(cells: &Cells, at: usize) -> Option<i32> {
    match cells.get(at)? {
        Some(Bound::Value(Value::Integer(number))) => Some(*number),
        _ => None,
    }
}

/// The octets in a cell.
pub(crate) fn octets(cells: &Cells, at: usize) -> Option<Vec<u8>> {
    match cells.get(at)? {
        Some(Bound::Value(Value::OctetString(octets))) => Some(octets.clone()),
        _ => None,
    }
}

/// The object identifier in a cell.
pub(crate) fn object(cells: &Cells, at: usize) -> Option<Oid> {
    match cells.get(at)? {
        Some(Bound::Value(Value::ObjectIdentifier(oid))) => Some(oid.clone()),
        _ => None,
    }
}

/// A name as an index object, if it is as long as it may be.
pub(crate) fn name_index(what: &'static str, name: &[u8], least: usize) -> Result<IndexValue, AccountError> {
    if (least..=32).contains(&name.len()) {
        return Ok(IndexValue::Octets(name.to_vec()));
    }
    let expected = if least == 0 { "0 to 32" } else { "1 to 32" };
    let (name, found) = (String::from_utf8_lossy(name).into_owned(), name.len());
    Err(AccountError::Name { what, name, found, expected })
}

/// The name of a number of an enumeration of the table's column.
pub(crate) fn named(table: &'static Table, column: &str, number: i32) -> Option<&'static str> {
    table.columns.iter().find(|known| known.name == column)?.syntax.name_of(number)
}

//! One row: its cells by column, its state, and its secrets.

use std::collections::BTreeMap;
use std::fmt;

use trunkline_smi::Value;
use trunkline_tree::policy::{Origin, RowState, RowStatus, StorageType};
use zeroize::Zeroizing;

/// A row of a table that managers may write.
#[derive(Clone, PartialEq)]
pub struct Row {
    cells: BTreeMap<&'static str, Value>,
    secrets: BTreeMap<&'static str, Secret>,
    /// Its origin, its lifetime, and whether it is active.
    pub state: RowState,
    /// Whether a manager has changed a row of the configuration.
    pub is_changed: bool,
}

/// Octets that no reader is shown: a key. Wiped when it goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Row {
    /// A row of the configuration.
    pub fn configured(storage: StorageType, cells: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        let state = RowState { origin: Origin::Config, storage, status: RowStatus::Active };
        Row { cells: cells.into_iter().collect(), secrets: BTreeMap::new(), state, is_changed: false }
    }

    /// A row that a manager creates.
    pub fn created(cells: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        let state =
            RowState { origin: Origin::Set, storage: StorageType::NonVolatile, status: RowStatus::NotReady };
        Row { cells: cells.into_iter().collect(), secrets: BTreeMap::new(), state, is_changed: false }
    }

    /// A cell; `None` where the column has no value yet.
    pub fn get(&self, column: &str) -> Option<&Value> {
        self.cells.get(column)
    }

    /// Sets a cell.
    pub fn set(&mut self, column: &'static str, value: Value) {
        self.cells.insert(column, value);
    }

    /// Leaves a cell without a value.
    pub fn unset(&mut self, column: &str) {
        self.cells.remove(column);
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.cells.iter().map(|(name, value)| (*name, value))
    }

    /// The octets of a cell; empty if it has none.
    pub fn octets(&self, column: &str) -> &[u8] {
        match self.get(column) {
            Some(Value::OctetString(octets)) => octets,
            _ => &[],
        }
    }

    /// The number in a cell; 0 if it has none.
    pub fn integer(&self, column: &str) -> i32 {
        match self.get(column) {
            Some(Value::Integer(number)) => *number,
            _ => 0,
        }
    }

    /// The number in a cell of Unsigned32; 0 if it has none.
    pub fn unsigned(&self, column: &str) -> u32 {
        match self.get(column) {
            Some(Value::Unsigned32(number)) => *number,
            _ => 0,
        }
    }

    /// The object identifier in a cell; empty if it has none.
    pub fn oid(&self, column: &str) -> &[u32] {
        match self.get(column) {
            Some(Value::ObjectIdentifier(oid)) => oid,
            _ => &[],
        }
    }

    /// A secret; `None` if there is none of this name.
    pub fn secret(&self, name: &str) -> Option<&[u8]> {
        self.secrets.get(name).map(|secret| secret.0.as_slice())
    }

    /// Keeps a secret, or forgets it.
    pub fn set_secret(&mut self, name: &'static str, octets: Option<Vec<u8>>) {
        match octets {
            Some(octets) => self.secrets.insert(name, Secret::new(octets)),
            None => self.secrets.remove(name),
        };
    }

    /// All secrets.
    pub fn secrets(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.secrets.iter().map(|(name, secret)| (*name, secret.0.as_slice()))
    }

    /// Whether a manager has created it.
    pub fn is_set(&self) -> bool {
        self.state.origin == Origin::Set
    }
}

impl Secret {
    /// A secret of these octets.
    pub fn new(octets: Vec<u8>) -> Self {
        Secret(Zeroizing::new(octets))
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row")
            .field("columns", &self.cells.keys().collect::<Vec<_>>())
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

//! `/snmp` (RFC 7407): the configuration of SNMP's engine as the rows of SNMP's own tables, in both directions. There is no other store: what
//! is read is made of the rows, and what is configured becomes rows.

mod build;
mod force;
mod form;
mod read;
mod rows;
#[cfg(test)]
mod tests;
mod users;
mod write;

use std::collections::BTreeMap;

use trunkline_datastore::{Branch, Step};
use trunkline_netconf::error::Tag;
use trunkline_smi::Value;
use trunkline_smi::schema::Table;
use trunkline_yang::forest::{Forest, NodeId};

pub(crate) use build::{Build, Look};
pub use force::make;
pub use rows::instance;
pub(crate) use rows::{index, of, text_of};
pub(crate) use write::{Wanted, differences};

/// The rows of all tables by the table's name and the row's index.
pub type SnmpRows = BTreeMap<RowId, SnmpRow>;

/// Which row.
pub type RowId = (&'static str, Vec<u32>);

/// An active row.
#[derive(Clone, Default, PartialEq)]
pub struct SnmpRow {
    /// Its cells by the names of their columns.
    pub cells: BTreeMap<&'static str, Value>,
    /// Its secrets by their names.
    pub secrets: BTreeMap<&'static str, Vec<u8>>,
    /// Whether the configuration file has it.
    pub is_fixed: bool,
}

/// What there is besides rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Engine {
    /// snmpEngineID.
    pub id: Vec<u8>,
    /// Whether the configuration file sets that.
    pub is_id_fixed: bool,
    /// Where SNMP is listened for: the transport as the model names it, the address and the port.
    pub listen: Vec<(&'static str, String, u16)>,
    /// Which of v1, v2c and v3 somebody can use.
    pub versions: Vec<&'static str>,
    /// snmpEnableAuthenTraps, if somebody has set it, and whether that is the configuration file.
    pub traps: Option<(bool, bool)>,
    /// snmpTsmConfigurationUsePrefix, and whether the configuration file sets it.
    pub use_prefix: (bool, bool),
}

/// All of it.
#[derive(Clone, Default)]
pub struct SnmpState {
    /// The rows.
    pub rows: SnmpRows,
    /// The rest.
    pub engine: Engine,
}

/// The configuration that rows are.
#[derive(Debug, Default)]
pub struct SnmpConfig {
    /// What `/snmp` has.
    pub branch: Branch,
    /// Where in it the configuration file decides; the first step is the root.
    pub fixed: Vec<Vec<Step>>,
}

/// How rows are to change.
#[derive(Clone, PartialEq)]
pub struct SnmpEdit {
    /// Which row.
    pub row: RowId,
    /// What is to change of it; `None`: it is to go.
    pub cells: Option<Vec<(&'static str, Value)>>,
    /// Secrets that it is to have, or to lose.
    pub secrets: Vec<(&'static str, Option<Vec<u8>>)>,
    /// Where in the configuration it comes from.
    pub path: Vec<Step>,
}

/// A scalar that is to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnmpScalar {
    /// The leaf.
    pub path: Vec<Step>,
    /// TruthValue.
    pub value: bool,
}

/// What a configuration cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnmpFault {
    /// Where.
    pub path: Vec<Step>,
    /// Why, and what to do.
    pub reason: String,
    /// What kind of error that is: `invalid-value` if the configuration can never be that.
    pub tag: Tag,
}

impl SnmpFault {
    /// A value that cannot be.
    pub(crate) fn invalid(path: Vec<Step>, reason: impl Into<String>) -> Self {
        SnmpFault { path, reason: reason.into(), tag: Tag::InvalidValue }
    }
}

/// The root of the model.
#[must_use]
pub fn root(forest: &Forest) -> Option<NodeId> {
    forest.child_of(None, "ietf-snmp", "snmp")
}

/// The configuration in force, with what the configuration file says.
#[must_use]
pub fn in_force(forest: &Forest, state: &SnmpState) -> SnmpConfig {
    read::read(forest, state)
}

/// The same without that: what clients and managers have configured, and can change.
#[must_use]
pub fn configured(forest: &Forest, state: &SnmpState) -> Branch {
    let (traps, prefix) = (state.engine.traps, state.engine.use_prefix);
    let engine = Engine {
        id: state.engine.id.clone(),
        traps: traps.filter(|(_, is_fixed)| !is_fixed),
        use_prefix: if prefix.1 { (false, false) } else { prefix },
        ..Engine::default()
    };
    let rows = state.rows.iter().filter(|(_, row)| !row.is_fixed);
    let rows = rows.map(|(id, row)| (id.clone(), row.clone())).collect();
    read::read(forest, &SnmpState { rows, engine }).branch
}

/// What is to change of rows for the configuration to be another one. `is_new`: no row is overwritten that the model cannot show.
///
/// # Errors
/// It cannot be that.
pub fn edits(
    forest: &Forest,
    state: &SnmpState,
    before: Option<&Branch>,
    after: Option<&Branch>,
    is_new: bool,
) -> Result<(Vec<SnmpEdit>, Vec<SnmpScalar>), SnmpFault> {
    write::edits(forest, state, before, after, is_new)
}

/// The table of a name.
pub(crate) fn table(name: &str) -> Option<&'static Table> {
    trunkline_smi::module::ALL.iter().flat_map(|module| module.tables).find(|table| table.name == name)
}

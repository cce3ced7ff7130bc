//! `/delegation`: what managers have the agent do on its own, as the rows of DISMAN-EXPRESSION-MIB and DISMAN-EVENT-MIB, in both directions. There is no
//! other store: what is read is made of the rows, and what is configured becomes rows.

mod read;
#[cfg(test)]
mod tests;
mod write;

use trunkline_datastore::{Branch, Step};
use trunkline_smi::IndexValue;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::DELEGATION;

use crate::snmp::{SnmpConfig, SnmpEdit, SnmpFault, SnmpState, index};

/// The hidden cell of a row with the seconds that it lasts, in decimal digits.
pub const LIFETIME: &str = "lifetime";

/// The hidden cell with the time until which a row lasts, as the model writes it.
pub const UNTIL: &str = "until";

const EXPRESSIONS: &str = "expExpressionTable";
const OBJECTS: &str = "expObjectTable";
const TRIGGERS: &str = "mteTriggerTable";
const EVENTS: &str = "mteEventTable";
const MORE: &str = "mteObjectsTable";

/// Whether a row of this table is delegated work.
#[must_use]
pub fn is_of(table: &str) -> bool {
    [EXPRESSIONS, OBJECTS, TRIGGERS, EVENTS, MORE].contains(&table)
}

/// The root of the model.
#[must_use]
pub fn root(forest: &Forest) -> Option<NodeId> {
    forest.child_of(None, DELEGATION.name, "delegation")
}

/// What is in force, with what the configuration file has.
#[must_use]
pub fn in_force(forest: &Forest, state: &SnmpState) -> SnmpConfig {
    read::read(forest, &state.rows, true)
}

/// The same without that: what clients and managers have configured, and can change.
#[must_use]
pub fn configured(forest: &Forest, state: &SnmpState) -> Branch {
    read::read(forest, &state.rows, false).branch
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
) -> Result<Vec<SnmpEdit>, SnmpFault> {
    write::edits(forest, state, before, after, is_new)
}

/// The index of the row that a leaf is of.
#[must_use]
pub fn instance(forest: &Forest, steps: &[Step]) -> Option<Vec<u32>> {
    let [_, entry, rest @ ..] = steps else { return None };
    let [owner, name, more @ ..] = &entry.keys[..] else { return None };
    let text = |text: &str| IndexValue::Octets(text.as_bytes().to_vec());
    let id = [text(owner), text(name)];
    match forest[entry.node].name.as_str() {
        "expression" => {
            let object = rest.iter().find_map(|step| step.keys.first()?.parse().ok());
            match object {
                Some(number) => index(OBJECTS, &[&id[..], &[IndexValue::Integer(number)]].concat()),
                None => index(EXPRESSIONS, &id),
            }
        }
        "monitor" => index(TRIGGERS, &id),
        "event" => index(EVENTS, &id),
        "notification-object" => {
            let number = more.first()?.parse().ok()?;
            index(MORE, &[&id[..], &[IndexValue::Integer(number)]].concat())
        }
        _ => None,
    }
}

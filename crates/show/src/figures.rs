//! What commands read that know their objects: scalars and tables of an agent, as numbers and text.

pub mod inet;
pub mod interfaces;
pub mod protocols;
pub mod routes;
pub mod sockets;
pub mod storage;

use trunkline_client::{Error as ClientError, Session, Table};
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus};

/// The values of scalars, in this order; nothing where the agent has none.
pub async fn scalars(session: &dyn Session, objects: &[&[u32]]) -> Result<Vec<Option<Value>>, ClientError> {
    let instance = |object: &&[u32]| Oid::EMPTY.child(object).child(&[0]);
    let mut asked: Vec<(usize, Oid)> = objects.iter().map(instance).enumerate().collect();
    let mut values = vec![None; objects.len()];
    while !asked.is_empty() {
        let names: Vec<Oid> = asked.iter().map(|(_, name)| name.clone()).collect();
        let fault = match session.get(&names).await {
            Ok(answer) => {
                for ((at, _), binding) in asked.iter().zip(answer.bindings) {
                    if let Bound::Value(value) = binding.value {
                        values[*at] = Some(value);
                    }
                }
                break;
            }
            Err(fault) => fault,
        };
        // SNMPv1 refuses the whole request because of one object: the others are requested without it.
        match fault.position(ErrorStatus::NoSuchName, asked.len()) {
            Some(missing) => drop(asked.remove(missing)),
            None => return Err(fault),
        }
    }
    Ok(values)
}

/// A value as a number that is not negative. A 32-bit INTEGER that has run over its end, as sizes do, is what it would be without a sign.
pub fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => Some(u64::from(number.cast_unsigned())),
        Value::Counter32(number) | Value::Unsigned32(number) | Value::TimeTicks(number) => {
            Some(u64::from(*number))
        }
        Value::Counter64(number) => Some(*number),
        _ => None,
    }
}

/// A value as text.
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::OctetString(octets) => Some(String::from_utf8_lossy(octets).into_owned()),
        _ => None,
    }
}

/// The value of a row in a column.
pub fn cell<'t>(table: &'t Table, index: &[u32], column: usize) -> Option<&'t Value> {
    match table.cell(index, column) {
        Some(Bound::Value(value)) => Some(value),
        _ => None,
    }
}

/// The name of a number of a column, as its module has it; empty if it has none.
fn label(schema: &Schema, column: u32, number: Option<i32>) -> &'static str {
    let names =
        schema.columns.iter().find(|known| known.id == column).map_or(&[][..], |known| known.syntax.names);
    let name = names.iter().find(|(known, _)| Some(*known) == number);
    name.map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_ran_over_are_positive() {
        assert_eq!(number(&Value::Integer(-1)), Some(4_294_967_295));
        assert_eq!(number(&Value::Counter64(u64::MAX)), Some(u64::MAX));
        assert_eq!(number(&Value::text("1")), None);
        assert_eq!(text(&Value::text("a")).as_deref(), Some("a"));
        assert_eq!(text(&Value::Integer(1)), None);
    }
}

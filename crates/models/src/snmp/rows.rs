//! Rows by the values of their indexes, and cells by the names of their columns.

use trunkline_datastore::Step;
use trunkline_smi::{IndexValue, OidBuf, Value, decode_index, encode_index};
use trunkline_yang::forest::Forest;

use super::{SnmpRow, SnmpRows, table};

/// Octets of an index.
pub(super) fn octets(text: &str) -> IndexValue {
    IndexValue::Octets(text.as_bytes().to_vec())
}

/// The index of a row.
pub(crate) fn index(name: &'static str, values: &[IndexValue]) -> Option<Vec<u32>> {
    let mut buffer = OidBuf::new();
    encode_index(table(name)?.index, values, &mut buffer).ok().map(|()| buffer.to_vec())
}

/// The rows of a table with the values of their indexes.
pub(crate) fn of<'r>(
    rows: &'r SnmpRows,
    name: &'static str,
) -> impl Iterator<Item = (Vec<IndexValue>, &'r SnmpRow)> {
    let its = rows.range((name, Vec::new())..).take_while(move |((of, _), _)| *of == name);
    its.filter_map(move |((_, index), row)| Some((decode_index(table(name)?.index, index).ok()?, row)))
}

/// The rows of a table whose index is one name that is text.
pub(super) fn named<'r>(
    rows: &'r SnmpRows,
    name: &'static str,
) -> impl Iterator<Item = (String, &'r SnmpRow)> {
    of(rows, name).filter_map(|(values, row)| match &values[..] {
        [IndexValue::Octets(octets)] => Some((text_of(octets)?, row)),
        _ => None,
    })
}

/// Octets that a value of type string can be.
pub(crate) fn text_of(octets: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(octets).ok()?;
    let is_none_of_text = |it: char| it.is_control() && !"\t\n\r".contains(it);
    (!text.contains(is_none_of_text)).then(|| text.to_owned())
}

impl SnmpRow {
    pub(crate) fn octets(&self, column: &str) -> &[u8] {
        match self.cells.get(column) {
            Some(Value::OctetString(octets)) => octets,
            _ => &[],
        }
    }

    pub(crate) fn text(&self, column: &str) -> Option<String> {
        text_of(self.octets(column))
    }

    pub(crate) fn integer(&self, column: &str) -> i32 {
        match self.cells.get(column) {
            Some(Value::Integer(number)) => *number,
            _ => 0,
        }
    }

    pub(crate) fn oid(&self, column: &str) -> &[u32] {
        match self.cells.get(column) {
            Some(Value::ObjectIdentifier(oid)) => oid,
            _ => &[],
        }
    }
}

/// The instance of an object whose value a leaf of the model is, where its entry's key is the whole index.
#[must_use]
pub fn instance(forest: &Forest, steps: &[Step]) -> Option<Vec<u32>> {
    let [_, entry, ..] = steps else { return None };
    let [key] = &entry.keys[..] else { return Some(vec![0]) };
    match forest[entry.node].name.as_str() {
        // All of these have an index of one name whose length is implied.
        "target" | "target-params" | "notify" | "community" => Some(key.bytes().map(u32::from).collect()),
        _ => None,
    }
}

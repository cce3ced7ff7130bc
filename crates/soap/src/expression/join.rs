//! Rows of one table that describe rows of another, so that a filter can use both: expression (21) uses the
//! connection's port and its segments, which today are in two tables.
//!
//! ```text
//! ifTable, ifXTable                            the same index objects: the same rows
//! tcpConnectionTable, tcpEStatsConnectIdTable  likewise; and its column tcpEStatsConnectIndex is
//!                     -> tcpEStatsPerfTable    the index of these
//! tcpConnTable        -> tcpConnectionTable    an IpAddress is an InetAddress of type ipv4
//! ```

use std::collections::HashMap;

use trunkline_smi::Value;
use trunkline_smi::module;
use trunkline_smi::schema::{IndexEncoding, Table};

/// Fetched rows: the requested columns, by index.
pub type Rows = HashMap<Vec<u32>, Vec<Option<Value>>>;

/// How to get from a row's index to that of the other table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// It is the same.
    Same { converted: bool },
    /// It is the value of a column of a third table, which has the same rows.
    Through { link: &'static Table, column: u32, converted: bool },
}

/// The join from one table to another, if there is one.
pub(super) fn way(from: &'static Table, to: &'static Table) -> Option<Way> {
    if std::ptr::eq(from, to) {
        return None;
    }
    if let Some(converted) = same_rows(from, to) {
        return Some(Way::Same { converted });
    }
    let [only] = to.index else { return None };
    if only.encoding != IndexEncoding::Integer {
        return None;
    }
    let tables = module::ALL.iter().flat_map(|module| module.tables);
    tables.into_iter().find_map(|link| {
        let column = link.columns.iter().find(|column| column.name == only.name)?;
        let is_value = column.access.is_readable() && !link.index.iter().any(|part| part.name == only.name);
        let converted = same_rows(from, link).filter(|_| is_value)?;
        Some(Way::Through { link, column: column.id, converted })
    })
}

/// Whether two tables have rows of the same indexes, and whether these have to be converted.
fn same_rows(from: &Table, to: &Table) -> Option<bool> {
    let names = |table: &Table| table.index.iter().map(|part| part.name).collect::<Vec<_>>();
    if names(from) == names(to) {
        return Some(false);
    }
    let is_connection = to.index.first().is_some_and(|part| part.name == "tcpConnectionLocalAddressType");
    (from.name == "tcpConnTable" && is_connection && to.index.len() == 6).then_some(true)
}

impl Way {
    /// The index in the other table.
    /// With the rows of the table between, and where in them the column is.
    pub fn key(&self, index: &[u32], link: Option<(&Rows, usize)>) -> Option<Vec<u32>> {
        match *self {
            Way::Same { converted } => inet(index, converted),
            Way::Through { converted, .. } => {
                let (rows, at) = link?;
                match rows.get(&inet(index, converted)?)?.get(at)?.as_ref()? {
                    Value::Unsigned32(number) => Some(vec![*number]),
                    Value::Integer(number) => Some(vec![u32::try_from(*number).ok()?]),
                    _ => None,
                }
            }
        }
    }
}

/// `10.0.0.1.22.10.0.0.2.40000` as `1.4.10.0.0.1.22.1.4.10.0.0.2.40000`.
fn inet(index: &[u32], converted: bool) -> Option<Vec<u32>> {
    if !converted {
        return Some(index.to_vec());
    }
    const IPV4: [u32; 2] = [1, 4];
    let (local, remote) = (index.get(..5)?, index.get(5..10)?);
    Some([&IPV4, local, &IPV4, remote].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Object, object};

    fn table(name: &str) -> &'static Table {
        match object(name) {
            Some(Object::Table(table)) => table,
            _ => panic!("{name} is a table"),
        }
    }

    #[test]
    fn tables_of_the_same_rows_are_joined() {
        let way = way(table("ifTable"), table("ifXTable")).unwrap();
        assert_eq!(way.key(&[7], None), Some(vec![7]));
        let way = super::way(table("tcpConnTable"), table("tcpConnectionTable")).unwrap();
        let key = way.key(&[10, 0, 0, 1, 22, 10, 0, 0, 2, 40000], None).unwrap();
        assert_eq!(key, [1, 4, 10, 0, 0, 1, 22, 1, 4, 10, 0, 0, 2, 40000]);
        assert!(super::way(table("ifTable"), table("tcpConnTable")).is_none());
        assert!(super::way(table("ifTable"), table("ifTable")).is_none());
    }
}

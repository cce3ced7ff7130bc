//! A table that is read whole, in one answer.

use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_smi::module::ALL;
use trunkline_smi::schema::Table as Schema;
use trunkline_snmp::wire::Bound;

use super::Limits;
use super::gathering::Gathering;
use super::piece::Cursor;
use crate::device::Rows;
use crate::snapshot::Missing;

/// The table of these columns, and their numbers in it, if all are of one table that is built in.
pub(crate) fn schema_of(columns: &[Oid]) -> Option<(&'static Schema, Vec<u32>)> {
    let first = columns.first()?;
    let schema = ALL.iter().flat_map(|module| module.tables).find(|table| first.starts_with(table.oid))?;
    let number = |column: &Oid| match column.strip_prefix(schema.oid)? {
        [1, number] => schema.column(*number).map(|column| column.id),
        _ => None,
    };
    Some((schema, columns.iter().map(number).collect::<Option<_>>()?))
}

/// Takes the cells of all rows; whether they fit.
pub(super) fn take(
    table: usize,
    columns: &[Cursor],
    rows: Rows,
    now: Duration,
    into: &mut Gathering,
    limits: &Limits,
) -> bool {
    let mut is_over = vec![false; columns.len()];
    for (index, cells) in rows {
        if cells.len() != columns.len() {
            return false;
        }
        for ((cursor, cell), is_over) in columns.iter().zip(cells).zip(&mut is_over) {
            let Some(Bound::Value(value)) = cell.filter(|_| !*is_over) else { continue };
            if cursor.kind.is_some_and(|kind| kind != value.kind()) {
                into.missing(table, cursor.column, Missing::WrongType);
                *is_over = into.is_wrong(limits);
            } else if let Err(missing) = into.cell((table, cursor.column), &index, (value, now), limits) {
                into.missing(table, cursor.column, missing);
                *is_over = true;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_table_that_is_built_in_have_a_schema() {
        let of = |columns: &[&str]| {
            let columns: Vec<Oid> = columns.iter().map(|column| column.parse().unwrap()).collect();
            schema_of(&columns).map(|(schema, numbers)| (schema.name, numbers))
        };
        let (descr, octets) = ("1.3.6.1.2.1.2.2.1.2", "1.3.6.1.2.1.2.2.1.10");
        assert_eq!(of(&[octets, descr]), Some(("ifTable", vec![10, 2])));
        assert_eq!(of(&[descr, "1.3.6.1.2.1.31.1.1.1.1"]), None, "of two tables");
        assert_eq!(of(&[descr, "1.3.6.1.2.1.2.2.1.99"]), None, "not of the table");
        assert_eq!(of(&["1.3.6.1.4.1.1.1.1.1"]), None, "not built in");
        assert_eq!(of(&[]), None);
    }
}

//! Stores an answer's rows in the requested columns: values as received, index objects decoded from the row's
//! index.

use std::collections::BTreeMap;

use trunkline_smi::schema::{IndexPart, Table as Schema};
use trunkline_smi::{Oid, Value, index_refs};
use trunkline_snmp::wire::Bound;
use trunkline_soap::answer::Row;
use trunkline_soap::catalog::{Record, ServedTable};

use super::CATALOG;
use crate::error::Error;
use crate::table::{Gathered, Table, TableLimit};

/// Rows of a table as they arrive.
pub(super) struct Rows {
    /// The table's position in the catalog.
    pub(super) at: usize,
    /// The positions of the requested fields; `None` if all are requested.
    pub(super) wanted: Option<Vec<usize>>,
    /// The fields in the answer.
    pub(super) record: Record,
    places: Vec<Place>,
    pub(super) table: Table,
    gathered: Gathered,
}

/// Where a column of the result is found in an answer.
#[derive(Clone, Copy)]
enum Place {
    /// Among the index objects.
    Key(usize),
    /// Among the values.
    Field(usize),
}

impl Rows {
    pub(super) fn new(schema: &'static Schema, columns: &[u32], limit: TableLimit) -> Result<Self, Error> {
        let unknown = || Error::NotInSchema { name: schema.name.to_owned() };
        let is_it = |served: &ServedTable| served.table.oid == schema.oid;
        let at = CATALOG.tables().iter().position(is_it).ok_or_else(unknown)?;
        let whole = &CATALOG.tables()[at].record;
        let name_of =
            |id: u32| schema.columns.iter().find(|column| column.id == id).map(|column| column.name);
        let field_of = |id: u32| whole.fields.iter().position(|field| field.id == id);
        let mut fields: Vec<usize> = columns.iter().filter_map(|id| field_of(*id)).collect();
        fields.sort_unstable();
        fields.dedup();
        let place = |id: &u32| {
            let key = || whole.keys.iter().position(|part| name_of(*id) == Some(part.name)).map(Place::Key);
            let field = field_of(*id).and_then(|field| fields.binary_search(&field).ok()).map(Place::Field);
            field.or_else(key).ok_or_else(unknown)
        };
        let places = columns.iter().map(place).collect::<Result<_, _>>()?;
        let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
        let columns: Vec<Oid> = columns.iter().map(|id| entry.child(&[*id])).collect();
        let record = whole.only(&fields);
        let wanted = (fields.len() < whole.fields.len()).then_some(fields);
        let gathered = Gathered::within(limit).of_columns(columns.len());
        let table = Table { columns, rows: BTreeMap::new() };
        Ok(Rows { at, wanted, record, places, table, gathered })
    }

    pub(super) fn take(&mut self, row: Row) -> Result<(), Error> {
        let keys: Vec<Option<Value>> = key_values(self.record.keys, &row.index);
        let cell = |place: &Place| match *place {
            Place::Key(at) => keys.get(at).cloned().flatten(),
            Place::Field(at) => row.cells.get(at).cloned().flatten(),
        };
        let cells: Vec<_> = self.places.iter().map(|place| cell(place).map(Bound::Value)).collect();
        let rows = self.table.rows.len() + 1;
        cells.iter().flatten().try_for_each(|value| self.gathered.add(rows, &row.index, value))?;
        self.table.rows.insert(row.index.to_vec(), cells);
        Ok(())
    }
}

/// The values of the index objects.
fn key_values(keys: &'static [IndexPart], index: &[u32]) -> Vec<Option<Value>> {
    let mut octets = Vec::new();
    let values = keys.iter().zip(index_refs(keys, index));
    values.map(|(part, value)| value.ok()?.value(part, &mut octets).map(|value| value.to_value())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(name: &str) -> &'static Schema {
        CATALOG.tables().iter().find(|served| served.table.name == name).unwrap().table
    }

    #[test]
    fn columns_are_in_the_requested_order_and_keys_come_from_the_index() {
        // ifMtu, ifIndex, ifDescr
        let mut rows = Rows::new(schema("ifTable"), &[4, 1, 2], TableLimit::default()).unwrap();
        let names: Vec<&str> = rows.record.fields.iter().map(|field| field.name).collect();
        assert_eq!(names, ["ifDescr", "ifMtu"]);
        let cells = vec![Some(Value::text("lo")), Some(Value::Integer(65_536))];
        rows.take(Row { index: Oid::from([7]), cells }).unwrap();
        let row: Vec<Option<Bound>> = [Value::Integer(65_536), Value::Integer(7), Value::text("lo")]
            .map(|v| Some(Bound::Value(v)))
            .into();
        assert_eq!(rows.table.rows[&vec![7]], row);
        assert_eq!(rows.table.columns[1].to_string(), "1.3.6.1.2.1.2.2.1.1");
    }

    #[test]
    fn a_request_for_all_columns_names_none_and_unknown_ones_are_refused() {
        let table = schema("ifTable");
        let all: Vec<u32> = table
            .columns
            .iter()
            .filter(|column| column.access.is_readable())
            .map(|column| column.id)
            .collect();
        assert_eq!(Rows::new(table, &all, TableLimit::default()).unwrap().wanted, None);
        assert_eq!(Rows::new(table, &[1], TableLimit::default()).unwrap().wanted, Some(vec![]));
        assert!(matches!(Rows::new(table, &[99], TableLimit::default()), Err(Error::NotInSchema { .. })));
    }
}

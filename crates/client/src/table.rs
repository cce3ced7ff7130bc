//! Tables: chosen columns, fetched side by side, as rows.

use std::collections::BTreeMap;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::Bound;

use crate::error::Error;
use crate::snmp_session::SnmpSession;
use crate::walk::{WalkOptions, walk_all};

/// Rows of a table. A hole is a cell that the agent does not have: the row appeared or vanished during the
/// retrieval, or the agent omits the cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns, in the requested order.
    pub columns: Vec<Oid>,
    /// The rows in index order; the cells in the order of `columns`.
    pub rows: BTreeMap<Vec<u32>, Vec<Option<Bound>>>,
}

impl Table {
    /// The cell of a row in a column.
    #[must_use]
    pub fn cell(&self, index: &[u32], column: usize) -> Option<&Bound> {
        self.rows.get(index)?.get(column)?.as_ref()
    }
}

/// The limit of a table in memory: an agent that never ends must not exhaust it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLimit {
    /// Rows. Default 1,000,000.
    pub rows: usize,
    /// Octets of names and values, as they are stored here. Default 256 MiB.
    pub octets: usize,
}

impl Default for TableLimit {
    fn default() -> Self {
        TableLimit { rows: 1_000_000, octets: 256 << 20 }
    }
}

/// Measures how much of a table is kept.
#[derive(Debug)]
pub struct Gathered {
    limit: TableLimit,
    /// Rows counted so far, and the number of cells allocated for each.
    rows: usize,
    columns: usize,
    octets: usize,
    values: usize,
}

impl Gathered {
    /// Nothing yet.
    #[must_use]
    pub fn within(limit: TableLimit) -> Self {
        Gathered { limit, rows: 0, columns: 0, octets: 0, values: 0 }
    }

    /// Each row has room for this many cells, whether or not they arrive.
    #[must_use]
    pub fn of_columns(self, columns: usize) -> Self {
        Gathered { columns, ..self }
    }

    /// Adds a cell with this index; there are `rows` rows then.
    ///
    /// # Errors
    /// [`Error::TableTooLong`].
    pub fn add(&mut self, rows: usize, index: &[u32], value: &Bound) -> Result<(), Error> {
        let contents = match value {
            Bound::Value(Value::OctetString(octets) | Value::Opaque(octets)) => octets.len(),
            Bound::Value(Value::ObjectIdentifier(oid)) => size_of_val::<[u32]>(oid),
            _ => 0,
        };
        self.add_octets(rows, index, contents)
    }

    /// The same with the length of the cell's contents.
    ///
    /// # Errors
    /// [`Error::TableTooLong`].
    pub fn add_octets(&mut self, rows: usize, index: &[u32], contents: usize) -> Result<(), Error> {
        let allocated = |octets: usize| if octets == 0 { 0 } else { octets + ALLOCATION };
        if rows > self.rows {
            let row = allocated(self.columns * size_of::<Option<Bound>>()) + allocated(size_of_val(index));
            self.octets += (rows - self.rows) * (row + ENTRY);
            self.rows = rows;
        } else if self.columns == 0 {
            self.octets += allocated(size_of_val(index)) + size_of::<Option<Bound>>();
        }
        self.octets += allocated(contents);
        self.values += 1;
        let is_within = rows <= self.limit.rows && self.octets <= self.limit.octets;
        if is_within { Ok(()) } else { Err(self.too_long(rows)) }
    }

    /// The error if so many rows are too many.
    #[must_use]
    pub fn too_long(&self, read_rows: usize) -> Error {
        let TableLimit { rows, octets } = self.limit;
        Error::TableTooLong { rows, octets, read_rows, read_values: self.values }
    }
}

/// The overhead of an allocation, and of an entry of a map that is two thirds full, in octets.
const ALLOCATION: usize = 16;
const ENTRY: usize = 2 * size_of::<(Vec<u32>, Vec<Option<Bound>>)>();

/// Fetches `columns` (each the object identifier of a column, without an index). A short table costs a few
/// messages with parts of many columns; a long one is walked column by column, several at the same time.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/example_agent.in"));
/// use trunkline_client::{Bound, Oid, SnmpSession, SessionOptions, Value, WalkOptions, table};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let session = SnmpSession::open(&agent()?.parse()?, SessionOptions::default()).await?;
/// let [if_index, if_descr] = [1, 2].map(|column| Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column]));
/// let interfaces = table(&session, &[if_index, if_descr], WalkOptions::default()).await?;
/// assert_eq!(interfaces.rows.len(), 2);
/// assert_eq!(interfaces.cell(&[2], 1), Some(&Bound::Value(Value::text("eth0"))));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`table_within`], with the default limit.
pub async fn table(session: &SnmpSession, columns: &[Oid], options: WalkOptions) -> Result<Table, Error> {
    table_within(session, columns, options, TableLimit::default()).await
}

/// As [`table`], within the given limit.
///
/// # Errors
/// The [`Error`] of the walk; [`Error::TableTooLong`].
pub async fn table_within(
    session: &SnmpSession,
    columns: &[Oid],
    options: WalkOptions,
    limit: TableLimit,
) -> Result<Table, Error> {
    let options = WalkOptions { get_root_if_empty: false, ..options };
    let mut gathered = Gathered::within(limit).of_columns(columns.len());
    let mut table = Table { columns: columns.to_vec(), rows: BTreeMap::new() };
    let mut walk = walk_all(session, columns.to_vec(), options);
    while let Some(binding) = walk.next().await {
        let binding = binding?;
        for (at, column) in columns.iter().enumerate() {
            let Some(index) = binding.name.strip_prefix(&**column) else { continue };
            let row = table.rows.entry(index.to_vec()).or_insert_with(|| vec![None; columns.len()]);
            row[at] = Some(binding.value.clone());
            gathered.add(table.rows.len(), index, &binding.value)?;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_octets_are_counted_up_to_the_limit() {
        let small = Bound::Value(Value::Integer(1));
        let mut gathered = Gathered::within(TableLimit { rows: 2, ..TableLimit::default() });
        assert!(gathered.add(2, &[1], &small).is_ok());
        let error = gathered.add(3, &[1], &small).unwrap_err();
        assert!(matches!(error, Error::TableTooLong { rows: 2, read_rows: 3, read_values: 2, .. }));
        assert!(error.to_string().ends_with("went on after 3 rows with 2 values"), "{error}");
        let mut gathered =
            Gathered::within(TableLimit { octets: 100_000, ..TableLimit::default() }).of_columns(1500);
        assert!(gathered.add(1, &[1], &small).is_ok());
        assert!(gathered.add(1, &[1], &small).is_ok());
        assert!(matches!(gathered.add(3, &[1], &small), Err(Error::TableTooLong { .. })), "rows are long");
        let mut gathered = Gathered::within(TableLimit { octets: 100_000, ..TableLimit::default() });
        let large = Bound::Value(Value::OctetString(vec![0; 60_000]));
        assert!(gathered.add(1, &[1], &large).is_ok());
        assert!(matches!(gathered.add(1, &[1], &large), Err(Error::TableTooLong { octets: 100_000, .. })));
        assert!(gathered.too_long(0).to_string().ends_with("went on after 2 values"));
    }
}

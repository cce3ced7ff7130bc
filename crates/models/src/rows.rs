//! Rows of tables that somebody may read.

use std::collections::BTreeMap;

use trunkline_smi::Value;

/// Columns of a table.
#[derive(Debug)]
pub struct Reads {
    /// Its name.
    pub table: &'static str,
    /// The last part of each column's identifier.
    pub columns: &'static [u32],
}

/// The rows of some tables, as they were read. Columns of a table may be read in several parts.
#[derive(Debug, Default)]
pub struct Rows(Vec<(&'static str, TableRows)>);

/// The rows of a table by their index: a cell for each column that is read, `None` of those that are not there or may not be read.
#[derive(Debug)]
pub struct TableRows {
    columns: &'static [u32],
    rows: BTreeMap<Vec<u32>, Vec<Option<Value>>>,
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct Row<'r> {
    /// Its index.
    pub index: &'r [u32],
    columns: &'static [u32],
    cells: &'r [Option<Value>],
}

impl Rows {
    /// Adds what was read.
    pub fn add(&mut self, reads: &'static Reads, rows: BTreeMap<Vec<u32>, Vec<Option<Value>>>) {
        self.0.push((reads.table, TableRows { columns: reads.columns, rows }));
    }

    /// Whether these columns have been read.
    #[must_use]
    pub fn has(&self, reads: &Reads) -> bool {
        self.table(reads).is_some()
    }

    /// The rows of what was read; none of what was not.
    pub fn of(&self, reads: &Reads) -> impl Iterator<Item = Row<'_>> {
        self.table(reads).into_iter().flat_map(TableRows::iter)
    }

    /// The row with this index.
    #[must_use]
    pub fn row(&self, reads: &Reads, index: &[u32]) -> Option<Row<'_>> {
        self.table(reads)?.row(index)
    }

    fn table(&self, reads: &Reads) -> Option<&TableRows> {
        let is_it =
            |(table, rows): &&(&str, TableRows)| *table == reads.table && rows.columns == reads.columns;
        self.0.iter().find(is_it).map(|(_, rows)| rows)
    }
}

impl TableRows {
    fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(index, cells)| Row { index, columns: self.columns, cells })
    }

    fn row(&self, index: &[u32]) -> Option<Row<'_>> {
        let (index, cells) = self.rows.get_key_value(index)?;
        Some(Row { index, columns: self.columns, cells })
    }
}

impl<'r> Row<'r> {
    /// The cell of a column.
    #[must_use]
    pub fn cell(&self, column: u32) -> Option<&'r Value> {
        let at = self.columns.iter().position(|known| *known == column)?;
        self.cells.get(at)?.as_ref()
    }

    /// A cell of text.
    #[must_use]
    pub fn text(&self, column: u32) -> Option<String> {
        self.octets(column).map(|octets| String::from_utf8_lossy(octets).into_owned())
    }

    /// A cell of octets.
    #[must_use]
    pub fn octets(&self, column: u32) -> Option<&'r [u8]> {
        match self.cell(column)? {
            Value::OctetString(octets) => Some(octets),
            _ => None,
        }
    }

    /// A cell with a number that may be negative.
    #[must_use]
    pub fn integer(&self, column: u32) -> Option<i32> {
        match self.cell(column)? {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// A cell with a number that is not negative.
    #[must_use]
    pub fn number(&self, column: u32) -> Option<u64> {
        match *self.cell(column)? {
            Value::Integer(number) => u64::try_from(number).ok(),
            Value::Counter32(number) | Value::Unsigned32(number) => Some(number.into()),
            Value::Counter64(number) => Some(number),
            _ => None,
        }
    }
}

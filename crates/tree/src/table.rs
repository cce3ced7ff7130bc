//! Tables by column: how a snapshot holds rows, and how a provider fills them.

use trunkline_smi::schema::Table;
use trunkline_smi::{MAX_SUB_IDS, OidList, ValueKind, ValueRef};

use crate::leaf_search::position;

/// The rows of a table, sorted by index.
#[derive(Debug)]
pub struct TableData {
    schema: &'static Table,
    index: OidList,
    /// The indexes again, when each is one sub-identifier.
    single: Option<Vec<u32>>,
    columns: Vec<ColumnData>,
}

/// The cells of one column, one for each row.
#[derive(Debug)]
pub struct ColumnData {
    cells: Cells,
    /// `None`: every row has this cell.
    present: Option<Vec<bool>>,
}

/// Cells by type. Counter32, Gauge32 and TimeTicks share a representation; the schema distinguishes them.
#[derive(Debug)]
pub enum Cells {
    /// INTEGER.
    Integer(Vec<i32>),
    /// Counter32.
    Counter32(Vec<u32>),
    /// Gauge32, Unsigned32.
    Unsigned32(Vec<u32>),
    /// TimeTicks.
    TimeTicks(Vec<u32>),
    /// Counter64.
    Counter64(Vec<u64>),
    /// IpAddress.
    IpAddress(Vec<[u8; 4]>),
    /// OCTET STRING.
    OctetString(Octets),
    /// Opaque.
    Opaque(Octets),
    /// OBJECT IDENTIFIER.
    ObjectIdentifier(OidList),
}

/// Octet strings end to end.
#[derive(Debug, Default)]
pub struct Octets {
    data: Vec<u8>,
    ends: Vec<u32>,
}

impl TableData {
    /// The schema of the table.
    pub fn schema(&self) -> &'static Table {
        self.schema
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The index of each row, ascending.
    pub fn index(&self) -> &OidList {
        &self.index
    }

    /// Whether every index is exactly one sub-identifier (the common case, encoded faster).
    pub fn has_single_sub_id(&self) -> bool {
        self.single.is_some()
    }

    /// The index of each row, ascending, when each is exactly one sub-identifier.
    pub fn single_sub_ids(&self) -> Option<&[u32]> {
        self.single.as_deref()
    }

    /// The row of this index.
    pub fn find(&self, index: &[u32]) -> Option<usize> {
        match (&self.single, index) {
            (Some(single), [sub_id]) => position(single, *sub_id).ok(),
            (Some(_), _) => None,
            (None, _) => self.index.find(index),
        }
    }

    /// How many rows have an index not greater than this one.
    pub(crate) fn rows_upto(&self, index: &[u32]) -> usize {
        match (&self.single, index) {
            (Some(single), [sub_id, ..]) => position(single, *sub_id).map_or_else(|at| at, |at| at + 1),
            (Some(_), []) => 0,
            (None, _) => self.index.upper_bound(index),
        }
    }

    /// The first row from `row` on whose index is not less than this one, or the number of rows.
    pub(crate) fn first_from(&self, row: usize, index: &[u32]) -> usize {
        // Mostly it is near: the steps are doubled before the distance is halved.
        let is_before = |row: usize| row < self.len() && self.index[row] < *index;
        let (mut low, mut step) = (row, 1);
        while is_before(low + step - 1) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step - 1).min(self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The column at a position of the schema's column list.
    #[inline]
    pub fn column(&self, slot: usize) -> &ColumnData {
        &self.columns[slot]
    }

    /// The value of a row in the column of this id, by schema; for providers and tests.
    pub fn get(&self, row: usize, id: u32) -> Option<ValueRef<'_>> {
        let slot = self.schema.columns.iter().position(|column| column.id == id)?;
        self.columns[slot].get(row)
    }
}

impl ColumnData {
    /// The cell of a row, if the row has it. Within its caller, a value is not moved through memory.
    #[inline(always)]
    pub fn get(&self, row: usize) -> Option<ValueRef<'_>> {
        // Past the end of a full column there is nothing to get.
        if let Some(present) = &self.present
            && !present.get(row).copied().unwrap_or(false)
        {
            return None;
        }
        Some(match &self.cells {
            Cells::Integer(v) => ValueRef::Integer(*v.get(row)?),
            Cells::Counter32(v) => ValueRef::Counter32(*v.get(row)?),
            Cells::Unsigned32(v) => ValueRef::Unsigned32(*v.get(row)?),
            Cells::TimeTicks(v) => ValueRef::TimeTicks(*v.get(row)?),
            Cells::Counter64(v) => ValueRef::Counter64(*v.get(row)?),
            Cells::IpAddress(v) => ValueRef::IpAddress(*v.get(row)?),
            Cells::OctetString(v) => ValueRef::OctetString(v.get(row)?),
            Cells::Opaque(v) => ValueRef::Opaque(v.get(row)?),
            Cells::ObjectIdentifier(v) => ValueRef::ObjectIdentifier(v.get(row)?),
        })
    }

    /// The cells by type, for encoders that work on a whole run of rows.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Whether every row has this cell.
    pub fn is_full(&self) -> bool {
        self.present.is_none()
    }

    /// Whether a row has this cell; rows past the end have none.
    #[inline]
    pub fn is_present(&self, row: usize) -> bool {
        match &self.present {
            None => row < self.cells.len(),
            Some(present) => present.get(row).copied().unwrap_or(false),
        }
    }

    fn new(kind: ValueKind) -> Self {
        let cells = match kind {
            ValueKind::Integer => Cells::Integer(Vec::new()),
            ValueKind::Counter32 => Cells::Counter32(Vec::new()),
            ValueKind::Unsigned32 => Cells::Unsigned32(Vec::new()),
            ValueKind::TimeTicks => Cells::TimeTicks(Vec::new()),
            ValueKind::Counter64 => Cells::Counter64(Vec::new()),
            ValueKind::IpAddress => Cells::IpAddress(Vec::new()),
            ValueKind::OctetString => Cells::OctetString(Octets::default()),
            ValueKind::Opaque => Cells::Opaque(Octets::default()),
            ValueKind::ObjectIdentifier => Cells::ObjectIdentifier(OidList::new()),
        };
        ColumnData { cells, present: None }
    }

    /// Appends the cell of row `row`; rows between the last one and this one get none.
    fn push(&mut self, row: usize, value: ValueRef<'_>) {
        self.pad(row);
        self.cells.push(value);
        if let Some(present) = &mut self.present {
            present.push(true);
        }
    }

    /// Fills up to `rows` with absent cells.
    fn pad(&mut self, rows: usize) {
        let filled = self.cells.len();
        if filled >= rows {
            return;
        }
        let present = self.present.get_or_insert_with(|| vec![true; filled]);
        present.resize(rows, false);
        (filled..rows).for_each(|_| self.cells.push_nothing());
    }

    fn permuted(&self, order: &[usize]) -> Self {
        let mut column = ColumnData::new(self.cells.kind());
        for (row, &old) in order.iter().enumerate() {
            if let Some(value) = self.get(old) {
                column.push(row, value);
            }
        }
        column.pad(order.len());
        column
    }
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Integer(v) => v.len(),
            Cells::Counter32(v) | Cells::Unsigned32(v) | Cells::TimeTicks(v) => v.len(),
            Cells::Counter64(v) => v.len(),
            Cells::IpAddress(v) => v.len(),
            Cells::OctetString(v) | Cells::Opaque(v) => v.ends.len(),
            Cells::ObjectIdentifier(v) => v.len(),
        }
    }

    fn kind(&self) -> ValueKind {
        match self {
            Cells::Integer(_) => ValueKind::Integer,
            Cells::Counter32(_) => ValueKind::Counter32,
            Cells::Unsigned32(_) => ValueKind::Unsigned32,
            Cells::TimeTicks(_) => ValueKind::TimeTicks,
            Cells::Counter64(_) => ValueKind::Counter64,
            Cells::IpAddress(_) => ValueKind::IpAddress,
            Cells::OctetString(_) => ValueKind::OctetString,
            Cells::Opaque(_) => ValueKind::Opaque,
            Cells::ObjectIdentifier(_) => ValueKind::ObjectIdentifier,
        }
    }

    /// Appends a value of this type; another type is a mistake in the provider and was refused before.
    fn push(&mut self, value: ValueRef<'_>) {
        match (self, value) {
            (Cells::Integer(v), ValueRef::Integer(x)) => v.push(x),
            (Cells::Counter32(v), ValueRef::Counter32(x))
            | (Cells::Unsigned32(v), ValueRef::Unsigned32(x))
            | (Cells::TimeTicks(v), ValueRef::TimeTicks(x)) => v.push(x),
            (Cells::Counter64(v), ValueRef::Counter64(x)) => v.push(x),
            (Cells::IpAddress(v), ValueRef::IpAddress(x)) => v.push(x),
            (Cells::OctetString(v), ValueRef::OctetString(x)) | (Cells::Opaque(v), ValueRef::Opaque(x)) => {
                v.push(x)
            }
            (Cells::ObjectIdentifier(v), ValueRef::ObjectIdentifier(x)) => v.push(x),
            (cells, _) => cells.push_nothing(),
        }
    }

    fn push_nothing(&mut self) {
        match self {
            Cells::Integer(v) => v.push(0),
            Cells::Counter32(v) | Cells::Unsigned32(v) | Cells::TimeTicks(v) => v.push(0),
            Cells::Counter64(v) => v.push(0),
            Cells::IpAddress(v) => v.push([0; 4]),
            Cells::OctetString(v) | Cells::Opaque(v) => v.push(&[]),
            Cells::ObjectIdentifier(v) => v.push(&[]),
        }
    }
}

impl Octets {
    /// The string of a row.
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let end = *self.ends.get(row)? as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        Some(&self.data[start..end])
    }

    fn push(&mut self, octets: &[u8]) {
        self.data.extend_from_slice(octets);
        self.ends.push(self.data.len() as u32);
    }
}

/// Collects the rows of a table in any order.
#[derive(Debug)]
pub struct TableBuilder {
    schema: &'static Table,
    index: OidList,
    columns: Vec<ColumnData>,
    /// Column id -> position in the schema's column list, for ids below the length.
    slots: Vec<Option<u16>>,
}

impl TableBuilder {
    pub(crate) fn new(schema: &'static Table) -> Self {
        let highest = schema.columns.iter().map(|column| column.id).max().unwrap_or(0);
        let mut slots = vec![None; highest as usize + 1];
        for (slot, column) in schema.columns.iter().enumerate() {
            slots[column.id as usize] = Some(slot as u16);
        }
        let columns = schema.columns.iter().map(|column| ColumnData::new(column.syntax.kind)).collect();
        TableBuilder { schema, index: OidList::new(), columns, slots }
    }

    /// How many rows there are so far.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Begins a row with this index. Of two rows with one index the first stays; a row whose instances' names would
    /// have more than 128 sub-identifiers is left out.
    pub fn row(&mut self, index: &[u32]) -> RowBuilder<'_> {
        let row = self.index.len();
        self.index.push(index);
        RowBuilder { table: self, row }
    }

    /// Sorts the rows.
    pub(crate) fn finish(mut self) -> TableData {
        let rows = self.index.len();
        self.columns.iter_mut().for_each(|column| column.pad(rows));
        let ascending = (1..rows).all(|row| self.index[row - 1] < self.index[row]);
        if !ascending || self.index.iter().any(|index| index.len() > self.longest_index()) {
            self.sort();
        }
        let single_sub_id = |index: &[u32]| if let [sub_id] = index { Some(*sub_id) } else { None };
        let single = self.index.iter().map(single_sub_id).collect();
        TableData { schema: self.schema, index: self.index, single, columns: self.columns }
    }

    /// The most sub-identifiers that fit after a column's OID.
    fn longest_index(&self) -> usize {
        MAX_SUB_IDS.saturating_sub(self.schema.oid.len() + 2)
    }

    fn sort(&mut self) {
        let fits = |row: &usize| self.index[*row].len() <= self.longest_index();
        let mut order: Vec<usize> = (0..self.index.len()).filter(fits).collect();
        order.sort_by(|&a, &b| self.index[a].cmp(&self.index[b]));
        order.dedup_by(|later, first| self.index[*later] == self.index[*first]);
        self.columns = self.columns.iter().map(|column| column.permuted(&order)).collect();
        self.index = order.iter().map(|&row| &self.index[row]).collect();
    }
}

/// Fills one row, cell by cell; each method takes the column's id (10 for ifInOctets).
/// Cells that are not set do not exist. A type other than the schema's is a mistake in the
/// provider: the cell is left out, and panics in debug builds.
#[derive(Debug)]
pub struct RowBuilder<'t> {
    table: &'t mut TableBuilder,
    row: usize,
}

impl RowBuilder<'_> {
    /// Any value.
    pub fn value(&mut self, id: u32, value: ValueRef<'_>) -> &mut Self {
        let slot = self.table.slots.get(id as usize).copied().flatten().map(usize::from);
        let fits = slot.is_some_and(|slot| self.table.columns[slot].cells.kind() == value.kind());
        debug_assert!(fits, "{} column {id}: {value:?} does not fit the schema", self.table.schema.name);
        if let (Some(slot), true) = (slot, fits) {
            let column = &mut self.table.columns[slot];
            let set_twice = column.cells.len() > self.row;
            debug_assert!(!set_twice, "{} column {id} set twice in a row", self.table.schema.name);
            if !set_twice {
                column.push(self.row, value);
            }
        }
        self
    }

    /// INTEGER, enumerations.
    pub fn integer(&mut self, id: u32, value: i32) -> &mut Self {
        self.value(id, ValueRef::Integer(value))
    }

    /// TruthValue.
    pub fn truth(&mut self, id: u32, value: bool) -> &mut Self {
        self.integer(id, if value { 1 } else { 2 })
    }

    /// OCTET STRING.
    pub fn octets(&mut self, id: u32, value: &[u8]) -> &mut Self {
        self.value(id, ValueRef::OctetString(value))
    }

    /// OCTET STRING of a text.
    pub fn text(&mut self, id: u32, value: &str) -> &mut Self {
        self.octets(id, value.as_bytes())
    }

    /// OBJECT IDENTIFIER.
    pub fn oid(&mut self, id: u32, value: &[u32]) -> &mut Self {
        self.value(id, ValueRef::ObjectIdentifier(value))
    }

    /// IpAddress.
    pub fn ip_address(&mut self, id: u32, value: [u8; 4]) -> &mut Self {
        self.value(id, ValueRef::IpAddress(value))
    }

    /// Counter32: the low 32 bits of a counter, as RFC 2863 section 3.1.6 has them follow the 64-bit one.
    pub fn counter32(&mut self, id: u32, value: u64) -> &mut Self {
        self.value(id, ValueRef::Counter32(value as u32))
    }

    /// Gauge32, Unsigned32.
    pub fn unsigned32(&mut self, id: u32, value: u32) -> &mut Self {
        self.value(id, ValueRef::Unsigned32(value))
    }

    /// Gauge32 of a larger number: latched at 2^32-1 (RFC 2578 section 7.1.7).
    pub fn gauge32(&mut self, id: u32, value: u64) -> &mut Self {
        self.unsigned32(id, u32::try_from(value).unwrap_or(u32::MAX))
    }

    /// TimeTicks, in hundredths of a second.
    pub fn time_ticks(&mut self, id: u32, value: u32) -> &mut Self {
        self.value(id, ValueRef::TimeTicks(value))
    }

    /// Counter64.
    pub fn counter64(&mut self, id: u32, value: u64) -> &mut Self {
        self.value(id, ValueRef::Counter64(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::module::if_mib::IF_TABLE;

    #[test]
    fn rows_are_sorted_and_holes_stay_holes() {
        static TABLE: Table = IF_TABLE;
        let mut builder = TableBuilder::new(&TABLE);
        builder.row(&[7]).integer(1, 7).text(2, "seven").counter32(10, 1 << 33);
        builder.row(&[2]).integer(1, 2).counter32(10, 5);
        builder.row(&[7]).integer(1, 70);
        let table = builder.finish();
        assert_eq!(table.len(), 2);
        assert!(table.has_single_sub_id());
        assert_eq!(table.get(0, 1), Some(ValueRef::Integer(2)));
        assert_eq!(table.get(0, 2), None);
        assert_eq!(table.get(1, 1), Some(ValueRef::Integer(7)));
        assert_eq!(table.get(1, 2), Some(ValueRef::OctetString(b"seven")));
        assert_eq!(table.get(1, 10), Some(ValueRef::Counter32(0)));
        assert_eq!(table.get(1, 22), None);
        assert!(table.column(0).is_full());
        assert_eq!(table.get(2, 1), None);
    }

    #[test]
    fn rows_without_a_name_are_left_out() {
        static TABLE: Table = IF_TABLE;
        let longest = MAX_SUB_IDS - TABLE.oid.len() - 2;
        let mut builder = TableBuilder::new(&TABLE);
        builder.row(&vec![1; longest]).integer(1, 1);
        builder.row(&vec![1; longest + 1]).integer(1, 2);
        builder.row(&[2]).integer(1, 3);
        let table = builder.finish();
        assert_eq!(table.len(), 2);
        assert!(!table.has_single_sub_id());
        assert_eq!(table.get(0, 1), Some(ValueRef::Integer(1)));
        assert_eq!(table.get(1, 1), Some(ValueRef::Integer(3)));
    }
}

//! The columns of a table as arrays: a whole column at a time, where rows come as blocks.

use trunkline_beans::{Attribute, ColumnArray, JavaType};
use trunkline_jmx::model::Value;
use trunkline_tree::{Block, Cells, ColumnData, Room, Row, RowSink};

use crate::columns::{Columns, Place};

/// The arrays of the first attributes that are wanted of each row.
pub(crate) struct Arrays<'a, 'b> {
    columns: &'a Columns<'b>,
    arrays: Vec<ColumnArray>,
    octets: usize,
}

impl<'a, 'b> Arrays<'a, 'b> {
    /// Arrays of as many attributes, without rows.
    pub fn new(columns: &'a Columns<'b>, count: usize) -> Self {
        let array = |(attribute, _): &(&Attribute, Place)| ColumnArray::new(JavaType::of(&attribute.syntax));
        Arrays { columns, arrays: columns.wanted.iter().take(count).map(array).collect(), octets: 0 }
    }

    /// Whether they are too large for one answer.
    pub fn are_too_large(&self) -> bool {
        self.octets > MOST_OCTETS
    }

    /// As values.
    pub fn into_values(self) -> Vec<Value> {
        self.arrays.into_iter().map(ColumnArray::into_java).collect()
    }
}

impl RowSink for Arrays<'_, '_> {
    const TAKES_BLOCKS: bool = true;

    fn row(&mut self, row: Row<'_>) -> Room {
        if self.are_too_large() {
            return Room::Full;
        }
        let Arrays { columns, arrays, octets } = self;
        columns.each(row, |position, attribute, value| {
            if let Some(array) = arrays.get_mut(position) {
                *octets += array.push(value, &attribute.syntax);
            }
        });
        Room::Taken
    }

    fn block(&mut self, block: Block<'_>) -> usize {
        if self.are_too_large() {
            return 0;
        }
        for ((attribute, place), array) in self.columns.wanted.iter().zip(&mut self.arrays) {
            let syntax = &attribute.syntax;
            self.octets += match *place {
                Place::Key(part) => keys(array, self.columns, part, block),
                Place::Cell(at) => match block.column(at).and_then(|column| numbers(array, column, block)) {
                    Some(octets) => octets,
                    None => array.extend(block.rows().map(|row| block.cell(at, row)), syntax),
                },
                Place::Nowhere => array.extend(block.rows().map(|_| None), syntax),
            };
        }
        block.len()
    }
}

/// A part of the index of each row.
fn keys(array: &mut ColumnArray, columns: &Columns<'_>, part: usize, block: Block<'_>) -> usize {
    let (syntax, mut octets) = (&columns.table.table.index[part].syntax, Vec::new());
    block.rows().map(|row| array.push(columns.key(part, block.index_of(row), &mut octets), syntax)).sum()
}

/// A column of numbers without gaps, and about how many octets it takes; `None`: it is another.
fn numbers(array: &mut ColumnArray, column: &ColumnData, block: Block<'_>) -> Option<usize> {
    if !column.is_full() {
        return None;
    }
    let rows = block.rows();
    match (array, column.cells()) {
        (ColumnArray::Booleans(to), Cells::Integer(from)) => {
            to.extend(from.get(rows)?.iter().map(|number| *number == 1));
            Some(block.len())
        }
        (ColumnArray::Integers(to), Cells::Integer(from)) => {
            to.extend_from_slice(from.get(rows)?);
            Some(block.len() * size_of::<i32>())
        }
        (
            ColumnArray::Longs(to),
            Cells::Counter32(from) | Cells::Unsigned32(from) | Cells::TimeTicks(from),
        ) => {
            to.extend(from.get(rows)?.iter().map(|number| i64::from(*number)));
            Some(block.len() * size_of::<i64>())
        }
        (ColumnArray::Longs(to), Cells::Counter64(from)) => {
            to.extend(from.get(rows)?.iter().map(|number| *number as i64));
            Some(block.len() * size_of::<i64>())
        }
        _ => None,
    }
}

/// Of the arrays of one answer.
const MOST_OCTETS: usize = 24 << 20;

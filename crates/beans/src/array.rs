//! The columns of a table as arrays of primitives. These have no null: a cell that is not there has a value that no object has.

use trunkline_jmx::model::{Array, Value as Java};
use trunkline_jmx::stream::classes::java;
use trunkline_smi::ValueRef;
use trunkline_smi::schema::Syntax;

use crate::JavaType;
use crate::value::to_java;

/// In `int[]`: a cell that is not there.
pub const ABSENT_INTEGER: i32 = i32::MIN;
/// In `long[]`: a cell that is not there.
pub const ABSENT_LONG: i64 = i64::MIN;

/// The cells of a column, in the order of the rows.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnArray {
    /// `boolean[]`; a cell that is not there is false.
    Booleans(Vec<bool>),
    /// `int[]`
    Integers(Vec<i32>),
    /// `long[]`
    Longs(Vec<i64>),
    /// `String[]`, with null
    Texts(Vec<Java>),
    /// `byte[][]`, with null
    Octets(Vec<Java>),
}

impl ColumnArray {
    /// Without cells.
    #[must_use]
    pub const fn new(of: JavaType) -> Self {
        match of {
            JavaType::Boolean => ColumnArray::Booleans(Vec::new()),
            JavaType::Integer => ColumnArray::Integers(Vec::new()),
            JavaType::Long => ColumnArray::Longs(Vec::new()),
            JavaType::Text => ColumnArray::Texts(Vec::new()),
            JavaType::Octets => ColumnArray::Octets(Vec::new()),
        }
    }

    /// Adds the cell of the next row, and returns about how many octets it takes.
    pub fn push(&mut self, cell: Option<ValueRef<'_>>, syntax: &Syntax) -> usize {
        let java = |cell: Option<ValueRef<'_>>| cell.map_or(Java::Null, |value| to_java(value, syntax));
        match self {
            ColumnArray::Booleans(cells) => {
                cells.push(matches!(cell, Some(ValueRef::Integer(1))));
                1
            }
            ColumnArray::Integers(cells) => {
                let number = if let Some(ValueRef::Integer(number)) = cell { number } else { ABSENT_INTEGER };
                cells.push(number);
                4
            }
            ColumnArray::Longs(cells) => {
                cells.push(match cell {
                    Some(
                        ValueRef::Unsigned32(number)
                        | ValueRef::Counter32(number)
                        | ValueRef::TimeTicks(number),
                    ) => number.into(),
                    Some(ValueRef::Counter64(number)) => number as i64,
                    _ => ABSENT_LONG,
                });
                8
            }
            ColumnArray::Texts(cells) | ColumnArray::Octets(cells) => {
                let cell = java(cell);
                let octets = match &cell {
                    Java::String(text) => text.len(),
                    Java::Array(Array::Bytes(octets)) => octets.len(),
                    _ => 0,
                };
                cells.push(cell);
                octets + size_of::<Java>()
            }
        }
    }

    /// As a value.
    #[must_use]
    pub fn into_java(self) -> Java {
        Java::Array(match self {
            ColumnArray::Booleans(cells) => Array::Booleans(cells),
            ColumnArray::Integers(cells) => Array::Integers(cells),
            ColumnArray::Longs(cells) => Array::Longs(cells),
            ColumnArray::Texts(items) => Array::Objects { class: &java::STRING_ARRAY, items },
            ColumnArray::Octets(items) => Array::Objects { class: &java::PRIMITIVE_BYTE_ARRAY2, items },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_are_not_there_can_be_told() {
        let column = |syntax: Syntax, cells: &[Option<ValueRef<'_>>]| {
            let mut array = ColumnArray::new(JavaType::of(&syntax));
            let octets: usize = cells.iter().map(|cell| array.push(*cell, &syntax)).sum();
            assert!(octets > 0);
            let java = array.into_java();
            assert_eq!(java.class_name(), JavaType::of(&syntax).array_class_name());
            java
        };
        let (some, none) = (ValueRef::Counter32(u32::MAX), None);
        assert_eq!(
            column(Syntax::COUNTER32, &[Some(some), none]),
            Java::Array(Array::Longs(vec![u32::MAX.into(), ABSENT_LONG]))
        );
        let most = ValueRef::Counter64(u64::MAX);
        assert_eq!(column(Syntax::COUNTER64, &[Some(most)]), Java::Array(Array::Longs(vec![-1])));
        assert_eq!(
            column(Syntax::INTEGER32, &[none, Some(ValueRef::Integer(-1))]),
            Java::Array(Array::Integers(vec![ABSENT_INTEGER, -1]))
        );
        assert_eq!(
            column(Syntax::TRUTH_VALUE, &[none, Some(ValueRef::Integer(1))]),
            Java::Array(Array::Booleans(vec![false, true]))
        );
        let texts = column(Syntax::DISPLAY_STRING, &[none, Some(ValueRef::OctetString(b"a"))]);
        let Java::Array(Array::Objects { items, .. }) = texts else { panic!("{texts:?}") };
        assert_eq!(items, [Java::Null, "a".into()]);
        column(Syntax::OCTET_STRING, &[none, Some(ValueRef::OctetString(b"a"))]);
    }
}

//! The columns of a table as arrays of primitives. These have no null: a cell that is not there has a value that no object has.

use trunkline_jmx::model::{Array, Texts, Value as Java};
use trunkline_jmx::stream::classes::java;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Value, ValueRef};

use crate::JavaType;
use crate::text;
use crate::value::{float, from_java, to_java};

/// In `int[]`: a cell that is not there.
pub const ABSENT_INTEGER: i32 = i32::MIN;
/// In `long[]`: a cell that is not there.
pub const ABSENT_LONG: i64 = i64::MIN;

/// In `float[]`: a cell that is not there.
pub const ABSENT_FLOAT: f32 = f32::NAN;

/// Octets of a text's place.
const PLACE: usize = 24;

/// The cells of a column, in the order of the rows.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnArray {
    /// `boolean[]`; a cell that is not there is false.
    Booleans(Vec<bool>),
    /// `int[]`
    Integers(Vec<i32>),
    /// `long[]`
    Longs(Vec<i64>),
    /// `float[]`
    Floats(Vec<f32>),
    /// `String[]`, with null
    Texts(Texts),
    /// `byte[][]`, with null
    Octets(Vec<Java>),
}

impl ColumnArray {
    /// Without cells.
    #[must_use]
    pub fn new(of: JavaType) -> Self {
        match of {
            JavaType::Boolean => ColumnArray::Booleans(Vec::new()),
            JavaType::Integer => ColumnArray::Integers(Vec::new()),
            JavaType::Long => ColumnArray::Longs(Vec::new()),
            JavaType::Float => ColumnArray::Floats(Vec::new()),
            JavaType::Text => ColumnArray::Texts(Texts::default()),
            JavaType::Octets => ColumnArray::Octets(Vec::new()),
        }
    }

    /// Adds the cell of the next row, and returns about how many octets it takes.
    pub fn push(&mut self, cell: Option<ValueRef<'_>>, syntax: &Syntax) -> usize {
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
            ColumnArray::Floats(cells) => {
                let number = if let Some(ValueRef::Opaque(octets)) = cell { float(octets) } else { None };
                cells.push(number.unwrap_or(ABSENT_FLOAT));
                4
            }
            ColumnArray::Texts(cells) => {
                let before = cells.octets();
                match cell {
                    Some(value) => cells.push(|text| text::append(value, syntax, text)),
                    None => cells.push_null(),
                }
                cells.octets() - before + PLACE
            }
            ColumnArray::Octets(cells) => {
                let cell = cell.map_or(Java::Null, |value| to_java(value, syntax));
                let octets = if let Java::Array(Array::Bytes(octets)) = &cell { octets.len() } else { 0 };
                cells.push(cell);
                octets + size_of::<Java>()
            }
        }
    }

    /// Adds the cells of the next rows, and returns about how many octets they take.
    pub fn extend<'v>(
        &mut self,
        cells: impl Iterator<Item = Option<ValueRef<'v>>>,
        syntax: &Syntax,
    ) -> usize {
        let mut octets = 0;
        let mut before = None;
        for cell in cells {
            octets += match self {
                // Most columns of texts have the same one in many rows, and making it takes longer than comparing values.
                ColumnArray::Texts(texts) if before == Some(cell) => {
                    texts.push_again();
                    PLACE
                }
                _ => self.push(cell, syntax),
            };
            before = Some(cell);
        }
        octets
    }

    /// As a value.
    #[must_use]
    pub fn into_java(self) -> Java {
        Java::Array(match self {
            ColumnArray::Booleans(cells) => Array::Booleans(cells),
            ColumnArray::Integers(cells) => Array::Integers(cells),
            ColumnArray::Longs(cells) => Array::Longs(cells),
            ColumnArray::Floats(cells) => Array::Floats(cells),
            ColumnArray::Texts(texts) => Array::Texts(texts),
            ColumnArray::Octets(items) => Array::Objects { class: &java::PRIMITIVE_BYTE_ARRAY2, items },
        })
    }
}

/// The cells of a column that was received as an array, in the order of the rows; `None`: it is not an array. A cell that is not there,
/// or that the object cannot have, is `None`.
#[must_use]
pub fn cells_of(array: Java, syntax: &Syntax) -> Option<Vec<Option<Value>>> {
    let cell = |cell: Java| from_java(&cell, syntax).ok();
    let Java::Array(array) = array else { return None };
    Some(match array {
        Array::Booleans(cells) => cells.into_iter().map(|it| cell(Java::Boolean(it))).collect(),
        Array::Integers(cells) => {
            let is_there = |it: i32| (it != ABSENT_INTEGER).then_some(Java::Integer(it));
            cells.into_iter().map(|it| cell(is_there(it)?)).collect()
        }
        Array::Longs(cells) => {
            let is_there = |it: i64| (it != ABSENT_LONG).then_some(Java::Long(it));
            cells.into_iter().map(|it| cell(is_there(it)?)).collect()
        }
        Array::Floats(cells) => {
            cells.into_iter().map(|it| cell((!it.is_nan()).then_some(Java::Float(it))?)).collect()
        }
        Array::Strings(cells) => cells.into_iter().map(|it| cell(Java::String(it))).collect(),
        Array::Texts(cells) => cells.iter().map(|it| cell(it?.into())).collect(),
        Array::Objects { items, .. } => items.into_iter().map(cell).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// But for those that stand for none.
        #[test]
        fn cells_come_back(
            number in i32::MIN + 1.., unsigned: u32, long: u64, octets: Vec<u8>, truth: bool, fraction: f32,
        ) {
            prop_assume!(long != ABSENT_LONG as u64 && !fraction.is_nan());
            let float = Syntax::OPAQUE.named("Float", "");
            let opaque = Value::Opaque([&[0x9f, 0x78, 4][..], &fraction.to_be_bytes()].concat());
            for (value, syntax) in [
                (Value::Integer(number), Syntax::INTEGER32),
                (Value::Integer(if truth { 1 } else { 2 }), Syntax::TRUTH_VALUE),
                (Value::Unsigned32(unsigned), Syntax::GAUGE32),
                (Value::Counter64(long), Syntax::COUNTER64),
                (Value::OctetString(octets.clone()), Syntax::OCTET_STRING),
                (Value::OctetString(octets), Syntax::DISPLAY_STRING),
                (opaque, float),
            ] {
                let mut array = ColumnArray::new(JavaType::of(&syntax));
                let is_boolean = JavaType::of(&syntax) == JavaType::Boolean;
                let cells = if is_boolean { vec![Some(value)] } else { vec![Some(value), None] };
                array.extend(cells.iter().map(|it| it.as_ref().map(Value::as_value_ref)), &syntax);
                prop_assert_eq!(cells_of(array.into_java(), &syntax), Some(cells));
            }
        }
    }

    #[test]
    fn what_is_received_may_be_anything() {
        let texts = |texts: &[&str]| Array::Strings(texts.iter().map(|it| (*it).to_owned()).collect());
        let cells = |array: Array, syntax: Syntax| cells_of(Java::Array(array), &syntax);
        let address = Value::IpAddress([192, 0, 2, 1]);
        assert_eq!(cells(texts(&["192.0.2.1", "x"]), Syntax::IP_ADDRESS), Some(vec![Some(address), None]));
        assert_eq!(cells(Array::Longs(vec![1 << 40]), Syntax::COUNTER32), Some(vec![None]));
        assert_eq!(cells(Array::Doubles(vec![1.0]), Syntax::COUNTER32), None);
        assert_eq!(cells_of(Java::Null, &Syntax::COUNTER32), None);
    }

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
        let floats = [none, Some(ValueRef::Opaque(&[0x9f, 0x78, 4, 0x3f, 0xc0, 0, 0]))];
        let floats = column(Syntax::OPAQUE.named("Float", ""), &floats);
        let Java::Array(Array::Floats(floats)) = floats else { panic!("{floats:?}") };
        assert!(floats[0].is_nan() && floats[1..] == [1.5]);
        let text = |text: &'static str| Some(ValueRef::OctetString(text.as_bytes()));
        let texts = column(Syntax::DISPLAY_STRING, &[none, text("a"), text("a"), text("")]);
        let Java::Array(Array::Texts(texts)) = texts else { panic!("{texts:?}") };
        assert!(texts.iter().eq([None, Some("a"), Some("a"), Some("")]));
        assert_eq!(texts.octets(), 1);
        column(Syntax::OCTET_STRING, &[none, Some(ValueRef::OctetString(b"a"))]);
    }

    #[test]
    fn cells_that_come_together_are_those_that_come_singly() {
        let text = |text: &'static str| Some(ValueRef::OctetString(text.as_bytes()));
        let cells = [text("a"), text("a"), None, None, text(""), text("b"), text("b"), text("a")];
        for syntax in [Syntax::DISPLAY_STRING, Syntax::OCTET_STRING] {
            let [mut together, mut singly] = [(); 2].map(|()| ColumnArray::new(JavaType::of(&syntax)));
            let octets = together.extend(cells.into_iter(), &syntax);
            assert_eq!(octets, cells.map(|cell| singly.push(cell, &syntax)).iter().sum::<usize>());
            assert_eq!(together, singly);
        }
    }
}

//! Values as text: what has parts becomes several lines, each with its way within the value.

use chrono::{DateTime, SecondsFormat};
use trunkline_jmx::model::{Array, CompositeData, TabularData, Value};

/// A value without parts, with its way within the attribute: `.used`, `[java.version]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The way; empty for the value itself.
    pub way: String,
    /// The value as text.
    pub text: String,
}

/// The parts of a value that have no parts, in order.
#[must_use]
pub fn leaves(value: &Value) -> Vec<Leaf> {
    Leaves { has_elements: false, found: Vec::new() }.of(value)
}

/// The same, with a leaf for each element of lists and arrays.
#[must_use]
pub fn elementary(value: &Value) -> Vec<Leaf> {
    Leaves { has_elements: true, found: Vec::new() }.of(value)
}

/// What is gathered.
struct Leaves {
    /// Whether each element of a list is one, also if none has parts.
    has_elements: bool,
    found: Vec<Leaf>,
}

impl Leaves {
    fn of(mut self, value: &Value) -> Vec<Leaf> {
        self.add(String::new(), value);
        self.found
    }

    fn add(&mut self, way: String, value: &Value) {
        match value {
            Value::Composite(row) => self.items(&way, row, &[]),
            Value::Tabular(table) => {
                for row in &table.rows {
                    let way = format!("{way}[{}]", key(table, row));
                    match mapped(table, row) {
                        Some(value) => self.add(way, value),
                        None => self.items(&way, row, &table.tabular_type.index),
                    }
                }
            }
            Value::Map(entries) => {
                entries.iter().for_each(|(key, value)| self.add(format!("{way}[{}]", text_of(key)), value));
            }
            Value::Attributes(attributes) => {
                attributes.iter().for_each(|one| self.add(format!("{way}[{}]", one.name), &one.value));
            }
            Value::Attribute(attribute) => self.add(format!("{way}[{}]", attribute.name), &attribute.value),
            other => {
                // Those are one text.
                let is_text = matches!(other, Value::Array(Array::Bytes(_) | Array::Characters(_)));
                let is_spread =
                    |elements: &Vec<Value>| (self.has_elements && !is_text) || elements.iter().any(has_parts);
                match elements(other).filter(is_spread) {
                    Some(elements) => {
                        let each = elements.iter().enumerate();
                        each.for_each(|(at, value)| self.add(format!("{way}[{at}]"), value));
                    }
                    None => self.found.push(Leaf { way, text: text_of(other) }),
                }
            }
        }
    }

    /// The items of a row but for those that tell it apart.
    fn items(&mut self, way: &str, row: &CompositeData, but: &[String]) {
        for (item, value) in row.composite_type.items.iter().zip(&row.values) {
            if !but.contains(&item.name) {
                self.add(format!("{way}.{}", item.name), value);
            }
        }
    }
}

/// Whether a value takes more than one line.
#[must_use]
pub fn has_parts(value: &Value) -> bool {
    match value {
        Value::Composite(_)
        | Value::Tabular(_)
        | Value::Map(_)
        | Value::Attributes(_)
        | Value::Attribute(_) => true,
        other => elements(other).is_some_and(|elements| elements.iter().any(has_parts)),
    }
}

/// The elements of a list, a set or an array.
#[must_use]
pub fn elements(value: &Value) -> Option<Vec<Value>> {
    fn all<T: Clone>(items: &[T], of: impl Fn(T) -> Value) -> Vec<Value> {
        items.iter().cloned().map(of).collect()
    }
    Some(match value {
        Value::List(items) | Value::Set(items) => items.clone(),
        Value::Array(array) => match array {
            Array::Booleans(items) => all(items, Value::Boolean),
            Array::Bytes(items) => all(items, |octet| Value::Byte(octet as i8)),
            Array::Characters(items) => all(items, Value::Character),
            Array::Shorts(items) => all(items, Value::Short),
            Array::Integers(items) => all(items, Value::Integer),
            Array::Longs(items) => all(items, Value::Long),
            Array::Floats(items) => all(items, Value::Float),
            Array::Doubles(items) => all(items, Value::Double),
            Array::Strings(items) => all(items, Value::String),
            Array::Texts(texts) => texts.iter().map(|text| text.map_or(Value::Null, Value::from)).collect(),
            Array::LongColumns(columns) => all(columns, |column| Value::Array(Array::Longs(column))),
            Array::Objects { items, .. } => items.clone(),
        },
        _ => return None,
    })
}

/// What tells a row of a table apart: the items of its index, with commas between them.
#[must_use]
pub fn key(table: &TabularData, row: &CompositeData) -> String {
    let index = table.tabular_type.index.iter();
    index.map(|item| row.get(item).map(text_of).unwrap_or_default()).collect::<Vec<_>>().join(",")
}

/// The value of a row of a table that stands for a map: MXBeans write these with the items `key` and `value`.
#[must_use]
pub fn mapped<'r>(table: &TabularData, row: &'r CompositeData) -> Option<&'r Value> {
    let is_map = table.tabular_type.index == ["key"] && row.composite_type.items.len() == 2;
    is_map.then(|| row.get("value")).flatten()
}

/// A value as one line.
#[must_use]
pub fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Byte(value) => value.to_string(),
        Value::Short(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Character(unit) => char::from_u32(u32::from(*unit)).unwrap_or('\u{fffd}').to_string(),
        Value::String(text) => text.clone(),
        Value::BigInteger(number) => number.to_string(),
        Value::BigDecimal(number) => decimal(&number.unscaled.to_string(), number.scale),
        Value::Date(time) => date(*time),
        Value::Name(name) => name.to_text(),
        Value::Instance(instance) => instance.name.to_text(),
        Value::Exception(exception) => exception.to_string(),
        Value::OpenType(of) => of.class_name(),
        Value::Array(Array::Characters(units)) => String::from_utf16_lossy(units),
        Value::Array(Array::Bytes(octets)) => octets.iter().map(|octet| format!("{octet:02x}")).collect(),
        other => match elements(other) {
            Some(elements) => {
                let texts: Vec<String> = elements.iter().map(text_of).collect();
                format!("[{}]", texts.join(", "))
            }
            None if has_parts(other) => {
                let parts = leaves(other).into_iter().map(|leaf| {
                    let way = leaf.way.trim_start_matches('.').to_owned();
                    format!("{way}={}", leaf.text)
                });
                format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
            }
            None => format!("({})", other.class_name()),
        },
    }
}

/// A time in milliseconds since 1970 (RFC 3339).
#[must_use]
pub fn date(time: i64) -> String {
    match DateTime::from_timestamp_millis(time) {
        Some(time) => time.to_rfc3339_opts(SecondsFormat::Millis, true),
        None => format!("{time} ms since 1970"),
    }
}

/// Digits with a point; an exponent where that would need many zeros.
fn decimal(unscaled: &str, scale: i32) -> String {
    if scale == 0 {
        return unscaled.to_owned();
    }
    let (sign, digits) = unscaled.split_at(usize::from(unscaled.starts_with('-')));
    let places = usize::try_from(scale).ok().filter(|places| *places <= 40 && !digits.starts_with("0x"));
    let Some(places) = places else { return format!("{unscaled}E{}", -i64::from(scale)) };
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{rest}")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::Arc;
    use trunkline_jmx::model::{CompositeType, Item, OpenType, SimpleType, TabularType};

    pub fn row(name: &str, items: &[(&str, Value)]) -> CompositeData {
        let of = |(name, _): &(&str, Value)| Item {
            name: (*name).to_owned(),
            description: String::new(),
            open_type: OpenType::Simple(SimpleType::String),
        };
        let composite_type = CompositeType {
            name: name.to_owned(),
            description: String::new(),
            items: items.iter().map(of).collect(),
        };
        CompositeData {
            composite_type: Arc::new(composite_type),
            values: items.iter().map(|(_, value)| value.clone()).collect(),
        }
    }

    pub fn table(index: &[&str], rows: Vec<CompositeData>) -> Value {
        let tabular_type = TabularType {
            name: "t".to_owned(),
            description: String::new(),
            row: rows[0].composite_type.clone(),
            index: index.iter().map(|item| (*item).to_owned()).collect(),
        };
        Value::Tabular(Box::new(TabularData { tabular_type: Arc::new(tabular_type), rows }))
    }

    fn shown(value: &Value) -> Vec<String> {
        leaves(value).into_iter().map(|leaf| format!("{} {}", leaf.way, leaf.text)).collect()
    }

    #[test]
    fn what_has_parts_becomes_lines() {
        let usage = row("u", &[("max", Value::Long(-1)), ("used", Value::Long(5))]);
        assert_eq!(shown(&Value::Composite(Box::new(usage.clone()))), [".max -1", ".used 5"]);
        let properties = table(&["key"], vec![row("e", &[("key", "a.b".into()), ("value", "x".into())])]);
        assert_eq!(shown(&properties), ["[a.b] x"]);
        let keyed = row("r", &[("n", "eth0".into()), ("u", Value::Composite(Box::new(usage)))]);
        assert_eq!(shown(&table(&["n"], vec![keyed])), ["[eth0].u.max -1", "[eth0].u.used 5"]);
        let list = Value::List(vec![Value::Map(vec![("k".into(), Value::Long(1))]), Value::Null]);
        assert_eq!(shown(&list), ["[0][k] 1", "[1] null"]);
        let longs = Value::Array(Array::Longs(vec![1, 2]));
        assert_eq!(shown(&longs), [" [1, 2]"]);
        let ways = |value: &Value| -> Vec<(String, String)> {
            elementary(value).into_iter().map(|leaf| (leaf.way, leaf.text)).collect()
        };
        let leaf = |way: &str, text: &str| (way.to_owned(), text.to_owned());
        assert_eq!(ways(&longs), [leaf("[0]", "1"), leaf("[1]", "2")]);
        let counted = row("u", &[("calls", longs), ("name", Value::Array(Array::Bytes(vec![1])))]);
        let expected = [leaf(".calls[0]", "1"), leaf(".calls[1]", "2"), leaf(".name", "01")];
        assert_eq!(ways(&Value::Composite(Box::new(counted))), expected);
        assert_eq!(shown(&Value::Array(Array::LongColumns(vec![vec![1, 2], vec![]]))), [" [[1, 2], []]"]);
    }

    #[test]
    fn simple_values_as_text() {
        for (value, expected) in [
            (Value::Double(1.5), "1.5"),
            (Value::Character(120), "x"),
            (Value::Date(1000), "1970-01-01T00:00:01.000Z"),
            (Value::Date(i64::MAX), "9223372036854775807 ms since 1970"),
            (Value::Array(Array::Bytes(vec![1, 255])), "01ff"),
            (Value::Array(Array::Characters("ab".encode_utf16().collect())), "ab"),
            (Value::Map(vec![("a".into(), Value::Long(1))]), "{[a]=1}"),
        ] {
            assert_eq!(text_of(&value), expected);
        }
        for (digits, scale, expected) in [
            ("1234", 2, "12.34"),
            ("-5", 3, "-0.005"),
            ("5", -3, "5E3"),
            ("7", 0, "7"),
            ("1", i32::MIN, "1E2147483648"),
        ] {
            assert_eq!(decimal(digits, scale), expected);
        }
    }
}

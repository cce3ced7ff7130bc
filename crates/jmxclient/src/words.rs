//! Texts as values of the classes of attributes and parameters.

use serde_json::Value as Json;
use trunkline_jmx::model::{Array, BigInteger, Value};

use crate::filter;

/// Why a text is not a value of a class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordError {
    /// It is not one.
    #[error("{text:?} is not a value of {class}{}", hint(.class))]
    NotOne {
        /// The text.
        text: String,
        /// The class.
        class: String,
    },
    /// Values of this class cannot be written as text here.
    #[error("values of class {class} cannot be written on the command line")]
    Class {
        /// The class.
        class: String,
    },
}

/// The value of a class, as `Class.getName` has it, that a text means. Arrays are written as in JSON, queries as conditions.
///
/// # Errors
/// [`WordError`]
pub fn parse(class: &str, text: &str) -> Result<Value, WordError> {
    let wrong = || WordError::NotOne { text: text.to_owned(), class: class.to_owned() };
    let number = |value: Option<Value>| value.ok_or_else(wrong);
    match class {
        "boolean" | "java.lang.Boolean" => match text {
            "true" => Ok(Value::Boolean(true)),
            "false" => Ok(Value::Boolean(false)),
            _ => Err(wrong()),
        },
        "byte" | "java.lang.Byte" => number(text.parse().ok().map(Value::Byte)),
        "short" | "java.lang.Short" => number(text.parse().ok().map(Value::Short)),
        "int" | "java.lang.Integer" => number(text.parse().ok().map(Value::Integer)),
        "long" | "java.lang.Long" => number(text.parse().ok().map(Value::Long)),
        "float" | "java.lang.Float" => number(text.parse().ok().map(Value::Float)),
        "double" | "java.lang.Double" => number(text.parse().ok().map(Value::Double)),
        "char" | "java.lang.Character" => match text.encode_utf16().collect::<Vec<u16>>()[..] {
            [unit] => Ok(Value::Character(unit)),
            _ => Err(wrong()),
        },
        "java.math.BigInteger" => {
            number(text.parse::<i128>().ok().map(|number| Value::BigInteger(BigInteger::from(number))))
        }
        "java.lang.String" => Ok(Value::String(text.to_owned())),
        "javax.management.ObjectName" => number(text.parse().ok().map(Value::Name)),
        // What the class of an attribute leaves open is guessed as a person would read it.
        "java.lang.Object" | "java.lang.Number" | "java.io.Serializable" => Ok(guessed(text)),
        "javax.management.QueryExp" if text == "null" => Ok(Value::Null),
        "javax.management.QueryExp" => {
            number(filter::parse(text).ok().map(|query| Value::Query(Box::new(query))))
        }
        array if array.starts_with('[') && text == "null" => Ok(Value::Null),
        array if array.starts_with('[') => elements(array, text).ok_or_else(|| match is_known(array) {
            true => wrong(),
            false => WordError::Class { class: array.to_owned() },
        }),
        other => Err(WordError::Class { class: other.to_owned() }),
    }
}

fn guessed(text: &str) -> Value {
    if let Ok(number) = text.parse() {
        return Value::Long(number);
    }
    match (text, text.parse()) {
        ("true" | "false", _) => Value::Boolean(text == "true"),
        (_, Ok(number)) => Value::Double(number),
        _ => Value::String(text.to_owned()),
    }
}

/// An array of primitives or texts.
fn elements(class: &str, text: &str) -> Option<Value> {
    let items: Vec<Json> = serde_json::from_str(text).ok()?;
    fn all<T>(items: &[Json], of: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
        items.iter().map(of).collect()
    }
    fn whole<T: TryFrom<i64>>(item: &Json) -> Option<T> {
        T::try_from(item.as_i64()?).ok()
    }
    let array = match class {
        "[Z" => Array::Booleans(all(&items, Json::as_bool)?),
        "[B" => Array::Bytes(all(&items, |item| Some(whole::<i8>(item)? as u8))?),
        "[S" => Array::Shorts(all(&items, whole)?),
        "[I" => Array::Integers(all(&items, whole)?),
        "[J" => Array::Longs(all(&items, whole)?),
        "[F" => Array::Floats(all(&items, |item| Some(item.as_f64()? as f32))?),
        "[D" => Array::Doubles(all(&items, Json::as_f64)?),
        "[Ljava.lang.String;" => Array::Strings(all(&items, |item| Some(item.as_str()?.to_owned()))?),
        _ => return None,
    };
    Some(Value::Array(array))
}

fn is_known(array: &str) -> bool {
    ["[Z", "[B", "[S", "[I", "[J", "[F", "[D", "[Ljava.lang.String;"].contains(&array)
}

fn hint(class: &str) -> &'static str {
    match class {
        "boolean" | "java.lang.Boolean" => ": write true or false",
        "javax.management.QueryExp" => ": write a condition, such as A = 1 AND B LIKE 'x*', or null",
        "[Ljava.lang.String;" => ": write [\"a\", \"b\"]",
        array if array.starts_with('[') => ": write [1, 2]",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_values_of_their_class() {
        for (class, text, value) in [
            ("boolean", "true", Value::Boolean(true)),
            ("int", "-7", Value::Integer(-7)),
            ("java.lang.Long", "9223372036854775807", Value::Long(i64::MAX)),
            ("double", "1e3", Value::Double(1000.0)),
            ("char", "é", Value::Character(0xe9)),
            ("java.lang.String", "a=b", "a=b".into()),
            ("javax.management.ObjectName", "a:b=c", Value::Name("a:b=c".parse().unwrap())),
            ("[J", "[1, -2]", Value::Array(Array::Longs(vec![1, -2]))),
            ("[B", "[-1]", Value::Array(Array::Bytes(vec![255]))),
            ("[Ljava.lang.String;", "[\"a\"]", Value::Array(Array::Strings(vec!["a".to_owned()]))),
            ("java.lang.Object", "5", Value::Long(5)),
            ("java.lang.Object", "true", Value::Boolean(true)),
            ("java.lang.Object", "x", "x".into()),
            ("[J", "null", Value::Null),
            ("javax.management.QueryExp", "null", Value::Null),
            ("javax.management.QueryExp", "A = 1", Value::Query(Box::new(filter::parse("A = 1").unwrap()))),
        ] {
            assert_eq!(parse(class, text), Ok(value), "{class} {text}");
        }
    }

    #[test]
    fn mistakes_are_reported() {
        for (class, text, words) in [
            ("boolean", "yes", "write true or false"),
            ("byte", "200", "is not a value of byte"),
            ("[I", "1,2", "write [1, 2]"),
            ("[I", "[4294967296]", "is not a value"),
            ("[Ljava.lang.Thread;", "[]", "cannot be written"),
            ("java.lang.Thread", "x", "cannot be written"),
            ("javax.management.QueryExp", "A =", "write a condition"),
        ] {
            let error = parse(class, text).unwrap_err().to_string();
            assert!(error.contains(words), "{class} {text}: {error}");
        }
    }
}

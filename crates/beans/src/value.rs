//! Values of objects as Java has them, and back.

use trunkline_jmx::model::{Array, Value as Java};
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Value, ValueKind, ValueRef};

use crate::text;

/// The type in which Java has the values of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JavaType {
    /// `Boolean`: TruthValue.
    Boolean,
    /// `Integer`: Integer32 and enumerations, whose numbers have names in the description of the attribute.
    Integer,
    /// `Long`: Counter32, Gauge32, TimeTicks, and Counter64 as two's complement.
    Long,
    /// `Float`: UCD-SNMP-MIB's Float, a number within an Opaque.
    Float,
    /// `String`: addresses, identifiers, octets with a display hint, the names of bits.
    Text,
    /// `byte[]`: other octets.
    Octets,
}

impl JavaType {
    /// The type for an object.
    #[must_use]
    pub fn of(syntax: &Syntax) -> Self {
        match syntax.kind {
            ValueKind::Integer if syntax.convention == "TruthValue" => JavaType::Boolean,
            ValueKind::Integer => JavaType::Integer,
            ValueKind::Counter32 | ValueKind::Unsigned32 | ValueKind::TimeTicks | ValueKind::Counter64 => {
                JavaType::Long
            }
            ValueKind::IpAddress | ValueKind::ObjectIdentifier => JavaType::Text,
            ValueKind::OctetString if text::has_text(syntax) => JavaType::Text,
            ValueKind::Opaque if syntax.convention == "Float" => JavaType::Float,
            ValueKind::OctetString | ValueKind::Opaque => JavaType::Octets,
        }
    }

    /// The name of its class.
    #[must_use]
    pub const fn class_name(self) -> &'static str {
        match self {
            JavaType::Boolean => "java.lang.Boolean",
            JavaType::Integer => "java.lang.Integer",
            JavaType::Long => "java.lang.Long",
            JavaType::Float => "java.lang.Float",
            JavaType::Text => "java.lang.String",
            JavaType::Octets => "[B",
        }
    }

    /// The name of the class of arrays of it.
    #[must_use]
    pub const fn array_class_name(self) -> &'static str {
        match self {
            JavaType::Boolean => "[Z",
            JavaType::Integer => "[I",
            JavaType::Long => "[J",
            JavaType::Float => "[F",
            JavaType::Text => "[Ljava.lang.String;",
            JavaType::Octets => "[[B",
        }
    }
}

/// A value of Java that an object cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} is not a value of this attribute, which has {expected}")]
pub struct WrongValue {
    /// The class of its values.
    pub expected: &'static str,
    /// The class of the value, or a text that stands for none.
    pub found: String,
}

/// A value of an object as Java has it.
#[must_use]
pub fn to_java(value: ValueRef<'_>, syntax: &Syntax) -> Java {
    match (JavaType::of(syntax), value) {
        (JavaType::Boolean, ValueRef::Integer(number)) => Java::Boolean(number == 1),
        (_, ValueRef::Integer(number)) => Java::Integer(number),
        (_, ValueRef::Unsigned32(number) | ValueRef::Counter32(number) | ValueRef::TimeTicks(number)) => {
            Java::Long(number.into())
        }
        (_, ValueRef::Counter64(number)) => Java::Long(number as i64),
        (JavaType::Float, ValueRef::Opaque(octets)) => float(octets).map_or(Java::Null, Java::Float),
        (JavaType::Octets, ValueRef::OctetString(octets) | ValueRef::Opaque(octets)) => {
            Java::Array(Array::Bytes(octets.to_vec()))
        }
        (_, other) => Java::String(text::write(other, syntax)),
    }
}

/// The value of an object that a value of Java is: of its type, another type of whole numbers, or a text that stands for it.
///
/// # Errors
/// It is none of them. Whether the object may have the value is not checked.
pub fn from_java(value: &Java, syntax: &Syntax) -> Result<Value, WrongValue> {
    let expected = JavaType::of(syntax).class_name();
    let wrong = |found: String| WrongValue { expected, found };
    let read = match value {
        Java::String(found) => {
            let read = match JavaType::of(syntax) {
                JavaType::Float => found.parse().ok().map(of_float),
                _ => text::read(found, syntax),
            };
            read.ok_or_else(|| wrong(format!("{found:?}")))?
        }
        Java::Boolean(truth) if JavaType::of(syntax) == JavaType::Boolean => {
            Value::Integer(if *truth { 1 } else { 2 })
        }
        Java::Array(Array::Bytes(octets)) => match syntax.kind {
            ValueKind::OctetString => Value::OctetString(octets.clone()),
            ValueKind::Opaque => Value::Opaque(octets.clone()),
            _ => return Err(wrong(value.class_name().to_owned())),
        },
        Java::Float(number) if JavaType::of(syntax) == JavaType::Float => of_float(*number),
        other => {
            let number = whole(other).ok_or_else(|| wrong(other.class_name().to_owned()))?;
            of_number(number, other, syntax).ok_or_else(|| wrong(number.to_string()))?
        }
    };
    Ok(read)
}

/// The number within an Opaque; `None`: there is something else in it.
pub(crate) fn float(octets: &[u8]) -> Option<f32> {
    octets.strip_prefix(FLOAT)?.try_into().ok().map(f32::from_be_bytes)
}

fn of_float(number: f32) -> Value {
    Value::Opaque([FLOAT, &number.to_be_bytes()].concat())
}

/// The tag and the length of the element within the Opaque: 0x78 of the application's class, 4 octets.
const FLOAT: &[u8] = &[0x9f, 0x78, 4];

fn whole(value: &Java) -> Option<i128> {
    Some(match value {
        Java::Byte(number) => (*number).into(),
        Java::Short(number) => (*number).into(),
        Java::Integer(number) => (*number).into(),
        Java::Long(number) => (*number).into(),
        Java::BigInteger(number) => number.to_i128()?,
        _ => return None,
    })
}

fn of_number(number: i128, of: &Java, syntax: &Syntax) -> Option<Value> {
    Some(match syntax.kind {
        ValueKind::Integer => Value::Integer(number.try_into().ok()?),
        ValueKind::Unsigned32 => Value::Unsigned32(number.try_into().ok()?),
        ValueKind::Counter32 => Value::Counter32(number.try_into().ok()?),
        ValueKind::TimeTicks => Value::TimeTicks(number.try_into().ok()?),
        ValueKind::Counter64 => Value::Counter64(match of {
            Java::Long(number) => *number as u64,
            _ => number.try_into().ok()?,
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_jmx::model::BigInteger;

    use super::*;

    #[test]
    fn other_values_of_java_are_taken_where_they_mean_one() {
        let read = |value: Java, syntax: &Syntax| from_java(&value, syntax).ok();
        assert_eq!(read("down".into(), &Syntax::enumeration(&[(2, "down")])), Some(Value::Integer(2)));
        assert_eq!(read(Java::Boolean(false), &Syntax::TRUTH_VALUE), Some(Value::Integer(2)));
        assert_eq!(read(Java::Boolean(false), &Syntax::INTEGER32), None);
        assert_eq!(read(Java::Byte(-1), &Syntax::INTEGER32), Some(Value::Integer(-1)));
        assert_eq!(read(Java::Long(1 << 32), &Syntax::GAUGE32), None);
        let big = Java::BigInteger(BigInteger::from(u64::MAX));
        assert_eq!(read(big, &Syntax::COUNTER64), Some(Value::Counter64(u64::MAX)));
        assert_eq!(read(Java::Long(-1), &Syntax::COUNTER64), Some(Value::Counter64(u64::MAX)));
        assert_eq!(read("192.0.2.1".into(), &Syntax::IP_ADDRESS), Some(Value::IpAddress([192, 0, 2, 1])));
        assert_eq!(read(Java::Null, &Syntax::INTEGER32), None);
        assert_eq!(read(Java::Double(1.0), &Syntax::INTEGER32), None);
        let error = from_java(&Java::Double(1.0), &Syntax::GAUGE32).unwrap_err();
        assert_eq!(
            error.to_string(),
            "java.lang.Double is not a value of this attribute, which has java.lang.Long"
        );
    }

    #[test]
    fn a_number_within_an_opaque_is_one() {
        let float = Syntax::OPAQUE.named("Float", "");
        let read = |octets: &[u8]| to_java(ValueRef::Opaque(octets), &float);
        assert_eq!(read(&[0x9f, 0x78, 4, 0x3f, 0xc0, 0, 0]), Java::Float(1.5));
        for other in [&[0x9f, 0x79, 4, 0x3f, 0xc0, 0, 0][..], &[0x9f, 0x78, 4, 0x3f], &[]] {
            assert_eq!(read(other), Java::Null);
        }
        let number = from_java(&Java::Float(1.5), &float);
        assert_eq!(
            from_java(&"1.5".into(), &float),
            number,
            "its text is a number, not the octets around it"
        );
        assert!(from_java(&"0x0b".into(), &float).is_err());
    }

    proptest! {
        #[test]
        fn values_come_back(
            number: i32, unsigned: u32, long: u64, octets: Vec<u8>, ip: [u8; 4], fraction: f32,
        ) {
            let float = Syntax::OPAQUE.named("Float", "");
            for (value, syntax) in [
                (Value::Integer(number), Syntax::INTEGER32),
                (Value::Integer(1), Syntax::TRUTH_VALUE),
                (Value::Unsigned32(unsigned), Syntax::GAUGE32),
                (Value::Counter32(unsigned), Syntax::COUNTER32),
                (Value::TimeTicks(unsigned), Syntax::TIME_TICKS),
                (Value::Counter64(long), Syntax::COUNTER64),
                (Value::IpAddress(ip), Syntax::IP_ADDRESS),
                (Value::OctetString(octets.clone()), Syntax::OCTET_STRING),
                (Value::OctetString(octets.clone()), Syntax::DISPLAY_STRING),
                (Value::Opaque(octets), Syntax::OPAQUE),
                (Value::Opaque([FLOAT, &fraction.to_be_bytes()].concat()), float),
            ] {
                let java = to_java(value.as_value_ref(), &syntax);
                prop_assert_eq!(java.class_name(), JavaType::of(&syntax).class_name());
                prop_assert_eq!(from_java(&java, &syntax), Ok(value));
            }
        }
    }
}

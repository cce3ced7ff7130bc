//! What an expression computes with, and the type of its result.

use trunkline_smi::{Oid, Value};

use crate::error::{ErrorCode, Fault};
use crate::number::{Kind, Number};

/// A value in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// An integer.
    Number(Number),
    /// An OCTET STRING.
    Octets(Vec<u8>),
    /// An OBJECT IDENTIFIER.
    Oid(Vec<u32>),
}

/// expExpressionValueType.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Counter32.
    Counter32 = 1,
    /// Unsigned32.
    Unsigned32 = 2,
    /// TimeTicks.
    TimeTicks = 3,
    /// Integer32.
    Integer32 = 4,
    /// IpAddress.
    IpAddress = 5,
    /// OCTET STRING.
    OctetString = 6,
    /// OBJECT IDENTIFIER.
    ObjectId = 7,
    /// Counter64.
    Counter64 = 8,
}

impl ValueType {
    /// All types, in the order of their numbers.
    pub const ALL: [ValueType; 8] = [
        ValueType::Counter32,
        ValueType::Unsigned32,
        ValueType::TimeTicks,
        ValueType::Integer32,
        ValueType::IpAddress,
        ValueType::OctetString,
        ValueType::ObjectId,
        ValueType::Counter64,
    ];

    /// The type with this number.
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|known| *known as i32 == number)
    }

    /// The name of the enumeration's value.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::Counter32 => "counter32",
            ValueType::Unsigned32 => "unsigned32",
            ValueType::TimeTicks => "timeTicks",
            ValueType::Integer32 => "integer32",
            ValueType::IpAddress => "ipAddress",
            ValueType::OctetString => "octetString",
            ValueType::ObjectId => "objectId",
            ValueType::Counter64 => "counter64",
        }
    }
}

impl Operand {
    /// The value of an object; `None`: Opaque, which no operator takes.
    pub fn of(value: &Value) -> Option<Self> {
        let number = |kind, value: i128| Some(Operand::Number(Number::new(kind, value)));
        match value {
            Value::Integer(value) => number(Kind::Integer32, (*value).into()),
            Value::Unsigned32(value) => number(Kind::Unsigned32, (*value).into()),
            Value::Counter32(value) => number(Kind::Counter32, (*value).into()),
            Value::TimeTicks(value) => number(Kind::TimeTicks, (*value).into()),
            Value::IpAddress(octets) => number(Kind::IpAddress, u32::from_be_bytes(*octets).into()),
            Value::Counter64(value) => number(Kind::Counter64, (*value).into()),
            Value::OctetString(octets) => Some(Operand::Octets(octets.clone())),
            Value::ObjectIdentifier(oid) => Some(Operand::Oid(oid.to_vec())),
            Value::Opaque(_) => None,
        }
    }

    /// The result as a type: integers that fit, four octets as an address.
    ///
    /// # Errors
    /// It cannot be made into this type: invalidOperandType.
    pub fn into_type(self, wanted: ValueType) -> Result<Value, Fault> {
        let found = self.describe();
        let unsigned = |number: Number| u32::try_from(number.value()).ok();
        let made = match (wanted, self) {
            (ValueType::Counter32, Operand::Number(number)) => unsigned(number).map(Value::Counter32),
            (ValueType::Unsigned32, Operand::Number(number)) => unsigned(number).map(Value::Unsigned32),
            (ValueType::TimeTicks, Operand::Number(number)) => unsigned(number).map(Value::TimeTicks),
            (ValueType::Integer32, Operand::Number(number)) => {
                i32::try_from(number.value()).ok().map(Value::Integer)
            }
            (ValueType::IpAddress, Operand::Number(number)) => {
                unsigned(number).map(|number| Value::IpAddress(number.to_be_bytes()))
            }
            (ValueType::IpAddress, Operand::Octets(octets)) => octets.try_into().ok().map(Value::IpAddress),
            (ValueType::OctetString, Operand::Octets(octets)) => Some(Value::OctetString(octets)),
            (ValueType::ObjectId, Operand::Oid(oid)) => {
                has_encoding(&oid).then(|| Value::ObjectIdentifier(Oid::EMPTY.child(&oid)))
            }
            (ValueType::Counter64, Operand::Number(number)) => {
                u64::try_from(number.value()).ok().map(Value::Counter64)
            }
            _ => None,
        };
        made.ok_or_else(|| {
            let message = format!("the result, {found}, cannot be made into {}", wanted.name());
            Fault::whole(ErrorCode::InvalidOperandType, message)
        })
    }

    fn describe(&self) -> String {
        match self {
            Operand::Number(number) => format!("{:?} {}", number.kind(), number.value()),
            Operand::Octets(octets) => format!("an octet string of {} octets", octets.len()),
            Operand::Oid(_) => "an object identifier".into(),
        }
    }
}

/// Whether BER can write the identifier: the first two numbers share an octet or more, and the first is 0, 1 or 2 (X.690 section 8.19.4).
fn has_encoding(oid: &[u32]) -> bool {
    match oid {
        [0 | 1, second, ..] => *second < 40,
        [2, second, ..] => *second <= u32::MAX - 80,
        _ => false,
    }
}

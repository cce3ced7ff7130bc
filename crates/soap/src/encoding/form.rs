//! Which form the values of an object have in XML.

use trunkline_smi::ValueKind;
use trunkline_smi::schema::Syntax;

/// The form of an object's values; the base of its type in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `xsd:int`, enumerations too: their numbers, as the paper prints them.
    Int,
    /// `xsd:unsignedInt`
    UnsignedInt,
    /// `xsd:unsignedLong`
    UnsignedLong,
    /// `xsd:string`: octets that are text according to their display hint. What XML cannot represent is `\xHH`.
    Text,
    /// `xsd:hexBinary`: all other octets, BITS and Opaque too.
    Hex,
    /// Numbers with dots between.
    ObjectIdentifier,
    /// Four numbers with dots between.
    IpAddress,
}

impl Form {
    /// The form of the values of an object.
    pub fn of(syntax: &Syntax) -> Self {
        match syntax.kind {
            ValueKind::Integer => Form::Int,
            ValueKind::Counter32 | ValueKind::Unsigned32 | ValueKind::TimeTicks => Form::UnsignedInt,
            ValueKind::Counter64 => Form::UnsignedLong,
            ValueKind::OctetString if is_text(syntax.hint) => Form::Text,
            ValueKind::OctetString | ValueKind::Opaque => Form::Hex,
            ValueKind::ObjectIdentifier => Form::ObjectIdentifier,
            ValueKind::IpAddress => Form::IpAddress,
        }
    }
}

/// `255a`, `255t`: one run of characters to the end.
fn is_text(hint: &str) -> bool {
    let digits = hint.strip_suffix(['a', 't']);
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

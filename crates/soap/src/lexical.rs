//! Values from their texts, by the syntax of their objects.

use trunkline_smi::schema::{IndexPart, Syntax, SyntaxError};
use trunkline_smi::{IndexValue, Oid, Value, ValueKind};

use crate::encoding::{Encoding, Form, read_escaped, read_token};
use crate::number::unhex;

/// Why a text is not a value of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct LexicalError {
    /// What was expected.
    pub expected: String,
    /// The beginning of what was found.
    pub found: String,
    /// What SNMP would call it.
    pub kind: SyntaxError,
}

/// An object's value from its text. Enumerations are accepted by number and by name.
pub fn parse(syntax: &Syntax, text: &str, encoding: Encoding) -> Result<Value, LexicalError> {
    let wrong = || LexicalError {
        expected: expected(syntax),
        found: crate::envelope::excerpt(text),
        kind: SyntaxError::WrongType,
    };
    let value = read(syntax, text, encoding).ok_or_else(wrong)?;
    syntax.check(value.as_value_ref()).map_err(|kind| LexicalError { kind, ..wrong() })?;
    Ok(value)
}

/// The same without checking the range of the syntax: for an agent's answers.
pub fn read(syntax: &Syntax, text: &str, encoding: Encoding) -> Option<Value> {
    let trimmed = text.trim();
    Some(match syntax.kind {
        ValueKind::Integer => Value::Integer(integer(syntax, trimmed)?),
        ValueKind::Counter32 => Value::Counter32(trimmed.parse().ok()?),
        ValueKind::Unsigned32 => Value::Unsigned32(trimmed.parse().ok()?),
        ValueKind::TimeTicks => Value::TimeTicks(trimmed.parse().ok()?),
        ValueKind::Counter64 => Value::Counter64(trimmed.parse().ok()?),
        ValueKind::OctetString => Value::OctetString(octets(syntax, text, encoding)?),
        ValueKind::Opaque => Value::Opaque(octets(syntax, text, encoding)?),
        ValueKind::ObjectIdentifier => Value::ObjectIdentifier(object_identifier(trimmed)?),
        ValueKind::IpAddress => Value::IpAddress(trimmed.parse::<std::net::Ipv4Addr>().ok()?.octets()),
    })
}

/// The value of an index object that a text stands for.
pub fn parse_key(part: &IndexPart, text: &str, encoding: Encoding) -> Result<IndexValue, LexicalError> {
    let wrong = || LexicalError {
        expected: expected(&part.syntax),
        found: crate::envelope::excerpt(text),
        kind: SyntaxError::WrongType,
    };
    let index = match read(&part.syntax, text, encoding).ok_or_else(wrong)? {
        Value::Integer(number) => IndexValue::Integer(u32::try_from(number).map_err(|_| wrong())?),
        Value::Unsigned32(number) | Value::Counter32(number) | Value::TimeTicks(number) => {
            IndexValue::Integer(number)
        }
        Value::OctetString(octets) => IndexValue::Octets(octets),
        Value::IpAddress(octets) => IndexValue::Octets(octets.to_vec()),
        Value::ObjectIdentifier(oid) => IndexValue::ObjectIdentifier(oid),
        Value::Opaque(_) | Value::Counter64(_) => return Err(wrong()),
    };
    Ok(index)
}

fn integer(syntax: &Syntax, text: &str) -> Option<i32> {
    let by_name = || syntax.names.iter().find(|(_, name)| *name == text).map(|(number, _)| *number);
    text.parse().ok().or_else(by_name)
}

fn octets(syntax: &Syntax, text: &str, encoding: Encoding) -> Option<Vec<u8>> {
    match (Form::of(syntax), encoding) {
        (Form::Text, Encoding::Lean) => read_token(text.trim()),
        (Form::Text, _) => Some(read_escaped(text)),
        (_, Encoding::Lean) if text.trim() == "%" => Some(Vec::new()),
        (_, Encoding::AsInPaper) => piped(text.trim()),
        _ => hexadecimal(text.trim()),
    }
}

/// `00C0FF`, or as people write it `00:c0:ff`.
pub(crate) fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|octet| !matches!(octet, b':' | b'-' | b' ')).collect();
    if digits.len() % 2 == 1 {
        return None;
    }
    digits.chunks_exact(2).map(|pair| unhex(pair[0], pair[1])).collect()
}

/// `0|40|63|C9|71|18`, as in figure 10.
fn piped(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let octet = |part: &str| if part.len() > 2 { None } else { u8::from_str_radix(part, 16).ok() };
    text.split('|').map(octet).collect()
}

/// `1.3.6`, or as in figure 10 `0:0`; nothing at all is the empty one.
pub(crate) fn object_identifier(text: &str) -> Option<Oid> {
    if text.is_empty() || text == "%" {
        return Some(Oid::EMPTY);
    }
    if text.contains(':') { text.replace(':', ".").parse().ok() } else { text.parse().ok() }
}

/// What is allowed, for people.
fn expected(syntax: &Syntax) -> String {
    let number = |name: &str| format!("a number of {name} from {} to {}", syntax.min, syntax.max);
    match Form::of(syntax) {
        Form::Int if !syntax.names.is_empty() => {
            let names: Vec<String> =
                syntax.names.iter().take(8).map(|(number, name)| format!("{name}({number})")).collect();
            let more = if syntax.names.len() > 8 { " or another of its names" } else { "" };
            format!("{}{more}", names.join(", "))
        }
        Form::Int => number("Integer32"),
        Form::UnsignedInt => number(syntax.kind.name()),
        Form::UnsignedLong => "a number of 64 bits".into(),
        Form::Text => format!("a text of {} to {} octets", syntax.min, syntax.max),
        Form::Hex => format!("{} to {} octets in hexadecimal", syntax.min, syntax.max),
        Form::ObjectIdentifier => "an object identifier such as 1.3.6.1".into(),
        Form::IpAddress => "an IPv4 address such as 192.0.2.1".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_their_syntax() {
        let read = |syntax: Syntax, text: &str| parse(&syntax, text, Encoding::Typed);
        assert_eq!(read(Syntax::TRUTH_VALUE, " true ").unwrap(), Value::Integer(1));
        assert_eq!(read(Syntax::TRUTH_VALUE, "2").unwrap(), Value::Integer(2));
        assert_eq!(read(Syntax::DISPLAY_STRING, " a ").unwrap(), Value::text(" a "));
        let address = Value::OctetString(vec![0, 0xc0, 0xff]);
        assert_eq!(read(Syntax::PHYS_ADDRESS, "00:c0:ff").unwrap(), address);
        assert_eq!(read(Syntax::PHYS_ADDRESS, "00C0FF").unwrap(), address);
        assert_eq!(parse(&Syntax::PHYS_ADDRESS, "0|C0|FF", Encoding::AsInPaper).unwrap(), address);
        assert_eq!(read(Syntax::IP_ADDRESS, "1.2.3.4").unwrap(), Value::IpAddress([1, 2, 3, 4]));
        assert_eq!(read(Syntax::COUNTER64, "18446744073709551615").unwrap(), Value::Counter64(u64::MAX));
    }

    #[test]
    fn invalid_values_are_refused_with_the_expected_form() {
        let fail = |syntax: Syntax, text: &str| parse(&syntax, text, Encoding::Typed).unwrap_err();
        let wrong = fail(Syntax::TRUTH_VALUE, "perhaps");
        assert_eq!(wrong.to_string(), "expected true(1), false(2), found \"perhaps\"");
        assert_eq!(wrong.kind, SyntaxError::WrongType);
        assert_eq!(fail(Syntax::TRUTH_VALUE, "3").kind, SyntaxError::WrongValue);
        assert_eq!(fail(Syntax::DATE_AND_TIME, "00").kind, SyntaxError::WrongLength);
        assert_eq!(fail(Syntax::PHYS_ADDRESS, "0").kind, SyntaxError::WrongType);
    }
}

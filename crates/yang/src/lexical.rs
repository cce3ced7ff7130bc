//! How values are written and read (RFC 6643 section 2, RFC 7950 section 9).

use std::borrow::Cow;
use std::fmt::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{DisplayHint, Oid, Value, ValueKind, ValueRef, display_oid};

use crate::smiv2::is_text;

/// Appends a value of an object, without any mark-up.
pub fn write(value: ValueRef<'_>, syntax: &Syntax, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match value {
        ValueRef::Integer(number) if syntax.convention == TRUTH_VALUE => {
            out.write_str(if number == 1 { "true" } else { "false" })
        }
        ValueRef::Integer(number) => match syntax.name_of(number) {
            Some(name) => out.write_str(name),
            None => write!(out, "{number}"),
        },
        ValueRef::Unsigned32(number) | ValueRef::Counter32(number) | ValueRef::TimeTicks(number) => {
            write!(out, "{number}")
        }
        ValueRef::Counter64(number) => write!(out, "{number}"),
        ValueRef::IpAddress(octets) => write!(out, "{}", std::net::Ipv4Addr::from(octets)),
        ValueRef::ObjectIdentifier(oid) => write!(out, "{}", display_oid(oid)),
        ValueRef::OctetString(octets) if syntax.bits => write_bits(octets, syntax, out),
        ValueRef::OctetString(octets) if is_text(syntax) => write_by_hint(octets, syntax, out),
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
            BASE64.encode_string(octets, out);
            Ok(())
        }
    };
}

/// A text as a value of type `string`: for each character that no string has there is U+FFFD.
pub fn as_string(text: &str) -> Cow<'_, str> {
    // Most texts have none of the octets that such characters begin with.
    let begins_none = |octet: u8| (b' '..0xef).contains(&octet);
    if text.bytes().all(begins_none) || text.chars().all(is_of_strings) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|it| if is_of_strings(it) { it } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Whether strings can have a character (RFC 7950 section 14, `yang-char`).
pub fn is_of_strings(it: char) -> bool {
    let is_noncharacter = matches!(it, '\u{fdd0}'..='\u{fdef}') || u32::from(it) & 0xfffe == 0xfffe;
    (it >= ' ' || matches!(it, '\t' | '\n' | '\r')) && !is_noncharacter
}

/// Whether values of an object are of type `binary`, so that their text is base64: octets that no display hint makes text.
pub fn is_binary(syntax: &Syntax) -> bool {
    matches!(syntax.kind, ValueKind::OctetString | ValueKind::Opaque) && !syntax.bits && !is_text(syntax)
}

/// The value of an object that a text stands for.
pub fn read(text: &str, syntax: &Syntax) -> Option<Value> {
    let trimmed = text.trim();
    Some(match syntax.kind {
        ValueKind::Integer if syntax.convention == TRUTH_VALUE => Value::Integer(match trimmed {
            "true" => 1,
            "false" => 2,
            _ => return None,
        }),
        ValueKind::Integer => Value::Integer(number(trimmed, syntax)?),
        ValueKind::Unsigned32 => Value::Unsigned32(trimmed.parse().ok()?),
        ValueKind::Counter32 => Value::Counter32(trimmed.parse().ok()?),
        ValueKind::TimeTicks => Value::TimeTicks(trimmed.parse().ok()?),
        ValueKind::Counter64 => Value::Counter64(trimmed.parse().ok()?),
        ValueKind::IpAddress => Value::IpAddress(trimmed.parse::<std::net::Ipv4Addr>().ok()?.octets()),
        // A view of everything is a subtree without any part.
        ValueKind::ObjectIdentifier if trimmed.is_empty() => Value::ObjectIdentifier(Oid::EMPTY),
        ValueKind::ObjectIdentifier => Value::ObjectIdentifier(trimmed.parse().ok()?),
        ValueKind::OctetString if syntax.bits => Value::OctetString(bits(trimmed, syntax)?),
        ValueKind::OctetString if is_text(syntax) => Value::OctetString(by_hint(text, syntax)?),
        ValueKind::OctetString => Value::OctetString(BASE64.decode(trimmed).ok()?),
        ValueKind::Opaque => Value::Opaque(BASE64.decode(trimmed).ok()?),
    })
}

fn number(text: &str, syntax: &Syntax) -> Option<i32> {
    let named = syntax.names.iter().find(|(_, name)| *name == text).map(|(number, _)| *number);
    named.or_else(|| text.parse().ok())
}

/// The names of the bits that are set, in their order.
fn write_bits(octets: &[u8], syntax: &Syntax, out: &mut String) -> std::fmt::Result {
    let is_set = |position: i32| {
        let position = usize::try_from(position).unwrap_or(usize::MAX);
        octets.get(position / 8).is_some_and(|octet| octet & (0x80 >> (position % 8)) != 0)
    };
    let set = syntax.names.iter().filter(|(position, _)| is_set(*position)).map(|(_, name)| *name);
    out.write_str(&set.collect::<Vec<_>>().join(" "))
}

fn bits(text: &str, syntax: &Syntax) -> Option<Vec<u8>> {
    let mut octets = Vec::new();
    for name in text.split_ascii_whitespace() {
        let (position, _) = syntax.names.iter().find(|(_, known)| *known == name)?;
        let position = usize::try_from(*position).ok()?;
        if octets.len() <= position / 8 {
            octets.resize(position / 8 + 1, 0);
        }
        octets[position / 8] |= 0x80 >> (position % 8);
    }
    Some(octets)
}

/// Numbers in hexadecimal have two digits, as `yang:phys-address` has them.
fn write_by_hint(octets: &[u8], syntax: &Syntax, out: &mut String) -> std::fmt::Result {
    match std::str::from_utf8(octets) {
        Ok(text) if is_plain(syntax) => out.write_str(text),
        _ => {
            let text = DisplayHint::parse(syntax.hint).and_then(|it| it.format_octets_padded(octets, true));
            out.write_str(&text.unwrap_or_default())
        }
    }
}

fn by_hint(text: &str, syntax: &Syntax) -> Option<Vec<u8>> {
    if is_plain(syntax) {
        return Some(text.as_bytes().to_vec());
    }
    DisplayHint::parse(syntax.hint)?.parse_octets(text.trim())
}

/// Whether the octets are the text.
fn is_plain(syntax: &Syntax) -> bool {
    matches!(syntax.hint, "255a" | "255t")
}

/// Whether its values are true and false.
pub(crate) fn is_truth_value(syntax: &Syntax) -> bool {
    syntax.convention == TRUTH_VALUE
}

const TRUTH_VALUE: &str = "TruthValue";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: ValueRef<'_>, syntax: &Syntax) -> String {
        let mut out = String::new();
        write(value, syntax, &mut out);
        out
    }

    #[test]
    fn values_are_written_as_their_types_have_them() {
        let of = written;
        use ValueRef::*;
        assert_eq!(of(Integer(2), &Syntax::TRUTH_VALUE), "false");
        assert_eq!(of(Integer(1), &Syntax::ROW_STATUS), "active");
        assert_eq!(of(Integer(-7), &Syntax::INTEGER32), "-7");
        assert_eq!(of(Counter64(u64::MAX), &Syntax::COUNTER64), "18446744073709551615");
        assert_eq!(of(IpAddress([192, 0, 2, 1]), &Syntax::IP_ADDRESS), "192.0.2.1");
        assert_eq!(of(OctetString(b"eth0"), &Syntax::DISPLAY_STRING), "eth0");
        assert_eq!(of(OctetString(&[0, 0x1b, 2]), &Syntax::PHYS_ADDRESS), "00:1b:02");
        assert_eq!(of(OctetString(&[1, 2, 3]), &Syntax::OCTET_STRING), "AQID");
        let bits = Syntax::bits(&[(0, "first"), (9, "tenth")]);
        assert_eq!(of(OctetString(&[0x80, 0x40]), &bits), "first tenth");
        assert_eq!(of(OctetString(&[]), &bits), "");
    }

    #[test]
    fn strings_have_no_other_characters_than_yang_has() {
        for (given, written) in [
            ("plain \u{e9}\u{ffee}\u{10000}\t\r\n\u{7f}\u{85}", None),
            ("", None),
            ("\0a\u{1}b\u{1f}", Some("\u{fffd}a\u{fffd}b\u{fffd}")),
            ("\u{fdd0}\u{fdef}\u{fdf0}\u{fffe}\u{ffff}", Some("\u{fffd}\u{fffd}\u{fdf0}\u{fffd}\u{fffd}")),
            ("\u{1fffe}\u{10ffff}\u{10fffd}", Some("\u{fffd}\u{fffd}\u{10fffd}")),
        ] {
            assert_eq!(as_string(given), written.unwrap_or(given), "{given:?}");
            assert!(as_string(given).chars().all(is_of_strings));
        }
    }

    #[test]
    fn other_texts_are_not_read() {
        assert_eq!(read("maybe", &Syntax::TRUTH_VALUE), None);
        assert_eq!(read("1", &Syntax::TRUTH_VALUE), None);
        assert_eq!(read("4294967296", &Syntax::COUNTER32), None);
        assert_eq!(read("zz:00", &Syntax::PHYS_ADDRESS), None);
        assert_eq!(read("third", &Syntax::bits(&[(0, "first")])), None);
        assert_eq!(read("*", &Syntax::OCTET_STRING), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            number: i32,
            unsigned: u32,
            long: u64,
            octets: Vec<u8>,
            text in "[ -~]{0,40}",
            parts in prop::collection::vec(any::<u32>(), 0..5),
        ) {
            for (value, syntax) in [
                (Value::ObjectIdentifier(Oid::EMPTY.child(&parts)), Syntax::OBJECT_IDENTIFIER),
                (Value::Integer(number), Syntax::INTEGER32),
                (Value::Unsigned32(unsigned), Syntax::GAUGE32),
                (Value::TimeTicks(unsigned), Syntax::TIME_TICKS),
                (Value::Counter64(long), Syntax::COUNTER64),
                (Value::OctetString(octets.clone()), Syntax::OCTET_STRING),
                (Value::OctetString(octets.clone()), Syntax::PHYS_ADDRESS),
                (Value::Opaque(octets), Syntax::OPAQUE),
                (Value::OctetString(text.into_bytes()), Syntax::DISPLAY_STRING),
            ] {
                let written = written(value.as_value_ref(), &syntax);
                prop_assert_eq!(read(&written, &syntax), Some(value), "{}", written);
            }
        }
    }
}

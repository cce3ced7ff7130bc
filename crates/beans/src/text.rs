//! Values as texts: in the names of MBeans, and of attributes that Java has as `String`. Each text stands for one value.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use trunkline_smi::schema::Syntax;
use trunkline_smi::{Value, ValueKind, ValueRef};
use trunkline_yang::lexical;

/// What is for people, in the character set of the machine (RFC 2790), has no display hint: on Linux it is UTF-8.
fn hinted(syntax: &Syntax) -> Syntax {
    match syntax.convention {
        "InternationalDisplayString" if syntax.hint.is_empty() => Syntax { hint: "255t", ..*syntax },
        _ => *syntax,
    }
}

/// A value as a text: as YANG has it, but for octets that are no text. Those are `0x` and hexadecimal digits, and addresses of
/// InetAddress are written as addresses.
pub(crate) fn write(value: ValueRef<'_>, syntax: &Syntax) -> String {
    let mut text = String::new();
    append(value, syntax, &mut text);
    text
}

/// The same, at the end of a text.
pub(crate) fn append(value: ValueRef<'_>, syntax: &Syntax, out: &mut String) {
    let syntax = &hinted(syntax);
    let octets = match value {
        ValueRef::OctetString(octets) if !syntax.bits => octets,
        ValueRef::Opaque(octets) => return hexadecimal(octets, out),
        _ => return lexical::write(value, syntax, out),
    };
    if quick(octets, syntax, out) {
        return;
    }
    let start = out.len();
    let is_written = if is_address(syntax) {
        address(octets).map(|address| out.push_str(&address)).is_some()
    } else if syntax.hint.is_empty() {
        false
    } else {
        lexical::write(value, syntax, out);
        true
    };
    let stands_for_it = is_written
        && read(&out[start..], syntax)
            .is_some_and(|read| matches!(read, Value::OctetString(read) if read == octets));
    if !stands_for_it {
        out.truncate(start);
        hexadecimal(octets, out);
    }
}

/// The text of octets whose hint is one of the two that most columns of texts have, if it is certain that it stands for them: by the
/// hint it is the same, but for a row of a table that is a fifth of the time. Whether it was written.
fn quick(octets: &[u8], syntax: &Syntax, out: &mut String) -> bool {
    match syntax.hint {
        "255a" | "255t" => {
            let is_plain = |octet: &u8| (0x20..0x7f).contains(octet);
            let is_certain = octets.len() <= 255 && octets.iter().all(is_plain) && !octets.starts_with(b"0x");
            let text = if is_certain { std::str::from_utf8(octets).ok() } else { None };
            text.map(|text| out.push_str(text)).is_some()
        }
        "1x:" => {
            out.reserve(3 * octets.len());
            for (at, octet) in octets.iter().enumerate() {
                if at > 0 {
                    out.push(':');
                }
                push_hexadecimal(*octet, out);
            }
            true
        }
        _ => false,
    }
}

/// The value of an object that a text stands for.
pub(crate) fn read(text: &str, syntax: &Syntax) -> Option<Value> {
    let syntax = &hinted(syntax);
    let has_octets = syntax.kind == ValueKind::OctetString && !syntax.bits;
    match (syntax.kind, octets_of(text)) {
        (ValueKind::Opaque, octets) => return octets.map(Value::Opaque),
        (_, Some(octets)) if has_octets => return Some(Value::OctetString(octets)),
        _ => {}
    }
    if has_octets && is_address(syntax) {
        return Some(Value::OctetString(match text.parse().ok()? {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        }));
    }
    if has_octets && syntax.hint.is_empty() {
        return None;
    }
    lexical::read(text, syntax)
}

/// Whether values are octets that a text stands for.
pub(crate) fn has_text(syntax: &Syntax) -> bool {
    syntax.bits || !hinted(syntax).hint.is_empty() || is_address(syntax)
}

fn is_address(syntax: &Syntax) -> bool {
    syntax.convention == "InetAddress"
}

fn address(octets: &[u8]) -> Option<String> {
    if let Ok(octets) = <[u8; 4]>::try_from(octets) {
        return Some(Ipv4Addr::from(octets).to_string());
    }
    <[u8; 16]>::try_from(octets).ok().map(|octets| Ipv6Addr::from(octets).to_string())
}

fn hexadecimal(octets: &[u8], out: &mut String) {
    out.reserve(2 + 2 * octets.len());
    out.push_str("0x");
    octets.iter().for_each(|octet| push_hexadecimal(*octet, out));
}

fn push_hexadecimal(octet: u8, text: &mut String) {
    for digit in [octet >> 4, octet & 15] {
        text.push(char::from_digit(digit.into(), 16).unwrap_or('0'));
    }
}

/// The octets of `0x` and an even number of hexadecimal digits.
fn octets_of(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let digit = |octet: u8| char::from(octet).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    };
    digits.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const INTERNATIONAL: Syntax = Syntax::octets(0, 64).named("InternationalDisplayString", "");

    #[test]
    fn octets_are_texts_where_they_can_be() {
        for (octets, syntax, text) in [
            (&b"eth0"[..], Syntax::DISPLAY_STRING, "eth0"),
            (b"0x41", Syntax::DISPLAY_STRING, "0x30783431"),
            (b"\xff", Syntax::DISPLAY_STRING, "0xff"),
            (b"", Syntax::DISPLAY_STRING, ""),
            (&[0, 0x1b, 2], Syntax::PHYS_ADDRESS, "00:1b:02"),
            (&[127, 0, 0, 1], Syntax::INET_ADDRESS, "127.0.0.1"),
            (&[0; 16], Syntax::INET_ADDRESS, "::"),
            (b"host", Syntax::INET_ADDRESS, "104.111.115.116"),
            (b"hosts", Syntax::INET_ADDRESS, "0x686f737473"),
            (&[1, 2], Syntax::OCTET_STRING, "0x0102"),
            ("Zähler".as_bytes(), INTERNATIONAL, "Zähler"),
            (b"\xff", INTERNATIONAL, "0xff"),
        ] {
            assert_eq!(write(ValueRef::OctetString(octets), &syntax), text);
            assert_eq!(read(text, &syntax), Some(Value::OctetString(octets.to_vec())));
        }
        assert_eq!(read("0102", &Syntax::OCTET_STRING), None);
        assert_eq!(read("0x1", &Syntax::OPAQUE), None);
        assert_eq!(write(ValueRef::Integer(1), &Syntax::INET_ADDRESS_TYPE), "ipv4");
    }

    proptest! {
        /// Whether a text is made in one way or the other cannot be seen.
        #[test]
        fn what_is_quick_is_what_the_hint_says(octets: Vec<u8>, text in "[ -~]{0,20}") {
            for octets in [&octets[..], text.as_bytes()] {
                for syntax in [Syntax::DISPLAY_STRING, Syntax::SNMP_ADMIN_STRING, Syntax::PHYS_ADDRESS] {
                    let mut by_hint = String::new();
                    lexical::write(ValueRef::OctetString(octets), &syntax, &mut by_hint);
                    let mut text = String::new();
                    prop_assert!(!quick(octets, &syntax, &mut text) || text == by_hint, "{}", by_hint);
                }
            }
        }

        #[test]
        fn each_text_stands_for_its_value(octets: Vec<u8>, text in "[ -~]{0,20}", number: i32) {
            for (value, syntax) in [
                (Value::OctetString(octets.clone()), Syntax::OCTET_STRING),
                (Value::OctetString(octets.clone()), Syntax::DISPLAY_STRING),
                (Value::OctetString(octets.clone()), Syntax::PHYS_ADDRESS),
                (Value::OctetString(octets.clone()), Syntax::INET_ADDRESS),
                (Value::OctetString(octets.clone()), Syntax::DATE_AND_TIME),
                (Value::OctetString(text.clone().into_bytes()), Syntax::SNMP_ADMIN_STRING),
                (Value::OctetString(octets.clone()), INTERNATIONAL),
                (Value::Opaque(octets), Syntax::OPAQUE),
                (Value::Integer(number), Syntax::INTEGER32),
            ] {
                let written = write(value.as_value_ref(), &syntax);
                prop_assert_eq!(read(&written, &syntax), Some(value), "{}", written);
            }
        }
    }
}

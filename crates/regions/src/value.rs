//! The formats of `pass` and `pass_persist` programs: names, types and values as Net-SNMP reads and writes them
//! (snmpd.conf(5), "MIB-Specific Extension Commands").

use std::fmt::Write;

use trunkline_smi::{Oid, Value, ValueRef, display_oid};
use trunkline_tree::SetCheck;

/// A program's output for an instance: three lines.
///
/// ```text
/// .1.3.6.1.4.1.8072.2.255.1.0
/// string
/// Life, the Universe, and Everything
/// ```
/// `None` where it is none of that.
pub fn instance(name: &str, kind: &str, value: &[u8]) -> Option<(Oid, Value)> {
    Some((name.trim().parse().ok()?, parse(kind.trim(), value)?))
}

/// A value by the name of its type. As with Net-SNMP only the beginning of the name matters, in any case, and a
/// number ends at the first character that is not a digit. Unlike there, a text without any number is not 0 but
/// an error.
pub fn parse(kind: &str, value: &[u8]) -> Option<Value> {
    let kind = kind.to_ascii_lowercase();
    let text = || std::str::from_utf8(value).map(str::trim).ok();
    let is = |name: &str| kind.starts_with(name);
    Some(match () {
        () if is("string") => Value::OctetString(value.to_vec()),
        // Wider numbers lose their upper bits, as on the wire.
        () if is("integer") => Value::Integer(number(text()?)? as i32),
        () if is("unsigned") || is("gauge") => Value::Unsigned32(number(text()?)? as u32),
        () if is("counter64") => Value::Counter64(number(text()?)? as u64),
        () if is("counter") => Value::Counter32(number(text()?)? as u32),
        () if is("timetick") => Value::TimeTicks(number(text()?)? as u32),
        () if is("octet") => Value::OctetString(octets(text()?)),
        () if is("opaque") => Value::Opaque(octets(text()?)),
        () if is("objectid") => Value::ObjectIdentifier(text()?.parse().ok()?),
        () if is("ipaddress") => Value::IpAddress(text()?.parse::<std::net::Ipv4Addr>().ok()?.octets()),
        () => return None,
    })
}

/// The number that a text begins with, as strtol(3) finds it.
fn number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    // Longer ones do not fit into any type.
    let number: i128 = digits[..end].parse().ok().filter(|number| *number <= i128::from(u64::MAX))?;
    Some(if negative { -number } else { number })
}

/// Hexadecimal numbers separated by blanks, up to the first invalid one.
fn octets(text: &str) -> Vec<u8> {
    text.split_whitespace()
        .map_while(|word| u32::from_str_radix(word, 16).ok())
        .map(|octet| octet as u8)
        .collect()
}

/// A name as passed to programs.
pub fn name(name: &[u32]) -> String {
    format!(".{}", display_oid(name))
}

/// A value as passed to a program for a set: its type, and the value as one word.
pub fn set_words(value: ValueRef<'_>) -> (&'static str, String) {
    match value {
        ValueRef::Integer(number) => ("integer", number.to_string()),
        ValueRef::Unsigned32(number) => ("gauge", number.to_string()),
        ValueRef::Counter32(number) => ("counter", number.to_string()),
        ValueRef::Counter64(number) => ("counter64", number.to_string()),
        ValueRef::TimeTicks(number) => ("timeticks", number.to_string()),
        ValueRef::IpAddress([a, b, c, d]) => ("ipaddress", format!("{a}.{b}.{c}.{d}")),
        ValueRef::ObjectIdentifier(sub_ids) => ("objectid", name(sub_ids)),
        ValueRef::OctetString(octets) => match printable(octets) {
            Some(text) => ("string", text),
            None => ("octet", hexadecimal(octets)),
        },
        ValueRef::Opaque(octets) => ("opaque", hexadecimal(octets)),
    }
}

/// The same as one line: texts, octets and names in quotes.
pub fn set_line(value: ValueRef<'_>) -> String {
    let (kind, word) = set_words(value);
    match kind {
        "string" | "octet" | "objectid" | "opaque" => format!("{kind} \"{word}\""),
        _ => format!("{kind} {word}"),
    }
}

fn printable(octets: &[u8]) -> Option<String> {
    let is_printable = octets.iter().all(|octet| (b' '..=b'~').contains(octet));
    is_printable.then(|| octets.iter().map(|octet| char::from(*octet)).collect())
}

fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().fold(String::new(), |mut text, octet| {
        let _ = write!(text, "{octet:02x} ");
        text
    })
}

/// How a program refuses a set; `None` if it accepts it.
pub fn refusal(line: &str) -> Option<SetCheck> {
    let line = line.trim_start().to_ascii_lowercase();
    let check = |(word, check): &(&str, SetCheck)| line.starts_with(word).then_some(*check);
    REFUSALS.iter().find_map(check)
}

/// Its words, and replacements for those of our errors that have none.
const REFUSALS: &[(&str, SetCheck)] = &[
    ("not-writable", SetCheck::NotWritable),
    ("wrong-type", SetCheck::WrongType),
    ("wrong-length", SetCheck::WrongLength),
    ("wrong-value", SetCheck::WrongValue),
    ("wrong-encoding", SetCheck::WrongValue),
    ("no-access", SetCheck::NoAccess),
    ("no-creation", SetCheck::NoCreation),
    ("inconsistent-value", SetCheck::InconsistentValue),
    ("inconsistent-name", SetCheck::InconsistentName),
    ("resource-unavailable", SetCheck::ResourceUnavailable),
    ("commit-failed", SetCheck::CommitFailed),
    ("undo-failed", SetCheck::CommitFailed),
    ("gen-error", SetCheck::CommitFailed),
    ("too-big", SetCheck::ResourceUnavailable),
    ("no-such-name", SetCheck::NoCreation),
    ("bad-value", SetCheck::WrongValue),
    ("read-only", SetCheck::NotWritable),
    ("authorization-error", SetCheck::NoAccess),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_those_that_snmpd_makes_of_them() {
        for (kind, text, value) in [
            ("integer", "-42", Value::Integer(-42)),
            ("INTEGER", " 7 ", Value::Integer(7)),
            ("integer", "4294967295", Value::Integer(-1)),
            ("gauge", "4294967295", Value::Unsigned32(u32::MAX)),
            ("unsigned", "7", Value::Unsigned32(7)),
            ("counter", "12.5", Value::Counter32(12)),
            ("Counter32", "9", Value::Counter32(9)),
            ("counter64", "18446744073709551615", Value::Counter64(u64::MAX)),
            ("timeticks", "363136200", Value::TimeTicks(363_136_200)),
            ("ipaddress", "127.0.0.1", Value::IpAddress([127, 0, 0, 1])),
            ("objectid", ".1.3.6.1.4.255", Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 4, 255]))),
            ("octet", "de ad be ef 0", Value::OctetString(vec![0xde, 0xad, 0xbe, 0xef, 0])),
            ("octet", "", Value::OctetString(vec![])),
            ("string", " a  b ", Value::text(" a  b ")),
            ("opaque", "9f 78", Value::Opaque(vec![0x9f, 0x78])),
        ] {
            assert_eq!(parse(kind, text.as_bytes()), Some(value), "{kind} {text}");
        }
        for (kind, text) in
            [("integer", "xyz"), ("integer", ""), ("ipaddress", "1.2.3"), ("objectid", ""), ("real", "1.5")]
        {
            assert_eq!(parse(kind, text.as_bytes()), None, "{kind} {text}");
        }
        assert_eq!(instance(".1.3.6\n", "string\n", b"x"), Some((Oid::from([1, 3, 6]), Value::text("x"))));
        assert_eq!(instance("NONE", "", b""), None);
    }

    #[test]
    fn sets_are_worded_as_snmpd_words_them() {
        for (value, line) in [
            (Value::Integer(-5), "integer -5"),
            (Value::text("two words"), "string \"two words\""),
            (Value::text(""), "string \"\""),
            (Value::OctetString(vec![0, 255]), "octet \"00 ff \""),
            (Value::ObjectIdentifier(Oid::from([1, 3, 6])), "objectid \".1.3.6\""),
            (Value::IpAddress([1, 2, 3, 4]), "ipaddress 1.2.3.4"),
            (Value::TimeTicks(77), "timeticks 77"),
            (Value::Unsigned32(u32::MAX), "gauge 4294967295"),
        ] {
            assert_eq!(set_line(value.as_value_ref()), line);
        }
        assert_eq!(refusal("not-writable\n"), Some(SetCheck::NotWritable));
        assert_eq!(refusal("Wrong-Type"), Some(SetCheck::WrongType));
        assert_eq!(refusal("DONE"), None);
        assert_eq!(refusal(""), None);
    }

    proptest! {
        #[test]
        fn written_values_are_parsed_back(octets in proptest::collection::vec(any::<u8>(), 0..40), number: u32) {
            for value in [Value::OctetString(octets), Value::Integer(number as i32), Value::Counter32(number)] {
                let (kind, word) = set_words(value.as_value_ref());
                prop_assert_eq!(parse(kind, word.as_bytes()), Some(value));
            }
        }

        #[test]
        fn anything_is_read_without_panic(kind in "[a-z0-9]{0,10}", value in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = parse(&kind, &value);
        }
    }
}

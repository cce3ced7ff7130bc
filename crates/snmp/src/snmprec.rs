//! Recordings as snmpsim has them (`.snmprec`), which `trunkline walk --record` writes and `trunkline sim` reads: a line for each
//! instance, `OID|TAG|VALUE`.
//!
//! The tag is the number of the type on the wire (`2` INTEGER, `4` OCTET STRING, `6` OBJECT IDENTIFIER, `64` IpAddress,
//! `65` Counter32, `66` Gauge32, `67` TimeTicks, `68` Opaque, `70` Counter64); an `x` behind it says that the value is in
//! hexadecimal. snmpsim's modules of variation (`2:numeric|...`) are programs of its own, and are refused.

use trunkline_smi::{Oid, Value};

use crate::wire::is_encodable;

/// What is wrong with a recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SnmprecError {
    /// The line, counted from 1; 0 if it is about the whole.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It has not three parts.
    #[error("expected OID|TAG|VALUE")]
    Parts,
    /// The name is not an object identifier.
    #[error("{found:?} is not an object identifier that a message can carry")]
    Name {
        /// What it is.
        found: String,
    },
    /// The tag calls a module of variation.
    #[error("the module of variation {module:?} is not supported, only values")]
    Module {
        /// Its name.
        module: String,
    },
    /// No type has this tag.
    #[error(
        "{found:?} is not a tag: expected 2, 4, 6, 64, 65, 66, 67, 68 or 70, with an x where the value is in hexadecimal"
    )]
    Tag {
        /// What it is.
        found: String,
    },
    /// The value is not of its type.
    #[error("{found:?} is not a value of the tag {tag}")]
    Value {
        /// The tag.
        tag: String,
        /// The value.
        found: String,
    },
    /// The same instance has two lines.
    #[error("{name} is there twice")]
    Twice {
        /// Its name.
        name: Oid,
    },
    /// There is no instance.
    #[error("the recording is empty")]
    Empty,
}

/// Writes one line, with its end. Text stands as it is where it is read back so, and in hexadecimal elsewhere.
pub fn line(name: &Oid, value: &Value) -> String {
    let (tag, text) = match value {
        Value::Integer(number) => ("2", number.to_string()),
        Value::OctetString(octets) if is_plain(octets) => ("4", String::from_utf8_lossy(octets).into_owned()),
        Value::OctetString(_) => ("4x", value.as_value_ref().to_string()),
        Value::ObjectIdentifier(oid) => ("6", oid.to_string()),
        Value::IpAddress(octets) => ("64x", octets.iter().map(|octet| format!("{octet:02x}")).collect()),
        Value::Counter32(number) => ("65", number.to_string()),
        Value::Unsigned32(number) => ("66", number.to_string()),
        Value::TimeTicks(number) => ("67", number.to_string()),
        Value::Opaque(_) => ("68x", value.as_value_ref().to_string()),
        Value::Counter64(number) => ("70", number.to_string()),
    };
    format!("{name}|{tag}|{text}\n")
}

/// Whether the text is read back as it is: visible ASCII without spaces at its ends, which readers cut off.
fn is_plain(octets: &[u8]) -> bool {
    let is_printed = |octet: &u8| octet.is_ascii_graphic() || *octet == b' ';
    octets.iter().all(is_printed) && octets.first() != Some(&b' ') && octets.last() != Some(&b' ')
}

/// Reads a whole recording; the instances come in the order of their names, whatever the order of the lines.
///
/// # Errors
/// The first line that is wrong, a name that is there twice, or no line at all.
pub fn read(octets: &[u8]) -> Result<Vec<(Oid, Value)>, SnmprecError> {
    let mut found = Vec::new();
    for (at, line) in octets.split(|octet| *octet == b'\n').enumerate() {
        let line_of = |problem| SnmprecError { line: at + 1, problem };
        let line = line.trim_ascii();
        if !line.is_empty() {
            let (name, value) = read_line(line).map_err(line_of)?;
            found.push((name, value, at + 1));
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    if let Some(pair) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let (line, name) = (pair[0].2.max(pair[1].2), pair[0].0.clone());
        return Err(SnmprecError { line, problem: Problem::Twice { name } });
    }
    match found.is_empty() {
        true => Err(SnmprecError { line: 0, problem: Problem::Empty }),
        false => Ok(found.into_iter().map(|(name, value, _)| (name, value)).collect()),
    }
}

/// Reads one line, without its end.
///
/// # Errors
/// What is wrong with it.
pub fn read_line(line: &[u8]) -> Result<(Oid, Value), Problem> {
    let mut parts = line.splitn(3, |octet| *octet == b'|');
    let (Some(name), Some(tag), Some(value)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Problem::Parts);
    };
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    let oid = |octets: &[u8]| {
        let oid: Option<Oid> = std::str::from_utf8(octets).ok().and_then(|it| it.parse().ok());
        oid.filter(|oid| is_encodable(oid))
    };
    let name = oid(name).ok_or_else(|| Problem::Name { found: text(name) })?;
    let tag = text(tag);
    if let Some((_, module)) = tag.split_once(':') {
        return Err(Problem::Module { module: module.to_owned() });
    }
    let (number, octets) = match tag.strip_suffix('x') {
        Some(number) => (number, hexadecimal(value)),
        None => (&*tag, Some(value.to_vec())),
    };
    let is_hexadecimal = number.len() < tag.len();
    let wrong = || Problem::Value { tag: tag.clone(), found: text(value) };
    let octets = octets.filter(|octets| octets.len() <= MAX_OCTETS).ok_or_else(wrong)?;
    let digits = || std::str::from_utf8(&octets).ok();
    let value = match (number, is_hexadecimal) {
        ("4", _) => Some(Value::OctetString(octets)),
        ("68", _) => Some(Value::Opaque(octets)),
        ("64", true) => <[u8; 4]>::try_from(octets).ok().map(Value::IpAddress),
        ("64", false) => digits()
            .and_then(|it| it.parse::<std::net::Ipv4Addr>().ok())
            .map(|address| Value::IpAddress(address.octets())),
        ("2", false) => digits().and_then(|it| it.parse().ok()).map(Value::Integer),
        ("6", false) => oid(&octets).map(Value::ObjectIdentifier),
        ("65", false) => digits().and_then(|it| it.parse().ok()).map(Value::Counter32),
        ("66", false) => digits().and_then(|it| it.parse().ok()).map(Value::Unsigned32),
        ("67", false) => digits().and_then(|it| it.parse().ok()).map(Value::TimeTicks),
        ("70", false) => digits().and_then(|it| it.parse().ok()).map(Value::Counter64),
        _ => return Err(Problem::Tag { found: tag }),
    };
    Ok((name, value.ok_or_else(wrong)?))
}

fn hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |octet: u8| char::from(octet).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| match *pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    text.chunks(2).map(pair).collect()
}

/// The longest OCTET STRING of SMIv2 (RFC 2578 section 7.1.2).
const MAX_OCTETS: usize = 65_535;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value_of(text: &str) -> Result<Value, Problem> {
        read_line(format!("1.3.6.1.2.1.1.5.0|{text}").as_bytes()).map(|(_, value)| value)
    }

    #[test]
    fn each_tag_has_its_type() {
        for (text, expected) in [
            ("2|-5", Value::Integer(-5)),
            ("4|a|b c", Value::text("a|b c")),
            ("4|", Value::text("")),
            ("4x|2061", Value::text(" a")),
            ("4x|00Ff", Value::OctetString(vec![0, 255])),
            ("6|1.3.6", Value::ObjectIdentifier(Oid::from([1, 3, 6]))),
            ("64x|0a000001", Value::IpAddress([10, 0, 0, 1])),
            ("64|10.0.0.1", Value::IpAddress([10, 0, 0, 1])),
            ("65|4294967295", Value::Counter32(u32::MAX)),
            ("66|7", Value::Unsigned32(7)),
            ("67|8", Value::TimeTicks(8)),
            ("68x|9f", Value::Opaque(vec![0x9f])),
            ("70|18446744073709551615", Value::Counter64(u64::MAX)),
        ] {
            assert_eq!(value_of(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn each_type_has_its_tag() {
        let name = Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]);
        for (value, expected) in [
            (Value::Integer(-5), "2|-5"),
            (Value::text("a|b c"), "4|a|b c"),
            (Value::text(""), "4|"),
            (Value::text(" a"), "4x|2061"),
            (Value::text("a\n"), "4x|610a"),
            (Value::OctetString(vec![0, 255]), "4x|00ff"),
            (Value::ObjectIdentifier(Oid::from([1, 3, 6])), "6|1.3.6"),
            (Value::IpAddress([10, 0, 0, 1]), "64x|0a000001"),
            (Value::Counter32(u32::MAX), "65|4294967295"),
            (Value::Unsigned32(7), "66|7"),
            (Value::TimeTicks(8), "67|8"),
            (Value::Opaque(vec![0x9f]), "68x|9f"),
            (Value::Counter64(u64::MAX), "70|18446744073709551615"),
        ] {
            assert_eq!(line(&name, &value), format!("1.3.6.1.2.1.1.5.0|{expected}\n"));
        }
    }

    #[test]
    fn mistakes_are_named() {
        let value = |tag: &str, found: &str| Problem::Value { tag: tag.into(), found: found.into() };
        for (text, expected) in [
            ("2", Problem::Parts),
            ("2:numeric|rate=1", Problem::Module { module: "numeric".into() }),
            ("5|", Problem::Tag { found: "5".into() }),
            ("2x|01", Problem::Tag { found: "2x".into() }),
            ("|1", Problem::Tag { found: String::new() }),
            ("2|2147483648", value("2", "2147483648")),
            ("65|-1", value("65", "-1")),
            ("4x|012", value("4x", "012")),
            ("4x|zz", value("4x", "zz")),
            ("64|10.0.0", value("64", "10.0.0")),
            ("64x|0a0000", value("64x", "0a0000")),
            ("6|3.1", value("6", "3.1")),
        ] {
            assert_eq!(value_of(text), Err(expected), "{text}");
        }
        assert_eq!(read_line(b"x|2|1"), Err(Problem::Name { found: "x".into() }));
        let error = read(b"1.3.1|2|1\n\n1.3.2|2|x\n").unwrap_err();
        assert_eq!(error.to_string(), "line 3: \"x\" is not a value of the tag 2");
        let twice = read(b"1.3.1|2|1\n1.3.0|2|1\n1.3.1|2|2\n").unwrap_err();
        assert_eq!(twice.to_string(), "line 3: 1.3.1 is there twice");
        assert_eq!(read(b"\n \n").unwrap_err().problem, Problem::Empty);
    }

    #[test]
    fn lines_may_be_in_any_order() {
        let found = read(b"1.3.10|2|1\r\n1.3.9|2|2\n1.3.9.1|2|3").unwrap();
        let names: Vec<String> = found.iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, ["1.3.9", "1.3.9.1", "1.3.10"]);
    }

    fn oid() -> impl Strategy<Value = Oid> {
        prop::collection::vec(any::<u32>(), 0..20).prop_map(|rest| Oid::from([1, 3]).child(&rest))
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i32>().prop_map(Value::Integer),
            any::<Vec<u8>>().prop_map(Value::OctetString),
            oid().prop_map(Value::ObjectIdentifier),
            any::<[u8; 4]>().prop_map(Value::IpAddress),
            any::<u32>().prop_map(Value::Counter32),
            any::<u32>().prop_map(Value::Unsigned32),
            any::<u32>().prop_map(Value::TimeTicks),
            any::<Vec<u8>>().prop_map(Value::Opaque),
            any::<u64>().prop_map(Value::Counter64),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(name in oid(), value in value()) {
            let text = line(&name, &value);
            prop_assert_eq!(text.matches('\n').count(), 1);
            prop_assert_eq!(read(text.as_bytes()), Ok(vec![(name, value)]));
        }

        #[test]
        fn octets_are_read_or_refused(octets: Vec<u8>) {
            let _ = read(&octets);
        }
    }
}

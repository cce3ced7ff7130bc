//! From what people type to a value to write: by the object's syntax (`=`), or by
//! Net-SNMP's type letters.

use trunkline_smi::schema::{Syntax, SyntaxError};
use trunkline_smi::{Value, ValueKind};

use crate::catalog::{Catalog, Object, ObjectKind};
use crate::error::ValueError;
use trunkline_smi::DisplayHint;

/// A value to write; `None` stands for NULL (letter `n`), which no object accepts and agents must refuse.
pub type TypedValue = Option<Value>;

impl Catalog {
    /// The value, of the type in the object's module.
    pub fn parse_value(&self, text: &str, name: &str, object: Option<&Object>) -> Result<Value, ValueError> {
        let object = object.ok_or_else(|| ValueError::NoSyntax { object: name.to_owned() })?;
        if matches!(object.kind, ObjectKind::Table | ObjectKind::Entry) {
            return Err(ValueError::NoValue { object: name.to_owned() });
        }
        let syntax = &object.syntax;
        let value = match syntax.kind {
            ValueKind::Integer => Value::Integer(integer(text, syntax)?),
            ValueKind::OctetString if syntax.bits => Value::OctetString(bits(text, syntax)?),
            ValueKind::OctetString => Value::OctetString(octets(text, syntax)),
            ValueKind::ObjectIdentifier => Value::ObjectIdentifier(self.resolve(text)?),
            ValueKind::IpAddress => Value::IpAddress(ip_address(text)?),
            ValueKind::Counter32 => Value::Counter32(unsigned(text, "Counter32")?),
            ValueKind::Unsigned32 => Value::Unsigned32(hinted_unsigned(text, syntax)?),
            ValueKind::TimeTicks => Value::TimeTicks(time_ticks(text)?),
            ValueKind::Opaque => Value::Opaque(hexadecimal(text)?),
            ValueKind::Counter64 => Value::Counter64(number(text, "Counter64", "0 to 18446744073709551615")?),
        };
        match syntax.check(value.as_value_ref()) {
            Ok(()) => Ok(value),
            Err(fault) => Err(ValueError::Range { found: text.to_owned(), expected: limits(syntax, fault) }),
        }
    }

    /// The value, of the type given by a letter; `=` is [`Catalog::parse_value`].
    pub fn parse_typed(
        &self,
        letter: &str,
        text: &str,
        name: &str,
        object: Option<&Object>,
    ) -> Result<TypedValue, ValueError> {
        let syntax = object.map(|object| object.syntax);
        let as_is = |kind| Syntax { names: &[], ..Syntax { kind, ..Syntax::INTEGER32 } };
        let value = match letter {
            "=" => self.parse_value(text, name, object)?,
            "i" => {
                let syntax = syntax.filter(|syntax| syntax.kind == ValueKind::Integer);
                Value::Integer(integer(text, &syntax.unwrap_or(as_is(ValueKind::Integer)))?)
            }
            "u" => Value::Unsigned32(unsigned(text, "Unsigned32")?),
            "c" => Value::Counter32(unsigned(text, "Counter32")?),
            "C" => Value::Counter64(number(text, "Counter64", "0 to 18446744073709551615")?),
            "t" => Value::TimeTicks(time_ticks(text)?),
            "a" => Value::IpAddress(ip_address(text)?),
            "o" => Value::ObjectIdentifier(self.resolve(text)?),
            "s" => Value::text(text),
            "x" => Value::OctetString(hexadecimal(text)?),
            "d" => Value::OctetString(decimal_octets(text)?),
            "b" => Value::OctetString(bits(text, &syntax.unwrap_or(Syntax::OCTET_STRING))?),
            "F" => Value::Opaque(float(number::<f32>(text, "float", "a number")?)),
            "D" => Value::Opaque(double(number::<f64>(text, "double", "a number")?)),
            "I" => Value::Opaque(int64(number::<i64>(text, "signed 64-bit integer", "a number")?)),
            "U" => Value::Opaque(uint64(number::<u64>(text, "unsigned 64-bit integer", "a number")?)),
            "n" => return Ok(None),
            other => return Err(ValueError::Type(other.to_owned())),
        };
        Ok(Some(value))
    }
}

fn form(kind: &'static str, found: &str, expected: impl Into<String>) -> ValueError {
    ValueError::Form { kind, found: found.to_owned(), expected: expected.into() }
}

fn number<T: std::str::FromStr>(text: &str, kind: &'static str, expected: &str) -> Result<T, ValueError> {
    text.trim().parse().map_err(|_| form(kind, text, expected))
}

fn unsigned(text: &str, kind: &'static str) -> Result<u32, ValueError> {
    number(text, kind, "0 to 4294967295")
}

/// A number, a name of the enumeration, `name(number)`, or the display hint's form.
fn integer(text: &str, syntax: &Syntax) -> Result<i32, ValueError> {
    let name = text.split_once('(').map_or(text, |(name, _)| name);
    if let Some((number, _)) = syntax.names.iter().find(|(_, known)| *known == name) {
        return Ok(*number);
    }
    let hinted = DisplayHint::parse(syntax.hint)
        .and_then(|hint| hint.parse_integer(text))
        .and_then(|number| i32::try_from(number).ok());
    match hinted {
        Some(number) => Ok(number),
        None => text.trim().parse().map_err(|_| form("INTEGER", text, integers_wanted(syntax))),
    }
}

fn integers_wanted(syntax: &Syntax) -> String {
    if syntax.names.is_empty() { range(syntax) } else { format!("one of {}", names(syntax)) }
}

fn names(syntax: &Syntax) -> String {
    syntax.names.iter().map(|(number, name)| format!("{name}({number})")).collect::<Vec<_>>().join(" ")
}

fn range(syntax: &Syntax) -> String {
    format!("{} to {}", syntax.min, syntax.max)
}

fn limits(syntax: &Syntax, fault: SyntaxError) -> String {
    match fault {
        SyntaxError::WrongLength if syntax.min == syntax.max => format!("{} octets", syntax.min),
        SyntaxError::WrongLength => format!("{} octets", range(syntax)),
        SyntaxError::WrongValue | SyntaxError::WrongType => integers_wanted(syntax),
    }
}

fn hinted_unsigned(text: &str, syntax: &Syntax) -> Result<u32, ValueError> {
    let hinted = DisplayHint::parse(syntax.hint).and_then(|hint| hint.parse_integer(text));
    match hinted.and_then(|number| u32::try_from(number).ok()) {
        Some(number) => Ok(number),
        None => number(text, "Unsigned32", &range(syntax)),
    }
}

/// By the display hint where the text fits it, else the text's own octets.
fn octets(text: &str, syntax: &Syntax) -> Vec<u8> {
    let hint = DisplayHint::parse(syntax.hint);
    // 255a and 255t stand for the text itself, however long it is.
    let hint = hint.filter(|_| !syntax.hint.ends_with(['a', 't']));
    hint.and_then(|hint| hint.parse_octets(text)).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// Names or numbers of the bits that are set, between spaces or commas.
fn bits(text: &str, syntax: &Syntax) -> Result<Vec<u8>, ValueError> {
    const MOST: usize = 65535 * 8;
    let mut octets = Vec::new();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        let name = word.split_once('(').map_or(word, |(name, _)| name);
        let named = syntax.names.iter().find(|(_, known)| *known == name).map(|(number, _)| *number as usize);
        let bit = named.or_else(|| word.parse().ok()).filter(|bit| *bit < MOST);
        let bit = bit.ok_or_else(|| form("BITS", word, format!("bit numbers or names {}", names(syntax))))?;
        if octets.len() <= bit / 8 {
            octets.resize(bit / 8 + 1, 0);
        }
        octets[bit / 8] |= 0x80 >> (bit % 8);
    }
    Ok(octets)
}

fn ip_address(text: &str) -> Result<[u8; 4], ValueError> {
    let address: Result<std::net::Ipv4Addr, _> = text.trim().parse();
    address
        .map(|address| address.octets())
        .map_err(|_| form("IpAddress", text, "four numbers, as in 192.0.2.1"))
}

/// Hundredths of a second, or `D:H:M:S.CC`.
fn time_ticks(text: &str) -> Result<u32, ValueError> {
    if let Ok(ticks) = text.trim().parse() {
        return Ok(ticks);
    }
    let fault =
        || form("TimeTicks", text, "hundredths of a second, or days:hours:minutes:seconds.hundredths");
    let (clock, hundredths) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<u32> =
        clock.split(':').map(|part| part.trim().parse().ok()).collect::<Option<_>>().ok_or_else(fault)?;
    let [days, hours, minutes, seconds] = parts[..] else { return Err(fault()) };
    let hundredths: u32 = hundredths.parse().ok().filter(|number| *number < 100).ok_or_else(fault)?;
    let seconds = [(days, 86400), (hours, 3600), (minutes, 60), (seconds, 1)]
        .into_iter()
        .fold(0u64, |sum, (count, unit)| sum + u64::from(count) * unit);
    u32::try_from(seconds * 100 + u64::from(hundredths)).map_err(|_| fault())
}

/// Pairs of hexadecimal digits, with or without spaces, colons or a leading 0x.
fn hexadecimal(text: &str) -> Result<Vec<u8>, ValueError> {
    let fault = || form("hexadecimal string", text, "pairs of digits 0-9 a-f");
    let body = text.trim().strip_prefix("0x").unwrap_or(text.trim());
    let digits: Vec<u8> = body.bytes().filter(|byte| !matches!(byte, b' ' | b':' | b'-' | b'\n')).collect();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(fault());
    }
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| Some(value(pair[0])? << 4 | value(pair[1])?);
    digits.chunks(2).map(pair).collect::<Option<_>>().ok_or_else(fault)
}

fn decimal_octets(text: &str) -> Result<Vec<u8>, ValueError> {
    let octet = |word: &str| number(word, "decimal string", "numbers from 0 to 255 between spaces");
    text.split([' ', '.']).filter(|word| !word.is_empty()).map(octet).collect()
}

fn float(number: f32) -> Vec<u8> {
    [&[0x9f, 0x78, 4][..], &number.to_be_bytes()].concat()
}

fn double(number: f64) -> Vec<u8> {
    [&[0x9f, 0x79, 8][..], &number.to_be_bytes()].concat()
}

/// The shortest two's complement, as BER has it.
fn int64(number: i64) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let spare = |pair: &[u8]| pair[0] == if pair[1] & 0x80 == 0 { 0 } else { 0xff };
    let skip = bytes.windows(2).take_while(|pair| spare(pair)).count();
    wrapped(0x7a, &bytes[skip..])
}

fn uint64(number: u64) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend_from_slice(&number.to_be_bytes());
    let skip = bytes.windows(2).take_while(|pair| pair[0] == 0 && pair[1] & 0x80 == 0).count();
    wrapped(0x7b, &bytes[skip..])
}

fn wrapped(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[0x9f, tag, body.len() as u8][..], body].concat() // at most 9 octets
}

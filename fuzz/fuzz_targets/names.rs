//! Names and values, in both directions. As text the input is what somebody types; as octets it is what an agent
//! may answer: a style, a type, the name's length, sub-identifiers, a value.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use trunkline_mib::{FloatForm, NameForm, Names, OctetStyle, Quick, Style};
use trunkline_smi::{Oid, Value, check_root};

static NAMES: LazyLock<Names> = LazyLock::new(Names::built_in);

fuzz_target!(|input: &[u8]| {
    if let Ok(text) = std::str::from_utf8(input) {
        typed(text);
    }
    if let [style, kind, length, rest @ ..] = input {
        let (name, value) = rest.split_at(usize::from(*length).min(rest.len()));
        answered(style_of(*style), &sub_ids(name), &value_of(*kind, value));
    }
});

/// A name, or a name and the value to write there: `NAME LETTER VALUE`.
fn typed(text: &str) {
    let mut words = text.splitn(3, ' ');
    let (name, letter, value) = (words.next().unwrap_or(""), words.next(), words.next());
    let Ok(oid) = NAMES.resolve(name) else { return };
    check_name(&oid);
    if let (Some(letter), Some(value)) = (letter, value)
        && let Ok(Some(value)) = NAMES.parse_typed(&oid, letter, value)
    {
        answered(Style::default(), &oid, &value);
    }
}

fn answered(style: Style, oid: &[u32], value: &Value) {
    NAMES.format_oid(oid, &style);
    NAMES.index(oid);
    NAMES.children(oid);
    NAMES.format_value(oid, value.as_value_ref(), &style);
    if let Ok(oid) = Oid::new(oid) {
        check_name(&oid);
    }
    let text = NAMES.text(oid, value.as_value_ref());
    let is_number_or_name = !matches!(value, Value::OctetString(_) | Value::Opaque(_) | Value::TimeTicks(_));
    // A value of another type than its object's, or out of range, is refused.
    if let (true, Ok(read)) = (is_number_or_name, NAMES.parse_value(oid, &text))
        && read.kind() == value.kind()
    {
        assert_eq!(read, *value, "{text}");
    }
}

/// A printed name is parsed back as the same name; a readable index may hide octets that are not text, as in
/// Net-SNMP, and is then refused or parsed as one that is printed alike.
fn check_name(oid: &Oid) {
    if oid.is_empty() || check_root(oid).is_err() {
        return; // cannot be typed
    }
    for names in [NameForm::Module, NameForm::Full, NameForm::Numeric] {
        for (plain_indexes, bracket_indexes) in [(true, false), (false, false), (false, true)] {
            let mut style = Style::default();
            (style.names, style.plain_indexes, style.bracket_indexes) =
                (names, plain_indexes, bracket_indexes);
            let text = NAMES.format_oid(oid, &style);
            match NAMES.resolve(&text) {
                Ok(read) if read == *oid => {}
                Ok(read) => assert_eq!(NAMES.format_oid(&read, &style), text, "{read} and {oid}"),
                Err(error) => assert!(text.contains(['"', '\'']), "{text}: {error}"),
            }
            assert!(!plain_indexes || NAMES.resolve(&text).as_ref() == Ok(oid), "{text}");
        }
    }
}

fn style_of(bits: u8) -> Style {
    let names = [NameForm::Module, NameForm::Suffix, NameForm::Full, NameForm::Ucd];
    let quick = [Quick::No, Quick::Equals, Quick::Space, Quick::No];
    let octets = [OctetStyle::Guess, OctetStyle::Ascii, OctetStyle::Hex, OctetStyle::Guess];
    let pick = |at: u8| usize::from(bits >> at & 3);
    let has = |at: u8| bits >> at & 1 == 1;
    let mut style = Style::default();
    style.names = names[pick(0)];
    style.quick = quick[pick(2)];
    style.octets = octets[pick(4)];
    style.text_with_hex = has(6);
    style.value_only = has(0);
    style.plain_indexes = has(7);
    style.bracket_indexes = has(6);
    style.escape_quotes = has(5);
    style.plain_enumerations = has(4);
    style.plain_ticks = has(3);
    style.no_units = has(2);
    style.no_hints = has(1);
    style.zero_padded_hex = has(1);
    style.keeps_lines = has(7);
    style.hex_line = usize::from(bits);
    style.floats = FloatForm {
        width: usize::from(bits & 31),
        places: usize::from(bits >> 4),
        zeros: has(0),
        left: has(1),
        sign: has(2),
        with_f: has(3),
    };
    style
}

/// An octet is a sub-identifier; after 255 four octets form one.
fn sub_ids(octets: &[u8]) -> Vec<u32> {
    let mut rest = octets;
    std::iter::from_fn(|| match rest {
        [255, a, b, c, d, after @ ..] => {
            let sub_id = u32::from_be_bytes([*a, *b, *c, *d]);
            rest = after;
            Some(sub_id)
        }
        [sub_id, after @ ..] => {
            rest = after;
            Some(u32::from(*sub_id))
        }
        [] => None,
    })
    .collect()
}

fn value_of(kind: u8, octets: &[u8]) -> Value {
    let number = octets.iter().take(8).fold(0u64, |number, octet| number << 8 | u64::from(*octet));
    match kind % 9 {
        0 => Value::Integer(number as i32),
        1 => Value::OctetString(octets.to_vec()),
        2 => {
            Value::ObjectIdentifier(Oid::new(&sub_ids(&octets[..octets.len().min(128)])).unwrap_or_default())
        }
        3 => Value::IpAddress((number as u32).to_be_bytes()),
        4 => Value::Counter32(number as u32),
        5 => Value::Unsigned32(number as u32),
        6 => Value::TimeTicks(number as u32),
        7 => Value::Opaque(octets.to_vec()),
        _ => Value::Counter64(number),
    }
}

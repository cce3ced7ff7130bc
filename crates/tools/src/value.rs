//! `OID TYPE VALUE` as a variable binding: what `snmpset` writes and traps carry.

use trunkline_mib::{Object, ValueError};
use trunkline_smi::schema::Syntax;
use trunkline_smi::{Oid, Value, ValueKind};
use trunkline_snmp::wire::{Bound, VarBind};

use super::names::{Dictionary, unknown};
use super::settings::Settings;

/// The letters of types.
pub const LETTERS: &str = "=iu3taosxdbnUIFD";

/// Parses one assignment; a mistake is returned with Net-SNMP's message.
pub fn binding(
    object: &str,
    kind: &str,
    text: &str,
    settings: &Settings,
    dictionary: &Dictionary,
) -> Result<VarBind, String> {
    let name = dictionary.find(object).map_err(|detail| unknown(object, &detail))?;
    let known = dictionary.names.object(&name);
    let kind = kind.chars().next().unwrap_or(' ');
    let widest = dictionary.widest().object(&name);
    let reader = Reader { known, widest, settings, dictionary, name: &name };
    let value = reader.read(kind, text).map_err(|fault| fault.words(object, text))?;
    Ok(VarBind { name, value })
}

/// The value of a text that was typed for an object: of the letter's type, whatever the modules say of the object. `None` if
/// the text is not written as values of the type are.
pub fn typed(
    name: &Oid,
    kind: char,
    text: &str,
    settings: &Settings,
    dictionary: &Dictionary,
) -> Option<Bound> {
    // Without a syntax the type is not compared, and texts and lengths are taken as they are.
    let widest = dictionary.widest().object(name).filter(|_| kind == 'i');
    Reader { known: None, widest, settings, dictionary, name }.read(kind, text).ok()
}

/// Why a text is not a value.
enum Fault {
    /// The text is not written as values of the type are.
    Notation,
    /// The number, name or length is not valid for the object; with a text to print instead of the value, and the
    /// limits, if there are any.
    Range(Option<(Option<&'static str>, i64, i64)>),
    /// The object has another type.
    Type(String),
    /// An invalid object name; with Net-SNMP's text in parentheses.
    Name(String),
}

impl Fault {
    fn words(self, object: &str, text: &str) -> String {
        match self {
            Fault::Notation => format!("{object}: Bad value notation ({text})"),
            Fault::Range(None) => format!("{object}: Value out of range ({text})"),
            Fault::Range(Some((what, least, most))) => {
                let what = what.unwrap_or(text);
                format!("{object}: Value out of range ({what} :: {{({least}..{most})}})")
            }
            Fault::Type(words) => format!("{object}: Bad variable type ({words})"),
            Fault::Name(detail) => unknown(object, &detail),
        }
    }
}

struct Reader<'r> {
    /// What the modules say that Net-SNMP would have, too: this is checked.
    known: Option<Object>,
    /// The object in any module: input is resolved with it.
    widest: Option<Object>,
    settings: &'r Settings,
    dictionary: &'r Dictionary,
    name: &'r Oid,
}

impl Reader<'_> {
    fn read(&self, kind: char, text: &str) -> Result<Bound, Fault> {
        let checked = self.known.map(|object| object.syntax);
        let syntax = self.widest.map(|object| object.syntax);
        let kind = match (kind, &checked) {
            ('=', _) if syntax.is_some() => syntax.as_ref().map_or('s', letter_of),
            ('=', _) => return Err(Fault::Type("\"=\"".to_owned())),
            (kind, _) if !LETTERS.contains(kind) && !matches!(kind, 'c' | 'C') => {
                return Err(Fault::Type(format!("\"{kind}\"")));
            }
            (kind, Some(syntax)) if !self.settings.input.no_range_check => {
                check_type(kind, syntax)?;
                kind
            }
            (kind, _) => kind,
        };
        let value = match kind {
            'i' => Value::Integer(self.integer(text, syntax.as_ref())?),
            'u' | '3' => Value::Unsigned32(c_number(text)? as u32),
            'c' => Value::Counter32(c_number(text)? as u32),
            'C' => Value::Counter64(text.parse().map_err(|_| Fault::Notation)?),
            't' => Value::TimeTicks(c_number(text)? as u32),
            'a' => Value::IpAddress(address(text)?),
            'o' => Value::ObjectIdentifier(self.dictionary.find(text).map_err(Fault::Name)?),
            's' => self.text(text, checked.as_ref())?,
            'x' => Value::OctetString(hexadecimal(text)?),
            'd' => Value::OctetString(decimal(text)?),
            'b' => Value::OctetString(bits(text, syntax.as_ref())?),
            'n' => return Ok(Bound::Unspecified),
            'F' | 'D' => self.opaque(kind, leading_float(text))?,
            _ => self.opaque(kind, text)?,
        };
        self.check_range(&value, checked.as_ref())?;
        Ok(Bound::Value(value))
    }

    /// A number, or a name of the object's enumeration.
    fn integer(&self, text: &str, syntax: Option<&Syntax>) -> Result<i32, Fault> {
        if let Some(number) = leading_integer(text) {
            return Ok(number);
        }
        let names = syntax.map_or(&[][..], |syntax| syntax.names);
        names.iter().find(|(_, name)| *name == text).map(|(number, _)| *number).ok_or(Fault::Range(None))
    }

    /// A text as the object's display hint reads it.
    fn text(&self, text: &str, syntax: Option<&Syntax>) -> Result<Value, Fault> {
        let has_hint =
            syntax.is_some_and(|syntax| syntax.kind == ValueKind::OctetString && !syntax.hint.is_empty());
        if !has_hint || self.settings.input.no_hints {
            return Ok(Value::text(text));
        }
        match self.dictionary.widest().parse_value(self.name, text) {
            Ok(value) => Ok(value),
            Err(ValueError::Range { .. }) => {
                let what = Some("Value does not match DISPLAY-HINT");
                Err(Fault::Range(syntax.map(|syntax| (what, syntax.min, syntax.max))))
            }
            Err(_) => Err(Fault::Notation),
        }
    }

    /// Net-SNMP's numbers inside Opaque.
    fn opaque(&self, kind: char, text: &str) -> Result<Value, Fault> {
        let mut letter = [0; 4];
        let read = self.dictionary.names.parse_typed(self.name, kind.encode_utf8(&mut letter), text);
        read.ok().flatten().ok_or(Fault::Notation)
    }

    fn check_range(&self, value: &Value, syntax: Option<&Syntax>) -> Result<(), Fault> {
        let Some(syntax) = syntax.filter(|_| !self.settings.input.no_range_check) else { return Ok(()) };
        // Enumerations are not checked: agents may know more than the module.
        let is_checked = syntax.kind == value.kind() && syntax.names.is_empty() && !syntax.bits;
        if is_checked && syntax.check(value.as_value_ref()).is_err() {
            let what = matches!(value, Value::OctetString(_)).then_some("Bad string length");
            Err(Fault::Range(Some((what, syntax.min, syntax.max))))
        } else {
            Ok(())
        }
    }
}

/// The letter of the type in a module.
fn letter_of(syntax: &Syntax) -> char {
    match syntax.kind {
        ValueKind::Integer => 'i',
        ValueKind::OctetString if syntax.bits => 'b',
        ValueKind::OctetString => 's',
        ValueKind::ObjectIdentifier => 'o',
        ValueKind::IpAddress => 'a',
        ValueKind::Counter32 => 'c',
        ValueKind::Unsigned32 => 'u',
        ValueKind::TimeTicks => 't',
        ValueKind::Opaque => 'x',
        ValueKind::Counter64 => 'C',
    }
}

/// Whether the letter's type is the object's.
fn check_type(kind: char, syntax: &Syntax) -> Result<(), Fault> {
    let given = match kind {
        'i' => "INTEGER",
        'u' | '3' => "Unsigned32",
        't' => "Timeticks",
        'a' => "IpAddress",
        'o' => "OBJECT IDENTIFIER",
        's' | 'x' | 'd' => "OCTET STRING",
        'b' => "BITS",
        _ => return Ok(()),
    };
    let wanted = match syntax.kind {
        ValueKind::OctetString if syntax.bits => "BITS",
        ValueKind::Unsigned32 if syntax.convention == "Unsigned32" => "Unsigned32",
        ValueKind::Unsigned32 => "Gauge32",
        ValueKind::TimeTicks => "Timeticks",
        kind => kind.name(),
    };
    let is_unsigned = syntax.kind == ValueKind::Unsigned32 && matches!(kind, 'u' | '3');
    let fits = given == wanted || is_unsigned || (wanted == "BITS" && matches!(kind, 'x' | 'd'));
    if fits { Ok(()) } else { Err(Fault::Type(format!("Type of attribute is {wanted}, not {given}"))) }
}

/// A whole text that is a number, as C's `strtol` reads it.
fn leading_integer(text: &str) -> Option<i32> {
    let number: i64 = text.trim_start().parse().ok()?;
    // What does not fit is cut off, as C does.
    Some(number as i32)
}

/// As much of the text as is a number; C's `sscanf` looks no further.
fn leading_float(text: &str) -> &str {
    let text = text.trim_start();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    &text[..end]
}

/// As C's `strtoul`: a negative number counts from the top.
fn c_number(text: &str) -> Result<u64, Fault> {
    let number: i128 = text.trim_start().parse().map_err(|_| Fault::Notation)?;
    Ok(number as u64)
}

/// `192.0.2.1`, and the short forms of `inet_aton`: the last number fills the rest.
fn address(text: &str) -> Result<[u8; 4], Fault> {
    let parts: Vec<u32> =
        text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>().ok_or(Fault::Notation)?;
    let (last, front) = parts.split_last().ok_or(Fault::Notation)?;
    let left = 4usize.checked_sub(front.len()).filter(|left| *left > 0).ok_or(Fault::Notation)?;
    if front.iter().any(|part| *part > 255) || (left < 4 && *last >= 1 << (8 * left)) {
        return Err(Fault::Notation);
    }
    let mut octets = [0; 4];
    for (octet, part) in octets.iter_mut().zip(front) {
        *octet = *part as u8; // at most 255
    }
    octets[front.len()..].copy_from_slice(&last.to_be_bytes()[4 - left..]);
    Ok(octets)
}

/// Pairs of digits, with optional white space between them and an optional `0x`.
fn hexadecimal(text: &str) -> Result<Vec<u8>, Fault> {
    let body = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let mut octets = Vec::new();
    for word in body.split_whitespace() {
        if word.len() % 2 != 0 || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Fault::Notation);
        }
        for at in (0..word.len()).step_by(2) {
            octets.push(u8::from_str_radix(&word[at..at + 2], 16).map_err(|_| Fault::Notation)?);
        }
    }
    Ok(octets)
}

/// Numbers from 0 to 255 between spaces or dots.
fn decimal(text: &str) -> Result<Vec<u8>, Fault> {
    let words = text.split([' ', '.', '\t']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().map_err(|_| Fault::Notation)).collect()
}

/// Numbers or names of bits between spaces or commas.
fn bits(text: &str, syntax: Option<&Syntax>) -> Result<Vec<u8>, Fault> {
    let names = syntax.map_or(&[][..], |syntax| syntax.names);
    let mut octets: Vec<u8> = Vec::new();
    for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        let named =
            || names.iter().find(|(_, name)| *name == word).and_then(|(bit, _)| usize::try_from(*bit).ok());
        let bit = word.parse().ok().or_else(named).filter(|bit| *bit < MAX_BITS).ok_or(Fault::Range(None))?;
        octets.resize(octets.len().max(bit / 8 + 1), 0);
        octets[bit / 8] |= 0x80 >> (bit % 8);
    }
    Ok(octets)
}

/// More bits than this are not a value of BITS.
const MAX_BITS: usize = 2048;

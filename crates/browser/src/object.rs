//! Objects of MIB modules that are set here. RESTCONF has them as state (RFC 6643 section 11), so the page sets them by an operation
//! of its own: a form that says what the value was when somebody looked, and what it is to be.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use trunkline_restconf::target::Target;
use trunkline_smi::schema::{Syntax, SyntaxError};
use trunkline_smi::{IndexValue, Oid, OidBuf, Value, ValueKind, ValueRef, encode_index};
use trunkline_yang::forest::{Forest, Place};
use trunkline_yang::lexical;
use trunkline_yang::value_type::to_hex;

use crate::field::Field;

/// An instance of an object that may be set.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its descriptor.
    pub label: &'static str,
    /// The object without the instance.
    pub object: Vec<u32>,
    /// The instance.
    pub name: Oid,
    /// What values it may have.
    pub syntax: &'static Syntax,
}

/// How the octets of a value without a display hint are written in a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Octets {
    /// They are the text.
    #[default]
    Text,
    /// Two digits for each, with colons or without.
    Hex,
}

/// A value that an object cannot have, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{label} must be {expected}")]
pub struct NoValue {
    label: &'static str,
    expected: String,
}

impl Object {
    /// The object that a path below `/restconf/data` names; `None`: that is not an instance of an object that can be set.
    pub fn find(forest: &Forest, path: &str) -> Option<Object> {
        let target = Target::read(path, forest).ok()?;
        Object::of(forest, &target)
    }

    /// The same of a resource.
    pub fn of(forest: &Forest, target: &Target) -> Option<Object> {
        let (last, above) = target.steps.split_last()?;
        match forest[last.node].place {
            Place::Scalar(scalar) if scalar.access.is_writable() => Some(Object {
                label: scalar.name,
                object: scalar.oid.to_vec(),
                name: Oid::EMPTY.child(scalar.oid).child(&[0]),
                syntax: &scalar.syntax,
            }),
            Place::Column(table, column) if column.access.is_writable() => {
                let values = above.last()?.keys.iter().map(|key| IndexValue::of(key.value.clone()));
                let mut index = OidBuf::new();
                encode_index(table.index, &values.collect::<Option<Vec<_>>>()?, &mut index).ok()?;
                let object = [table.oid, &[1, column.id]].concat();
                let name = Oid::new(&[&object[..], &index[..]].concat()).ok()?;
                Some(Object { label: column.name, object, name, syntax: &column.syntax })
            }
            _ => None,
        }
    }

    /// A value as RESTCONF writes it.
    pub fn text(&self, value: ValueRef<'_>) -> String {
        let mut out = String::new();
        lexical::write(value, self.syntax, &mut out);
        out
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// The object cannot have it.
    pub fn value(&self, text: &str, octets: Octets) -> Result<Value, NoValue> {
        let wrong = || NoValue { label: self.label, expected: expected(self.syntax) };
        let value = match (lexical::is_binary(self.syntax), octets) {
            (false, _) => lexical::read(text, self.syntax).ok_or_else(wrong)?,
            (true, octets) => {
                let octets = octets_of(text, octets).ok_or_else(|| NoValue {
                    label: self.label,
                    expected: "octets as pairs of hexadecimal digits".into(),
                })?;
                if self.syntax.kind == ValueKind::Opaque {
                    Value::Opaque(octets)
                } else {
                    Value::OctetString(octets)
                }
            }
        };
        match self.syntax.check(value.as_value_ref()) {
            Ok(()) => Ok(value),
            Err(SyntaxError::WrongType | SyntaxError::WrongLength | SyntaxError::WrongValue) => Err(wrong()),
        }
    }

    /// Its field in a form of its own.
    pub fn field(&self) -> Field {
        Field::of_syntax(self.label, self.syntax).alone()
    }

    /// The text of RESTCONF for somebody who reads and writes it, and how its octets are then written.
    pub fn editable(&self, text: &str) -> (String, Octets) {
        if !lexical::is_binary(self.syntax) {
            return (text.to_owned(), Octets::Text);
        }
        let octets = STANDARD.decode(text).unwrap_or_default();
        match String::from_utf8(octets) {
            Ok(text) if !text.chars().any(char::is_control) => (text, Octets::Text),
            Ok(text) => (to_hex(text.as_bytes()), Octets::Hex),
            Err(error) => (to_hex(error.as_bytes()), Octets::Hex),
        }
    }

    /// What it may be, in words.
    pub fn expected(&self) -> String {
        expected(self.syntax)
    }
}

/// The named numbers that somebody may choose. Of a RowStatus those that act on a row that is there (RFC 2579).
pub(crate) fn choices(syntax: &Syntax) -> Vec<&'static str> {
    if syntax.kind != ValueKind::Integer {
        return Vec::new();
    }
    let is_chosen = |number: i32| syntax.convention != "RowStatus" || matches!(number, 1 | 2 | 6);
    syntax.names.iter().filter(|(number, _)| is_chosen(*number)).map(|(_, name)| *name).collect()
}

/// The least and the greatest number of a syntax that has numbers without names.
pub(crate) fn range(syntax: &Syntax) -> Option<(i64, i64)> {
    let is_number = matches!(syntax.kind, ValueKind::Integer | ValueKind::Unsigned32 | ValueKind::TimeTicks);
    (is_number && syntax.names.is_empty()).then_some((syntax.min, syntax.max))
}

/// What a value may be, in words.
pub(crate) fn expected(syntax: &Syntax) -> String {
    let names = || syntax.names.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", ");
    match syntax.kind {
        ValueKind::Integer if !syntax.names.is_empty() => format!("one of {}", names()),
        ValueKind::OctetString if syntax.bits => format!("some of {}, with spaces between them", names()),
        ValueKind::Integer | ValueKind::Unsigned32 | ValueKind::TimeTicks => {
            format!("a number from {} to {}", syntax.min, syntax.max)
        }
        ValueKind::Counter32 | ValueKind::Counter64 => "a number from 0".into(),
        ValueKind::IpAddress => "an IPv4 address such as 192.0.2.1".into(),
        ValueKind::ObjectIdentifier => "an object identifier such as 1.3.6.1.2.1".into(),
        ValueKind::OctetString | ValueKind::Opaque => {
            let form = match syntax.hint {
                "" | "255a" | "255t" => String::new(),
                "1x:" => "pairs of hexadecimal digits with colons, ".into(),
                hint => format!("a text of the form {hint} (DISPLAY-HINT), "),
            };
            match (syntax.min, syntax.max) {
                (min, max) if min == max => format!("{form}{min} octets"),
                (0, max) => format!("{form}at most {max} octets"),
                (min, max) => format!("{form}{min} to {max} octets"),
            }
        }
    }
}

/// Octets as they are written in a form.
pub(crate) fn octets_of(text: &str, octets: Octets) -> Option<Vec<u8>> {
    match octets {
        Octets::Text => Some(text.as_bytes().to_vec()),
        Octets::Hex => of_hex(text),
    }
}

fn of_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.chars().filter(|it| !matches!(it, ':' | ' '));
    let digits: Vec<u8> = digits.map(|it| it.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::field::Kind;
    use crate::schema::forest;

    static FOREST: LazyLock<Forest> = LazyLock::new(forest);

    fn object(path: &str) -> Object {
        Object::find(&FOREST, path).unwrap_or_else(|| panic!("{path}"))
    }

    #[test]
    fn a_path_names_an_instance() {
        for (path, name) in [
            ("SNMPv2-MIB:SNMPv2-MIB/system/sysContact", "1.3.6.1.2.1.1.4.0"),
            ("IF-MIB:IF-MIB/ifTable/ifEntry=7/ifAdminStatus", "1.3.6.1.2.1.2.2.1.7.7"),
            // Of a table that augments another.
            ("IF-MIB:IF-MIB/ifTable/ifEntry=7/ifAlias", "1.3.6.1.2.1.31.1.1.1.18.7"),
        ] {
            assert_eq!(object(path).name.to_string(), name, "{path}");
        }
        for path in [
            "SNMPv2-MIB:SNMPv2-MIB/system/sysDescr",
            "SNMPv2-MIB:SNMPv2-MIB/system",
            "IF-MIB:IF-MIB/ifTable/ifEntry/ifAdminStatus",
            "IF-MIB:IF-MIB/ifTable/ifEntry=x/ifAdminStatus",
            "IF-MIB:IF-MIB/ifTable/ifEntry=7/ifIndex",
            "ietf-system:system/contact",
            "",
            "%",
        ] {
            assert!(Object::find(&FOREST, path).is_none(), "{path}");
        }
    }

    #[test]
    fn what_an_object_cannot_be_is_refused_in_words() {
        let status = object("IF-MIB:IF-MIB/ifTable/ifEntry=7/ifAdminStatus");
        assert_eq!(status.value("down", Octets::Text), Ok(Value::Integer(2)));
        let words = |text: &str| status.value(text, Octets::Text).unwrap_err().to_string();
        assert_eq!(words("sideways"), "ifAdminStatus must be one of up, down, testing");
        assert_eq!(words("9"), "ifAdminStatus must be one of up, down, testing");
        let names = ["up", "down", "testing"].map(str::to_owned).to_vec();
        assert_eq!(status.field().kind, Kind::Choice(names));
        let contact = object("SNMPv2-MIB:SNMPv2-MIB/system/sysContact");
        let words = contact.value(&"x".repeat(256), Octets::Text).unwrap_err().to_string();
        assert_eq!(words, "sysContact must be at most 255 octets");
        let traps = object("SNMPv2-MIB:SNMPv2-MIB/snmp/snmpEnableAuthenTraps");
        assert!(!matches!(traps.field().kind, Kind::Number(..)), "{traps:?}");
    }

    proptest! {
        #[test]
        fn octets_come_back_as_they_are_shown(octets in prop::collection::vec(any::<u8>(), 0..40)) {
            let syntax: &'static Syntax = &Syntax::OCTET_STRING;
            let object = Object { label: "x", object: vec![1, 3], name: Oid::EMPTY.child(&[1, 3, 0]), syntax };
            let value = Value::OctetString(octets);
            let (text, form) = object.editable(&object.text(value.as_value_ref()));
            prop_assert_eq!(object.value(&text, form), Ok(value));
        }

        #[test]
        fn any_text_does_no_harm(path in "\\PC{0,60}", text in "\\PC{0,40}") {
            let _ = Object::find(&FOREST, &path);
            let status = object("IF-MIB:IF-MIB/ifTable/ifEntry=7/ifAdminStatus");
            let _ = status.value(&text, Octets::Hex);
        }
    }
}

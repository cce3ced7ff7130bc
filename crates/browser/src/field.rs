//! What a form says of a leaf: how its value is written, whether it is required, and which values it has. Forms with scripts have it from
//! the schema, those without have it as it is here.

use trunkline_smi::schema::Syntax;
use trunkline_yang::forest::{Forest, NodeId, Place};
use trunkline_yang::lexical;
use trunkline_yang::own::Setting;
use trunkline_yang::value_type::ValueType;

use crate::object::{choices, expected, range};
use crate::schema;

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the leaf.
    pub name: String,
    /// Whether the entry is named by it.
    pub is_key: bool,
    /// Whether a form without it is not accepted.
    pub is_required: bool,
    /// How it is written.
    pub kind: Kind,
    /// What it may be, whether it is required, and its default, in words; empty: anything.
    pub expected: String,
    /// The cases of which an entry has one, in words, if it is in one of them.
    pub choice: Option<String>,
}

/// How a value is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these.
    Choice(Vec<String>),
    /// A number between these.
    Number(String, String),
    /// A text.
    Text,
    /// Octets, as text or in hexadecimal.
    Octets,
    /// A text that nobody sees.
    Secret,
}

impl Field {
    /// That of a leaf whose values can be written; `None`: it is something else. `start` is what is before its name.
    pub fn of(forest: &Forest, node: NodeId, start: &str) -> Option<Field> {
        let place = &forest[node].place;
        let name = format!("{start}{}", schema::name_within(forest, node));
        let is_key = place.is_key();
        let field = match place.setting() {
            Some(Setting { value: ValueType::Empty, .. }) => return None,
            Some(setting) => {
                let within = within_entry(forest, node);
                // Of the cases of a choice an entry has one.
                let is_always = setting.is_mandatory && within.is_empty() && place.case() == 0;
                let expected = words_of(setting, is_key, &within);
                Field {
                    name,
                    is_key,
                    is_required: is_key || is_always,
                    kind: kind_of(setting),
                    expected,
                    choice: None,
                }
            }
            None => {
                let field = Field::of_syntax(&name, place.syntax()?);
                let units = units(place).map(|units| format!(", in {units}")).unwrap_or_default();
                Field { is_key, is_required: is_key, expected: field.expected + &units, ..field }
            }
        };
        let key = match (is_key, field.expected.is_empty()) {
            (false, _) => "",
            (true, true) => "key",
            (true, false) => "key; ",
        };
        Some(Field { expected: format!("{key}{}", field.expected), ..field })
    }

    /// That of an object with this syntax.
    pub fn of_syntax(name: &str, syntax: &Syntax) -> Field {
        let kind = match (choices(syntax), range(syntax)) {
            (names, _) if !names.is_empty() => Kind::Choice(names.into_iter().map(str::to_owned).collect()),
            (_, Some((least, most))) => Kind::Number(least.to_string(), most.to_string()),
            _ if lexical::is_binary(syntax) => Kind::Octets,
            _ => Kind::Text,
        };
        let expected = expected(syntax);
        Field { name: name.to_owned(), is_key: false, is_required: false, kind, expected, choice: None }
    }

    /// The same in a form of its own: a choice or a number is not left empty there.
    #[must_use]
    pub fn alone(self) -> Field {
        let is_required = matches!(self.kind, Kind::Choice(_) | Kind::Number(..));
        Field { is_required, ..self }
    }
}

/// The units of an object that has some.
fn units(place: &Place) -> Option<&'static str> {
    let units = match place {
        Place::Scalar(scalar) => scalar.units,
        Place::Column(_, column) => column.units,
        _ => "",
    };
    (!units.is_empty()).then_some(units)
}

fn kind_of(setting: &Setting) -> Kind {
    match setting.value {
        _ if setting.is_secret => Kind::Secret,
        ValueType::Boolean => Kind::Choice(vec!["true".into(), "false".into()]),
        ValueType::Enumeration(names) => Kind::Choice(names.iter().map(|name| (*name).to_owned()).collect()),
        ValueType::Number(least, most) => Kind::Number(least.to_string(), most.to_string()),
        ValueType::Integer32 => Kind::Number(i32::MIN.to_string(), i32::MAX.to_string()),
        _ => Kind::Text,
    }
}

/// Whether a leaf is required, its bounds, and its default. `within` is what it is in within its entry.
fn words_of(setting: &Setting, is_key: bool, within: &str) -> String {
    let required = match (setting.is_mandatory && !is_key, within) {
        (false, _) => String::new(),
        (true, "") => "required".to_owned(),
        (true, within) => format!("required with {within}"),
    };
    let default = match setting.default {
        Some("") => "empty by default".to_owned(),
        Some(default) => format!("{default} by default"),
        None => String::new(),
    };
    let parts = [required, bounds_of(setting.value), default];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The bounds of a type that has some.
fn bounds_of(value: ValueType) -> String {
    let octets = |least: usize, most: usize| match least {
        0 => format!("at most {most} octets"),
        least if least == most => format!("{most} octets"),
        least => format!("{least} to {most} octets"),
    };
    match value {
        ValueType::Number(least, most) => format!("a number from {least} to {most}"),
        ValueType::Integer32 => format!("a number from {} to {}", i32::MIN, i32::MAX),
        ValueType::NumberOr(least, most, names) => {
            let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            format!("{}, or a number from {least} to {most}", names.join(", "))
        }
        ValueType::Text(most) => octets(0, most),
        ValueType::Sized(least, most) => octets(least, most),
        ValueType::Word(most) => format!("at most {most} letters, digits, dots, _ and -"),
        ValueType::Hex(least, most) => {
            format!("pairs of hexadecimal digits with colons, {}", octets(least, most))
        }
        ValueType::Binary(most) => format!("base64 of {}", octets(0, most)),
        _ => String::new(),
    }
}

/// The containers that a leaf is in within its entry of a list; empty: it is in none, or in no entry.
fn within_entry(forest: &Forest, node: NodeId) -> String {
    let mut way = Vec::new();
    let mut at = forest[node].parent;
    while let Some(id) = at {
        if forest[id].place.is_list() {
            way.reverse();
            return way.join("/");
        }
        way.push(schema::name_within(forest, id));
        at = forest[id].parent;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use trunkline_restconf::target::Target;

    use super::*;

    #[test]
    fn a_field_says_what_is_required_the_bounds_and_the_default() {
        let forest = schema::forest();
        for (path, is_required, words) in [
            ("ietf-snmp:snmp/target=a/name", true, "key; 1 to 32 octets"),
            ("ietf-snmp:snmp/target=a/target-params", true, "required; 1 to 32 octets"),
            ("ietf-snmp:snmp/target=a/udp/ip", false, "required with udp"),
            ("ietf-snmp:snmp/target=a/udp/port", false, "a number from 0 to 65535; 162 by default"),
            ("ietf-snmp:snmp/community=a/text-name", false, "1 to 255 octets"),
            ("ietf-interfaces:interfaces/interface=a/enabled", false, "true by default"),
            ("ietf-system:system/contact", false, "at most 255 octets"),
            ("SNMPv2-MIB:SNMPv2-MIB/system/sysContact", false, "at most 255 octets"),
            ("IF-MIB:IF-MIB/ifTable/ifEntry=1/ifIndex", true, "key; a number from 1 to 2147483647"),
            ("IF-MIB:IF-MIB/ifTable/ifEntry=1/ifAdminStatus", false, "one of up, down, testing"),
        ] {
            let target = Target::read(path, &forest).unwrap();
            let field = Field::of(&forest, target.node().unwrap(), "").unwrap();
            assert_eq!((field.is_required, field.expected.as_str()), (is_required, words), "{path}");
            let is_chosen = matches!(field.kind, Kind::Choice(_) | Kind::Number(..));
            assert_eq!(field.alone().is_required, is_chosen, "{path}");
        }
    }
}

//! `-Ta`, `-Tl`, `-To`, `-Ts`, `-Tt`, `-Tz`: lists of everything known.

use std::fmt::Write;

use trunkline_mib::Names;
use trunkline_smi::{Oid, ValueKind};

/// Which of the lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// Definitions as ASN.1 (`a`).
    Definitions,
    /// Paths of names with numbers (`l`).
    Labels,
    /// Numbers (`o`).
    Numbers,
    /// Paths of names (`s`).
    Names,
    /// Names as a tree (`t`).
    Tree,
    /// Names and numbers in quotes (`z`).
    Children,
}

impl Report {
    /// The list that a letter of `-T` selects.
    pub fn of(letter: char) -> Option<Self> {
        match letter {
            'a' => Some(Report::Definitions),
            'l' => Some(Report::Labels),
            'o' => Some(Report::Numbers),
            's' => Some(Report::Names),
            't' => Some(Report::Tree),
            'z' => Some(Report::Children),
            _ => None,
        }
    }

    /// The list.
    pub fn write(self, names: &Names) -> String {
        let mut out = String::new();
        if self == Report::Definitions {
            out.push_str("dump DEFINITIONS ::= BEGIN\n");
        }
        // As Net-SNMP: the nodes below iso first, the roots themselves not at all.
        for root in [1, 0, 2] {
            self.below(names, &Oid::from([root]), &mut Vec::new(), &mut out);
        }
        if self == Report::Definitions {
            out.push_str("END\n");
        }
        out
    }

    fn below(self, names: &Names, parent: &Oid, path: &mut Vec<(String, u32)>, out: &mut String) {
        path.push((label(names, parent), parent.last().copied().unwrap_or_default()));
        for (child, _) in names.children(parent) {
            self.line(names, &child, path, out);
            self.below(names, &child, path, out);
        }
        path.pop();
    }

    fn line(self, names: &Names, oid: &Oid, path: &[(String, u32)], out: &mut String) {
        let name = label(names, oid);
        let number = oid.last().copied().unwrap_or_default();
        let depth = path.len();
        // Writing to a String cannot fail.
        let _ = match self {
            Report::Definitions => {
                let parent = path.last().map_or("", |(name, _)| name.as_str());
                writeln!(out, "{name} OBJECT IDENTIFIER ::= {{ {parent} {number} }}")
            }
            Report::Labels => {
                for (name, number) in path {
                    let _ = write!(out, ".{name}({number})");
                }
                writeln!(out, ".{name}({number})")
            }
            Report::Numbers => writeln!(out, ".{oid}"),
            Report::Names => {
                for (name, _) in path {
                    let _ = write!(out, ".{name}");
                }
                writeln!(out, ".{name}")
            }
            Report::Tree => {
                writeln!(out, "{:indent$}{name}({number}) type={}", "", kind(names, oid), indent = depth * 2)
            }
            Report::Children => writeln!(out, "\"{name}\"\t\t\t\"{oid}\""),
        };
    }
}

/// The node's name, or its number if it has none.
fn label(names: &Names, oid: &Oid) -> String {
    let description = names.describe(oid);
    if description.named == oid.len() && !description.name.is_empty() {
        return description.name.to_owned();
    }
    oid.last().map(u32::to_string).unwrap_or_default()
}

/// Net-SNMP's number of a type, and the hint.
fn kind(names: &Names, oid: &Oid) -> String {
    let Some(definition) = names.definition(oid) else { return "0".to_owned() };
    let Some(syntax) = &definition.syntax else {
        return match definition.macro_name {
            "NOTIFICATION-TYPE" => "21",
            "OBJECT-GROUP" => "22",
            "MODULE-IDENTITY" => "24",
            "AGENT-CAPABILITIES" => "26",
            "MODULE-COMPLIANCE" => "27",
            "OBJECT-IDENTITY" => "28",
            _ => "0",
        }
        .to_owned();
    };
    let known = names.object(oid).map(|object| object.syntax);
    let number = match (syntax.base.as_str(), known.map(|syntax| syntax.kind)) {
        ("Integer32", _) => 16,
        ("BITS", _) => 12,
        ("Unsigned32", _) => 15,
        (_, Some(ValueKind::ObjectIdentifier)) => 1,
        (_, Some(ValueKind::OctetString)) => 2,
        (_, Some(ValueKind::Integer)) => 3,
        (_, Some(ValueKind::IpAddress)) => 5,
        (_, Some(ValueKind::Counter32)) => 6,
        (_, Some(ValueKind::Unsigned32)) => 7,
        (_, Some(ValueKind::TimeTicks)) => 8,
        (_, Some(ValueKind::Opaque)) => 9,
        (_, Some(ValueKind::Counter64)) => 11,
        _ => 0,
    };
    let hint = if syntax.hint.is_empty() { String::new() } else { format!(" hint={}", syntax.hint) };
    format!("{number}{hint}")
}

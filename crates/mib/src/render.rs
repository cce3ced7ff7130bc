//! Built-in modules as SMIv2 text: for the reader of MIB texts, whose modules import from them, and for
//! comparison with other tools. Names and numbers are the modules' own; a description only gives the reference.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use trunkline_smi::schema::{
    Column, IndexEncoding, IndexPart, MaxAccess, Module, Notification, Scalar, Syntax, Table,
};
use trunkline_smi::{ValueKind, module};

use crate::base::SMI;
use crate::catalog::WITHOUT_UNITS_CLAUSES;
use crate::iana::IF_TYPES;

/// Conventions of SNMPv2-TC, which every reader of MIB texts brings along.
const OF_SNMPV2_TC: &[&str] = &[
    "AutonomousType",
    "DateAndTime",
    "DisplayString",
    "InstancePointer",
    "MacAddress",
    "PhysAddress",
    "RowPointer",
    "RowStatus",
    "StorageType",
    "TAddress",
    "TDomain",
    "TestAndIncr",
    "TimeInterval",
    "TimeStamp",
    "TruthValue",
    "VariablePointer",
];

/// Modules of conventions alone that others import from.
const CONVENTION_MODULES: &[(&str, &str, &[Syntax])] = &[
    (
        "INET-ADDRESS-MIB",
        "RFC 4001",
        &[
            Syntax::INET_ADDRESS_TYPE,
            Syntax::INET_ADDRESS,
            Syntax::octets(4, 4).named("InetAddressIPv4", "1d.1d.1d.1d"),
            Syntax::octets(16, 16).named("InetAddressIPv6", "2x:2x:2x:2x:2x:2x:2x:2x"),
            Syntax::octets(8, 8).named("InetAddressIPv4z", "1d.1d.1d.1d%4d"),
            Syntax::octets(20, 20).named("InetAddressIPv6z", "2x:2x:2x:2x:2x:2x:2x:2x%4d"),
            Syntax::octets(1, 255).named("InetAddressDNS", "255a"),
            Syntax::INET_ADDRESS_PREFIX_LENGTH,
            Syntax::INET_PORT_NUMBER,
            Syntax::unsigned(0, 0xffff_ffff).named("InetAutonomousSystemNumber", "d"),
            Syntax::enumeration(&[(1, "other"), (2, "linkLocal"), (3, "siteLocal"), (4, "global")])
                .named("InetScopeType", ""),
            Syntax::unsigned(0, 0xffff_ffff).named("InetZoneIndex", "d"),
            Syntax::INET_VERSION,
        ],
    ),
    (
        "SNMP-FRAMEWORK-MIB",
        "RFC 3411",
        &[
            Syntax::SNMP_ADMIN_STRING,
            Syntax::SNMP_ENGINE_ID,
            Syntax::SNMP_SECURITY_MODEL,
            Syntax::SNMP_MESSAGE_PROCESSING_MODEL,
            Syntax::SNMP_SECURITY_LEVEL,
        ],
    ),
    ("SNMP-TARGET-MIB", "RFC 3413", &[Syntax::SNMP_TAG_VALUE, Syntax::SNMP_TAG_LIST]),
    (
        "SNMP-TLS-TM-MIB",
        "RFC 6353",
        &[module::snmp_tls_tm_mib::SNMP_TLS_ADDRESS, module::snmp_tls_tm_mib::SNMP_TLS_FINGERPRINT],
    ),
    ("SNMP-SSH-TM-MIB", "RFC 5592", &[module::snmp_ssh_tm_mib::SNMP_SSH_ADDRESS]),
    ("IANAifType-MIB", "IANA", &[Syntax { names: IF_TYPES, ..Syntax::INTEGER32.named("IANAifType", "") }]),
];

/// Name and text of every built-in module, and of the modules of conventions they import from.
pub fn render_all() -> Vec<(&'static str, String)> {
    let is_module = |name: &str| module::ALL.iter().any(|module| module.name == name);
    let conventions = CONVENTION_MODULES.iter().filter(|(name, _, _)| !is_module(name));
    let conventions =
        conventions.map(|(name, reference, syntaxes)| (*name, render_conventions(name, reference, syntaxes)));
    conventions.chain(module::ALL.iter().map(|module| (module.name, render(module)))).collect()
}

/// A module as SMIv2 text.
pub fn render(module: &'static Module) -> String {
    let mut text =
        Text { module, imports: BTreeMap::new(), conventions: BTreeMap::new(), body: String::new() };
    if let Some((_, _, syntaxes)) = CONVENTION_MODULES.iter().find(|(name, _, _)| *name == module.name) {
        text.conventions.extend(syntaxes.iter().map(|syntax| (syntax.convention, *syntax)));
    }
    text.nodes();
    module.scalars.iter().for_each(|scalar| text.scalar(scalar));
    module.tables.iter().for_each(|table| text.table(table));
    module.notifications.iter().for_each(|notification| text.notification(notification));
    text.finish()
}

fn render_conventions(name: &str, reference: &str, syntaxes: &[Syntax]) -> String {
    let mut out = format!(
        "{name} DEFINITIONS ::= BEGIN\nIMPORTS\n  Counter64, Unsigned32 FROM SNMPv2-SMI\n  TEXTUAL-CONVENTION FROM SNMPv2-TC;\n"
    );
    for syntax in syntaxes {
        out.push_str(&convention(syntax, reference));
    }
    out.push_str("\nEND\n");
    out
}

fn convention(syntax: &Syntax, reference: &str) -> String {
    let hint =
        if syntax.hint.is_empty() { String::new() } else { format!("  DISPLAY-HINT \"{}\"\n", syntax.hint) };
    let name = syntax.convention;
    let bare = base_words(syntax);
    format!(
        "\n{name} ::= TEXTUAL-CONVENTION\n{hint}  STATUS current\n  DESCRIPTION \"See {reference}.\"\n  SYNTAX {bare}\n"
    )
}

/// A module's text while it grows.
struct Text {
    module: &'static Module,
    /// By home module.
    imports: BTreeMap<&'static str, BTreeSet<&'static str>>,
    /// Defined here.
    conventions: BTreeMap<&'static str, Syntax>,
    body: String,
}

impl Text {
    fn import(&mut self, from: &'static str, name: &'static str) {
        self.imports.entry(from).or_default().insert(name);
    }

    fn nodes(&mut self) {
        for node in self.module.nodes {
            let place = self.place(node.name, node.oid);
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(self.body, "\n{} OBJECT IDENTIFIER ::= {place}", node.name);
        }
    }

    fn scalar(&mut self, scalar: &Scalar) {
        let place = self.place(scalar.name, scalar.oid);
        self.object(scalar.name, &scalar.syntax, scalar.access, scalar.units, &place);
    }

    fn table(&mut self, table: &'static Table) {
        let row = row_type(table.entry);
        let place = self.place(table.name, table.oid);
        self.import("SNMPv2-SMI", "OBJECT-TYPE");
        let (name, entry, reference) = (table.name, table.entry, self.module.reference);
        let _ = write!(
            self.body,
            "\n{name} OBJECT-TYPE\n  SYNTAX SEQUENCE OF {row}\n  MAX-ACCESS not-accessible\n  STATUS current\n  \
             DESCRIPTION \"See {reference}.\"\n  ::= {place}\n\
             \n{entry} OBJECT-TYPE\n  SYNTAX {row}\n  MAX-ACCESS not-accessible\n  STATUS current\n  \
             DESCRIPTION \"See {reference}.\"\n"
        );
        let index: Vec<String> = table.index.iter().map(|part| self.index_part(table, part)).collect();
        let _ = write!(self.body, "  INDEX {{ {} }}\n  ::= {{ {name} 1 }}\n", index.join(", "));
        let members: Vec<String> = table
            .columns
            .iter()
            .map(|column| format!("  {} {}", column.name, sequence_word(&column.syntax)))
            .collect();
        let _ = write!(self.body, "\n{row} ::= SEQUENCE {{\n{}\n}}\n", members.join(",\n"));
        for Column { id, name, syntax, access, units } in table.columns {
            self.object(name, syntax, *access, units, &format!("{{ {entry} {id} }}"));
        }
    }

    fn notification(&mut self, notification: &'static Notification) {
        self.import("SNMPv2-SMI", "NOTIFICATION-TYPE");
        for name in notification.objects {
            if let Some(home) = home_of_object(name).filter(|home| *home != self.module.name) {
                self.import(home, name);
            }
        }
        let objects = match notification.objects {
            [] => String::new(),
            names => format!("  OBJECTS {{ {} }}\n", names.join(", ")),
        };
        let place = self.place(notification.name, notification.oid);
        let (name, reference) = (notification.name, self.module.reference);
        let _ = write!(
            self.body,
            "\n{name} NOTIFICATION-TYPE\n{objects}  STATUS current\n  DESCRIPTION \"See {reference}.\"\n  ::= {place}\n"
        );
    }

    /// The word in the INDEX clause, with what must be imported for it.
    fn index_part(&mut self, table: &Table, part: &'static IndexPart) -> String {
        if !table.columns.iter().any(|column| column.name == part.name) {
            let home = |module: &&&Module| {
                module.name != self.module.name
                    && module.tables.iter().any(|t| t.columns.iter().any(|column| column.name == part.name))
            };
            let own = self.module.tables.iter().any(|t| t.columns.iter().any(|c| c.name == part.name));
            if let Some(home) = module::ALL.iter().find(home).filter(|_| !own) {
                self.import(home.name, part.name);
            }
        }
        let implied =
            matches!(part.encoding, IndexEncoding::ImpliedOctets | IndexEncoding::ImpliedObjectIdentifier);
        if implied { format!("IMPLIED {}", part.name) } else { part.name.to_owned() }
    }

    fn object(&mut self, name: &str, syntax: &Syntax, access: MaxAccess, units: &str, place: &str) {
        self.import("SNMPv2-SMI", "OBJECT-TYPE");
        let words = self.syntax_words(syntax);
        let has_units = !units.is_empty() && !WITHOUT_UNITS_CLAUSES.contains(&self.module.name);
        let units = if !has_units { String::new() } else { format!("  UNITS \"{units}\"\n") };
        let (access, reference) = (access_words(access), self.module.reference);
        let _ = write!(
            self.body,
            "\n{name} OBJECT-TYPE\n  SYNTAX {words}\n{units}  MAX-ACCESS {access}\n  STATUS current\n  \
             DESCRIPTION \"See {reference}.\"\n  ::= {place}\n"
        );
    }

    fn syntax_words(&mut self, syntax: &Syntax) -> String {
        let convention = syntax.convention;
        if convention.is_empty() || convention == "Unsigned32" {
            return base_words_importing(syntax, |name| self.import("SNMPv2-SMI", name));
        }
        if OF_SNMPV2_TC.contains(&convention) {
            self.import("SNMPv2-TC", convention);
        } else if let Some(home) = home_of(convention).filter(|home| *home != self.module.name) {
            self.import(home, convention);
        } else {
            base_words_importing(syntax, |name| self.import("SNMPv2-SMI", name));
            self.conventions.entry(convention).or_insert(*syntax);
        }
        let limits = if syntax.names.is_empty() { limits_words(syntax) } else { String::new() };
        format!("{convention}{limits}")
    }

    /// `{ parent 1 2 }`, with the longest parent that has a name here or in SNMPv2-SMI.
    fn place(&mut self, name: &str, oid: &[u32]) -> String {
        let own = self.module.nodes.iter().map(|node| (node.name, node.oid));
        let own = own.filter(|(other, at)| *other != name && at.len() < oid.len());
        let base = SMI.nodes.iter().map(|node| (node.name, node.oid));
        let above = own.chain(base).filter(|(_, at)| oid.starts_with(at) && at.len() < oid.len());
        let Some((parent, at)) = above.max_by_key(|(_, at)| at.len()) else {
            return format!("{{ iso {} }}", arcs(oid.get(1..).unwrap_or_default()));
        };
        if SMI.nodes.iter().any(|node| node.name == parent) {
            self.import("SNMPv2-SMI", parent);
        }
        format!("{{ {parent} {} }}", arcs(&oid[at.len()..]))
    }

    fn finish(mut self) -> String {
        if !self.conventions.is_empty() {
            self.import("SNMPv2-TC", "TEXTUAL-CONVENTION");
        }
        let mut out = format!("{} DEFINITIONS ::= BEGIN\n", self.module.name);
        let groups: Vec<String> = self
            .imports
            .iter()
            .map(|(home, names)| {
                format!("  {} FROM {home}", names.iter().copied().collect::<Vec<_>>().join(", "))
            })
            .collect();
        if !groups.is_empty() {
            let _ = write!(out, "IMPORTS\n{};\n", groups.join("\n"));
        }
        for syntax in self.conventions.values() {
            out.push_str(&convention(syntax, self.module.reference));
        }
        out + &self.body + "\nEND\n"
    }
}

/// The built-in module that defines a scalar or a column.
fn home_of_object(name: &str) -> Option<&'static str> {
    let defines = |module: &&&Module| {
        module.scalars.iter().any(|scalar| scalar.name == name)
            || module.tables.iter().any(|table| table.columns.iter().any(|column| column.name == name))
    };
    module::ALL.iter().find(defines).map(|module| module.name)
}

fn home_of(convention: &str) -> Option<&'static str> {
    let own =
        |(_, _, syntaxes): &&(&str, &str, &[Syntax])| syntaxes.iter().any(|s| s.convention == convention);
    CONVENTION_MODULES.iter().find(own).map(|(name, _, _)| *name)
}

fn row_type(entry: &str) -> String {
    let mut letters = entry.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

fn arcs(oid: &[u32]) -> String {
    oid.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

fn access_words(access: MaxAccess) -> &'static str {
    match access {
        MaxAccess::NotAccessible => "not-accessible",
        MaxAccess::AccessibleForNotify => "accessible-for-notify",
        MaxAccess::ReadOnly => "read-only",
        MaxAccess::ReadWrite => "read-write",
        MaxAccess::ReadCreate => "read-create",
    }
}

/// The type in a SEQUENCE, where limits and names are left out (RFC 2578 section 7.1.12).
fn sequence_word(syntax: &Syntax) -> &'static str {
    match syntax.kind {
        _ if syntax.bits => "BITS",
        _ if !syntax.convention.is_empty() => syntax.convention,
        ValueKind::Integer if syntax.names.is_empty() => "Integer32",
        kind => kind.name(),
    }
}

fn base_words(syntax: &Syntax) -> String {
    base_words_importing(syntax, |_| ())
}

/// The syntax without its convention.
fn base_words_importing(syntax: &Syntax, mut import: impl FnMut(&'static str)) -> String {
    let base = match syntax.kind {
        _ if syntax.bits => "BITS",
        ValueKind::Integer if !syntax.names.is_empty() => "INTEGER",
        ValueKind::Integer => "Integer32",
        ValueKind::Unsigned32 if syntax.max < i64::from(u32::MAX) || !syntax.convention.is_empty() => {
            "Unsigned32"
        }
        kind => kind.name(),
    };
    if !matches!(base, "BITS" | "INTEGER" | "OCTET STRING" | "OBJECT IDENTIFIER") {
        import(base);
    }
    if syntax.names.is_empty() {
        return format!("{base}{}", limits_words(syntax));
    }
    let names: Vec<String> = syntax.names.iter().map(|(number, name)| format!("{name}({number})")).collect();
    format!("{base} {{ {} }}", names.join(", "))
}

fn limits_words(syntax: &Syntax) -> String {
    let (min, max) = (syntax.min, syntax.max);
    let whole = match syntax.kind {
        ValueKind::Integer => (i64::from(i32::MIN), i64::from(i32::MAX)),
        ValueKind::Unsigned32 => (0, i64::from(u32::MAX)),
        ValueKind::OctetString => (0, 65535),
        _ => return String::new(),
    };
    let bounds = if min == max { min.to_string() } else { format!("{min}..{max}") };
    match syntax.kind {
        _ if (min, max) == whole => String::new(),
        ValueKind::OctetString => format!(" (SIZE ({bounds}))"),
        _ => format!(" ({bounds})"),
    }
}

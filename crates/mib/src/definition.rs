//! The definition of a node in its MIB text, clause by clause, for users who want to read it and not only the
//! name. The texts are those that were read; for built-in modules `render` produces them.

use mib_rs::mib::{Mib, Module, Node, Object, Oid, Range, RangeBound, Type};
use mib_rs::types::{BaseType, Kind};
use mib_rs::{DiagnosticConfig, Loader, ResolverStrictness};

use crate::convert::kind;
use crate::describe::Description;
use crate::render::render_all;

/// The definition of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The macro: `OBJECT-TYPE`, `NOTIFICATION-TYPE`, or `OBJECT IDENTIFIER` for a plain name.
    pub macro_name: &'static str,
    /// SYNTAX, where the node has values.
    pub syntax: Option<DefinedSyntax>,
    /// UNITS, or empty.
    pub units: String,
    /// MAX-ACCESS of an object type, or empty.
    pub access: String,
    /// STATUS of an object type, or empty.
    pub status: String,
    /// INDEX of a row; an IMPLIED part starts with that word.
    pub index: Vec<String>,
    /// AUGMENTS of a row, or empty.
    pub augments: String,
    /// OBJECTS of a notification.
    pub objects: Vec<String>,
    /// DEFVAL, or empty.
    pub default: String,
    /// DESCRIPTION as in the text, or empty.
    pub description: String,
}

/// SYNTAX down to the base type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedSyntax {
    /// The base type as the text has it: `INTEGER`, `Integer32`, `OCTET STRING`, `BITS`.
    pub base: String,
    /// The textual convention, or empty.
    pub convention: String,
    /// Enumeration or bits.
    pub names: Vec<(i64, String)>,
    /// Least and greatest number, or size, of each range.
    pub ranges: Vec<(i64, i64)>,
    /// DISPLAY-HINT, or empty.
    pub hint: String,
}

/// The built-in modules as the reader of texts sees them.
pub(crate) fn rendered() -> Option<Mib> {
    let texts: Vec<_> = render_all().into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    let names: Vec<String> = texts.iter().map(|(name, _)| (*name).to_owned()).collect();
    let loader = Loader::new()
        .resolver_strictness(ResolverStrictness::Permissive)
        .diagnostic_config(DiagnosticConfig::silent())
        .source(mib_rs::source::memory_modules(texts));
    loader.modules(names).load().ok()
}

impl Definition {
    /// The definition of the node at `oid`: that of the module that it is `known` by, for another may define it too.
    pub(crate) fn of(mib: &Mib, known: &Description, oid: &Oid) -> Option<Self> {
        let node = mib.exact_node_by_oid(oid).filter(|node| !node.name().is_empty())?;
        let Some(module) = mib.module(known.module) else {
            return known.module.is_empty().then(|| Definition::of_node(node));
        };
        let Some(object) = own_object(module, known, oid) else { return Some(Definition::of_node(node)) };
        let mut definition = Definition::empty("OBJECT-TYPE", "");
        definition.object_type(object, kind(object));
        Some(definition)
    }

    fn of_node(node: Node<'_>) -> Self {
        let mut definition = Definition::empty(macro_name(node.kind()), node.description());
        if let Some(object) = node.object() {
            definition.object_type(object, node.kind());
        } else if let Some(notification) = node.notification() {
            definition.objects = notification.objects().map(|object| object.name().to_owned()).collect();
            definition.description = notification.description().to_owned();
        } else if let Some(group) = node.group() {
            definition.description = group.description().to_owned();
        } else if let Some(compliance) = node.compliance() {
            definition.description = compliance.description().to_owned();
        } else if node.kind() == Kind::ModuleIdentity {
            definition.description = node.module().map_or("", |module| module.description()).to_owned();
        }
        definition
    }

    fn empty(macro_name: &'static str, description: &str) -> Self {
        Definition {
            macro_name,
            syntax: None,
            units: String::new(),
            access: String::new(),
            status: String::new(),
            index: Vec::new(),
            augments: String::new(),
            objects: Vec::new(),
            default: String::new(),
            description: description.to_owned(),
        }
    }

    fn object_type(&mut self, object: Object<'_>, kind: Kind) {
        self.units = object.units().to_owned();
        self.access = object.access().to_string();
        self.status = object.status().to_string();
        self.description = object.description().to_owned();
        if matches!(kind, Kind::Scalar | Kind::Column) {
            self.syntax = object.ty().map(|ty| defined_syntax(object, ty));
        }
        if kind == Kind::Row {
            self.augments = object.augments().map_or_else(String::new, |row| row.name().to_owned());
            let implied = |part: &mib_rs::mib::Index<'_>| if part.implied() { "IMPLIED " } else { "" };
            self.index = object.index().map(|part| format!("{}{}", implied(&part), part.name())).collect();
        }
        self.default = object.default_value().map_or_else(String::new, |value| value.raw().to_owned());
    }
}

/// The DESCRIPTION of the node at `oid` in the module that it is known by.
pub(crate) fn description<'m>(mib: &'m Mib, known: &Description, oid: &Oid) -> Option<&'m str> {
    let node = mib.exact_node_by_oid(oid)?;
    let own = mib.module(known.module).and_then(|module| own_object(module, known, oid));
    Some(own.or(node.object()).map_or(node.description(), |object| object.description()))
}

/// The object as this module defines it.
fn own_object<'m>(module: Module<'m>, known: &Description, oid: &Oid) -> Option<Object<'m>> {
    let is_here = |object: &Object<'_>| object.node().is_some_and(|node| node.oid() == oid);
    module.object(known.name).filter(is_here)
}

fn defined_syntax(object: Object<'_>, ty: Type<'_>) -> DefinedSyntax {
    let is_bits = ty.effective_base() == BaseType::Bits;
    let named = if is_bits { object.effective_bits() } else { object.effective_enums() };
    let is_sized = matches!(ty.effective_base(), BaseType::OctetString | BaseType::Opaque);
    let declared = if is_sized { object.declared_sizes() } else { object.declared_ranges() };
    // The object's own limits, or those of the nearest convention that has some.
    let above = || {
        chain(ty)
            .take_while(|ty| !is_base(ty.name()))
            .map(|ty| if is_sized { ty.sizes() } else { ty.ranges() })
            .find(|ranges| !ranges.is_empty())
    };
    let ranges = if declared.is_empty() { above().unwrap_or_default() } else { declared };
    DefinedSyntax {
        base: base_name(ty),
        convention: ty.effective_tc().map_or_else(String::new, |tc| tc.name().to_owned()),
        names: named.iter().map(|name| (name.value, name.label.clone())).collect(),
        ranges: ranges.iter().filter_map(limits).collect(),
        hint: object.effective_display_hint().to_owned(),
    }
}

/// A type, the type that it refines, and so on.
fn chain(ty: Type<'_>) -> impl Iterator<Item = Type<'_>> {
    std::iter::successors(Some(ty), |ty| ty.parent())
}

/// The base type's name as the nearest text has it.
fn base_name(ty: Type<'_>) -> String {
    let named = chain(ty).find(|ty| is_base(ty.name()));
    named.map_or_else(|| ty.effective_base().to_string(), |ty| ty.name().to_owned())
}

/// Whether it is a base type of SMIv1 or SMIv2 (RFC 2578 section 7.1, RFC 1155).
fn is_base(name: &str) -> bool {
    const BASES: [&str; 17] = [
        "INTEGER",
        "Integer32",
        "OCTET STRING",
        "OBJECT IDENTIFIER",
        "BITS",
        "Counter",
        "Counter32",
        "Counter64",
        "Gauge",
        "Gauge32",
        "Unsigned32",
        "UInteger32",
        "TimeTicks",
        "IpAddress",
        "NetworkAddress",
        "NsapAddress",
        "Opaque",
    ];
    BASES.contains(&name)
}

fn limits(range: &Range) -> Option<(i64, i64)> {
    let bound = |bound: &RangeBound| match bound {
        RangeBound::Unsigned(number) => i64::try_from(*number).ok(),
        other => other.as_i64(),
    };
    Some((bound(&range.min)?, bound(&range.max)?))
}

fn macro_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Scalar | Kind::Table | Kind::Row | Kind::Column => "OBJECT-TYPE",
        Kind::Notification => "NOTIFICATION-TYPE",
        Kind::Group => "OBJECT-GROUP",
        Kind::Compliance => "MODULE-COMPLIANCE",
        Kind::Capability => "AGENT-CAPABILITIES",
        Kind::ModuleIdentity => "MODULE-IDENTITY",
        Kind::ObjectIdentity => "OBJECT-IDENTITY",
        _ => "OBJECT IDENTIFIER",
    }
}

//! Modules of MIB texts in the form of the built-in ones, `smi`'s schema.
//!
//! Two modules may define one object. Each keeps its own definition here, whichever the reader prefers: which of
//! them counts is decided by the catalog.

use std::collections::BTreeMap;

use mib_rs::mib::{
    Index as MibIndex, Module as MibModule, Notification as MibNotification, Object as MibObject,
};
use mib_rs::types::{Access, BaseType, IndexEncoding as MibEncoding, Kind};
use trunkline_smi::ValueKind;
use trunkline_smi::schema::{
    Column, IndexEncoding, IndexPart, MaxAccess, Module, Node, Notification, Scalar, Syntax, Table,
};

use crate::catalog::Read;

/// A read module. It lives as long as the program, as the built-in ones do: texts are read once, and every name in
/// the catalog points into it.
pub(crate) fn convert(found: MibModule<'_>) -> Read {
    let own = Own::of(found);
    let mut nodes = Vec::new();
    let mut scalars = Vec::new();
    let mut tables: Vec<Table> = Vec::new();
    let mut notifications = Vec::new();
    // By the place in the text.
    let mut places = Vec::new();
    for (oid, object) in &own.objects {
        places.extend(object.range().map(|range| (range.start(), keep(object.name()))));
        match kind(*object) {
            Kind::Scalar if has_type(*object) => scalars.push(scalar(*object, oid)),
            Kind::Table if own.is_regular(oid) => tables.push(own.table(*object, oid)),
            Kind::Row if own.is_in_table(oid, 1) => {}
            Kind::Column if own.is_in_table(oid, 2) && has_type(*object) => {}
            _ => nodes.push(Node { name: keep(object.name()), oid: keep_all(oid.clone()) }),
        }
    }
    for identity in found.identities() {
        places.push((identity.range().start(), keep(identity.name())));
        nodes.push(Node { name: keep(identity.name()), oid: keep_all(identity.oid().to_vec()) });
    }
    for node in found.nodes() {
        let oid = node.oid().to_vec();
        let is_known = own.objects.contains_key(&oid)
            || found.identities().iter().any(|identity| identity.oid()[..] == oid[..]);
        if is_known {
            continue;
        }
        places.extend(node.range().map(|range| (range.start(), keep(node.name()))));
        match found.notification(node.name()) {
            Some(found) => notifications.push(notification(found, node.name(), &oid)),
            None => nodes.push(Node { name: keep(node.name()), oid: keep_all(oid) }),
        }
    }
    places.sort_by(|(one, _), (other, _)| other.cmp(one));
    let module = Module {
        name: keep(found.name()),
        reference: "MIB text",
        nodes: keep_all(nodes),
        scalars: keep_all(scalars),
        tables: keep_all(tables),
        notifications: keep_all(notifications),
    };
    Read { module: Box::leak(Box::new(module)), names: places.into_iter().map(|(_, name)| name).collect() }
}

/// The objects of a module as it defines them.
struct Own<'m> {
    objects: BTreeMap<Vec<u32>, MibObject<'m>>,
}

impl<'m> Own<'m> {
    fn of(module: MibModule<'m>) -> Self {
        let mut objects = BTreeMap::new();
        for object in module.objects() {
            if let Some(node) = object.node() {
                objects.entry(node.oid().to_vec()).or_insert(object);
            }
        }
        Own { objects }
    }

    /// Whether the table's row is at `.1` of it, as RFC 2578 section 7.10 requires.
    fn is_regular(&self, table: &[u32]) -> bool {
        self.row(table).is_some()
    }

    fn row(&self, table: &[u32]) -> Option<MibObject<'m>> {
        let row = self.objects.get(&[table, &[1]].concat()).copied();
        row.filter(|row| kind(*row) == Kind::Row)
    }

    /// Whether the object is so far below a regular table, of this module or another.
    fn is_in_table(&self, oid: &[u32], depth: usize) -> bool {
        let Some((table, below)) = oid.split_at_checked(oid.len().saturating_sub(depth)) else {
            return false;
        };
        if below.first() != Some(&1) {
            return false;
        }
        let own = self.objects.get(table).is_some_and(|table| kind(*table) == Kind::Table);
        let of_another = || {
            let object = self.objects.get(oid).and_then(|object| object.table());
            object.and_then(|table| table.node()).is_some_and(|node| node.oid()[..] == *table)
        };
        own || of_another()
    }

    fn table(&self, object: MibObject<'m>, oid: &[u32]) -> Table {
        let row = self.row(oid);
        let index = row.map(|row| row.effective_indexes().map(index_part).collect()).unwrap_or_default();
        let own = |column: MibObject<'m>| {
            let at = column.node().map(|node| node.oid().to_vec());
            at.and_then(|at| self.objects.get(&at).copied()).unwrap_or(column)
        };
        let columns = object.columns().map(own).filter(|column| has_type(*column));
        let mut columns: Vec<Column> = columns.filter_map(column).collect();
        columns.sort_by_key(|column| column.id);
        Table {
            name: keep(object.name()),
            entry: row.map_or("", |row| keep(row.name())),
            oid: keep_all(oid.to_vec()),
            index: keep_all(index),
            columns: keep_all(columns),
        }
    }
}

/// The kind in its own module. Where another module's definition of the object is preferred, the node has that one's.
pub(crate) fn kind(object: MibObject<'_>) -> Kind {
    let preferred = object.node().and_then(|node| node.object());
    let is_preferred = preferred.is_some_and(|preferred| preferred.id() == object.id());
    if is_preferred { object.kind() } else { object.declared_kind() }
}

/// Whether the type is known. If the module that defines it is missing, the object is a name
/// only, and does not displace a built-in definition.
fn has_type(object: MibObject<'_>) -> bool {
    object.ty().is_some_and(|ty| ty.effective_base() != BaseType::Unknown)
}

fn notification(found: MibNotification<'_>, name: &str, oid: &[u32]) -> Notification {
    let objects = found.objects().map(|object| keep(object.name())).collect();
    Notification { name: keep(name), oid: keep_all(oid.to_vec()), objects: keep_all(objects) }
}

fn scalar(object: MibObject<'_>, oid: &[u32]) -> Scalar {
    Scalar {
        name: keep(object.name()),
        oid: keep_all(oid.to_vec()),
        syntax: syntax(object),
        access: access(object.access()),
        units: keep(object.units()),
    }
}

fn column(object: MibObject<'_>) -> Option<Column> {
    Some(Column {
        id: object.node()?.arc(),
        name: keep(object.name()),
        syntax: syntax(object),
        access: access(object.access()),
        units: keep(object.units()),
    })
}

fn index_part(index: MibIndex<'_>) -> IndexPart {
    let syntax = index.object().map_or(Syntax::INTEGER32, syntax);
    let is_oid = syntax.kind == ValueKind::ObjectIdentifier;
    let encoding = match index.encoding() {
        MibEncoding::FixedString => match index.fixed_size() {
            (length, true) => IndexEncoding::FixedOctets(length),
            _ => IndexEncoding::Octets,
        },
        MibEncoding::LengthPrefixed if is_oid => IndexEncoding::ObjectIdentifier,
        MibEncoding::LengthPrefixed => IndexEncoding::Octets,
        MibEncoding::Implied if is_oid => IndexEncoding::ImpliedObjectIdentifier,
        MibEncoding::Implied => IndexEncoding::ImpliedOctets,
        MibEncoding::IpAddress => IndexEncoding::IpAddress,
        MibEncoding::Integer | MibEncoding::Unknown => IndexEncoding::Integer,
    };
    IndexPart::new(keep(index.name()), encoding, syntax)
}

fn syntax(object: MibObject<'_>) -> Syntax {
    let base = object.ty().map_or(BaseType::Unknown, |ty| ty.effective_base());
    let mut syntax = base_syntax(base);
    let bounds = match syntax.kind {
        ValueKind::OctetString => object.effective_sizes(),
        _ => object.effective_ranges(),
    };
    if let (Some(least), Some(most)) = (
        bounds.iter().filter_map(|range| range.min.as_i64()).min(),
        bounds.iter().filter_map(|range| range.max.as_i64()).max(),
    ) {
        (syntax.min, syntax.max) = (least, most);
    }
    let named = if syntax.bits { object.effective_bits() } else { object.effective_enums() };
    let named = named.iter().filter_map(|entry| Some((i32::try_from(entry.value).ok()?, keep(&entry.label))));
    syntax.names = keep_all(named.collect());
    syntax.hint = keep(object.effective_display_hint());
    let convention = object.ty().and_then(|ty| ty.effective_tc()).map_or("", |tc| keep(tc.name()));
    if !convention.is_empty() {
        syntax.convention = convention;
    }
    syntax
}

fn base_syntax(base: BaseType) -> Syntax {
    match base {
        BaseType::Integer32 | BaseType::Integer64 => Syntax::INTEGER32,
        BaseType::Unsigned32 => Syntax::UNSIGNED32,
        BaseType::Gauge32 => Syntax::GAUGE32,
        BaseType::Counter32 => Syntax::COUNTER32,
        BaseType::Counter64 | BaseType::Unsigned64 => Syntax::COUNTER64,
        BaseType::TimeTicks => Syntax::TIME_TICKS,
        BaseType::IpAddress => Syntax::IP_ADDRESS,
        BaseType::ObjectIdentifier => Syntax::OBJECT_IDENTIFIER,
        BaseType::Bits => Syntax::bits(&[]),
        BaseType::Opaque => Syntax::OPAQUE,
        BaseType::OctetString | BaseType::Sequence | BaseType::Unknown => Syntax::OCTET_STRING,
    }
}

fn access(access: Access) -> MaxAccess {
    match access {
        Access::ReadOnly => MaxAccess::ReadOnly,
        Access::ReadWrite | Access::WriteOnly => MaxAccess::ReadWrite,
        Access::ReadCreate => MaxAccess::ReadCreate,
        Access::AccessibleForNotify => MaxAccess::AccessibleForNotify,
        _ => MaxAccess::NotAccessible,
    }
}

fn keep(text: &str) -> &'static str {
    if text.is_empty() { "" } else { Box::leak(text.to_owned().into_boxed_str()) }
}

fn keep_all<T>(items: Vec<T>) -> &'static [T] {
    if items.is_empty() { &[] } else { Box::leak(items.into_boxed_slice()) }
}

//! MIB texts from folders, through the crate `mib-rs`, into `smi`'s schema.
//!
//! Texts import from modules that a machine often lacks (Debian ships no IETF
//! modules); those that we have built in are given to the reader as text too.

use std::path::{Path, PathBuf};

use mib_rs::mib::{
    Index as MibIndex, Mib, Module as MibModule, Notification as MibNotification, Object as MibObject,
};
use mib_rs::types::{Access, BaseType, IndexEncoding as MibEncoding, Kind};
use mib_rs::{DiagnosticConfig, Loader, ResolverStrictness};
use trunkline_smi::schema::{
    Column, IndexEncoding, IndexPart, MaxAccess, Module, Node, Notification, Scalar, Syntax, Table,
};
use trunkline_smi::{ValueKind, module};

use crate::error::{LoadError, SkippedText};
use crate::folder::Texts;
use crate::render::render_all;

/// The result of reading: the modules for the catalog, and the reader's own model for descriptions.
pub(crate) struct Loaded {
    /// Those of the folders.
    pub modules: Vec<&'static Module>,
    /// Built-in ones that were wanted, or imported from.
    pub built_in: Vec<&'static Module>,
    pub mib: Mib,
    /// Files that are not read.
    pub skipped: Vec<SkippedText>,
}

/// Which modules of the folders to read; what they import is read too.
#[derive(Clone, Copy)]
pub(crate) enum Which<'w> {
    /// All of them.
    All,
    /// These, and it is a fault if one is missing.
    These(&'w [String]),
    /// Those of these that are there.
    AsFarAs(&'w [String]),
}

/// Reads modules of these folders. Folders that do not exist are skipped, and so are files that are not texts.
pub(crate) fn load(folders: &[PathBuf], which: Which<'_>) -> Result<Loaded, LoadError> {
    let mut loader = Loader::new()
        .resolver_strictness(ResolverStrictness::Permissive)
        .diagnostic_config(DiagnosticConfig::silent());
    let mut texts = Texts::of(&existing(folders))?;
    match which {
        Which::These(only) => {
            texts.too_deep_in(only).map_or(Ok(()), |skipped| Err(LoadError::Text(Box::new(skipped))))?
        }
        Which::All | Which::AsFarAs(_) => texts.leave_out_too_deep(),
    }
    let mut wanted: Vec<String> = texts.names().cloned().collect();
    loader = loader.source(texts.source());
    let built_in = render_all().into_iter().map(|(name, text)| (name, text.into_bytes()));
    loader = loader.source(mib_rs::source::memory_modules(built_in));
    if let Which::These(only) = which {
        let built_in = |name: &String| module::ALL.iter().any(|module| module.name == name.as_str());
        let missing: Vec<String> =
            only.iter().filter(|name| !wanted.contains(name) && !built_in(name)).cloned().collect();
        if !missing.is_empty() {
            return Err(LoadError::Missing { modules: missing, folders: existing(folders) });
        }
    }
    if let Which::These(only) | Which::AsFarAs(only) = which {
        wanted.extend(module::ALL.iter().map(|module| module.name.to_owned()));
        wanted.retain(|name| only.contains(name));
    }
    wanted.sort();
    wanted.dedup();
    let mib = loader.modules(wanted.clone()).load().map_err(|fault| LoadError::Texts(fault.to_string()))?;
    let from_folders = |found: &MibModule<'_>| {
        found
            .source_origin()
            .is_some_and(|origin| matches!(origin, mib_rs::source::SourceOrigin::File { .. }))
    };
    let mut modules: Vec<_> = mib.user_modules().filter(from_folders).map(convert).collect();
    // The later definition wins: SMIv1's modules, such as RFC1213-MIB, have what newer ones define anew.
    modules.sort_by_key(|module| !module.name.starts_with("RFC1"));
    let is_read =
        |module: &&&'static Module| mib.module(module.name).is_some_and(|found| !from_folders(&found));
    let built_in = module::ALL.iter().filter(is_read).copied().collect();
    Ok(Loaded { modules, built_in, mib, skipped: texts.skipped })
}

fn existing(folders: &[PathBuf]) -> Vec<PathBuf> {
    folders.iter().filter(|folder| Path::is_dir(folder)).cloned().collect()
}

/// A read module in the form of the built-in ones. It lives as long as the program, as they
/// do: texts are read once, and every name in the catalog points into it.
fn convert(found: MibModule<'_>) -> &'static Module {
    let mut nodes = Vec::new();
    let mut scalars = Vec::new();
    let mut tables: Vec<Table> = Vec::new();
    let mut notifications = Vec::new();
    for node in found.nodes() {
        if let Some(found) = node.notification() {
            notifications.push(notification(found, node.name(), node.oid()));
            continue;
        }
        match (node.kind(), node.object()) {
            (Kind::Scalar, Some(object)) if has_type(object) => scalars.push(scalar(object, node.oid())),
            (Kind::Table, Some(object)) if is_regular(object) => tables.push(table(object, node.oid())),
            (Kind::Row, Some(object)) if object.table().is_some_and(is_regular) => {}
            (Kind::Column, Some(object)) if object.table().is_some_and(is_regular) && has_type(object) => {}
            _ => nodes.push(Node { name: keep(node.name()), oid: keep_all(node.oid().to_vec()) }),
        }
    }
    Box::leak(Box::new(Module {
        name: keep(found.name()),
        reference: "MIB text",
        nodes: keep_all(nodes),
        scalars: keep_all(scalars),
        tables: keep_all(tables),
        notifications: keep_all(notifications),
    }))
}

/// Whether the type is known. If the module that defines it is missing, the object is a name
/// only, and does not displace a built-in definition.
fn has_type(object: MibObject<'_>) -> bool {
    object.ty().is_some_and(|ty| ty.effective_base() != BaseType::Unknown)
}

/// Whether the row is at `.1` of the table, as RFC 2578 section 7.10 requires.
fn is_regular(table: MibObject<'_>) -> bool {
    let row_at = table.row().and_then(|row| row.node()).map(|node| node.oid().to_vec());
    let table_at = table.node().map(|node| node.oid().to_vec());
    match (table_at, row_at) {
        (Some(table), Some(row)) => row.split_last() == Some((&1, &table[..])),
        _ => false,
    }
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

fn table(object: MibObject<'_>, oid: &[u32]) -> Table {
    let row = object.row();
    let index = row.map(|row| row.effective_indexes().map(index_part).collect()).unwrap_or_default();
    let mut columns: Vec<Column> =
        object.columns().filter(|column| has_type(*column)).filter_map(column).collect();
    columns.sort_by_key(|column| column.id);
    Table {
        name: keep(object.name()),
        entry: row.map_or("", |row| keep(row.name())),
        oid: keep_all(oid.to_vec()),
        index: keep_all(index),
        columns: keep_all(columns),
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

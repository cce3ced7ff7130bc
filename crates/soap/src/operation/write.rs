//! Encodes a request: the client's side.

use trunkline_smi::{ValueKind, ValueRef, index_refs};

use super::{Assignment, Operation, Request, RowRange, TableRequest};
use crate::catalog::{Catalog, Record, Target};
use crate::encoding::{self, Encoding, Form, escape};
use crate::envelope::{self, Version};
use crate::namespace;
use crate::number::write_oid;

impl Request {
    /// A request for this operation, with the name that goes with it. A set is the generic `Set`.
    pub fn new(catalog: &Catalog, version: Version, encoding: Encoding, operation: Operation) -> Self {
        let (name, module) = match &operation {
            Operation::Get { .. } => ("Get".to_owned(), None),
            Operation::GetNext { .. } => ("GetNext".to_owned(), None),
            Operation::Set(_) => ("Set".to_owned(), None),
            Operation::Table(TableRequest { verb, table, .. }) => {
                let target = Target::Table(*verb, *table);
                (catalog.tables()[*table].operation(*verb), Some(catalog.module_of(target).name))
            }
            Operation::Group(group) => {
                let module = catalog.module_of(Target::GetGroup(*group)).name;
                (catalog.groups()[*group].get_operation(), Some(module))
            }
        };
        let namespace = match (encoding, module) {
            (Encoding::AsInPaper, _) => namespace::PAPER.to_owned(),
            (Encoding::Lean, _) => namespace::LEAN.to_owned(),
            (Encoding::Typed, Some(module)) => namespace::of_module(module),
            (Encoding::Typed, None) => namespace::GENERIC.to_owned(),
        };
        Request { version, encoding, name, namespace, community: None, operation }
    }

    /// The value of SOAP 1.1's SOAPAction and of SOAP 1.2's action parameter, without quotes.
    pub fn action(&self) -> String {
        action(&self.namespace, &self.name)
    }
}

/// The SOAP action of an operation: its namespace, `#` and its name.
pub fn action(namespace: &str, operation: &str) -> String {
    format!("{namespace}#{operation}")
}

/// Appends a request.
pub fn write(catalog: &Catalog, request: &Request, into: &mut Vec<u8>) {
    let encoding = request.encoding;
    if encoding == Encoding::AsInPaper {
        encoding::begin_as_in_paper(into, request.version);
        into.extend_from_slice(format!("<utMon:{}>", request.name).as_bytes());
    } else {
        envelope::begin(into, request.version, "");
        into.extend_from_slice(format!("<{} xmlns=\"{}\">", request.name, request.namespace).as_bytes());
    }
    if let Some(community) = &request.community {
        leaf(into, encoding, "community", "string", |into| escape(into, community));
    }
    match &request.operation {
        Operation::Get { names, mark_missing } => {
            for name in names {
                leaf(into, encoding, "name", "string", |into| escape(into, &name.text));
            }
            if *mark_missing {
                leaf(into, encoding, "markMissing", "boolean", |into| into.extend_from_slice(b"true"));
            }
        }
        Operation::GetNext { names, count } => {
            for name in names {
                leaf(into, encoding, "name", "string", |into| escape(into, &name.text));
            }
            number(into, encoding, "count", *count);
        }
        Operation::Set(assignments) => {
            assignments.iter().for_each(|assignment| assign(into, encoding, assignment));
        }
        Operation::Table(table) => rows(into, encoding, &catalog.tables()[table.table].record, table),
        Operation::Group(_) => {}
    }
    let prefix = if encoding == Encoding::AsInPaper { "utMon:" } else { "" };
    into.extend_from_slice(format!("</{prefix}{}>", request.name).as_bytes());
    envelope::end(into);
}

fn rows(into: &mut Vec<u8>, encoding: Encoding, record: &Record, table: &TableRequest) {
    match &table.range {
        RowRange::All => {}
        RowRange::One(index) => key(into, encoding, record, index),
        RowRange::After { index, count } => {
            if !index.is_empty() {
                into.extend_from_slice(b"<after>");
                key(into, encoding, record, index);
                into.extend_from_slice(b"</after>");
            }
            number(into, encoding, "count", *count);
        }
    }
    for at in table.columns.iter().flatten() {
        if let Some(field) = record.fields.get(*at) {
            leaf(into, encoding, "column", "string", |into| into.extend_from_slice(field.name.as_bytes()));
        }
    }
    if table.columns.as_ref().is_some_and(Vec::is_empty)
        && let Some(part) = record.keys.first()
    {
        leaf(into, encoding, "column", "string", |into| into.extend_from_slice(part.name.as_bytes()));
    }
}

fn key(into: &mut Vec<u8>, encoding: Encoding, record: &Record, index: &[u32]) {
    let mut octets = Vec::new();
    for (part, value) in record.keys.iter().zip(index_refs(record.keys, index)) {
        let Some(value) = value.ok().and_then(|value| value.value(part, &mut octets)) else { continue };
        let form = Form::of(&part.syntax);
        leaf(into, encoding, part.name, encoding::paper_type(form), |into| {
            encoding::write_value(into, encoding, form, value);
        });
    }
}

fn assign(into: &mut Vec<u8>, encoding: Encoding, assignment: &Assignment) {
    into.extend_from_slice(b"<object>");
    leaf(into, encoding, "name", "string", |into| write_oid(into, &assignment.name.oid, b'.'));
    let value = assignment.value.as_value_ref();
    let form = match value.kind() {
        ValueKind::OctetString | ValueKind::Opaque => Form::Hex,
        _ => Form::Text, // of no other value does the form matter
    };
    let kind = match value {
        ValueRef::Integer(_) => "int",
        ValueRef::Counter32(_) | ValueRef::Unsigned32(_) | ValueRef::TimeTicks(_) => "unsignedInt",
        ValueRef::Counter64(_) => "unsignedLong",
        _ => "string",
    };
    leaf(into, encoding, encoding::element(value.kind(), form), kind, |into| {
        encoding::write_value(into, encoding, form, value);
    });
    into.extend_from_slice(b"</object>");
}

fn number(into: &mut Vec<u8>, encoding: Encoding, name: &str, value: usize) {
    leaf(into, encoding, name, "unsignedInt", |into| crate::number::write_u64(into, value as u64));
}

fn leaf(into: &mut Vec<u8>, encoding: Encoding, name: &str, kind: &str, content: impl FnOnce(&mut Vec<u8>)) {
    into.push(b'<');
    into.extend_from_slice(name.as_bytes());
    if encoding == Encoding::AsInPaper {
        into.extend_from_slice(format!(" xsi:type=\"xsd:{kind}\"").as_bytes());
    }
    into.push(b'>');
    content(into);
    into.extend_from_slice(b"</");
    into.extend_from_slice(name.as_bytes());
    into.push(b'>');
}

//! The parameters and results of RPC calls, with their types, for `as-in-paper`.

use crate::catalog::{Record, ServedGroup, ServedTable, TableVerb};
use crate::encoding::{Form, paper_type};

type Part = (&'static str, String);

/// The parts of a call and of its answer.
pub(super) struct Rpc {
    pub input: Vec<Part>,
    pub output: Vec<Part>,
}

fn community() -> Vec<Part> {
    vec![text("community")]
}

fn text(name: &'static str) -> Part {
    (name, "xs:string".into())
}

fn typed(name: &'static str, syntax: &trunkline_smi::schema::Syntax) -> Part {
    (name, format!("xs:{}", paper_type(Form::of(syntax))))
}

pub(super) fn generic(name: &str) -> Rpc {
    let mut input = community();
    let output = match name {
        "Set" => {
            input.push(("object", "tns:Assignment".into()));
            Vec::new()
        }
        _ => {
            input.push(text("name"));
            vec![("object", "xs:anyType".to_owned())]
        }
    };
    Rpc { input, output }
}

pub(super) fn of_table(table: &ServedTable, verb: TableVerb) -> Rpc {
    let mut input = community();
    let record = &table.record;
    match verb {
        TableVerb::Whole => {}
        TableVerb::Column => input.push(text("column")),
        TableVerb::Row => keys(&mut input, record),
        TableVerb::NextRows => {
            input.push(("after", format!("tns:{}Key", record.element)));
            input.push(("count", "xs:unsignedInt".into()));
        }
        TableVerb::SetRow => {
            keys(&mut input, record);
            writable(&mut input, record);
        }
    }
    let output = match verb {
        TableVerb::SetRow => Vec::new(),
        _ => vec![(record.element, format!("tns:{}", record.element))],
    };
    Rpc { input, output }
}

pub(super) fn get_group(group: &ServedGroup) -> Rpc {
    Rpc { input: community(), output: vec![(group.name, format!("tns:{}", group.name))] }
}

pub(super) fn set_group(group: &ServedGroup) -> Rpc {
    let mut input = community();
    writable(&mut input, &group.record);
    Rpc { input, output: Vec::new() }
}

fn keys(into: &mut Vec<Part>, record: &Record) {
    into.extend(record.keys.iter().map(|part| typed(part.name, &part.syntax)));
}

fn writable(into: &mut Vec<Part>, record: &Record) {
    let writable = record.fields.iter().filter(|field| field.is_writable);
    into.extend(writable.map(|field| typed(field.name, &field.syntax)));
}

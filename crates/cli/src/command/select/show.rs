//! What was selected, drawn or as JSON, and how.

use std::io::Write;

use serde_json::{Map, Value as Json, json};
use trunkline_mib::{Names, Style};
use trunkline_smi::{Oid, Value, display_oid, visible};
use trunkline_snmp::wire::{Bound, VarBind};
use trunkline_soap::answer::Row;
use trunkline_soap::expression::message::{Explained, ExplainedPart, ServiceData, TableData};
use trunkline_soap::expression::{Object, object};

use super::{Outcome, saved};
use crate::arguments::SelectArgs;
use crate::command::table::{cells_of_key, width};
use crate::connect::{Connection, say};
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::draw::Drawing;
use trunkline_show::record::{HEADER, Record};

/// Shows it.
pub fn show<W: Write>(
    arguments: &SelectArgs,
    outcome: &Outcome,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let names = connection.names;
    let services = &outcome.answer.services;
    match printer.form() {
        Form::Text => {
            for (position, service) in services.iter().enumerate() {
                let gap = if position > 0 { "\n" } else { "" };
                printer.text(&format!("{gap}{}", drawn(service, names, width(arguments.width))))?;
            }
            if let Some(explained) = &outcome.answer.explained {
                let gap = if services.is_empty() { "" } else { "\n" };
                printer.text(&format!("{gap}{}", explanation(explained, outcome)))?;
            }
        }
        Form::Csv => {
            for record in services.iter().flat_map(|service| records(service, names)) {
                printer.row(&HEADER, &record.cells())?;
            }
        }
        Form::Json | Form::JsonLines => printer.object(&document(outcome, names))?,
    }
    if services.is_empty() {
        say("nothing is selected");
    }
    Ok(())
}

/// The instance of a cell: the table's own column, or one of another table that describes this row.
fn record(names: &Names, table: &TableData, at: usize, row: &Row, value: Value) -> Record {
    let field = &table.fields[at];
    let name = table.instance(row, field).or_else(|| match object(field.name) {
        // Its own instance is not known here: the row's index follows its name.
        Some(Object::Column(of, column)) => Some(Oid::EMPTY.child(of.oid).child(&[1, column.id])),
        _ => None,
    });
    let name = name.unwrap_or_default();
    Record::new(names, &Style::default(), &VarBind { name, value: Bound::Value(value) })
}

fn scalar(names: &Names, oid: &[u32], value: &Value) -> Record {
    let name = Oid::EMPTY.child(oid).child(&[0]);
    Record::new(names, &Style::default(), &VarBind { name, value: Bound::Value(value.clone()) })
}

fn records(service: &ServiceData, names: &Names) -> Vec<Record> {
    let scalars = service.scalars.iter().map(|(known, value)| scalar(names, known.oid, value));
    let rows = service.tables.iter().flat_map(|table| {
        let row = move |row: &Row| {
            let cells = row.cells.iter().cloned().enumerate();
            cells.filter_map(|(at, value)| Some(record(names, table, at, row, value?))).collect::<Vec<_>>()
        };
        table.rows.iter().flat_map(row)
    });
    scalars.chain(rows).collect()
}

fn drawn(service: &ServiceData, names: &Names, width: Option<usize>) -> String {
    let name = if service.name.is_empty() { String::new() } else { format!(" ({})", visible(&service.name)) };
    let mut text = format!("{}{name}, level {}\n", visible(&service.tag), service.level);
    for (known, value) in &service.scalars {
        let record = scalar(names, known.oid, value);
        let units = record.units.map_or(String::new(), |units| format!(" {units}"));
        text.push_str(&format!("{} = {}{units}\n", known.name, visible(&record.text)));
    }
    for table in &service.tables {
        text.push_str(&drawing(table, names).draw(width));
    }
    text
}

fn drawing(table: &TableData, names: &Names) -> Drawing {
    let keys = table.table.index.len().max(1);
    let index = table.table.index.iter().map(|part| part.name.to_owned());
    let header: Vec<String> = index.chain(table.fields.iter().map(|field| field.name.to_owned())).collect();
    let row = |row: &Row| -> Vec<String> {
        let cell = |(at, value): (usize, &Option<Value>)| match value {
            Some(value) => record(names, table, at, row, value.clone()).text,
            None => "-".to_owned(),
        };
        let key = key(table, row, names);
        key.into_iter().chain(row.cells.iter().enumerate().map(cell)).collect()
    };
    let rows: Vec<Vec<String>> = table.rows.iter().map(row).collect();
    let is_number = |text: &String| text == "-" || text.parse::<f64>().is_ok();
    let numeric =
        (0..header.len()).map(|at| rows.iter().filter_map(|row| row.get(at)).all(is_number)).collect();
    Drawing { header, keys, rows, numeric }
}

fn key(table: &TableData, row: &Row, names: &Names) -> Vec<String> {
    let column = table.table.columns.first().map_or(1, |column| column.id);
    let instance = Oid::EMPTY.child(table.table.oid).child(&[1, column]).child(&row.index);
    cells_of_key(names, &instance, table.table.index.len(), &row.index)
}

/// What was selected at each step.
fn explanation(explained: &Explained, outcome: &Outcome) -> String {
    let list = |tags: &[String]| match tags {
        [] => "none".to_owned(),
        tags => visible(&tags.join(", ")).into_owned(),
    };
    let mut text = format!("searched from {}: {}\n", visible(&explained.start), list(&explained.searched));
    text.push_str(&format!("reached by the pattern: {}\n", list(&explained.reached)));
    text.push_str(&format!("selected at these levels: {}\n", list(&explained.selected)));
    if let Some(holds) = explained.gate {
        let words = if holds { "holds" } else { "does not hold: nothing is selected" };
        text.push_str(&format!("the condition on single-instance data {words}\n"));
    }
    for part in &explained.parts {
        text.push_str(&part_words(part));
    }
    for (service, table) in &explained.left_out {
        let (service, table) = (visible(service), visible(table));
        text.push_str(&format!(
            "{service}, {table}: left out, since the filter compares none of its columns\n"
        ));
    }
    let (octets, whole, saved) = (explained.octets, explained.whole, saved(explained));
    let percent = (saved * 100).checked_div(whole).unwrap_or(0);
    text.push_str(&if outcome.by_agent {
        format!(
            "selected by the agent: its answer has {octets} octets, without the filter {}, all data of these services {whole}; \
             saved {saved} ({percent} %); {} octets were transferred, including requests and compression\n",
            explained.unfiltered, outcome.transferred
        )
    } else {
        format!(
            "selected here: {octets} octets were transferred, including requests; all data of these services would be about {whole}; \
             saved {saved} ({percent} %)\n"
        )
    });
    text
}

fn part_words(part: &ExplainedPart) -> String {
    let ExplainedPart { rows, kept, columns, of, .. } = part;
    let (service, table) = (visible(&part.service), visible(&part.table));
    if table.is_empty() {
        return format!("{service}: {kept} of {of} scalars\n");
    }
    format!("{service}, {table}: {kept} of {rows} rows, {columns} of {of} columns\n")
}

fn document(outcome: &Outcome, names: &Names) -> Json {
    let services: Vec<Json> =
        outcome.answer.services.iter().map(|service| service_json(service, names)).collect();
    let mut document =
        json!({ "services": services, "selected_by": if outcome.by_agent { "agent" } else { "manager" } });
    document["octets_transferred"] = outcome.transferred.into();
    if let Some(explained) = &outcome.answer.explained {
        let part = |part: &ExplainedPart| {
            json!({
                "service": part.service, "table": (!part.table.is_empty()).then_some(&part.table),
                "rows": part.rows, "kept": part.kept, "columns": part.columns, "of": part.of,
            })
        };
        let left_out = |(service, table): &(String, String)| json!({ "service": service, "table": table });
        document["explain"] = json!({
            "start": explained.start,
            "searched": explained.searched,
            "reached": explained.reached,
            "selected": explained.selected,
            "condition_holds": explained.gate,
            "parts": explained.parts.iter().map(part).collect::<Vec<_>>(),
            "left_out": explained.left_out.iter().map(left_out).collect::<Vec<_>>(),
            "octets": explained.octets,
            "octets_unfiltered": explained.unfiltered,
            "octets_whole": explained.whole,
            "octets_saved": saved(explained),
        });
    }
    document
}

fn service_json(service: &ServiceData, names: &Names) -> Json {
    let as_json = |record: &Record| serde_json::to_value(record).unwrap_or_default();
    let mut scalars = Map::new();
    for (known, value) in &service.scalars {
        scalars.insert(known.name.to_owned(), as_json(&scalar(names, known.oid, value)));
    }
    let table = |table: &TableData| {
        let row = |row: &Row| {
            let mut columns = Map::new();
            for (at, value) in row.cells.iter().enumerate() {
                if let Some(value) = value {
                    let record = record(names, table, at, row, value.clone());
                    columns.insert(table.fields[at].name.to_owned(), as_json(&record));
                }
            }
            let parts = table.table.index.iter().map(|part| part.name.to_owned());
            let index: Map<String, Json> =
                parts.zip(key(table, row, names).into_iter().map(Json::from)).collect();
            json!({ "instance": display_oid(&row.index).to_string(), "index": index, "columns": columns })
        };
        json!({ "table": table.table.name, "rows": table.rows.iter().map(row).collect::<Vec<_>>() })
    };
    let tables: Vec<Json> = service.tables.iter().map(table).collect();
    let name = (!service.name.is_empty()).then_some(&service.name);
    json!({ "tag": service.tag, "name": name, "level": service.level, "scalars": scalars, "tables": tables })
}

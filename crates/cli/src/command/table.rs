//! `trunkline table`: a table's rows with readable keys, drawn for the terminal.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use trunkline_client::{Gathered, Table as Fetched, TableLimit, WalkOptions};
use trunkline_mib::{Names, Object, ObjectKind, Style};
use trunkline_smi::schema::{Column, Table as Schema};
use trunkline_smi::{Oid, display_oid};
use trunkline_snmp::wire::{Bound, VarBind};

use crate::arguments::TableArgs;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::{Form, Printer};
use trunkline_show::draw::Drawing;
use trunkline_show::record::{Record, label};

/// Runs the command.
pub async fn run<W: Write>(
    arguments: &TableArgs,
    given: &[String],
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let mut asked = connection.objects(given)?;
    let mut wanted = arguments.columns.clone();
    if let Some((table, columns)) =
        columns_of_one_table(&asked, connection.names).filter(|_| wanted.is_empty())
    {
        (asked, wanted) = (vec![table], columns);
    }
    if asked.len() > 1 && printer.form() == Form::Csv {
        return Err(Error::Usage("CSV output holds one table: request only one".to_owned()));
    }
    let limit = arguments.limit();
    for (position, oid) in asked.iter().enumerate() {
        // The rows of all agents have the same columns in CSV.
        let keeps_all = printer.form() == Form::Csv && connection.is_of_many();
        let rows = fetch(oid, &wanted, keeps_all, limit, connection).await;
        connection.show_octets(printer)?;
        let rows = rows?;
        if rows.cells.is_empty() {
            printer.count_missing();
            connection.note(&format!("{} has no rows", rows.name));
        }
        match printer.form() {
            Form::Text => {
                let gap = if position > 0 { "\n" } else { "" };
                printer.block(&format!("{gap}{}", rows.drawn(width(arguments.width))))?;
            }
            Form::Csv => {
                let drawing = rows.drawing();
                drawing.rows.iter().try_for_each(|row| printer.row(&drawing.header, row))?;
            }
            Form::Json | Form::JsonLines => printer.object(&rows.document())?,
        }
    }
    Ok(printer.finish()?)
}

/// If all requested objects are columns of one table: the table and their names.
fn columns_of_one_table(asked: &[Oid], names: &Names) -> Option<(Oid, Vec<String>)> {
    let column = |oid: &Oid| {
        let description = names.describe(oid);
        let object = description.object.filter(|object| object.kind == ObjectKind::Column)?;
        (description.named == oid.len()).then_some((object.table?, description.name.to_owned()))
    };
    let columns: Vec<(&Schema, String)> = asked.iter().map(column).collect::<Option<_>>()?;
    let (table, _) = columns.first()?;
    let oid = Oid::EMPTY.child(table.oid);
    let is_one = columns.iter().all(|(other, _)| other.oid == table.oid);
    is_one.then(|| (oid, columns.into_iter().map(|(_, name)| name).collect()))
}

/// The width of the drawing: as requested, or the terminal's.
pub fn width(asked: Option<u16>) -> Option<usize> {
    let variable = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || comfy_table::Table::new().width().map(usize::from);
    match asked {
        Some(width) => Some(usize::from(width)),
        None if io::stdout().is_terminal() => variable().or_else(terminal),
        None => None,
    }
}

/// A table's rows, ready to be written.
struct Rows {
    oid: Oid,
    name: String,
    index: Vec<&'static str>,
    columns: Vec<ColumnOf>,
    cells: Vec<Row>,
}

struct ColumnOf {
    name: String,
    /// Whether its values may name a row.
    is_text: bool,
}

struct Row {
    /// The index in numbers.
    instance: String,
    /// The index objects' values.
    key: Vec<String>,
    /// A record for each column, where the agent has a value.
    records: Vec<Option<Record>>,
}

async fn fetch(
    oid: &Oid,
    wanted: &[String],
    keeps_all: bool,
    limit: TableLimit,
    connection: &Connection<'_>,
) -> Result<Rows, Error> {
    let description = connection.names.describe(oid);
    match description.object {
        Some(Object { kind: ObjectKind::Scalar, .. }) => {
            let name = label(connection.names, oid);
            let words =
                format!("{name} is a scalar, not a table: `trunkline get` reads {}.0", description.name);
            Err(Error::Usage(words))
        }
        Some(Object { table: Some(schema), .. }) => {
            fetch_known(schema, wanted, keeps_all, limit, connection).await
        }
        _ if wanted.is_empty() => fetch_unknown(oid, limit, connection).await,
        _ => Err(Error::Usage(format!(
            "{} is not a table that a module defines: its columns have no names",
            label(connection.names, oid)
        ))),
    }
}

async fn fetch_known(
    schema: &'static Schema,
    wanted: &[String],
    keeps_all: bool,
    limit: TableLimit,
    connection: &Connection<'_>,
) -> Result<Rows, Error> {
    let table_oid = Oid::EMPTY.child(schema.oid);
    let columns = columns(schema, wanted)?;
    let ids: Vec<u32> = columns.iter().map(|column| column.id).collect();
    let fetched = connection.agent.table(schema, &ids, limit).await;
    let fetched = fetched.map_err(|fault| connection.failed(&fault))?;
    // A column without a single value is one that the agent does not have.
    let has_values = |column: usize| keeps_all || fetched.rows.values().any(|row| row[column].is_some());
    let kept: Vec<usize> = (0..columns.len()).filter(|column| has_values(*column)).collect();
    let is_text = |column: &Column| matches!(column.syntax.convention, "DisplayString" | "SnmpAdminString");
    Ok(Rows {
        name: label(connection.names, &table_oid),
        oid: table_oid,
        index: schema.index.iter().map(|part| part.name).collect(),
        columns: kept
            .iter()
            .map(|column| ColumnOf {
                name: columns[*column].name.to_owned(),
                is_text: is_text(columns[*column]),
            })
            .collect(),
        cells: rows(&fetched, &kept, connection.names, schema.index.len()),
    })
}

/// The readable columns, or the wanted ones in their order.
fn columns(schema: &'static Schema, wanted: &[String]) -> Result<Vec<&'static Column>, Error> {
    if wanted.is_empty() {
        return Ok(schema.columns.iter().filter(|column| column.access.is_readable()).collect());
    }
    let find = |name: &String| {
        let found = schema.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| {
            let all: Vec<&str> = schema.columns.iter().map(|column| column.name).collect();
            Error::Usage(format!("{} has no column {name}; it has {}", schema.name, all.join(" ")))
        })
    };
    wanted.iter().map(find).collect()
}

fn rows(fetched: &Fetched, kept: &[usize], names: &Names, parts: usize) -> Vec<Row> {
    let row = |(index, cells): (&Vec<u32>, &Vec<Option<Bound>>)| {
        let record = |column: &usize| {
            let value = cells[*column].clone()?;
            let name = fetched.columns[*column].child(index);
            Some(Record::new(names, &Style::default(), &VarBind { name, value }))
        };
        let any_column = fetched.columns.first().cloned().unwrap_or_default();
        Row {
            instance: display_oid(index).to_string(),
            key: cells_of_key(names, &any_column.child(index), parts, index),
            records: kept.iter().map(record).collect(),
        }
    };
    fetched.rows.iter().map(row).collect()
}

/// The values of the index objects; sub-identifiers that do not fit them follow the last one as numbers.
pub fn cells_of_key(names: &Names, instance: &Oid, parts: usize, index: &[u32]) -> Vec<String> {
    let mut fields: Vec<String> = names.index(instance).into_iter().map(|field| field.text).collect();
    if fields.is_empty() {
        fields.push(display_oid(index).to_string());
    }
    let parts = parts.max(1);
    if fields.len() > parts {
        let rest = fields.split_off(parts - 1).join(".");
        fields.push(rest);
    }
    fields.resize(parts, String::new());
    fields
}

/// A table that no module defines: its columns are those that are found.
async fn fetch_unknown(oid: &Oid, limit: TableLimit, connection: &Connection<'_>) -> Result<Rows, Error> {
    let options = WalkOptions::default().with_get_root_if_empty(false);
    let mut walk = connection.agent.walk(oid.clone(), options);
    let (mut found, mut gathered) = (Vec::new(), Gathered::within(limit));
    while let Some(binding) = walk.next().await {
        let binding: VarBind = binding.map_err(|fault| connection.failed(&fault))?;
        // How many of them make a row is not known yet; there are at least as many.
        let kept = gathered.add(0, &binding.name, &binding.value);
        kept.map_err(|fault| connection.failed(&fault))?;
        found.push(binding);
    }
    let entry = oid.child(&[1]);
    let split = |binding: &VarBind| {
        binding.name.strip_prefix(&*entry).and_then(|rest| rest.split_first().map(|(c, i)| (*c, i.to_vec())))
    };
    let numbers: BTreeSet<u32> = found.iter().filter_map(split).map(|(column, _)| column).collect();
    let numbers: Vec<u32> = numbers.into_iter().collect();
    let mut fetched = Fetched {
        columns: numbers.iter().map(|number| entry.child(&[*number])).collect(),
        ..Fetched::default()
    };
    for binding in &found {
        let Some((column, index)) = split(binding) else { continue };
        let row = fetched.rows.entry(index).or_insert_with(|| vec![None; numbers.len()]);
        if let Ok(at) = numbers.binary_search(&column) {
            row[at] = Some(binding.value.clone());
        }
    }
    if fetched.rows.len() > limit.rows {
        return Err(connection.failed(&gathered.too_long(fetched.rows.len())));
    }
    let kept: Vec<usize> = (0..numbers.len()).collect();
    Ok(Rows {
        oid: oid.clone(),
        name: label(connection.names, oid),
        index: vec!["index"],
        columns: numbers.iter().map(|number| ColumnOf { name: number.to_string(), is_text: false }).collect(),
        cells: rows(&fetched, &kept, connection.names, 1),
    })
}

impl Rows {
    /// Drawn for a width. If it takes several blocks, a column that names each row is repeated with the index; an
    /// index that takes more than half of the width is put into one column.
    fn drawn(&self, width: Option<usize>) -> String {
        let whole = self.drawing();
        let Some(width) = width.filter(|width| !whole.fits(*width)) else { return whole.draw(width) };
        let named = self.drawing_with_names();
        if named.keys_width() * 2 <= width {
            return named.draw(Some(width));
        }
        let drawn = with_short_key(whole, self.index.len()).draw(Some(width));
        format!("{}\n\n{drawn}", wrapped("row:", &self.index, width))
    }

    /// The columns that the index does not show already.
    fn shown(&self) -> Vec<usize> {
        let is_index = |column: &usize| self.index.contains(&self.columns[*column].name.as_str());
        (0..self.columns.len()).filter(|column| !is_index(column)).collect()
    }

    fn drawing(&self) -> Drawing {
        self.drawing_of(&self.shown(), self.index.len())
    }

    fn drawing_with_names(&self) -> Drawing {
        let mut shown = self.shown();
        let naming = shown.iter().position(|column| self.names_rows(*column));
        if let Some(at) = naming {
            let column = shown.remove(at);
            shown.insert(0, column);
        }
        self.drawing_of(&shown, self.index.len() + usize::from(naming.is_some()))
    }

    /// Whether the column has another text in each row, none long.
    fn names_rows(&self, column: usize) -> bool {
        let texts: Vec<&str> = self
            .cells
            .iter()
            .filter_map(|row| row.records[column].as_ref())
            .map(|record| record.text.as_str())
            .collect();
        let different: BTreeSet<&str> = texts.iter().copied().collect();
        let short = |text: &&str| (1..=20).contains(&text.chars().count());
        self.columns[column].is_text
            && different.len() == self.cells.len()
            && texts.len() == self.cells.len()
            && texts.iter().all(short)
    }

    fn drawing_of(&self, shown: &[usize], keys: usize) -> Drawing {
        let names = shown.iter().map(|column| self.columns[*column].name.clone());
        let header: Vec<String> = self.index.iter().map(|name| (*name).to_owned()).chain(names).collect();
        let cell = |record: &Option<Record>| record.as_ref().map_or_else(|| "-".to_owned(), cell_text);
        let row = |row: &Row| -> Vec<String> {
            row.key.iter().cloned().chain(shown.iter().map(|column| cell(&row.records[*column]))).collect()
        };
        let rows: Vec<Vec<String>> = self.cells.iter().map(row).collect();
        let is_number = |text: &str| text == "-" || text.parse::<f64>().is_ok();
        let numeric =
            (0..header.len()).map(|column| rows.iter().all(|row| is_number(&row[column]))).collect();
        Drawing { header, keys, rows, numeric }
    }

    fn document(&self) -> Document<'_> {
        let row = |row: &'_ Row| JsonRow {
            instance: row.instance.clone(),
            index: self
                .index
                .iter()
                .zip(&row.key)
                .map(|(name, text)| ((*name).to_owned(), text.clone().into()))
                .collect(),
            columns: self
                .columns
                .iter()
                .zip(&row.records)
                .filter_map(|(column, record)| {
                    Some((column.name.clone(), serde_json::to_value(record.as_ref()?).ok()?))
                })
                .collect(),
        };
        Document { oid: self.oid.to_string(), name: &self.name, rows: self.cells.iter().map(row).collect() }
    }
}

/// Object identifiers without their module, which would fill the table.
fn cell_text(record: &Record) -> String {
    let text = match record.kind {
        "OBJECT IDENTIFIER" => record.text.split_once("::").map_or(record.text.as_str(), |(_, name)| name),
        _ => &record.text,
    };
    text.to_owned()
}

/// Words in lines of a width.
fn wrapped(first: &str, words: &[&str], width: usize) -> String {
    let mut text = first.to_owned();
    let mut used = first.len();
    for word in words {
        let breaks = used + 1 + word.len() > width;
        text.push(if breaks { '\n' } else { ' ' });
        used = if breaks { word.len() } else { used + 1 + word.len() };
        text.push_str(word);
    }
    text
}

/// The same with all parts of the index in one column.
fn with_short_key(mut drawing: Drawing, parts: usize) -> Drawing {
    drawing.header.splice(..parts, ["row".to_owned()]);
    drawing.numeric.splice(..parts, [false]);
    for row in &mut drawing.rows {
        let key: Vec<String> =
            row.drain(..parts).map(|part| if part.is_empty() { "-".to_owned() } else { part }).collect();
        row.insert(0, key.join(" "));
    }
    drawing.keys = 1;
    drawing
}

/// `docs/json.md` describes the fields.
#[derive(Serialize)]
struct Document<'r> {
    oid: String,
    name: &'r str,
    rows: Vec<JsonRow>,
}

#[derive(Serialize)]
struct JsonRow {
    instance: String,
    index: serde_json::Map<String, serde_json::Value>,
    columns: serde_json::Map<String, serde_json::Value>,
}

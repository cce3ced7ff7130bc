//! The answer, read by a client.

use trunkline_smi::schema::{Scalar, Table};
use trunkline_smi::{Oid, Value};
use trunkline_xml::{Limits, Reader, XmlError};

use super::answer::field;
use super::{Explained, ExplainedPart};
use crate::answer::{AnswerError, Row, open, rows};
use crate::catalog::{Field, Record};
use crate::encoding::Encoding;
use crate::expression::{Object, object};

/// The contents of an answer.
#[derive(Clone, Debug, Default)]
pub struct SelectAnswer {
    /// The services of which something is there.
    pub services: Vec<ServiceData>,
    /// The explanation, if it was requested.
    pub explained: Option<Explained>,
}

/// Data of a service.
#[derive(Clone, Debug, Default)]
pub struct ServiceData {
    /// The tag.
    pub tag: String,
    /// Another name, or empty.
    pub name: String,
    /// The level.
    pub level: u32,
    /// Single-instance data.
    pub scalars: Vec<(&'static Scalar, Value)>,
    /// Rows of tables.
    pub tables: Vec<TableData>,
}

/// Rows of a table.
#[derive(Clone, Debug)]
pub struct TableData {
    /// The table.
    pub table: &'static Table,
    /// The columns, those in the index left out.
    pub fields: Vec<Field>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Reads an answer.
pub fn read_answer(octets: &[u8], limits: Limits, encoding: Encoding) -> Result<SelectAnswer, AnswerError> {
    let mut reader = Reader::new(octets, limits);
    let mut answer = SelectAnswer::default();
    if open(&mut reader, encoding)?.is_none() {
        return Ok(answer);
    }
    while let Some(name) = reader.child()? {
        match name.local {
            "service" => answer.services.push(service(&mut reader, encoding)?),
            "explanation" => answer.explained = Some(explained(&mut reader)?),
            _ => reader.skip()?,
        }
    }
    Ok(answer)
}

fn service(reader: &mut Reader<'_>, encoding: Encoding) -> Result<ServiceData, XmlError> {
    let mut data = ServiceData {
        tag: reader.require("tag")?.into_owned(),
        name: reader.attribute("", "name").unwrap_or_default().into_owned(),
        level: number(reader, "level")? as u32,
        ..ServiceData::default()
    };
    while let Some(name) = reader.child()? {
        match name.local {
            "scalars" => data.scalars.extend(scalars(reader, encoding)?),
            "rows" => data.tables.push(table(reader, encoding)?),
            _ => reader.skip()?,
        }
    }
    Ok(data)
}

fn scalars(reader: &mut Reader<'_>, encoding: Encoding) -> Result<Vec<(&'static Scalar, Value)>, XmlError> {
    let mut known = Vec::new();
    let names = reader.require("names")?.into_owned();
    for name in names.split_ascii_whitespace() {
        match object(name) {
            Some(Object::Scalar(scalar)) => known.push(scalar),
            _ => return Err(reader.invalid("known scalars", name)),
        }
    }
    let fields = known.iter().map(|scalar| field(scalar.name, scalar.syntax, 0, scalar.units)).collect();
    let record = Record { element: "scalars", keys: &[], fields };
    let cells = rows(reader, encoding, &record)?.into_iter().next().map(|row| row.cells).unwrap_or_default();
    Ok(known.into_iter().zip(cells).filter_map(|(scalar, value)| Some((scalar, value?))).collect())
}

fn table(reader: &mut Reader<'_>, encoding: Encoding) -> Result<TableData, XmlError> {
    let name = reader.require("table")?.into_owned();
    let Some(Object::Table(table)) = object(&name) else {
        return Err(reader.invalid("a known table", &name));
    };
    let columns = reader.require("columns")?.into_owned();
    let mut fields = Vec::new();
    for name in columns.split_ascii_whitespace() {
        match object(name) {
            Some(Object::Column(of, column)) => {
                // The number of columns of other tables is unknown here.
                let id = if std::ptr::eq(of, table) { column.id } else { 0 };
                fields.push(field(column.name, column.syntax, id, column.units));
            }
            _ => return Err(reader.invalid("known columns", name)),
        }
    }
    let record = Record { element: table.entry, keys: table.index, fields };
    let rows = rows(reader, encoding, &record)?;
    Ok(TableData { table, fields: record.fields, rows })
}

fn explained(reader: &mut Reader<'_>) -> Result<Explained, XmlError> {
    let mut explained = Explained { start: reader.require("start")?.into_owned(), ..Explained::default() };
    if let Some(gate) = reader.attribute("", "conditionHolds") {
        explained.gate = Some(reader.boolean(&gate)?);
    }
    while let Some(name) = reader.child()? {
        match name.local {
            "searched" => explained.searched = tags(reader)?,
            "reached" => explained.reached = tags(reader)?,
            "selected" => explained.selected = tags(reader)?,
            "part" => {
                explained.parts.push(ExplainedPart {
                    service: reader.require("service")?.into_owned(),
                    table: reader.attribute("", "table").unwrap_or_default().into_owned(),
                    rows: number(reader, "rows")?,
                    kept: number(reader, "kept")?,
                    columns: number(reader, "columns")?,
                    of: number(reader, "of")?,
                });
                reader.end()?;
            }
            "leftOut" => {
                let service = reader.require("service")?.into_owned();
                explained.left_out.push((service, reader.require("table")?.into_owned()));
                reader.end()?;
            }
            "octets" => {
                explained.octets = number(reader, "answer")?;
                explained.unfiltered = number(reader, "unfiltered")?;
                explained.whole = number(reader, "whole")?;
                reader.end()?;
            }
            _ => reader.skip()?,
        }
    }
    Ok(explained)
}

fn tags(reader: &mut Reader<'_>) -> Result<Vec<String>, XmlError> {
    let mut tags = Vec::new();
    while reader.child()?.is_some() {
        tags.push(reader.leaf()?.into_owned());
    }
    Ok(tags)
}

fn number(reader: &Reader<'_>, attribute: &str) -> Result<u64, XmlError> {
    let text = reader.require(attribute)?;
    text.trim().parse().map_err(|_| reader.invalid("a number", &text))
}

impl TableData {
    /// The name of a row's cell as an instance, where the column is the table's own.
    pub fn instance(&self, row: &Row, field: &Field) -> Option<Oid> {
        (field.id != 0).then(|| Oid::EMPTY.child(self.table.oid).child(&[1, field.id]).child(&row.index))
    }
}

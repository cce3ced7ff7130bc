//! The requests of web services: a number of objects of ifTable in an encoding, at a granularity.

use std::fmt;
use std::sync::OnceLock;

use trunkline_smi::Oid;
use trunkline_soap::answer;
use trunkline_soap::catalog::{Catalog, Record, TableVerb};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{self, Operation, Request, RequestLimits, RowRange, TableRequest};

use trunkline_labkit::subject::COMMUNITY;

use super::super::fetch::{Answer, PAPERS_COLUMNS, Pipe, Service};

/// An encoding of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Form(pub Encoding);

impl Form {
    pub(in super::super) const AS_IN_PAPER: Form = Form(Encoding::AsInPaper);
    pub(in super::super) const TYPED: Form = Form(Encoding::Typed);
    pub(in super::super) const LEAN: Form = Form(Encoding::Lean);
    pub(in super::super) const ALL: [Form; 3] = [Form::AS_IN_PAPER, Form::TYPED, Form::LEAN];
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name())
    }
}

/// The units in which a table is fetched: the paper's four prototypes, and many single objects in one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Grain {
    /// An interaction per object.
    Object,
    /// All objects, each by name, in one interaction.
    Objects,
    /// An interaction per row.
    Row,
    /// An interaction per column.
    Column,
    /// One interaction.
    Table,
}

impl Grain {
    pub(in super::super) const ALL: [Grain; 5] =
        [Grain::Object, Grain::Objects, Grain::Row, Grain::Column, Grain::Table];
}

impl fmt::Display for Grain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grain::Object => "object by object",
            Grain::Objects => "all objects by name",
            Grain::Row => "row by row",
            Grain::Column => "column by column",
            Grain::Table => "whole table",
        })
    }
}

/// All operations.
pub(super) fn catalog() -> &'static Catalog {
    static CATALOG: OnceLock<Catalog> = OnceLock::new();
    CATALOG.get_or_init(Catalog::complete)
}

/// ifTable's position among the tables, and the fields of the paper's entry after its index.
pub(super) fn if_table() -> Result<(usize, Vec<usize>), String> {
    let served = catalog().tables();
    let at = served.iter().position(|it| it.table.name == "ifTable");
    let at = at.ok_or("there is no operation for ifTable")?;
    let record = &served[at].record;
    // The first is the index, which every row has.
    let fields = PAPERS_COLUMNS.iter().skip(1).filter_map(|name| record.field(name)).collect();
    Ok((at, fields))
}

/// Rows and columns that make up this many objects: all 22 columns if that fits, else 18 as in the paper, else as
/// many as fit.
pub(super) fn shape(objects: u32) -> (u32, u32) {
    let wide = PAPERS_COLUMNS.len() as u32;
    let all = trunkline_labkit::place::IF_TABLE_COLUMNS;
    let columns =
        [all, wide].into_iter().chain((1..all).rev()).find(|columns| objects.is_multiple_of(*columns));
    let columns = columns.unwrap_or(1);
    (objects / columns, columns)
}

/// The fields of this many columns, including the index: the paper's first.
pub(super) fn fields(columns: u32) -> Result<(usize, Option<Vec<usize>>), String> {
    let (table, papers) = if_table()?;
    let all = catalog().tables()[table].record.fields.len();
    let rest = (0..all).filter(|field| !papers.contains(field));
    let mut fields: Vec<usize> =
        papers.iter().copied().chain(rest).take(columns.saturating_sub(1) as usize).collect();
    fields.sort_unstable();
    Ok((table, (fields.len() < all).then_some(fields)))
}

/// The operation for the first objects of ifTable.
pub(super) fn operation(objects: u32) -> Result<Operation, String> {
    let (rows, columns) = shape(objects);
    let (table, columns) = fields(columns)?;
    let range = RowRange::After { index: Oid::EMPTY, count: rows as usize };
    Ok(Operation::Table(TableRequest { verb: TableVerb::NextRows, table, columns, range }))
}

/// The record in the answer to an operation on ifTable.
pub(super) fn record(columns: &Option<Vec<usize>>) -> Result<Record, String> {
    let (table, _) = if_table()?;
    let record = &catalog().tables()[table].record;
    Ok(columns.as_ref().map_or_else(|| record.clone(), |fields| record.only(fields)))
}

/// The message of an operation.
pub(super) fn message(form: Form, operation: Operation) -> Vec<u8> {
    let mut request = Request::new(catalog(), Version::V1_1, form.0, operation);
    request.community = Some(COMMUNITY.into());
    let mut into = Vec::new();
    operation::write(catalog(), &request, &mut into);
    into
}

/// The request for the first objects; `most` is how many rows there are.
pub(in super::super) fn first(form: Form, objects: u32, most: u32) -> Result<Vec<u8>, String> {
    let (rows, columns) = shape(objects);
    if rows > most {
        return Err(format!("{objects} objects are {rows} rows of {columns} columns; there are {most} rows"));
    }
    Ok(message(form, operation(objects)?))
}

/// The request for the whole table, as the paper's.
pub(super) fn whole(form: Form) -> Result<Vec<u8>, String> {
    let (table, _) = if_table()?;
    let range = RowRange::All;
    Ok(message(form, Operation::Table(TableRequest { verb: TableVerb::Whole, table, columns: None, range })))
}

/// The request for this many rows of the paper's 18 columns.
pub(super) fn papers_rows(form: Form, rows: u32) -> Result<Vec<u8>, String> {
    let (table, columns) = fields(PAPERS_COLUMNS.len() as u32)?;
    let range = RowRange::After { index: Oid::EMPTY, count: rows as usize };
    Ok(message(form, Operation::Table(TableRequest { verb: TableVerb::NextRows, table, columns, range })))
}

/// The requests that fetch the paper's 18 columns of the whole table at a granularity.
pub(super) async fn all(service: &Service, form: Form, grain: Grain) -> Result<Vec<Vec<u8>>, String> {
    let (table, papers) = if_table()?;
    let columns = Some(papers.clone());
    let request =
        |verb, columns, range| message(form, Operation::Table(TableRequest { verb, table, columns, range }));
    let indexes = match grain {
        Grain::Table | Grain::Column => vec![],
        _ => indexes(service).await?,
    };
    let names = || -> Result<Vec<_>, String> {
        let mut names = Vec::new();
        for index in &indexes {
            for column in PAPERS_COLUMNS {
                let name = catalog().object_name(&format!("{column}.{index}"));
                names.push(name.map_err(|error| error.to_string())?);
            }
        }
        Ok(names)
    };
    let get = |names| message(form, Operation::Get { names, mark_missing: false });
    Ok(match grain {
        Grain::Table => vec![request(TableVerb::Whole, columns, RowRange::All)],
        Grain::Row => {
            let row = |index: &Oid| request(TableVerb::Row, columns.clone(), RowRange::One(index.clone()));
            indexes.iter().map(row).collect()
        }
        Grain::Column => {
            let single = std::iter::once(vec![]).chain(papers.iter().map(|&field| vec![field]));
            single.map(|column| request(TableVerb::Column, Some(column), RowRange::All)).collect()
        }
        Grain::Objects => vec![get(names()?)],
        Grain::Object => names()?.into_iter().map(|name| get(vec![name])).collect(),
    })
}

/// The indexes of all rows.
async fn indexes(service: &Service) -> Result<Vec<Oid>, String> {
    let (table, _) = if_table()?;
    let operation = Operation::Table(TableRequest {
        verb: TableVerb::Whole,
        table,
        columns: Some(vec![]),
        range: RowRange::All,
    });
    let mut pipe = Pipe::open(service).await.map_err(|error| error.to_string())?;
    let asked = pipe.post(&message(Form::TYPED, operation), false).await;
    let answer = asked.map_err(|error| error.to_string())?;
    let limits = RequestLimits::DEFAULT.xml;
    let rows = answer::read_rows(&answer.body, limits, Encoding::Typed, &record(&Some(vec![]))?);
    Ok(rows.map_err(|error| error.to_string())?.into_iter().map(|row| row.index).collect())
}

/// The error text of an answer that failed.
pub(in super::super) fn fault(answer: &Answer) -> String {
    let said = answer::read_done(&answer.body, RequestLimits::DEFAULT.xml, Encoding::Typed);
    let reason = said.err().map(|error| format!(": {error}")).unwrap_or_default();
    format!("HTTP {}{reason}", answer.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_rows_of_columns() {
        let all = [1, 18, 22, 50, 54, 66, 125, 270, 23].map(shape);
        assert_eq!(all, [(1, 1), (1, 18), (1, 22), (5, 10), (3, 18), (3, 22), (25, 5), (15, 18), (23, 1)]);
        assert_eq!([44, 264].map(shape), [(2, 22), (12, 22)]);
        for objects in [1, 18, 50, 66, 270] {
            for form in Form::ALL {
                let message = first(form, objects, 100).unwrap();
                let request = operation::read(catalog(), &message, &RequestLimits::DEFAULT).unwrap();
                assert_eq!(request.operation, operation(objects).unwrap(), "{objects} {form}");
                assert_eq!(request.community.as_deref(), Some(COMMUNITY));
            }
        }
        assert!(first(Form::TYPED, 270, 14).unwrap_err().contains("15 rows"));
        let (_, fields) = fields(18).unwrap();
        assert_eq!(record(&fields).unwrap().fields.len(), 17);
    }
}

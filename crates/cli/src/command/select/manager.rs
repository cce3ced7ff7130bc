//! Selecting here, for agents that cannot: what is needed is fetched, and `query` decides.

use trunkline_client::{Error as ClientError, Session, Table as Fetched, TableLimit};
use trunkline_query::Cells;
use trunkline_query::services::{Graph, ServiceId};
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexRef, Oid, Value, ValueRef, index_refs};
use trunkline_snmp::wire::Bound;
use trunkline_soap::answer::Row;
use trunkline_soap::expression::message::{
    Explained, ExplainedPart, PartRecord, SelectAnswer, ServiceData, TableData,
};
use trunkline_soap::expression::{Found, Part, Plan, Question, RowsPart, Specification};

use super::fetch::{Store, fetch};
use super::{Outcome, services, wrong};
use crate::arguments::SelectArgs;
use crate::connect::Connection;
use crate::error::Error;

/// Selects.
pub async fn select(
    arguments: &SelectArgs,
    question: &Question,
    connection: &Connection<'_>,
) -> Result<Outcome, Error> {
    let specification = services::read(arguments.services.as_deref())?;
    let octets = || transferred(&*connection.agent);
    let before = octets();
    let graph = graph(&specification, question, &*connection.agent).await;
    let graph = graph.map_err(|fault| connection.failed(&fault))?;
    let plan = question.compile(&graph, None).map_err(|error| wrong(&error))?;
    let store = fetch(&*connection.agent, &plan).await.map_err(|fault| connection.failed(&fault))?;
    let transferred = octets() - before;
    let mut explained = explained(&graph, &plan);
    let mut answer = evaluate(&graph, &plan, &store, &mut explained);
    explained.octets = transferred;
    // Fetching it without the filter would have been the same, except for rows that the filter's keys exclude.
    explained.unfiltered = transferred;
    explained.whole = whole(question, &graph, &store, transferred);
    answer.explained = arguments.explain.then_some(explained);
    Ok(Outcome { answer, transferred, by_agent: false })
}

/// Octets that passed so far, where the session counts them.
fn transferred(agent: &dyn Session) -> u64 {
    let counts = agent.as_snmp().map(trunkline_client::SnmpSession::counts);
    counts.map_or(0, |counts| counts.sent_octets + counts.received_octets)
}

/// The rows' indexes, and their names.
type RowNames = Vec<(u32, Option<String>)>;

/// The graph; the rows of a table are only fetched if services made from rows may be selected.
async fn graph(
    specification: &Specification,
    question: &Question,
    agent: &dyn Session,
) -> Result<Graph, ClientError> {
    const NONE: u32 = u32::MAX;
    let wrong = |_| Graph::default(); // the file was checked when it was read
    let one = specification.graph(&|_, _| vec![(NONE, None)]).unwrap_or_else(wrong);
    let may_be_rows = match one.select(&question.path) {
        Err(_) => true,
        Ok(selected) => {
            let is_row = |id: &ServiceId| one.service(*id).tag.ends_with(&format!("-{NONE}"));
            selected.services.iter().chain(&selected.searched).any(is_row)
        }
    };
    if !may_be_rows {
        return Ok(specification.graph(&|_, _| Vec::new()).unwrap_or_else(wrong));
    }
    let mut known: Vec<(&'static str, RowNames)> = Vec::new();
    for (table, named_by) in specification.row_tables() {
        if known.iter().any(|(name, _)| *name == table.name) {
            continue;
        }
        let readable = table.columns.iter().find(|column| column.access.is_readable());
        let column = named_by.or(readable.map(|column| column.id));
        let columns: Vec<u32> = column.into_iter().collect();
        let fetched = agent.table(table, &columns, TableLimit::default()).await?;
        let row = |(index, cells): (Vec<u32>, Vec<Option<Bound>>)| {
            let name = match cells.into_iter().next().flatten() {
                Some(Bound::Value(Value::OctetString(octets))) if named_by.is_some() => {
                    Some(String::from_utf8_lossy(&octets).into_owned())
                }
                _ => None,
            };
            let [index] = *index.as_slice() else { return None };
            Some((index, name))
        };
        known.push((table.name, fetched.rows.into_iter().filter_map(row).collect()));
    }
    let rows = |table: &'static Table, _: Option<u32>| {
        let found = known.iter().find(|(name, _)| *name == table.name);
        found.map(|(_, rows)| rows.clone()).unwrap_or_default()
    };
    Ok(specification.graph(&rows).unwrap_or_else(wrong))
}

fn tags(graph: &Graph, services: &[ServiceId]) -> Vec<String> {
    services.iter().map(|service| graph.service(*service).tag.clone()).collect()
}

fn explained(graph: &Graph, plan: &Plan) -> Explained {
    let selected = &plan.selected;
    let left_out = plan.left_out.iter();
    Explained {
        start: graph.service(selected.start).tag.clone(),
        searched: tags(graph, &selected.searched),
        reached: tags(graph, &selected.reached),
        selected: tags(graph, &selected.services),
        left_out: left_out
            .map(|(id, table)| (graph.service(*id).tag.clone(), table.name.to_owned()))
            .collect(),
        ..Explained::default()
    }
}

fn evaluate(graph: &Graph, plan: &Plan, store: &Store, explained: &mut Explained) -> SelectAnswer {
    let found = found(plan, store);
    let mut answer = SelectAnswer::default();
    let holds = plan.gate.as_ref().is_none_or(|gate| gate.holds(&found.compared));
    explained.gate = plan.gate.as_ref().map(|_| holds);
    if !holds {
        return answer;
    }
    for &id in &plan.selected.services {
        let service = graph.service(id);
        let mut data = ServiceData {
            tag: service.tag.clone(),
            name: service.aliases.first().cloned().unwrap_or_default(),
            level: service.level,
            ..ServiceData::default()
        };
        for part in &plan.parts {
            match part {
                Part::Scalars { service, scalars } if *service == id => {
                    let value = |scalar: &&'static trunkline_smi::schema::Scalar| {
                        Some((*scalar, store.scalars.get(scalar.oid)?.clone()))
                    };
                    let before = data.scalars.len();
                    data.scalars.extend(scalars.iter().filter_map(value));
                    let kept = (data.scalars.len() - before) as u64;
                    let (wanted, service) = (scalars.len() as u64, data.tag.clone());
                    let part = ExplainedPart {
                        service,
                        rows: wanted,
                        kept,
                        columns: kept,
                        of: wanted,
                        ..ExplainedPart::default()
                    };
                    explained.parts.push(part);
                }
                Part::Rows(part) if part.service == id => {
                    let table = rows(part, store, &found, explained, &data.tag);
                    data.tables.extend(Some(table).filter(|table| !table.rows.is_empty()));
                }
                _ => {}
            }
        }
        if !data.scalars.is_empty() || !data.tables.is_empty() {
            answer.services.push(data);
        }
    }
    answer
}

/// What lookups and comparisons need.
fn found(plan: &Plan, store: &Store) -> Found {
    let lookup = |lookup: &trunkline_soap::expression::Lookup| {
        let Some(fetched) = store.tables.get(lookup.table.name) else { return Default::default() };
        let places: Vec<Option<usize>> = lookup.columns.iter().map(|id| place(fetched, *id)).collect();
        let row = |(index, cells): (&Vec<u32>, &Vec<Option<Bound>>)| {
            let cell = |place: &Option<usize>| cell(cells, *place).cloned();
            (index.clone(), places.iter().map(cell).collect())
        };
        fetched.rows.iter().map(row).collect()
    };
    Found {
        lookups: plan.lookups.iter().map(lookup).collect(),
        compared: plan.compared.iter().map(|scalar| store.scalars.get(scalar.oid).cloned()).collect(),
    }
}

fn place(fetched: &Fetched, id: u32) -> Option<usize> {
    fetched.columns.iter().position(|column| column.last() == Some(&id))
}

fn cell(cells: &[Option<Bound>], place: Option<usize>) -> Option<&Value> {
    match cells.get(place?)?.as_ref()? {
        Bound::Value(value) => Some(value),
        _ => None,
    }
}

/// The rows of a part that are wanted.
fn rows(part: &RowsPart, store: &Store, found: &Found, explained: &mut Explained, tag: &str) -> TableData {
    let record = PartRecord::new(part);
    let mut table = TableData { table: part.table, fields: record.record.fields.clone(), rows: Vec::new() };
    let readable = |column: &&trunkline_smi::schema::Column| column.access.is_readable();
    let mut counted = ExplainedPart {
        service: tag.to_owned(),
        table: part.table.name.to_owned(),
        columns: (part.columns.len() + part.shown) as u64,
        of: part.table.columns.iter().filter(readable).count() as u64,
        ..ExplainedPart::default()
    };
    if let Some(fetched) = store.tables.get(part.table.name) {
        let is_meant = |index: &[u32]| part.only.as_deref().is_none_or(|only| only == index);
        for (index, cells) in fetched.rows.iter().filter(|(index, _)| is_meant(index)) {
            counted.rows += 1;
            let foreign = part.foreign_values(index, counted.rows, found);
            let row = FetchedRow { table: part.table, fetched, index, cells };
            if !part.admits(&row, &foreign) {
                continue;
            }
            counted.kept += 1;
            let own = record.own.iter().map(|at| {
                let id = part.fetched.get(*at).copied()?;
                cell(cells, place(fetched, id)).cloned()
            });
            let told = foreign.iter().take(record.foreign).cloned();
            table.rows.push(Row { index: Oid::EMPTY.child(index), cells: own.chain(told).collect() });
        }
    }
    explained.parts.push(counted);
    table
}

/// A row for a predicate.
struct FetchedRow<'r> {
    table: &'static Table,
    fetched: &'r Fetched,
    index: &'r [u32],
    cells: &'r [Option<Bound>],
}

impl Cells for FetchedRow<'_> {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        cell(self.cells, place(self.fetched, column)).map(Value::as_value_ref)
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        index_refs(self.table.index, self.index).nth(part)?.ok()
    }
}

/// How many octets all data of the selected services would have taken, at as many for each value as those that passed:
/// of tables of which nothing was fetched it is not known how many rows there are; they count nothing.
fn whole(question: &Question, graph: &Graph, store: &Store, transferred: u64) -> u64 {
    let values = |fetched: &Fetched| fetched.rows.values().flatten().flatten().count();
    let passed = store.scalars.len() + store.tables.values().map(values).sum::<usize>();
    let mut all = question.clone();
    (all.data, all.filter) = (None, None);
    let (Ok(plan), true) = (all.compile(graph, None), passed > 0) else { return transferred };
    let of = |part: &Part| match part {
        Part::Scalars { scalars, .. } => scalars.len(),
        Part::Rows(part) => {
            let rows = store.tables.get(part.table.name).map_or(0, |fetched| match &part.only {
                Some(only) => usize::from(fetched.rows.contains_key(only)),
                None => fetched.rows.len(),
            });
            rows * part.columns.len()
        }
    };
    let whole: usize = plan.parts.iter().map(of).sum();
    (transferred * whole as u64 / passed as u64).max(transferred)
}

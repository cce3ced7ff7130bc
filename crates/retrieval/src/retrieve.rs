//! A plan carried out on the tree.

use std::collections::HashMap;

use trunkline_query::services::{Graph, Holding, ServiceId};
use trunkline_smi::schema::Scalar;
use trunkline_smi::{Value, ValueRef};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::expression::message::{AnswerWriter, Explained, ExplainedPart};
use trunkline_soap::expression::{Found, Part, Plan, View};
use trunkline_soap::fault::{Fault, FaultKind};

use crate::rows::{self, Output, Work};
use trunkline_core::Unanswered;

/// How an answer is written.
#[derive(Clone, Copy)]
pub struct Manner<'g> {
    /// The services that it names.
    pub graph: &'g Graph,
    /// Of SOAP.
    pub version: Version,
    /// As single values, tables or both.
    pub view: View,
    /// How values are encoded.
    pub encoding: Encoding,
}

/// Writes the answer to a plan; with `explained` what became of each part is added to it.
///
/// # Errors
/// A source of objects has failed, or the answer is too large.
pub async fn retrieve(
    work: Work<'_>,
    manner: Manner<'_>,
    plan: &Plan,
    mut explained: Option<&mut Explained>,
    output: &mut Output,
) -> Result<(), Fault> {
    let scalars = scalars(work, plan).await.map_err(Fault::source_failed)?;
    let mut found = Found {
        lookups: Vec::with_capacity(plan.lookups.len()),
        compared: plan.compared.iter().map(|scalar| scalars.get(scalar.oid).cloned()).collect(),
    };
    for lookup in &plan.lookups {
        found
            .lookups
            .push(rows::looked_up(work, lookup.table, &lookup.columns).await.map_err(Fault::source_failed)?);
    }
    let holds = plan.gate.as_ref().is_none_or(|gate| gate.holds(&found.compared));
    if let Some(explained) = explained.as_deref_mut() {
        explained.gate = plan.gate.as_ref().map(|_| holds);
    }
    let Manner { graph, version, view, encoding } = manner;
    let mut answer = AnswerWriter::begin(&mut output.octets, graph, version, view, encoding);
    let parts: &[Part] = if holds { &plan.parts } else { &[] };
    for &service in &plan.selected.services {
        for part in parts {
            match part {
                Part::Scalars { service: of, scalars: wanted } if *of == service => {
                    let read: Vec<(&'static Scalar, ValueRef<'_>)> = wanted
                        .iter()
                        .filter_map(|scalar| Some((*scalar, scalars.get(scalar.oid)?.as_value_ref())))
                        .collect();
                    answer.scalars(&mut output.octets, service, &read);
                    if let Some(explained) = explained.as_deref_mut() {
                        explained.parts.push(scalars_part(graph, service, read.len(), wanted.len()));
                    }
                }
                Part::Rows(rows) if rows.service == service => {
                    let explains = explained.is_some();
                    let counted = rows::write(work, rows, &found, explains, &mut answer, output)
                        .await
                        .map_err(Fault::source_failed)?;
                    if !counted.is_whole {
                        return Err(too_big(work.limit));
                    }
                    if let Some(explained) = explained.as_deref_mut() {
                        let readable = |column: &&trunkline_smi::schema::Column| column.access.is_readable();
                        explained.parts.push(ExplainedPart {
                            service: graph.service(service).tag.clone(),
                            table: rows.table.name.to_owned(),
                            rows: counted.rows,
                            kept: counted.kept,
                            columns: (rows.columns.len() + rows.shown) as u64,
                            of: rows.table.columns.iter().filter(readable).count() as u64,
                        });
                    }
                }
                _ => {}
            }
        }
    }
    answer.end(&mut output.octets, explained);
    Ok(())
}

fn scalars_part(graph: &Graph, service: ServiceId, read: usize, wanted: usize) -> ExplainedPart {
    let held = graph.service(service).holds.iter().map(|holding| match holding {
        Holding::Scalars(scalars) => scalars.len(),
        _ => 0,
    });
    ExplainedPart {
        service: graph.service(service).tag.clone(),
        table: String::new(),
        rows: wanted as u64,
        kept: read as u64,
        columns: read as u64,
        of: held.sum::<usize>() as u64,
    }
}

fn too_big(limit: usize) -> Fault {
    let reason = format!("the answer has more than {limit} octets: select less");
    Fault::new(FaultKind::TooBig, reason)
}

/// The values of the scalars that are there and may be read, by their object identifiers.
async fn scalars(work: Work<'_>, plan: &Plan) -> Result<HashMap<&'static [u32], Value>, Unanswered> {
    let wanted = plan.scalars();
    let mut values = HashMap::new();
    for scalar in wanted {
        // One by one: a source that fails takes no other's value with it.
        // One by one: a source that fails takes no other's value with it.
        if let Some(value) = work.served.scalar(scalar, work.access, work.arrived).await? {
            values.insert(scalar.oid, value);
        }
    }
    Ok(values)
}

/// The tags of services.
fn tags(graph: &Graph, services: &[ServiceId]) -> Vec<String> {
    services.iter().map(|service| graph.service(*service).tag.clone()).collect()
}

/// The services of the explanation, before anything is retrieved.
pub fn explained(graph: &Graph, plan: &Plan) -> Explained {
    Explained {
        start: graph.service(plan.selected.start).tag.clone(),
        searched: tags(graph, &plan.selected.searched),
        reached: tags(graph, &plan.selected.reached),
        selected: tags(graph, &plan.selected.services),
        left_out: plan
            .left_out
            .iter()
            .map(|(service, table)| (graph.service(*service).tag.clone(), table.name.to_owned()))
            .collect(),
        ..Explained::default()
    }
}

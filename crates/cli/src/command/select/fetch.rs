//! What a plan needs from an agent that cannot select: the columns it uses, of the rows that can match.

use std::collections::HashMap;

use trunkline_client::{Error as ClientError, Session, Table as Fetched, TableLimit, rows_in_range};
use trunkline_query::KeyRange;
use trunkline_smi::schema::Table;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus};
use trunkline_soap::expression::{Plan, RowsPart};

/// What was fetched.
#[derive(Default)]
pub struct Store {
    /// Scalars, by their object identifiers.
    pub scalars: HashMap<&'static [u32], Value>,
    /// Rows of tables, by the tables' names.
    pub tables: HashMap<&'static str, Fetched>,
}

/// So many single rows of a table are read one by one; of more the table is walked.
const FEW: usize = 16;
/// So many scalars are in one request.
const AT_ONCE: usize = 32;

/// Fetches what the plan needs, and nothing else.
pub async fn fetch(agent: &dyn Session, plan: &Plan) -> Result<Store, ClientError> {
    let mut store = Store::default();
    let scalars = plan.scalars();
    for some in scalars.chunks(AT_ONCE) {
        let names: Vec<Oid> = some.iter().map(|scalar| Oid::EMPTY.child(scalar.oid).child(&[0])).collect();
        for (scalar, value) in some.iter().zip(values(agent, &names).await?) {
            if let Some(value) = value {
                store.scalars.insert(scalar.oid, value);
            }
        }
    }
    let mut tables: Vec<&'static Table> = plan.rows().map(|part| part.table).collect();
    tables.extend(plan.lookups.iter().map(|lookup| lookup.table));
    tables.sort_by_key(|table| table.oid);
    tables.dedup_by_key(|table| table.oid);
    for table in tables {
        let fetched = rows(agent, plan, table).await?;
        store.tables.insert(table.name, fetched);
    }
    Ok(store)
}

/// The rows of one table for all parts that need some.
async fn rows(agent: &dyn Session, plan: &Plan, table: &'static Table) -> Result<Fetched, ClientError> {
    let parts: Vec<&RowsPart> = plan.rows().filter(|part| std::ptr::eq(part.table, table)).collect();
    let looked_up = plan.lookups.iter().find(|lookup| std::ptr::eq(lookup.table, table));
    let mut ids: Vec<u32> = parts.iter().flat_map(|part| part.fetched.iter().copied()).collect();
    ids.extend(looked_up.iter().flat_map(|lookup| lookup.columns.iter().copied()));
    // Index objects need not be fetched if there is another column.
    ids.retain(|id| !is_key(table, *id));
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        // Only index objects: one column shows which rows exist.
        ids.extend(
            table.columns.iter().filter(|column| column.access.is_readable()).map(|column| column.id).take(1),
        );
    }
    let entry = Oid::EMPTY.child(table.oid).child(&[1]);
    let columns: Vec<Oid> = ids.iter().map(|id| entry.child(&[*id])).collect();
    let single: Option<Vec<&[u32]>> = parts.iter().map(|part| part.only.as_deref()).collect();
    match single {
        Some(single) if looked_up.is_none() && single.len() <= FEW => {
            let mut fetched = Fetched { columns: columns.clone(), ..Fetched::default() };
            for index in single {
                let names: Vec<Oid> = columns.iter().map(|column| column.child(index)).collect();
                let cells = values(agent, &names).await?;
                if cells.iter().any(Option::is_some) {
                    let cells = cells.into_iter().map(|value| value.map(Bound::Value)).collect();
                    fetched.rows.insert(index.to_vec(), cells);
                }
            }
            Ok(fetched)
        }
        _ => {
            let range = range(&parts, looked_up.is_some());
            match range {
                Some(range) => rows_in_range(agent, &columns, &range).await,
                None => agent.table(table, &ids, TableLimit::default()).await,
            }
        }
    }
}

/// Where the rows of all parts are; `None`: anywhere.
fn range(parts: &[&RowsPart], is_looked_up: bool) -> Option<KeyRange> {
    let [part] = parts else { return None };
    if is_looked_up || part.counts_rows() {
        return None;
    }
    let range = part.predicate.as_ref()?.key_range(part.table.index);
    let is_all = range.from().is_empty() && range.below().is_none();
    (!is_all).then_some(range)
}

pub fn is_key(table: &Table, id: u32) -> bool {
    let column = table.columns.iter().find(|column| column.id == id);
    column.is_some_and(|column| table.index.iter().any(|part| part.name == column.name))
}

/// The values of instances, with nothing where there is none; SNMPv1 does not say which, so they are requested
/// one by one.
async fn values(agent: &dyn Session, names: &[Oid]) -> Result<Vec<Option<Value>>, ClientError> {
    match agent.get(names).await {
        Ok(answer) => return Ok(answer.bindings.into_iter().map(|binding| value(binding.value)).collect()),
        Err(ClientError::Status { .. }) => {}
        Err(other) => return Err(other),
    }
    let no_such_name = ErrorStatus::NoSuchName.code();
    let mut values = Vec::with_capacity(names.len());
    for name in names {
        values.push(match agent.get(std::slice::from_ref(name)).await {
            Ok(answer) => answer.bindings.into_iter().next().and_then(|found| value(found.value)),
            Err(ClientError::Status { status, .. }) if status == no_such_name => None,
            Err(other) => return Err(other),
        });
    }
    Ok(values)
}

fn value(bound: Bound) -> Option<Value> {
    match bound {
        Bound::Value(value) => Some(value),
        _ => None,
    }
}

//! Objects of MIB modules over NETCONF: each question is one `get` with a filter, or a few.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tokio::sync::mpsc;
use trunkline_netconf::document::limits;
use trunkline_netconf::objects::{Found, Objects, Wanted};
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, VarBind};
use trunkline_xml::Limits;
use trunkline_yang::forest::NodeId;

use super::{NetconfFault, NetconfSession};
use crate::answer::{Answer, Cost};
use crate::error::Error;
use crate::table::{Gathered, Table, TableLimit};
use crate::walk::WalkOptions;

/// The schema is constant.
static OBJECTS: LazyLock<Objects> = LazyLock::new(Objects::new);

/// The values of instances.
pub(super) async fn get(session: &NetconfSession, names: &[Oid]) -> Result<Answer, Error> {
    let mut missing = Vec::with_capacity(names.len());
    let mut wanted = Vec::new();
    for name in names {
        missing.push(match OBJECTS.of_instance(name) {
            Some((leaf, row)) if OBJECTS.is_instance(leaf, row) => {
                wanted.push(Wanted { leaf, row: Some(row) });
                Exception::NoSuchInstance
            }
            Some(_) => Exception::NoSuchInstance,
            None if OBJECTS.below(name).next().is_some() => Exception::NoSuchObject,
            None => return Err(NetconfFault::NoObject { name: name.to_string() }.into()),
        });
    }
    let (found, cost) = instances(session, &wanted).await?;
    let binding = |(name, missing): (&Oid, Exception)| {
        let value = found.get(name).map_or(Bound::Exception(missing), |value| Bound::Value(value.clone()));
        VarBind { name: name.clone(), value }
    };
    Ok(Answer { bindings: names.iter().zip(missing).map(binding).collect(), cost })
}

/// GetBulk: the instance after each of the first names, and instances after each other name, interleaved.
pub(super) async fn bulk(
    session: &NetconfSession,
    non_repeaters: u32,
    max_repetitions: u32,
    names: &[Oid],
) -> Result<Answer, Error> {
    let (once, often) = names.split_at(names.len().min(non_repeaters as usize));
    let mut answer = Answer::default();
    for name in once {
        let (mut found, cost) = after(session, name, 1).await?;
        answer.cost += cost;
        answer.bindings.push(found.next());
    }
    let mut columns = Vec::new();
    for name in often {
        let (found, cost) = after(session, name, max_repetitions as usize).await?;
        answer.cost += cost;
        columns.push(found);
    }
    for _ in 0..max_repetitions {
        answer.bindings.extend(columns.iter_mut().map(Successors::next));
        if columns.iter().all(|column| column.found.is_empty()) {
            break;
        }
    }
    Ok(answer)
}

/// The instances after a name, as far as there are some.
struct Successors {
    found: std::collections::VecDeque<(Oid, Value)>,
    last: Oid,
}

impl Successors {
    fn next(&mut self) -> VarBind {
        match self.found.pop_front() {
            Some((name, value)) => {
                self.last = name.clone();
                VarBind { name, value: Bound::Value(value) }
            }
            None => VarBind { name: self.last.clone(), value: Bound::Exception(Exception::EndOfMibView) },
        }
    }
}

/// So many instances after a name. NETCONF has no such operation: the objects that follow are read, first few, then more.
async fn after(session: &NetconfSession, name: &Oid, count: usize) -> Result<(Successors, Cost), Error> {
    let mut successors = Successors { found: std::collections::VecDeque::new(), last: name.clone() };
    let mut cost = Cost::default();
    let mut objects = OBJECTS.following(name);
    let mut at_once = 1;
    while successors.found.len() < count {
        let part: Vec<NodeId> = objects.by_ref().take(at_once).map(|(_, leaf)| leaf).collect();
        if part.is_empty() {
            break;
        }
        let wanted: Vec<Wanted<'_>> = part.into_iter().map(|leaf| Wanted { leaf, row: None }).collect();
        let (found, spent) = instances(session, &wanted).await?;
        cost += spent;
        successors.found.extend(found.into_iter().filter(|(found, _)| found > name));
        at_once = (at_once * 8).min(OBJECTS_AT_ONCE);
    }
    successors.found.truncate(count);
    Ok((successors, cost))
}

/// Sends what is below `root`, until the end or until the receiver is gone.
pub(super) async fn walk(
    session: NetconfSession,
    root: Oid,
    options: WalkOptions,
    batches: mpsc::Sender<Result<Vec<VarBind>, Error>>,
) {
    let mut left = options.max_bindings.unwrap_or(usize::MAX);
    let within: Vec<NodeId> = match OBJECTS.of_instance(&root) {
        Some((leaf, _)) => vec![leaf],
        None => OBJECTS.below(&root).map(|(_, leaf)| leaf).collect(),
    };
    if within.is_empty() {
        let _ = batches.send(Err(NetconfFault::NoObject { name: root.to_string() }.into())).await;
        return;
    }
    let is_announced = match session.hello().await {
        Ok(hello) => move |leaf: &NodeId| hello.has(&OBJECTS.forest().module(*leaf).namespace),
        Err(error) => {
            let _ = batches.send(Err(error)).await;
            return;
        }
    };
    let announced: Vec<NodeId> = within.iter().copied().filter(is_announced).collect();
    if let (true, Some(leaf)) = (announced.is_empty(), within.first()) {
        let _ = batches.send(Err(no_module(*leaf).into())).await;
        return;
    }
    for part in announced.chunks(OBJECTS_AT_ONCE) {
        let wanted: Vec<Wanted<'_>> = part.iter().map(|leaf| Wanted { leaf: *leaf, row: None }).collect();
        let batch = instances(&session, &wanted).await.map(|(found, _)| {
            let below = found.into_iter().filter(|(name, _)| {
                name.starts_with(&root) && (options.get_root_if_empty || name.len() > root.len())
            });
            below
                .take(left)
                .map(|(name, value)| VarBind { name, value: Bound::Value(value) })
                .collect::<Vec<_>>()
        });
        left -= batch.as_ref().map_or(0, Vec::len);
        let is_last = batch.is_err() || left == 0;
        if batches.send(batch).await.is_err() || is_last {
            return;
        }
    }
}

/// All rows of these columns.
pub(super) async fn table(
    session: &NetconfSession,
    schema: &'static Schema,
    columns: &[u32],
    limit: TableLimit,
) -> Result<Table, Error> {
    let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
    let leaf = |column: &u32| {
        let unknown = || NetconfFault::NoObject { name: entry.child(&[*column]).to_string() };
        OBJECTS.column(schema, *column).ok_or_else(unknown)
    };
    let leaves = columns.iter().map(leaf).collect::<Result<Vec<NodeId>, _>>()?;
    let wanted: Vec<Wanted<'_>> = leaves.iter().map(|leaf| Wanted { leaf: *leaf, row: None }).collect();
    let mut gathered = Gathered::within(limit).of_columns(columns.len());
    let names: Vec<&str> =
        columns.iter().filter_map(|id| schema.column(*id)).map(|column| column.name).collect();
    let mut table = Table {
        columns: columns.iter().map(|column| entry.child(&[*column])).collect(),
        rows: BTreeMap::new(),
    };
    read(session, &wanted, |found| {
        let Found::Row { index, cells, .. } = found else { return Ok(()) };
        // A table that AUGMENTS another has the other's rows, of which only those with cells of its own are its rows.
        let is_own = |(of, ..): &(&Schema, _, _)| of.oid == schema.oid;
        if !cells.iter().any(is_own) {
            return Ok(());
        }
        let mut row = vec![None; columns.len()];
        for (_, column, value) in cells {
            if let Some(at) = names.iter().position(|name| *name == column.name) {
                row[at] = Some(Bound::Value(value.clone()));
            }
        }
        let rows = table.rows.len() + 1;
        row.iter().flatten().try_for_each(|value| gathered.add(rows, index, value))?;
        table.rows.insert(index.to_vec(), row);
        Ok(())
    })
    .await?;
    Ok(table)
}

/// What a `get` of these objects finds, in the order of names.
async fn instances(
    session: &NetconfSession,
    wanted: &[Wanted<'_>],
) -> Result<(BTreeMap<Oid, Value>, Cost), Error> {
    let mut all = BTreeMap::new();
    if wanted.is_empty() {
        return Ok((all, Cost::default()));
    }
    let asked: std::collections::HashSet<NodeId> = wanted.iter().map(|it| it.leaf).collect();
    let cost = read(session, wanted, |found| {
        match found {
            Found::Scalar(scalar, value) => {
                all.insert(Oid::EMPTY.child(scalar.oid).child(&[0]), value);
            }
            Found::Row { index, cells, .. } => {
                for (table, column, value) in cells {
                    // An answer has keys that nobody asked for.
                    if OBJECTS.column(table, column.id).is_some_and(|leaf| asked.contains(&leaf))
                        && column.access.is_readable()
                    {
                        let column = Oid::EMPTY.child(table.oid).child(&[1, column.id]);
                        all.insert(column.child(index), value.clone());
                    }
                }
            }
        }
        Ok(())
    })
    .await?;
    Ok((all, cost))
}

/// Sends a `get` with a filter for these objects, and reads its reply.
async fn read(
    session: &NetconfSession,
    wanted: &[Wanted<'_>],
    found: impl FnMut(Found<'_>) -> Result<(), Error>,
) -> Result<Cost, Error> {
    let hello = session.hello().await?;
    let unknown = wanted.iter().find(|it| !hello.has(&OBJECTS.forest().module(it.leaf).namespace));
    if let Some(unknown) = unknown {
        return Err(no_module(unknown.leaf).into());
    }
    let mut operation = b"<get><filter type=\"subtree\">".to_vec();
    OBJECTS.write_filter(wanted, &mut operation);
    operation.extend_from_slice(b"</filter></get>");
    let (message, cost) = session.data(&operation).await?;
    let most = session.inner.options.max_reply;
    OBJECTS.read(&message, Limits { octets: most, ..limits(most) }, found)?;
    Ok(cost)
}

fn no_module(leaf: NodeId) -> NetconfFault {
    NetconfFault::NoModule { module: OBJECTS.forest().module(leaf).name.to_owned() }
}

/// Objects of a request of a walk.
const OBJECTS_AT_ONCE: usize = 64;

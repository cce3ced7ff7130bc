//! One sample of the watched objects. Each request starts with sysUpTime and, if the table has one, the row's
//! discontinuity time, so that a value is interpreted with the data of the same answer.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use trunkline_client::{Answer, Error as ClientError};
use trunkline_mib::{Names, ObjectKind};
use trunkline_smi::schema::Table;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus, VarBind, Version};

use crate::connect::Connection;
use crate::error::Error;
use trunkline_show::rate::Sample;

/// Something to watch.
#[derive(Debug)]
pub enum Watched {
    /// Instances, each with the instance of its discontinuity time.
    Instances(Vec<(Oid, Option<Oid>)>),
    /// All rows of some columns, with the column of discontinuity times.
    Rows(Vec<Oid>, Option<Oid>),
}

/// sysUpTime (RFC 3418).
const SYS_UP_TIME: [u32; 8] = [1, 3, 6, 1, 2, 1, 1, 3];
/// ifCounterDiscontinuityTime, which applies to all counters of an interface, including ifTable's (RFC 2863).
const IF_COUNTER_DISCONTINUITY_TIME: [u32; 11] = [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19];
/// Instances in one Get: with their discontinuity times they fit a datagram of 1472 octets.
const INSTANCES_AT_ONCE: usize = 16;
/// Bindings that one GetBulk requests.
const BINDINGS_AT_ONCE: usize = 60;
/// More than this is not a table to watch, but an agent that never ends.
const MOST_INSTANCES: usize = 500_000;

/// What to request for these objects. If no module defines an object, the agent shows whether it is an instance
/// or a subtree.
pub async fn plan(objects: &[Oid], connection: &Connection<'_>) -> Result<Vec<Watched>, Error> {
    let unknown: Vec<Oid> =
        objects.iter().filter(|oid| connection.names.object(oid).is_none()).cloned().collect();
    let mut instances = Vec::new();
    for oid in unknown {
        let found = get_what_is_there(vec![oid], connection).await?;
        instances.extend(found.into_iter().filter_map(value_of).map(|(oid, _)| oid));
    }
    Ok(plan_of(objects, connection.names, &instances))
}

fn plan_of(objects: &[Oid], names: &Names, found: &[Oid]) -> Vec<Watched> {
    let mut instances = Vec::new();
    let mut rows = Vec::new();
    for oid in objects {
        let description = names.describe(oid);
        let is_whole = description.named == oid.len();
        let table = description.object.and_then(|object| object.table);
        let discontinuity = table.and_then(discontinuity_column);
        match description.object.map(|object| object.kind) {
            Some(ObjectKind::Table | ObjectKind::Entry) if is_whole => {
                rows.push(Watched::Rows(table.map(readable_columns).unwrap_or_default(), discontinuity));
            }
            Some(ObjectKind::Column | ObjectKind::Scalar) if is_whole => {
                rows.push(Watched::Rows(vec![oid.clone()], discontinuity));
            }
            Some(ObjectKind::Column) => {
                let index = &oid[description.named..];
                instances.push((oid.clone(), discontinuity.map(|column| column.child(index))));
            }
            Some(_) => instances.push((oid.clone(), None)),
            None if found.contains(oid) => instances.push((oid.clone(), None)),
            None => rows.push(Watched::Rows(vec![oid.clone()], None)),
        }
    }
    let instances = instances.chunks(INSTANCES_AT_ONCE).map(|chunk| Watched::Instances(chunk.to_vec()));
    instances.chain(rows).collect()
}

fn discontinuity_column(table: &'static Table) -> Option<Oid> {
    let own = table.columns.iter().find(|column| column.name.ends_with("DiscontinuityTime"));
    match own {
        Some(column) => Some(Oid::EMPTY.child(table.oid).child(&[1, column.id])),
        None if table.name == "ifTable" => Some(Oid::from(IF_COUNTER_DISCONTINUITY_TIME)),
        None => None,
    }
}

fn readable_columns(table: &'static Table) -> Vec<Oid> {
    let readable = table.columns.iter().filter(|column| column.access.is_readable());
    readable.map(|column| Oid::EMPTY.child(table.oid).child(&[1, column.id])).collect()
}

impl Watched {
    /// Asks for the present values.
    pub async fn sample(
        &self,
        connection: &Connection<'_>,
        began: Instant,
    ) -> Result<BTreeMap<Oid, Sample>, Error> {
        match self {
            Watched::Instances(instances) => sample_instances(instances, connection, began).await,
            Watched::Rows(columns, discontinuity) => {
                Rows::new(columns, discontinuity.as_ref()).sample(connection, began).await
            }
        }
    }
}

async fn sample_instances(
    instances: &[(Oid, Option<Oid>)],
    connection: &Connection<'_>,
    began: Instant,
) -> Result<BTreeMap<Oid, Sample>, Error> {
    let mut asked = vec![Oid::from(SYS_UP_TIME).child(&[0])];
    asked.extend(instances.iter().map(|(oid, _)| oid.clone()));
    let discontinuities = instances.iter().filter_map(|(_, discontinuity)| discontinuity.clone());
    asked.extend(discontinuities);
    asked.dedup();
    let answer = get_what_is_there(asked, connection).await?;
    let at = began.elapsed();
    let values: HashMap<Oid, Value> = answer.into_iter().filter_map(value_of).collect();
    let uptime = values.get(&asked_uptime()).and_then(ticks);
    let sample = |(oid, discontinuity): &(Oid, Option<Oid>)| {
        let value = values.get(oid)?.clone();
        let discontinuity = discontinuity.as_ref().and_then(|oid| values.get(oid)).and_then(ticks);
        Some((oid.clone(), Sample { value, uptime, discontinuity, at }))
    };
    Ok(instances.iter().filter_map(sample).collect())
}

/// Get; in SNMPv1, where one missing instance fails the whole request, without the missing ones.
async fn get_what_is_there(mut asked: Vec<Oid>, connection: &Connection<'_>) -> Result<Vec<VarBind>, Error> {
    loop {
        let fault = match connection.agent.get(&asked).await {
            Ok(answer) => return Ok(answer.bindings),
            Err(fault) => fault,
        };
        let missing = connection.missing_in_v1(&fault, asked.len());
        asked.remove(missing.ok_or_else(|| connection.failed(&fault))?);
        if asked.is_empty() {
            return Ok(Vec::new());
        }
    }
}

/// A sample of all rows of some columns, row by row.
struct Rows {
    /// The columns, the one of discontinuity times last.
    columns: Vec<Cursor>,
    has_discontinuity: bool,
    found: BTreeMap<Oid, Sample>,
    /// By row index.
    discontinuities: HashMap<Vec<u32>, u32>,
}

struct Cursor {
    root: Oid,
    at: Oid,
    done: bool,
}

impl Rows {
    fn new(columns: &[Oid], discontinuity: Option<&Oid>) -> Self {
        let cursor = |root: &Oid| Cursor { root: root.clone(), at: root.clone(), done: false };
        Rows {
            columns: columns.iter().chain(discontinuity).map(cursor).collect(),
            has_discontinuity: discontinuity.is_some(),
            found: BTreeMap::new(),
            discontinuities: HashMap::new(),
        }
    }

    async fn sample(
        mut self,
        connection: &Connection<'_>,
        began: Instant,
    ) -> Result<BTreeMap<Oid, Sample>, Error> {
        // Columns that do not fit are in the next request: all unfinished ones take turns.
        while self.columns.iter().any(|cursor| !cursor.done) {
            let open: Vec<usize> = (0..self.columns.len()).filter(|i| !self.columns[*i].done).collect();
            let mut asked = vec![Oid::from(SYS_UP_TIME)];
            asked.extend(open.iter().map(|column| self.columns[*column].at.clone()));
            let answer = self.ask(&asked, connection).await?;
            self.take(&answer, &open, began).map_err(|fault| connection.failed(&fault))?;
            if self.found.len() > MOST_INSTANCES {
                let words = format!("there are more than {MOST_INSTANCES} instances: watch fewer");
                return Err(Error::Usage(words));
            }
        }
        Ok(self.finish())
    }

    async fn ask(&mut self, asked: &[Oid], connection: &Connection<'_>) -> Result<Answer, Error> {
        let agent = &connection.agent;
        let is_v1 = agent.as_snmp().is_some_and(|session| session.version() == Version::V1);
        let repetitions = (BINDINGS_AT_ONCE / asked.len()).max(1) as u32;
        let answer = if is_v1 { agent.next(asked).await } else { agent.bulk(1, repetitions, asked).await };
        let fault = match answer {
            Ok(answer) => return Ok(answer),
            Err(fault) => fault,
        };
        let no_such_name = ErrorStatus::NoSuchName.code();
        if is_v1 && matches!(fault, ClientError::Status { status, .. } if status == no_such_name) {
            // The end of the tree: only the column requested there is done.
            let ended = connection.missing_in_v1(&fault, asked.len()).map(|at| &asked[at]);
            let mut open = self.columns.iter_mut().filter(|cursor| !cursor.done);
            match open.find(|cursor| ended == Some(&cursor.at)) {
                Some(cursor) => cursor.done = true,
                // An index that points to none of them ends everything, or the requests would never end.
                None => self.columns.iter_mut().for_each(|cursor| cursor.done = true),
            }
            return Ok(Answer::default());
        }
        Err(connection.failed(&fault))
    }

    fn take(&mut self, answer: &Answer, open: &[usize], began: Instant) -> Result<(), ClientError> {
        let at = began.elapsed();
        let Some((first, rows)) = answer.bindings.split_first() else { return Ok(()) };
        let uptime =
            value_of(first.clone()).filter(|(name, _)| *name == asked_uptime()).and_then(|(_, v)| ticks(&v));
        for (position, binding) in rows.iter().enumerate() {
            let cursor = &mut self.columns[open[position % open.len()]];
            if cursor.done {
                continue;
            }
            if !binding.name.starts_with(&cursor.root) || matches!(binding.value, Bound::Exception(_)) {
                cursor.done = true;
                continue;
            }
            if binding.name <= cursor.at {
                let (previous, found) = (cursor.at.clone(), binding.name.clone());
                return Err(ClientError::NotIncreasing { previous, found });
            }
            cursor.at = binding.name.clone();
            let index = binding.name[cursor.root.len()..].to_vec();
            let is_discontinuity =
                self.has_discontinuity && open[position % open.len()] + 1 == self.columns.len();
            let Bound::Value(value) = &binding.value else { continue };
            if is_discontinuity {
                self.discontinuities.extend(ticks(value).map(|ticks| (index, ticks)));
            } else {
                let sample = Sample { value: value.clone(), uptime, discontinuity: None, at };
                self.found.insert(binding.name.clone(), sample);
            }
        }
        // An answer without a single row would be requested again for ever.
        if rows.is_empty() {
            self.columns.iter_mut().for_each(|cursor| cursor.done = true);
        }
        Ok(())
    }

    fn finish(mut self) -> BTreeMap<Oid, Sample> {
        let roots: Vec<usize> = self.columns.iter().map(|cursor| cursor.root.len()).collect();
        for (oid, sample) in &mut self.found {
            let index = roots.first().and_then(|length| oid.get(*length..)).unwrap_or_default();
            sample.discontinuity = self.discontinuities.get(index).copied();
        }
        self.found
    }
}

fn asked_uptime() -> Oid {
    Oid::from(SYS_UP_TIME).child(&[0])
}

fn value_of(binding: VarBind) -> Option<(Oid, Value)> {
    match binding.value {
        Bound::Value(value) => Some((binding.name, value)),
        _ => None,
    }
}

fn ticks(value: &Value) -> Option<u32> {
    match value {
        Value::TimeTicks(ticks) => Some(*ticks),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_columns_and_instances_are_planned_with_their_discontinuity_time() {
        let names = Names::built_in();
        let at = |name: &str| names.resolve(name).unwrap();
        let discontinuity = at("ifCounterDiscontinuityTime");
        let objects = [at("ifInOctets.2"), at("ifTable"), at("ifHCInOctets"), at("ifNumber.0")];
        let planned = plan_of(&objects, &names, &[]);
        let [Watched::Instances(instances), Watched::Rows(table, of_table), Watched::Rows(column, of_column)] =
            &planned[..]
        else {
            panic!("{planned:?}");
        };
        assert_eq!(
            instances[..],
            [(at("ifInOctets.2"), Some(discontinuity.child(&[2]))), (at("ifNumber.0"), None)]
        );
        assert_eq!((table.len(), of_table), (22, &Some(discontinuity.clone())));
        assert_eq!((column, of_column), (&vec![at("ifHCInOctets")], &Some(discontinuity)));
    }
}

//! What follows names, for GetNext, GetBulk and walks. JMX has no such operation: objects are read in their order, those of one MBean
//! or table together.

use std::collections::{BTreeMap, BTreeSet};

use tokio::sync::mpsc;
use trunkline_beans::{Attribute, Bean, DOMAIN};
use trunkline_client::snmp::wire::{Bound, Exception, VarBind};
use trunkline_client::{Answer, Error, Session as _, WalkOptions};
use trunkline_jmx::model::ObjectName;
use trunkline_smi::{Oid, Value};

use super::jvm::Jvm;
use super::order::{self, Kind};
use super::rows::Page;
use super::{COST, ObjectSession, refused};

/// How far the search for what follows a name has come.
struct Cursor {
    name: Oid,
    /// How many instances are wanted.
    wanted: usize,
    found: Vec<(Oid, Value)>,
    /// The object in which the search began, and the one that is read next.
    first: usize,
    object: usize,
    /// Behind which row.
    after: Vec<u32>,
    /// Whether something was found in another object than the first: then it is known where that one ends.
    is_beyond: bool,
}

impl Cursor {
    fn new(name: &Oid, wanted: usize) -> Self {
        let behind = order::behind(name);
        let (object, after) = match order::find(name) {
            None => (behind, Vec::new()),
            Some((object, rest)) => match object.kind {
                Kind::Column(..) => (behind - 1, rest.to_vec()),
                Kind::Scalar(..) if rest.is_empty() => (behind - 1, Vec::new()),
                // Behind its one instance.
                Kind::Scalar(..) => (behind, Vec::new()),
            },
        };
        let (name, found) = (name.clone(), Vec::new());
        Cursor { name, wanted, found, first: object, object, after, is_beyond: false }
    }

    fn is_open(&self) -> bool {
        self.found.len() < self.wanted && !self.is_beyond && !self.is_at_end()
    }

    fn is_at_end(&self) -> bool {
        self.object >= order::all().len()
    }

    fn turn(&mut self) {
        self.object += 1;
        self.after.clear();
    }

    fn find(&mut self, instance: Oid, value: Value) {
        self.found.push((instance, value));
        self.is_beyond = self.object != self.first;
    }

    /// The instance of this position; at the end of everything there is none.
    fn binding(&self, position: usize) -> VarBind {
        match self.found.get(position) {
            Some((name, value)) => VarBind { name: name.clone(), value: Bound::Value(value.clone()) },
            None => {
                let last = self.found.last().map_or(&self.name, |(name, _)| name);
                VarBind { name: last.clone(), value: Bound::Exception(Exception::EndOfMibView) }
            }
        }
    }
}

impl ObjectSession {
    /// GetBulk. It has fewer repetitions than were wanted where the first of the columns has ended.
    pub(super) async fn interleaved(
        &self,
        non_repeaters: usize,
        max_repetitions: usize,
        names: &[Oid],
    ) -> Result<Answer, Error> {
        let (once, often) = names.split_at(names.len().min(non_repeaters));
        let cursors = once.iter().map(|name| Cursor::new(name, 1));
        let cursors = cursors.chain(often.iter().map(|name| Cursor::new(name, max_repetitions)));
        let mut cursors: Vec<Cursor> = cursors.collect();
        self.search(&mut cursors).await?;
        let (once, often) = cursors.split_at(once.len());
        let mut bindings: Vec<VarBind> = once.iter().map(|cursor| cursor.binding(0)).collect();
        let going_on = often.iter().filter(|cursor| !cursor.is_at_end()).map(|cursor| cursor.found.len());
        let longest = often.iter().map(|cursor| cursor.found.len() + 1).max();
        let repetitions = going_on.min().or(longest).unwrap_or(0).min(max_repetitions);
        for position in 0..repetitions {
            bindings.extend(often.iter().map(|cursor| cursor.binding(position)));
        }
        Ok(Answer { bindings, cost: COST })
    }

    /// Searches until each has what is wanted, or at least the first instance behind its object.
    async fn search(&self, cursors: &mut [Cursor]) -> Result<(), Error> {
        if !self.inner.is_agent {
            let mut jvm = Jvm::default();
            for cursor in cursors {
                cursor.found = jvm.behind(self, &cursor.name, cursor.wanted).await?;
                cursor.object = order::all().len();
            }
            return Ok(());
        }
        let mut there = None;
        for round in 0_u32.. {
            // Where much is missing it is worth a question what there is.
            if round == ROUNDS_WITHOUT_LIST {
                there = Some(self.beans().await?);
            }
            if let Some(there) = &there {
                cursors.iter_mut().for_each(|cursor| skip(cursor, there));
            }
            let open: Vec<&mut Cursor> = cursors.iter_mut().filter(|cursor| cursor.is_open()).collect();
            if open.is_empty() {
                break;
            }
            let (mut scalars, mut columns) = (BTreeMap::new(), BTreeMap::new());
            for cursor in open {
                let Some(object) = order::all().get(cursor.object) else { continue };
                match object.kind {
                    Kind::Scalar(group, attribute) => {
                        let (_, list) = scalars.entry(group.name).or_insert((group, Vec::new()));
                        list.push((cursor, attribute));
                    }
                    Kind::Column(table, attribute) => {
                        let key = (table.table.name, cursor.after.clone());
                        let (_, list) = columns.entry(key).or_insert((table, Vec::new()));
                        list.push((cursor, attribute));
                    }
                }
            }
            for (group, list) in scalars.into_values() {
                let Some(bean) = Bean::Group(group).name() else { continue };
                let attributes: Vec<&Attribute> = list.iter().map(|(_, attribute)| *attribute).collect();
                let values = self.attributes(&bean, &attributes).await?;
                for ((cursor, _), value) in list.into_iter().zip(values) {
                    let instance = order::all().get(cursor.object).map(|object| object.oid.child(&[0]));
                    if let (Some(instance), Some(value)) = (instance, value) {
                        cursor.find(instance, value);
                    }
                    cursor.turn();
                }
            }
            for ((_, after), (table, list)) in columns {
                let attributes: Vec<&'static Attribute> =
                    list.iter().map(|(_, attribute)| *attribute).collect();
                let most = list.iter().map(|(cursor, _)| cursor.wanted - cursor.found.len()).max();
                // A column that has cells in few rows takes many of them.
                let count = (most.unwrap_or(1) << (3 * round.min(MOST_DOUBLINGS))).min(ROWS_AT_ONCE);
                let page = self.page(table, &attributes, &after, count).await?;
                for (position, (cursor, _)) in list.into_iter().enumerate() {
                    take(cursor, &page, position);
                }
            }
        }
        Ok(())
    }

    /// The types of the MBeans that are there, but for rows.
    async fn beans(&self) -> Result<BTreeSet<String>, Error> {
        let Ok(pattern) = format!("{DOMAIN}:type=*").parse::<ObjectName>() else {
            return Ok(BTreeSet::new());
        };
        let names = self.inner.jmx.query_names(Some(&pattern), None).await.map_err(refused)?;
        Ok(names.iter().filter_map(|name| name.property("type")).map(str::to_owned).collect())
    }
}

/// Takes a page of rows into a cursor, whose column is the one of this position.
fn take(cursor: &mut Cursor, page: &Page, position: usize) {
    let Some(object) = order::all().get(cursor.object) else { return };
    for row in &page.rows {
        cursor.after = row.index.to_vec();
        let Some(value) = row.cells.get(position).cloned().flatten() else { continue };
        // An identifier that would be too long has no instance.
        let Ok(instance) = Oid::new(&[&object.oid[..], &row.index].concat()) else { continue };
        cursor.find(instance, value);
        if !cursor.is_open() {
            return;
        }
    }
    if page.is_last {
        cursor.turn();
    }
}

/// Passes over objects that are not there.
fn skip(cursor: &mut Cursor, there: &BTreeSet<String>) {
    let is_missing = |at: usize| order::all().get(at).is_some_and(|object| !there.contains(object.bean()));
    while cursor.is_open() && cursor.after.is_empty() && is_missing(cursor.object) {
        cursor.object += 1;
    }
}

/// Sends what is below `root`, until the end or until the receiver is gone.
pub(super) async fn walk(
    session: ObjectSession,
    root: Oid,
    options: WalkOptions,
    batches: mpsc::Sender<Result<Vec<VarBind>, Error>>,
) {
    let mut left = options.max_bindings.unwrap_or(usize::MAX);
    let (mut last, mut is_empty) = (root.clone(), true);
    while left > 0 {
        let mut cursor = [Cursor::new(&last, left.min(ROWS_AT_ONCE))];
        if let Err(error) = session.search(&mut cursor).await {
            let _ = batches.send(Err(error)).await;
            return;
        }
        let [cursor] = cursor;
        let below = cursor.found.into_iter().take_while(|(name, _)| name.starts_with(&root));
        let batch: Vec<VarBind> =
            below.map(|(name, value)| VarBind { name, value: Bound::Value(value) }).collect();
        let Some(binding) = batch.last() else { break };
        (last, is_empty) = (binding.name.clone(), false);
        left -= batch.len();
        if batches.send(Ok(batch)).await.is_err() {
            return;
        }
    }
    if is_empty && left > 0 && options.get_root_if_empty {
        let names = [root];
        let answer = session.get(&names).await.map(|mut answer| {
            answer.bindings.retain(|binding| matches!(binding.value, Bound::Value(_)));
            answer.bindings
        });
        let _ = batches.send(answer).await;
    }
}

/// So many objects behind each other are read before it is asked what there is.
const ROUNDS_WITHOUT_LIST: u32 = 2;

/// Rows of a page at most.
const ROWS_AT_ONCE: usize = 4_000;

/// How often a page grows by eight.
const MOST_DOUBLINGS: u32 = 4;

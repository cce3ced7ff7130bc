//! A provider without a source: it serves what a test sets, and refuses and fails on demand.
//!
//! Its data is a map from full instance names to values, so that a test (or the [model](crate::model)) can look
//! at the same data without the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trunkline_smi::schema::{MaxAccess, Table};
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_tree::{
    Group, Live, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SnapshotBuilder,
    SourceError,
};

/// Serves one group from memory.
pub struct Synthetic {
    group: &'static Group,
    contents: Arc<Mutex<Contents>>,
    log: Log,
    loads: AtomicUsize,
}

/// What several providers did, in order: `ports prepare 1 items`, `ports commit`, `ports undo`.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

/// At which point a set fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The first phase refuses its first item with this check.
    Prepare(SetCheck),
    /// The commit fails before it has changed anything.
    Commit,
    /// The commit fails after its first item was written.
    HalfCommit,
    /// The commit fails, and so does the undo, which restores nothing.
    CommitAndUndo,
    /// The commit succeeds; an undo, where another group makes it necessary, restores nothing and fails.
    Undo,
}

type Hook = Box<dyn FnMut(usize, &mut BTreeMap<Oid, Value>) + Send>;

#[derive(Default)]
struct Contents {
    values: BTreeMap<Oid, Value>,
    live: BTreeMap<Oid, Arc<dyn Live>>,
    loads_fail: bool,
    unchanged: bool,
    fault: Option<Fault>,
    on_load: Option<Hook>,
}

impl Log {
    /// What happened since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Adds a line.
    pub fn note(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Synthetic {
    /// An empty provider of this group; what it does in sets goes to `log`.
    pub fn new(group: &'static Group, log: Log) -> Arc<Self> {
        Arc::new(Synthetic { group, contents: Arc::default(), log, loads: AtomicUsize::new(0) })
    }

    /// Sets an instance by its object's OID (a scalar, or a column) and its index.
    pub fn put(&self, object: &[u32], index: &[u32], value: Value) {
        self.contents().values.insert(Oid::EMPTY.child(object).child(index), value);
    }

    /// Sets one cell of a table by the column's id.
    pub fn put_cell(&self, table: &Table, index: &[u32], id: u32, value: Value) {
        self.put(&column_oid(table, id), index, value);
    }

    /// Sets a scalar that is read at each request.
    pub fn put_live(&self, object: &[u32], live: Arc<dyn Live>) {
        self.contents().live.insert(Oid::EMPTY.child(object), live);
    }

    /// Removes an instance.
    pub fn remove(&self, name: &[u32]) {
        self.contents().values.remove(name);
    }

    /// All instances that are not live.
    pub fn values(&self) -> BTreeMap<Oid, Value> {
        self.contents().values.clone()
    }

    /// How often the tree has requested a load, including failed ones.
    pub fn loads(&self) -> usize {
        self.loads.load(Ordering::Acquire)
    }

    /// Whether loads fail from now on.
    pub fn fail_loads(&self, fail: bool) {
        self.contents().loads_fail = fail;
    }

    /// Whether loads say `Unchanged` from now on, whatever has been put in.
    pub fn claim_unchanged(&self, unchanged: bool) {
        self.contents().unchanged = unchanged;
    }

    /// Where sets fail from now on.
    pub fn fail_sets(&self, fault: Option<Fault>) {
        self.contents().fault = fault;
    }

    /// Calls `hook` at each load with the number of loads so far, this one included, before reading the values.
    pub fn on_load(&self, hook: impl FnMut(usize, &mut BTreeMap<Oid, Value>) + Send + 'static) {
        self.contents().on_load = Some(Box::new(hook));
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Provider for Synthetic {
    fn group(&self) -> &'static Group {
        self.group
    }

    /// Rows come ascending in odd loads and descending in even ones: both are a provider's right.
    fn load(&self, previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let count = self.loads.fetch_add(1, Ordering::AcqRel) + 1;
        let mut contents = self.contents();
        if contents.loads_fail {
            return Err(SourceError::new(self.group.name, io::Error::other("told to fail")));
        }
        if contents.unchanged && previous.is_some() {
            return Ok(Loaded::Unchanged);
        }
        if let Some(mut hook) = contents.on_load.take() {
            hook(count, &mut contents.values);
            contents.on_load = Some(hook);
        }
        Ok(Loaded::Snapshot(contents.snapshot(self.group, count.is_multiple_of(2))))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        self.log.note(format!("{} prepare {} items", self.group.name, items.len()));
        let contents = self.contents();
        if let Some(Fault::Prepare(check)) = contents.fault {
            return Err(refusal(items[0].binding, check));
        }
        let writes = items.iter().map(|item| contents.write(self.group, item)).collect::<Result<_, _>>()?;
        Ok(Box::new(Transaction {
            group: self.group.name,
            contents: self.contents.clone(),
            log: self.log.clone(),
            writes,
            undo: Vec::new(),
        }))
    }
}

impl Contents {
    fn snapshot(&self, group: &'static Group, descending: bool) -> Snapshot {
        let mut builder = Snapshot::builder(group);
        for scalar in group.scalars {
            if let Some(live) = self.live.get(scalar.oid) {
                builder.live(scalar, live.clone());
            } else if let Some(value) = self.values.get(&*Oid::EMPTY.child(scalar.oid).child(&[0])) {
                builder.scalar(scalar, value.clone());
            }
        }
        for table in group.tables {
            self.fill(&mut builder, table, descending);
        }
        builder.finish()
    }

    fn fill(&self, builder: &mut SnapshotBuilder, table: &Table, descending: bool) {
        let mut rows: BTreeMap<&[u32], Vec<(u32, ValueRef<'_>)>> = BTreeMap::new();
        for column in table.columns {
            let object = column_oid(table, column.id);
            for (name, value) in below(&self.values, &object) {
                rows.entry(&name[object.len()..]).or_default().push((column.id, value.as_value_ref()));
            }
        }
        let rows: Vec<_> =
            if descending { rows.into_iter().rev().collect() } else { rows.into_iter().collect() };
        for (index, cells) in rows {
            let mut row = builder.table(table).row(index);
            cells.into_iter().for_each(|(id, value)| _ = row.value(id, value));
        }
    }

    /// What only a provider can check: whether the instance exists or may be created.
    fn write(&self, group: &Group, item: &SetItem<'_>) -> Result<Write, SetError> {
        let name = Oid::EMPTY.child(item.object).child(item.index);
        let test_and_incr = group
            .scalars
            .iter()
            .any(|scalar| scalar.oid == item.object && scalar.syntax.convention == "TestAndIncr");
        let present = self.values.get(&name);
        if test_and_incr && present.is_some_and(|present| present.as_value_ref() != item.value) {
            return Err(refusal(item.binding, SetCheck::InconsistentValue));
        }
        if present.is_none() && !may_create(group, item) && !self.has_row(group, item) {
            return Err(refusal(item.binding, SetCheck::NoCreation));
        }
        let value = match (test_and_incr, item.value) {
            (true, ValueRef::Integer(number)) => Value::Integer(number.checked_add(1).unwrap_or(0)),
            (_, value) => value.to_value(),
        };
        Ok(Write { binding: item.binding, name, value })
    }

    fn has_row(&self, group: &Group, item: &SetItem<'_>) -> bool {
        let Some(table) = table_of(group, item.object) else { return false };
        let indexes: BTreeSet<&[u32]> =
            below(&self.values, table.oid).map(|(name, _)| &name[table.oid.len() + 2..]).collect();
        indexes.contains(item.index)
    }
}

struct Write {
    binding: usize,
    name: Oid,
    value: Value,
}

struct Transaction {
    group: &'static str,
    contents: Arc<Mutex<Contents>>,
    log: Log,
    writes: Vec<Write>,
    undo: Vec<(Oid, Option<Value>)>,
}

impl SetTransaction for Transaction {
    fn commit(&mut self) -> Result<(), SetError> {
        self.log.note(format!("{} commit", self.group));
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        for (done, write) in self.writes.iter().enumerate() {
            let fails = match contents.fault {
                Some(Fault::Commit | Fault::CommitAndUndo) => true,
                Some(Fault::HalfCommit) => done == 1 || self.writes.len() == 1,
                _ => false,
            };
            if fails {
                return Err(refusal(write.binding, SetCheck::CommitFailed));
            }
            let old = contents.values.insert(write.name.clone(), write.value.clone());
            self.undo.push((write.name.clone(), old));
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        self.log.note(format!("{} undo", self.group));
        let mut contents = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Fault::CommitAndUndo | Fault::Undo) = contents.fault {
            return Err(refusal(self.writes[0].binding, SetCheck::CommitFailed));
        }
        for (name, old) in self.undo.drain(..).rev() {
            match old {
                Some(old) => contents.values.insert(name, old),
                None => contents.values.remove(&name),
            };
        }
        Ok(())
    }
}

fn refusal(binding: usize, check: SetCheck) -> SetError {
    SetError { binding, check, reason: "told to refuse".into() }
}

fn may_create(group: &Group, item: &SetItem<'_>) -> bool {
    let column = table_of(group, item.object).and_then(|table| table.column(*item.object.last()?));
    column.is_some_and(|column| column.access == MaxAccess::ReadCreate)
}

fn table_of(group: &Group, object: &[u32]) -> Option<&'static Table> {
    group.tables.iter().find(|table| object.starts_with(table.oid)).copied()
}

fn below<'m>(values: &'m BTreeMap<Oid, Value>, object: &[u32]) -> impl Iterator<Item = (&'m Oid, &'m Value)> {
    let object = Oid::EMPTY.child(object);
    values.range(object.clone()..).take_while(move |(name, _)| name.starts_with(&object))
}

/// The OID of a table's column.
pub fn column_oid(table: &Table, id: u32) -> Oid {
    Oid::EMPTY.child(table.oid).child(&[1, id])
}

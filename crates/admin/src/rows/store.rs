//! Keeps rows: in memory for readers, in a file for the next start, and always consistent with the value that is
//! derived from them.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trunkline_smi::schema::Table;
use trunkline_tree::policy::Principal;
use trunkline_tree::{SetCheck, SetError, SetItem, SetTransaction, SnapshotBuilder};

use super::kept::{self, KeptRows};
use super::{Row, RowTable, Rows, Rules};

use crate::state_file::{Readers, StateError, StateFile};

/// The rows of a group of tables.
pub struct RowStore {
    pub(super) tables: &'static [RowTable],
    rules: Box<dyn Rules>,
    file: StateFile<KeptRows>,
    /// Called with the rows whenever they have changed, before the set that changed them is answered.
    on_change: Box<dyn Fn(&Rows) + Send + Sync>,
    held: Mutex<Held>,
}

struct Held {
    rows: Arc<Rows>,
    /// Managers' rows that the configuration's cover, and that come back.
    covered: Arc<Rows>,
    /// One more with each change.
    generation: u64,
}

/// The rows that managers have set before, for callers that need no store.
///
/// # Errors
/// A file that cannot be read, or holds something else.
pub fn kept_rows(
    tables: &'static [RowTable],
    secrets: &[&'static str],
    file: (&Path, &'static str),
) -> Result<Rows, StateError> {
    Ok(read(tables, secrets, file)?.1)
}

fn read(
    tables: &'static [RowTable],
    secrets: &[&'static str],
    (directory, name): (&Path, &'static str),
) -> Result<(StateFile<KeptRows>, Rows), StateError> {
    let readers = if secrets.is_empty() { Readers::Anybody } else { Readers::Owner };
    let file = StateFile::<KeptRows>::open_named(directory, name, readers)?;
    let rows = kept::read(tables, secrets, &file.state())
        .map_err(|message| StateError::Damaged { path: file.path(), message })?;
    Ok((file, rows))
}

/// A set that has passed the first phase.
pub struct RowChange {
    pub(super) store: Arc<RowStore>,
    pub(super) binding: usize,
    pub(super) new: Arc<Rows>,
    pub(super) generation: u64,
    pub(super) old: Option<Arc<Rows>>,
}

impl RowStore {
    /// Reads the rows that managers have set before. `secrets` are the names of what rows may hide.
    pub fn open(
        tables: &'static [RowTable],
        secrets: &[&'static str],
        rules: Box<dyn Rules>,
        file: (&Path, &'static str),
        on_change: impl Fn(&Rows) + Send + Sync + 'static,
    ) -> Result<Arc<Self>, StateError> {
        let (file, rows) = read(tables, secrets, file)?;
        on_change(&rows);
        let held = Mutex::new(Held { rows: Arc::new(rows), covered: Arc::default(), generation: 0 });
        Ok(Arc::new(RowStore { tables, rules, file, on_change: Box::new(on_change), held }))
    }

    /// The present rows.
    pub fn rows(&self) -> Arc<Rows> {
        self.lock().rows.clone()
    }

    /// The rows that managers have set and that those of the configuration cover.
    pub fn covered(&self) -> Arc<Rows> {
        self.lock().covered.clone()
    }

    /// A row that a manager has set, also if one of the configuration covers it.
    pub fn is_set(&self, table: &Table, index: &[u32]) -> bool {
        let held = self.lock();
        held.rows.get(table, index).is_some_and(Row::is_set) || held.covered.get(table, index).is_some()
    }

    /// Replaces the rows of the configuration. If managers have created a row with the same index, the
    /// configuration's wins; if they have changed the configuration's row, the rules decide.
    pub fn configure(&self, configured: &Rows) {
        let mut held = self.lock();
        let (mut rows, mut covered) = (Rows::new(), Rows::new());
        for (of, table) in self.tables.iter().map(|table| (table, table.tables[0])) {
            let set = held.rows.of(table).filter(|(_, row)| row.is_set()).chain(held.covered.of(table));
            set.for_each(|(index, row)| rows.insert(table, index.to_vec(), row.clone()));
            for (index, row) in configured.of(table) {
                let changed = held.rows.get(table, index).filter(|row| row.is_changed);
                let row = changed.map_or_else(|| row.clone(), |changed| self.rules.merge(row, changed));
                if let Some(set) = rows.get(table, index).filter(|_| self.rules.comes_back(of)) {
                    covered.insert(table, index.to_vec(), set.clone());
                }
                rows.insert(table, index.to_vec(), row);
            }
        }
        held.covered = Arc::new(covered);
        self.swap(&mut held, Arc::new(rows));
    }

    /// First phase of a set: all items that are for these tables.
    pub fn prepare(
        self: &Arc<Self>,
        items: &[SetItem<'_>],
        principal: Option<&Principal<'_>>,
    ) -> Result<RowChange, SetError> {
        let (rows, generation) = self.held();
        let new = Arc::new(rows.changed(self.tables, items, principal, &*self.rules)?);
        let binding = items.first().map_or(0, |item| item.binding);
        Ok(RowChange { store: self.clone(), binding, new, generation, old: None })
    }

    /// The present rows, and how often they have changed.
    pub(super) fn held(&self) -> (Arc<Rows>, u64) {
        let held = self.lock();
        (held.rows.clone(), held.generation)
    }

    /// The constraints on the columns.
    pub(super) fn rules(&self) -> &dyn Rules {
        &*self.rules
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = &'static Table> {
        self.tables.iter().map(|table| table.tables[0])
    }

    /// Fills a snapshot with the rows.
    pub fn fill(&self, snapshot: &mut SnapshotBuilder) {
        self.rows().fill(self.tables, &*self.rules, snapshot);
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn swap(&self, held: &mut Held, rows: Arc<Rows>) -> Arc<Rows> {
        (self.on_change)(&rows);
        held.generation += 1;
        std::mem::replace(&mut held.rows, rows)
    }

    fn keep(&self, rows: &Rows, covered: &Rows, binding: usize) -> Result<(), SetError> {
        let kept = kept::keep(self.tables, [rows, covered]);
        self.file.replace(kept).map(drop).map_err(|error| SetError {
            binding,
            check: SetCheck::CommitFailed,
            reason: error.to_string(),
        })
    }
}

impl SetTransaction for RowChange {
    fn commit(&mut self) -> Result<(), SetError> {
        let store = self.store.clone();
        let mut held = store.lock();
        if held.generation != self.generation {
            let reason = "the configuration was reloaded in the meantime".into();
            return Err(SetError { binding: self.binding, check: SetCheck::CommitFailed, reason });
        }
        store.keep(&self.new, &held.covered, self.binding)?;
        self.old = Some(store.swap(&mut held, self.new.clone()));
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        let Some(old) = self.old.take() else { return Ok(()) };
        let store = self.store.clone();
        let mut held = store.lock();
        store.keep(&old, &held.covered, self.binding)?;
        store.swap(&mut held, old);
        Ok(())
    }
}

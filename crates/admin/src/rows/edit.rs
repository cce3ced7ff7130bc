//! Rows as another protocol than SNMP configures them: whole rows, without RowStatus, and with the secrets that SNMP only changes.

use std::sync::Arc;

use trunkline_smi::Value;
use trunkline_tree::policy::{RowStatus, StorageType};
use trunkline_tree::{SetCheck, SetError, SetTransaction};

use super::{Assignment, MAX_SET_ROWS, Refusal, Row, RowChange, RowStore, RowTable, Rows, Rules};

/// What a row is to be.
#[derive(Clone, PartialEq)]
pub struct RowEdit {
    /// The name of its table.
    pub table: &'static str,
    /// Its index.
    pub index: Vec<u32>,
    /// What is to change of it; `None`: it is to go.
    pub cells: Option<Vec<(&'static str, Value)>>,
    /// Secrets that it is to have, or `None` of those that it is to lose.
    pub secrets: Vec<(&'static str, Option<Vec<u8>>)>,
}

/// Several stores, changed together.
pub struct Edited {
    changes: Vec<RowChange>,
    done: usize,
}

impl Edited {
    /// First phase: each edit in the store that has its table. An error's binding is the position of the edit.
    ///
    /// # Errors
    /// A row cannot be that.
    pub fn prepare(stores: &[Arc<RowStore>], edits: &[RowEdit]) -> Result<Edited, SetError> {
        Edited::of(stores, edits, false)
    }

    /// Whether the rows could be that; nothing is left of the question.
    ///
    /// # Errors
    /// As [`Edited::prepare`].
    pub fn check(stores: &[Arc<RowStore>], edits: &[RowEdit]) -> Result<(), SetError> {
        Edited::of(stores, edits, true).map(drop)
    }

    fn of(stores: &[Arc<RowStore>], edits: &[RowEdit], is_trial: bool) -> Result<Edited, SetError> {
        let mut changes = Vec::new();
        for store in stores {
            let its = edits.iter().enumerate().filter(|(_, edit)| store.table(edit.table).is_some());
            changes.extend(store.prepare_edits(its, is_trial)?);
        }
        Ok(Edited { changes, done: 0 })
    }
}

impl SetTransaction for Edited {
    fn commit(&mut self) -> Result<(), SetError> {
        for change in &mut self.changes {
            self.done += 1;
            change.commit()?;
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        let mut outcome = Ok(());
        for change in self.changes[..self.done].iter_mut().rev() {
            outcome = change.undo().and(outcome);
        }
        self.done = 0;
        outcome
    }
}

impl RowStore {
    /// The table of this name, if it is here.
    pub(super) fn table(&self, name: &str) -> Option<&'static RowTable> {
        self.tables.iter().find(|table| table.tables[0].name == name)
    }

    fn prepare_edits<'e>(
        self: &Arc<Self>,
        edits: impl Iterator<Item = (usize, &'e RowEdit)>,
        is_trial: bool,
    ) -> Result<Option<RowChange>, SetError> {
        let (rows, generation) = self.held();
        let (mut new, mut first) = ((*rows).clone(), None);
        for (binding, edit) in edits {
            first.get_or_insert(binding);
            let edited = self.edited(&rows, &new, edit, is_trial);
            match edited.map_err(|Refusal { check, reason }| SetError { binding, check, reason })? {
                Some((table, row)) => new.insert(table.tables[0], edit.index.clone(), row),
                None => {
                    if let Some(table) = self.table(edit.table) {
                        new.remove(table.tables[0], &edit.index);
                    }
                }
            }
        }
        Ok(first.map(|binding| RowChange {
            store: self.clone(),
            binding,
            new: Arc::new(new),
            generation,
            old: None,
        }))
    }

    /// A row as an edit wants it; `None`: it goes.
    fn edited(
        &self,
        old: &Rows,
        new: &Rows,
        edit: &RowEdit,
        is_trial: bool,
    ) -> Result<Option<(&'static RowTable, Row)>, Refusal> {
        let refuse = |check, reason: &str| Err(Refusal::new(check, reason));
        let Some(table) = self.table(edit.table) else {
            return refuse(SetCheck::NoCreation, "there is no such table");
        };
        let before = new.get(table.tables[0], &edit.index);
        let storage = before.map(|row| row.state.storage);
        if storage == Some(StorageType::ReadOnly) {
            return refuse(SetCheck::NotWritable, "the row comes from the configuration");
        }
        let Some(cells) = &edit.cells else {
            return match storage {
                Some(StorageType::Permanent) => {
                    refuse(SetCheck::NotWritable, "the row comes from the configuration, and cannot go")
                }
                _ => Ok(None),
            };
        };
        let mut row = match before {
            Some(row) => row.clone(),
            None if !table.may_have(&edit.index) => {
                return refuse(SetCheck::NoCreation, "no row can have this index");
            }
            None if new.set_rows(table) >= MAX_SET_ROWS => {
                return refuse(SetCheck::ResourceUnavailable, "the table is full");
            }
            None => {
                let mut row = Row::created((table.defaults)(&edit.index));
                self.rules().new_row(table, &mut row);
                row
            }
        };
        let rank =
            |name: &str| table.first.iter().position(|first| *first == name).unwrap_or(table.first.len());
        let mut cells: Vec<_> = cells.iter().collect();
        cells.sort_by_key(|(name, _)| rank(name));
        for (column, value) in cells {
            let place = Place { table, index: &edit.index, rows: old, is_new: before.is_none(), is_trial };
            place.assign(self.rules(), column, value, &mut row)?;
        }
        for (name, secret) in &edit.secrets {
            row.set_secret(name, secret.clone());
        }
        let has = |column: &&&str| row.get(column).is_none();
        if let Some(missing) = table.required.iter().find(has) {
            return Err(Refusal::new(SetCheck::InconsistentValue, format!("the row has no {missing}")));
        }
        if !self.rules().is_complete(&row) {
            return refuse(SetCheck::InconsistentValue, "the row has no key");
        }
        // What is configured lasts.
        if row.state.storage == StorageType::Volatile {
            row.state.storage = StorageType::NonVolatile;
        }
        row.state.status = RowStatus::Active;
        self.rules().check(table, &edit.index, &row)?;
        row.is_changed = !row.is_set();
        Ok(Some((table, row)))
    }
}

/// Where a cell is written.
struct Place<'p> {
    table: &'static RowTable,
    index: &'p [u32],
    rows: &'p Rows,
    is_new: bool,
    is_trial: bool,
}

impl Place<'_> {
    fn assign(&self, rules: &dyn Rules, name: &str, value: &Value, row: &mut Row) -> Result<(), Refusal> {
        let Some(column) = self.table.column(name) else {
            return Err(Refusal::new(SetCheck::NotWritable, format!("there is no column {name}")));
        };
        let value = value.as_value_ref();
        if column.syntax.check(value).is_err() {
            let reason = format!("{name} cannot have this value: its length or range is another");
            return Err(Refusal::new(SetCheck::WrongValue, reason));
        }
        let Place { table, index, rows, is_new, is_trial } = *self;
        let column = column.name;
        rules.place(&Assignment { table, index, column, value, is_new, principal: None, rows, is_trial }, row)
    }
}

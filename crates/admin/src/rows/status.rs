//! The effect of a set on one row (RFC 2579, RowStatus and StorageType).

use trunkline_smi::ValueRef;
use trunkline_tree::policy::{Principal, RowStatus, StorageType};
use trunkline_tree::{SetCheck, SetError, SetItem};

use super::{Assignment, Refusal, Row, RowTable, Rows, Rules};

/// The items of a set that are for one row.
pub(super) struct Change<'a> {
    pub table: &'static RowTable,
    pub index: &'a [u32],
    pub items: &'a [SetItem<'a>],
    pub principal: Option<&'a Principal<'a>>,
    pub rules: &'a dyn Rules,
    pub rows: &'a Rows,
}

/// What can be written to a RowStatus.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Active = 1,
    NotInService = 2,
    NotReady = 3,
    CreateAndGo = 4,
    CreateAndWait = 5,
    Destroy = 6,
}

impl Change<'_> {
    /// The row as it will be; `None`: it will not exist.
    pub fn apply(&self, before: Option<&Row>, is_full: impl Fn() -> bool) -> Result<Option<Row>, SetError> {
        use Wanted::*;
        let (wanted, blamed) = self.wanted()?;
        let refuse = |check, reason: &str| Err(Refusal::new(check, reason).of(blamed));
        if before.is_some_and(|row| row.state.storage == StorageType::ReadOnly) {
            return refuse(SetCheck::NotWritable, "the row comes from the configuration");
        }
        // The table of RFC 2579's RowStatus: what is wanted by what there is.
        let mut row = match (before, wanted) {
            (_, Some(NotReady)) => return refuse(SetCheck::WrongValue, "notReady cannot be set"),
            (None, None) => return refuse(SetCheck::InconsistentName, "the row does not exist"),
            (None, Some(Active | NotInService)) => {
                return refuse(SetCheck::InconsistentValue, "the row does not exist");
            }
            (None, Some(Destroy)) => return Ok(None),
            (Some(row), Some(Destroy)) if row.state.storage == StorageType::Permanent => {
                return refuse(SetCheck::InconsistentValue, "a permanent row cannot be destroyed");
            }
            (Some(_), Some(Destroy)) => return Ok(None),
            (Some(_), Some(CreateAndGo | CreateAndWait)) => {
                return refuse(SetCheck::InconsistentValue, "the row already exists");
            }
            (None, Some(CreateAndGo | CreateAndWait)) if !self.table.may_have(self.index) => {
                return refuse(SetCheck::NoCreation, "no row can have this index");
            }
            (None, Some(CreateAndGo | CreateAndWait)) if is_full() => {
                return refuse(SetCheck::ResourceUnavailable, "the table is full");
            }
            (None, Some(CreateAndGo | CreateAndWait)) => {
                let mut row = Row::created((self.table.defaults)(self.index));
                self.rules.new_row(self.table, &mut row);
                row
            }
            (Some(row), _) => row.clone(),
        };
        let stays_active = before.is_some_and(|row| row.state.is_active()) && wanted != Some(NotInService);
        self.assign(&mut row, before.is_none(), stays_active)?;
        row.state.status = self.status(&row, wanted).map_err(|refusal| refusal.of(blamed))?;
        if row.state.is_active() {
            self.rules.check(self.table, self.index, &row).map_err(|refusal| refusal.of(blamed))?;
            if !before.is_some_and(|row| row.state.is_active()) {
                self.rules.activated(self.table, &mut row, self.principal);
            }
        }
        row.is_changed = before.is_some_and(|row| !row.is_set());
        Ok(Some(row))
    }

    /// The requested change of the row, and the item at fault if it is refused.
    fn wanted(&self) -> Result<(Option<Wanted>, &SetItem<'_>), SetError> {
        use Wanted::*;
        let status = self.items.iter().find(|item| item.name == self.table.status);
        let Some(item) = status else { return Ok((None, &self.items[0])) };
        let all = [Active, NotInService, NotReady, CreateAndGo, CreateAndWait, Destroy];
        let wanted = match item.value {
            ValueRef::Integer(number) => all.into_iter().find(|wanted| *wanted as i32 == number),
            _ => None,
        };
        match wanted {
            Some(wanted) => Ok((Some(wanted), item)),
            None => Err(Refusal::new(SetCheck::WrongValue, "no RowStatus").of(item)),
        }
    }

    fn assign(&self, row: &mut Row, is_new: bool, stays_active: bool) -> Result<(), SetError> {
        let rank = |item: &&SetItem<'_>| {
            let first = self.table.first;
            first.iter().position(|name| *name == item.name).unwrap_or(first.len())
        };
        let mut items: Vec<&SetItem<'_>> =
            self.items.iter().filter(|item| item.name != self.table.status).collect();
        items.sort_by_key(rank);
        for item in items {
            let assigned = if item.name == self.table.storage {
                assign_storage(row, item.value, is_new)
            } else if stays_active && self.table.fixed_while_active.contains(&item.name) {
                let reason = "this cannot be set while the row is active";
                Err(Refusal::new(SetCheck::InconsistentValue, reason))
            } else {
                let assignment = Assignment {
                    table: self.table,
                    index: self.index,
                    column: item.name,
                    value: item.value,
                    is_new,
                    principal: self.principal,
                    rows: self.rows,
                    is_trial: false,
                };
                self.rules.assign(&assignment, row)
            };
            assigned.map_err(|refusal| refusal.of(item))?;
        }
        Ok(())
    }

    fn status(&self, row: &Row, wanted: Option<Wanted>) -> Result<RowStatus, Refusal> {
        let is_complete =
            self.table.required.iter().all(|column| row.get(column).is_some()) && self.rules.is_complete(row);
        let incomplete = || Refusal::new(SetCheck::InconsistentValue, "the row lacks columns");
        match wanted {
            Some(Wanted::CreateAndGo | Wanted::Active) if is_complete => Ok(RowStatus::Active),
            Some(Wanted::CreateAndWait | Wanted::NotInService) if is_complete => Ok(RowStatus::NotInService),
            Some(Wanted::CreateAndWait) => Ok(RowStatus::NotReady),
            Some(_) => Err(incomplete()),
            None if row.state.status == RowStatus::NotReady && is_complete => Ok(RowStatus::NotInService),
            None => Ok(row.state.status),
        }
    }
}

/// RFC 2579, StorageType: a permanent row stays one, and no other becomes one; managers make no rows that
/// they could not delete.
fn assign_storage(row: &mut Row, value: ValueRef<'_>, is_new: bool) -> Result<(), Refusal> {
    let wanted = match value {
        ValueRef::Integer(number) => StorageType::from_number(number),
        _ => None,
    };
    match (row.state.storage, wanted) {
        (present, Some(wanted)) if present == wanted && !is_new => Ok(()),
        (StorageType::Permanent | StorageType::ReadOnly, _) => {
            Err(Refusal::new(SetCheck::InconsistentValue, "the row's storage cannot be changed"))
        }
        (_, Some(wanted @ (StorageType::Volatile | StorageType::NonVolatile))) => {
            row.state.storage = wanted;
            Ok(())
        }
        _ => Err(Refusal::new(SetCheck::WrongValue, "rows are volatile or nonVolatile")),
    }
}

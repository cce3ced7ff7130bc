//! What a round fetches from a device, in the operation that each protocol has for it.

use trunkline_client::{Error as ClientError, Session, TableLimit, Version};
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::{Bound, VarBind};

use super::conversation::Notes;
use crate::place::IF_TABLE_COLUMNS;

/// What a round fetches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetch {
    /// The first instances of ifTable in the order of GetNext, column by column, with one GetBulk; in SNMPv1 row by
    /// row, and over SOAP as many whole rows as hold them.
    First(u32),
    /// Columns of the first rows of ifTable.
    Columns {
        /// Their numbers.
        columns: Vec<u32>,
        /// Rows.
        rows: u32,
    },
}

impl Fetch {
    /// How many rows of ifTable an agent needs for it.
    pub fn rows(&self) -> u32 {
        match self {
            Fetch::First(objects) => crate::place::rows_for(*objects),
            Fetch::Columns { rows, .. } => *rows,
        }
    }

    /// How many objects it asks for.
    pub fn objects(&self) -> u32 {
        match self {
            Fetch::First(objects) => *objects,
            Fetch::Columns { columns, rows } => columns.len() as u32 * rows,
        }
    }

    /// Twice as many objects.
    #[must_use]
    pub fn doubled(&self) -> Fetch {
        match self {
            Fetch::First(objects) => Fetch::First(2 * objects),
            Fetch::Columns { columns, rows } => Fetch::Columns { columns: columns.clone(), rows: 2 * rows },
        }
    }

    /// What an agent has of it that has only so many of the objects: where the table ends, GetBulk would go on with what lies
    /// behind it.
    #[must_use]
    pub fn cut_to(&self, objects: u32) -> Fetch {
        match self {
            Fetch::First(asked) => Fetch::First(objects.min(*asked)),
            Fetch::Columns { columns, rows } => {
                let has = objects.div_ceil((columns.len() as u32).max(1));
                Fetch::Columns { columns: columns.clone(), rows: has.min(*rows) }
            }
        }
    }

    /// Fetches once; more than one request if an answer has fewer objects.
    ///
    /// # Errors
    /// The session's error. An error-status in an answer counts as one.
    pub async fn once(&self, session: &dyn Session, notes: &mut Notes<'_>) -> Result<(), ClientError> {
        if let Some(soap) = session.as_soap() {
            let columns = match self {
                Fetch::First(_) => (1..=IF_TABLE_COLUMNS).collect(),
                Fetch::Columns { columns, .. } => columns.clone(),
            };
            let found = soap.next_rows(&IF_TABLE, &columns, &[], self.rows() as usize).await?;
            notes.rows(found.rows.values().flatten().flatten().count() as u32);
            return Ok(());
        }
        if session.as_netconf().is_some() {
            let columns = match self {
                Fetch::First(_) => (1..=IF_TABLE_COLUMNS).collect(),
                Fetch::Columns { columns, .. } => columns.clone(),
            };
            // NETCONF knows no number of rows: the table has as many as are wanted.
            let found = session.table(&IF_TABLE, &columns, TableLimit::default()).await?;
            let rows = found.rows.values().take(self.rows() as usize);
            notes.rows(rows.flatten().flatten().count() as u32);
            return Ok(());
        }
        let is_v1 = session.as_snmp().is_some_and(|it| it.version() == Version::V1);
        match self {
            Fetch::First(objects) if !is_v1 => first(session, *objects, notes).await,
            Fetch::First(objects) => {
                let columns: Vec<u32> = (1..=IF_TABLE_COLUMNS).collect();
                by_next(session, &columns, *objects, notes).await
            }
            Fetch::Columns { columns, rows } if is_v1 => {
                by_next(session, columns, columns.len() as u32 * rows, notes).await
            }
            Fetch::Columns { columns, rows } => by_bulk(session, columns, *rows, notes).await,
        }
    }
}

/// The first instances, with one GetBulk from the table's name on.
async fn first(session: &dyn Session, objects: u32, notes: &mut Notes<'_>) -> Result<(), ClientError> {
    let (mut from, mut left) = (Oid::EMPTY.child(IF_TABLE.oid), objects);
    while left > 0 {
        let answer = session.bulk(0, left, std::slice::from_ref(&from)).await?;
        notes.answer(&answer, of_table(&answer.bindings, &from));
        left = left.saturating_sub(answer.bindings.len() as u32);
        match answer.bindings.into_iter().next_back().filter(|last| last.name > from) {
            Some(last) => from = last.name,
            None => break,
        }
    }
    Ok(())
}

/// How many of these are values of the table, if each name is behind the one before it: otherwise none.
fn of_table(bindings: &[VarBind], from: &Oid) -> u32 {
    let names = std::iter::once(from).chain(bindings.iter().map(|it| &it.name));
    let is_value = |it: &&VarBind| it.name.starts_with(IF_TABLE.oid) && matches!(it.value, Bound::Value(_));
    let values = bindings.iter().take_while(is_value).count();
    // At the end of the MIB view an exception repeats the name.
    if names.take(values + 1).is_sorted_by(|one, other| one < other) { values as u32 } else { 0 }
}

/// Columns of the first rows with GetBulk.
async fn by_bulk(
    session: &dyn Session,
    columns: &[u32],
    rows: u32,
    notes: &mut Notes<'_>,
) -> Result<(), ClientError> {
    let (mut names, mut left) = (heads(columns), rows);
    while left > 0 {
        let answer = session.bulk(0, left, &names).await?;
        // An answer that is cut off in a row has that row only in part: the next request begins with it.
        let whole = answer.bindings.len() - answer.bindings.len() % columns.len();
        notes.answer(&answer, inside(&answer.bindings[..whole], columns));
        let rows = (whole / columns.len()) as u32;
        if rows == 0 {
            break;
        }
        left = left.saturating_sub(rows);
        let last = &answer.bindings[whole - columns.len()..whole];
        names = last.iter().map(|binding| binding.name.clone()).collect();
    }
    Ok(())
}

/// Columns of the first rows with GetNext, a row at a time: each answer is the next request.
async fn by_next(
    session: &dyn Session,
    columns: &[u32],
    objects: u32,
    notes: &mut Notes<'_>,
) -> Result<(), ClientError> {
    let (mut names, mut left) = (heads(columns), objects);
    while left > 0 {
        names.truncate(left as usize);
        let answer = session.next(&names).await?;
        notes.answer(&answer, inside(&answer.bindings, columns));
        left = left.saturating_sub(answer.bindings.len() as u32);
        if answer.bindings.is_empty() {
            break;
        }
        names = answer.bindings.into_iter().map(|binding| binding.name).collect();
    }
    Ok(())
}

/// The columns' own names.
fn heads(columns: &[u32]) -> Vec<Oid> {
    let entry = Oid::EMPTY.child(IF_TABLE.oid).child(&[1]);
    columns.iter().map(|column| entry.child(&[*column])).collect()
}

/// How many of these are instances of the columns.
fn inside(bindings: &[VarBind], columns: &[u32]) -> u32 {
    let heads = heads(columns);
    let of = |(at, binding): &(usize, &VarBind)| {
        binding.name.starts_with(&heads[at % heads.len()]) && matches!(binding.value, Bound::Value(_))
    };
    bindings.iter().enumerate().filter(of).count() as u32
}

//! Rows of a table in a range of indexes: nothing outside the range is requested.

use std::collections::BTreeMap;

use trunkline_query::KeyRange;
use trunkline_smi::{MAX_SUB_IDS, Oid};
use trunkline_snmp::wire::{Bound, ErrorStatus, VarBind, Version};

use crate::error::Error;
use crate::session::Session;
use crate::table::{Gathered, Table, TableLimit};

/// Rows per request.
const ROWS: u32 = 16;

/// The rows of `columns` (each the object identifier of a column, without an index) whose indexes are in `range`.
///
/// # Errors
/// The [`Error`] of a request; [`Error::NotIncreasing`] if the agent goes back; [`Error::TableTooLong`] if it does
/// not end.
pub async fn rows_in_range(agent: &dyn Session, columns: &[Oid], range: &KeyRange) -> Result<Table, Error> {
    let mut table = Table { columns: columns.to_vec(), rows: BTreeMap::new() };
    let mut gathered = Gathered::within(TableLimit::default());
    let before = before(range.from());
    let mut open: Vec<(usize, Oid)> = Vec::new();
    if !range.is_empty() {
        open.extend(columns.iter().enumerate().map(|(at, column)| (at, column.child(&before))));
    }
    while !open.is_empty() {
        let names: Vec<Oid> = open.iter().map(|(_, name)| name.clone()).collect();
        let has_bulk = agent.as_snmp().is_none_or(|session| session.version() != Version::V1);
        let answer = match has_bulk {
            true => agent.bulk(0, ROWS, &names).await,
            false => agent.next(&names).await,
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                // SNMPv1 reports the end of the data in this way.
                let Some(at) = error.position(ErrorStatus::NoSuchName, open.len()) else { return Err(error) };
                open.remove(at);
                continue;
            }
        };
        open = taken(open, answer.bindings, &mut table, range, &mut gathered)?;
    }
    Ok(table)
}

/// Stores bindings in their cells; returns where to continue the columns that have not ended.
fn taken(
    open: Vec<(usize, Oid)>,
    bindings: Vec<VarBind>,
    table: &mut Table,
    range: &KeyRange,
    gathered: &mut Gathered,
) -> Result<Vec<(usize, Oid)>, Error> {
    let count = table.columns.len();
    let mut last: Vec<Option<Oid>> = vec![None; open.len()];
    let mut is_over = vec![false; open.len()];
    for (position, binding) in bindings.into_iter().enumerate() {
        let turn = position % open.len();
        if is_over[turn] {
            continue;
        }
        let (column, from) = &open[turn];
        let index = binding.name.strip_prefix(&*table.columns[*column]).filter(|index| !index.is_empty());
        let is_behind = |index: &[u32]| range.below().is_some_and(|below| index >= below);
        let (Some(index), Bound::Value(_)) = (index, &binding.value) else {
            is_over[turn] = true;
            continue;
        };
        if is_behind(index) {
            is_over[turn] = true;
            continue;
        }
        let previous = last[turn].as_ref().unwrap_or(from);
        if binding.name <= *previous {
            let (previous, found) = (previous.clone(), binding.name);
            return Err(Error::NotIncreasing { previous, found });
        }
        if range.contains(index) {
            let rows = table.rows.len() + usize::from(!table.rows.contains_key(index));
            gathered.add(rows, index, &binding.value)?;
            let row = table.rows.entry(index.to_vec()).or_insert_with(|| vec![None; count]);
            row[*column] = Some(binding.value);
        }
        last[turn] = Some(binding.name);
    }
    let next = open.into_iter().zip(last).zip(is_over);
    Ok(next.filter_map(|(((column, _), last), is_over)| Some((column, last.filter(|_| !is_over)?))).collect())
}

/// An index after which the range begins, as near as possible.
fn before(from: &[u32]) -> Vec<u32> {
    match from.split_last() {
        None => Vec::new(),
        Some((0, front)) => front.to_vec(),
        Some((last, front)) if front.len() + 2 < MAX_SUB_IDS / 2 => [front, &[last - 1, u32::MAX]].concat(),
        Some((last, front)) => [front, &[last - 1]].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_entered_just_before_its_beginning() {
        assert_eq!(before(&[]), [] as [u32; 0]);
        assert_eq!(before(&[5]), [4, u32::MAX]);
        assert_eq!(before(&[5, 0]), [5]);
        assert_eq!(before(&[5, 7]), [5, 6, u32::MAX]);
    }

    #[test]
    fn bindings_are_taken_up_to_the_end_of_the_range() {
        let column = |at: u32| Oid::from([1, at]);
        let mut table = Table { columns: vec![column(1), column(2)], rows: BTreeMap::new() };
        let binding = |at: u32, row: u32| VarBind {
            name: Oid::from([1, at, row]),
            value: Bound::Value(trunkline_smi::Value::Integer(row as i32)),
        };
        let open = vec![(0, column(1)), (1, column(2))];
        let range = KeyRange::between(&[1], Some(&[3]));
        let answer = vec![binding(1, 1), binding(2, 2), binding(1, 2), binding(3, 1)];
        let mut gathered = Gathered::within(TableLimit::default());
        let open = taken(open, answer, &mut table, &range, &mut gathered).unwrap();
        assert_eq!(open, [(0, Oid::from([1, 1, 2]))]);
        assert_eq!(table.rows.len(), 2);
        assert!(table.cell(&[1], 1).is_none() && table.cell(&[2], 1).is_some());
        let open = taken(open, vec![binding(1, 3)], &mut table, &range, &mut gathered).unwrap();
        assert!(open.is_empty());
        let at = vec![(0, Oid::from([1, 1, 2]))];
        let back = taken(at, vec![binding(1, 1)], &mut table, &range, &mut gathered);
        assert!(matches!(back, Err(Error::NotIncreasing { .. })));
    }
}

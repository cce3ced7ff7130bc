//! Tables: chosen columns, fetched side by side, as rows.

use std::collections::BTreeMap;

use trunkline_smi::Oid;
use trunkline_snmp::wire::Bound;

use crate::error::Error;
use crate::session::Session;
use crate::walk::{WalkOptions, walk_all};

/// Rows of a table. A hole is a cell that the agent does not have: the row came
/// or went during the retrieval, or the agent leaves the cell out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The columns, in the order asked for.
    pub columns: Vec<Oid>,
    /// The rows in the order of their index; the cells in the order of `columns`.
    pub rows: BTreeMap<Vec<u32>, Vec<Option<Bound>>>,
}

impl Table {
    /// The cell of a row in a column.
    #[must_use]
    pub fn cell(&self, index: &[u32], column: usize) -> Option<&Bound> {
        self.rows.get(index)?.get(column)?.as_ref()
    }
}

/// Fetches `columns` (each the object identifier of a column, without an index).
/// Short tables cost a few messages with parts of many columns; long ones are
/// walked column by column, several at the same time.
///
/// # Errors
/// The [`Error`] of the walk.
pub async fn table(session: &Session, columns: &[Oid], options: WalkOptions) -> Result<Table, Error> {
    let options = WalkOptions { get_root_if_empty: false, ..options };
    let mut table = Table { columns: columns.to_vec(), rows: BTreeMap::new() };
    let mut walk = walk_all(session, columns.to_vec(), options);
    while let Some(binding) = walk.next().await {
        let binding = binding?;
        for (at, column) in columns.iter().enumerate() {
            let Some(index) = binding.name.strip_prefix(&**column) else { continue };
            let row = table.rows.entry(index.to_vec()).or_insert_with(|| vec![None; columns.len()]);
            row[at] = Some(binding.value.clone());
        }
    }
    Ok(table)
}

//! Pages of a list that is a table: which rows, and how many there are besides.

use trunkline_smi::{IndexValue, OidBuf, Value, encode_index};
use trunkline_tree::{Page, Room, Row, RowQuery, RowSink, RowWalker};
use trunkline_yang::forest::{NodeId, Place};

use super::DataQuery;

/// Rows of a list.
#[derive(Clone, Copy, Debug)]
pub struct ListPage {
    /// The list.
    pub node: NodeId,
    /// How many rows are left out, and how many there are then.
    pub page: Page,
}

/// How many rows a list has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowCount {
    /// All that the caller may see.
    pub total: usize,
    /// Those before the row that was asked for; `None`: there is no such row.
    pub before: Option<usize>,
}

impl DataQuery<'_> {
    /// Counts the rows of a list without reading their cells, and those before the row with these keys. `None`: it is not a table
    /// that is served.
    pub async fn count(&self, node: NodeId, keys: Option<Vec<Value>>) -> Option<RowCount> {
        let Place::List(table) = self.forest[node].place else { return None };
        let served = self.served.tree.table_named(table.name)?;
        let mut index = OidBuf::new();
        let values = keys.and_then(|keys| keys.into_iter().map(IndexValue::of).collect::<Option<Vec<_>>>());
        let has_index = values.is_some_and(|values| encode_index(table.index, &values, &mut index).is_ok());
        let query = RowQuery::all(served.id(), &[], self.access, self.arrived);
        let query = RowQuery { with_empty: true, ..query };
        let mut counting = Counting { index: has_index.then_some(&index[..]), count: RowCount::default() };
        let done = self.served.retrieve_rows(&mut RowWalker::new(), &query, &mut counting).await;
        done.ok().map(|_| counting.count)
    }
}

struct Counting<'i> {
    index: Option<&'i [u32]>,
    count: RowCount,
}

impl RowSink for Counting<'_> {
    fn row(&mut self, row: Row<'_>) -> Room {
        if self.index.is_some_and(|index| index == row.index()) {
            self.count.before = Some(self.count.total);
        }
        self.count.total += 1;
        Room::Taken
    }
}

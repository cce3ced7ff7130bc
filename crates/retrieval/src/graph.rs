//! The current services: those of the configuration, and one per row where it says so.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use trunkline_query::services::Graph;
use trunkline_smi::ValueRef;
use trunkline_smi::schema::Table;
use trunkline_soap::expression::{Specification, SpecificationError};
use trunkline_tree::{Access, LeafId, Room, Row, RowQuery, RowSink, RowWalker};

use trunkline_core::{Served, Unanswered};

/// The configuration, and the graph last made from it.
#[derive(Default)]
pub struct Services {
    specification: Arc<Specification>,
    last: Mutex<Option<(Rows, Arc<Graph>)>>,
}

/// For each table with a service for each row, the rows' indexes and names.
type Rows = Vec<(&'static str, Vec<(u32, Option<String>)>)>;

impl Services {
    /// Of a configuration.
    pub fn new(specification: Specification) -> Self {
        Services { specification: Arc::new(specification), last: Mutex::default() }
    }

    /// The configuration.
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The graph as visible with this access.
    ///
    /// # Errors
    /// The rows of a table with a service for each could not be read.
    pub async fn graph(
        &self,
        served: &Served,
        access: &Access,
        arrived: Instant,
    ) -> Result<Arc<Graph>, Unanswered> {
        let mut rows = Rows::new();
        for (table, column) in self.specification.row_tables() {
            if !rows.iter().any(|(name, _)| *name == table.name) {
                rows.push((table.name, names(served, access, arrived, (table, column)).await?));
            }
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, graph)) = last.as_ref().filter(|(known, _)| *known == rows) {
            return Ok(graph.clone());
        }
        let graph = Arc::new(self.made(&rows));
        *last = Some((rows, graph.clone()));
        Ok(graph)
    }

    /// Without the rows' services.
    pub fn graph_without_rows(&self) -> Graph {
        self.made(&Vec::new())
    }

    fn made(&self, rows: &Rows) -> Graph {
        let of = |table: &'static Table, _: Option<u32>| {
            let found = rows.iter().find(|(name, _)| *name == table.name);
            found.map(|(_, rows)| rows.clone()).unwrap_or_default()
        };
        self.specification.graph(&of).unwrap_or_else(|error: SpecificationError| {
            // It was checked with the configuration; the only error possible now is a row's tag that conflicts
            // with another.
            tracing::warn!(%error, "the configured services are not a valid graph");
            Graph::default()
        })
    }
}

/// The rows' indexes and names.
async fn names(
    served: &Served,
    access: &Access,
    arrived: Instant,
    (table, column): (&'static Table, Option<u32>),
) -> Result<Vec<(u32, Option<String>)>, Unanswered> {
    let tree = &served.tree;
    let Some(known) = tree.table_named(table.name) else { return Ok(Vec::new()) };
    let leaf = |id: u32| tree.leaf_of(&[table.oid, &[1, id]].concat()).map(|leaf| leaf.id());
    let named = column.and_then(leaf);
    // A row exists if any of its columns has a value.
    let others = table
        .columns
        .iter()
        .filter(|column| column.access.is_readable())
        .filter_map(|column| leaf(column.id));
    let columns: Vec<LeafId> = match named {
        Some(named) => vec![named],
        None => others.collect(),
    };
    let query = RowQuery::all(known.id(), &columns, access, arrived);
    let mut sink = Names { is_named: named.is_some(), rows: Vec::new() };
    served.retrieve_rows(&mut RowWalker::new(), &query, &mut sink).await?;
    Ok(sink.rows)
}

struct Names {
    is_named: bool,
    rows: Vec<(u32, Option<String>)>,
}

impl RowSink for Names {
    fn row(&mut self, row: Row<'_>) -> Room {
        if let [index] = *row.index() {
            let name = match row.cell(0) {
                Some(ValueRef::OctetString(octets)) if self.is_named => {
                    Some(String::from_utf8_lossy(octets).into_owned())
                }
                _ => None,
            };
            self.rows.push((index, name));
        }
        Room::Taken
    }
}

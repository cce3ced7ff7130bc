//! Rows of the tree for a plan: each is tested, then written.

use std::time::Instant;

use trunkline_query::{Cells, KeyRange};
use trunkline_smi::schema::{IndexPart, Table};
use trunkline_smi::{IndexRef, Value, ValueRef, index_refs};
use trunkline_soap::expression::message::{AnswerWriter, PartRecord, RowsWriter};
use trunkline_soap::expression::{Found, FoundRows, RowsPart};
use trunkline_transport::http::HttpRequest;
use trunkline_tree::{Access, LeafId, Page, Progress, Room, Row, RowQuery, RowRange, RowSink, RowWalker};

use trunkline_core::{Served, Unanswered};

/// The principal, the time, and what is served.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    /// The tree.
    pub served: &'w Served,
    /// What its principal may read.
    pub access: &'w Access,
    /// When the request arrived.
    pub arrived: Instant,
    /// The most octets of an answer.
    pub limit: usize,
    /// The request, whose connection bounds what is held for it.
    pub request: &'w HttpRequest,
}

impl Work<'_> {
    /// Whether the answer may have this many octets.
    fn has_room(&self, octets: usize) -> bool {
        octets <= self.limit && self.request.has_room(octets, self.limit)
    }
}

/// Where rows are written to: kept, or only counted.
pub struct Output {
    /// What is kept of it.
    pub octets: Vec<u8>,
    /// Octets that were counted and are gone.
    pub counted: u64,
    /// Whether all of it is kept.
    pub keeps: bool,
}

/// The maximum size held at a time of rows that are only counted.
const HELD: usize = 64 * 1024;

impl Output {
    /// Nothing yet.
    pub fn new(keeps: bool) -> Self {
        Output { octets: Vec::with_capacity(4096), counted: 0, keeps }
    }

    /// Whether there is room after what was written.
    fn has_room(&mut self, work: &Work<'_>) -> bool {
        if !self.keeps && self.octets.len() > HELD {
            self.counted += self.octets.len() as u64;
            self.octets.clear();
        }
        work.has_room(self.octets.len())
    }
}

/// How many rows there were, and how many of them are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    pub rows: u64,
    pub kept: u64,
    pub is_whole: bool,
}

/// Writes the rows of a part. `explains`: all rows are counted, also those that need not be looked at.
pub(crate) async fn write(
    work: Work<'_>,
    part: &RowsPart,
    found: &Found,
    explains: bool,
    answer: &mut AnswerWriter<'_>,
    output: &mut Output,
) -> Result<Counted, Unanswered> {
    let Some(columns) = Columns::of(work.served, part.table, &part.fetched) else {
        return Ok(Counted { is_whole: true, ..Counted::default() });
    };
    let record = PartRecord::new(part);
    let rows = answer.rows(part, &record);
    let by_walker = part.is_plain() && !explains;
    let keys = match &part.predicate {
        Some(predicate) if !part.counts_rows() && !explains => predicate.key_range(part.table.index),
        _ => KeyRange::all(),
    };
    let query = RowQuery {
        table: columns.table,
        columns: &columns.leaves,
        range: part.only.as_deref().map_or(RowRange::Keys(&keys), RowRange::One),
        filter: part.predicate.as_ref().filter(|_| by_walker),
        page: Page::ALL,
        with_empty: false,
        access: work.access,
        arrived: work.arrived,
    };
    let counted = Counted::default();
    let mut sink = Sink {
        part,
        found,
        by_walker,
        columns: &columns,
        record: &record,
        rows,
        answer,
        output,
        counted,
        work,
    };
    let progress = work.served.retrieve_rows(&mut RowWalker::new(), &query, &mut sink).await?;
    let Sink { rows, output, counted, .. } = sink;
    rows.end(&mut output.octets);
    Ok(Counted { is_whole: matches!(progress, Progress::Done), ..counted })
}

struct Sink<'s, 'g> {
    part: &'s RowsPart,
    found: &'s Found,
    by_walker: bool,
    columns: &'s Columns,
    record: &'s PartRecord,
    rows: RowsWriter,
    answer: &'s mut AnswerWriter<'g>,
    output: &'s mut Output,
    counted: Counted,
    work: Work<'s>,
}

impl RowSink for Sink<'_, '_> {
    fn row(&mut self, row: Row<'_>) -> Room {
        let cells = TreeRow { row, columns: self.columns, parts: self.part.table.index };
        let mut foreign = Vec::new();
        if !self.by_walker {
            foreign = self.part.foreign_values(row.index(), self.counted.rows + 1, self.found);
        }
        self.counted.rows += 1;
        if !self.by_walker && !self.part.admits(&cells, &foreign) {
            return Room::Taken;
        }
        self.counted.kept += 1;
        let own = self.record.own.iter().map(|at| self.columns.cell(&row, *at));
        let told =
            foreign.iter().take(self.record.foreign).map(|value| value.as_ref().map(Value::as_value_ref));
        self.rows.row(self.answer, &mut self.output.octets, row.index(), own.chain(told));
        if self.output.has_room(&self.work) { Room::Taken } else { Room::Full }
    }
}

/// The leaves of the columns that a part needs, and where each of the columns is among them.
struct Columns {
    table: trunkline_tree::TableId,
    leaves: Vec<LeafId>,
    ids: Vec<u32>,
    places: Vec<Option<usize>>,
}

impl Columns {
    /// `None`: the table is not served.
    fn of(served: &Served, table: &'static Table, ids: &[u32]) -> Option<Self> {
        let tree = &served.tree;
        let known = tree.table_named(table.name)?;
        let leaf = |id: &u32| tree.leaf_of(&[table.oid, &[1, *id]].concat()).map(|leaf| leaf.id());
        let mut leaves = Vec::new();
        let places = ids.iter().map(|id| {
            leaves.push(leaf(id)?);
            Some(leaves.len() - 1)
        });
        let places = places.collect();
        if leaves.is_empty() {
            // Nothing but the index: a row is there if anything of it may be read.
            leaves = table.columns.iter().filter_map(|column| leaf(&column.id)).collect();
        }
        Some(Columns { table: known.id(), leaves, ids: ids.to_vec(), places })
    }

    /// The cell of the column at this position of what is fetched.
    fn cell<'r>(&self, row: &Row<'r>, at: usize) -> Option<ValueRef<'r>> {
        row.cell(self.places.get(at).copied().flatten()?)
    }
}

/// A row of the tree for a predicate.
struct TreeRow<'r> {
    row: Row<'r>,
    columns: &'r Columns,
    parts: &'static [IndexPart],
}

impl Cells for TreeRow<'_> {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        let at = self.columns.ids.iter().position(|id| *id == column)?;
        self.columns.cell(&self.row, at)
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        index_refs(self.parts, self.row.index()).nth(part)?.ok()
    }
}

/// The rows of a table that is looked into.
pub(crate) async fn looked_up(
    work: Work<'_>,
    table: &'static Table,
    columns: &[u32],
) -> Result<FoundRows, Unanswered> {
    let mut sink = Kept { columns: Columns::of(work.served, table, columns), rows: FoundRows::new() };
    let Some(known) = sink.columns.as_ref() else { return Ok(sink.rows) };
    let leaves = known.leaves.clone();
    let query = RowQuery::all(known.table, &leaves, work.access, work.arrived);
    work.served.retrieve_rows(&mut RowWalker::new(), &query, &mut sink).await?;
    Ok(sink.rows)
}

struct Kept {
    columns: Option<Columns>,
    rows: FoundRows,
}

impl RowSink for Kept {
    fn row(&mut self, row: Row<'_>) -> Room {
        if let Some(columns) = &self.columns {
            let cell = |at| columns.cell(&row, at).map(|value| value.to_value());
            self.rows.insert(row.index().to_vec(), (0..columns.ids.len()).map(cell).collect());
        }
        Room::Taken
    }
}

//! Rows of one table from its snapshot, for protocols that use rows: all of them, one, or the next few,
//! optionally selected by a predicate, with the same access check and the same freshness as
//! [`Walker`](crate::Walker).
//!
//! Like a walker, a [`RowWalker`] is a machine without I/O: [`RowWalker::advance`] passes rows to the sink until
//! everything is answered, the sink is full or the group must be loaded; the next call continues with the same
//! row. It is reused for all requests, so that a request allocates nothing in steady state, unless every object
//! is read separately.

mod gathered;
mod plan;
mod row;

use std::time::Instant;

use trunkline_query::{Page, Pager, Predicate, RowRange};
use trunkline_smi::OidBuf;

use crate::pins::Pin;
use crate::{Access, LeafId, Progress, Room, TableData, TableId, Tree};
use gathered::Gathered;
use plan::Plan;
use row::Source;
pub use row::{Block, Row, StoredCells};

/// Which rows are to be handed out.
#[derive(Clone, Copy, Debug)]
pub struct RowQuery<'a> {
    /// The table.
    pub table: TableId,
    /// What is wanted of each row, in this order: columns of the table, or of another one that is read with it and has
    /// the same index, as one that AUGMENTS it. Any other leaf has no cells.
    pub columns: &'a [LeafId],
    /// Which rows, by their indexes.
    pub range: RowRange<'a>,
    /// The test for each row, compiled for this table. It sees only what the principal may read.
    pub filter: Option<&'a Predicate>,
    /// Of the rows that are found, how many are left out and how many given out.
    pub page: Page,
    /// Whether rows are given out too of which nothing that is wanted is there, if the principal may read another cell of the table in
    /// them.
    pub with_empty: bool,
    /// The access of the principal.
    pub access: &'a Access,
    /// When the request arrived.
    pub arrived: Instant,
}

impl<'a> RowQuery<'a> {
    /// All rows of a table.
    pub fn all(table: TableId, columns: &'a [LeafId], access: &'a Access, arrived: Instant) -> Self {
        RowQuery {
            table,
            columns,
            range: RowRange::All,
            filter: None,
            page: Page::ALL,
            with_empty: false,
            access,
            arrived,
        }
    }

    /// How many rows there may be.
    fn page(&self) -> Page {
        let limit = match self.range {
            RowRange::One(_) => 1,
            RowRange::After { count, .. } => count,
            RowRange::All | RowRange::Keys(_) => usize::MAX,
        };
        Page { limit: self.page.limit.min(limit), ..self.page }
    }
}

/// Receives rows in index order.
pub trait RowSink {
    /// Whether rows that follow each other come as blocks, where they can: for sinks that make columns of them.
    const TAKES_BLOCKS: bool = false;

    /// One row; [`Room::Full`] when nothing of it was taken: then it comes again.
    fn row(&mut self, row: Row<'_>) -> Room;

    /// Rows that follow each other; returns how many were taken, from the first on. Fewer than there are mean that the sink is full.
    fn block(&mut self, block: Block<'_>) -> usize {
        let _ = block;
        0
    }
}

/// Carries out one query for rows at a time.
#[derive(Debug, Default)]
pub struct RowWalker {
    pin: Pin,
    plan: Plan,
    begun: bool,
    from: From,
    /// Where [`From::Passed`] needs it: the index of the last row.
    passed: OidBuf,
    pager: Pager,
    /// The objects that were read separately, counted as [`Pin`] requires.
    object: usize,
    gathered: Gathered,
}

/// Where the search continues.
#[derive(Clone, Copy, Debug, Default)]
enum From {
    /// Where the range begins.
    #[default]
    Begin,
    /// At this row or after it.
    Row(usize),
    /// Behind the row that was last found: its snapshot is gone.
    Passed,
}

impl RowWalker {
    /// A walker that has not worked yet.
    pub fn new() -> Self {
        RowWalker::default()
    }

    /// Forgets the last query. Called before each new one.
    pub fn reset(&mut self) {
        self.pin = Pin::default();
        self.begun = false;
        self.from = From::Begin;
        self.pager = Pager::default();
        self.object = 0;
        self.gathered.clear();
    }

    /// How many rows were handed out.
    pub fn rows(&self) -> usize {
        self.pager.given()
    }

    /// Continues until the query is answered ([`Progress::Done`]), the sink is full ([`Progress::Full`], with the
    /// number of rows that it accepted), or the table's group must be loaded ([`Progress::Load`]). The query must
    /// not change until then. Regions have no schema and are never asked.
    pub fn advance<S: RowSink>(&mut self, tree: &Tree, query: &RowQuery<'_>, sink: &mut S) -> Progress {
        if !self.begun {
            self.plan.make(tree, query);
            self.begun = true;
        }
        if !self.plan.may_read_any() {
            return Progress::Done;
        }
        match self.walk(tree, query, sink) {
            Ok(()) => Progress::Done,
            Err(stop) => stop,
        }
    }

    fn walk<S: RowSink>(&mut self, tree: &Tree, query: &RowQuery<'_>, sink: &mut S) -> Result<(), Progress> {
        let group = tree.table(query.table).group();
        let page = query.page();
        while !self.pager.is_full(page) {
            if !self.gathered.is_begun() {
                self.pin.pin(tree, query.arrived, group, self.object)?;
                if !self.pin.is_per_object() {
                    return self.stored_rows(tree, query, sink);
                }
                if !self.begin_gathering(tree, query) {
                    return Ok(());
                }
            }
            self.gather(tree, query)?;
            if self.gathered.is_empty() && !query.with_empty {
                self.gathered.clear();
                continue;
            }
            let source = Source::Gathered(self.gathered.cells());
            self.taken(sink.row(Row::new(&self.passed, source)))?;
            self.gathered.clear();
            self.object += 1;
        }
        Ok(())
    }

    /// From one snapshot to the end.
    fn stored_rows<S: RowSink>(
        &mut self,
        tree: &Tree,
        query: &RowQuery<'_>,
        sink: &mut S,
    ) -> Result<(), Progress> {
        let RowWalker { pin, plan, from, passed, pager, .. } = self;
        let served = tree.table(query.table);
        let Some(snapshot) = pin.get() else { return Err(Progress::Load(served.group())) };
        let table = &snapshot.tables[served.position()];
        let page = query.page();
        let (first, end) = plan.bounds(table, query);
        let mut row = first.max(from.in_table(table, passed));
        plan.fit(&snapshot.tables);
        if S::TAKES_BLOCKS && query.filter.is_none() && plan.has_each_row() {
            row += pager.passes_over_of(page, end.saturating_sub(row));
            let until = end.min(row.saturating_add(page.limit - pager.given()));
            let block = Block::new(&snapshot.tables, served.position(), plan.columns(), row..until);
            let taken = sink.block(block);
            pager.give_all(taken);
            *from = From::Row(row + taken);
            return if taken < block.len() { Err(Progress::Full { binding: pager.given() }) } else { Ok(()) };
        }
        while !pager.is_full(page) {
            let Some(found) = plan.next_row(&snapshot.tables, query, row, end) else { break };
            row = found + 1;
            if pager.passes_over(page) {
                continue;
            }
            let source = Source::Stored {
                tables: &snapshot.tables,
                position: served.position(),
                row: found,
                columns: plan.columns(),
                visible: plan.visible(),
            };
            if sink.row(Row::new(&table.index()[found], source)) == Room::Full {
                *from = From::Row(found);
                return Err(Progress::Full { binding: pager.given() });
            }
            pager.give();
        }
        *from = From::Row(end);
        Ok(())
    }

    /// Finds the next row in the snapshot that was read for its first object; whether there is one.
    fn begin_gathering(&mut self, tree: &Tree, query: &RowQuery<'_>) -> bool {
        let served = tree.table(query.table);
        let Some(snapshot) = self.pin.get() else { return false };
        let table = &snapshot.tables[served.position()];
        let (first, end) = self.plan.bounds(table, query);
        let mut row = first.max(self.from.in_table(table, &self.passed));
        self.plan.fit(&snapshot.tables);
        while let Some(found) = self.plan.next_row(&snapshot.tables, query, row, end) {
            row = found + 1;
            if self.pager.passes_over(query.page()) {
                continue;
            }
            self.passed.clear();
            // Never too long: a table has no row whose index does not fit after its columns.
            let _ = self.passed.extend(&table.index()[found]);
            self.from = From::Passed;
            self.gathered.begin();
            return true;
        }
        false
    }

    /// Reads the row's cells one by one, each from its own snapshot.
    fn gather(&mut self, tree: &Tree, query: &RowQuery<'_>) -> Result<(), Progress> {
        let served = tree.table(query.table);
        while let Some(column) = self.plan.columns().get(self.gathered.len()) {
            if !column.may_read(query.access, &self.passed) {
                self.gathered.push(None);
                continue;
            }
            if self.gathered.wants_another_object() {
                self.object += 1;
            }
            let snapshot = self.pin.pin(tree, query.arrived, served.group(), self.object)?;
            let value = column.value_at(&snapshot.tables, &self.passed, 0);
            self.gathered.push_read(value);
        }
        Ok(())
    }

    fn taken(&mut self, room: Room) -> Result<(), Progress> {
        if room == Room::Full {
            return Err(Progress::Full { binding: self.pager.given() });
        }
        self.pager.give();
        Ok(())
    }
}

impl From {
    /// The first row that is still ahead.
    fn in_table(self, table: &TableData, passed: &OidBuf) -> usize {
        match self {
            From::Begin => 0,
            From::Row(row) => row,
            From::Passed => table.rows_upto(passed),
        }
    }
}

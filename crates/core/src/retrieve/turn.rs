//! A sink that is full after a number of values, so that a long retrieval yields to other requests and continues.

use trunkline_smi::{Exception, ValueRef};
use trunkline_tree::{Block, Leaf, Name, Room, Row, RowSink, Rows, Sink};

/// The sink of a request, for one turn after another.
pub(super) struct Turn<'s, S> {
    sink: &'s mut S,
    length: usize,
    left: usize,
    is_over: bool,
}

impl<'s, S> Turn<'s, S> {
    /// For single values.
    pub fn of_values(sink: &'s mut S) -> Self {
        Self { sink, length: VALUES, left: VALUES, is_over: false }
    }

    /// For whole rows.
    pub fn of_rows(sink: &'s mut S) -> Self {
        Self { sink, length: ROWS, left: ROWS, is_over: false }
    }

    /// Whether the turn has ended, and not the room of the request's sink.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Lets other tasks run, and sockets be read, before the next turn.
    pub async fn next(&mut self) {
        tokio::task::yield_now().await;
        (self.left, self.is_over) = (self.length, false);
    }

    /// Whether another value or row may be taken.
    fn takes(&mut self) -> bool {
        self.is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_over
    }
}

impl<S: Sink> Sink for Turn<'_, S> {
    fn value(&mut self, name: Name<'_>, value: ValueRef<'_>) -> Room {
        if self.takes() { self.sink.value(name, value) } else { Room::Full }
    }

    fn exception(&mut self, name: Name<'_>, exception: Exception) -> Room {
        if self.takes() { self.sink.exception(name, exception) } else { Room::Full }
    }

    fn run(&mut self, leaf: &Leaf, rows: Rows<'_>) -> usize {
        let end = rows.end.min(rows.start + self.left);
        self.is_over = end == rows.start && !rows.is_empty();
        if self.is_over {
            return 0;
        }
        let taken = self.sink.run(leaf, Rows { end, ..rows });
        self.left -= taken.min(self.left);
        taken
    }
}

impl<S: RowSink> RowSink for Turn<'_, S> {
    const TAKES_BLOCKS: bool = S::TAKES_BLOCKS;

    #[inline]
    fn row(&mut self, row: Row<'_>) -> Room {
        if self.takes() { self.sink.row(row) } else { Room::Full }
    }

    fn block(&mut self, block: Block<'_>) -> usize {
        let now = block.first(self.left);
        self.is_over = now.is_empty() && !block.is_empty();
        let taken = if self.is_over { 0 } else { self.sink.block(now) };
        self.left -= taken.min(self.left);
        self.is_over |= taken == now.len() && taken < block.len();
        taken
    }
}

/// Values of a turn: a fraction of a millisecond.
const VALUES: usize = 512;

/// Rows of a turn.
const ROWS: usize = 64;

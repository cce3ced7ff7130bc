//! The whole question to one table: which columns, which rows, and how many of them.

use trunkline_smi::schema::Table;

use crate::{Cells, Condition, KeyRange, Mistake, Predicate, QueryError, Scope};

/// Which rows of a table, by their indexes.
#[derive(Clone, Copy, Debug, Default)]
pub enum RowRange<'a> {
    /// All of them.
    #[default]
    All,
    /// The row of this index.
    One(&'a [u32]),
    /// This many rows after this index, which need not exist; an empty index is before the first row.
    After {
        /// The index.
        index: &'a [u32],
        /// How many rows at most, counted after the filter.
        count: usize,
    },
    /// The rows in a range of indexes.
    Keys(&'a KeyRange),
}

/// Which of the rows that were found are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// How many at the front are left out.
    pub offset: usize,
    /// How many there may be then.
    pub limit: usize,
}

impl Page {
    /// All of them.
    pub const ALL: Page = Page { offset: 0, limit: usize::MAX };
}

impl Default for Page {
    fn default() -> Self {
        Page::ALL
    }
}

/// Counts rows against a [`Page`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Pager {
    passed: usize,
    given: usize,
}

impl Pager {
    /// Whether the page has no more rows.
    pub fn is_full(&self, page: Page) -> bool {
        self.given >= page.limit
    }

    /// Whether to skip the row that was just found; if so it is counted.
    pub fn passes_over(&mut self, page: Page) -> bool {
        let passes = self.passed < page.offset;
        self.passed += usize::from(passes);
        passes
    }

    /// How many rows to skip of as many that were found; they are counted.
    pub fn passes_over_of(&mut self, page: Page, rows: usize) -> usize {
        let passes = page.offset.saturating_sub(self.passed).min(rows);
        self.passed += passes;
        passes
    }

    /// Counts a row that was given out.
    pub fn give(&mut self) {
        self.given += 1;
    }

    /// Counts as many rows that were given out.
    pub fn give_all(&mut self, rows: usize) {
        self.given += rows;
    }

    /// How many rows were given out.
    pub fn given(&self) -> usize {
        self.given
    }
}

/// A question to one table, resolved: what every front end compiles to.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The table.
    pub table: &'static Table,
    /// The last sub-identifiers of the columns that are wanted, in the order of the answer.
    pub columns: Vec<u32>,
    /// The test for each row.
    pub filter: Option<Predicate>,
    /// How many of them.
    pub page: Page,
}

impl Selection {
    /// Every readable column of every row.
    pub fn all(table: &'static Table) -> Self {
        let readable = table.columns.iter().filter(|column| column.access.is_readable());
        let columns = readable.map(|column| column.id).collect();
        Selection { table, columns, filter: None, page: Page::ALL }
    }

    /// The named columns, which are to be readable, of the rows that meet a condition.
    ///
    /// # Errors
    /// Of names and literals that do not fit the table; [`QueryError::at`] of a column is its position in the list.
    pub fn compile(
        table: &'static Table,
        columns: &[&str],
        condition: Option<&Condition>,
    ) -> Result<Self, QueryError> {
        let scope = Scope::table(table);
        let columns = columns.iter().enumerate().map(|(at, name)| column(table, &scope, name, at));
        let columns = columns.collect::<Result<_, _>>()?;
        let filter = condition.map(|condition| Predicate::compile(condition, &scope)).transpose()?;
        Ok(Selection { table, columns, filter, page: Page::ALL })
    }

    /// The same with a page.
    #[must_use]
    pub fn page(mut self, page: Page) -> Self {
        self.page = page;
        self
    }

    /// Where in the order of indexes the rows are.
    pub fn key_range(&self) -> KeyRange {
        self.filter.as_ref().map_or_else(KeyRange::all, |filter| filter.key_range(self.table.index))
    }

    /// Whether a row is among those that are wanted, the page aside.
    pub fn admits(&self, row: &impl Cells) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.holds(row))
    }

    /// Of rows in the order of their indexes those that are wanted.
    pub fn evaluate<'r, R: Cells>(
        &'r self,
        rows: impl Iterator<Item = R> + 'r,
    ) -> impl Iterator<Item = R> + 'r {
        rows.filter(|row| self.admits(row)).skip(self.page.offset).take(self.page.limit)
    }
}

fn column(table: &Table, scope: &Scope, name: &str, at: usize) -> Result<u32, QueryError> {
    match table.columns.iter().find(|column| column.name == name) {
        Some(column) if column.access.is_readable() => Ok(column.id),
        Some(column) => Err(QueryError { at, mistake: Mistake::NotReadable { name: column.name } }),
        None => match scope.field(name, at) {
            // Part of the index, from another table: it comes with the row, it is not a column of this one.
            Ok(field) => Err(QueryError { at, mistake: Mistake::NotReadable { name: field.name } }),
            Err(error) => Err(error),
        },
    }
}

//! What the expressions of a request compile to: which services, and which scalars and rows of each. The side
//! that has the data evaluates it: the agent on its tree, a manager on what it fetches.

use std::collections::HashMap;

use trunkline_query::services::{Selected, ServiceId};
use trunkline_query::{Cells, Predicate};
use trunkline_smi::schema::{Scalar, Syntax, Table};
use trunkline_smi::{IndexRef, Value, ValueRef};

use super::join::{Rows, Way};

/// Which data of the selected services an operation sees (D7.1 section 5.1: three methods with different views).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Single-instance data.
    Single,
    /// Tables.
    Tables,
    /// All of it.
    Everything,
}

/// What to retrieve.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How the services were found.
    pub selected: Selected,
    /// Where the filter compares nothing but scalars: nothing is retrieved unless it holds.
    pub gate: Option<Gate>,
    /// What is retrieved, in the order of the services.
    pub parts: Vec<Part>,
    /// Tables that are looked into for other tables' rows.
    pub lookups: Vec<Lookup>,
    /// Scalars that filters compare.
    pub compared: Vec<&'static Scalar>,
    /// Tables of selected services in which no row can match the filter, since it uses none of their columns.
    pub left_out: Vec<(ServiceId, &'static Table)>,
}

/// A condition on scalars alone.
#[derive(Clone, Debug)]
pub struct Gate {
    pub(super) scalars: Vec<&'static Scalar>,
    pub(super) predicate: Predicate,
}

/// A table that is looked into.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// The table.
    pub table: &'static Table,
    /// The columns that are needed.
    pub columns: Vec<u32>,
}

/// A part of the answer.
#[derive(Clone, Debug)]
pub enum Part {
    /// Scalars of a service.
    Scalars {
        /// The service.
        service: ServiceId,
        /// Which.
        scalars: Vec<&'static Scalar>,
    },
    /// Rows of a table.
    Rows(Box<RowsPart>),
}

/// Rows of one table.
#[derive(Clone, Debug)]
pub struct RowsPart {
    /// The service.
    pub service: ServiceId,
    /// The table.
    pub table: &'static Table,
    /// The only row, where the service holds but one.
    pub only: Option<Vec<u32>>,
    /// The columns of the answer.
    pub columns: Vec<u32>,
    /// The columns that are to be fetched: those of the answer first, then what the filter looks at.
    pub fetched: Vec<u32>,
    /// What rows must meet, the rows in brackets included.
    pub predicate: Option<Predicate>,
    /// Columns that are not in the table's own rows.
    pub foreign: Vec<Foreign>,
    /// How many of `foreign`, at the front, are in the answer after `columns`.
    pub shown: usize,
    pub(super) joins: Vec<JoinOf>,
}

/// Something that a row of another table says about a row, or a scalar, or the row's number.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// Its descriptor.
    pub name: &'static str,
    /// What its values may be.
    pub syntax: Syntax,
    pub(super) source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A column of the rows of a join.
    Column { join: usize, at: usize },
    /// A scalar, by its position in `Plan::compared`.
    Scalar(usize),
    /// How many rows there are up to this one, itself included.
    Position,
    /// Nothing: a column of a table that does not describe these rows.
    Absent,
}

#[derive(Clone, Debug)]
pub(super) struct JoinOf {
    pub way: Way,
    /// The lookup of the joined table, by position in `Plan::lookups`.
    pub rows: usize,
    /// That of the table between, and where its column is in the lookup's.
    pub link: Option<(usize, usize)>,
}

/// What was looked up before rows are chosen.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The rows of `Plan::lookups`, in that order.
    pub lookups: Vec<Rows>,
    /// The values of `Plan::compared`, in that order.
    pub compared: Vec<Option<Value>>,
}

/// The number of the column that stands for the first of [`RowsPart::foreign`]; the others follow.
pub(super) const FOREIGN: u32 = 1 << 24;

/// A row as its part's predicate sees it.
#[derive(Debug)]
pub struct WithForeign<'r, R> {
    row: &'r R,
    foreign: &'r [Option<Value>],
}

impl<R: Cells> Cells for WithForeign<'_, R> {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        match column.checked_sub(FOREIGN) {
            None => self.row.cell(column),
            Some(at) => self.foreign.get(at as usize)?.as_ref().map(Value::as_value_ref),
        }
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        self.row.part(part)
    }
}

impl Gate {
    /// Whether it holds of these values (`Plan::compared`, in that order).
    pub fn holds(&self, compared: &[Option<Value>]) -> bool {
        struct Values<'v>(&'v [Option<Value>]);
        impl Cells for Values<'_> {
            fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
                self.0.get(column as usize)?.as_ref().map(Value::as_value_ref)
            }

            fn part(&self, _: usize) -> Option<IndexRef<'_>> {
                None
            }
        }
        self.predicate.holds(&Values(compared))
    }

    /// The scalars that it compares.
    pub fn scalars(&self) -> &[&'static Scalar] {
        &self.scalars
    }
}

impl RowsPart {
    /// Whether a row can be selected on its own: no other table's columns are compared or shown.
    pub fn is_plain(&self) -> bool {
        self.foreign.is_empty()
    }

    /// Whether it matters how many rows there are before one: then all have to be looked at.
    pub fn counts_rows(&self) -> bool {
        self.foreign.iter().any(|foreign| foreign.source == Source::Position)
    }

    /// The values of `foreign` for the row of this index, the `position`th of the table, counted from 1.
    pub fn foreign_values(&self, index: &[u32], position: u64, found: &Found) -> Vec<Option<Value>> {
        let link = |join: &JoinOf| join.link.and_then(|(link, at)| Some((found.lookups.get(link)?, at)));
        let key = |join: &JoinOf| join.way.key(index, link(join));
        let keys: Vec<Option<Vec<u32>>> = self.joins.iter().map(key).collect();
        let value = |foreign: &Foreign| match foreign.source {
            Source::Position => Some(Value::Counter64(position)),
            Source::Scalar(at) => found.compared.get(at)?.clone(),
            Source::Absent => None,
            Source::Column { join, at } => {
                let rows = found.lookups.get(self.joins[join].rows)?;
                rows.get(keys[join].as_ref()?)?.get(at)?.clone()
            }
        };
        self.foreign.iter().map(value).collect()
    }

    /// Whether a row is wanted.
    pub fn admits<R: Cells>(&self, row: &R, foreign: &[Option<Value>]) -> bool {
        self.predicate.as_ref().is_none_or(|predicate| predicate.holds(&WithForeign { row, foreign }))
    }
}

impl Plan {
    /// The rows' parts.
    pub fn rows(&self) -> impl Iterator<Item = &RowsPart> {
        self.parts.iter().filter_map(|part| match part {
            Part::Rows(rows) => Some(&**rows),
            Part::Scalars { .. } => None,
        })
    }

    /// Every scalar that is needed, compared or retrieved, once.
    pub fn scalars(&self) -> Vec<&'static Scalar> {
        let retrieved = self.parts.iter().flat_map(|part| match part {
            Part::Scalars { scalars, .. } => scalars.as_slice(),
            Part::Rows(_) => &[],
        });
        let mut seen = HashMap::new();
        let all = self.compared.iter().chain(retrieved);
        all.filter(|scalar| seen.insert(scalar.oid, ()).is_none()).copied().collect()
    }
}

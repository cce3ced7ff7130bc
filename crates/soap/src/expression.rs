//! The expressions of EMANICS D7.1, section 5: path selection, data selection and filters, read from text, printed
//! back, and compiled to the one form of `query`.
//!
//! ```text
//! {Root, 2, 3, r1.(r2)!}                          -> PathSelection
//! {tcpInSegs, ifEntry[3<x<10]}                    -> DataSelection
//! {tcpConnLocalPort = 22 OR tcpConnState = listen} -> Filter -> Condition
//! ```
//! The paper's grammar does not cover its own examples. What is read is a superset that does; `docs/select.md` has
//! every deviation. Reading is one pass without going back over at most [`MAX_OCTETS`] octets, nested at most [`MAX_DEPTH`]
//! deep: an expression cannot be made to be slow.

mod compile;
mod data;
mod error;
mod filter;
mod join;
mod lower;
pub mod message;
mod objects;
mod path;
mod plan;
mod reader;
mod specification;
mod token;

pub use compile::Question;
pub use data::{Bound, DataItem, DataSelection, Rows};
pub use error::{ExpressionError, Kind, Problem};
pub use filter::{Filter, Place, Term, Value};
pub use join::Rows as FoundRows;
pub use objects::{Object, object, scalars_of};
pub use plan::{Foreign, Found, Gate, Lookup, Part, Plan, RowsPart, View, WithForeign};
pub use specification::{
    RelationSpec, RowNames, ServiceSpec, Specification, SpecificationError, SpecificationPart,
    SpecificationProblem,
};

use trunkline_query::services::PathSelection;

/// How long an expression may be, in octets.
pub const MAX_OCTETS: usize = 8192;
/// How deep parentheses may be nested.
pub const MAX_DEPTH: usize = 24;
/// How many comparisons a filter may have.
pub const MAX_TERMS: usize = 256;
/// How many names a data selection may have.
pub const MAX_ITEMS: usize = 256;

/// Reads a path selection: `{start, min, max, pattern}`.
pub fn parse_path(text: &str) -> Result<PathSelection, ExpressionError> {
    path::parse(text)
}

/// Reads a data selection: `{tcpInSegs, tcpConnEntry[1-10]}`.
pub fn parse_data(text: &str) -> Result<DataSelection, ExpressionError> {
    data::parse(text)
}

/// Reads a filter: `{tcpConnLocalPort = 22 OR tcpConnLocalPort = 80}`.
pub fn parse_filter(text: &str) -> Result<Filter, ExpressionError> {
    filter::parse(text)
}

//! One form for every selective retrieval, and its pure evaluator over rows.
//!
//! A front end (a SOAP operation, an expression, later a subtree filter, an XPath or a REST query) turns its
//! input into a [`Condition`]: names and literals as written. [`Predicate::compile`] resolves them in a
//! [`Scope`], the schema of a table or of scalars, or reports an error. A [`Selection`] is the whole query: which
//! table, which columns, which rows. `tree` evaluates it on a snapshot before anything is encoded; a manager
//! evaluates it on rows that it has fetched, if the agent cannot.
//!
//! There is no ordering: rows come in index order. Evaluation is linear in the number of terms, of which there
//! are at most [`MAX_TERMS`].

mod condition;
mod error;
mod key_range;
mod literal;
mod predicate;
mod scope;
mod selection;
pub mod services;

pub use condition::{Comparison, Condition, Literal};
pub use error::{Mistake, QueryError};
pub use key_range::KeyRange;
pub use predicate::{Cells, MAX_DEPTH, MAX_TERMS, Predicate};
pub use scope::{Field, Operand, Scope};
pub use selection::{Page, Pager, RowRange, Selection};

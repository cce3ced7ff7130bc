//! One form for every selective retrieval, and its pure evaluator over rows.
//!
//! A front end (an operation of SOAP, an expression, later a subtree filter, an XPath or a REST query) makes a
//! [`Condition`] of what it has read: names and literals as they stand there. [`Predicate::compile`] resolves them
//! in a [`Scope`], the schema of a table or of scalars, or says what is wrong. A [`Selection`] is the whole question:
//! which table, which columns, which rows. `tree` evaluates it on a snapshot before anything is encoded; a manager
//! evaluates it on rows that it has fetched, where the agent cannot.
//!
//! There is no ordering: rows come in the order of their indexes. Evaluation is linear in the number of terms, of
//! which there are at most [`MAX_TERMS`].

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

//! DISMAN-EXPRESSION-MIB (RFC 2982): values that are computed from those of other objects.
//!
//! `group` serves the definitions, which are rows of the configuration (`configured`) and of managers, the errors and the
//! limits; `values` serves the values, which it has computed when they are read. `definition` reads the active rows.
//! `pass` evaluates expressions that may use each other, by the rights of the principal that activated each; `reading` has
//! the objects from the tree, `computation` the values from the objects. `task` samples what has differences.

mod columns;
mod computation;
mod configured;
mod definition;
mod errors;
mod group;
mod groups;
mod inputs;
mod limits;
mod links;
mod pass;
mod reading;
mod shared;
mod task;
mod values;

pub use group::ExpressionsGroup;
pub use groups::{EXPRESSION_VALUES, EXPRESSIONS};
pub use inputs::Inputs;
pub use task::ExpressionEngine;
pub use values::ExpressionValues;

//! Selective retrieval carried out on the agent's tree (EMANICS D7.1, section 5): the services of a configuration as they are now, and
//! plans whose rows are tested and written one after the other.

mod graph;
mod retrieve;
mod rows;

pub use graph::Services;
pub use retrieve::{Manner, explained, retrieve};
pub use rows::{Output, Work};

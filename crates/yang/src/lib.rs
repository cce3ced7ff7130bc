//! YANG data without I/O: the modules that the agent serves, and how they lie over its tree.
//!
//! [`schema`] is a module as a value, [`print()`] its text, [`smiv2`] makes one of each module of `smi` (RFC 6643), [`lexical`]
//! is how values are written and read.

pub mod convention;
pub mod lexical;
mod print;
pub mod schema;
pub mod smiv2;

pub use print::print;

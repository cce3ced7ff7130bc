//! YANG data without I/O: the modules that the agent serves, and how they lie over its tree.
//!
//! [`schema`] is a module as a value, [`print()`] its text, [`smiv2`] makes one of each module of `smi` (RFC 6643), [`lexical`]
//! is how values are written and read, [`json`] how data is written in JSON, [`annotation`] what is known of an instance beyond its value. [`forest`] is the data of all
//! modules, and where it is in the tree; [`identity`] knows identities by any prefix; [`selection`] is what of it is wanted. [`xpath`] reads expressions, [`text`] modules of others.

pub mod annotation;
pub mod convention;
pub mod forest;
pub mod identity;
pub mod instances;
pub mod json;
pub mod lexical;
pub mod own;
mod print;
pub mod schema;
pub mod selection;
pub mod smiv2;
pub mod text;
pub mod value_type;
pub mod xpath;

pub use print::print;

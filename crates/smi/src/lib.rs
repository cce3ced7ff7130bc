//! The language of management data: object identifiers, values, the schema of objects and tables, how a row's
//! index becomes sub-identifiers, display hints, and how text from strangers is printed.
//!
//! This is the lowest room: it knows no protocol, tree or machine, and does no I/O. [`module`] holds the modules
//! that the agent serves as constant data, so that the agent needs no MIB file to run and the manager names the
//! same objects without one.

mod binding;
mod exception;
mod hint;
mod index;
pub mod module;
mod oid;
mod oid_list;
pub mod schema;
mod security_level;
mod value;
mod visible;

pub use binding::{Bound, VarBind};
pub use exception::{Exception, SetStatus};
pub use hint::{DisplayHint, IntegerHint, OctetForm, OctetSpec};
pub use index::{IndexError, IndexRef, IndexRefs, IndexValue, decode_index, encode_index, index_refs};
pub use oid::{MAX_SUB_IDS, Oid, OidBuf, ParseOidError, RootError, TooLongError, check_root, display_oid};
pub use oid_list::OidList;
pub use security_level::SecurityLevel;
pub use value::{Value, ValueKind, ValueRef};
pub use visible::{escaped, is_hidden, visible, visible_lines};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

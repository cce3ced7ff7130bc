//! Names and formats for management data: object names to numbers and back, enumerations, display hints, units,
//! and values as people type them.
//!
//! [`Names`] does all of it. The modules that the agent serves are built in, from the same constant schema, and
//! need no file. MIB texts from the user's folders are read through the crate `mib-rs`, and only if a name or
//! number is not among the built-in ones (or modules are requested), so that a command starts without reading a
//! file.

mod base;
mod catalog;
mod chain;
mod config;
mod convert;
mod definition;
mod describe;
mod error;
mod folder;
mod format;
mod iana;
mod load;
mod names;
mod render;
mod resolve;
mod style;
mod suggest;
mod value;

pub use trunkline_smi::{self as smi, DisplayHint, IntegerHint, OctetForm, OctetSpec, Oid, Value, ValueRef};

pub use catalog::{Object, ObjectKind};
pub use config::Configured;
pub use definition::{DefinedSyntax, Definition};
pub use describe::{Description, IndexField};
pub use error::{LoadError, ResolveError, SkippedText, ValueError};
pub use names::{Choice, Names, Sources};
pub use render::{render, render_all};
pub use style::{FloatForm, NameForm, OctetStyle, Quick, Style, UnknownLetter};
pub use value::TypedValue;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! Data of models that lie over tables of the tree in another form, without I/O: a [`Model`] says which tables its parts need, and
//! makes its data of their rows. Reading the rows, as the one who asks may read them, is the caller's. What programs know themselves is made
//! here too: the modules that are served ([`library`], [`capabilities`]), and where what is in force comes from ([`origin`]).

mod all;
pub mod capabilities;
pub mod delegation;
mod hardware;
pub mod joined;
pub mod library;
pub mod made;
mod model;
pub mod origin;
pub mod paper;
mod routes;
mod routing;
mod rows;
pub mod snmp;

pub use all::of_root;
pub use model::{Model, Part};
pub use rows::{Reads, Rows, TableRows};

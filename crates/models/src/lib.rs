//! Data of models that lie over tables of the tree in another form, without I/O: a [`Model`] says which tables its parts need, and
//! makes its data of their rows. Reading the rows, as the one who asks may read them, is the caller's.

mod all;
mod hardware;
pub mod joined;
pub mod made;
mod model;
pub mod origin;
mod paper;
mod routes;
mod routing;
mod rows;
pub mod snmp;

pub use all::of_root;
pub use model::{Model, Part};
pub use rows::{Reads, Rows, TableRows};

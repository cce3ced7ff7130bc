//! What a model is.

use trunkline_datastore::Branch;
use trunkline_yang::own::OwnModule;

use crate::made::Made;
use crate::rows::{Reads, Rows};

/// A root of a module, and how its data is made.
#[derive(Debug)]
pub struct Model {
    /// The module.
    pub module: &'static OwnModule,
    /// The name of the root.
    pub root: &'static str,
    /// What can be made of it alone.
    pub parts: &'static [Part],
    /// Makes what rows have been read for; of a part that is not wanted there are none.
    pub make: fn(&Rows, Option<&Branch>, &mut Made<'_>),
}

/// A part of a root's data.
#[derive(Debug)]
pub struct Part {
    /// The names of nodes from the root to it.
    pub path: &'static [&'static str],
    /// The rows that it is made of.
    pub reads: &'static [&'static Reads],
}

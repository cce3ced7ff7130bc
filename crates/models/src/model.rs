//! What a model is.

use trunkline_datastore::Branch;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::OwnModule;

use crate::made::Made;
use crate::rows::{Reads, Rows};
use crate::{hardware, paper, routing};

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

/// The model of a root, if it is one of these.
pub fn of_root(forest: &Forest, root: NodeId) -> Option<&'static Model> {
    let (module, name) = (forest.module(root).name, &forest[root].name);
    MODELS.iter().copied().find(|model| model.module.name == module && model.root == name)
}

static MODELS: [&Model; 3] = [&hardware::MODEL, &paper::MODEL, &routing::MODEL];

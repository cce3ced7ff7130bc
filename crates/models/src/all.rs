//! All models.

use trunkline_yang::forest::{Forest, NodeId};

use crate::model::Model;
use crate::{hardware, paper, routing};

/// The model of a root, if it is one of these.
pub fn of_root(forest: &Forest, root: NodeId) -> Option<&'static Model> {
    let (module, name) = (forest.module(root).name, &forest[root].name);
    MODELS.iter().copied().find(|model| model.module.name == module && model.root == name)
}

static MODELS: [&Model; 3] = [&hardware::MODEL, &paper::MODEL, &routing::MODEL];

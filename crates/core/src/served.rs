//! What is served: the tree, and what is needed to answer from it.

use std::sync::Arc;

use trunkline_tree::{Access, Tree, View};

use super::load::Loads;
use trunkline_regions::RegionHandler;

/// A tree and its handlers.
pub struct Served {
    /// The tree.
    pub tree: Arc<Tree>,
    /// The handlers of its regions, by the region's position.
    pub(super) regions: Vec<Arc<dyn RegionHandler>>,
    pub(super) loads: Loads,
    /// What the agent itself may read: everything.
    pub(super) own_access: Arc<Access>,
}

impl Served {
    /// A tree, and the handlers of its regions, in the order of their registration.
    pub fn new(tree: Arc<Tree>, regions: Vec<Arc<dyn RegionHandler>>) -> Arc<Self> {
        let loads = Loads::new(tree.group_names().count());
        let own_access = Arc::new(tree.access(View::everything(), View::NOTHING));
        Arc::new(Served { tree, regions, loads, own_access })
    }
}

//! Instances of data, made one after another.

use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;

/// Instances being made, by the names of their nodes.
pub(super) struct Made<'f> {
    forest: &'f Forest,
    instances: Instances,
    /// From the root to what is being made.
    open: Vec<NodeId>,
}

impl<'f> Made<'f> {
    /// Begins with a root, which is a container.
    pub fn begin(forest: &'f Forest, root: NodeId) -> Self {
        let mut instances = Instances::new();
        instances.open(root);
        Made { forest, instances, open: vec![root] }
    }

    /// Ends the root.
    pub fn end(mut self) -> Instances {
        self.instances.close();
        self.instances
    }

    fn child(&self, name: &str) -> Option<NodeId> {
        let found = self.forest.child(self.open.last().copied(), name);
        debug_assert!(found.is_some(), "the model has no {name} there");
        found
    }

    pub fn within(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        if let Some(node) = self.child(name) {
            self.within_node(node, fill);
        }
    }

    pub fn within_node(&mut self, node: NodeId, fill: impl FnOnce(&mut Self)) {
        self.instances.open(node);
        self.open.push(node);
        fill(self);
        self.open.pop();
        self.instances.close();
    }

    pub fn leaf(&mut self, name: &str, value: &str) {
        if let Some(node) = self.child(name) {
            self.leaf_of(node, value);
        }
    }

    pub fn leaf_of(&mut self, node: NodeId, value: &str) {
        self.instances.leaf(node, value);
    }
}

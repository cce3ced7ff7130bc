//! Instances of data, made one after another.

use trunkline_datastore::{Branch, Item};
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;
use trunkline_yang::own::OwnModule;
use trunkline_yang::selection::{Alternative, Selection, Wanted, Within};

/// Instances being made, by the names of their nodes. What is wanted is made, and what tests need.
#[derive(Debug)]
pub struct Made<'f> {
    forest: &'f Forest,
    instances: Instances,
    /// From the root to what is being made, with the nodes in it that are wanted; `None`: all.
    open: Vec<(NodeId, Option<&'f Selection>)>,
}

impl<'f> Made<'f> {
    /// Begins with a root, which is a container.
    pub fn begin(forest: &'f Forest, root: NodeId, wanted: &'f Wanted) -> Self {
        let mut instances = Instances::new();
        instances.open(root);
        Made { forest, instances, open: vec![(root, nodes(wanted))] }
    }

    /// Ends the root.
    pub fn end(mut self) -> Instances {
        self.instances.close();
        self.instances
    }

    fn child(&self, name: &str) -> Option<NodeId> {
        let found = self.forest.child(self.open.last().map(|(node, _)| *node), name);
        debug_assert!(found.is_some(), "the model has no {name} there");
        found
    }

    /// Makes a container or an entry, and what is in it.
    pub fn within(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        if let Some(node) = self.child(name) {
            self.within_node(node, fill);
        }
    }

    /// The same by its node.
    pub fn within_node(&mut self, node: NodeId, fill: impl FnOnce(&mut Self)) {
        let wanted = match self.open.last() {
            Some((_, Some(selection))) => match selection.of(node) {
                Some(wanted) => nodes(wanted),
                None => return,
            },
            _ => None,
        };
        self.instances.open(node);
        self.open.push((node, wanted));
        fill(self);
        self.open.pop();
        self.instances.close();
    }

    /// Makes a leaf.
    pub fn leaf(&mut self, name: &str, value: &str) {
        if let Some(node) = self.child(name) {
            self.leaf_of(node, value);
        }
    }

    /// Makes a leaf that a module adds, where another one adds a leaf of the same name.
    pub fn leaf_in(&mut self, module: &OwnModule, name: &str, value: &str) {
        let parent = self.open.last().map(|(node, _)| *node);
        if let Some(node) = self.forest.child_in(parent, module.namespace, name) {
            self.leaf_of(node, value);
        }
    }

    /// Makes what a configuration has there.
    pub fn copy(&mut self, branch: &Branch) {
        for (step, item) in branch.iter() {
            match item {
                Item::Leaf(value) => self.leaf_of(step.node, value),
                Item::Within(branch) => self.within_node(step.node, |made| made.copy(branch)),
            }
        }
    }

    /// The same by its node. Leaves are cheap, and tests may need any of them.
    pub fn leaf_of(&mut self, node: NodeId, value: &str) {
        self.instances.leaf(node, value);
    }

    /// Something is known of what was begun or made last.
    pub fn note(&mut self, annotation: Annotation) {
        self.instances.note(annotation);
    }
}

/// The nodes that are wanted whichever instance it is; `None`: all, or it depends on the instance, or on whether there are any.
pub fn nodes(wanted: &Wanted) -> Option<&Selection> {
    match wanted {
        Wanted::Some(alternatives) => match &alternatives[..] {
            [Alternative { tests, within: Within::Nodes(nodes) }]
                if tests.is_empty() && !nodes.nodes.is_empty() =>
            {
                Some(nodes)
            }
            _ => None,
        },
        Wanted::All => None,
    }
}

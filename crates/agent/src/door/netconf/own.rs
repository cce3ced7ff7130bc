//! Data of the modules that the agent makes itself, for one session.

use trunkline_tree::Access;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;

use super::monitoring::Monitoring;
use super::{Netconf, library};
use crate::core::OwnData;

/// What a session sees of it.
pub(super) struct Own<'o> {
    pub door: &'o Netconf,
    /// The session that asks.
    pub session_id: u32,
}

impl OwnData for Own<'_> {
    fn instances(&self, root: NodeId, access: &Access) -> Instances {
        let models = self.door.models();
        let mut made = Made { forest: &models.forest, instances: Instances::new(), open: vec![root] };
        made.instances.open(root);
        match models.forest[root].name.as_str() {
            "netconf-state" => {
                Monitoring { door: self.door, session_id: self.session_id }.make(&mut made, access);
            }
            "yang-library" => library::make(models, &mut made),
            _ => library::make_state(models, &mut made),
        }
        made.instances.close();
        made.instances
    }
}

/// Instances being made, by the names of their nodes.
pub(super) struct Made<'f> {
    forest: &'f Forest,
    instances: Instances,
    open: Vec<NodeId>,
}

impl Made<'_> {
    fn child(&self, name: &str) -> Option<NodeId> {
        let children = &self.forest[*self.open.last()?].children;
        let found = children.iter().find(|node| self.forest[**node].name == name).copied();
        debug_assert!(found.is_some(), "the model has no {name} there");
        found
    }

    pub fn within(&mut self, name: &str, fill: impl FnOnce(&mut Self)) {
        let Some(node) = self.child(name) else { return };
        self.instances.open(node);
        self.open.push(node);
        fill(self);
        self.open.pop();
        self.instances.close();
    }

    pub fn leaf(&mut self, name: &str, value: &str) {
        if let Some(node) = self.child(name) {
            self.instances.leaf(node, value);
        }
    }
}

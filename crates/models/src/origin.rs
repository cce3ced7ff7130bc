//! Where what is in force comes from (RFC 8342 section 5.3.4): what the configuration has of it says so.

use std::sync::Arc;

use trunkline_datastore::{Branch, Step};
use trunkline_yang::annotation::{Annotation, Origin};
use trunkline_yang::forest::{Forest, NodeId};

/// What the configuration has of a container or an entry.
#[derive(Clone, Copy, Debug)]
pub struct Configured<'c> {
    forest: &'c Forest,
    node: NodeId,
    branch: Option<&'c Branch>,
}

impl<'c> Configured<'c> {
    /// Of a node that stands in this one.
    #[must_use]
    pub fn of(forest: &'c Forest, node: NodeId, branch: Option<&'c Branch>) -> Self {
        Configured { forest, node, branch }
    }

    /// A container in it, or an entry of a list with this key.
    #[must_use]
    pub fn within(&self, name: &str, key: Option<&str>) -> Configured<'c> {
        let node = self.forest.child(Some(self.node), name);
        let keys: Arc<[Box<str>]> = key.into_iter().map(Into::into).collect();
        let step = node.map(|node| Step { node, keys });
        let branch = self.branch.zip(step).and_then(|(branch, step)| branch.within(&step));
        Configured { forest: self.forest, node: node.unwrap_or(self.node), branch }
    }

    /// Where it comes from itself: from elsewhere, if nobody has configured it.
    #[must_use]
    pub fn origin(&self, elsewhere: Origin) -> Annotation {
        Annotation::from(if self.branch.is_some() { Origin::Intended } else { elsewhere })
    }

    /// Where the value of a leaf in it comes from: from elsewhere, if nobody has configured it.
    #[must_use]
    pub fn leaf(&self, name: &str, value: &str, elsewhere: Origin) -> Annotation {
        let Some(branch) = self.branch else { return Annotation::from(elsewhere) };
        let node = self.forest.child(Some(self.node), name);
        let default = || self.forest[node?].place.setting()?.default;
        match node.and_then(|node| branch.leaf(node)) {
            Some(configured) if configured == value => Annotation::from(Origin::Intended),
            // Somebody else has changed it since.
            Some(_) => Annotation::from(Origin::Unknown),
            None if default() == Some(value) => {
                Annotation { origin: Some(Origin::Default), is_default: true }
            }
            None => Annotation::from(elsewhere),
        }
    }
}

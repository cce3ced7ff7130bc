//! Configurations made and read by the names of their nodes.

use std::sync::Arc;

use trunkline_datastore::{Branch, Item, Step};
use trunkline_yang::forest::{Forest, NodeId};

/// A container or an entry that is being made.
pub(crate) struct Build<'f> {
    pub forest: &'f Forest,
    /// Where it is; the last step is itself.
    pub path: Vec<Step>,
    pub branch: Branch,
    /// Where the configuration file decides.
    pub fixed: Vec<Vec<Step>>,
}

impl<'f> Build<'f> {
    /// The root.
    pub fn new(forest: &'f Forest, root: NodeId) -> Self {
        Build { forest, path: vec![Step::to(root)], branch: Branch::default(), fixed: Vec::new() }
    }

    fn child(&self, name: &str) -> Option<NodeId> {
        let found = self.forest.child(self.path.last().map(|step| step.node), name);
        debug_assert!(found.is_some(), "the model has no {name} there");
        found
    }

    /// A leaf.
    pub fn leaf(&mut self, name: &str, value: &str) {
        if let Some(node) = self.child(name) {
            self.branch.insert(Step::to(node), Item::Leaf(value.into()));
        }
    }

    /// A leaf that has another value than its default.
    pub fn unless_default(&mut self, name: &str, value: &str) {
        let default = |node: NodeId| self.forest[node].place.setting()?.default;
        if self.child(name).and_then(default) != Some(value) {
            self.leaf(name, value);
        }
    }

    /// A value of a leaf-list.
    pub fn value(&mut self, name: &str, value: &str, is_fixed: bool) {
        let Some(node) = self.child(name) else { return };
        let step = Step { node, keys: [value.into()].into() };
        if is_fixed {
            self.fixed.push([&self.path[..], std::slice::from_ref(&step)].concat());
        }
        self.branch.insert(step, Item::Leaf(value.into()));
    }

    /// The configuration file decides over this.
    pub fn fix(&mut self) {
        self.fixed.push(self.path.clone());
    }

    /// The same of a leaf in it.
    pub fn fix_leaf(&mut self, name: &str) {
        if let Some(node) = self.child(name) {
            self.fixed.push([&self.path[..], &[Step::to(node)]].concat());
        }
    }

    /// A container, which is not made if nothing is in it unless it `is_present` by its nature.
    pub fn within(&mut self, name: &str, fill: impl FnOnce(&mut Build<'f>)) {
        let Some(node) = self.child(name) else { return };
        let is_plain = self.forest[node].place.is_plain_container();
        self.step(Step::to(node), is_plain, fill);
    }

    /// An entry of a list, or what has been made of it so far.
    pub fn entry(&mut self, name: &str, keys: &[&str], fill: impl FnOnce(&mut Build<'f>)) {
        let Some(node) = self.child(name) else { return };
        let step = Step { node, keys: keys.iter().map(|it| Box::from(*it)).collect() };
        let names: Vec<NodeId> = self.forest.keys(node).collect();
        self.step(step, false, |build| {
            for (key, value) in names.into_iter().zip(keys) {
                build.branch.insert(Step::to(key), Item::Leaf((*value).into()));
            }
            fill(build);
        });
    }

    fn step(&mut self, step: Step, is_plain: bool, fill: impl FnOnce(&mut Build<'f>)) {
        let branch = self.branch.within(&step).cloned().unwrap_or_default();
        let path = [&self.path[..], std::slice::from_ref(&step)].concat();
        let mut inner = Build { forest: self.forest, path, branch, fixed: std::mem::take(&mut self.fixed) };
        fill(&mut inner);
        self.fixed = inner.fixed;
        if !is_plain || !inner.branch.is_empty() {
            self.branch.insert(step, Item::Within(Arc::new(inner.branch)));
        }
    }
}

/// A container or an entry that is read.
#[derive(Clone)]
pub(crate) struct Look<'c> {
    pub forest: &'c Forest,
    pub path: Vec<Step>,
    pub branch: &'c Branch,
}

impl<'c> Look<'c> {
    fn child(&self, name: &str) -> Option<NodeId> {
        let found = self.forest.child(self.path.last().map(|step| step.node), name);
        debug_assert!(found.is_some(), "the model has no {name} there");
        found
    }

    fn at(&self, step: &Step) -> Vec<Step> {
        [&self.path[..], std::slice::from_ref(step)].concat()
    }

    /// Where a leaf in it is.
    pub fn place(&self, name: &str) -> Vec<Step> {
        self.child(name).map_or_else(|| self.path.clone(), |node| self.at(&Step::to(node)))
    }

    /// A leaf.
    pub fn leaf(&self, name: &str) -> Option<&'c str> {
        self.branch.leaf(self.child(name)?)
    }

    /// A leaf, or its default.
    pub fn leaf_or_default(&self, name: &str) -> &'c str {
        let default = || self.forest[self.child(name)?].place.setting()?.default;
        self.leaf(name).or_else(default).unwrap_or_default()
    }

    /// The number that a leaf is, or its default.
    pub fn number(&self, name: &str) -> i32 {
        // Types have no greater numbers.
        self.leaf_or_default(name).parse().unwrap_or_default()
    }

    /// The values of a leaf-list.
    pub fn values(&self, name: &str) -> impl Iterator<Item = (&'c str, Vec<Step>)> {
        let node = self.child(name);
        let its = self.branch.iter().filter(move |(step, _)| Some(step.node) == node);
        its.filter_map(|(step, item)| match item {
            Item::Leaf(value) => Some((&**value, self.at(step))),
            Item::Within(_) => None,
        })
    }

    /// A container in it.
    pub fn within(&self, name: &str) -> Option<Look<'c>> {
        let step = Step::to(self.child(name)?);
        let branch = self.branch.within(&step)?;
        Some(Look { forest: self.forest, path: self.at(&step), branch })
    }

    /// The entries of a list.
    pub fn entries(&self, name: &str) -> impl Iterator<Item = Look<'c>> {
        let node = self.child(name);
        let its = self.branch.iter().filter(move |(step, _)| Some(step.node) == node);
        its.filter_map(|(step, item)| {
            Some(Look { forest: self.forest, path: self.at(step), branch: item.branch()? })
        })
    }
}

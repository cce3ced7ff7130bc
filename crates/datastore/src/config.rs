//! A configuration as a tree. Copies share what they have in common: a copy costs nothing, a change a few nodes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use trunkline_netconf::data::DataWriter;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;

use crate::order::{Keys, Position};
use crate::sorted::Sorted;

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config(pub(crate) Branch);

/// What is in a container or in an entry of a list; the nodes in the order of the forest, entries by their keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// Leaves, entries and containers in it, on all levels.
    count: usize,
    children: Sorted<Step, Item>,
    orders: Option<Arc<Orders>>,
}

/// The entries of lists, and the values of leaf-lists, whose users choose the order, in that order; none that is empty.
type Orders = BTreeMap<NodeId, Vec<Keys>>;

/// Which child.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// Its node.
    pub node: NodeId,
    /// Of an entry of a list, the values of its keys; of a leaf-list, the value.
    pub keys: Arc<[Box<str>]>,
}

/// A child.
#[derive(Clone)]
pub enum Item {
    /// A leaf's value.
    Leaf(Arc<str>),
    /// A container, or an entry of a list.
    Within(Arc<Branch>),
}

impl PartialEq for Item {
    fn eq(&self, other: &Item) -> bool {
        match (self, other) {
            (Item::Leaf(one), Item::Leaf(other)) => one == other,
            (Item::Within(one), Item::Within(other)) => Arc::ptr_eq(one, other) || one == other,
            _ => false,
        }
    }
}

/// Values may be secret.
impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Leaf(_) => f.write_str("<value>"),
            Item::Within(within) => within.fmt(f),
        }
    }
}

impl Item {
    /// Itself and what is in it, on all levels.
    fn count(&self) -> usize {
        1 + self.branch().map_or(0, |branch| branch.count)
    }

    /// What is in it; `None` of a leaf.
    #[must_use]
    pub fn branch(&self) -> Option<&Branch> {
        match self {
            Item::Leaf(_) => None,
            Item::Within(branch) => Some(branch),
        }
    }
}

impl Step {
    /// A leaf or a container.
    #[must_use]
    pub fn to(node: NodeId) -> Step {
        Step { node, keys: Arc::new([]) }
    }
}

impl Branch {
    /// A child.
    #[must_use]
    pub fn get(&self, step: &Step) -> Option<&Item> {
        self.children.get(step)
    }

    /// A child with its step.
    #[must_use]
    pub fn entry(&self, step: &Step) -> Option<(&Step, &Item)> {
        self.children.entry(step)
    }

    /// What is in a child.
    #[must_use]
    pub fn within(&self, step: &Step) -> Option<&Branch> {
        self.get(step).and_then(Item::branch)
    }

    /// The value of a leaf.
    #[must_use]
    pub fn leaf(&self, node: NodeId) -> Option<&str> {
        match self.get(&Step::to(node)) {
            Some(Item::Leaf(value)) => Some(value),
            _ => None,
        }
    }

    /// Adds a child, or replaces it.
    pub fn insert(&mut self, step: Step, item: Item) {
        self.count += item.count();
        let old = self.children.insert(step, item);
        self.count -= old.as_ref().map_or(0, Item::count);
    }

    /// Takes a child away; whether it was there.
    pub fn remove(&mut self, step: &Step) -> bool {
        if self.orders.as_ref().is_some_and(|orders| orders.contains_key(&step.node)) {
            self.reorder(step.node, |order| order.retain(|keys| *keys != step.keys));
        }
        let old = self.children.remove(step);
        self.count -= old.as_ref().map_or(0, Item::count);
        old.is_some()
    }

    /// All children, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&Step, &Item)> {
        let is_sorted = self.orders.is_none();
        let ordered = if is_sorted { Vec::new() } else { self.in_order() };
        self.children.iter().take(if is_sorted { usize::MAX } else { 0 }).chain(ordered)
    }

    /// The children that differ between two branches, sorted by their nodes and keys, with what either has. What both share costs nothing.
    pub fn differences<'b>(
        &'b self,
        other: &'b Branch,
    ) -> impl Iterator<Item = (&'b Step, Option<&'b Item>, Option<&'b Item>)> {
        self.children.beside(&other.children).filter(|(_, one, two)| one != two)
    }

    /// The children with the same value or content as in another branch that are not shared with it, with what either has: somebody gave them,
    /// or something in them, again. What both share costs nothing.
    pub(crate) fn given_again<'b>(
        &'b self,
        other: &'b Branch,
    ) -> impl Iterator<Item = (&'b Step, &'b Item, &'b Item)> {
        self.children.beside(&other.children).filter_map(|(step, one, two)| match (one?, two?) {
            (Item::Leaf(one), Item::Leaf(two)) if Arc::ptr_eq(one, two) || one != two => None,
            (Item::Within(one), Item::Within(two)) if Arc::ptr_eq(one, two) => None,
            (one, two) => Some((step, one, two)),
        })
    }

    fn in_order(&self) -> Vec<(&Step, &Item)> {
        let mut all = Vec::new();
        let mut last = None;
        for (step, item) in self.children.iter() {
            let order = self.order(step.node);
            if order.is_empty() {
                all.push((step, item));
            } else if last.replace(step.node) != Some(step.node) {
                let entry = |keys: &Keys| self.children.entry(&Step { node: step.node, keys: keys.clone() });
                all.extend(order.iter().filter_map(entry));
            }
        }
        all
    }

    /// The order that users have given a list or leaf-list; of all others nothing.
    pub(crate) fn order(&self, node: NodeId) -> &[Keys] {
        self.orders.as_ref().and_then(|orders| orders.get(&node)).map_or(&[], Vec::as_slice)
    }

    /// The nodes with such an order.
    pub(crate) fn ordered(&self) -> impl Iterator<Item = NodeId> {
        self.orders.iter().flat_map(|orders| orders.keys().copied())
    }

    /// Gives an entry that is there its place.
    pub(crate) fn place(&mut self, step: &Step, position: &Position) {
        let is_moved = *position != Position::Kept && position.anchor() != Some(&step.keys);
        self.reorder(step.node, |order| {
            if is_moved {
                order.retain(|keys| *keys != step.keys);
            } else if order.contains(&step.keys) {
                return;
            }
            let of = |keys: &Keys| order.iter().position(|it| it == keys);
            let at = match position {
                Position::First => Some(0),
                Position::Before(keys) => of(keys),
                Position::After(keys) => of(keys).map(|at| at + 1),
                Position::Kept | Position::Last => None,
            };
            order.insert(at.unwrap_or(order.len()), step.keys.clone());
        });
    }

    /// Takes the orders of another one, as far as it has what is in them.
    pub fn order_as(&mut self, other: &Branch) {
        for node in other.ordered() {
            let has = |keys: &&Keys| self.children.get(&Step { node, keys: (*keys).clone() }).is_some();
            let order: Vec<Keys> = other.order(node).iter().filter(has).cloned().collect();
            self.reorder(node, |it| *it = order);
        }
    }

    fn reorder(&mut self, node: NodeId, change: impl FnOnce(&mut Vec<Keys>)) {
        let orders = Arc::make_mut(self.orders.get_or_insert_default());
        let order = orders.entry(node).or_default();
        change(order);
        if order.is_empty() {
            orders.remove(&node);
        }
        if orders.is_empty() {
            self.orders = None;
        }
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

impl Config {
    /// Whether it has no more leaves, entries and containers than this.
    #[must_use]
    pub fn has_at_most(&self, most: usize) -> bool {
        self.0.count <= most
    }

    /// What is outermost.
    #[must_use]
    pub fn root(&self) -> &Branch {
        &self.0
    }

    /// What is outermost, to be changed.
    pub fn root_mut(&mut self) -> &mut Branch {
        &mut self.0
    }

    /// What it has at a place.
    #[must_use]
    pub fn at(&self, place: &[Step]) -> Option<&Item> {
        let (last, above) = place.split_last()?;
        above.iter().try_fold(self.root(), |branch, step| branch.within(step))?.get(last)
    }

    /// What it has of some roots.
    #[must_use]
    pub fn of_roots(&self, wants: impl Fn(NodeId) -> bool) -> Config {
        let mut part = Config::default();
        for (step, item) in self.0.iter().filter(|(step, _)| wants(step.node)) {
            part.0.insert(step.clone(), item.clone());
        }
        part.0.order_as(&self.0);
        part
    }

    /// The same as instances, for filters and expressions.
    #[must_use]
    pub fn instances(&self) -> Instances {
        let mut instances = Instances::new();
        add(&self.0, &mut instances);
        instances
    }

    /// The same with a mark on every leaf that another configuration does not have.
    #[must_use]
    pub fn instances_marked(&self, without: &Config) -> Instances {
        let mut instances = Instances::new();
        add_marked(&self.0, Some(&without.0), &mut instances);
        instances
    }

    /// Appends the children of a `config` element.
    pub fn write(&self, forest: &Forest, octets: &mut Vec<u8>) {
        let mut writer = DataWriter::new(forest, std::mem::take(octets));
        write(&self.0, &mut writer);
        *octets = writer.octets;
    }
}

fn add(branch: &Branch, instances: &mut Instances) {
    for (step, item) in branch.iter() {
        match item {
            Item::Leaf(value) => instances.leaf(step.node, value),
            Item::Within(within) => {
                instances.open(step.node);
                add(within, instances);
                instances.close();
            }
        }
    }
}

fn add_marked(branch: &Branch, without: Option<&Branch>, instances: &mut Instances) {
    for (step, item) in branch.iter() {
        let other = without.and_then(|without| without.get(step));
        match item {
            Item::Leaf(value) => {
                instances.leaf(step.node, value);
                instances.note(Annotation { origin: None, is_default: other.is_none() });
            }
            Item::Within(within) => {
                instances.open(step.node);
                add_marked(within, other.and_then(Item::branch), instances);
                instances.close();
            }
        }
    }
}

pub(crate) fn write(branch: &Branch, writer: &mut DataWriter<'_>) {
    for (step, item) in branch.iter() {
        match item {
            Item::Leaf(value) => writer.leaf_text(step.node, value),
            Item::Within(within) => {
                writer.open(step.node);
                write(within, writer);
                writer.close(step.node);
            }
        }
    }
}

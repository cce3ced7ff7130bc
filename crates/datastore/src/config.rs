//! A configuration as a tree. Copies share what they have in common: a copy costs nothing, a change a few nodes.

use std::sync::Arc;

use rpds::RedBlackTreeMapSync;
use trunkline_netconf::data::DataWriter;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config(pub(crate) Branch);

/// What is in a container or in an entry of a list; the nodes in the order of the forest, entries by their keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch(RedBlackTreeMapSync<Step, Item>);

/// Which child.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// Its node.
    pub node: NodeId,
    /// Of an entry of a list, the values of its keys; of a leaf-list, the value.
    pub keys: Arc<[Box<str>]>,
}

/// A child.
#[derive(Clone, Debug)]
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

impl Item {
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
        self.0.get(step)
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
        self.0.insert_mut(step, item);
    }

    /// Takes a child away; whether it was there.
    pub fn remove(&mut self, step: &Step) -> bool {
        self.0.remove_mut(step)
    }

    /// All children.
    pub fn iter(&self) -> impl Iterator<Item = (&Step, &Item)> {
        self.0.iter()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Config {
    /// Whether it has no more leaves, entries and containers than this.
    #[must_use]
    pub fn has_at_most(&self, most: usize) -> bool {
        fn left(branch: &Branch, most: usize) -> Option<usize> {
            branch.iter().try_fold(most, |left_now, (_, item)| {
                let rest = left_now.checked_sub(1)?;
                if let Item::Within(within) = item { left(within, rest) } else { Some(rest) }
            })
        }
        left(&self.0, most).is_some()
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

//! What of the data is wanted: what every kind of filter becomes before anything is read.

use trunkline_smi::{IndexRef, Value, ValueRef};

use crate::forest::{Forest, NodeId, Place};

/// Nodes of one level, each once, in the order of the forest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// The nodes.
    pub nodes: Vec<Selected>,
}

/// A node, and what of it is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// The node.
    pub node: NodeId,
    /// What of it.
    pub wanted: Wanted,
}

/// What of a node is wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// It and everything in it.
    All,
    /// What any of these wants, of each instance separately.
    Some(Vec<Alternative>),
}

/// Something that is wanted of the instances that pass its tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// All of them must hold.
    pub tests: Vec<Test>,
    /// What is wanted then.
    pub within: Within,
}

/// What is wanted of an instance.
#[derive(Debug, Clone, PartialEq)]
pub enum Within {
    /// Everything in it.
    All,
    /// These nodes in it.
    Nodes(Selection),
}

/// A leaf must have a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// The leaf.
    pub leaf: NodeId,
    /// The value.
    pub value: Value,
}

impl Selection {
    /// Everything.
    pub fn everything(forest: &Forest) -> Selection {
        let all = |node: &NodeId| Selected { node: *node, wanted: Wanted::All };
        Selection { nodes: forest.roots().iter().map(all).collect() }
    }

    /// Adds what is wanted of a node to what is wanted of it already.
    pub fn add(&mut self, node: NodeId, wanted: Wanted) {
        match self.nodes.binary_search_by_key(&node, |it| it.node) {
            Ok(at) => self.nodes[at].wanted.add(wanted),
            Err(at) => self.nodes.insert(at, Selected { node, wanted }),
        }
    }

    /// What is wanted of a node, if anything is.
    pub fn of(&self, node: NodeId) -> Option<&Wanted> {
        let at = self.nodes.binary_search_by_key(&node, |it| it.node).ok()?;
        Some(&self.nodes[at].wanted)
    }

    /// Adds another selection to this one.
    pub fn merge(&mut self, other: Selection) {
        other.nodes.into_iter().for_each(|it| self.add(it.node, it.wanted));
    }
}

impl Wanted {
    /// These nodes, without a test.
    pub fn nodes(nodes: Selection) -> Wanted {
        Wanted::Some(vec![Alternative { tests: Vec::new(), within: Within::Nodes(nodes) }])
    }

    fn add(&mut self, other: Wanted) {
        let (Wanted::Some(these), Wanted::Some(those)) = (&mut *self, other) else {
            *self = Wanted::All;
            return;
        };
        for alternative in those {
            // What needs no test, and what has the same one, is wanted together.
            match these.iter_mut().find(|it| it.tests == alternative.tests) {
                Some(same) => same.within.add(alternative.within),
                None => these.push(alternative),
            }
        }
        let is_all = |it: &Alternative| it.tests.is_empty() && it.within == Within::All;
        if these.iter().any(is_all) {
            *self = Wanted::All;
        }
    }
}

impl Within {
    fn add(&mut self, other: Within) {
        match (&mut *self, other) {
            (Within::Nodes(these), Within::Nodes(those)) => these.merge(those),
            _ => *self = Within::All,
        }
    }

    /// What is wanted of a node in it; `None`: nothing.
    pub fn of(&self, node: NodeId) -> Option<&Wanted> {
        match self {
            Within::All => Some(&Wanted::All),
            Within::Nodes(nodes) => nodes.of(node),
        }
    }
}

impl Test {
    /// Whether a value is the one.
    pub fn holds(&self, value: Option<ValueRef<'_>>) -> bool {
        value.is_some_and(|value| value == self.value.as_value_ref())
    }

    /// Whether a key has the value.
    pub fn holds_of_key(&self, part: IndexRef<'_>) -> bool {
        match (&self.value, part) {
            (Value::Integer(wanted), IndexRef::Integer(found)) => i64::from(*wanted) == i64::from(found),
            (
                Value::Unsigned32(wanted) | Value::Counter32(wanted) | Value::TimeTicks(wanted),
                IndexRef::Integer(found),
            ) => *wanted == found,
            (Value::OctetString(wanted), found) => {
                found.octets().is_some_and(|found| found.eq(wanted.iter().copied()))
            }
            (Value::IpAddress(wanted), found) => found.octets().is_some_and(|found| found.eq(*wanted)),
            (Value::ObjectIdentifier(wanted), IndexRef::ObjectIdentifier(found)) => **wanted == *found,
            _ => false,
        }
    }

    /// The part of its list's index that it is about.
    pub fn key(&self, forest: &Forest) -> Option<usize> {
        match forest[self.leaf].place {
            Place::Key(at, _) => Some(at),
            _ => None,
        }
    }
}

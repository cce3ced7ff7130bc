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

    /// Adds the keys of a list. Each of its entries has them: it is wanted then whatever else of it is there.
    pub fn add_keys(&mut self, forest: &Forest, list: NodeId) {
        forest.keys(list).for_each(|key| self.add(key, Wanted::All));
    }

    /// What is wanted of a node, if anything is.
    pub fn of(&self, node: NodeId) -> Option<&Wanted> {
        let at = self.nodes.binary_search_by_key(&node, |it| it.node).ok()?;
        Some(&self.nodes[at].wanted)
    }

    /// The same without nodes that are not to be kept. Keys of entries that are left are not asked about.
    #[must_use]
    pub fn only(self, forest: &Forest, keeps: &impl Fn(NodeId) -> bool) -> Selection {
        let one =
            |it: Selected| Some(Selected { node: it.node, wanted: it.wanted.only(forest, it.node, keeps)? });
        Selection { nodes: self.nodes.into_iter().filter_map(one).collect() }
    }

    /// The same with so many levels of each node that is wanted whole, that being the first; of the last level, whether it is there.
    #[must_use]
    pub fn limited(self, forest: &Forest, levels: u16) -> Selection {
        let one =
            |it: Selected| Selected { node: it.node, wanted: it.wanted.limited(forest, it.node, levels) };
        Selection { nodes: self.nodes.into_iter().map(one).collect() }
    }

    /// All children of a node.
    fn children(forest: &Forest, node: NodeId) -> Selection {
        let all = |child: &NodeId| Selected { node: *child, wanted: Wanted::All };
        Selection { nodes: forest[node].children.iter().map(all).collect() }
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

    /// Whether something is wanted of it that depends on no test.
    #[must_use]
    pub fn is_untested(&self) -> bool {
        let Wanted::Some(alternatives) = self else { return true };
        let is_untested = |within: &Within| match within {
            Within::All => true,
            Within::Nodes(nodes) => nodes.nodes.iter().any(|it| it.wanted.is_untested()),
        };
        alternatives.iter().any(|it| it.tests.is_empty() && is_untested(&it.within))
    }

    /// What any instance may have of it, whatever the tests are.
    #[must_use]
    pub fn within(&self) -> Within {
        let Wanted::Some(alternatives) = self else { return Within::All };
        let nothing = Within::Nodes(Selection::default());
        alternatives.iter().fold(nothing, |mut within, it| {
            within.add(it.within.clone());
            within
        })
    }

    /// `None`: nothing is left.
    fn only(self, forest: &Forest, node: NodeId, keeps: &impl Fn(NodeId) -> bool) -> Option<Wanted> {
        if forest[node].place.syntax().is_some() {
            return keeps(node).then_some(self);
        }
        let alternatives = match self {
            Wanted::All => vec![Alternative { tests: Vec::new(), within: Within::All }],
            Wanted::Some(alternatives) => alternatives,
        };
        let within = |within: Within| match within {
            Within::All => Selection::children(forest, node).only(forest, keeps),
            // Only whether it is there.
            Within::Nodes(nodes) if nodes.nodes.is_empty() => nodes,
            Within::Nodes(nodes) => nodes.only(forest, keeps),
        };
        let left = alternatives.into_iter().filter_map(|it| {
            let is_itself = it.within == Within::All || it.within.is_existence();
            let nodes = within(it.within);
            let is_left = !nodes.nodes.is_empty() || is_itself && keeps(node);
            is_left.then_some(Alternative { tests: it.tests, within: Within::Nodes(nodes) })
        });
        let left: Vec<Alternative> = left.collect();
        (!left.is_empty()).then_some(Wanted::Some(left))
    }

    fn limited(self, forest: &Forest, node: NodeId, levels: u16) -> Wanted {
        if forest[node].place.syntax().is_some() {
            return self;
        }
        let whole = || match levels {
            0 | 1 => Selection::default(),
            _ => Selection::children(forest, node).limited(forest, levels - 1),
        };
        match self {
            Wanted::All => Wanted::nodes(whole()),
            Wanted::Some(alternatives) => {
                let one = |it: Alternative| {
                    let within = match it.within {
                        Within::All => whole(),
                        Within::Nodes(nodes) => nodes.limited(forest, levels),
                    };
                    Alternative { tests: it.tests, within: Within::Nodes(within) }
                };
                Wanted::Some(alternatives.into_iter().map(one).collect())
            }
        }
    }

    /// Whether it may want something of what is at the end of a path of names from a node.
    pub fn reaches(&self, forest: &Forest, node: NodeId, path: &[&str]) -> bool {
        let (Wanted::Some(alternatives), Some((name, rest))) = (self, path.split_first()) else {
            return true;
        };
        let Some(child) = forest.child(Some(node), name) else { return false };
        alternatives.iter().any(|it| {
            let is_tested = it.within.is_existence() || it.tests.iter().any(|test| test.leaf == child);
            is_tested || it.within.of(child).is_some_and(|wanted| wanted.reaches(forest, child, rest))
        })
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

    /// Whether only the instance itself is wanted.
    pub fn is_existence(&self) -> bool {
        matches!(self, Within::Nodes(nodes) if nodes.nodes.is_empty())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own::ALL;

    /// A selection as text: names, and what is wanted within in parentheses.
    fn written(selection: &Selection, forest: &Forest) -> String {
        let one = |it: &Selected| match &it.wanted {
            Wanted::All => forest[it.node].name.clone(),
            Wanted::Some(alternatives) => {
                let each = alternatives.iter().map(|alternative| match &alternative.within {
                    Within::All => "*".to_owned(),
                    Within::Nodes(nodes) => written(nodes, forest),
                });
                format!("{}({})", forest[it.node].name, each.collect::<Vec<_>>().join("|"))
            }
        };
        selection.nodes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_selection_is_narrowed_by_nodes_and_levels() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let root = |name: &str| forest.child(None, name).unwrap();
        let of = |name: &str| Selection { nodes: vec![Selected { node: root(name), wanted: Wanted::All }] };
        let is_configuration = |node: NodeId| forest[node].place.is_configuration();
        let configured = written(&of("interfaces").only(&forest, &is_configuration), &forest);
        assert!(configured.starts_with("interfaces(interface(name description type enabled"), "{configured}");
        assert!(!configured.contains("statistics") && !configured.contains("oper-status"), "{configured}");
        assert!(configured.contains("ipv4(") && !configured.contains("origin"), "{configured}");
        assert_eq!(written(&of("system-state").only(&forest, &is_configuration), &forest), "");
        let state = written(&of("interfaces").only(&forest, &|node| !is_configuration(node)), &forest);
        assert!(state.starts_with("interfaces(interface(admin-status"), "{state}");
        assert!(state.contains("address(origin)"), "{state}");

        assert_eq!(written(&of("system-state").limited(&forest, 1), &forest), "system-state()");
        assert_eq!(
            written(&of("system-state").limited(&forest, 2), &forest),
            "system-state(platform() clock())"
        );
        assert_eq!(
            written(&of("system-state").limited(&forest, 3), &forest),
            "system-state(platform(os-name os-release os-version machine) clock(current-datetime boot-datetime))"
        );
        // Levels count from what is wanted whole.
        let clock = forest.child(Some(root("system-state")), "clock").unwrap();
        let mut within = Selection::default();
        within.add(clock, Wanted::All);
        let mut selection = Selection::default();
        selection.add(root("system-state"), Wanted::nodes(within));
        assert_eq!(written(&selection.limited(&forest, 1), &forest), "system-state(clock())");
    }
}

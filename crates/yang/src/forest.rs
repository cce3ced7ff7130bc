//! The data of all modules as trees of nodes, and where in the tree of objects the value of each is.

use std::fmt;

use trunkline_smi::module::ALL;
use trunkline_smi::schema::{Column, IndexPart, Scalar, Syntax, Table};

use crate::own::{OwnKind, OwnModule, OwnNode, Prefixes, Rule, Setting, Values};
use crate::schema::{Below, Kind, List, Module, Node as Schema, Origin};

/// The nodes of all modules.
#[derive(Debug)]
pub struct Forest {
    modules: Vec<ModuleName>,
    nodes: Vec<Node>,
    roots: Vec<NodeId>,
}

/// A module of a [`Forest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleName {
    /// `IF-MIB`.
    pub name: &'static str,
    /// `urn:ietf:params:xml:ns:yang:smiv2:IF-MIB`.
    pub namespace: String,
    /// `if-mib`.
    pub prefix: String,
}

/// Which node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// A node of data.
#[derive(Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The position of its module in [`Forest::modules`].
    pub module: usize,
    /// What it is in; `None` of a root.
    pub parent: Option<NodeId>,
    /// What is in it; of a list its keys first, in their order.
    pub children: Vec<NodeId>,
    /// Where its data is.
    pub place: Place,
}

/// Where the data of a node is in the tree of objects.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// A container has none of its own.
    Container,
    /// A list: the rows of a table.
    List(&'static Table),
    /// A leaf of a container.
    Scalar(&'static Scalar),
    /// A key of a list: a part of the row's index, counted from 0.
    Key(usize, &'static IndexPart),
    /// Another leaf of a list, perhaps of a table that AUGMENTS the list's.
    Column(&'static Table, &'static Column),
    /// Not there: the agent makes it.
    Own {
        /// What it is.
        node: &'static OwnNode,
        /// Whether it is a key of the list that it is in.
        is_key: bool,
    },
}

impl Forest {
    /// The forest of these modules.
    pub fn of(modules: &[Module]) -> Forest {
        let mut forest = Forest::named(modules);
        for (at, module) in modules.iter().enumerate() {
            let roots = forest.grow(&module.nodes, at, None);
            forest.roots.extend(roots);
        }
        for (at, module) in modules.iter().enumerate() {
            for augment in &module.augments {
                if let Some(place) = forest.at_path(&augment.path) {
                    let added = forest.grow(&augment.nodes, at, Some(place));
                    forest.nodes[place.position()].children.extend(added);
                }
            }
        }
        forest
    }

    /// The notifications of these modules, each a root.
    pub fn of_notifications(modules: &[Module]) -> Forest {
        let mut forest = Forest::named(modules);
        for (at, module) in modules.iter().enumerate() {
            let roots = forest.grow(&module.notifications, at, None);
            forest.roots.extend(roots);
        }
        forest
    }

    fn named(modules: &[Module]) -> Forest {
        let names = modules.iter().map(|it| ModuleName {
            name: it.name,
            namespace: it.namespace.clone(),
            prefix: it.prefix.clone(),
        });
        Forest { modules: names.collect(), nodes: Vec::new(), roots: Vec::new() }
    }

    /// The same with a module whose data the agent makes itself.
    #[must_use]
    pub fn with(self, module: &'static OwnModule) -> Forest {
        self.with_nodes(module, module.nodes)
    }

    /// The same with the notifications of a module that the agent makes itself.
    #[must_use]
    pub fn with_notifications(self, module: &'static OwnModule) -> Forest {
        self.with_nodes(module, module.notifications)
    }

    fn with_nodes(mut self, module: &'static OwnModule, nodes: &'static [OwnNode]) -> Forest {
        let at = self.modules.len();
        let (namespace, prefix) = (module.namespace.to_owned(), module.prefix.to_owned());
        self.modules.push(ModuleName { name: module.name, namespace, prefix });
        let roots = self.grow_own(nodes, &[], at, None);
        self.roots.extend(roots);
        self
    }

    fn grow_own(
        &mut self,
        nodes: &'static [OwnNode],
        keys: &[&str],
        module: usize,
        parent: Option<NodeId>,
    ) -> Vec<NodeId> {
        let mut grown = Vec::with_capacity(nodes.len());
        for node in nodes {
            let id = NodeId(self.nodes.len() as u32);
            let added_by = node.of.and_then(|of| self.modules.iter().position(|it| it.name == of.name));
            let module = added_by.unwrap_or(module);
            let place = Place::Own { node, is_key: keys.contains(&node.name) };
            self.nodes.push(Node { name: node.name.into(), module, parent, children: Vec::new(), place });
            let keys: &[&str] = if let OwnKind::List(keys, _) = &node.kind { keys } else { &[] };
            let children = self.grow_own(node.children(), keys, module, Some(id));
            self.nodes[id.position()].children = children;
            grown.push(id);
        }
        grown
    }

    fn grow(&mut self, nodes: &[Schema], module: usize, parent: Option<NodeId>) -> Vec<NodeId> {
        nodes.iter().filter_map(|node| self.plant(node, module, parent)).collect()
    }

    fn plant(&mut self, schema: &Schema, module: usize, parent: Option<NodeId>) -> Option<NodeId> {
        let (place, below): (Place, Vec<&Schema>) = match &schema.kind {
            Kind::State(nodes) | Kind::Container(nodes) | Kind::Notification(nodes) => {
                (Place::Container, nodes.iter().collect())
            }
            Kind::List(list) => (Place::List(table_of(schema.origin?)?), keys_first(list)),
            Kind::Leaf(_) => (self.leaf(schema, parent)?, Vec::new()),
        };
        let id = NodeId(self.nodes.len() as u32);
        let name = schema.name.clone();
        self.nodes.push(Node { name, module, parent, children: Vec::new(), place });
        let children = below.into_iter().filter_map(|node| self.plant(node, module, Some(id))).collect();
        self.nodes[id.position()].children = children;
        Some(id)
    }

    fn leaf(&self, schema: &Schema, parent: Option<NodeId>) -> Option<Place> {
        if let Some(Place::List(table)) = parent.map(|parent| self[parent].place) {
            let key = table.index.iter().position(|part| part.name == schema.name);
            if let Some(at) = key {
                return Some(Place::Key(at, &table.index[at]));
            }
        }
        // What a notification refers to has the name of an object, of which there is one.
        let Some(origin) = schema.origin else { return object_named(&schema.name) };
        match origin.below {
            Below::Column(id) => {
                let table = table_of(origin)?;
                Some(Place::Column(table, table.column(id)?))
            }
            Below::Itself => ALL
                .iter()
                .flat_map(|module| module.scalars)
                .find(|scalar| scalar.oid == origin.oid)
                .map(Place::Scalar),
            Below::Entry => None,
        }
    }

    /// The node of a path with prefixes, as augment has it.
    fn at_path(&self, path: &str) -> Option<NodeId> {
        let mut level = &self.roots;
        let mut found = None;
        for step in path.split('/').skip(1) {
            let (prefix, name) = step.split_once(':')?;
            let is_it = |id: &&NodeId| {
                let node = &self[**id];
                node.name == name && self.modules[node.module].prefix == prefix
            };
            let id = *level.iter().find(is_it)?;
            level = &self[id].children;
            found = Some(id);
        }
        found
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The modules, in the order in which they were given.
    pub fn modules(&self) -> &[ModuleName] {
        &self.modules
    }

    /// The module of a node.
    pub fn module(&self, id: NodeId) -> &ModuleName {
        &self.modules[self[id].module]
    }

    /// The outermost nodes.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The nodes in this one; of none, the outermost ones.
    pub fn children(&self, of: Option<NodeId>) -> &[NodeId] {
        of.map_or(&self.roots, |id| &self[id].children)
    }

    /// The node of this name in another one; in none, the outermost one.
    pub fn child(&self, of: Option<NodeId>, name: &str) -> Option<NodeId> {
        self.children(of).iter().find(|id| self[**id].name == name).copied()
    }

    /// The same of this module.
    pub fn child_of(&self, of: Option<NodeId>, module: &str, name: &str) -> Option<NodeId> {
        let is_it = |id: &&NodeId| self[**id].name == name && self.module(**id).name == module;
        self.children(of).iter().find(is_it).copied()
    }

    /// The same with this namespace.
    pub fn child_in(&self, of: Option<NodeId>, namespace: &str, name: &str) -> Option<NodeId> {
        let is_it = |id: &&NodeId| self[**id].name == name && self.module(**id).namespace == namespace;
        self.children(of).iter().find(is_it).copied()
    }

    /// The keys of a list, in their order.
    pub fn keys(&self, list: NodeId) -> impl Iterator<Item = NodeId> {
        self[list].children.iter().copied().take_while(|child| self[*child].place.is_key())
    }

    /// Whether a node's namespace is not that of the node that it is in.
    pub fn begins_namespace(&self, id: NodeId) -> bool {
        let node = &self[id];
        node.parent.is_none_or(|parent| self[parent].module != node.module)
    }
}

impl std::ops::Index<NodeId> for Forest {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.position()]
    }
}

impl NodeId {
    /// Stands for the absence of a node.
    pub(crate) const NONE: NodeId = NodeId(u32::MAX);

    /// Nodes are numbered from 0.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

impl Place {
    /// What values a leaf has; `None` of any other node.
    pub fn syntax(&self) -> Option<&'static Syntax> {
        match *self {
            Place::Container | Place::List(_) => None,
            Place::Scalar(scalar) => Some(&scalar.syntax),
            Place::Key(_, part) => Some(&part.syntax),
            Place::Column(_, column) => Some(&column.syntax),
            Place::Own { node, .. } => node.syntax(),
        }
    }

    /// What of it can be configured; `None` of any other node, and of every object of SMIv2 (RFC 6643 section 11).
    pub const fn setting(&self) -> Option<&'static Setting> {
        match *self {
            Place::Own { node, .. } => node.setting.as_ref(),
            _ => None,
        }
    }

    /// Whether it is a secret, such as a key, a password or a community: nobody reads it.
    pub const fn is_secret(&self) -> bool {
        matches!(self.setting(), Some(Setting { is_secret: true, .. }))
    }

    /// Whether it or anything in it can be configured.
    pub fn is_configuration(&self) -> bool {
        matches!(self, Place::Own { node, .. } if node.is_configuration())
    }

    /// The case of a choice that it belongs to, from 1; 0 of all others.
    pub const fn case(&self) -> u8 {
        match *self {
            Place::Own { node, .. } => node.case,
            _ => 0,
        }
    }

    /// Whether users choose the order of its entries or values (RFC 7950 section 7.7.7).
    pub const fn is_ordered(&self) -> bool {
        matches!(self, Place::Own { node: OwnNode { is_ordered: true, .. }, .. })
    }

    /// What a configuration with it must fulfil.
    pub const fn rules(&self) -> &'static [Rule] {
        match *self {
            Place::Own { node, .. } => node.rules,
            _ => &[],
        }
    }

    /// Whether it is a leaf-list.
    pub fn is_leaf_list(&self) -> bool {
        matches!(self, Place::Own { node, .. } if node.values == Values::Many)
    }

    /// Whether it is a list.
    pub const fn is_list(&self) -> bool {
        matches!(self, Place::List(_) | Place::Own { node: OwnNode { kind: OwnKind::List(..), .. }, .. })
    }

    /// Whether it is a container that is there because of what is in it.
    pub const fn is_plain_container(&self) -> bool {
        matches!(
            self,
            Place::Container | Place::Own { node: OwnNode { kind: OwnKind::Container(_), .. }, .. }
        )
    }

    /// The declaration that a value needs where it is written: a prefix and its namespace.
    pub const fn declares(&self) -> Option<(&'static str, &'static str)> {
        match *self {
            Place::Own { node: OwnNode { setting: Some(setting), .. }, .. } => setting.value.declares(),
            Place::Own {
                node: OwnNode { prefixes: Some(Prefixes::Identity(prefix, namespace)), .. },
                ..
            } => Some((prefix, namespace)),
            _ => None,
        }
    }

    /// Whether its values name nodes, with the prefixes of their modules.
    pub const fn names_nodes(&self) -> bool {
        matches!(
            self,
            Place::Own {
                node: OwnNode { prefixes: Some(Prefixes::Nodes | Prefixes::Identities | Prefixes::Path), .. },
                ..
            }
        )
    }

    /// Whether its values are paths to instances.
    pub const fn is_path(&self) -> bool {
        matches!(self, Place::Own { node: OwnNode { prefixes: Some(Prefixes::Path), .. }, .. })
    }

    /// Whether it can be there several times: a list, or a leaf-list.
    pub fn is_many(&self) -> bool {
        self.is_list() || self.is_leaf_list()
    }

    /// Whether it is a key of a list.
    pub const fn is_key(&self) -> bool {
        matches!(self, Place::Key(..) | Place::Own { is_key: true, .. })
    }
}

/// A path with the names of modules, as JSON has it (RFC 7951 section 4): `/IF-MIB:IF-MIB/interfaces/ifNumber`.
impl fmt::Display for PathOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PathOf(forest, id) = *self;
        if let Some(parent) = forest[id].parent {
            PathOf(forest, parent).fmt(f)?;
        }
        f.write_str("/")?;
        if forest.begins_namespace(id) {
            write!(f, "{}:", forest.module(id).name)?;
        }
        f.write_str(&forest[id].name)
    }
}

/// Where a node is.
#[derive(Debug, Clone, Copy)]
pub struct PathOf<'f>(pub &'f Forest, pub NodeId);

fn object_named(name: &str) -> Option<Place> {
    let scalar = ALL.iter().flat_map(|module| module.scalars).find(|it| it.name == name).map(Place::Scalar);
    let columns = || {
        ALL.iter()
            .flat_map(|module| module.tables)
            .flat_map(|table| table.columns.iter().map(move |it| (table, it)))
    };
    scalar.or_else(|| columns().find(|(_, it)| it.name == name).map(|(table, it)| Place::Column(table, it)))
}

fn table_of(origin: Origin) -> Option<&'static Table> {
    ALL.iter().flat_map(|module| module.tables).find(|table| table.oid == origin.oid)
}

/// The nodes of a list, its keys first in their order (RFC 7950 section 7.8.5).
fn keys_first(list: &List) -> Vec<&Schema> {
    let keys = list.keys.iter().filter_map(|key| list.nodes.iter().find(|node| node.name == **key));
    let others = list.nodes.iter().filter(|node| !list.keys.contains(&node.name.as_str()));
    keys.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smiv2::modules;

    fn find(forest: &Forest, path: &str) -> NodeId {
        let ids = (0..forest.nodes.len() as u32).map(NodeId);
        let found: Vec<NodeId> = ids.filter(|id| PathOf(forest, *id).to_string() == path).collect();
        assert_eq!(found.len(), 1, "{path}");
        found[0]
    }

    #[test]
    fn every_node_knows_where_its_data_is() {
        let modules = modules();
        let forest = Forest::of(&modules);
        let number = find(&forest, "/IF-MIB:IF-MIB/interfaces/ifNumber");
        assert!(matches!(forest[number].place, Place::Scalar(scalar) if scalar.name == "ifNumber"));
        let index = find(&forest, "/IF-MIB:IF-MIB/ifTable/ifEntry/ifIndex");
        assert!(matches!(forest[index].place, Place::Key(0, _)));
        let name = find(&forest, "/IF-MIB:IF-MIB/ifTable/ifEntry/ifName");
        let Place::Column(table, column) = forest[name].place else { panic!("{:?}", forest[name]) };
        assert_eq!((table.name, column.name), ("ifXTable", "ifName"));
        let entry = forest[index].parent.unwrap();
        assert_eq!(forest[entry].children.first(), Some(&index));
        let mask = find(
            &forest,
            "/SNMP-TARGET-MIB:SNMP-TARGET-MIB/snmpTargetAddrTable/snmpTargetAddrEntry/SNMP-COMMUNITY-MIB:snmpTargetAddrTMask",
        );
        assert_eq!(forest.module(mask).name, "SNMP-COMMUNITY-MIB");
    }

    #[test]
    fn a_secret_is_a_leaf_that_nobody_reads() {
        let forest = Forest::of(&[]).with(&crate::own::SNMP);
        let is_secret = |path: &str| forest[find(&forest, path)].place.is_secret();
        for secret in ["community/text-name", "community/binary-name", "usm/local/user/auth/sha/key"] {
            assert!(is_secret(&format!("/ietf-snmp:snmp/{secret}")), "{secret}");
        }
        for other in ["community", "community/index", "community/security-name", "usm/local/user/auth/sha"] {
            assert!(!is_secret(&format!("/ietf-snmp:snmp/{other}")), "{other}");
        }
    }

    #[test]
    fn no_node_of_a_module_is_lost() {
        fn count(nodes: &[Schema]) -> usize {
            let below = |node: &Schema| match &node.kind {
                Kind::State(nodes) | Kind::Container(nodes) => count(nodes),
                Kind::List(list) => count(&list.nodes),
                Kind::Leaf(_) | Kind::Notification(_) => 0,
            };
            nodes.iter().map(|node| 1 + below(node)).sum()
        }
        let modules = modules();
        let written: usize = modules
            .iter()
            .map(|it| count(&it.nodes) + it.augments.iter().map(|it| count(&it.nodes)).sum::<usize>())
            .sum();
        assert_eq!(Forest::of(&modules).nodes.len(), written);
    }
}

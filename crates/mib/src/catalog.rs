//! The names of all known modules as one tree of nodes.
//!
//! Built-in modules and modules from MIB texts have the same form here, `smi`'s schema, so that there is one path
//! from name to number and back.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use trunkline_smi::Oid;
use trunkline_smi::schema::{Column, MaxAccess, Module, Notification, Syntax, Table};

use crate::iana::IF_TYPES;

/// An object type as the manager sees it.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// Its kind: scalar, table, entry, column.
    pub kind: ObjectKind,
    /// What its values may be; without meaning for tables and entries.
    pub syntax: Syntax,
    /// The most a manager may do with it.
    pub access: MaxAccess,
    /// The unit of its values, or empty.
    pub units: &'static str,
    /// Whether the module has a UNITS clause for it; if not, `units` is our own
    /// knowledge and is left out where output must equal Net-SNMP's.
    pub has_units_clause: bool,
    /// The table that the table, entry or column belongs to.
    pub table: Option<&'static Table>,
}

/// The kinds of object types (RFC 2578 section 7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// One instance, `.0`.
    Scalar,
    /// A conceptual table.
    Table,
    /// A conceptual row.
    Entry,
    /// A column; its instances end with the row's index.
    Column,
}

/// A node's place in [`Catalog`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(usize);

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub sub_id: u32,
    pub parent: Option<NodeId>,
    /// Empty where only a deeper node has a name.
    pub name: &'static str,
    pub module: &'static str,
    pub object: Option<Object>,
    pub notification: Option<&'static Notification>,
    /// Ascending by sub-identifier.
    children: Vec<(u32, NodeId)>,
    /// Its place among its siblings in Net-SNMP's tree, the smallest first.
    rank: usize,
    /// The modules that define it.
    definers: Definers,
}

/// The modules that define a node under its name. Net-SNMP has an entry for each name in succession: a module that
/// defines the node by the last of them is added to that entry.
#[derive(Clone, Debug, Default)]
struct Definers {
    /// Those of the first entry, which is shown.
    modules: SmallVec<[&'static str; 1]>,
    last_name: &'static str,
    /// Whether the last entry is the first.
    is_first: bool,
}

impl Definers {
    fn add(&mut self, module: &'static str, name: &'static str) {
        let begins = self.modules.is_empty();
        if begins || name != self.last_name {
            (self.is_first, self.last_name) = (begins, name);
        }
        if self.is_first && !self.modules.contains(&module) {
            self.modules.push(module);
        }
    }
}

/// Every named node.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    nodes: Vec<Node>,
    by_name: FxHashMap<&'static str, SmallVec<[(&'static str, NodeId); 1]>>,
    modules: Vec<&'static str>,
    /// The rank of the next node that gets one.
    next_rank: usize,
}

/// A module in the order of its text.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    pub module: &'static Module,
    /// Its names, the last of the text first: so they are in Net-SNMP's tree.
    pub names: Vec<&'static str>,
}

impl Read {
    /// A built-in module, in the order in which it is rendered.
    pub fn built_in(module: &'static Module) -> Self {
        let nodes = module.nodes.iter().map(|node| node.name);
        let scalars = module.scalars.iter().map(|scalar| scalar.name);
        let tables = module.tables.iter().flat_map(|table| {
            [table.name, table.entry].into_iter().chain(table.columns.iter().map(|column| column.name))
        });
        let notifications = module.notifications.iter().map(|notification| notification.name);
        let mut names: Vec<_> = nodes.chain(scalars).chain(tables).chain(notifications).collect();
        names.reverse();
        Read { module, names }
    }
}

impl Node {
    fn unnamed(sub_id: u32, parent: Option<NodeId>) -> Self {
        Node {
            sub_id,
            parent,
            name: "",
            module: "",
            object: None,
            notification: None,
            children: Vec::new(),
            rank: usize::MAX,
            definers: Definers::default(),
        }
    }
}

/// Modules whose definition has no UNITS clause at all, though the built-in schema knows units.
pub(crate) const WITHOUT_UNITS_CLAUSES: &[&str] = &["IF-MIB", "SNMPv2-MIB"];

impl Catalog {
    /// The root alone.
    pub fn new() -> Self {
        Catalog {
            nodes: vec![Node::unnamed(0, None)],
            by_name: FxHashMap::default(),
            modules: Vec::new(),
            next_rank: 0,
        }
    }

    pub const ROOT: NodeId = NodeId(0);

    /// Makes room for so many names more.
    pub fn reserve(&mut self, names: usize) {
        self.nodes.reserve(names);
        self.by_name.reserve(names);
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The modules, in the order they came.
    pub fn modules(&self) -> &[&'static str] {
        &self.modules
    }

    /// All names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }

    /// Adds a module behind those that are there. If two define the same object, the first definition stays, except
    /// where a module is there already: a text of it is newer than the built-in one.
    pub fn add(&mut self, read: &Read) {
        self.define_all(read.module, |node| node.module == read.module.name);
        let of_module = |(defining, _): &&(&str, NodeId)| *defining == read.module.name;
        let place = |name: &&str| self.named(name).iter().find(of_module).map(|(_, id)| *id);
        let places: Vec<NodeId> = read.names.iter().filter_map(place).collect();
        let mut own = places.clone();
        own.sort_unstable();
        for id in places {
            let mut next = Some(id);
            while let Some(at) = next {
                if let Some(node) = self.nodes.get_mut(at.0).filter(|node| node.rank == usize::MAX) {
                    node.rank = self.next_rank;
                    self.next_rank += 1;
                }
                // What is between a name and one that is there already is there from now on.
                next = self.node(at).parent.filter(|above| own.binary_search(above).is_err());
            }
        }
    }

    /// Adds modules as Net-SNMP reads them: of two objects with the same name, the last one is found by it.
    pub fn add_as_read(&mut self, modules: &[Read]) {
        modules.iter().for_each(|read| self.add(read));
        let place = |module: &str| modules.iter().rposition(|read| read.module.name == module);
        for homonyms in self.by_name.values_mut().filter(|homonyms| homonyms.len() > 1) {
            homonyms.sort_by_key(|(module, _)| std::cmp::Reverse(place(module)));
        }
    }

    /// Adds the objects of a module that is there, where its text has no more than their names.
    pub fn complete(&mut self, module: &'static Module) {
        self.define_all(module, |_| false);
    }

    /// Defines everything in a module. Objects replace those that they may replace.
    fn define_all(&mut self, module: &'static Module, may_replace: impl Fn(&Node) -> bool + Copy) {
        if !module.name.is_empty() && !self.modules.contains(&module.name) {
            self.modules.push(module.name);
        }
        for node in module.nodes {
            self.define(module.name, node.name, node.oid, None, may_replace);
        }
        let has_units_clause = !WITHOUT_UNITS_CLAUSES.contains(&module.name);
        for scalar in module.scalars {
            let object = Object {
                kind: ObjectKind::Scalar,
                syntax: with_iana_names(scalar.syntax),
                access: scalar.access,
                units: scalar.units,
                has_units_clause,
                table: None,
            };
            self.define(module.name, scalar.name, scalar.oid, Some(object), may_replace);
        }
        for table in module.tables {
            self.add_table(module.name, table, has_units_clause, may_replace);
        }
        for notification in module.notifications {
            let id = self.define(module.name, notification.name, notification.oid, None, may_replace);
            let node = &mut self.nodes[id.0];
            if node.notification.is_none() || may_replace(node) {
                node.notification = Some(notification);
            }
        }
    }

    fn add_table(
        &mut self,
        module: &'static str,
        table: &'static Table,
        has_units_clause: bool,
        may_replace: impl Fn(&Node) -> bool + Copy,
    ) {
        let part_of_table = |kind| Object {
            kind,
            syntax: Syntax::OCTET_STRING,
            access: MaxAccess::NotAccessible,
            units: "",
            has_units_clause,
            table: Some(table),
        };
        self.define(module, table.name, table.oid, Some(part_of_table(ObjectKind::Table)), may_replace);
        let entry = Oid::EMPTY.child(table.oid).child(&[1]);
        self.define(module, table.entry, &entry, Some(part_of_table(ObjectKind::Entry)), may_replace);
        for Column { id, name, syntax, access, units } in table.columns {
            let object = Object {
                syntax: with_iana_names(*syntax),
                access: *access,
                units,
                ..part_of_table(ObjectKind::Column)
            };
            self.define(module, name, &entry.child(&[*id]), Some(object), may_replace);
        }
    }

    fn define(
        &mut self,
        module: &'static str,
        name: &'static str,
        oid: &[u32],
        object: Option<Object>,
        may_replace: impl Fn(&Node) -> bool,
    ) -> NodeId {
        let id = self.make_path(oid);
        let node = &mut self.nodes[id.0];
        node.definers.add(module, name);
        let replaces = match (&object, &node.object) {
            (Some(_), Some(_)) => may_replace(node),
            (Some(_), None) => true,
            (None, _) => node.name.is_empty(),
        };
        if replaces {
            node.name = name;
            node.module = module;
            node.object = object.or(node.object);
        }
        let homonyms = self.by_name.entry(name).or_default();
        if !homonyms.contains(&(module, id)) {
            homonyms.push((module, id));
        }
        id
    }

    fn make_path(&mut self, oid: &[u32]) -> NodeId {
        let mut at = Self::ROOT;
        for &sub_id in oid {
            at = match self.child(at, sub_id) {
                Some(child) => child,
                None => self.make_child(at, sub_id),
            };
        }
        at
    }

    fn make_child(&mut self, parent: NodeId, sub_id: u32) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node::unnamed(sub_id, Some(parent)));
        let siblings = &mut self.nodes[parent.0].children;
        let place = siblings.partition_point(|(other, _)| *other < sub_id);
        siblings.insert(place, (sub_id, id));
        id
    }

    /// The child with this sub-identifier.
    pub fn child(&self, parent: NodeId, sub_id: u32) -> Option<NodeId> {
        let children = &self.nodes[parent.0].children;
        children.binary_search_by_key(&sub_id, |(id, _)| *id).ok().map(|place| children[place].1)
    }

    /// The node whose name fits best, as Net-SNMP finds it: the one that fits nearest to its beginning (`start` says
    /// where), and of several the first in the order in which the modules were read.
    pub fn best_match(&self, start: impl Fn(&str) -> Option<usize>) -> Option<NodeId> {
        let mut best: Option<(usize, NodeId)> = None;
        let mut left = vec![Self::ROOT];
        while let Some(at) = left.pop() {
            let name = self.node(at).name;
            if let Some(found) = start(name).filter(|_| !name.is_empty())
                && best.is_none_or(|(before, _)| found < before)
            {
                best = Some((found, at));
                if found == 0 {
                    break;
                }
            }
            let mut below: Vec<NodeId> = self.children(at).collect();
            below.sort_by_key(|id| std::cmp::Reverse(self.node(*id).rank));
            left.extend(below);
        }
        best.map(|(_, id)| id)
    }

    /// The modules that define this node under its name, in the order in which they were added.
    pub fn definers(&self, id: NodeId) -> Vec<&'static str> {
        self.node(id).definers.modules.to_vec()
    }

    /// The children, ascending.
    pub fn children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes[parent.0].children.iter().map(|(_, id)| *id)
    }

    /// The nodes with this name: one, unless modules collide.
    pub fn named(&self, name: &str) -> &[(&'static str, NodeId)] {
        self.by_name.get(name).map_or(&[], SmallVec::as_slice)
    }

    /// Whether a module of this name is known.
    pub fn has_module(&self, name: &str) -> bool {
        self.modules.contains(&name)
    }

    /// The deepest named node on the path to `oid`, and how many sub-identifiers lead there.
    pub fn deepest(&self, oid: &[u32]) -> (NodeId, usize) {
        let (mut at, mut named) = (Self::ROOT, (Self::ROOT, 0));
        for (depth, sub_id) in oid.iter().enumerate() {
            let Some(child) = self.child(at, *sub_id) else { break };
            at = child;
            if !self.node(at).name.is_empty() {
                named = (at, depth + 1);
            }
        }
        named
    }

    /// The sub-identifiers of a node.
    pub fn oid_of(&self, id: NodeId) -> Oid {
        let mut sub_ids = Vec::new();
        let mut at = id;
        while let Some(parent) = self.node(at).parent {
            sub_ids.push(self.node(at).sub_id);
            at = parent;
        }
        sub_ids.reverse();
        Oid::EMPTY.child(&sub_ids)
    }

    /// The names from the root to a node; a node without a name shows its number.
    pub fn path_of(&self, id: NodeId) -> Vec<String> {
        let mut names = Vec::new();
        let mut at = id;
        while let Some(parent) = self.node(at).parent {
            let node = self.node(at);
            names.push(if node.name.is_empty() { node.sub_id.to_string() } else { node.name.to_owned() });
            at = parent;
        }
        names.reverse();
        names
    }
}

fn with_iana_names(mut syntax: Syntax) -> Syntax {
    if syntax.convention == "IANAifType" && syntax.names.is_empty() {
        syntax.names = IF_TYPES;
    }
    syntax
}

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::module::if_mib;

    #[test]
    fn columns_know_their_table_and_names_their_node() {
        let mut catalog = Catalog::new();
        catalog.add(&Read::built_in(&if_mib::MODULE));
        let (id, len) = catalog.deepest(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 7]);
        assert_eq!((catalog.node(id).name, len), ("ifDescr", 10));
        let object = catalog.node(id).object.unwrap();
        assert_eq!(object.kind, ObjectKind::Column);
        assert_eq!(object.table.unwrap().name, "ifTable");
        assert_eq!(catalog.named("ifDescr"), [("IF-MIB", id)]);
        assert_eq!(catalog.oid_of(id), "1.3.6.1.2.1.2.2.1.2".parse().unwrap());
        assert_eq!(catalog.path_of(id).last().map(String::as_str), Some("ifDescr"));
    }

    #[test]
    fn interface_types_have_names() {
        let mut catalog = Catalog::new();
        catalog.add(&Read::built_in(&if_mib::MODULE));
        let (_, id) = catalog.named("ifType")[0];
        assert_eq!(catalog.node(id).object.unwrap().syntax.name_of(24), Some("softwareLoopback"));
    }
}

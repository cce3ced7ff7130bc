//! A permission for a path as subtrees: those of the objects that decide about what is there ([`governing`]), with the keys of the entries on the way to it, and
//! without their other children.

use std::sync::Arc;

use trunkline_datastore::Step;
use trunkline_smi::module::{ALL, if_mib};
use trunkline_smi::schema::IndexEncoding;
use trunkline_smi::{IndexValue, Oid, OidBuf, encode_index};
use trunkline_tree::policy::{BY_NAME, ViewType};
use trunkline_tree::{Family, Mask};
use trunkline_yang::forest::{Forest, NodeId, Place as NodePlace};
use trunkline_yang::lexical;
use trunkline_yang::own::{DELEGATION, INTERFACES, PAPER, SNMP};

use crate::governing::{Governing, Object, governing};
use crate::place::{PathError, Place};

/// A permission, or its opposite.
#[derive(Clone, Copy, Debug)]
pub struct Permission<'p> {
    /// The path: `/ietf-interfaces:interfaces/interface[name='eth0']/description`.
    pub path: &'p str,
    /// Whether it is one, or takes away what another one gives.
    pub permits: bool,
    /// What may be done there.
    pub to: ViewType,
}

/// What a path stands for in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subtrees {
    /// The families, each once.
    pub families: Vec<Family>,
    /// The objects of the families, by name: `ifAlias.2`.
    pub names: Vec<String>,
    /// Nodes that are not permitted although they are there: no row of their objects belongs to the entry that the path names.
    pub left_out: Vec<String>,
    /// An interface that is not there at present.
    pub missing: Option<String>,
    /// Whether rows whose last name begins with that of the entry are among them too: the index does not say where such a name ends, and no
    /// subtree can.
    pub is_prefix: bool,
}

/// Why a path cannot be a permission.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSubtrees {
    /// It is more than a path.
    #[error("a permission is for a place, not for what an expression finds: {found} {instead}")]
    Expression {
        /// What is in it.
        found: &'static str,
        /// What to write.
        instead: &'static str,
    },
    /// It names no node.
    #[error(transparent)]
    Path(#[from] PathError),
    /// No object of the tree decides about it.
    #[error("{0} is read by everybody who may read anything: there is no right to give or to take")]
    Everybody(String),
    /// It is state.
    #[error(
        "{0} is not configured, so that nobody can write it; give it to read, or name what is configured"
    )]
    State(String),
    /// An entry has no row.
    #[error(
        "the entries of {list} are not rows that a view can tell apart: name {list} without [...], which is all of them"
    )]
    Entry {
        /// The list.
        list: String,
    },
    /// The rows of what is in an entry are not the entry's.
    #[error(
        "{what} is governed by {object}, whose rows do not belong to {entry}: leave out [...], which is all entries, or name other nodes of the entry one by one"
    )]
    Rows {
        /// The node.
        what: String,
        /// The object.
        object: &'static str,
        /// The entry.
        entry: String,
    },
    /// It is governed by what governs the key.
    #[error(
        "{what} is governed by {object}, as is the key of its entry: without it the whole entry would be hidden; take away the entry itself"
    )]
    Key {
        /// The node.
        what: String,
        /// The object.
        object: &'static str,
    },
}

/// The subtrees of a permission. `index_of` is the ifIndex of an interface.
///
/// # Errors
/// What cannot be said by subtrees exactly.
pub fn subtrees(
    forest: &Forest,
    permission: Permission<'_>,
    index_of: &dyn Fn(&str) -> Option<u32>,
) -> Result<Subtrees, NoSubtrees> {
    found(forest, permission, &|name| index_of(name).map(|index| vec![index]))
}

/// The same where no interface has a number: rows of interfaces are those of a name, whether or not there is one at present. Such subtrees are compared,
/// as rules are, and never in force.
///
/// # Errors
/// As [`subtrees`].
pub fn subtrees_by_name(forest: &Forest, permission: Permission<'_>) -> Result<Subtrees, NoSubtrees> {
    found(forest, permission, &|name| Some(row_by_name(name)))
}

/// A row of no interface, of a name alone.
fn row_by_name(name: &str) -> Vec<u32> {
    let packed =
        name.as_bytes().chunks(4).map(|four| four.iter().fold(0, |all, octet| all << 8 | u32::from(*octet)));
    [BY_NAME].into_iter().chain(packed.take(MOST_OF_NAME)).collect()
}

fn found(
    forest: &Forest,
    permission: Permission<'_>,
    index_of: &dyn Fn(&str) -> Option<Vec<u32>>,
) -> Result<Subtrees, NoSubtrees> {
    let path = permission.path.trim();
    if path == "/" {
        let all = Family { subtree: Oid::from([1]), mask: Mask::default(), included: permission.permits };
        return Ok(Subtrees { families: vec![all], names: vec!["everything".into()], ..Subtrees::default() });
    }
    check_form(path)?;
    // The paper's document is that of one module.
    let whole;
    let path = match path.strip_prefix("/netconf") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            whole = format!("/{}:netconf{rest}", PAPER.name);
            &whole
        }
        _ => path,
    };
    let place = Place::read(path, forest)?;
    let mut finding =
        Finding { forest, permission, place: &place, found: Subtrees::default(), keys: Vec::new() };
    finding.keys = finding.keys_above();
    let row = finding.row(index_of)?;
    finding.add_all(row.as_ref())?;
    let Finding { found, .. } = finding;
    if found.families.is_empty() && found.missing.is_none() {
        let name = place.name(forest);
        return Err(match permission.to {
            ViewType::Write => NoSubtrees::State(name),
            ViewType::Read | ViewType::Notify => NoSubtrees::Everybody(name),
        });
    }
    Ok(found)
}

/// Refuses expressions with words about what to write in their place.
fn check_form(path: &str) -> Result<(), NoSubtrees> {
    let mut plain = String::with_capacity(path.len());
    let mut quote = None;
    for c in path.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None => plain.push(c),
        }
    }
    let is_position =
        plain.split('[').skip(1).any(|it| it.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let has_word = |word: &str| {
        plain
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_' && c != '.')
            .any(|it| it == word)
    };
    let (found, instead) = match () {
        () if plain.contains('(') => {
            ("functions are not rows.", "Name each entry by its key, as [name='eth0']")
        }
        () if plain.contains('|') => {
            ("a union is several places.", "Write an entry of the list for each of them")
        }
        () if plain.contains("//") => ("// is any depth.", "Write each step by its name"),
        () if plain.contains('*') => ("* is any name.", "Name the node that it is in, which has all of them"),
        () if plain.contains("::") || plain.contains("/.") || plain.contains('@') => {
            ("there are no axes.", "Write each step by its name, from the root on")
        }
        () if is_position => ("an entry has no lasting position.", "Name it by its key, as [name='eth0']"),
        () if plain.contains(['<', '>', '!', '+'])
            || plain.contains('[') && (has_word("and") || has_word("or")) =>
        {
            (
                "comparisons depend on values that change.",
                "Name each entry by all of its keys, [key='value'] for each",
            )
        }
        () => return Ok(()),
    };
    Err(NoSubtrees::Expression { found, instead })
}

/// The row of the entry that a path names.
struct Row {
    /// The entry, for people.
    entry: String,
    of: RowOf,
}

enum RowOf {
    /// Of a table of SMIv2 and those that augment it.
    Index(Vec<u32>),
    /// Of an interface; `None`: it is not there.
    Interface(Option<Vec<u32>>),
    /// Of tables whose rows a model shows: which, the place of each leaf says.
    Model(fn(&Forest, &[Step]) -> Option<Vec<u32>>),
}

struct Finding<'f> {
    forest: &'f Forest,
    permission: Permission<'f>,
    place: &'f Place,
    found: Subtrees,
    /// What governs the keys of the entries on the way.
    keys: Vec<Object>,
}

impl Finding<'_> {
    /// What governs the keys of lists above the node.
    fn keys_above(&self) -> Vec<Object> {
        let above = self.place.steps.iter().rev().skip(1);
        let keys = above.flat_map(|(node, _)| self.forest.keys(*node));
        let objects = keys.filter(|key| matches!(self.forest[*key].place, NodePlace::Own { .. }));
        objects.flat_map(|key| objects_of(self.forest, key)).collect()
    }

    fn row(&mut self, index_of: &dyn Fn(&str) -> Option<Vec<u32>>) -> Result<Option<Row>, NoSubtrees> {
        let forest = self.forest;
        let Some(at) = self.place.steps.iter().position(|(_, keys)| !keys.is_empty()) else {
            return Ok(None);
        };
        let (node, keys) = &self.place.steps[at];
        let steps = self.place.steps[..=at].to_vec();
        let entry = Place { steps }.name(forest);
        let list =
            Place { steps: self.place.steps[..=at].iter().map(|(node, _)| (*node, Vec::new())).collect() };
        let list = list.name(forest);
        let module = forest.module(*node).name;
        // A second list below is not told apart by rows, but for the objects of an expression.
        if module != DELEGATION.name && self.place.steps[at + 1..].iter().any(|(_, keys)| !keys.is_empty()) {
            return Err(NoSubtrees::Entry { list: self.place.name(forest) });
        }
        let of = match forest[*node].place {
            NodePlace::List(table) => {
                let values = table.index.iter().zip(keys);
                let values = values.map(|(part, text)| IndexValue::of(lexical::read(text, &part.syntax)?));
                let mut index = OidBuf::new();
                let values = values.collect::<Option<Vec<IndexValue>>>();
                let encoded = values.and_then(|values| encode_index(table.index, &values, &mut index).ok());
                encoded.ok_or(NoSubtrees::Entry { list })?;
                RowOf::Index(index.to_vec())
            }
            _ if forest[*node].name == "interface" && module == INTERFACES.name
                || forest[*node].name == "iface" && module == PAPER.name && at == 3 =>
            {
                let name = keys.first().map(String::as_str).unwrap_or_default();
                let index = index_of(name);
                self.found.missing = index.is_none().then(|| name.to_owned());
                RowOf::Interface(index)
            }
            _ if module == SNMP.name => RowOf::Model(trunkline_models::snmp::instance),
            _ if module == DELEGATION.name => RowOf::Model(trunkline_models::delegation::instance),
            _ => return Err(NoSubtrees::Entry { list }),
        };
        Ok(Some(Row { entry, of }))
    }

    fn add_all(&mut self, row: Option<&Row>) -> Result<(), NoSubtrees> {
        let Some(node) = self.place.node() else { return Ok(()) };
        let mut leaves = Vec::new();
        leaves_in(self.forest, node, &mut self.place.clone(), &mut leaves);
        let mut objects: Vec<(Object, Place)> = Vec::new();
        for leaf in leaves {
            let Some(node) = leaf.node() else { continue };
            for object in self.objects(node) {
                if !objects.iter().any(|(known, _)| *known == object) {
                    objects.push((object, leaf.clone()));
                }
            }
        }
        let is_leaf = self.forest[node].place.syntax().is_some();
        if !self.permission.permits {
            let above = std::mem::take(&mut self.keys);
            let first = objects.first().cloned();
            objects.retain(|(object, _)| !above.contains(object));
            if let (true, Some((object, place))) = (objects.is_empty(), first) {
                return Err(NoSubtrees::Key { what: place.name(self.forest), object: object.name });
            }
        }
        for (object, place) in &objects {
            self.add(object, place, row, is_leaf)?;
        }
        if let (true, false, Some((object, place))) =
            (self.found.families.is_empty(), self.found.left_out.is_empty(), objects.first())
        {
            self.add(object, place, row, true)?;
        }
        if self.permission.permits && !objects.is_empty() && self.permission.to != ViewType::Write {
            for key in std::mem::take(&mut self.keys) {
                self.add(&key, self.place, row, is_leaf)?;
            }
        }
        self.found.left_out.sort();
        self.found.left_out.dedup();
        Ok(())
    }

    /// What decides about a leaf.
    fn objects(&self, leaf: NodeId) -> Vec<Object> {
        let place = &self.forest[leaf].place;
        match self.permission.to {
            // Rows of MIB modules are not written over NETCONF, and may be over SNMP.
            ViewType::Write
                if matches!(place, NodePlace::Own { .. })
                    && (place.setting().is_none() || place.is_key()) =>
            {
                Vec::new()
            }
            _ => objects_of(self.forest, leaf),
        }
    }

    fn add(
        &mut self,
        object: &Object,
        place: &Place,
        row: Option<&Row>,
        is_strict: bool,
    ) -> Result<(), NoSubtrees> {
        let index = match row.map(|row| (&row.of, &row.entry)) {
            None => Some(Vec::new()),
            Some(_) if object.is_scalar => None,
            Some((RowOf::Index(index), _)) => Some(index.clone()),
            Some((RowOf::Interface(index), _)) if is_of_interfaces(&object.oid) => match index {
                Some(index) => Some(index.clone()),
                None => return Ok(()),
            },
            Some((RowOf::Model(instance), _)) => {
                self.found.is_prefix |= has_open_end(&object.oid);
                instance(self.forest, &steps(place))
            }
            Some(_) => None,
        };
        let Some(index) = index else {
            let what = place.name(self.forest);
            let entry = row.map(|row| row.entry.clone()).unwrap_or_default();
            if is_strict || !self.permission.permits {
                return Err(NoSubtrees::Rows { what, object: object.name, entry });
            }
            self.found.left_out.push(what);
            return Ok(());
        };
        let subtree = object.oid.child(&index);
        let family = Family { subtree, mask: Mask::default(), included: self.permission.permits };
        if !self.found.families.contains(&family) {
            let index: String = index.iter().map(|part| format!(".{part}")).collect();
            self.found.names.push(format!("{}{index}", object.name));
            self.found.families.push(family);
        }
        Ok(())
    }
}

/// What decides about a leaf, whoever may do anything left out.
fn objects_of(forest: &Forest, leaf: NodeId) -> Vec<Object> {
    match governing(forest, leaf) {
        Governing::Objects(objects) | Governing::InPart(objects) => objects,
        Governing::Everybody | Governing::Others => Vec::new(),
    }
}

fn leaves_in(forest: &Forest, node: NodeId, place: &mut Place, leaves: &mut Vec<Place>) {
    if forest[node].place.syntax().is_some() {
        leaves.push(place.clone());
    }
    for &child in &forest[node].children {
        place.steps.push((child, Vec::new()));
        leaves_in(forest, child, place, leaves);
        place.steps.pop();
    }
}

pub(crate) fn steps(place: &Place) -> Vec<Step> {
    let keys =
        |keys: &[String]| keys.iter().map(|key| key.clone().into_boxed_str()).collect::<Arc<[Box<str>]>>();
    place.steps.iter().map(|(node, of)| Step { node: *node, keys: keys(of) }).collect()
}

/// Four octets each: more than a name of an interface has.
const MOST_OF_NAME: usize = 16;

/// Whether the index of an object's rows ends with a name without its length.
fn has_open_end(oid: &Oid) -> bool {
    let table = ALL.iter().flat_map(|module| module.tables).find(|table| oid.starts_with(table.oid));
    let last = table.and_then(|table| table.index.last());
    last.is_some_and(|last| last.encoding == IndexEncoding::ImpliedOctets)
}

/// Whether the rows of an object are those of interfaces.
fn is_of_interfaces(oid: &Oid) -> bool {
    let tables = [if_mib::IF_TABLE.oid, if_mib::IF_X_TABLE.oid];
    tables.iter().any(|table| oid.starts_with(table))
}

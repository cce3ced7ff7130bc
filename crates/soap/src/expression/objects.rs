//! The meaning of names in expressions: objects of the modules that have a schema.

use std::collections::HashMap;
use std::sync::LazyLock;

use trunkline_smi::module;
use trunkline_smi::schema::{Column, Scalar, Table};

/// An object of a module.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// Single-instance data.
    Scalar(&'static Scalar),
    /// A table, by its own name or that of its entry.
    Table(&'static Table),
    /// A column of a table.
    Column(&'static Table, &'static Column),
}

/// Names in the paper that no module has, and their replacements.
const ALIASES: [(&str, &str); 3] = [
    ("tcpConnInSegs", "tcpEStatsPerfSegsIn"),
    ("tcpConnOutSegs", "tcpEStatsPerfSegsOut"),
    ("ipIndelivers", "ipInDelivers"),
];

static OBJECTS: LazyLock<HashMap<&'static str, (&'static str, Object)>> = LazyLock::new(|| {
    let mut objects = HashMap::new();
    for module in module::ALL {
        for scalar in module.scalars {
            objects.entry(scalar.name).or_insert((module.name, Object::Scalar(scalar)));
        }
        for table in module.tables {
            objects.entry(table.name).or_insert((module.name, Object::Table(table)));
            objects.entry(table.entry).or_insert((module.name, Object::Table(table)));
            for column in table.columns {
                objects.entry(column.name).or_insert((module.name, Object::Column(table, column)));
            }
        }
    }
    objects
});

/// The object of a name, which may have its module before it: `IF-MIB::ifDescr`.
pub fn object(name: &str) -> Option<Object> {
    let (module, name) = match name.split_once("::") {
        Some((module, name)) => (Some(module), name),
        None => (None, name),
    };
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, meant)| *meant);
    let (of, object) = OBJECTS.get(name).or_else(|| OBJECTS.get(alias()?))?;
    module.is_none_or(|module| module == *of).then_some(*object)
}

/// The scalars below a node of a module, as `tcp`, or the one of this name.
pub fn scalars_of(name: &str) -> Vec<&'static Scalar> {
    if let Some(Object::Scalar(scalar)) = object(name) {
        return vec![scalar];
    }
    let nodes = module::ALL.iter().flat_map(|module| module.nodes);
    let Some(node) = nodes.into_iter().find(|node| node.name == name) else { return Vec::new() };
    let scalars = module::ALL.iter().flat_map(|module| module.scalars);
    let is_below = |scalar: &&Scalar| {
        scalar.oid.len() == node.oid.len() + 1
            && scalar.oid.starts_with(node.oid)
            && scalar.access.is_readable()
    };
    scalars.filter(is_below).collect()
}

/// A few similar names: the same except for case, otherwise with the longest common prefix.
pub(super) fn nearest(name: &str) -> Vec<String> {
    const SHOWN: usize = 3;
    const LEAST: usize = 4;
    let common = |other: &str| {
        let pairs = name.bytes().zip(other.bytes());
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    };
    let mut found: Vec<(usize, usize, &str)> = OBJECTS
        .keys()
        .map(|other| (common(other), other.len().abs_diff(name.len()), *other))
        .filter(|(common, ..)| *common >= LEAST)
        .collect();
    found.sort_by_key(|(common, longer, other)| (std::cmp::Reverse(*common), *longer, *other));
    found.into_iter().take(SHOWN).map(|(.., other)| other.to_owned()).collect()
}

impl Object {
    /// Its descriptor.
    pub fn name(&self) -> &'static str {
        match self {
            Object::Scalar(scalar) => scalar.name,
            Object::Table(table) => table.name,
            Object::Column(_, column) => column.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_paper_are_there() {
        for name in ["tcpInSegs", "tcpOutSegs", "ipInDelivers", "ipIndelivers"] {
            assert!(matches!(object(name), Some(Object::Scalar(_))), "{name}");
        }
        assert!(matches!(object("tcpConnEntry"), Some(Object::Table(table)) if table.name == "tcpConnTable"));
        assert!(matches!(object("tcpConnLocalPort"), Some(Object::Column(..))));
        assert!(object("TCP-MIB::tcpConnLocalPort").is_some());
        assert!(object("IF-MIB::tcpConnLocalPort").is_none());
        assert_eq!(nearest("tcpConnLocalPrt")[0], "tcpConnLocalPort");
        assert!(scalars_of("tcp").iter().any(|scalar| scalar.name == "tcpInSegs"));
    }
}

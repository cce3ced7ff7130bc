//! A YANG module (RFC 7950), as far as the modules of this house need it.

use std::fmt;

use trunkline_smi::schema::{MaxAccess, Syntax};

/// A module of YANG 1.0 (RFC 6020), which RFC 7950 still reads.
#[derive(Debug, Clone)]
pub struct Module {
    /// Its name: `IF-MIB`.
    pub name: &'static str,
    /// Its namespace: `urn:ietf:params:xml:ns:yang:smiv2:IF-MIB`.
    pub namespace: String,
    /// The prefix of its own names: `if-mib`.
    pub prefix: String,
    /// What it is, in a sentence.
    pub description: String,
    /// Modules and their prefixes, in ascending order.
    pub imports: Vec<Import>,
    /// Types that have names.
    pub typedefs: Vec<Typedef>,
    /// The data.
    pub nodes: Vec<Node>,
    /// What it adds to the data of other places.
    pub augments: Vec<Augment>,
    /// Notifications.
    pub notifications: Vec<Node>,
}

/// Another module whose names are used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// Its name.
    pub module: String,
    /// The prefix of its names here.
    pub prefix: String,
}

/// A type with a name.
#[derive(Debug, Clone)]
pub struct Typedef {
    /// The name.
    pub name: &'static str,
    /// What it stands for.
    pub ty: Type,
    /// The DISPLAY-HINT, or empty.
    pub hint: &'static str,
}

/// A place in the data.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// What it is in SMIv2.
    pub origin: Option<Origin>,
}

/// A container, a list, a leaf, or a notification.
#[derive(Debug, Clone)]
pub enum Kind {
    /// A container of state.
    State(Vec<Node>),
    /// A container.
    Container(Vec<Node>),
    /// A list.
    List(List),
    /// A leaf.
    Leaf(Leaf),
    /// A notification.
    Notification(Vec<Node>),
}

/// A list: a conceptual table's rows.
#[derive(Debug, Clone)]
pub struct List {
    /// The names of its keys, in their order.
    pub keys: Vec<&'static str>,
    /// The key whose length is IMPLIED (RFC 2578 section 7.7).
    pub implied: Option<&'static str>,
    /// Its leaves.
    pub nodes: Vec<Node>,
}

/// A leaf.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// What values it has.
    pub ty: Type,
    /// How its values become text; `None` of a leafref in a notification.
    pub syntax: Option<Syntax>,
    /// UNITS, or empty.
    pub units: &'static str,
}

/// Nodes that are added to the data of another place.
#[derive(Debug, Clone)]
pub struct Augment {
    /// The path of the place.
    pub path: String,
    /// What is added.
    pub nodes: Vec<Node>,
    /// What it is in SMIv2.
    pub origin: Option<Origin>,
}

/// An object of SMIv2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Its identifier, without the last part if that is `id`.
    pub oid: &'static [u32],
    /// The part of a table's entry (1), or of a column's entry and column.
    pub below: Below,
    /// What a manager may do with it; `None` of a container or list.
    pub access: Option<MaxAccess>,
}

/// What stands behind the identifier of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Nothing.
    Itself,
    /// The table's entry.
    Entry,
    /// A column of the entry.
    Column(u32),
}

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// A name, of this module or another one, with a narrower range or length if there is one.
    Named {
        /// With its prefix, if it is not a built-in one: `yang:counter32`.
        name: String,
        /// What values are left.
        narrowed: Option<Narrowed>,
    },
    /// An enumeration, with the numbers of SMIv2.
    Enumeration(&'static [(i32, &'static str)]),
    /// Bits and their positions.
    Bits(&'static [(i32, &'static str)]),
    /// The value of another leaf.
    Leafref(String),
    /// An object identifier, also one of fewer than two parts, which no type of the IETF has.
    AnyOid,
}

/// A narrower range of numbers or lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrowed {
    /// Of numbers.
    Range(i64, i64),
    /// Of octets or characters.
    Length(i64, i64),
}

impl Type {
    /// A type by its name.
    pub fn named(name: impl Into<String>) -> Type {
        Type::Named { name: name.into(), narrowed: None }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.oid.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            write!(f, "{dot}{part}")?;
        }
        match self.below {
            Below::Itself => Ok(()),
            Below::Entry => f.write_str(".1"),
            Below::Column(id) => write!(f, ".1.{id}"),
        }
    }
}

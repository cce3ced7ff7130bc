//! What a stream holds: values in an arena, which refer to each other by number and may so form circles.

use super::class::Class;

/// A value of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

/// The values of one stream.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    octets: usize,
}

/// One value.
#[derive(Debug, PartialEq)]
pub enum Node {
    /// A class descriptor.
    Class(&'static Class),
    /// The descriptor of a dynamic proxy: its interfaces.
    Proxy(Vec<String>),
    /// A string.
    String(String),
    /// An object.
    Object(Object),
    /// A constant of an enumeration.
    Enum {
        /// Its class.
        class: &'static Class,
        /// Its name.
        name: String,
    },
    /// A class as a value.
    ClassValue(Id),
    /// `boolean[]`
    Booleans(Vec<bool>),
    /// `byte[]`
    Bytes(Vec<u8>),
    /// `char[]`
    Chars(Vec<u16>),
    /// `short[]`
    Shorts(Vec<i16>),
    /// `int[]`
    Ints(Vec<i32>),
    /// `long[]`
    Longs(Vec<i64>),
    /// `float[]`
    Floats(Vec<f32>),
    /// `double[]`
    Doubles(Vec<f64>),
    /// An array of objects, or of arrays.
    Array {
        /// The array's class.
        class: &'static Class,
        /// Its elements.
        items: Vec<Option<Id>>,
    },
}

/// An object.
#[derive(Debug, PartialEq)]
pub struct Object {
    /// Its class, or `java.lang.reflect.Proxy`.
    pub class: &'static Class,
    /// The descriptor, if it is a dynamic proxy.
    pub proxy: Option<Id>,
    /// What each class of its lineage has, the topmost first.
    pub parts: Vec<Part>,
}

/// What one class of an object's lineage has.
#[derive(Debug, PartialEq)]
pub struct Part {
    /// That class.
    pub class: &'static Class,
    /// Its fields, in the order of the class.
    pub slots: Vec<Slot>,
    /// What its `writeObject` wrote.
    pub extra: Vec<Extra>,
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    /// `boolean`
    Boolean(bool),
    /// `byte`
    Byte(i8),
    /// `char`
    Char(u16),
    /// `short`
    Short(i16),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// An object, or null.
    Reference(Option<Id>),
}

/// What a class writes beside its fields.
#[derive(Debug, PartialEq)]
pub enum Extra {
    /// Octets; those of adjacent blocks are one.
    Octets(Vec<u8>),
    /// An object, or null.
    Reference(Option<Id>),
}

impl Graph {
    /// The value with this number. Those that a [`super::Reader`] gave are in its graph.
    pub fn get(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The number of the value that is at this position in the order in which they came.
    pub(super) fn id(&self, position: usize) -> Option<Id> {
        if position < self.nodes.len() { u32::try_from(position).ok().map(Id) } else { None }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The octets of the stream that were read for it.
    pub fn octets(&self) -> usize {
        self.octets
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Counts octets that were read.
    pub(super) fn count(&mut self, octets: usize) {
        self.octets += octets;
    }

    pub(super) fn get_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    pub(super) fn add(&mut self, node: Node) -> Id {
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node);
        id
    }
}

impl Node {
    /// What it is, for errors: the name of a class, or of the kind of value.
    pub fn kind(&self) -> &str {
        match self {
            Node::Class(_) | Node::Proxy(_) => "a class descriptor",
            Node::String(_) => "java.lang.String",
            Node::Object(object) => object.class.name,
            Node::Enum { class, .. } | Node::Array { class, .. } => class.name,
            Node::ClassValue(_) => "java.lang.Class",
            Node::Booleans(_) => "[Z",
            Node::Bytes(_) => "[B",
            Node::Chars(_) => "[C",
            Node::Shorts(_) => "[S",
            Node::Ints(_) => "[I",
            Node::Longs(_) => "[J",
            Node::Floats(_) => "[F",
            Node::Doubles(_) => "[D",
        }
    }
}

impl Object {
    /// The part of this class of its lineage.
    pub fn part(&self, class: &Class) -> Option<&Part> {
        self.parts.iter().find(|part| part.class.is(class))
    }

    /// The field with this name, of the lowest class that has one.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.parts.iter().rev().find_map(|part| part.slot(name))
    }
}

impl Part {
    /// The field with this name.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        let index = self.class.fields.iter().position(|field| field.name == name)?;
        self.slots.get(index).copied()
    }
}

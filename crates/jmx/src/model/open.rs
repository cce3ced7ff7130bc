//! Open types (`javax.management.openmbean`).

use std::sync::Arc;

/// The type of open data.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenType {
    /// One of the simple types.
    Simple(SimpleType),
    /// Arrays.
    Array(Arc<ArrayType>),
    /// Rows.
    Composite(Arc<CompositeType>),
    /// Tables.
    Tabular(Arc<TabularType>),
}

/// The simple types. Java reads each as its one instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each has the name of its class")]
pub enum SimpleType {
    Void,
    Boolean,
    Character,
    Byte,
    Short,
    Integer,
    Long,
    Float,
    Double,
    String,
    BigDecimal,
    BigInteger,
    Date,
    ObjectName,
}

/// An array type.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayType {
    /// How many brackets.
    pub dimension: i32,
    /// Whether its elements are primitives rather than boxes.
    pub primitive: bool,
    /// What its elements are.
    pub element: OpenType,
    /// As it says of itself; by default like "1-dimension array of java.lang.Long".
    pub description: String,
}

/// The type of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct CompositeType {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its items, ordered by name.
    pub items: Vec<Item>,
}

/// An item of a composite type.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its type.
    pub open_type: OpenType,
}

/// The type of tables.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularType {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// The type of its rows.
    pub row: Arc<CompositeType>,
    /// The items that tell its rows apart.
    pub index: Vec<String>,
}

impl SimpleType {
    /// All of them.
    pub const ALL: [SimpleType; 14] = [
        SimpleType::Void,
        SimpleType::Boolean,
        SimpleType::Character,
        SimpleType::Byte,
        SimpleType::Short,
        SimpleType::Integer,
        SimpleType::Long,
        SimpleType::Float,
        SimpleType::Double,
        SimpleType::String,
        SimpleType::BigDecimal,
        SimpleType::BigInteger,
        SimpleType::Date,
        SimpleType::ObjectName,
    ];

    /// The class of its values, which is its name and its description too.
    pub fn class_name(self) -> &'static str {
        match self {
            SimpleType::Void => "java.lang.Void",
            SimpleType::Boolean => "java.lang.Boolean",
            SimpleType::Character => "java.lang.Character",
            SimpleType::Byte => "java.lang.Byte",
            SimpleType::Short => "java.lang.Short",
            SimpleType::Integer => "java.lang.Integer",
            SimpleType::Long => "java.lang.Long",
            SimpleType::Float => "java.lang.Float",
            SimpleType::Double => "java.lang.Double",
            SimpleType::String => "java.lang.String",
            SimpleType::BigDecimal => "java.math.BigDecimal",
            SimpleType::BigInteger => "java.math.BigInteger",
            SimpleType::Date => "java.util.Date",
            SimpleType::ObjectName => "javax.management.ObjectName",
        }
    }

    /// The code of the primitives that it is the box of.
    pub fn primitive(self) -> Option<&'static str> {
        Some(match self {
            SimpleType::Boolean => "Z",
            SimpleType::Character => "C",
            SimpleType::Byte => "B",
            SimpleType::Short => "S",
            SimpleType::Integer => "I",
            SimpleType::Long => "J",
            SimpleType::Float => "F",
            SimpleType::Double => "D",
            SimpleType::Void => "V",
            _ => return None,
        })
    }
}

impl ArrayType {
    /// An array of boxes or other objects, with the description that Java gives it.
    pub fn of(dimension: i32, element: OpenType) -> Self {
        let description = format!("{dimension}-dimension array of {}", element.class_name());
        ArrayType { dimension, primitive: false, element, description }
    }

    /// An array of primitives, with the description that Java gives it, which names the box.
    pub fn of_primitives(dimension: i32, element: SimpleType) -> Self {
        ArrayType { primitive: true, ..ArrayType::of(dimension, OpenType::Simple(element)) }
    }

    /// The class of its values.
    pub fn class_name(&self) -> String {
        let mut name = "[".repeat(usize::try_from(self.dimension).unwrap_or(0).min(255));
        match &self.element {
            OpenType::Simple(simple) if self.primitive => {
                name.push_str(simple.primitive().unwrap_or_default())
            }
            element => name.extend(["L", &element.class_name(), ";"]),
        }
        name
    }
}

impl OpenType {
    /// The class of its values, as `getClassName` returns it.
    pub fn class_name(&self) -> String {
        match self {
            OpenType::Simple(simple) => simple.class_name().to_owned(),
            OpenType::Array(array) => array.class_name(),
            OpenType::Composite(_) => "javax.management.openmbean.CompositeData".to_owned(),
            OpenType::Tabular(_) => "javax.management.openmbean.TabularData".to_owned(),
        }
    }
}

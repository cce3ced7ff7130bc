//! The values of attributes, parameters and results.

use super::{
    BigDecimal, BigInteger, CompositeType, Descriptor, Exception, Filter, Info, MarshalledObject,
    Notification, ObjectName, OpenType, Query, TabularType,
};
use std::ops::Range;
use std::sync::Arc;

use crate::stream::Class;
use crate::stream::classes::java as classes;

/// A value, as far as standard and open MBeans have them. What Java has in boxes and what it has without is the same here.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// null
    Null,
    /// `java.lang.Boolean`
    Boolean(bool),
    /// `java.lang.Byte`
    Byte(i8),
    /// `java.lang.Character`, a unit of UTF-16
    Character(u16),
    /// `java.lang.Short`
    Short(i16),
    /// `java.lang.Integer`
    Integer(i32),
    /// `java.lang.Long`
    Long(i64),
    /// `java.lang.Float`
    Float(f32),
    /// `java.lang.Double`
    Double(f64),
    /// `java.lang.String`
    String(String),
    /// `java.math.BigInteger`
    BigInteger(BigInteger),
    /// `java.math.BigDecimal`
    BigDecimal(BigDecimal),
    /// `java.util.Date`, in milliseconds since 1970
    Date(i64),
    /// An array.
    Array(Array),
    /// A `java.util.List` of any class; written as `ArrayList`.
    List(Vec<Value>),
    /// A `java.util.Set` of any class; written as `HashSet`.
    Set(Vec<Value>),
    /// A `java.util.Map` of any class; written as `LinkedHashMap`.
    Map(Vec<(Value, Value)>),
    /// A name.
    Name(ObjectName),
    /// An attribute with its value.
    Attribute(Box<Attribute>),
    /// `AttributeList`
    Attributes(Vec<Attribute>),
    /// A registered MBean.
    Instance(ObjectInstance),
    /// The description of an MBean.
    Info(Box<Info>),
    /// `CompositeData`
    Composite(Box<CompositeData>),
    /// `TabularData`
    Tabular(Box<TabularData>),
    /// The type of open data.
    OpenType(OpenType),
    /// Fields of a description, as a field of another.
    Descriptor(Descriptor),
    /// A notification.
    Notification(Box<Notification>),
    /// A filter of notifications.
    Filter(Filter),
    /// A query.
    Query(Box<Query>),
    /// An exception as a value.
    Exception(Box<Exception>),
    /// A value in a stream of its own.
    Marshalled(MarshalledObject),
}

/// The elements of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    /// `boolean[]`
    Booleans(Vec<bool>),
    /// `byte[]`
    Bytes(Vec<u8>),
    /// `char[]`
    Characters(Vec<u16>),
    /// `short[]`
    Shorts(Vec<i16>),
    /// `int[]`
    Integers(Vec<i32>),
    /// `long[]`
    Longs(Vec<i64>),
    /// `float[]`
    Floats(Vec<f32>),
    /// `double[]`
    Doubles(Vec<f64>),
    /// `String[]` without null
    Strings(Vec<String>),
    /// `String[]` whose texts lie end to end; what is read is never this.
    Texts(Texts),
    /// `long[][]` without null: a table by columns
    LongColumns(Vec<Vec<i64>>),
    /// Any other array of objects.
    Objects {
        /// The array's class.
        class: &'static Class,
        /// Its elements.
        items: Vec<Value>,
    },
}

/// Texts end to end, as many columns of tables have them, and null where there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    octets: String,
    /// Where each is; `None`: null.
    places: Vec<Option<Range<usize>>>,
}

impl Texts {
    /// Adds the text that `write` appends. Of a text that is the one before again there is one.
    pub fn push(&mut self, write: impl FnOnce(&mut String)) {
        let start = self.octets.len();
        write(&mut self.octets);
        let place = start..self.octets.len();
        match self.places.last() {
            Some(Some(last)) if self.octets[last.clone()] == self.octets[place.clone()] => {
                self.octets.truncate(start);
                self.push_again();
            }
            _ => self.places.push(Some(place)),
        }
    }

    /// Adds the last one again.
    pub fn push_again(&mut self) {
        let last = self.places.last().cloned().flatten();
        self.places.push(last);
    }

    /// Adds null.
    pub fn push_null(&mut self) {
        self.places.push(None);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The octets of all of them.
    pub fn octets(&self) -> usize {
        self.octets.len()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        self.places.iter().map(|place| place.clone().and_then(|place| self.octets.get(place)))
    }
}

impl Array {
    /// `Object[]`
    pub fn objects(items: Vec<Value>) -> Self {
        Array::Objects { class: &classes::OBJECT_ARRAY, items }
    }
}

/// An attribute with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// A registered MBean: its name and its class.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectInstance {
    /// Its name.
    pub name: ObjectName,
    /// The name of its class; none if the server did not know it.
    pub class: Option<String>,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct CompositeData {
    /// Its type.
    pub composite_type: Arc<CompositeType>,
    /// Its values, in the order of the type's items.
    pub values: Vec<Value>,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TabularData {
    /// Its type.
    pub tabular_type: Arc<TabularType>,
    /// Its rows.
    pub rows: Vec<CompositeData>,
}

impl CompositeData {
    /// The value of an item.
    pub fn get(&self, item: &str) -> Option<&Value> {
        let index = self.composite_type.items.iter().position(|known| known.name == item)?;
        self.values.get(index)
    }
}

impl Value {
    /// The Java class of the value, as errors and descriptions name it.
    pub fn class_name(&self) -> &str {
        match self {
            Value::Null => "null",
            Value::Boolean(_) => "java.lang.Boolean",
            Value::Byte(_) => "java.lang.Byte",
            Value::Character(_) => "java.lang.Character",
            Value::Short(_) => "java.lang.Short",
            Value::Integer(_) => "java.lang.Integer",
            Value::Long(_) => "java.lang.Long",
            Value::Float(_) => "java.lang.Float",
            Value::Double(_) => "java.lang.Double",
            Value::String(_) => "java.lang.String",
            Value::BigInteger(_) => "java.math.BigInteger",
            Value::BigDecimal(_) => "java.math.BigDecimal",
            Value::Date(_) => "java.util.Date",
            Value::Array(array) => array.class().name,
            Value::List(_) => "java.util.List",
            Value::Set(_) => "java.util.Set",
            Value::Map(_) => "java.util.Map",
            Value::Name(_) => "javax.management.ObjectName",
            Value::Attribute(_) => "javax.management.Attribute",
            Value::Attributes(_) => "javax.management.AttributeList",
            Value::Instance(_) => "javax.management.ObjectInstance",
            Value::Info(_) => "javax.management.MBeanInfo",
            Value::Composite(_) => "javax.management.openmbean.CompositeData",
            Value::Tabular(_) => "javax.management.openmbean.TabularData",
            Value::OpenType(_) => "javax.management.openmbean.OpenType",
            Value::Descriptor(_) => "javax.management.Descriptor",
            Value::Notification(_) => "javax.management.Notification",
            Value::Filter(_) => "javax.management.NotificationFilter",
            Value::Query(_) => "javax.management.QueryExp",
            Value::Exception(exception) => exception.class.name,
            Value::Marshalled(_) => "java.rmi.MarshalledObject",
        }
    }
}

impl Array {
    /// The array's class.
    pub fn class(&self) -> &'static Class {
        match self {
            Array::Booleans(_) => &classes::PRIMITIVE_BOOLEAN_ARRAY,
            Array::Bytes(_) => &classes::PRIMITIVE_BYTE_ARRAY,
            Array::Characters(_) => &classes::PRIMITIVE_CHAR_ARRAY,
            Array::Shorts(_) => &classes::PRIMITIVE_SHORT_ARRAY,
            Array::Integers(_) => &classes::PRIMITIVE_INT_ARRAY,
            Array::Longs(_) => &classes::PRIMITIVE_LONG_ARRAY,
            Array::Floats(_) => &classes::PRIMITIVE_FLOAT_ARRAY,
            Array::Doubles(_) => &classes::PRIMITIVE_DOUBLE_ARRAY,
            Array::Strings(_) | Array::Texts(_) => &classes::STRING_ARRAY,
            Array::LongColumns(_) => &classes::PRIMITIVE_LONG_ARRAY2,
            Array::Objects { class, .. } => class,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Long(value)
    }
}

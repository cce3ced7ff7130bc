//! Values from the graph of a stream. A graph may have circles, and may refer to one value a thousand times: circles are
//! refused, and what a graph unfolds to is bounded.

mod collections;
mod info;
mod notification;
mod open;
mod query;

use std::collections::HashMap;

use super::exception::wraps;
use super::{
    Array, Attribute, BigDecimal, BigInteger, Exception, MarshalledObject, ObjectInstance, ObjectName,
    OpenType, Value,
};
use crate::error::Error;
use crate::stream::classes::{exceptions, java, management};
use crate::stream::{Class, Extra, Graph, Id, Input, Item, Limits, Node, Object, Part, Reader, Slot};

/// Reads values from a graph.
#[derive(Debug)]
pub struct Decoder<'g> {
    graph: &'g Graph,
    /// The values that are being read, each within the one before.
    path: Vec<Id>,
    /// How many octets values may still unfold to.
    left: usize,
    limit: usize,
    types: HashMap<Id, OpenType>,
    /// The parts of queries.
    parts: usize,
}

type Reference = Option<Id>;

impl<'g> Decoder<'g> {
    /// A reader of this graph. What its values unfold to is bounded by the octets that were read, and is at most four times those
    /// that a stream may have.
    pub fn new(graph: &'g Graph, limits: Limits) -> Self {
        let of_read = graph.octets().saturating_mul(UNFOLDED).saturating_add(UNFOLDED_ANYWAY);
        let limit = limits.octets.saturating_mul(4).min(of_read);
        Decoder { graph, path: Vec::new(), left: limit, limit, types: HashMap::new(), parts: 0 }
    }

    /// A value of any class that values have.
    ///
    /// # Errors
    /// If its class is on the list for other purposes only, or its fields are not what the class writes.
    pub fn value(&mut self, reference: Reference) -> Result<Value, Error> {
        let Some(id) = reference else {
            self.spend(0)?;
            return Ok(Value::Null);
        };
        self.within(id, |decoder, node| match node {
            Node::String(text) => {
                decoder.spend(text.len())?;
                Ok(Value::String(text.clone()))
            }
            Node::Object(object) => decoder.object_value(id, object),
            Node::Class(_) | Node::Proxy(_) | Node::ClassValue(_) | Node::Enum { .. } => {
                Err(Error::kind("a value", node.kind()))
            }
            array => Ok(Value::Array(decoder.array(array)?)),
        })
    }

    /// Counts a value of this many octets.
    fn spend(&mut self, octets: usize) -> Result<(), Error> {
        let cost = octets.saturating_add(VALUE);
        self.left = self
            .left
            .checked_sub(cost)
            .ok_or(Error::Limit { what: "octets of values", limit: self.limit })?;
        Ok(())
    }

    /// Counts a part of a query.
    fn part(&mut self) -> Result<(), Error> {
        self.parts += 1;
        if self.parts > PARTS { Err(Error::Limit { what: "parts of a query", limit: PARTS }) } else { Ok(()) }
    }

    /// Reads a value that is within those that are being read.
    fn within<T>(
        &mut self,
        id: Id,
        read: impl FnOnce(&mut Self, &'g Node) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let node = self.graph.get(id);
        if self.path.contains(&id) {
            return Err(Error::Cycle { class: node.kind().to_owned() });
        }
        if self.path.len() >= DEPTH {
            return Err(Error::Limit { what: "values within each other", limit: DEPTH });
        }
        self.spend(0)?;
        self.path.push(id);
        let read = read(self, node);
        self.path.pop();
        read
    }

    /// An object of this class or one that extends it; null is none.
    fn object_of<T>(
        &mut self,
        reference: Reference,
        class: &'static Class,
        read: impl FnOnce(&mut Self, &'g Object) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some(id) = reference else { return Ok(None) };
        let read = self.within(id, |decoder, node| match node {
            Node::Object(object) if object.class.extends(class) => read(decoder, object),
            other => Err(Error::kind(class.name, other.kind())),
        })?;
        Ok(Some(read))
    }

    /// The class of an object.
    pub(crate) fn class_of(&self, reference: Reference) -> Option<&'static Class> {
        match reference.map(|id| self.graph.get(id)) {
            Some(Node::Object(object)) => Some(object.class),
            _ => None,
        }
    }

    /// The interfaces of a dynamic proxy; none if an object is none.
    pub(crate) fn proxy_of(&self, reference: Reference) -> Result<Option<&'g [String]>, Error> {
        let Some(Node::Object(object)) = reference.map(|id| self.graph.get(id)) else { return Ok(None) };
        match object.proxy.map(|id| self.graph.get(id)) {
            Some(Node::Proxy(interfaces)) => Ok(Some(interfaces)),
            _ => Ok(None),
        }
    }

    /// The fields that a class has in an object of it; null is none.
    pub(crate) fn fields_of(
        &mut self,
        reference: Reference,
        class: &'static Class,
    ) -> Result<Option<Vec<Slot>>, Error> {
        self.object_of(reference, class, |_, object| {
            Ok(object.part(class).map(|part| part.slots.clone()).unwrap_or_default())
        })
    }

    /// What a class has written beside its fields.
    pub(crate) fn extra_of(
        &mut self,
        reference: Reference,
        class: &'static Class,
    ) -> Result<&'g [Extra], Error> {
        let extra = self.object_of(reference, class, |_, object| {
            Ok(object.part(class).map(|part| part.extra.as_slice()).unwrap_or_default())
        })?;
        extra.ok_or(Error::Value { what: "null in place of an object" })
    }

    fn object_value(&mut self, id: Id, object: &'g Object) -> Result<Value, Error> {
        let class = object.class;
        if class.extends(&java::NUMBER) || class.is(&java::BOOLEAN) || class.is(&java::CHARACTER) {
            return self.number(object);
        }
        if let Some(value) = self.collection(object)? {
            return Ok(value);
        }
        if class.extends(&exceptions::THROWABLE) {
            return Ok(Value::Exception(Box::new(self.exception_object(object)?)));
        }
        if class.extends(&management::NOTIFICATION) {
            return Ok(Value::Notification(Box::new(self.notification_object(object)?)));
        }
        if class.extends(&management::OPEN_TYPE) {
            return Ok(Value::OpenType(self.open_type_object(id, object)?));
        }
        if class.extends(&management::MBEAN_INFO) {
            return Ok(Value::Info(Box::new(self.info_object(object)?)));
        }
        if class.is(&java::DATE) {
            let octets = octets(object.part(&java::DATE))?;
            return Ok(Value::Date(i64::from_be_bytes(fixed(octets)?)));
        }
        if class.is(&management::OBJECT_NAME) {
            return Ok(Value::Name(self.name_object(object)?));
        }
        if class.is(&management::ATTRIBUTE) {
            return Ok(Value::Attribute(Box::new(self.attribute_object(object)?)));
        }
        if class.is(&management::OBJECT_INSTANCE) {
            return Ok(Value::Instance(self.instance_object(object)?));
        }
        if class.is(&management::COMPOSITE_DATA_SUPPORT) {
            return Ok(Value::Composite(Box::new(self.composite_object(object)?)));
        }
        if class.is(&management::TABULAR_DATA_SUPPORT) {
            return Ok(Value::Tabular(Box::new(self.tabular_object(object)?)));
        }
        if class.is(&java::MARSHALLED_OBJECT) {
            return Ok(Value::Marshalled(self.marshalled_object(object)?));
        }
        if let Some(fields) = self.descriptor_object(object)? {
            return Ok(Value::Descriptor(fields));
        }
        if let Some(filter) = self.filter_object(object)? {
            return Ok(Value::Filter(filter));
        }
        Ok(Value::Query(Box::new(self.query_object(object)?)))
    }

    fn number(&mut self, object: &'g Object) -> Result<Value, Error> {
        if object.class.is(&java::BIG_INTEGER) {
            return Ok(Value::BigInteger(self.big_integer(object)?));
        }
        if object.class.is(&java::BIG_DECIMAL) {
            let scale = int(object, "scale")?;
            let unscaled = self
                .object_of(reference(object, "intVal")?, &java::BIG_INTEGER, Self::big_integer)?
                .ok_or(Error::Value { what: "the digits of a BigDecimal" })?;
            return Ok(Value::BigDecimal(BigDecimal { unscaled, scale }));
        }
        match object.slot("value") {
            Some(Slot::Boolean(value)) => Ok(Value::Boolean(value)),
            Some(Slot::Byte(value)) => Ok(Value::Byte(value)),
            Some(Slot::Char(value)) => Ok(Value::Character(value)),
            Some(Slot::Short(value)) => Ok(Value::Short(value)),
            Some(Slot::Int(value)) => Ok(Value::Integer(value)),
            Some(Slot::Long(value)) => Ok(Value::Long(value)),
            Some(Slot::Float(value)) => Ok(Value::Float(value)),
            Some(Slot::Double(value)) => Ok(Value::Double(value)),
            Some(Slot::Reference(_)) | None => Err(Error::kind("a number", object.class.name)),
        }
    }

    fn big_integer(&mut self, object: &'g Object) -> Result<BigInteger, Error> {
        let signum = int(object, "signum")?;
        let magnitude = self.bytes(reference(object, "magnitude")?)?.unwrap_or_default();
        let number = BigInteger::new(signum < 0, &magnitude);
        if number.signum() != signum {
            return Err(Error::Value { what: "the sign of a BigInteger" });
        }
        Ok(number)
    }

    /// A string, or null.
    pub fn string(&mut self, reference: Reference) -> Result<Option<String>, Error> {
        Ok(self.str(reference)?.map(str::to_owned))
    }

    fn str(&mut self, reference: Reference) -> Result<Option<&'g str>, Error> {
        match reference.map(|id| self.graph.get(id)) {
            None => Ok(None),
            Some(Node::String(text)) => {
                self.spend(text.len())?;
                Ok(Some(text))
            }
            Some(other) => Err(Error::kind("java.lang.String", other.kind())),
        }
    }

    /// A string.
    pub fn text(&mut self, reference: Reference, what: &'static str) -> Result<String, Error> {
        self.string(reference)?.ok_or(Error::Value { what })
    }

    /// `byte[]`, or null.
    pub fn bytes(&mut self, reference: Reference) -> Result<Option<Vec<u8>>, Error> {
        match reference.map(|id| self.graph.get(id)) {
            None => Ok(None),
            Some(Node::Bytes(octets)) => {
                self.spend(octets.len())?;
                Ok(Some(octets.clone()))
            }
            Some(other) => Err(Error::kind("[B", other.kind())),
        }
    }

    /// The elements of an array of objects; null is none.
    pub(crate) fn items<T>(
        &mut self,
        reference: Reference,
        class: &'static Class,
        mut read: impl FnMut(&mut Self, Reference) -> Result<T, Error>,
    ) -> Result<Option<Vec<T>>, Error> {
        let Some(id) = reference else { return Ok(None) };
        let read = self.within(id, |decoder, node| match node {
            Node::Array { class: found, items } if found.is(class) => {
                items.iter().map(|item| read(decoder, *item)).collect::<Result<Vec<T>, Error>>()
            }
            other => Err(Error::kind(class.name, other.kind())),
        })?;
        Ok(Some(read))
    }

    /// `String[]` without null; null is none.
    pub fn strings(&mut self, reference: Reference) -> Result<Option<Vec<String>>, Error> {
        self.items(reference, &java::STRING_ARRAY, |decoder, item| decoder.text(item, "null in a String[]"))
    }

    fn array(&mut self, node: &'g Node) -> Result<Array, Error> {
        Ok(match node {
            Node::Booleans(values) => Array::Booleans(self.copy(values)?),
            Node::Bytes(values) => Array::Bytes(self.copy(values)?),
            Node::Chars(values) => Array::Characters(self.copy(values)?),
            Node::Shorts(values) => Array::Shorts(self.copy(values)?),
            Node::Ints(values) => Array::Integers(self.copy(values)?),
            Node::Longs(values) => Array::Longs(self.copy(values)?),
            Node::Floats(values) => Array::Floats(self.copy(values)?),
            Node::Doubles(values) => Array::Doubles(self.copy(values)?),
            Node::Array { class, items } if class.is(&java::STRING_ARRAY) && !items.contains(&None) => {
                let texts = items.iter().map(|item| self.text(*item, "null in a String[]"));
                Array::Strings(texts.collect::<Result<_, _>>()?)
            }
            Node::Array { class, items }
                if class.is(&java::PRIMITIVE_LONG_ARRAY2) && !items.contains(&None) =>
            {
                Array::LongColumns(items.iter().map(|item| self.column(*item)).collect::<Result<_, _>>()?)
            }
            Node::Array { class, items } => Array::Objects {
                class,
                items: items.iter().map(|item| self.value(*item)).collect::<Result<_, _>>()?,
            },
            other => return Err(Error::kind("an array", other.kind())),
        })
    }

    fn column(&mut self, reference: Reference) -> Result<Vec<i64>, Error> {
        match reference.map(|id| self.graph.get(id)) {
            Some(Node::Longs(values)) => self.copy(values),
            other => Err(Error::kind("[J", other.map_or("null", Node::kind))),
        }
    }

    fn copy<T: Copy>(&mut self, values: &[T]) -> Result<Vec<T>, Error> {
        self.spend(size_of_val(values))?;
        Ok(values.to_vec())
    }

    /// A name, or null.
    pub fn name(&mut self, reference: Reference) -> Result<Option<ObjectName>, Error> {
        self.object_of(reference, &management::OBJECT_NAME, Self::name_object)
    }

    fn name_object(&mut self, object: &'g Object) -> Result<ObjectName, Error> {
        match object.part(&management::OBJECT_NAME).map(|part| part.extra.as_slice()) {
            Some([Extra::Reference(text)]) => {
                let text = self.str(*text)?.ok_or(Error::Value { what: "the text of an ObjectName" })?;
                // Each of its properties is two texts.
                self.spend(text.len().saturating_mul(12) + NAME)?;
                text.parse().map_err(|_| Error::Value { what: "an ObjectName" })
            }
            _ => Err(Error::Value { what: "an ObjectName" }),
        }
    }

    /// An attribute with its value, or null.
    pub fn attribute(&mut self, reference: Reference) -> Result<Option<Attribute>, Error> {
        self.object_of(reference, &management::ATTRIBUTE, Self::attribute_object)
    }

    fn attribute_object(&mut self, object: &'g Object) -> Result<Attribute, Error> {
        let name = self.text(reference(object, "name")?, "the name of an attribute")?;
        Ok(Attribute { name, value: self.value(reference(object, "value")?)? })
    }

    /// A registered MBean, or null.
    pub fn instance(&mut self, reference: Reference) -> Result<Option<ObjectInstance>, Error> {
        self.object_of(reference, &management::OBJECT_INSTANCE, Self::instance_object)
    }

    fn instance_object(&mut self, object: &'g Object) -> Result<ObjectInstance, Error> {
        let class = self.string(reference(object, "className")?)?;
        let name = self.name(reference(object, "name")?)?;
        Ok(ObjectInstance {
            name: name.ok_or(Error::Value { what: "the name of an ObjectInstance" })?,
            class,
        })
    }

    /// A value in a stream of its own, or null.
    pub fn marshalled(&mut self, reference: Reference) -> Result<Option<MarshalledObject>, Error> {
        self.object_of(reference, &java::MARSHALLED_OBJECT, Self::marshalled_object)
    }

    fn marshalled_object(&mut self, object: &'g Object) -> Result<MarshalledObject, Error> {
        let hash = int(object, "hash")?;
        let location = self.bytes(reference(object, "locBytes")?)?;
        let object = self.bytes(reference(object, "objBytes")?)?;
        Ok(MarshalledObject { object, location, hash })
    }

    /// An exception, or null.
    pub fn exception(&mut self, reference: Reference) -> Result<Option<Exception>, Error> {
        self.object_of(reference, &exceptions::THROWABLE, Self::exception_object)
    }

    fn exception_object(&mut self, object: &'g Object) -> Result<Exception, Error> {
        let message = self.string(reference(object, "detailMessage")?)?;
        let of_class = object.parts.iter().rev().find_map(|part| {
            let index = part.class.fields.iter().position(wraps)?;
            match part.slots.get(index) {
                Some(Slot::Reference(Some(id))) => Some(*id),
                _ => None,
            }
        });
        // Throwable is its own cause until it is given one.
        let cause = of_class.filter(|id| !self.path.contains(id));
        Ok(Exception { class: object.class, message, cause: self.exception(cause)?.map(Box::new) })
    }
}

impl MarshalledObject {
    /// The value.
    ///
    /// # Errors
    /// If the stream is not that of one value of the classes that are listed.
    pub fn value(&self, limits: Limits) -> Result<Value, Error> {
        let Some(stream) = &self.object else { return Ok(Value::Null) };
        let mut input = Input::new(stream);
        let mut reader = Reader::new(limits);
        let value = match reader.next(&mut input)?.ok_or(Error::Cut)? {
            Item::Value(value) => value,
            Item::Octets(_) | Item::Aborted(_) => return Err(Error::kind("a value", "octets")),
        };
        if !input.rest().is_empty() {
            return Err(Error::Trailing { octets: input.rest().len() });
        }
        Decoder::new(reader.graph(), limits).value(value)
    }
}

/// The field with this name that holds an object.
fn reference(object: &Object, name: &str) -> Result<Reference, Error> {
    match object.slot(name) {
        Some(Slot::Reference(reference)) => Ok(reference),
        _ => Err(Error::kind("an object with other fields", object.class.name)),
    }
}

/// The field with this name that holds an `int`.
fn int(object: &Object, name: &str) -> Result<i32, Error> {
    match object.slot(name) {
        Some(Slot::Int(value)) => Ok(value),
        _ => Err(Error::kind("an object with other fields", object.class.name)),
    }
}

/// The field with this name that holds a `long`.
fn long(object: &Object, name: &str) -> Result<i64, Error> {
    match object.slot(name) {
        Some(Slot::Long(value)) => Ok(value),
        _ => Err(Error::kind("an object with other fields", object.class.name)),
    }
}

/// The field with this name that holds a `boolean`.
fn boolean(object: &Object, name: &str) -> Result<bool, Error> {
    match object.slot(name) {
        Some(Slot::Boolean(value)) => Ok(value),
        _ => Err(Error::kind("an object with other fields", object.class.name)),
    }
}

/// The octets that a class has written beside its fields, if it wrote nothing else.
fn octets(part: Option<&Part>) -> Result<&[u8], Error> {
    match part.map(|part| part.extra.as_slice()) {
        Some([Extra::Octets(octets)]) => Ok(octets),
        _ => Err(Error::Value { what: "what an object writes beside its fields" }),
    }
}

fn fixed<const N: usize>(octets: &[u8]) -> Result<[u8; N], Error> {
    octets
        .try_into()
        .map_err(|_| Error::Value { what: "the length of what an object writes beside its fields" })
}

/// The most values within each other.
const DEPTH: usize = 100;
/// What a value counts for beside its octets.
const VALUE: usize = 64;
/// What an ObjectName counts for beside its properties.
const NAME: usize = 256;
/// What each octet of a stream may unfold to: null has one octet.
const UNFOLDED: usize = VALUE + size_of::<Reference>();
/// What any stream may unfold to.
const UNFOLDED_ANYWAY: usize = 4 << 20;
/// Conditions and operands of the queries of one request.
const PARTS: usize = 10_000;

//! Values into a stream: each class writes its fields in the order of its descriptor, as Java's own does.

mod info;
mod notification;
mod open;
mod query;

use super::exception::wraps;
use super::{
    Array, Attribute, BigInteger, Exception, MarshalledObject, ObjectInstance, ObjectName, Texts, Value,
};
use crate::stream::classes::{exceptions, java, management};
use crate::stream::{Annotations, Class, Writer};

/// Writes values into a stream.
#[derive(Debug)]
pub struct Encoder<'w, 'o> {
    /// The stream.
    pub writer: &'w mut Writer<'o>,
    /// Open types that the stream has, by where they are here, and their handles.
    types: Vec<(usize, u32)>,
}

impl<'w, 'o> Encoder<'w, 'o> {
    /// Writes into this stream. One for a whole stream: it knows which types are there.
    pub fn new(writer: &'w mut Writer<'o>) -> Self {
        Encoder { writer, types: Vec::new() }
    }

    /// A value.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.writer.null(),
            Value::Boolean(value) => self.boxed(&java::BOOLEAN, &[u8::from(*value)]),
            Value::Byte(value) => self.boxed(&java::BYTE, &value.to_be_bytes()),
            Value::Character(value) => self.boxed(&java::CHARACTER, &value.to_be_bytes()),
            Value::Short(value) => self.boxed(&java::SHORT, &value.to_be_bytes()),
            Value::Integer(value) => self.boxed(&java::INTEGER, &value.to_be_bytes()),
            Value::Long(value) => self.boxed(&java::LONG, &value.to_be_bytes()),
            Value::Float(value) => self.boxed(&java::FLOAT, &value.to_be_bytes()),
            Value::Double(value) => self.boxed(&java::DOUBLE, &value.to_be_bytes()),
            Value::String(text) => self.writer.text(text),
            Value::BigInteger(number) => self.big_integer(number),
            Value::BigDecimal(number) => {
                self.writer.object(&java::BIG_DECIMAL);
                self.writer.int(number.scale);
                self.big_integer(&number.unscaled);
                self.writer.end();
            }
            Value::Date(time) => {
                self.writer.object(&java::DATE);
                self.writer.block(&time.to_be_bytes());
                self.writer.end();
            }
            Value::Array(array) => self.array(array),
            Value::List(items) => self.list(items, Self::value),
            Value::Set(items) => self.set(items, Self::value),
            Value::Map(entries) => self.map(entries),
            Value::Name(name) => self.name(name),
            Value::Attribute(attribute) => self.attribute(attribute),
            Value::Attributes(attributes) => self.attributes(attributes),
            Value::Instance(instance) => self.instance(instance),
            Value::Info(info) => self.info(info),
            Value::Composite(data) => self.composite(data),
            Value::Tabular(data) => self.tabular(data),
            Value::OpenType(open_type) => self.open_type(open_type),
            Value::Descriptor(fields) => {
                self.writer.object(&management::IMMUTABLE_DESCRIPTOR);
                self.fields(fields);
            }
            Value::Notification(notification) => self.notification(notification),
            Value::Filter(filter) => self.filter(filter),
            Value::Query(query) => self.query(query),
            Value::Exception(exception) => self.exception(exception),
            Value::Marshalled(object) => self.marshalled(object),
        }
    }

    fn boxed(&mut self, class: &'static Class, octets: &[u8]) {
        self.writer.object(class);
        self.writer.octets(octets);
    }

    /// The fields that are computed from others are written as undefined, as Java does.
    fn big_integer(&mut self, number: &BigInteger) {
        self.writer.object(&java::BIG_INTEGER);
        for field in [-1, -1, -2, -2, number.signum()] {
            self.writer.int(field);
        }
        self.bytes(Some(number.magnitude()));
        self.writer.end();
    }

    /// `byte[]`, or null.
    pub fn bytes(&mut self, octets: Option<&[u8]>) {
        match octets {
            Some(octets) => {
                self.writer.array(&java::PRIMITIVE_BYTE_ARRAY, octets.len());
                self.writer.octets(octets);
            }
            None => self.writer.null(),
        }
    }

    fn array(&mut self, array: &Array) {
        let class = array.class();
        match array {
            Array::Booleans(values) => self.primitives(class, values, |value| [u8::from(value)]),
            Array::Bytes(values) => self.bytes(Some(values)),
            Array::Characters(values) => self.primitives(class, values, u16::to_be_bytes),
            Array::Shorts(values) => self.primitives(class, values, i16::to_be_bytes),
            Array::Integers(values) => self.primitives(class, values, i32::to_be_bytes),
            Array::Longs(values) => self.primitives(class, values, i64::to_be_bytes),
            Array::Floats(values) => self.primitives(class, values, f32::to_be_bytes),
            Array::Doubles(values) => self.primitives(class, values, f64::to_be_bytes),
            Array::Strings(values) => self.strings(values),
            Array::Texts(texts) => self.texts(texts),
            Array::LongColumns(columns) => self.items(class, columns, |encoder, column| {
                encoder.primitives(&java::PRIMITIVE_LONG_ARRAY, column, i64::to_be_bytes);
            }),
            Array::Objects { class, items } => self.items(class, items, Self::value),
        }
    }

    fn primitives<T: Copy, const N: usize>(
        &mut self,
        class: &'static Class,
        values: &[T],
        to_octets: impl Fn(T) -> [u8; N],
    ) {
        self.writer.array(class, values.len());
        self.writer.elements(values, to_octets);
    }

    /// An array of objects.
    pub(crate) fn items<T>(
        &mut self,
        class: &'static Class,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T),
    ) {
        self.writer.array(class, items.len());
        for item in items {
            write(self, item);
        }
    }

    /// `String[]`
    pub fn strings<T: AsRef<str>>(&mut self, texts: &[T]) {
        self.items(&java::STRING_ARRAY, texts, |encoder, text| encoder.writer.text(text.as_ref()));
    }

    /// `String[]`; a text that is the one before again is a reference to it.
    fn texts(&mut self, texts: &Texts) {
        self.writer.array(&java::STRING_ARRAY, texts.len());
        let mut before: Option<(&str, u32)> = None;
        for text in texts.iter() {
            match (text, before) {
                (None, _) => self.writer.null(),
                (Some(text), Some((last, handle))) if text == last => self.writer.reference(handle),
                (Some(text), _) => before = Some((text, self.writer.string(text))),
            }
        }
    }

    fn list<T>(&mut self, items: &[T], write: impl FnMut(&mut Self, &T)) {
        self.writer.object(&java::ARRAY_LIST);
        self.list_part(items, write);
    }

    /// What `ArrayList` writes: its size, as its capacity too, and its elements.
    fn list_part<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        let size = items.len() as i32;
        self.writer.int(size);
        self.writer.block(&size.to_be_bytes());
        for item in items {
            write(self, item);
        }
        self.writer.end();
    }

    /// `HashSet`
    pub(crate) fn set<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.writer.object(&java::HASH_SET);
        self.writer.block(&capacity(items.len()).to_be_bytes());
        self.writer.block(&LOAD_FACTOR.to_be_bytes());
        self.writer.block(&(items.len() as i32).to_be_bytes());
        for item in items {
            write(self, item);
        }
        self.writer.end();
    }

    fn map(&mut self, entries: &[(Value, Value)]) {
        self.linked_map(entries, |encoder, (key, value)| {
            encoder.value(key);
            encoder.value(value);
        });
    }

    /// `LinkedHashMap`, which keeps the order.
    fn linked_map<T>(&mut self, entries: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.writer.object(&java::LINKED_HASH_MAP);
        let capacity = capacity(entries.len());
        self.writer.octets(&LOAD_FACTOR.to_be_bytes());
        self.writer.int(if entries.is_empty() { 0 } else { capacity / 4 * 3 });
        self.writer.block(&capacity.to_be_bytes());
        self.writer.block(&(entries.len() as i32).to_be_bytes());
        for entry in entries {
            write(self, entry);
        }
        self.writer.end();
        self.writer.boolean(false);
    }

    /// `TreeMap` with texts as keys, which are ordered already.
    fn tree_map<T>(&mut self, entries: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.writer.object(&java::TREE_MAP);
        self.writer.null();
        self.writer.block(&(entries.len() as i32).to_be_bytes());
        for entry in entries {
            write(self, entry);
        }
        self.writer.end();
    }

    /// A name.
    pub fn name(&mut self, name: &ObjectName) {
        self.writer.object(&management::OBJECT_NAME);
        self.writer.text(&name.to_text());
        self.writer.end();
    }

    /// A name, or null.
    pub fn optional_name(&mut self, name: Option<&ObjectName>) {
        match name {
            Some(name) => self.name(name),
            None => self.writer.null(),
        }
    }

    /// An attribute with its value.
    pub fn attribute(&mut self, attribute: &Attribute) {
        self.writer.object(&management::ATTRIBUTE);
        self.writer.string(&attribute.name);
        self.value(&attribute.value);
    }

    /// A list of attributes.
    pub fn attributes(&mut self, attributes: &[Attribute]) {
        self.writer.object(&management::ATTRIBUTE_LIST);
        self.list_part(attributes, Self::attribute);
    }

    /// A registered MBean.
    pub fn instance(&mut self, instance: &ObjectInstance) {
        self.writer.object(&management::OBJECT_INSTANCE);
        self.writer.optional_string(instance.class.as_deref());
        self.name(&instance.name);
    }

    /// A value in a stream of its own.
    pub fn marshalled(&mut self, object: &MarshalledObject) {
        self.writer.object(&java::MARSHALLED_OBJECT);
        self.writer.int(object.hash);
        self.bytes(object.location.as_deref());
        self.bytes(object.object.as_deref());
    }

    /// An exception, without a stack trace.
    pub fn exception(&mut self, exception: &Exception) {
        let itself = self.writer.object(exception.class);
        let cause = exception.cause.as_deref();
        let lineage: Vec<_> = exception.class.lineage().collect();
        // A class that wraps an exception has it in a field of its own.
        let wrapping =
            lineage.iter().find(|class| !class.is(&exceptions::THROWABLE) && class.fields.iter().any(wraps));
        for class in lineage.iter().rev().copied() {
            if class.is(&exceptions::THROWABLE) {
                match (cause, wrapping) {
                    (Some(cause), None) => self.exception(cause),
                    // These have forbidden that a cause is set later.
                    (_, Some(class)) if INITIALISED.contains(&class.name) => self.writer.null(),
                    _ => self.writer.reference(itself),
                }
                self.writer.optional_string(exception.message.as_deref());
                self.writer.array(&java::STACK_TRACE_ELEMENT_ARRAY, 0);
                self.writer.object(&java::COLLECTIONS_EMPTY_LIST);
                self.writer.end();
                continue;
            }
            for field in class.fields {
                match (cause, field.code()) {
                    (Some(cause), _)
                        if wraps(field) && wrapping.is_some_and(|wrapping| wrapping.is(class)) =>
                    {
                        self.exception(cause);
                    }
                    (_, b'L' | b'[') => self.writer.null(),
                    (_, b'J' | b'D') => self.writer.octets(&[0; 8]),
                    (_, b'I' | b'F') => self.writer.octets(&[0; 4]),
                    (_, b'S' | b'C') => self.writer.octets(&[0; 2]),
                    _ => self.writer.octets(&[0]),
                }
            }
            if class.has_extra() {
                self.writer.end();
            }
        }
    }
}

impl MarshalledObject {
    /// From a value.
    pub fn new(value: &Value) -> Self {
        if *value == Value::Null {
            return MarshalledObject { object: None, location: None, hash: 13 };
        }
        let mut stream = Vec::new();
        let mut writer = Writer::new(&mut stream, Annotations::None);
        Encoder::new(&mut writer).value(value);
        writer.finish();
        let hash = stream.iter().fold(0_i32, |hash, octet| {
            hash.wrapping_mul(31).wrapping_add(i32::from(i8::from_be_bytes([*octet])))
        });
        MarshalledObject { object: Some(stream), location: None, hash }
    }
}

/// The capacity of a hash table that this many elements have let grow.
fn capacity(elements: usize) -> i32 {
    let mut capacity = 16;
    while elements > capacity / 4 * 3 {
        capacity *= 2;
    }
    i32::try_from(capacity).unwrap_or(1 << 30)
}

const LOAD_FACTOR: f32 = 0.75;

/// The classes whose constructors call `initCause(null)`.
const INITIALISED: [&str; 4] = [
    "java.rmi.RemoteException",
    "java.lang.ClassNotFoundException",
    "java.lang.reflect.InvocationTargetException",
    "java.lang.reflect.UndeclaredThrowableException",
];

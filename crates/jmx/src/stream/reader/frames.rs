//! What is open while a stream is read, and how each of these continues.

use super::super::class::Class;
use super::super::graph::{Extra, Id, Node, Object, Part, Slot};
use super::super::{classes, decode_text, token};
use super::{Input, NAME, Reader, length};
use crate::error::Error;

/// Something that is not complete.
#[derive(Debug)]
pub(super) enum Frame {
    /// A class descriptor: its fields from `next`; `named` if only the type of that one is missing.
    Fields { id: Id, class: &'static Class, next: usize, named: bool },
    /// The interfaces of a proxy.
    Interfaces { id: Id, left: usize },
    /// What RMI adds to a descriptor: the codebase, which is ignored.
    Annotation { id: Id },
    /// The descriptor of the superclass.
    Parent { id: Id },
    /// An object whose class is to come.
    ObjectClass,
    /// An array whose class is to come.
    ArrayClass,
    /// An array whose length is to come.
    ArrayLength { class: &'static Class },
    /// A class as a value, whose descriptor is to come.
    ClassValue,
    /// A constant of an enumeration whose class is to come.
    EnumClass,
    /// A constant whose name is to come.
    EnumName { id: Id },
    /// An object within the fields of this part of it.
    Slots { id: Id, part: usize },
    /// An object within what this part of it writes beside its fields.
    Extras { id: Id, part: usize },
    /// Elements of an array that are objects.
    Items { id: Id, left: usize },
    /// Elements of an array that are primitives.
    Primitives { id: Id, left: usize },
    /// The exception of an abort.
    Abort,
}

impl Reader {
    /// Continues with octets: false if some are missing.
    pub(super) fn proceed(&mut self, frame: Frame, input: &mut Input<'_>) -> Result<bool, Error> {
        match frame {
            Frame::Fields { id, class, next, named: false } => self.field(id, class, next, input),
            Frame::Interfaces { id, left } => self.interface(id, left, input),
            Frame::Annotation { id } if input.peek() == Some(token::END_BLOCK_DATA) => {
                input.skip(1);
                self.push(Frame::Parent { id })?;
                Ok(true)
            }
            Frame::ArrayLength { class } => self.array(class, input),
            Frame::Slots { id, part } => self.slots(id, part, input),
            Frame::Extras { id, part } => self.extras(id, part, input),
            Frame::Primitives { id, left } => self.primitives(id, left, input),
            Frame::Items { id, left: 0 } => {
                self.done = Some(Some(id));
                Ok(true)
            }
            frame @ (Frame::Parent { .. }
            | Frame::ObjectClass
            | Frame::ArrayClass
            | Frame::ClassValue
            | Frame::EnumClass) => {
                self.push(frame)?;
                self.descriptor(input)
            }
            frame @ (Frame::Items { .. }
            | Frame::Abort
            | Frame::Annotation { .. }
            | Frame::EnumName { .. }
            | Frame::Fields { .. }) => {
                self.push(frame)?;
                self.content(input)
            }
        }
    }

    /// Continues with a value that is complete.
    pub(super) fn receive(&mut self, frame: Frame, value: Option<Id>) -> Result<(), Error> {
        match frame {
            Frame::Fields { id, class, next, .. } => {
                let differs = Error::Descriptor { class: class.name, part: "type of a field" };
                match value.map(|value| self.graph.get(value)) {
                    Some(Node::String(found))
                        if class.fields.get(next).is_some_and(|field| field.signature == found) => {}
                    _ => return Err(differs),
                }
                self.after_field(id, class, next + 1)
            }
            Frame::Annotation { id } => match value.map(|value| self.graph.get(value)) {
                None | Some(Node::String(_)) => self.push(Frame::Annotation { id }),
                Some(other) => Err(Error::kind("the codebase of a class", other.kind())),
            },
            Frame::Parent { id } => self.parent(id, value),
            Frame::ObjectClass => self.object(value),
            Frame::ArrayClass => match self.class_of(value)? {
                class if class.element().is_some() => self.push(Frame::ArrayLength { class }),
                class => Err(Error::kind("the class of an array", class.name)),
            },
            Frame::ClassValue => {
                let class = value.ok_or_else(|| Error::kind("a class descriptor", "null"))?;
                self.done = Some(Some(self.add(Node::ClassValue(class))?));
                Ok(())
            }
            Frame::EnumClass => {
                let class = self.class_of(value)?;
                let id = self.add(Node::Enum { class, name: String::new() })?;
                self.push(Frame::EnumName { id })
            }
            Frame::EnumName { id } => {
                let found = match value.map(|value| self.graph.get(value)) {
                    Some(Node::String(found)) => found.clone(),
                    other => {
                        return Err(Error::kind("the name of a constant", other.map_or("null", Node::kind)));
                    }
                };
                if let Node::Enum { name, .. } = self.graph.get_mut(id) {
                    *name = found;
                }
                self.done = Some(Some(id));
                Ok(())
            }
            Frame::Slots { id, part } => {
                self.slot(id, part, Slot::Reference(value));
                self.push(Frame::Slots { id, part })
            }
            Frame::Extras { id, part } => {
                if let Some(part) = self.part(id, part) {
                    part.extra.push(Extra::Reference(value));
                }
                self.push(Frame::Extras { id, part })
            }
            Frame::Items { id, left } => {
                if let Node::Array { items, .. } = self.graph.get_mut(id) {
                    items.push(value);
                }
                self.push(Frame::Items { id, left: left.saturating_sub(1) })
            }
            Frame::Abort => {
                self.done = Some(value);
                Ok(())
            }
            Frame::Interfaces { .. } | Frame::ArrayLength { .. } | Frame::Primitives { .. } => {
                Err(Error::kind("octets", "a value"))
            }
        }
    }

    /// A field of a descriptor, which must be that of the class.
    fn field(
        &mut self,
        id: Id,
        class: &'static Class,
        next: usize,
        input: &mut Input<'_>,
    ) -> Result<bool, Error> {
        let Some(expected) = class.fields.get(next) else {
            self.after_field(id, class, next)?;
            return Ok(true);
        };
        let again = Frame::Fields { id, class, next, named: false };
        let Some([code, a, b]) = input.ahead::<3>() else { return self.wait(again) };
        let length = usize::from(u16::from_be_bytes([a, b]));
        if code != expected.code() || length != expected.name.len() {
            return Err(Error::Descriptor { class: class.name, part: "field" });
        }
        let Some(name) = input.after(3, length) else { return self.wait(again) };
        if name != expected.name.as_bytes() {
            return Err(Error::Descriptor { class: class.name, part: "field" });
        }
        if expected.is_reference() {
            self.push(Frame::Fields { id, class, next, named: true })?;
        } else {
            self.after_field(id, class, next + 1)?;
        }
        Ok(true)
    }

    fn after_field(&mut self, id: Id, class: &'static Class, next: usize) -> Result<(), Error> {
        if next < class.fields.len() {
            self.push(Frame::Fields { id, class, next, named: false })
        } else {
            self.push(Frame::Annotation { id })
        }
    }

    fn wait(&mut self, frame: Frame) -> Result<bool, Error> {
        self.push(frame)?;
        Ok(false)
    }

    fn interface(&mut self, id: Id, left: usize, input: &mut Input<'_>) -> Result<bool, Error> {
        if left == 0 {
            self.push(Frame::Annotation { id })?;
            return Ok(true);
        }
        let again = Frame::Interfaces { id, left };
        let Some([a, b]) = input.ahead::<2>() else { return self.wait(again) };
        let length = usize::from(u16::from_be_bytes([a, b]));
        self.at_most(length, NAME, "octets in the name of a class")?;
        let Some(octets) = input.after(2, length) else { return self.wait(again) };
        let name = decode_text(octets)?;
        if !INTERFACES.contains(&name.as_str()) {
            return Err(Error::UnknownClass { name });
        }
        if let Node::Proxy(interfaces) = self.graph.get_mut(id) {
            interfaces.push(name);
        }
        self.push(Frame::Interfaces { id, left: left - 1 })?;
        Ok(true)
    }

    /// The superclass must be that of the class.
    fn parent(&mut self, id: Id, value: Option<Id>) -> Result<(), Error> {
        let found = match value.map(|value| self.graph.get(value)) {
            None => None,
            Some(Node::Class(class)) => Some(*class),
            Some(other) => return Err(Error::kind("a class descriptor", other.kind())),
        };
        let (name, expected) = match self.graph.get(id) {
            Node::Class(class) => (class.name, class.parent),
            _ => ("a dynamic proxy", Some(&classes::java::PROXY)),
        };
        if found != expected {
            return Err(Error::Descriptor { class: name, part: "superclass" });
        }
        self.done = Some(Some(id));
        Ok(())
    }

    fn class_of(&self, value: Option<Id>) -> Result<&'static Class, Error> {
        match value.map(|value| self.graph.get(value)) {
            Some(Node::Class(class)) => Ok(class),
            other => Err(Error::kind("a class descriptor", other.map_or("null", Node::kind))),
        }
    }

    fn object(&mut self, value: Option<Id>) -> Result<(), Error> {
        let (class, proxy) = match value.map(|value| self.graph.get(value)) {
            Some(Node::Class(class)) => (*class, None),
            Some(Node::Proxy(_)) => (&classes::java::PROXY, value),
            other => return Err(Error::kind("a class descriptor", other.map_or("null", Node::kind))),
        };
        if class.element().is_some() {
            return Err(Error::kind("the class of an object", class.name));
        }
        let mut parts = Vec::with_capacity(class.lineage().count());
        parts.extend(class.lineage().map(|class| Part { class, slots: Vec::new(), extra: Vec::new() }));
        // The topmost first: their order in a stream.
        parts.reverse();
        let id = self.add(Node::Object(Object { class, proxy, parts }))?;
        self.push(Frame::Slots { id, part: 0 })
    }

    fn part(&mut self, id: Id, part: usize) -> Option<&mut Part> {
        match self.graph.get_mut(id) {
            Node::Object(object) => object.parts.get_mut(part),
            _ => None,
        }
    }

    fn slot(&mut self, id: Id, part: usize, slot: Slot) {
        if let Some(part) = self.part(id, part) {
            part.slots.push(slot);
        }
    }

    /// The fields of a part of an object: primitives at once, references one by one.
    fn slots(&mut self, id: Id, index: usize, input: &mut Input<'_>) -> Result<bool, Error> {
        loop {
            let again = Frame::Slots { id, part: index };
            let Some(part) = self.part(id, index) else {
                self.done = Some(Some(id));
                return Ok(true);
            };
            let Some(field) = part.class.fields.get(part.slots.len()) else {
                let extra = part.class.has_extra();
                let next = Frame::Slots { id, part: index + 1 };
                self.push(if extra { Frame::Extras { id, part: index } } else { next })?;
                return Ok(true);
            };
            if field.is_reference() {
                self.push(again)?;
                return self.content(input);
            }
            let Some(slot) = primitive(field.code(), input) else { return self.wait(again) };
            part.slots.push(slot);
        }
    }

    fn extras(&mut self, id: Id, index: usize, input: &mut Input<'_>) -> Result<bool, Error> {
        let again = Frame::Extras { id, part: index };
        if input.peek() == Some(token::END_BLOCK_DATA) {
            input.skip(1);
            self.push(Frame::Slots { id, part: index + 1 })?;
            return Ok(true);
        }
        match self.block(input)? {
            Some(Some(octets)) => {
                let most = self.limits.octets;
                if let Some(part) = self.part(id, index) {
                    match part.extra.last_mut() {
                        Some(Extra::Octets(before)) if before.len() < most => before.extend(octets),
                        _ => part.extra.push(Extra::Octets(octets)),
                    }
                }
                self.push(again)?;
                Ok(true)
            }
            Some(None) => self.wait(again),
            None => {
                self.push(again)?;
                self.content(input)
            }
        }
    }

    fn array(&mut self, class: &'static Class, input: &mut Input<'_>) -> Result<bool, Error> {
        let Some(octets) = input.take() else { return self.wait(Frame::ArrayLength { class }) };
        let left = length(i32::from_be_bytes(octets))?;
        self.at_most(left, self.limits.array, "elements in an array")?;
        // Nothing is reserved for elements that have not arrived.
        let node = match class.element() {
            Some(b'Z') => Node::Booleans(Vec::new()),
            Some(b'B') => Node::Bytes(Vec::new()),
            Some(b'C') => Node::Chars(Vec::new()),
            Some(b'S') => Node::Shorts(Vec::new()),
            Some(b'I') => Node::Ints(Vec::new()),
            Some(b'J') => Node::Longs(Vec::new()),
            Some(b'F') => Node::Floats(Vec::new()),
            Some(b'D') => Node::Doubles(Vec::new()),
            _ => {
                let id = self.add(Node::Array { class, items: Vec::new() })?;
                self.push(Frame::Items { id, left })?;
                return Ok(true);
            }
        };
        let id = self.add(node)?;
        self.push(Frame::Primitives { id, left })?;
        Ok(true)
    }

    /// The elements that have arrived.
    fn primitives(&mut self, id: Id, left: usize, input: &mut Input<'_>) -> Result<bool, Error> {
        let taken = match self.graph.get_mut(id) {
            Node::Booleans(values) => extend(values, input, left, |[octet]| octet != 0),
            Node::Bytes(values) => extend(values, input, left, |[octet]| octet),
            Node::Chars(values) => extend(values, input, left, u16::from_be_bytes),
            Node::Shorts(values) => extend(values, input, left, i16::from_be_bytes),
            Node::Ints(values) => extend(values, input, left, i32::from_be_bytes),
            Node::Longs(values) => extend(values, input, left, i64::from_be_bytes),
            Node::Floats(values) => extend(values, input, left, f32::from_be_bytes),
            Node::Doubles(values) => extend(values, input, left, f64::from_be_bytes),
            other => return Err(Error::kind("an array of primitives", other.kind())),
        };
        if taken == left {
            self.done = Some(Some(id));
            return Ok(true);
        }
        self.wait(Frame::Primitives { id, left: left - taken })
    }
}

fn extend<T, const N: usize>(
    values: &mut Vec<T>,
    input: &mut Input<'_>,
    left: usize,
    from: impl Fn([u8; N]) -> T,
) -> usize {
    let elements = input.elements(left);
    values.extend(elements.iter().map(|octets| from(*octets)));
    elements.len()
}

fn primitive(code: u8, input: &mut Input<'_>) -> Option<Slot> {
    Some(match code {
        b'Z' => Slot::Boolean(input.take::<1>()? != [0]),
        b'B' => Slot::Byte(i8::from_be_bytes(input.take()?)),
        b'C' => Slot::Char(u16::from_be_bytes(input.take()?)),
        b'S' => Slot::Short(i16::from_be_bytes(input.take()?)),
        b'I' => Slot::Int(i32::from_be_bytes(input.take()?)),
        b'J' => Slot::Long(i64::from_be_bytes(input.take()?)),
        b'F' => Slot::Float(f32::from_be_bytes(input.take()?)),
        _ => Slot::Double(f64::from_be_bytes(input.take()?)),
    })
}

/// The interfaces that a dynamic proxy may have: those of stubs.
const INTERFACES: [&str; 5] = [
    "java.rmi.Remote",
    "javax.management.remote.rmi.RMIConnection",
    "javax.management.remote.rmi.RMIServer",
    "java.lang.AutoCloseable",
    "java.io.Closeable",
];

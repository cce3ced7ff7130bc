//! Lists, sets and maps of the classes that Java's own MBeans and clients send. Which class it was does not matter.

use super::{Decoder, Reference, reference};
use crate::error::Error;
use crate::model::{Attribute, Value};
use crate::stream::classes::{java, management};
use crate::stream::{Class, Extra, Object, Slot};

impl<'g> Decoder<'g> {
    /// The value of an object that is a collection.
    pub(super) fn collection(&mut self, object: &'g Object) -> Result<Option<Value>, Error> {
        if object.class.is(&management::ATTRIBUTE_LIST) {
            return Ok(Some(Value::Attributes(self.attributes_object(object)?)));
        }
        let Some((kind, elements)) = self.elements(object)? else { return Ok(None) };
        let mut values = Vec::new();
        for element in elements {
            values.push(self.value(element)?);
        }
        Ok(Some(match kind {
            Kind::List => Value::List(values),
            Kind::Set => Value::Set(values),
            Kind::Map => {
                let mut entries = Vec::with_capacity(values.len() / 2);
                let mut values = values.into_iter();
                while let (Some(key), Some(value)) = (values.next(), values.next()) {
                    entries.push((key, value));
                }
                Value::Map(entries)
            }
        }))
    }

    /// A list of attributes; null is none.
    pub fn attributes(&mut self, reference: Reference) -> Result<Option<Vec<Attribute>>, Error> {
        self.object_of(reference, &management::ATTRIBUTE_LIST, Self::attributes_object)
    }

    fn attributes_object(&mut self, object: &'g Object) -> Result<Vec<Attribute>, Error> {
        let elements = self.elements(object)?.map(|(_, elements)| elements).unwrap_or_default();
        let read =
            |element| self.attribute(element)?.ok_or(Error::Value { what: "null in an AttributeList" });
        elements.into_iter().map(read).collect()
    }

    /// The elements of a list or a set, in order; of a map keys and values in turn.
    pub(super) fn elements_of(&mut self, reference: Reference) -> Result<Option<Vec<Reference>>, Error> {
        let Some(id) = reference else { return Ok(None) };
        self.within(id, |decoder, node| match node {
            crate::stream::Node::Object(object) => {
                decoder.elements(object).map(|found| found.map(|(_, elements)| elements))
            }
            other => Err(Error::kind("a collection", other.kind())),
        })
    }

    /// The elements of a set; each is read by the caller.
    pub(crate) fn set<T>(
        &mut self,
        reference: Reference,
        mut read: impl FnMut(&mut Self, Reference) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let elements = self.elements_of(reference)?.ok_or(Error::Value { what: "null in place of a set" })?;
        elements.into_iter().map(|element| read(self, element)).collect()
    }

    fn elements(&mut self, object: &'g Object) -> Result<Option<(Kind, Vec<Reference>)>, Error> {
        let class = object.class;
        if let Some((_, kind)) = EMPTY.iter().find(|(empty, _)| class.is(empty)) {
            return Ok(Some((*kind, Vec::new())));
        }
        if let Some((_, kind, fields)) = SINGLE.iter().find(|(single, ..)| class.is(single)) {
            let elements = fields.iter().map(|field| reference(object, field)).collect::<Result<_, _>>()?;
            return Ok(Some((*kind, elements)));
        }
        if let Some((_, kind, field)) = WRAPPED.iter().find(|(wrapped, ..)| class.extends(wrapped)) {
            let elements = self.elements_of(reference(object, field)?)?.unwrap_or_default();
            return Ok(Some((*kind, elements)));
        }
        if class.is(&java::ARRAYS_ARRAY_LIST) {
            let read = |_: &mut Self, item| Ok(item);
            let elements = match reference(object, "a")?.map(|id| self.graph.get(id)) {
                Some(crate::stream::Node::Array { items, .. }) => items.clone(),
                _ => self.items(reference(object, "a")?, &java::OBJECT_ARRAY, read)?.unwrap_or_default(),
            };
            return Ok(Some((Kind::List, elements)));
        }
        if class.is(&java::VECTOR) {
            let read = |_: &mut Self, item| Ok(item);
            let mut elements =
                self.items(reference(object, "elementData")?, &java::OBJECT_ARRAY, read)?.unwrap_or_default();
            let count = super::int(object, "elementCount")?;
            elements.truncate(usize::try_from(count).unwrap_or(0));
            return Ok(Some((Kind::List, elements)));
        }
        if class.is(&java::COLL_SER) {
            // The low octet is the kind (java.util.CollSer).
            let kind = match super::int(object, "tag")? & 0xff {
                1 | 4 => Kind::List,
                2 => Kind::Set,
                3 => Kind::Map,
                _ => return Err(Error::Value { what: "the tag of an immutable collection" }),
            };
            return Ok(Some((kind, self.written(object, &java::COLL_SER, 4, 0, kind)?)));
        }
        let Some(written) = WRITTEN.iter().find(|written| class.extends(written.class)) else {
            return Ok(None);
        };
        let elements = self.written(object, written.class, written.octets, written.count, written.kind)?;
        Ok(Some((written.kind, elements)))
    }

    /// What `writeObject` of a collection has written: some octets with the number of elements, and the elements.
    fn written(
        &mut self,
        object: &'g Object,
        class: &'static Class,
        length: usize,
        count: usize,
        kind: Kind,
    ) -> Result<Vec<Reference>, Error> {
        let invalid = Error::Value { what: "the number of elements of a collection" };
        let mut extra = object.part(class).map(|part| part.extra.as_slice()).unwrap_or_default();
        if class.is(&java::TREE_SET) {
            // Its comparator.
            match extra.split_first() {
                Some((Extra::Reference(_), rest)) => extra = rest,
                _ => return Err(invalid),
            }
        }
        let Some((Extra::Octets(octets), elements)) = extra.split_first() else { return Err(invalid) };
        let mut found = 0;
        let mut references = Vec::with_capacity(elements.len());
        for element in elements {
            match element {
                Extra::Reference(reference) => references.push(*reference),
                Extra::Octets(_) => return Err(invalid),
            }
            found += 1;
        }
        let per_element = if kind == Kind::Map && !class.is(&java::COLL_SER) { 2 } else { 1 };
        let stated = match class
            .is(&java::ARRAY_LIST)
            .then(|| object.part(class).and_then(|part| part.slot("size")))
        {
            Some(Some(Slot::Int(size))) => usize::try_from(size).ok(),
            _ => octets
                .get(count..count + 4)
                .and_then(|octets| octets.try_into().ok())
                .and_then(|octets| usize::try_from(i32::from_be_bytes(octets)).ok()),
        };
        if octets.len() != length || stated.and_then(|stated| stated.checked_mul(per_element)) != Some(found)
        {
            return Err(invalid);
        }
        self.spend(references.len() * size_of::<Reference>())?;
        Ok(references)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    Set,
    Map,
}

/// A class that writes its elements beside its fields.
struct Written {
    class: &'static Class,
    kind: Kind,
    /// The octets before the elements.
    octets: usize,
    /// Where in them the number of elements is.
    count: usize,
}

const WRITTEN: &[Written] = &[
    Written { class: &java::ARRAY_LIST, kind: Kind::List, octets: 4, count: 0 },
    Written { class: &java::LINKED_LIST, kind: Kind::List, octets: 4, count: 0 },
    Written { class: &java::HASH_SET, kind: Kind::Set, octets: 12, count: 8 },
    Written { class: &java::TREE_SET, kind: Kind::Set, octets: 4, count: 0 },
    Written { class: &java::HASH_MAP, kind: Kind::Map, octets: 8, count: 4 },
    Written { class: &java::HASHTABLE, kind: Kind::Map, octets: 8, count: 4 },
    Written { class: &java::TREE_MAP, kind: Kind::Map, octets: 4, count: 0 },
];

const EMPTY: &[(&Class, Kind)] = &[
    (&java::COLLECTIONS_EMPTY_LIST, Kind::List),
    (&java::COLLECTIONS_EMPTY_SET, Kind::Set),
    (&java::COLLECTIONS_EMPTY_MAP, Kind::Map),
];

const SINGLE: &[(&Class, Kind, &[&str])] = &[
    (&java::COLLECTIONS_SINGLETON_LIST, Kind::List, &["element"]),
    (&java::COLLECTIONS_SINGLETON_SET, Kind::Set, &["element"]),
    (&java::COLLECTIONS_SINGLETON_MAP, Kind::Map, &["k", "v"]),
];

const WRAPPED: &[(&Class, Kind, &str)] = &[
    (&java::COLLECTIONS_UNMODIFIABLE_SET, Kind::Set, "c"),
    (&java::COLLECTIONS_UNMODIFIABLE_COLLECTION, Kind::List, "c"),
    (&java::COLLECTIONS_UNMODIFIABLE_MAP, Kind::Map, "m"),
];

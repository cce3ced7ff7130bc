//! Elements as octets: their size, and writing them into exactly that many. It cannot fail: whatever can be
//! constructed can be encoded.
//!
//! [`Message::encode`](super::Message::encode) and the exact path of [`ResponseWriter`](super::ResponseWriter)
//! both use this; only the latter's fast path has its own copies.

use trunkline_smi::ValueRef;

use super::value::tag_of;
use super::{oid, tag};

/// How many octets a length field has: 1 below 128, then one more than the number's.
/// Lengths stay below 2^32: no buffer of a message is that long.
#[inline]
pub(crate) const fn length_size(length: usize) -> usize {
    match length {
        0..0x80 => 1,
        0x80..0x100 => 2,
        0x100..0x1_0000 => 3,
        0x1_0000..0x100_0000 => 4,
        _ => 5,
    }
}

/// An element with this many contents octets, with its type and length.
#[inline]
pub(crate) const fn element_size(contents: usize) -> usize {
    1 + length_size(contents) + contents
}

/// How many octets an INTEGER's contents have: the fewest that keep the sign.
#[inline]
pub(crate) const fn integer_size(value: i32) -> usize {
    let magnitude = if value < 0 { !value } else { value } as u32;
    ((40 - magnitude.leading_zeros()) / 8) as usize
}

/// How many octets the contents of an unsigned number have, with the leading zero where the top bit is set.
#[inline]
pub(crate) const fn unsigned_size(value: u64) -> usize {
    ((72 - value.leading_zeros()) / 8) as usize
}

/// How many contents octets a value has.
#[inline]
pub(crate) fn value_size(value: &ValueRef<'_>) -> usize {
    match *value {
        ValueRef::Integer(v) => integer_size(v),
        ValueRef::OctetString(v) | ValueRef::Opaque(v) => v.len(),
        ValueRef::ObjectIdentifier(v) => oid::size(v),
        ValueRef::IpAddress(_) => 4,
        ValueRef::Counter32(v) | ValueRef::Unsigned32(v) | ValueRef::TimeTicks(v) => {
            unsigned_size(u64::from(v))
        }
        ValueRef::Counter64(v) => unsigned_size(v),
    }
}

/// The part of a binding after the name.
#[derive(Clone, Copy)]
pub(crate) enum Payload<'a> {
    Value(ValueRef<'a>),
    /// NULL or an exception: a type without contents.
    Empty(u8),
}

/// A binding with its sizes: computed first, since lengths precede contents and messages have limits.
///
/// ```text
/// 30 LL  06 NN prefix rest  TT VV contents
/// ```
pub(crate) struct Binding<'a> {
    /// The first of the name's contents octets.
    prefix: &'a [u8],
    /// The sub-identifiers after them.
    rest: &'a [u32],
    payload: Payload<'a>,
    name: usize,
    contents: usize,
}

impl<'a> Binding<'a> {
    #[inline]
    pub fn new(prefix: &'a [u8], rest: &'a [u32], payload: Payload<'a>) -> Self {
        let name = prefix.len() + oid::groups_size(rest);
        let contents = match &payload {
            Payload::Value(value) => value_size(value),
            Payload::Empty(_) => 0,
        };
        Binding { prefix, rest, payload, name, contents }
    }

    /// How many octets it needs in all.
    #[inline]
    pub fn size(&self) -> usize {
        element_size(self.inside())
    }

    pub fn write(&self, out: &mut Forwards<'_>) {
        out.header(tag::SEQUENCE, self.inside());
        out.header(tag::OBJECT_IDENTIFIER, self.name);
        out.put(self.prefix);
        self.rest.iter().for_each(|&sub_id| out.group(u64::from(sub_id)));
        match self.payload {
            Payload::Value(value) => out.value(&value, self.contents),
            Payload::Empty(tag) => out.header(tag, 0),
        }
    }

    fn inside(&self) -> usize {
        element_size(self.name) + element_size(self.contents)
    }
}

/// Writes elements one after the other into octets that are at least as many as needed.
pub(crate) struct Forwards<'a> {
    octets: &'a mut [u8],
    at: usize,
}

impl<'a> Forwards<'a> {
    pub fn new(octets: &'a mut [u8]) -> Self {
        Forwards { octets, at: 0 }
    }

    /// Type and length.
    #[inline(always)] // two or three for each binding
    pub fn header(&mut self, tag: u8, length: usize) {
        match length_size(length) {
            1 => self.put(&[tag, length as u8]),
            size => {
                self.put(&[tag, 0x80 | (size - 1) as u8]);
                self.put(&(length as u32).to_be_bytes()[5 - size..]);
            }
        }
    }

    /// A whole INTEGER.
    pub fn integer(&mut self, value: i32) {
        self.value(&ValueRef::Integer(value), integer_size(value));
    }

    /// A whole value.
    pub fn whole(&mut self, value: &ValueRef<'_>) {
        self.value(value, value_size(value));
    }

    /// A whole element with these contents.
    pub fn element(&mut self, tag: u8, contents: &[u8]) {
        self.header(tag, contents.len());
        self.put(contents);
    }

    /// A whole value with this many contents octets.
    fn value(&mut self, value: &ValueRef<'_>, size: usize) {
        self.header(tag_of(value), size);
        match *value {
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => self.put(octets),
            ValueRef::ObjectIdentifier(sub_ids) => {
                self.group(oid::first_group(sub_ids));
                sub_ids.iter().skip(2).for_each(|&sub_id| self.group(u64::from(sub_id)));
            }
            ValueRef::Integer(v) => self.put(&v.to_be_bytes()[4 - size..]),
            ValueRef::IpAddress(v) => self.put(&v),
            ValueRef::Counter32(v) | ValueRef::Unsigned32(v) | ValueRef::TimeTicks(v) => {
                self.put(&u64::from(v).to_be_bytes()[8 - size..]);
            }
            ValueRef::Counter64(v) => self.put(&u128::from(v).to_be_bytes()[16 - size..]),
        }
    }

    #[inline]
    fn put(&mut self, octets: &[u8]) {
        let end = self.at + octets.len();
        self.octets[self.at..end].copy_from_slice(octets);
        self.at = end;
    }

    #[inline]
    fn group(&mut self, number: u64) {
        self.at = oid::put_group(self.octets, self.at, number);
    }
}

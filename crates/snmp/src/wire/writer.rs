//! Elements as octets, appended to a buffer: the plain encoder, which
//! [`Message::encode`](super::Message::encode) uses. The agent's fast path is
//! [`ResponseWriter`](super::ResponseWriter).

use trunkline_smi::ValueRef;

use super::value::tag_of;
use super::{Bound, oid, tag};

/// Type and length.
pub(crate) fn header(tag: u8, length: usize, into: &mut Vec<u8>) {
    into.push(tag);
    let octets = (length as u32).to_be_bytes();
    match length_size(length) {
        1 => into.push(octets[3]),
        size => {
            into.push(0x80 | (size - 1) as u8);
            into.extend_from_slice(&octets[5 - size..]);
        }
    }
}

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

/// An element of so many contents octets, with its type and length.
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

/// A whole INTEGER.
pub(crate) fn integer(value: i32, into: &mut Vec<u8>) {
    let size = integer_size(value);
    header(tag::INTEGER, size, into);
    into.extend_from_slice(&value.to_be_bytes()[4 - size..]);
}

/// A whole unsigned number of this type.
fn unsigned(tag: u8, value: u64, into: &mut Vec<u8>) {
    let size = unsigned_size(value);
    header(tag, size, into);
    into.extend_from_slice(&u128::from(value).to_be_bytes()[16 - size..]);
}

/// How many contents octets a value has.
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

/// A whole value.
pub(crate) fn value(value: &ValueRef<'_>, into: &mut Vec<u8>) {
    let tag = tag_of(value);
    match *value {
        ValueRef::Integer(v) => integer(v, into),
        ValueRef::OctetString(v) | ValueRef::Opaque(v) => octets(tag, v, into),
        ValueRef::ObjectIdentifier(v) => object_identifier(v, into),
        ValueRef::IpAddress(v) => octets(tag, &v, into),
        ValueRef::Counter32(v) | ValueRef::Unsigned32(v) | ValueRef::TimeTicks(v) => {
            unsigned(tag, u64::from(v), into);
        }
        ValueRef::Counter64(v) => unsigned(tag, v, into),
    }
}

/// A whole binding.
pub(crate) fn binding(name: &[u32], bound: &Bound, into: &mut Vec<u8>) {
    let value_size = bound.value().map_or(0, |value| value_size(&value.as_value_ref()));
    let contents = element_size(oid::size(name)) + element_size(value_size);
    header(tag::SEQUENCE, contents, into);
    object_identifier(name, into);
    match bound {
        Bound::Unspecified => header(tag::NULL, 0, into),
        Bound::Exception(exception) => header(exception.tag(), 0, into),
        Bound::Value(bound) => value(&bound.as_value_ref(), into),
    }
}

/// A whole element whose contents are these octets.
pub(crate) fn octets(tag: u8, contents: &[u8], into: &mut Vec<u8>) {
    header(tag, contents.len(), into);
    into.extend_from_slice(contents);
}

fn object_identifier(sub_ids: &[u32], into: &mut Vec<u8>) {
    header(tag::OBJECT_IDENTIFIER, oid::size(sub_ids), into);
    oid::write(sub_ids, into);
}

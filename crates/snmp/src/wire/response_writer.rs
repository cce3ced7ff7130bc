//! The agent's encoder: bindings straight into the one output buffer, the
//! headers written backwards in front of them at the end, nothing copied
//! twice, nothing allocated once the buffer has grown.
//!
//! The tree hands value after value to the agent's door, the door hands them
//! here, and `false` tells both that the message is full: truncation of
//! GetBulk and tooBig are decided while encoding.

use std::ops::Range;

use trunkline_smi::{MAX_SUB_IDS, ValueRef};

use super::oid::{first_group, group_size, groups_size};
use super::template::NameTemplate;
use super::value::tag_of;
use super::writer::{element_size, integer_size, length_size, unsigned_size, value_size};
use super::{Envelope, ErrorStatus, Exception, tag};

/// Writes one message into a buffer that is used again and again.
///
/// ```text
/// buf:  ....| headroom: envelope, at its end |  bindings ...   | slack
///                                            start   ->  at
/// ```
#[derive(Debug)]
pub struct ResponseWriter<'b> {
    buf: &'b mut Vec<u8>,
    envelope: Envelope<'b>,
    max_size: usize,
    /// Where the list's contents start.
    start: usize,
    /// Where the next binding goes.
    at: usize,
    /// Where the list's contents must end so that the message has at most `max_size` octets.
    end: usize,
}

/// What stands behind the name.
#[derive(Clone, Copy)]
enum Payload<'v> {
    Value(ValueRef<'v>),
    /// NULL or an exception: a type without contents.
    Empty(u8),
}

impl<'b> ResponseWriter<'b> {
    /// Starts a message of at most `max_size` octets in all. What `buf` holds is overwritten, its memory is
    /// kept; it never shrinks, so that a reused one stops allocating.
    pub fn new(buf: &'b mut Vec<u8>, max_size: usize, envelope: Envelope<'b>) -> Self {
        let start = envelope.most();
        let end = start + envelope.room(max_size);
        let mut writer = ResponseWriter { buf, envelope, max_size, start, at: start, end };
        if writer.buf.len() < start {
            writer.grow(start);
        }
        writer
    }

    /// Appends the binding of one instance: the template's name, this index, this value. `false`: it would
    /// not fit, and nothing is written.
    #[inline]
    pub fn value(&mut self, template: &NameTemplate, index: &[u32], value: ValueRef<'_>) -> bool {
        if self.fast_room() >= CHUNK
            && let Some(chunk) = self.buf[self.at..].first_chunk_mut()
            && let Some(length) = put_small(chunk, template, index, value)
        {
            self.at += length;
            return true;
        }
        self.value_exact(template, index, value)
    }

    /// Appends a run of instances of one column, until the rows end or the next does not fit. Gives how many
    /// were taken.
    #[inline]
    pub fn column<'v>(
        &mut self,
        template: &NameTemplate,
        rows: impl IntoIterator<Item = (&'v [u32], ValueRef<'v>)>,
    ) -> usize {
        let mut taken = 0;
        for (index, value) in rows {
            if !self.value(template, index, value) {
                break;
            }
            taken += 1;
        }
        taken
    }

    /// Appends a binding with its whole name given. `false`: it would not fit, and nothing is written.
    pub fn value_at(&mut self, name: &[u32], value: ValueRef<'_>) -> bool {
        self.named(name, Payload::Value(value))
    }

    /// Appends a name with an exception. `false`: it would not fit, and nothing is written.
    pub fn exception(&mut self, name: &[u32], exception: Exception) -> bool {
        self.named(name, Payload::Empty(exception.tag()))
    }

    /// Appends a name with NULL, as requests have them and v1 responses with an error. `false`: it would not
    /// fit, and nothing is written.
    pub fn unspecified(&mut self, name: &[u32]) -> bool {
        self.named(name, Payload::Empty(tag::NULL))
    }

    /// How many octets the bindings have so far; to be given to [`rollback`](Self::rollback).
    pub fn position(&self) -> usize {
        self.at - self.start
    }

    /// Forgets what was written behind a position that [`position`](Self::position) gave.
    pub fn rollback(&mut self, position: usize) {
        self.at = self.at.min(self.start + position);
    }

    /// Forgets all bindings.
    pub fn clear_bindings(&mut self) {
        self.at = self.start;
    }

    /// Ends a message without error: writes the envelope, gives which octets of the buffer are the message.
    /// `None`: not even a message without bindings fits `max_size`.
    pub fn finish(self) -> Option<Range<usize>> {
        self.close(0, 0)
    }

    /// Ends a message with an error: error-status, error-index (counted from 1, 0 for none) and, in place of
    /// all bindings written, the contents octets of the request's list, or none. `None`: it does not fit
    /// `max_size`; the request is to be dropped (snmpSilentDrops).
    pub fn finish_with_raw_bindings(
        mut self,
        status: ErrorStatus,
        index: u32,
        bindings: &[u8],
    ) -> Option<Range<usize>> {
        let (start, end) = (self.start, self.start + bindings.len());
        if self.buf.len() < end {
            self.grow(end);
        }
        self.buf[start..end].copy_from_slice(bindings);
        self.at = end;
        self.close(status.code(), i32::try_from(index).unwrap_or(i32::MAX))
    }

    fn close(self, status: i32, index: i32) -> Option<Range<usize>> {
        let list = self.at - self.start;
        if self.envelope.size(list, status, index) + list > self.max_size {
            return None;
        }
        let begin = self.envelope.write(self.buf, self.start, list, status, index);
        Some(begin..self.at)
    }

    /// How many octets may be written here without looking any closer.
    #[inline]
    fn fast_room(&self) -> usize {
        self.end.min(self.buf.len()).saturating_sub(self.at)
    }

    /// The way of long indexes, strings, identifiers, and of the last octets of a message.
    fn value_exact(&mut self, template: &NameTemplate, index: &[u32], value: ValueRef<'_>) -> bool {
        let most = MAX_SUB_IDS.saturating_sub(template.sub_ids());
        let index = &index[..index.len().min(most)]; // as smi::Oid::child: no name is longer
        self.binding(template.prefix(), index, Payload::Value(value))
    }

    fn named(&mut self, name: &[u32], payload: Payload<'_>) -> bool {
        let first = first_group(name);
        let mut prefix = [0; 5];
        let length = put_group(&mut prefix, 0, first);
        let rest = name.get(2..name.len().min(MAX_SUB_IDS)).unwrap_or(&[]);
        self.binding(&prefix[..length], rest, payload)
    }

    /// One binding: its size first, exactly; then, if it fits, its octets.
    fn binding(&mut self, prefix: &[u8], rest: &[u32], payload: Payload<'_>) -> bool {
        let name = prefix.len() + groups_size(rest);
        let contents = match &payload {
            Payload::Value(value) => value_size(value),
            Payload::Empty(_) => 0,
        };
        let inside = element_size(name) + element_size(contents);
        let end = self.at + element_size(inside);
        if end > self.end {
            return false;
        }
        if self.buf.len() < end {
            self.grow(end);
        }
        let mut out = Forwards { octets: &mut self.buf[self.at..end], at: 0 };
        out.header(tag::SEQUENCE, inside);
        out.header(tag::OBJECT_IDENTIFIER, name);
        out.put(prefix);
        rest.iter().for_each(|&sub_id| out.group(u64::from(sub_id)));
        match payload {
            Payload::Value(value) => out.value(&value, contents),
            Payload::Empty(tag) => out.header(tag, 0),
        }
        self.at = end;
        true
    }

    /// Makes the buffer longer: enough for now, and doubled so that this stays rare.
    #[cold]
    fn grow(&mut self, needed: usize) {
        let doubled = (2 * self.buf.len()).max(FIRST_SIZE).min(self.end);
        self.buf.resize(doubled.max(needed), 0);
    }
}

/// A binding whose octets are few and known to be: fixed-size copies into a chunk that has room for the
/// longest such binding, lengths below 128 patched in. Gives its length, `None` when it is not of that kind.
#[inline]
fn put_small(
    chunk: &mut [u8; CHUNK],
    template: &NameTemplate,
    index: &[u32],
    value: ValueRef<'_>,
) -> Option<usize> {
    let (block, head) = template.block()?;
    let (size, number) = small_number(&value)?;
    let tag = tag_of(&value);
    chunk[..block.len()].copy_from_slice(block);
    let end = match *index {
        // index, type, length and value in one store of 16 octets: nearly every table
        [sub_id @ 0..0x80] => {
            let tail = u128::from(sub_id) << 120 | u128::from(tag) << 112 | (size as u128) << 104;
            let tail = tail | u128::from(number) << (104 - 8 * size);
            chunk[head..head + 16].copy_from_slice(&tail.to_be_bytes());
            chunk[3] = (head - 3) as u8;
            head + 3 + size
        }
        _ if index.len() <= SMALL_INDEX => {
            let mut at = head;
            for &sub_id in index {
                at = put_group(chunk, at, u64::from(sub_id));
            }
            chunk[3] = (at - 4) as u8;
            let tail =
                u128::from(tag) << 120 | (size as u128) << 112 | u128::from(number) << (112 - 8 * size);
            chunk[at..at + 16].copy_from_slice(&tail.to_be_bytes());
            at + 2 + size
        }
        _ => return None,
    };
    chunk[1] = (end - 2) as u8;
    Some(end)
}

/// A number's contents octets, counted and right-aligned; `None` for what is no number.
#[inline]
fn small_number(value: &ValueRef<'_>) -> Option<(usize, u64)> {
    Some(match *value {
        ValueRef::Counter32(v) | ValueRef::Unsigned32(v) | ValueRef::TimeTicks(v) => {
            (unsigned_size(u64::from(v)), u64::from(v))
        }
        ValueRef::Counter64(v) => (unsigned_size(v), v),
        ValueRef::Integer(v) => {
            let size = integer_size(v);
            (size, u64::from(v as u32) & (u64::MAX >> (64 - 8 * size)))
        }
        ValueRef::IpAddress(v) => (4, u64::from(u32::from_be_bytes(v))),
        ValueRef::OctetString(_) | ValueRef::ObjectIdentifier(_) | ValueRef::Opaque(_) => return None,
    })
}

/// One number in base 128 at a place; gives the place behind it. The caller made sure of the room.
#[inline]
fn put_group(octets: &mut [u8], at: usize, number: u64) -> usize {
    let size = group_size(number);
    for (place, octet) in octets[at..at + size].iter_mut().rev().enumerate() {
        let more = if place == 0 { 0 } else { 0x80 };
        *octet = more | (number >> (7 * place)) as u8 & 0x7f;
    }
    at + size
}

/// Writes elements one after the other into octets that are exactly as many as needed.
struct Forwards<'a> {
    octets: &'a mut [u8],
    at: usize,
}

impl Forwards<'_> {
    fn put(&mut self, octets: &[u8]) {
        let end = self.at + octets.len();
        self.octets[self.at..end].copy_from_slice(octets);
        self.at = end;
    }

    fn group(&mut self, number: u64) {
        self.at = put_group(self.octets, self.at, number);
    }

    fn header(&mut self, tag: u8, length: usize) {
        let octets = (length as u32).to_be_bytes();
        match length_size(length) {
            1 => self.put(&[tag, octets[3]]),
            size => {
                self.put(&[tag, 0x80 | (size - 1) as u8]);
                self.put(&octets[5 - size..]);
            }
        }
    }

    fn value(&mut self, value: &ValueRef<'_>, size: usize) {
        self.header(tag_of(value), size);
        match *value {
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => self.put(octets),
            ValueRef::ObjectIdentifier(sub_ids) => {
                self.group(first_group(sub_ids));
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
}

/// Room for the longest small binding: a block, the index, and a store of 16 octets; below 128, so that each
/// length is one octet.
const CHUNK: usize = 112;

/// The most sub-identifiers of an index in a small binding: five octets each.
const SMALL_INDEX: usize = 12;

const _: () = assert!(super::template::BLOCK + 5 * SMALL_INDEX + 16 <= CHUNK && CHUNK < 128);

/// What a new buffer starts with, in octets: most responses are shorter.
const FIRST_SIZE: usize = 2048;

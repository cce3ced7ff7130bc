//! The agent's encoder: bindings straight into the one output buffer, the
//! headers written backwards in front of them at the end, nothing copied
//! twice, nothing allocated once the buffer has grown.
//!
//! The tree passes value after value to the agent's door, the door passes them here, and `false` reports to both
//! that the message is full: truncation of GetBulk and tooBig are decided while encoding.

use super::codes::exception_tag;
use std::ops::Range;

use trunkline_smi::{MAX_SUB_IDS, ValueRef};

use super::compression::response_pdu;
use super::envelope::Sizes;
use super::oid::{first_octets, put_group};
use super::template::NameTemplate;
use super::value::tag_of;
use super::writer::{Binding, Forwards, Payload, integer_size, unsigned_size};
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
    sizes: Sizes,
    max_size: usize,
    /// Where the list's contents start.
    start: usize,
    /// Where the next binding goes.
    at: usize,
    /// Where the list's contents must end so that the message has at most `max_size` octets.
    end: usize,
}

impl<'b> ResponseWriter<'b> {
    /// Starts a message of at most `max_size` octets in all. What `buf` holds is overwritten, its memory is
    /// kept; it never shrinks, so that a reused one stops allocating.
    pub fn new(buf: &'b mut Vec<u8>, max_size: usize, envelope: Envelope<'b>) -> Self {
        let sizes = envelope.sizes();
        let start = sizes.most();
        let end = start + sizes.room(max_size);
        let mut writer = ResponseWriter { buf, envelope, sizes, max_size, start, at: start, end };
        if writer.buf.len() < start {
            writer.grow(start);
        }
        writer
    }

    /// Appends the binding of one instance: the template's name, this index, this value. `false`: it would
    /// not fit, and nothing is written.
    #[inline]
    pub fn value(&mut self, template: &NameTemplate, index: &[u32], value: ValueRef<'_>) -> bool {
        self.column(template, [(index, value)]) == 1
    }

    /// Appends a run of instances of one column, until the rows end or the next does not fit. Returns how many
    /// were appended.
    #[inline]
    pub fn column<'v>(
        &mut self,
        template: &NameTemplate,
        rows: impl IntoIterator<Item = (&'v [u32], ValueRef<'v>)>,
    ) -> usize {
        let mut rows = rows.into_iter();
        let mut taken = 0;
        loop {
            let Some((index, value)) = self.column_small(template, &mut rows, &mut taken) else {
                return taken;
            };
            if !self.value_exact(template, index, value) {
                return taken;
            }
            taken += 1;
        }
    }

    /// Appends rows as long as they are small and there is plenty of room; returns the first that is not.
    #[inline]
    fn column_small<'v>(
        &mut self,
        template: &NameTemplate,
        rows: &mut impl Iterator<Item = (&'v [u32], ValueRef<'v>)>,
        taken: &mut usize,
    ) -> Option<(&'v [u32], ValueRef<'v>)> {
        let end = self.end.min(self.buf.len());
        let octets = &mut self.buf[..end];
        for (index, value) in rows {
            let chunk = octets.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut);
            match chunk.and_then(|chunk| put_small(chunk, template, index, value)) {
                Some(length) => self.at += length,
                None => return Some((index, value)),
            }
            *taken += 1;
        }
        None
    }

    /// Appends a binding with its whole name given. `false`: it would not fit, and nothing is written.
    pub fn value_at(&mut self, name: &[u32], value: ValueRef<'_>) -> bool {
        self.named(name, Payload::Value(value))
    }

    /// Appends a name with an exception. `false`: it would not fit, and nothing is written.
    pub fn exception(&mut self, name: &[u32], exception: Exception) -> bool {
        self.named(name, Payload::Empty(exception_tag(exception)))
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

    /// Discards what was written after a position that [`position`](Self::position) returned.
    pub fn rollback(&mut self, position: usize) {
        self.at = self.at.min(self.start + position);
    }

    /// Forgets all bindings.
    pub fn clear_bindings(&mut self) {
        self.at = self.start;
    }

    /// Ends a message without error: writes the envelope, returns the range of the message in the buffer. `None`:
    /// not even a message without bindings fits `max_size`.
    pub fn finish(self) -> Option<Range<usize>> {
        self.close(0, 0)
    }

    /// Ends a message with an error: error-status, error-index (counted from 1, 0 for none) and, instead of all
    /// bindings written, the contents octets of the request's list, or none. `None`: it does not fit `max_size`;
    /// the request must be dropped (snmpSilentDrops).
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

    /// Whether a message with this error and a list of this many octets fits.
    pub(crate) fn fits(&self, status: ErrorStatus, index: u32, list: usize) -> bool {
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        self.sizes.message(list, status.code(), index) <= self.max_size
    }

    /// Ends the message with these numbers of the PDU: writes the envelope around the bindings.
    pub(super) fn close(mut self, status: i32, index: i32) -> Option<Range<usize>> {
        if self.sizes.message(self.at - self.start, status, index) > self.max_size {
            return None;
        }
        let needed = self.at + self.sizes.most_behind();
        if self.buf.len() < needed {
            self.grow(needed);
        }
        if let Some(how) = self.envelope.compression {
            let numbers = self.envelope.numbers(status, index);
            let list = &self.buf[self.start..self.at];
            if let Some(pdu) = response_pdu(self.envelope.kind.tag(), &numbers, list, how) {
                return self.envelope.write_over(self.buf, &pdu, self.at);
            }
        }
        self.envelope.write(self.buf, self.start..self.at, status, index)
    }

    /// The slow path: long indexes, strings, identifiers, and the last octets of a message.
    #[inline(never)]
    fn value_exact(&mut self, template: &NameTemplate, index: &[u32], value: ValueRef<'_>) -> bool {
        let most = MAX_SUB_IDS.saturating_sub(template.sub_ids());
        let index = &index[..index.len().min(most)]; // as smi::Oid::child: no name is longer
        self.binding(&Binding::new(template.prefix(), index, Payload::Value(value)))
    }

    fn named(&mut self, name: &[u32], payload: Payload<'_>) -> bool {
        let (prefix, length) = first_octets(name);
        let rest = name.get(2..name.len().min(MAX_SUB_IDS)).unwrap_or(&[]);
        self.binding(&Binding::new(&prefix[..length], rest, payload))
    }

    /// One binding, if it fits.
    fn binding(&mut self, binding: &Binding<'_>) -> bool {
        let end = self.at + binding.size();
        if end > self.end {
            return false;
        }
        if self.buf.len() < end {
            self.grow(end);
        }
        binding.write(&mut Forwards::new(&mut self.buf[self.at..end]));
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

/// A binding with few octets, all known: fixed-size copies into a chunk that has room for the longest such
/// binding, lengths below 128 patched in. Returns its length, `None` if it is not of that kind.
#[inline(always)] // in a run of one column everything that depends on the type and the template is then done once
fn put_small(
    chunk: &mut [u8; CHUNK],
    template: &NameTemplate,
    index: &[u32],
    value: ValueRef<'_>,
) -> Option<usize> {
    let (block, head) = template.block()?;
    chunk[..block.len()].copy_from_slice(block);
    let (at, last) = match *index {
        [sub_id @ 0..0x80] => (head, sub_id as u8),
        _ => put_index(chunk, head, index)?,
    };
    let end = match Number::of(&value) {
        Some(number) => number.put_behind(chunk, at, last),
        None => put_octets_behind(chunk, at, last, &value)?,
    };
    chunk[1] = (end - 2) as u8;
    chunk[3] = (at - 3) as u8;
    Some(end)
}

/// The octets of an index but the last, which goes with the value's header. `None`: too many.
#[inline(never)]
fn put_index(chunk: &mut [u8; CHUNK], head: usize, index: &[u32]) -> Option<(usize, u8)> {
    let (&last, before) = index.split_last()?;
    if before.len() >= SMALL_INDEX {
        return None;
    }
    let mut at = head;
    for &sub_id in before {
        at = put_group(chunk, at, u64::from(sub_id));
    }
    if last >= 0x80 {
        at = put_group(chunk, at, u64::from(last >> 7));
        chunk[at - 1] |= 0x80; // more follows: the last seven bits
    }
    Some((at, (last & 0x7f) as u8))
}

/// The last octet of a name, then a value that is a short string of octets.
#[inline(never)]
fn put_octets_behind(chunk: &mut [u8; CHUNK], at: usize, last: u8, value: &ValueRef<'_>) -> Option<usize> {
    let (ValueRef::OctetString(octets) | ValueRef::Opaque(octets)) = *value else { return None };
    let start = at + 3;
    let end = start + octets.len();
    let place = chunk.get_mut(start..end)?;
    place.copy_from_slice(octets);
    chunk[at..start].copy_from_slice(&[last, tag_of(value), octets.len() as u8]);
    Some(end)
}

/// A value of fixed size: its type, its contents octets counted, and right-aligned.
#[derive(Clone, Copy)]
struct Number {
    tag: u8,
    size: usize,
    octets: u64,
}

impl Number {
    /// `None` for values that are not numbers.
    #[inline]
    fn of(value: &ValueRef<'_>) -> Option<Number> {
        let tag = tag_of(value);
        let (size, octets) = match *value {
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
        };
        Some(Number { tag, size, octets })
    }

    /// Writes the last octet of a name, then the value; returns where it ends. Up to five contents octets go in
    /// one store.
    #[inline]
    fn put_behind(self, chunk: &mut [u8; CHUNK], at: usize, last: u8) -> usize {
        let Number { tag, size, octets } = self;
        let header = u64::from(last) << 56 | u64::from(tag) << 48 | (size as u64) << 40;
        if size <= 5 {
            let tail = header | octets << (40 - 8 * size);
            chunk[at..at + 8].copy_from_slice(&tail.to_be_bytes());
        } else {
            chunk[at..at + 8].copy_from_slice(&header.to_be_bytes());
            // the ninth octet is the zero that the header's store left
            let (from, digits) =
                if size == 9 { (at + 4, octets) } else { (at + 3, octets << (64 - 8 * size)) };
            chunk[from..from + 8].copy_from_slice(&digits.to_be_bytes());
        }
        at + 3 + size
    }
}

/// Room for the longest small binding: a block, the index, and a store of 16 octets; below 128, so that each
/// length is one octet.
const CHUNK: usize = 112;

/// The most sub-identifiers of an index in a small binding: five octets each.
const SMALL_INDEX: usize = 12;

const _: () = assert!(super::template::BLOCK + 5 * SMALL_INDEX + 16 <= CHUNK && CHUNK < 128);

/// The size of a new buffer, in octets: most responses are shorter.
const FIRST_SIZE: usize = 2048;

//! The rows of one record: its tags made once, then copied.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use trunkline_smi::schema::{IndexEncoding, IndexPart};
use trunkline_smi::{IndexRef, ValueRef, index_refs};

use super::packed::{self, Codes, Packer, Prologues};
use super::piece::{Piece, Tags, tag};
use super::slot::{SPARE, Slot};
use super::text::{is_plain, is_plain_token};
use super::{Encoding, Form};
use crate::catalog::{Catalog, Field, Record};

/// How the rows of a record are written in an encoding.
#[derive(Debug)]
pub struct Template {
    encoding: Encoding,
    keys: &'static [IndexPart],
    /// Whether each index object is one sub-identifier.
    has_number_keys: bool,
    /// Whether all tags fit into blocks.
    is_short: bool,
    /// Written once before the rows: the header of `lean`.
    head: Vec<u8>,
    row_open: Tags,
    row_close: Tags,
    /// Of the keys, then of the fields.
    pieces: Vec<Piece>,
    /// Octets that a row has at most, if no value is longer than [`VALUE`].
    room: usize,
    /// For packed answers; made on first use.
    codes: OnceLock<Box<Codes>>,
    prologues: Prologues,
    /// Octets of the last whole answer, with room for another row.
    expected: AtomicUsize,
}

/// Receives the positions where pieces begin.
pub(super) trait Marks {
    fn mark(&mut self, piece: usize, at: usize);
    /// Where the last value ends.
    fn end(&mut self, at: usize);
}

/// Nobody does.
struct NoMarks;

impl Marks for NoMarks {
    #[inline(always)]
    fn mark(&mut self, _: usize, _: usize) {}
    #[inline(always)]
    fn end(&mut self, _: usize) {}
}

/// Longer answers begin with this much room, and grow: their copies are a smaller part of the work, and what is
/// allocated for a request that is answered with an error stays small.
const MOST_EXPECTED: usize = 64 << 10;

/// The room that each value of a row has. Longer values are written after the row's room.
const VALUE: usize = 32;

/// Writes rows, one after the other.
#[derive(Debug)]
pub struct Rows<'t, 'b> {
    template: &'t Template,
    /// With room for the next row after `at`, which is removed at the end.
    into: &'b mut Vec<u8>,
    at: usize,
}

/// The same, and packs them.
#[derive(Debug)]
pub struct PackedRows<'t, 'p, 'b> {
    rows: Rows<'t, 'b>,
    packer: &'p mut Packer<'t>,
}

/// The piece before the next one.
#[derive(Clone, Copy)]
struct Before<'t> {
    /// The element that is still open.
    open: Option<&'t Piece>,
    /// Whether it is the previous one: then the part between the two is one piece.
    follows: bool,
}

impl Template {
    /// For rows of this record. Scalars, which have no row element in `typed`, are a record without keys.
    pub fn new(encoding: Encoding, record: &Record) -> Self {
        let names = record.keys.iter().map(|part| (part.name, part.syntax));
        let names = names.chain(record.fields.iter().map(|field: &Field| (field.name, field.syntax)));
        let mut before = None;
        let pieces: Vec<Piece> = names
            .clone()
            .map(|(name, syntax)| Piece::new(encoding, name, Form::of(&syntax), &mut before))
            .collect();
        let mut head = Vec::new();
        let (mut row_open, mut row_close) = (Vec::new(), Vec::new());
        match encoding {
            Encoding::Lean => {
                head.extend_from_slice(b"<h>");
                for (at, (name, _)) in names.enumerate() {
                    if at > 0 {
                        head.push(b' ');
                    }
                    head.extend_from_slice(name.as_bytes());
                }
                head.extend_from_slice(b"</h>");
                row_open.extend_from_slice(b"<r>");
                row_close.extend_from_slice(b"</r>");
            }
            Encoding::Typed if record.keys.is_empty() => {}
            Encoding::Typed | Encoding::AsInPaper => {
                row_open = tag(b"<", record.element);
                row_close = tag(b"</", record.element);
            }
        }
        let values: usize = pieces.iter().map(|piece| piece.len() + VALUE).sum();
        Template {
            encoding,
            keys: record.keys,
            has_number_keys: record.keys.iter().all(|part| part.encoding == IndexEncoding::Integer),
            is_short: pieces.iter().all(Piece::is_short),
            head,
            room: values + row_open.len() + row_close.len() + SPARE,
            row_open: Tags::new(row_open),
            row_close: Tags::new(row_close),
            pieces,
            codes: OnceLock::new(),
            prologues: Prologues::default(),
            expected: AtomicUsize::default(),
        }
    }

    pub(super) fn codes(&self) -> &Codes {
        self.codes.get_or_init(|| Box::new(packed::codes(self)))
    }

    pub(super) fn prologues(&self) -> &Prologues {
        &self.prologues
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The position of the name in an end tag, and in its start tag, in a row whose pieces begin at these places.
    pub(super) fn names_before(&self, places: &[usize]) -> impl Iterator<Item = (usize, usize)> {
        let pairs = places.iter().zip(places.iter().skip(1)).zip(&self.pieces);
        pairs.map(|((place, next), piece)| {
            let name = piece.close.len().saturating_sub(2);
            (next + 2, (place + piece.joined.len()).saturating_sub(name))
        })
    }

    /// Makes room for as much as the last whole answer had, up to 64 KiB: a buffer that grows copies what is
    /// in it, several times for an answer.
    pub fn expect(&self, into: &mut Vec<u8>) {
        into.reserve_exact(self.expected.load(Relaxed));
    }

    /// Remembers how long this whole answer is.
    pub fn learn(&self, whole: &[u8]) {
        self.expected.store((whole.len() + self.room).min(MOST_EXPECTED), Relaxed);
    }

    /// Appends the part before the rows.
    pub fn begin(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.head);
    }

    /// Appends rows, until the writer is dropped.
    pub fn rows<'t, 'b>(&'t self, into: &'b mut Vec<u8>) -> Rows<'t, 'b> {
        let at = into.len();
        Rows { template: self, into, at }
    }

    /// The same, and packs them. Everything written before is packed with them.
    pub fn packed_rows<'t, 'p, 'b>(
        &'t self,
        into: &'b mut Vec<u8>,
        packer: &'p mut Packer<'t>,
    ) -> PackedRows<'t, 'p, 'b> {
        PackedRows { rows: self.rows(into), packer }
    }

    /// Appends a row: its index and, for each field of the record, the value or nothing.
    pub fn row<'v>(
        &self,
        into: &mut Vec<u8>,
        index: &[u32],
        cells: impl Iterator<Item = Option<ValueRef<'v>>>,
    ) {
        self.rows(into).row(index, cells);
    }

    /// One loop for all encodings: the code that produces the cells is inlined into it, and no cell is moved
    /// through memory, which would cost more than writing it. The most frequent value, a number without a sign,
    /// is written here. There is room for a row after `at`; returns the end of the row.
    #[inline(always)]
    fn write<'v>(
        &self,
        into: &mut Vec<u8>,
        at: usize,
        index: &[u32],
        mut cells: impl Iterator<Item = Option<ValueRef<'v>>>,
        mut marks: impl Marks,
    ) -> usize {
        let mut slot = Slot { room: into, at };
        slot.tags(&self.row_open);
        let mut before = Before { open: None, follows: true };
        let (keys, fields) = self.pieces.split_at(self.keys.len());
        if self.has_number_keys && self.is_short && index.len() == keys.len() {
            for (position, (piece, number)) in keys.iter().zip(index).enumerate() {
                marks.mark(position, slot.at);
                slot.tags_and_number(&piece.joined, *number);
            }
            before.open = keys.last();
        } else {
            let at = slot.at;
            let (end, keys) = self.other_keys(into, at, keys, index);
            (slot, before) = (Slot { room: into, at: end }, keys);
        }
        for (position, piece) in fields.iter().enumerate() {
            marks.mark(keys.len() + position, slot.at);
            let number = match cells.next() {
                Some(Some(ValueRef::Integer(number @ 0..))) if self.is_short => number.unsigned_abs(),
                Some(Some(
                    ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number),
                )) if self.is_short => number,
                Some(Some(other)) => {
                    let at = slot.at;
                    let end = self.other(slot.room, at, before, piece, &other);
                    let end = end.unwrap_or_else(|| self.uncounted(into, at, before, piece, &other));
                    slot = Slot { room: into, at: end };
                    before = Before { open: Some(piece), follows: true };
                    continue;
                }
                Some(None) | None => {
                    self.missing(&mut slot, &mut before, piece);
                    continue;
                }
            };
            if before.follows {
                slot.tags_and_number(&piece.joined, number);
            } else {
                if let Some(open) = before.open {
                    slot.short_tags(&open.close);
                }
                slot.tags_and_number(&piece.open, number);
            }
            before = Before { open: Some(piece), follows: true };
        }
        marks.end(slot.at);
        if let Some(open) = before.open {
            slot.tags(&open.close);
        }
        slot.tags(&self.row_close);
        slot.at
    }

    #[inline(always)]
    fn missing(&self, slot: &mut Slot<'_>, before: &mut Before<'_>, piece: &Piece) {
        if self.encoding == Encoding::Lean {
            slot.tags(&piece.joined);
            slot.octet(b'-');
        } else {
            before.follows = false;
        }
    }

    /// Index objects of any kind, as far as the index has them; the last one's end tag is still to come.
    #[inline(never)]
    fn other_keys<'t>(
        &self,
        into: &mut Vec<u8>,
        mut at: usize,
        keys: &'t [Piece],
        index: &[u32],
    ) -> (usize, Before<'t>) {
        let mut before = Before { open: None, follows: true };
        let mut octets = Vec::new();
        let mut refs = index_refs(self.keys, index);
        for (piece, part) in keys.iter().zip(self.keys) {
            let value = match refs.next() {
                Some(Ok(IndexRef::Integer(number))) => Some(ValueRef::Unsigned32(number)),
                Some(Ok(other)) => other.value(part, &mut octets),
                _ => None,
            };
            match value {
                Some(value) => {
                    let end = self.other(into, at, before, piece, &value);
                    at = end.unwrap_or_else(|| self.uncounted(into, at, before, piece, &value));
                    before = Before { open: Some(piece), follows: true };
                }
                None => {
                    let mut slot = Slot { room: into, at };
                    self.missing(&mut slot, &mut before, piece);
                    at = slot.at;
                }
            }
        }
        (at, before)
    }

    /// Any value with its preceding tags, within the room of the row; returns its end, `None` if it may not fit.
    #[inline(never)]
    fn other(
        &self,
        room: &mut [u8],
        at: usize,
        before: Before<'_>,
        piece: &Piece,
        value: &ValueRef<'_>,
    ) -> Option<usize> {
        let mut slot = Slot { room, at };
        let (close, open) = self.tags_before(before, piece, value);
        if let Some(close) = close {
            slot.tags(close);
        }
        slot.tags(open);
        let encoding = self.encoding;
        match *value {
            ValueRef::Integer(number) => {
                if number < 0 {
                    slot.octet(b'-');
                }
                slot.number(number.unsigned_abs());
            }
            ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
                slot.number(number);
            }
            ValueRef::OctetString(octets) if piece.form == Form::Text && octets.len() <= VALUE => {
                let is_plain =
                    if encoding == Encoding::Lean { is_plain_token(octets) } else { is_plain(octets) };
                if !is_plain {
                    return None;
                }
                slot.octets(octets);
            }
            ValueRef::OctetString([]) | ValueRef::Opaque([]) if piece.form != Form::Text => {
                if encoding == Encoding::Lean {
                    slot.octet(b'%');
                }
            }
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets)
                if piece.form != Form::Text
                    && encoding != Encoding::AsInPaper
                    && octets.len() <= VALUE / 2 =>
            {
                slot.hexadecimal(octets);
            }
            ValueRef::ObjectIdentifier(sub_ids @ ([_] | [_, _])) => {
                slot.numbers(sub_ids, if encoding == Encoding::AsInPaper { b':' } else { b'.' });
            }
            ValueRef::Counter64(number) => slot.long_number(number),
            ValueRef::IpAddress(octets) => slot.numbers(&octets.map(u32::from), b'.'),
            _ => return None,
        }
        Some(slot.at)
    }

    /// The same for a value of any length: makes room for the rest of the row after it.
    #[cold]
    fn uncounted(
        &self,
        into: &mut Vec<u8>,
        at: usize,
        before: Before<'_>,
        piece: &Piece,
        value: &ValueRef<'_>,
    ) -> usize {
        let mut text = Vec::new();
        let (close, open) = self.tags_before(before, piece, value);
        text.extend_from_slice(close.map_or(&[], Tags::octets));
        text.extend_from_slice(open.octets());
        super::write_value(&mut text, self.encoding, piece.form, *value);
        let end = at + text.len();
        // The room that is there is kept: to make it anew is to write zeros into all of it.
        let least = end + (into.len() - at).min(self.room);
        if into.len() < least {
            into.resize(least, 0);
        }
        into[at..end].copy_from_slice(&text);
        end
    }

    /// The part before a value: an end tag, unless it is part of the other.
    #[inline]
    fn tags_before<'t>(
        &self,
        before: Before<'t>,
        piece: &'t Piece,
        value: &ValueRef<'_>,
    ) -> (Option<&'t Tags>, &'t Tags) {
        let close = before.open.map(|open| &open.close);
        match &piece.open_negative {
            Some(open) if matches!(value, ValueRef::Integer(..0)) => (close, open),
            _ if before.follows => (None, &piece.joined),
            _ => (close, &piece.open),
        }
    }
}

impl Rows<'_, '_> {
    /// Appends a row: its index and, for each field of the record, the value or nothing.
    #[inline]
    pub fn row<'v>(&mut self, index: &[u32], cells: impl Iterator<Item = Option<ValueRef<'v>>>) {
        self.write(index, cells, NoMarks);
    }

    #[inline(always)]
    fn write<'v>(
        &mut self,
        index: &[u32],
        cells: impl Iterator<Item = Option<ValueRef<'v>>>,
        marks: impl Marks,
    ) {
        if self.into.len() - self.at < self.template.room {
            self.make_room();
        }
        self.at = self.template.write(self.into, self.at, index, cells, marks);
    }

    /// The length of everything that has been appended, and of what was there before.
    #[inline]
    pub fn end(&self) -> usize {
        self.at
    }

    /// Discards everything after this many octets.
    pub fn back_to(&mut self, end: usize) {
        self.at = self.at.min(end);
    }

    /// For the next row, and for more of them the more there were; but the buffer grows only if the next one needs it.
    #[cold]
    fn make_room(&mut self) {
        let needed = self.at + self.template.room;
        let wanted = needed + self.at / 2;
        let there = self.into.capacity();
        self.into.resize(if needed <= there { wanted.min(there) } else { wanted }, 0);
    }
}

impl PackedRows<'_, '_, '_> {
    /// As [`Rows::row`].
    #[inline]
    pub fn row<'v>(&mut self, index: &[u32], cells: impl Iterator<Item = Option<ValueRef<'v>>>) {
        let places = self.packer.begin_row(self.rows.into);
        self.rows.write(index, cells, places);
    }

    /// As [`Rows::end`].
    #[inline]
    pub fn end(&self) -> usize {
        self.rows.end()
    }

    /// Withdraws the last row, which began at this end.
    pub fn back_to(&mut self, end: usize) {
        self.rows.back_to(end);
        self.packer.take_back();
    }
}

impl Drop for Rows<'_, '_> {
    fn drop(&mut self) {
        self.into.truncate(self.at);
    }
}

/// The templates of whole tables and groups, each made when it is first needed.
#[derive(Debug)]
pub struct Templates {
    tables: Vec<[OnceLock<Template>; 3]>,
    groups: Vec<[OnceLock<Template>; 3]>,
}

impl Templates {
    /// For these tables and groups.
    pub fn new(catalog: &Catalog) -> Self {
        Templates {
            tables: catalog.tables().iter().map(|_| Default::default()).collect(),
            groups: catalog.groups().iter().map(|_| Default::default()).collect(),
        }
    }

    /// Of a table with all of its fields, by its position; the catalog must be that of [`Templates::new`].
    pub fn table(&self, catalog: &Catalog, at: usize, encoding: Encoding) -> &Template {
        self.tables[at][encoding as usize]
            .get_or_init(|| Template::new(encoding, &catalog.tables()[at].record))
    }

    /// Of a group of scalars, by its position.
    pub fn group(&self, catalog: &Catalog, at: usize, encoding: Encoding) -> &Template {
        self.groups[at][encoding as usize]
            .get_or_init(|| Template::new(encoding, &catalog.groups()[at].record))
    }
}

//! The rows of one record: its tags made once, then copied.

use std::sync::OnceLock;

use trunkline_smi::schema::IndexEncoding;
use trunkline_smi::{IndexRef, ValueRef, index_refs};

use super::slot::{BLOCK, Slot, Tags};
use super::text::{is_plain, is_plain_token, write_text, write_token};
use super::{Encoding, Form};
use crate::catalog::{Catalog, Field, Record};
use crate::number::{hex, write_i32, write_oid, write_u32, write_u64};

/// How the rows of a record are written in an encoding.
#[derive(Clone, Debug)]
pub struct Template {
    encoding: Encoding,
    keys: &'static [trunkline_smi::schema::IndexPart],
    /// Whether each index object is one sub-identifier.
    has_number_keys: bool,
    /// Written once before the rows: the header of `lean`.
    head: Vec<u8>,
    row_open: Tags,
    row_close: Tags,
    /// Of the keys, then of the fields.
    pieces: Vec<Piece>,
    /// Octets that a row has at most, if no value is longer than [`VALUE`].
    room: usize,
}

/// One field's tags.
#[derive(Clone, Debug)]
struct Piece {
    form: Form,
    open: Tags,
    /// The end tag of the field before, and `open`.
    joined: Tags,
    close: Tags,
    /// `open` for a negative number, where the type is said.
    open_negative: Option<Tags>,
}

/// The room that each value of a row has. What may be longer is written behind the row's other room.
const VALUE: usize = 32;

impl Template {
    /// For rows of this record. Scalars, which have no row element in `typed`, are a record without keys.
    pub fn new(encoding: Encoding, record: &Record) -> Self {
        let names = record.keys.iter().map(|part| (part.name, part.syntax));
        let names = names.chain(record.fields.iter().map(|field: &Field| (field.name, field.syntax)));
        let mut before = Vec::new();
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
        let (row_open, row_close) = (Tags::new(row_open), Tags::new(row_close));
        let room = pieces.iter().map(Piece::room).sum::<usize>() + row_open.len() + row_close.len() + BLOCK;
        let has_number_keys = record.keys.iter().all(|part| part.encoding == IndexEncoding::Integer);
        Template { encoding, keys: record.keys, has_number_keys, head, row_open, row_close, pieces, room }
    }

    /// Appends what stands before the rows.
    pub fn begin(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.head);
    }

    /// Appends a row: its index and, for each field of the record, the value or nothing.
    #[inline]
    pub fn row<'v>(
        &self,
        into: &mut Vec<u8>,
        index: &[u32],
        cells: impl Iterator<Item = Option<ValueRef<'v>>>,
    ) {
        let mut slot = Slot::new(into, self.room);
        slot.tags(&self.row_open);
        self.fields(&mut slot, index, cells);
        slot.tags(&self.row_close);
        slot.finish();
    }

    /// One loop for all encodings: then what makes the cells is put into it, and no cell is moved through memory,
    /// which would cost more than to write it.
    #[inline(always)]
    fn fields<'v>(
        &self,
        slot: &mut Slot<'_>,
        index: &[u32],
        mut cells: impl Iterator<Item = Option<ValueRef<'v>>>,
    ) {
        let (keys, fields) = self.pieces.split_at(self.keys.len());
        let is_lean = self.encoding == Encoding::Lean;
        // The element that is still open, and whether it is the one before.
        let mut last =
            if is_lean { self.lean_keys(slot, keys, index) } else { self.key_elements(slot, keys, index) };
        let mut follows = last.is_some();
        for piece in fields {
            let cell = cells.next();
            let value = match &cell {
                Some(Some(value)) => value,
                _ if is_lean => {
                    slot.octets(b"- ");
                    continue;
                }
                _ => {
                    follows = false;
                    continue;
                }
            };
            if !is_lean {
                match (&piece.open_negative, value) {
                    (Some(open), ValueRef::Integer(..0)) => {
                        close(slot, last);
                        slot.tags(open);
                    }
                    _ if follows => slot.tags(&piece.joined),
                    _ => {
                        close(slot, last);
                        slot.tags(&piece.open);
                    }
                }
                (last, follows) = (Some(piece), true);
            }
            self.value(slot, piece.form, value);
            if is_lean {
                slot.octet(b' ');
            }
        }
        if is_lean {
            slot.without_blank();
        } else {
            close(slot, last);
        }
    }

    /// Writes the index objects but for the last one's end tag.
    #[inline(always)]
    fn key_elements<'t>(&self, slot: &mut Slot<'_>, keys: &'t [Piece], index: &[u32]) -> Option<&'t Piece> {
        if self.has_number_keys && index.len() == keys.len() {
            for (piece, number) in keys.iter().zip(index) {
                slot.tags(&piece.joined);
                slot.number(*number);
            }
            return keys.last();
        }
        let mut last = None;
        let mut octets = Vec::new();
        for ((piece, part), value) in keys.iter().zip(self.keys).zip(index_refs(self.keys, index)) {
            let Ok(value) = value else { break };
            slot.tags(&piece.joined);
            match value {
                IndexRef::Integer(number) => slot.number(number),
                other => {
                    if let Some(value) = other.value(part, &mut octets) {
                        self.value(slot, piece.form, &value);
                    }
                }
            }
            last = Some(piece);
        }
        last
    }

    /// Writes the index objects, a blank behind each. No element is open then.
    #[inline(always)]
    fn lean_keys<'t>(&self, slot: &mut Slot<'_>, keys: &'t [Piece], index: &[u32]) -> Option<&'t Piece> {
        if self.has_number_keys && index.len() == keys.len() {
            for number in index {
                slot.number(*number);
                slot.octet(b' ');
            }
            return None;
        }
        let mut octets = Vec::new();
        for (value, (piece, part)) in index_refs(self.keys, index).zip(keys.iter().zip(self.keys)) {
            match value.ok().map(|value| (value, value.value(part, &mut octets))) {
                Some((IndexRef::Integer(number), _)) => slot.number(number),
                Some((_, Some(value))) => self.value(slot, piece.form, &value),
                _ => slot.octet(b'-'),
            }
            slot.octet(b' ');
        }
        None
    }

    /// A value: within the room of the row where it surely fits.
    #[inline(always)]
    fn value(&self, slot: &mut Slot<'_>, form: Form, value: &ValueRef<'_>) {
        match value {
            ValueRef::Integer(number) => {
                if *number < 0 {
                    slot.octet(b'-');
                }
                slot.number(number.unsigned_abs());
            }
            ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
                slot.number(*number);
            }
            other => self.other_value(slot, form, other),
        }
    }

    #[inline(never)]
    fn other_value(&self, slot: &mut Slot<'_>, form: Form, value: &ValueRef<'_>) {
        let encoding = self.encoding;
        match *value {
            ValueRef::OctetString(octets) if form == Form::Text && octets.len() <= VALUE => {
                let is_plain =
                    if encoding == Encoding::Lean { is_plain_token(octets) } else { is_plain(octets) };
                if is_plain {
                    return slot.octets(octets);
                }
            }
            ValueRef::OctetString(octets @ [_, ..]) | ValueRef::Opaque(octets @ [_, ..])
                if form != Form::Text && encoding != Encoding::AsInPaper && octets.len() <= VALUE / 2 =>
            {
                return slot.hexadecimal(octets);
            }
            ValueRef::ObjectIdentifier(sub_ids @ ([_] | [_, _])) => {
                return slot.numbers(sub_ids, if encoding == Encoding::AsInPaper { b':' } else { b'.' });
            }
            ValueRef::Counter64(number) => return slot.long_number(number),
            ValueRef::IpAddress(octets) => return slot.numbers(&octets.map(u32::from), b'.'),
            _ => {}
        }
        slot.uncounted(self.room, |into| super::write_value(into, encoding, form, *value));
    }
}

/// Writes the end tag of an element.
#[inline(always)]
fn close(slot: &mut Slot<'_>, element: Option<&Piece>) {
    if let Some(element) = element {
        slot.tags(&element.close);
    }
}

impl Piece {
    /// `before` is the end tag of the piece before, and becomes that of this one.
    fn new(encoding: Encoding, name: &str, form: Form, before: &mut Vec<u8>) -> Self {
        let (open, close) = match encoding {
            Encoding::Lean => (Vec::new(), Vec::new()),
            Encoding::Typed => (tag(b"<", name), tag(b"</", name)),
            Encoding::AsInPaper => (typed_tag(name, paper_type(form)), tag(b"</", name)),
        };
        let says_sign = encoding == Encoding::AsInPaper && form == Form::Int;
        let joined = [before.as_slice(), &open].concat();
        before.clone_from(&close);
        Piece {
            form,
            open: Tags::new(open),
            joined: Tags::new(joined),
            close: Tags::new(close),
            open_negative: says_sign.then(|| Tags::new(typed_tag(name, "int"))),
        }
    }

    /// With a value, or what stands for it, and a blank.
    fn room(&self) -> usize {
        let negative = self.open_negative.as_ref().map_or(0, Tags::len);
        self.open.len().max(negative) + VALUE + 1 + self.close.len()
    }
}

fn typed_tag(name: &str, kind: &str) -> Vec<u8> {
    format!("<{name} xsi:type=\"xsd:{kind}\">").into_bytes()
}

/// The types of figure 10: numbers are unsignedInt, all else is string.
pub(crate) const fn paper_type(form: Form) -> &'static str {
    match form {
        Form::Int | Form::UnsignedInt => "unsignedInt",
        Form::UnsignedLong => "unsignedLong",
        Form::Text | Form::Hex | Form::ObjectIdentifier | Form::IpAddress => "string",
    }
}

fn tag(begin: &[u8], name: &str) -> Vec<u8> {
    [begin, name.as_bytes(), b">"].concat()
}

#[inline]
pub(super) fn typed(into: &mut Vec<u8>, form: Form, value: ValueRef<'_>) {
    match value {
        ValueRef::Integer(number) => write_i32(into, number),
        ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
            write_u32(into, number)
        }
        ValueRef::Counter64(number) => write_u64(into, number),
        ValueRef::OctetString(octets) if form == Form::Text => write_text(into, octets),
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => crate::number::write_hex(into, octets),
        ValueRef::ObjectIdentifier(sub_ids) => write_oid(into, sub_ids, b'.'),
        ValueRef::IpAddress(octets) => write_oid(into, &octets.map(u32::from), b'.'),
    }
}

/// As figure 10 has them: addresses `0|40|63|C9|71|18`, object identifiers `0:0`.
#[inline]
pub(super) fn as_in_paper(into: &mut Vec<u8>, form: Form, value: ValueRef<'_>) {
    match value {
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) if form != Form::Text => {
            for (at, octet) in octets.iter().enumerate() {
                if at > 0 {
                    into.push(b'|');
                }
                let digits = hex(*octet);
                into.extend_from_slice(if *octet < 16 { &digits[1..] } else { &digits });
            }
        }
        ValueRef::ObjectIdentifier(sub_ids) => write_oid(into, sub_ids, b':'),
        other => typed(into, form, other),
    }
}

#[inline]
pub(super) fn lean(into: &mut Vec<u8>, form: Form, value: ValueRef<'_>) {
    match value {
        ValueRef::OctetString(octets) if form == Form::Text => write_token(into, octets),
        ValueRef::OctetString([]) | ValueRef::Opaque([]) | ValueRef::ObjectIdentifier([]) => into.push(b'%'),
        other => typed(into, form, other),
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

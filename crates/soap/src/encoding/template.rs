//! The rows of one record: its tags made once, then copied.

use std::sync::OnceLock;

use trunkline_smi::{IndexRef, ValueRef, index_refs};

use super::text::{write_text, write_token};
use super::{Encoding, Form};
use crate::catalog::{Catalog, Field, Record};
use crate::number::{hex, push_block, write_i32, write_oid, write_u32, write_u64};

/// How the rows of a record are written in an encoding.
#[derive(Clone, Debug)]
pub struct Template {
    encoding: Encoding,
    keys: &'static [trunkline_smi::schema::IndexPart],
    /// Written once before the rows: the header of `lean`.
    head: Vec<u8>,
    row_open: Vec<u8>,
    row_close: Vec<u8>,
    /// Of the keys, then of the fields.
    pieces: Vec<Piece>,
}

/// One field's tags.
#[derive(Clone, Debug)]
struct Piece {
    form: Form,
    open: Vec<u8>,
    /// The end tag of the field before, and `open`.
    joined: Tags,
    close: Vec<u8>,
    /// `open` for a negative number, where the type is said.
    open_negative: Vec<u8>,
}

/// Tags that are copied for each cell: as a block of a length that the compiler knows, where they fit into one.
#[derive(Clone, Debug)]
struct Tags {
    block: [u8; BLOCK],
    len: usize,
    /// Those that do not fit.
    long: Vec<u8>,
}

/// The tags between two columns are mostly shorter.
const BLOCK: usize = 48;

impl Tags {
    fn new(octets: Vec<u8>) -> Self {
        let mut block = [0; BLOCK];
        let len = octets.len();
        match block.get_mut(..len) {
            Some(front) => {
                front.copy_from_slice(&octets);
                Tags { block, len, long: Vec::new() }
            }
            None => Tags { block, len: 0, long: octets },
        }
    }

    #[inline]
    fn push(&self, into: &mut Vec<u8>) {
        if self.long.is_empty() {
            push_block(into, &self.block, self.len);
        } else {
            into.extend_from_slice(&self.long);
        }
    }
}

impl Template {
    /// For rows of this record. Scalars, which have no row element in `typed`, are a record without keys.
    pub fn new(encoding: Encoding, record: &Record) -> Self {
        let names = record.keys.iter().map(|part| (part.name, part.syntax));
        let names = names.chain(record.fields.iter().map(|field: &Field| (field.name, field.syntax)));
        let mut pieces: Vec<Piece> =
            names.clone().map(|(name, syntax)| Piece::new(encoding, name, Form::of(&syntax))).collect();
        for at in 1..pieces.len() {
            let mut joined = pieces[at - 1].close.clone();
            joined.extend_from_slice(&pieces[at].open);
            pieces[at].joined = Tags::new(joined);
        }
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
        Template { encoding, keys: record.keys, head, row_open, row_close, pieces }
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
        into.extend_from_slice(&self.row_open);
        match self.encoding {
            Encoding::Lean => self.lean(into, index, cells),
            Encoding::Typed => self.elements(into, index, cells, typed),
            Encoding::AsInPaper => self.elements(into, index, cells, as_in_paper),
        }
        into.extend_from_slice(&self.row_close);
    }

    #[inline]
    fn elements<'v>(
        &self,
        into: &mut Vec<u8>,
        index: &[u32],
        cells: impl Iterator<Item = Option<ValueRef<'v>>>,
        write: impl Fn(&mut Vec<u8>, Form, ValueRef<'_>),
    ) {
        // The end tag of the element that is still open.
        let mut end: &[u8] = &[];
        let (keys, fields) = self.pieces.split_at(self.keys.len());
        let mut octets = Vec::new();
        for (at, (piece, value)) in keys.iter().zip(index_refs(self.keys, index)).enumerate() {
            let Ok(value) = value else { break };
            into.extend_from_slice(end);
            into.extend_from_slice(&piece.open);
            match value {
                IndexRef::Integer(number) => write_u32(into, number),
                other => {
                    if let Some(value) = other.value(&self.keys[at], &mut octets) {
                        write(into, piece.form, value);
                    }
                }
            }
            end = &piece.close;
        }
        // Whether the element that is still open is the one before.
        let mut follows = !end.is_empty();
        for (piece, cell) in fields.iter().zip(cells) {
            let Some(value) = cell else {
                follows = false;
                continue;
            };
            let is_negative = matches!(value, ValueRef::Integer(..0)) && !piece.open_negative.is_empty();
            if follows && !is_negative {
                piece.joined.push(into);
            } else {
                into.extend_from_slice(end);
                into.extend_from_slice(if is_negative { &piece.open_negative } else { &piece.open });
            }
            write(into, piece.form, value);
            (end, follows) = (&piece.close, true);
        }
        into.extend_from_slice(end);
    }

    #[inline]
    fn lean<'v>(&self, into: &mut Vec<u8>, index: &[u32], cells: impl Iterator<Item = Option<ValueRef<'v>>>) {
        let (keys, fields) = self.pieces.split_at(self.keys.len());
        let mut octets = Vec::new();
        for (at, value) in index_refs(self.keys, index).enumerate() {
            if at > 0 {
                into.push(b' ');
            }
            match value {
                Ok(IndexRef::Integer(number)) => write_u32(into, number),
                Ok(other) => match other.value(&self.keys[at], &mut octets) {
                    Some(value) => lean(into, keys[at].form, value),
                    None => into.push(b'-'),
                },
                Err(_) => into.push(b'-'),
            }
        }
        for (at, (piece, cell)) in fields.iter().zip(cells).enumerate() {
            if at > 0 || !keys.is_empty() {
                into.push(b' ');
            }
            match cell {
                Some(value) => lean(into, piece.form, value),
                None => into.push(b'-'),
            }
        }
    }
}

impl Piece {
    fn new(encoding: Encoding, name: &str, form: Form) -> Self {
        let (mut open, mut close, mut open_negative) = (Vec::new(), Vec::new(), Vec::new());
        match encoding {
            Encoding::Lean => {}
            Encoding::Typed => {
                open = tag(b"<", name);
                close = tag(b"</", name);
            }
            Encoding::AsInPaper => {
                let typed = |kind: &str| format!("<{name} xsi:type=\"xsd:{kind}\">").into_bytes();
                open = typed(paper_type(form));
                if form == Form::Int {
                    open_negative = typed("int");
                }
                close = tag(b"</", name);
            }
        }
        Piece { form, joined: Tags::new(open.clone()), open, close, open_negative }
    }
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

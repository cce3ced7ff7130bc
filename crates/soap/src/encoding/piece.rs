//! One field's place in a row: its tags, made once.

use super::{Encoding, Form};

/// One field's tags. A value is preceded by the previous element's end tag and its own start tag; only if the
/// previous cell is missing are they two pieces.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The end tag of the field before, and `open`; in `lean` the blank between two values.
    pub joined: Tags,
    pub open: Tags,
    pub close: Tags,
    pub form: Form,
    /// `open` for a negative number, if the type is written.
    pub open_negative: Option<Box<Tags>>,
}

/// Tags that are copied for each cell: as a block of a length that the compiler knows, if they fit into one.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    block: [u8; BLOCK],
    len: usize,
    /// Those that do not fit.
    long: Vec<u8>,
}

/// The tags between two columns are mostly shorter.
pub(super) const BLOCK: usize = 64;

impl Tags {
    pub fn new(octets: Vec<u8>) -> Self {
        let mut block = [0; BLOCK];
        let len = octets.len();
        if len >= BLOCK {
            return Tags { block, len, long: octets };
        }
        block[..len].copy_from_slice(&octets);
        Tags { block, len, long: Vec::new() }
    }

    /// Whether the block has them; then they are shorter than it.
    pub fn is_short(&self) -> bool {
        self.len < BLOCK
    }

    #[inline(always)]
    pub fn block(&self) -> &[u8; BLOCK] {
        &self.block
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn octets(&self) -> &[u8] {
        self.block.get(..self.len).filter(|_| self.is_short()).unwrap_or(&self.long)
    }
}

impl Piece {
    /// `before` is the end tag of the piece before, or nothing; it becomes that of this one.
    pub fn new(encoding: Encoding, name: &str, form: Form, before: &mut Option<Vec<u8>>) -> Self {
        let (open, close) = match encoding {
            Encoding::Lean => (Vec::new(), Vec::new()),
            Encoding::Typed => (tag(b"<", name), tag(b"</", name)),
            Encoding::AsInPaper => (typed_tag(name, paper_type(form)), tag(b"</", name)),
        };
        let says_sign = encoding == Encoding::AsInPaper && form == Form::Int;
        let joined = match before.replace(close.clone()) {
            Some(_) if encoding == Encoding::Lean => b" ".to_vec(),
            Some(before) => [before.as_slice(), &open].concat(),
            None => open.clone(),
        };
        Piece {
            joined: Tags::new(joined),
            open: Tags::new(open),
            close: Tags::new(close),
            form,
            open_negative: says_sign.then(|| Box::new(Tags::new(typed_tag(name, "int")))),
        }
    }

    /// Whether everything before a number of this field fits into blocks.
    pub fn is_short(&self) -> bool {
        [&self.joined, &self.open, &self.close].iter().all(|tags| tags.is_short())
    }

    /// The octets of the tags in a row, at most.
    pub fn len(&self) -> usize {
        let negative = self.open_negative.as_ref().map_or(0, |tags| tags.len());
        // In `lean` only `joined` has any.
        self.joined.len().max(self.open.len().max(negative) + self.close.len())
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

pub(super) fn tag(begin: &[u8], name: &str) -> Vec<u8> {
    [begin, name.as_bytes(), b">"].concat()
}

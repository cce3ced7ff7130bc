//! The writer: markup appended to a buffer, without other state.

use std::fmt;

use crate::character::{NotText, as_text, is_forbidden_at};

/// Appends a document, or a part of one, to a buffer. Names are written as given, since they are the program's
/// own. Text and values are escaped.
pub struct Writer<'b> {
    buffer: &'b mut Vec<u8>,
    /// A start tag whose `>` is not written yet.
    in_tag: bool,
}

impl<'b> Writer<'b> {
    /// A writer to the end of this buffer.
    pub fn new(buffer: &'b mut Vec<u8>) -> Self {
        Self { buffer, in_tag: false }
    }

    /// The XML declaration, if one is wanted, first of all.
    pub fn declaration(&mut self) -> &mut Self {
        self.raw(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    }

    /// A start tag; attributes may follow.
    pub fn start(&mut self, name: &str) -> &mut Self {
        self.close_tag();
        self.buffer.push(b'<');
        self.buffer.extend_from_slice(name.as_bytes());
        self.in_tag = true;
        self
    }

    /// An attribute of the start tag just written. Characters that XML cannot represent are written as U+FFFD:
    /// see [`as_text`].
    pub fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        self.attribute_raw(name, |buffer| escape(buffer, value.as_bytes(), &VALUE))
    }

    /// An attribute whose printed value needs no escaping.
    pub fn attribute_plain(&mut self, name: &str, value: impl fmt::Display) -> &mut Self {
        self.attribute_raw(name, |buffer| print(buffer, value))
    }

    fn attribute_raw(&mut self, name: &str, value: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        debug_assert!(self.in_tag, "an attribute belongs to a start tag");
        self.buffer.push(b' ');
        self.buffer.extend_from_slice(name.as_bytes());
        self.buffer.extend_from_slice(b"=\"");
        value(self.buffer);
        self.buffer.push(b'"');
        self
    }

    /// Text. Characters that XML cannot represent are written as U+FFFD: see [`Self::octets`].
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.close_tag();
        escape(self.buffer, text.as_bytes(), &TEXT);
        self
    }

    /// Octets as text, if XML preserves them octet by octet; otherwise nothing is written.
    ///
    /// # Errors
    ///
    /// The position of the first octet that is not text.
    pub fn octets(&mut self, octets: &[u8]) -> Result<&mut Self, NotText> {
        as_text(octets).map(|text| self.text(text))
    }

    /// Something printed that needs no escaping: numbers, dotted names.
    pub fn plain(&mut self, value: impl fmt::Display) -> &mut Self {
        self.close_tag();
        print(self.buffer, value);
        self
    }

    /// A number as text.
    pub fn unsigned(&mut self, mut value: u64) -> &mut Self {
        self.close_tag();
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.buffer.extend_from_slice(&digits[at..]);
        self
    }

    /// A number as text.
    pub fn signed(&mut self, value: i64) -> &mut Self {
        if value < 0 {
            self.raw(b"-");
        }
        self.unsigned(value.unsigned_abs())
    }

    /// Octets as hexadecimal digits.
    pub fn hexadecimal(&mut self, octets: &[u8]) -> &mut Self {
        self.close_tag();
        let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 };
        self.buffer.extend(octets.iter().flat_map(|octet| [digit(octet >> 4), digit(octet & 15)]));
        self
    }

    /// An end tag; a start tag without content becomes an empty element.
    pub fn end(&mut self, name: &str) -> &mut Self {
        if self.in_tag {
            self.in_tag = false;
            self.buffer.extend_from_slice(b"/>");
            return self;
        }
        self.buffer.extend_from_slice(b"</");
        self.buffer.extend_from_slice(name.as_bytes());
        self.buffer.push(b'>');
        self
    }

    /// An element with text.
    pub fn leaf(&mut self, name: &str, text: &str) -> &mut Self {
        self.start(name).text(text).end(name)
    }

    /// A piece of markup, or text that is already escaped.
    pub fn raw(&mut self, piece: &[u8]) -> &mut Self {
        self.close_tag();
        self.buffer.extend_from_slice(piece);
        self
    }

    /// The buffer, for callers that write markup into it directly.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.close_tag();
        self.buffer
    }

    /// How many octets are in the buffer.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether the buffer is empty.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    fn close_tag(&mut self) {
        if self.in_tag {
            self.in_tag = false;
            self.buffer.push(b'>');
        }
    }
}

fn print(buffer: &mut Vec<u8>, value: impl fmt::Display) {
    use std::io::Write;
    // writing to a Vec<u8> cannot fail
    let _ = write!(buffer, "{value}");
}

/// Appends UTF-8, with what `special` marks escaped.
fn escape(buffer: &mut Vec<u8>, utf8: &[u8], special: &[bool; 256]) {
    let mut from = 0;
    let mut at = 0;
    while at < utf8.len() {
        let octet = utf8[at];
        if !special[usize::from(octet)] {
            at += 1;
            continue;
        }
        let (length, replacement): (usize, &[u8]) = match octet {
            b'&' => (1, b"&amp;"),
            b'<' => (1, b"&lt;"),
            b'>' => (1, b"&gt;"),
            b'"' => (1, b"&quot;"),
            b'\t' => (1, b"&#9;"),
            b'\n' => (1, b"&#10;"),
            b'\r' => (1, b"&#13;"),
            0xef if !is_forbidden_at(utf8, at) => {
                at += 3;
                continue;
            }
            0xef => (3, REPLACEMENT),
            _ => (1, REPLACEMENT),
        };
        buffer.extend_from_slice(&utf8[from..at]);
        buffer.extend_from_slice(replacement);
        at += length;
        from = at;
    }
    buffer.extend_from_slice(&utf8[from.min(utf8.len())..]);
}

const fn specials(others: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < 0x20 {
        table[at] = true;
        at += 1;
    }
    table[b'\t' as usize] = false;
    table[b'\n' as usize] = false;
    // U+FFFE and U+FFFF begin with it
    table[0xef] = true;
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
}

/// What is escaped in text; `>` because of `]]>`.
static TEXT: [bool; 256] = specials(b"&<>\r");

/// What is escaped in an attribute's value.
static VALUE: [bool; 256] = specials(b"&<>\"\t\n\r");

/// U+FFFD.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

#[cfg(test)]
mod tests;

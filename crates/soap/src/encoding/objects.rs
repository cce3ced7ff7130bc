//! Single objects: the answers to `Get` and `GetNext`.

use trunkline_smi::Exception;
use trunkline_smi::schema::Syntax;
use trunkline_smi::{ValueKind, ValueRef};

use super::piece::paper_type;
use super::text::write_text;
use super::value::{as_in_paper, lean, typed};
use super::{Encoding, Form};
use crate::catalog::Catalog;
use crate::number::write_oid;

/// Writes objects one after the other.
///
/// - `typed`: `<object><name>IF-MIB::ifMtu.1</name><oid>1.3..</oid><integer>1500</integer></object>`; octets are
///   `text` if the display hint says so and otherwise `octets`, in hexadecimal; `missing` says why there is no
///   value.
/// - `as-in-paper`: `<ifMtu xsi:type="xsd:unsignedInt">1500</ifMtu>`.
/// - `lean`: `<o>1.3.6.1.2.1.2.2.1.4.1 i 1500</o>`.
pub struct ObjectWriter<'c> {
    catalog: &'c Catalog,
    encoding: Encoding,
}

/// The name and the syntax of an object, if there is a schema for it.
struct Known {
    name: &'static str,
    syntax: Syntax,
}

impl<'c> ObjectWriter<'c> {
    /// A writer in this encoding.
    pub fn new(catalog: &'c Catalog, encoding: Encoding) -> Self {
        ObjectWriter { catalog, encoding }
    }

    /// Appends an instance with its value.
    pub fn value(&self, into: &mut Vec<u8>, oid: &[u32], value: ValueRef<'_>) {
        let known = self.known(oid).filter(|known| known.syntax.kind == value.kind());
        let form = known.as_ref().map_or_else(|| plain_form(value.kind()), |known| Form::of(&known.syntax));
        match self.encoding {
            Encoding::Typed => {
                self.names(into, oid);
                let element = element(value.kind(), form);
                element_of(into, element, |into| typed(into, form, value));
                into.extend_from_slice(b"</object>");
            }
            Encoding::AsInPaper => {
                let is_negative = matches!(value, ValueRef::Integer(number) if number < 0);
                let name = known.map_or("object", |known| known.name);
                let kind = if is_negative { "int" } else { paper_type(form) };
                open_as_in_paper(into, name, kind);
                as_in_paper(into, form, value);
                close(into, name);
            }
            Encoding::Lean => {
                into.extend_from_slice(b"<o>");
                write_oid(into, oid, b'.');
                into.extend_from_slice(&[b' ', letter(value.kind(), form), b' ']);
                lean(into, form, value);
                into.extend_from_slice(b"</o>");
            }
        }
    }

    /// Appends a name that has no value.
    pub fn missing(&self, into: &mut Vec<u8>, oid: &[u32], missing: Exception) {
        match self.encoding {
            Encoding::Typed => {
                self.names(into, oid);
                element_of(into, "missing", |into| into.extend_from_slice(missing.name().as_bytes()));
                into.extend_from_slice(b"</object>");
            }
            Encoding::AsInPaper => {
                open_as_in_paper(into, "missing", "string");
                into.extend_from_slice(missing.name().as_bytes());
                close(into, "missing");
            }
            Encoding::Lean => {
                into.extend_from_slice(b"<o>");
                write_oid(into, oid, b'.');
                into.extend_from_slice(b" - ");
                into.extend_from_slice(missing.name().as_bytes());
                into.extend_from_slice(b"</o>");
            }
        }
    }

    fn known(&self, oid: &[u32]) -> Option<Known> {
        self.catalog.object_of(oid).map(|(_, name, syntax, _)| Known { name, syntax })
    }

    fn names(&self, into: &mut Vec<u8>, oid: &[u32]) {
        into.extend_from_slice(b"<object><name>");
        self.catalog.write_name(oid, into);
        into.extend_from_slice(b"</name><oid>");
        write_oid(into, oid, b'.');
        into.extend_from_slice(b"</oid>");
    }
}

/// The element of `typed` that holds a value: its name is the type.
pub(crate) const fn element(kind: ValueKind, form: Form) -> &'static str {
    match kind {
        ValueKind::Integer => "integer",
        ValueKind::OctetString => match form {
            Form::Text => "text",
            _ => "octets",
        },
        ValueKind::ObjectIdentifier => "objectIdentifier",
        ValueKind::IpAddress => "ipAddress",
        ValueKind::Counter32 => "counter32",
        ValueKind::Unsigned32 => "unsigned32",
        ValueKind::TimeTicks => "timeTicks",
        ValueKind::Opaque => "opaque",
        ValueKind::Counter64 => "counter64",
    }
}

/// The type for an element's name, and whether octets are text.
pub(crate) fn kind_of_element(element: &str) -> Option<Syntax> {
    KINDS.iter().find(|(known, _, _)| *known == element).map(|(_, _, syntax)| *syntax)
}

/// The type for a letter of `lean`.
pub(crate) fn kind_of_letter(letter: &str) -> Option<Syntax> {
    let [letter] = letter.as_bytes() else { return None };
    KINDS.iter().find(|(_, known, _)| known == letter).map(|(_, _, syntax)| *syntax)
}

/// The elements of `typed`, the letters of `lean`, and their syntaxes.
pub(crate) const KINDS: &[(&str, u8, Syntax)] = &[
    ("integer", b'i', Syntax::INTEGER32),
    ("text", b's', Syntax::OCTET_STRING.named("", "255t")),
    ("octets", b'x', Syntax::OCTET_STRING),
    ("objectIdentifier", b'o', Syntax::OBJECT_IDENTIFIER),
    ("ipAddress", b'a', Syntax::IP_ADDRESS),
    ("counter32", b'c', Syntax::COUNTER32),
    ("unsigned32", b'u', Syntax::UNSIGNED32),
    ("timeTicks", b't', Syntax::TIME_TICKS),
    ("opaque", b'q', Syntax::OPAQUE),
    ("counter64", b'C', Syntax::COUNTER64),
];

fn letter(kind: ValueKind, form: Form) -> u8 {
    let element = element(kind, form);
    KINDS.iter().find(|(known, _, _)| *known == element).map_or(b'x', |(_, letter, _)| *letter)
}

/// The form of a value without a schema.
fn plain_form(kind: ValueKind) -> Form {
    Form::of(&Syntax { kind, ..Syntax::OCTET_STRING })
}

fn element_of(into: &mut Vec<u8>, name: &str, content: impl FnOnce(&mut Vec<u8>)) {
    into.push(b'<');
    into.extend_from_slice(name.as_bytes());
    into.push(b'>');
    content(into);
    close(into, name);
}

fn open_as_in_paper(into: &mut Vec<u8>, name: &str, kind: &str) {
    into.push(b'<');
    into.extend_from_slice(name.as_bytes());
    into.extend_from_slice(b" xsi:type=\"xsd:");
    into.extend_from_slice(kind.as_bytes());
    into.extend_from_slice(b"\">");
}

fn close(into: &mut Vec<u8>, name: &str) {
    into.extend_from_slice(b"</");
    into.extend_from_slice(name.as_bytes());
    into.push(b'>');
}

/// Appends a text with markup characters escaped.
pub(crate) fn escape(into: &mut Vec<u8>, text: &str) {
    write_text(into, text.as_bytes());
}

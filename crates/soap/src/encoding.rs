//! Answers, in three encodings, each in one pass from the rows into the output buffer.
//!
//! A [`Template`] holds the tags of a record, made once; then a cell is a tag copied and a number written, and
//! nothing is allocated.

mod form;
mod objects;
mod packed;
mod piece;
mod slot;
mod template;
mod text;
mod value;

use trunkline_smi::ValueRef;

use crate::envelope::{self, Version};
use crate::namespace;

pub use form::Form;
pub use objects::ObjectWriter;
pub(crate) use objects::{element, escape, kind_of_element, kind_of_letter};
pub use packed::{Frame, Packer};
pub(crate) use piece::paper_type;
pub use template::{PackedRows, Rows, Template, Templates};
pub(crate) use text::{read_escaped, read_token};

/// How an answer is written; the namespace of the request's operation selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Document/literal wrapped, qualified elements, each with its type in the schema.
    Typed,
    /// RPC/encoded with `xsi:type`, as in figures 8 to 10 of Pras 2005.
    AsInPaper,
    /// Rows by position after one header.
    Lean,
}

impl Encoding {
    /// Every one.
    pub const ALL: [Encoding; 3] = [Encoding::Typed, Encoding::AsInPaper, Encoding::Lean];

    /// As it is called in messages and options.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Typed => "typed",
            Encoding::AsInPaper => "as-in-paper",
            Encoding::Lean => "lean",
        }
    }

    /// The path after the service's that has its WSDL: `/soap/lean?wsdl`. Requests may go to any of the paths.
    pub const fn path(self) -> &'static str {
        match self {
            Encoding::Typed => "",
            Encoding::AsInPaper => "/paper",
            Encoding::Lean => "/lean",
        }
    }

    /// The encoding that a namespace of operations selects.
    pub fn of_namespace(found: &str) -> Option<Self> {
        match found {
            namespace::PAPER => Some(Encoding::AsInPaper),
            namespace::LEAN => Some(Encoding::Lean),
            namespace::GENERIC => Some(Encoding::Typed),
            _ => found.starts_with(namespace::MODULE_PREFIX).then_some(Encoding::Typed),
        }
    }
}

/// Appends the beginning of an answer: the envelope, and the element `NAMEResponse` where the encoding has one.
pub fn begin(into: &mut Vec<u8>, version: Version, encoding: Encoding, namespace: &str, operation: &str) {
    if encoding == Encoding::AsInPaper {
        return begin_as_in_paper(into, version);
    }
    envelope::begin(into, version, "");
    into.push(b'<');
    into.extend_from_slice(operation.as_bytes());
    into.extend_from_slice(b"Response xmlns=\"");
    into.extend_from_slice(namespace.as_bytes());
    into.extend_from_slice(b"\">");
}

/// Appends the end of an answer.
pub fn end(into: &mut Vec<u8>, encoding: Encoding, operation: &str) {
    if encoding != Encoding::AsInPaper {
        into.extend_from_slice(b"</");
        into.extend_from_slice(operation.as_bytes());
        into.extend_from_slice(b"Response>");
    }
    envelope::end(into);
}

/// Appends a value as the encoding has it.
pub(crate) fn write_value(into: &mut Vec<u8>, encoding: Encoding, form: Form, value: ValueRef<'_>) {
    match encoding {
        Encoding::Typed => value::typed(into, form, value),
        Encoding::AsInPaper => value::as_in_paper(into, form, value),
        Encoding::Lean => value::lean(into, form, value),
    }
}

/// Figure 9.
pub(crate) fn begin_as_in_paper(into: &mut Vec<u8>, version: Version) {
    into.extend_from_slice(envelope::DECLARATION);
    into.extend_from_slice(b"<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"");
    into.extend_from_slice(version.namespace().as_bytes());
    into.extend_from_slice(PAPER_NAMESPACES);
    into.extend_from_slice(b"><SOAP-ENV:Body");
    if version == Version::V1_1 {
        // SOAP 1.2 part 1 section 5.1.1 allows it no longer there.
        into.extend_from_slice(PAPER_BODY);
    }
    into.push(b'>');
}

/// Of figures 8 and 9.
pub(crate) const PAPER_NAMESPACES: &[u8] =
    b"\" xmlns:SOAP-ENC=\"http://schemas.xmlsoap.org/soap/encoding/\" \
    xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\" \
    xmlns:utMon=\"urn:UTMON\"";
pub(crate) const PAPER_BODY: &[u8] =
    b" SOAP-ENV:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\" id=\"_0\"";

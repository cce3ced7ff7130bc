//! Elements of objects, and lines of markup.

use trunkline_smi::schema::Syntax;

use crate::catalog::Field;
use crate::encoding::{Form, escape};
use crate::envelope;

/// A document in progress.
#[derive(Debug, Default)]
pub(crate) struct Markup(Vec<u8>);

impl Markup {
    pub fn document() -> Self {
        Markup(envelope::DECLARATION.to_vec())
    }

    /// Markup as it is.
    pub fn line(&mut self, markup: &str) {
        self.raw(markup.as_bytes());
    }

    pub fn raw(&mut self, markup: &[u8]) {
        self.0.extend_from_slice(markup);
        self.0.push(b'\n');
    }

    /// An element with documentation.
    pub fn documented(&mut self, open: &str, words: &str, close: &str) {
        self.0.extend_from_slice(open.as_bytes());
        self.0.extend_from_slice(b"<xs:annotation><xs:documentation>");
        escape(&mut self.0, words);
        self.0.extend_from_slice(b"</xs:documentation></xs:annotation>");
        self.line(close);
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// An object of a record, with what its values mean.
pub(super) fn field(out: &mut Markup, of: &Field, is_optional: bool) {
    let occurs = if is_optional { " minOccurs=\"0\"" } else { "" };
    object(out, of.name, &of.syntax, of.units, occurs);
}

/// An object in `typed` and `lean`.
pub(super) fn object(out: &mut Markup, name: &str, syntax: &Syntax, units: &str, occurs: &str) {
    let base = match Form::of(syntax) {
        Form::Int => "xs:int",
        Form::UnsignedInt => "xs:unsignedInt",
        Form::UnsignedLong => "xs:unsignedLong",
        Form::Text | Form::ObjectIdentifier | Form::IpAddress => "xs:string",
        Form::Hex => "xs:hexBinary",
    };
    let open = format!("<xs:element name=\"{name}\" type=\"{base}\"{occurs}>");
    out.documented(&open, &meaning(syntax, units), "</xs:element>");
}

/// An object in `as-in-paper`: of a type that all types that `xsi:type` may say are derived from.
pub(super) fn paper_field(out: &mut Markup, name: &str, syntax: &Syntax, occurs: &str) {
    let base = match Form::of(syntax) {
        Form::Int => "xs:integer",
        Form::UnsignedInt => "xs:unsignedInt",
        Form::UnsignedLong => "xs:unsignedLong",
        _ => "xs:string",
    };
    out.line(&format!("<xs:element name=\"{name}\" type=\"{base}\"{occurs}/>"));
}

/// An object's syntax in SMI: `InterfaceIndex`, `octets`, `up(1), down(2)`.
fn meaning(syntax: &Syntax, units: &str) -> String {
    let kind = if syntax.bits { "BITS" } else { syntax.kind.name() };
    let mut words = if syntax.convention.is_empty() { kind.to_owned() } else { syntax.convention.to_owned() };
    if !units.is_empty() {
        words.push_str(", ");
        words.push_str(units);
    }
    for (at, (number, name)) in syntax.names.iter().take(MOST_NAMES).enumerate() {
        words.push_str(if at == 0 { ": " } else { ", " });
        words.push_str(&format!("{name}({number})"));
    }
    if syntax.names.len() > MOST_NAMES {
        words.push_str(", ...");
    }
    words
}

/// Of longer enumerations no more names are listed.
const MOST_NAMES: usize = 24;

//! What is wrong with a document, and where.

use std::fmt;

use thiserror::Error;

/// A place in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The octet in the document, from 0.
    pub offset: usize,
}

impl Position {
    /// The place of this octet.
    pub(crate) fn of(octets: &[u8], offset: usize) -> Self {
        let before = &octets[..offset.min(octets.len())];
        let before_text = before.strip_prefix(b"\xef\xbb\xbf").unwrap_or(before);
        let line_start = before_text.iter().rposition(|&octet| octet == b'\n').map_or(0, |at| at + 1);
        let line = before_text.iter().filter(|&&octet| octet == b'\n').count() + 1;
        // each character has one octet that continues no other
        let characters = before_text[line_start..].iter().filter(|&&octet| octet & 0xc0 != 0x80).count();
        Self { line, column: characters + 1, offset }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// Why a document was not read further.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{position}: {kind}")]
pub struct XmlError {
    /// Where.
    pub position: Position,
    /// What.
    pub kind: XmlErrorKind,
}

/// Which of [`crate::Limits`] was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Octets of the document.
    Octets,
    /// Elements of the document, where all of it is kept.
    Elements,
    /// Nested elements.
    Depth,
    /// Attributes of one element.
    Attributes,
    /// Octets of a name.
    Name,
    /// Octets of a text or of an attribute's value.
    Text,
    /// Namespaces in scope.
    Namespaces,
}

impl fmt::Display for LimitKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Octets => "octets in the document",
            Self::Elements => "elements in the document",
            Self::Depth => "nested elements",
            Self::Attributes => "attributes on one element",
            Self::Name => "octets in a name",
            Self::Text => "octets in one text or value",
            Self::Namespaces => "namespaces in scope",
        })
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum XmlErrorKind {
    /// One of [`crate::Limits`].
    #[error("more than {limit} {what}, which is the limit")]
    Limit {
        /// Which.
        what: LimitKind,
        /// How many there may be.
        limit: usize,
    },
    /// Not UTF-8.
    #[error("not UTF-8, which is the only supported encoding")]
    NotUtf8,
    /// It is in another encoding, by its declaration or its first octets.
    #[error("the document is in {found}: only UTF-8 is supported")]
    Encoding {
        /// The name of the encoding.
        found: String,
    },
    /// A version of XML after 1.0, or a missing version.
    #[error("the XML declaration must have version=\"1.0\"")]
    Version,
    /// An XML declaration that is not the first thing.
    #[error("an XML declaration is only allowed at the very beginning")]
    LateDeclaration,
    /// A document type declaration, which could define entities.
    #[error("a document type declaration is not accepted; remove <!DOCTYPE")]
    DocumentType,
    /// A character that XML 1.0 does not allow.
    #[error("a character that is not allowed in XML (U+{code:04X})")]
    Character {
        /// Its number.
        code: u32,
    },
    /// The document ended inside something.
    #[error("the document ends within {within}")]
    Truncated {
        /// In what.
        within: &'static str,
    },
    /// Invalid markup.
    #[error("{problem}")]
    Syntax {
        /// The rule that was broken.
        problem: &'static str,
    },
    /// An end tag for another element.
    #[error("found </{found}>, expected </{expected}>")]
    EndTag {
        /// The element that is open.
        expected: String,
        /// What was ended.
        found: String,
    },
    /// Something that must be a name is not one.
    #[error("\"{found}\" is not a name")]
    InvalidName {
        /// What was found.
        found: String,
    },
    /// A prefix that was not declared.
    #[error("the prefix {prefix} is not declared: xmlns:{prefix} is missing")]
    Prefix {
        /// The prefix.
        prefix: String,
    },
    /// A forbidden namespace declaration.
    #[error("{problem}")]
    Declaration {
        /// The rule that was broken.
        problem: &'static str,
    },
    /// A duplicate attribute.
    #[error("duplicate attribute {name}")]
    Duplicate {
        /// Its local name.
        name: String,
    },
    /// An entity that is not one of the five, or an invalid character reference.
    #[error("unknown reference &{found};, expected &lt; &gt; &amp; &apos; &quot; or a character")]
    Reference {
        /// The text between the ampersand and the semicolon.
        found: String,
    },
    /// Something before the first or after the last tag.
    #[error("only comments are allowed outside the root element")]
    OutsideRoot,
    /// No element at all.
    #[error("the document has no root element")]
    Empty,
    /// Another element, or text, or an end where this was expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// An element has the right name in the wrong namespace.
    #[error("{local} must be in the namespace {expected}, found {}", or_none(found))]
    Namespace {
        /// The element's local name.
        local: String,
        /// The namespace that it must be in.
        expected: String,
        /// The namespace it is in.
        found: String,
    },
    /// A value that is not of its type.
    #[error("expected {expected}, found \"{found}\"")]
    Invalid {
        /// What was expected.
        expected: String,
        /// The beginning of what was found.
        found: String,
    },
}

fn or_none(namespace: &str) -> &str {
    if namespace.is_empty() { "none" } else { namespace }
}

/// The beginning of a stranger's input, short enough for an error message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut characters = text.chars();
    let mut words = String::new();
    for character in characters.by_ref().take(EXCERPT) {
        match character {
            '\'' | '"' => words.push(character),
            _ => words.extend(character.escape_debug()),
        }
    }
    if characters.next().is_some() {
        words.push('…');
    }
    words
}

/// How many characters of it.
const EXCERPT: usize = 60;

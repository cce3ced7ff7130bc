//! The reader: events of one document, with namespaces resolved and all limits enforced.
//!
//! `quick-xml` finds where markup begins and ends and checks that tags match. Where it is lenient, this reader
//! checks: names, attributes, references, characters, what is allowed where, and that there is one root element.

mod decode;
mod markup;
mod namespaces;
mod text;

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::errors::{Error as MarkupError, IllFormedError, SyntaxError};
use quick_xml::events::Event as Markup;

use crate::character::first_forbidden;
use crate::error::{LimitKind, Position, XmlError, XmlErrorKind, excerpt};
use crate::{Limits, Name};
use namespaces::Namespaces;

/// The parts of a document. Comments and processing instructions are omitted, and the text around them is joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'i> {
    /// A start tag; its attributes are with the [`Reader`]. An empty element is a start and an end.
    Start(Name<'i>),
    /// An end tag.
    End(Name<'i>),
    /// Text between two tags, with references resolved and line ends normalised; never empty.
    Text(Cow<'i, str>),
    /// Nothing more.
    Eof,
}

/// An attribute that declares no namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute<'i> {
    /// Its name; one without a prefix is in no namespace.
    pub name: Name<'i>,
    /// Its value, normalised.
    pub value: Cow<'i, str>,
}

/// Reads one document. After an error it keeps returning the same error.
pub struct Reader<'i> {
    octets: &'i [u8],
    input: &'i str,
    /// Octets of a byte order mark before `input`.
    mark: usize,
    limits: Limits,
    tokens: quick_xml::Reader<&'i [u8]>,
    held: Option<(Token, Range<usize>)>,
    open: Vec<Name<'i>>,
    namespaces: Namespaces<'i>,
    attributes: Vec<Attribute<'i>>,
    /// From which depth on which attributes are allowed; `None`: any.
    known_attributes: Option<(usize, &'static [&'static str])>,
    had_root: bool,
    /// Where the last event begins, in `input`.
    at: usize,
    /// The start tag that was read last, in `input`: what stands between its angle brackets.
    tag: Range<usize>,
    failed: Option<XmlError>,
}

impl<'i> Reader<'i> {
    /// A reader of these octets. Errors that concern them as a whole are returned by the first [`Reader::next`].
    pub fn new(octets: &'i [u8], limits: Limits) -> Self {
        let (input, mark, failed) = match text_of(octets, &limits) {
            Ok((input, mark)) => (input, mark, None),
            Err(error) => ("", 0, Some(error)),
        };
        let mut tokens = quick_xml::Reader::from_reader(input.as_bytes());
        let config = tokens.config_mut();
        config.expand_empty_elements = true;
        config.check_comments = true;
        Self {
            octets,
            input,
            mark,
            limits,
            tokens,
            held: None,
            open: Vec::with_capacity(8),
            namespaces: Namespaces::new(),
            attributes: Vec::new(),
            known_attributes: None,
            had_root: false,
            at: 0,
            tag: 0..0,
            failed,
        }
    }

    /// The next event.
    ///
    /// # Errors
    ///
    /// What makes it no document, or more of one than [`Limits`] allow.
    #[allow(clippy::should_implement_trait, reason = "an end is an event, and an error alone ends nothing")]
    pub fn next(&mut self) -> Result<Event<'i>, XmlError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let event = self.event();
        self.failed = event.as_ref().err().cloned();
        event
    }

    /// Where the last event begins.
    pub fn position(&self) -> Position {
        Position::of(self.octets, self.mark + self.at)
    }

    /// How many elements are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The attributes of the start tag that was read last.
    pub fn attributes(&self) -> &[Attribute<'i>] {
        &self.attributes
    }

    /// The start tag that was read last, as its sender wrote it, without the angle brackets: the name with its prefix, and the
    /// attributes with those that declare namespaces.
    pub fn tag(&self) -> &'i str {
        &self.input[self.tag.clone()]
    }

    /// The namespaces that are declared where the last event is, as prefix and name, outer ones first: of two with the same prefix
    /// the later one counts.
    pub fn scope(&self) -> impl Iterator<Item = (&'i str, &'i str)> {
        self.namespaces.all()
    }

    fn event(&mut self) -> Result<Event<'i>, XmlError> {
        let mut text: Option<(usize, Cow<'i, str>)> = None;
        loop {
            let (token, range) = self.token()?;
            match token {
                Token::Start | Token::End | Token::Eof => {
                    if let Some((at, text)) = text.filter(|(_, text)| !text.is_empty()) {
                        self.held = Some((token, range));
                        self.at = at;
                        return Ok(Event::Text(text));
                    }
                    return self.tag_event(token, range);
                }
                Token::Aside => {}
                Token::Declaration => self.declaration(range)?,
                Token::Text | Token::Reference | Token::CData => {
                    let at = range.start;
                    let Some(piece) = self.piece(token, range)? else { continue };
                    let (_, joined) = text.get_or_insert((at, Cow::Borrowed("")));
                    self.join(joined, piece, at)?;
                }
            }
        }
    }

    /// The next piece of markup, and its position.
    fn token(&mut self) -> Result<(Token, Range<usize>), XmlError> {
        if let Some(held) = self.held.take() {
            return Ok(held);
        }
        let start = self.tokens.buffer_position() as usize;
        let token = match self.tokens.read_event() {
            Ok(Markup::Start(_) | Markup::Empty(_)) => Token::Start,
            Ok(Markup::End(_)) => Token::End,
            Ok(Markup::Text(_)) => Token::Text,
            Ok(Markup::CData(_)) => Token::CData,
            Ok(Markup::Comment(_)) => Token::Aside,
            Ok(Markup::Decl(_)) => Token::Declaration,
            Ok(Markup::PI(_)) => Token::Aside,
            Ok(Markup::DocType(_)) => return Err(self.error_at(start, XmlErrorKind::DocumentType)),
            Ok(Markup::GeneralRef(_)) => Token::Reference,
            Ok(Markup::Eof) => Token::Eof,
            Err(error) => return Err(self.not_markup(start, error)),
        };
        let range = start..self.tokens.buffer_position() as usize;
        if token == Token::Aside && self.input[range.clone()].starts_with("<?") {
            self.instruction(range.clone())?;
        }
        Ok((token, range))
    }

    fn tag_event(&mut self, token: Token, range: Range<usize>) -> Result<Event<'i>, XmlError> {
        self.at = range.start;
        match token {
            Token::Start => self.start(range).map(Event::Start),
            Token::End => {
                self.namespaces.leave(self.open.len());
                let name = self.open.pop();
                name.map(Event::End).ok_or_else(|| self.syntax(range.start, "an end tag without a start tag"))
            }
            _ => match self.open.last() {
                Some(_) => Err(self.error_at(range.start, XmlErrorKind::Truncated { within: "an element" })),
                None if self.had_root => Ok(Event::Eof),
                None => Err(self.error_at(range.start, XmlErrorKind::Empty)),
            },
        }
    }

    fn not_markup(&self, start: usize, error: MarkupError) -> XmlError {
        let kind = match error {
            MarkupError::Syntax(error) => {
                if matches!(error, SyntaxError::InvalidBangMarkup | SyntaxError::UnclosedDoctype)
                    && self.input[start..].get(..9).is_some_and(|word| word.eq_ignore_ascii_case("<!doctype"))
                {
                    XmlErrorKind::DocumentType
                } else {
                    unfinished(error)
                }
            }
            MarkupError::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                XmlErrorKind::EndTag { expected: excerpt(&expected), found: excerpt(&found) }
            }
            MarkupError::IllFormed(IllFormedError::UnmatchedEndTag(_)) => {
                XmlErrorKind::Syntax { problem: "an end tag without a start tag" }
            }
            MarkupError::IllFormed(IllFormedError::DoubleHyphenInComment) => {
                XmlErrorKind::Syntax { problem: "-- is not allowed in a comment" }
            }
            MarkupError::IllFormed(IllFormedError::UnclosedReference) => XmlErrorKind::Syntax {
                problem: "& starts a reference that has no ;, write &amp; for a plain &",
            },
            MarkupError::IllFormed(IllFormedError::MissingDoctypeName) => XmlErrorKind::DocumentType,
            _ => XmlErrorKind::Syntax { problem: "invalid markup" },
        };
        self.error_at(start, kind)
    }

    /// An error of this kind at this octet of `input`.
    fn error_at(&self, at: usize, kind: XmlErrorKind) -> XmlError {
        XmlError { position: Position::of(self.octets, self.mark + at), kind }
    }

    fn syntax(&self, at: usize, problem: &'static str) -> XmlError {
        self.error_at(at, XmlErrorKind::Syntax { problem })
    }

    fn check_limit(&self, at: usize, what: LimitKind, found: usize, limit: usize) -> Result<(), XmlError> {
        if found > limit { Err(self.error_at(at, XmlErrorKind::Limit { what, limit })) } else { Ok(()) }
    }
}

/// Kinds of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Start,
    End,
    Text,
    CData,
    Reference,
    Declaration,
    /// A comment or a processing instruction.
    Aside,
    Eof,
}

fn unfinished(error: SyntaxError) -> XmlErrorKind {
    let within = match error {
        SyntaxError::InvalidBangMarkup => {
            return XmlErrorKind::Syntax { problem: "<! must start a comment or a CDATA section" };
        }
        SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl => "a processing instruction",
        SyntaxError::UnclosedComment => "a comment",
        SyntaxError::UnclosedDoctype => return XmlErrorKind::DocumentType,
        SyntaxError::UnclosedCData => "a CDATA section",
        SyntaxError::UnclosedTag => "a tag",
        SyntaxError::UnclosedSingleQuotedAttributeValue | SyntaxError::UnclosedDoubleQuotedAttributeValue => {
            "the value of an attribute"
        }
    };
    XmlErrorKind::Truncated { within }
}

/// The document as characters, all of which XML allows, and how many octets of a byte order mark precede them.
fn text_of<'i>(octets: &'i [u8], limits: &Limits) -> Result<(&'i str, usize), XmlError> {
    let error = |offset, kind| XmlError { position: Position::of(octets, offset), kind };
    if octets.len() > limits.octets {
        let kind = XmlErrorKind::Limit { what: LimitKind::Octets, limit: limits.octets };
        return Err(error(limits.octets, kind));
    }
    if let Some(found) = other_encoding(octets) {
        return Err(error(0, XmlErrorKind::Encoding { found: found.to_owned() }));
    }
    let mark = if octets.starts_with(MARK) { MARK.len() } else { 0 };
    let input = std::str::from_utf8(&octets[mark..])
        .map_err(|wrong| error(mark + wrong.valid_up_to(), XmlErrorKind::NotUtf8))?;
    if input.as_bytes().starts_with(MARK) {
        return Err(error(mark, XmlErrorKind::OutsideRoot));
    }
    if let Some(at) = first_forbidden(input.as_bytes()) {
        let code = input[at..].chars().next().map_or(0, u32::from);
        return Err(error(mark + at, XmlErrorKind::Character { code }));
    }
    Ok((input, mark))
}

/// The encoding of a document whose first octets cannot be UTF-8 (XML 1.0, appendix F).
fn other_encoding(octets: &[u8]) -> Option<&'static str> {
    match octets {
        [0, 0, 0xfe, 0xff, ..] | [0xff, 0xfe, 0, 0, ..] | [0, 0, 0, b'<', ..] | [b'<', 0, 0, 0, ..] => {
            Some("UTF-32")
        }
        [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0, b'<', ..] | [b'<', 0, ..] => Some("UTF-16"),
        [0x4c, 0x6f, 0xa7, 0x94, ..] => Some("EBCDIC"),
        _ => None,
    }
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests;

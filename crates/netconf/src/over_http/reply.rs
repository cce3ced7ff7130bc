//! Answers of RESTCONF as one reply of NETCONF.

use trunkline_xml::{Event, Reader, Writer, XmlError};

use super::{Around, RESTCONF, Then, copy, filter};
use crate::BASE;
use crate::document::{Document, Element, limits};
use crate::error::{Layer, RpcError, Tag};

/// An answer.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Its status.
    pub status: u16,
    /// The body: XML, or nothing.
    pub body: &'a [u8],
}

/// A reply, as it grows by answers.
#[derive(Debug)]
pub struct Reply {
    octets: Vec<u8>,
    /// Whether there is an element `data`.
    has_data: bool,
    most: usize,
}

impl Reply {
    /// Begins one; an answer has at most so many octets.
    #[must_use]
    pub fn begin(most: usize) -> Reply {
        let octets = format!("<rpc-reply xmlns=\"{BASE}\" message-id=\"1\">").into_bytes();
        Reply { octets, has_data: false, most }
    }

    /// Adds an answer. Returns whether the next request is to be sent: the server may have refused this one.
    ///
    /// # Errors
    /// The body is not XML.
    pub fn add(&mut self, answer: Answer<'_>, then: &Then) -> Result<bool, XmlError> {
        match (answer.status, then) {
            (404, Then::Removed) => {}
            (404, Then::Data(_)) => self.nothing(),
            (200..300, Then::Data(around)) => self.data(answer.body, around)?,
            (200..300, Then::Output) if !answer.body.is_empty() => {
                let output = Document::read(answer.body, limits(self.most))?;
                let mut writer = Writer::new(&mut self.octets);
                output.root().children().for_each(|child| copy(child, Some(BASE), &mut writer));
                self.has_data = true;
            }
            (200..300, _) => {}
            _ => {
                self.errors(answer)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The whole reply.
    #[must_use]
    pub fn end(mut self) -> Vec<u8> {
        if !self.has_data {
            self.octets.extend_from_slice(b"<ok/>");
        } else if self.octets.ends_with(OPEN) {
            self.octets.extend_from_slice(CLOSE);
        }
        self.octets.extend_from_slice(b"</rpc-reply>");
        self.octets
    }

    /// Adds data that is empty.
    pub fn nothing(&mut self) {
        self.within();
        self.octets.extend_from_slice(CLOSE);
    }

    /// Opens `data`, again if an answer before has closed it.
    fn within(&mut self) {
        if self.has_data && self.octets.ends_with(CLOSE) {
            self.octets.truncate(self.octets.len() - CLOSE.len());
            return;
        }
        self.has_data = true;
        self.octets.extend_from_slice(OPEN);
    }

    fn data(&mut self, body: &[u8], around: &Around) -> Result<(), XmlError> {
        let mut whole = Vec::new();
        match &around.begin {
            Some(begin) => {
                whole.extend_from_slice(begin);
                whole.extend_from_slice(without_declaration(body));
                whole.extend_from_slice(&around.end);
            }
            None => inner(body, self.most, &mut whole)?,
        }
        self.within();
        match &around.filter {
            None => self.octets.extend_from_slice(&whole),
            Some(content) => {
                let filter = [b"<filter>", &content[..], b"</filter>"].concat();
                let filter = Document::read(&filter, limits(filter.len()))?;
                let data = [b"<data>", &whole[..], b"</data>"].concat();
                let data = Document::read(&data, limits(self.most.saturating_add(1024)))?;
                filter::pruned(filter.root(), data.root(), &mut Writer::new(&mut self.octets));
            }
        }
        self.octets.extend_from_slice(CLOSE);
        Ok(())
    }

    /// `errors` of the body, or what the status says.
    fn errors(&mut self, answer: Answer<'_>) -> Result<(), XmlError> {
        let document = match answer.body.is_empty() {
            true => None,
            false => Some(Document::read(answer.body, limits(self.most))?),
        };
        let mut errors = Vec::new();
        if let Some(document) = &document {
            collect(document.root(), &mut errors);
        }
        if errors.is_empty() {
            let message = format!("the server answers with the status {}", answer.status);
            errors.push(RpcError::new(Layer::Protocol, tag(answer.status), message));
        }
        errors.iter().for_each(|error| error.write("", &mut self.octets));
        self.has_data = true;
        Ok(())
    }
}

const OPEN: &[u8] = b"<data>";
const CLOSE: &[u8] = b"</data>";

/// All errors in a body: `errors`, or in the status of a YANG Patch those of its edits too.
fn collect(element: Element<'_>, errors: &mut Vec<RpcError>) {
    for child in element.children() {
        if child.name() == "error" && element.name() == "errors" {
            errors.push(error(child));
        } else {
            collect(child, errors);
        }
    }
}

fn error(element: Element<'_>) -> RpcError {
    let mut octets = Vec::new();
    let mut writer = Writer::new(&mut octets);
    writer.start("rpc-error").attribute("xmlns", BASE).raw(b"");
    let own = element.namespace();
    for child in element.children().filter(|it| it.namespace() == own) {
        writer.start(child.name());
        // The prefixes of the path.
        let mut declared: Vec<&str> = Vec::new();
        for (at, _) in child.value().match_indices(':').filter(|_| child.name() == "error-path") {
            let text = &child.value()[..at];
            let begin = text.rfind(|it: char| !(it.is_alphanumeric() || "-_.".contains(it)));
            let begin = begin.map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
            let prefix = &text[begin..];
            if let Some(namespace) = child.resolve(prefix).filter(|_| !prefix.is_empty())
                && !declared.contains(&prefix)
            {
                writer.attribute(&format!("xmlns:{prefix}"), namespace);
                declared.push(prefix);
            }
        }
        writer.text(child.value()).end(child.name());
    }
    writer.end("rpc-error");
    match Document::read(&octets, limits(octets.len())) {
        Ok(document) => RpcError::read(document.root()),
        Err(_) => RpcError::new(Layer::Protocol, Tag::OperationFailed, element.value()),
    }
}

/// The tag of a status (RFC 8040 section 7).
const fn tag(status: u16) -> Tag {
    match status {
        400 | 404 | 406 => Tag::InvalidValue,
        401 | 403 => Tag::AccessDenied,
        405 | 415 | 501 => Tag::OperationNotSupported,
        409 => Tag::ResourceDenied,
        413 => Tag::TooBig,
        _ => Tag::OperationFailed,
    }
}

/// A document without what is before its root.
fn without_declaration(body: &[u8]) -> &[u8] {
    let body = body.trim_ascii();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    match body.starts_with(b"<?xml") {
        true => {
            let end = body.windows(2).position(|it| it == b"?>").map_or(0, |at| at + 2);
            body[end..].trim_ascii()
        }
        false => body,
    }
}

/// What is in the `data` of a datastore. A body that is another resource is kept as a whole: the server left `data` out.
fn inner(body: &[u8], most: usize, out: &mut Vec<u8>) -> Result<(), XmlError> {
    let body = without_declaration(body);
    if body.is_empty() {
        return Ok(());
    }
    let mut reader = Reader::new(body, limits(most));
    let is_data = match reader.next()? {
        Event::Start(name) => name.local == "data" && name.namespace == RESTCONF,
        _ => false,
    };
    if !is_data {
        out.extend_from_slice(body);
        return Ok(());
    }
    let prefixed = reader.scope().any(|(prefix, _)| !prefix.is_empty() && prefix != "xml");
    if prefixed {
        // Its declarations may be used by what is in it.
        let document = Document::read(body, limits(most))?;
        let mut writer = Writer::new(out);
        document.root().children().for_each(|child| copy(child, Some(""), &mut writer));
        return Ok(());
    }
    let begin = end_of_tag(body);
    if body[..begin].ends_with(b"/>") {
        return Ok(());
    }
    let end = body.windows(2).rposition(|it| it == b"</").unwrap_or(body.len());
    out.extend_from_slice(&body[begin..end.max(begin)]);
    Ok(())
}

/// Behind the first start tag; `>` may be in its values.
fn end_of_tag(body: &[u8]) -> usize {
    let mut quote = None;
    for (at, &octet) in body.iter().enumerate() {
        match (quote, octet) {
            (Some(open), octet) if octet == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(octet),
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    body.len()
}

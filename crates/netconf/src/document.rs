//! One message as elements: names with their namespaces resolved, attributes, text, and the prefixes in scope, which values and
//! XPath expressions use.

use trunkline_xml::{Event, LimitKind, Limits, Reader, XmlError, XmlErrorKind};

/// A parsed document. Elements stand in document order; one that has been read is never changed.
#[derive(Debug)]
pub struct Document {
    elements: Vec<Record>,
    /// Names and texts, end to end.
    octets: String,
    /// Texts with elements between their pieces.
    pieced: Vec<String>,
    namespaces: Vec<Box<str>>,
    scopes: Vec<Vec<(Box<str>, Box<str>)>>,
    root_tag: Box<str>,
}

#[derive(Debug)]
struct Record {
    namespace: u32,
    name: Span,
    text: Text,
    attributes: Vec<Attribute>,
    parent: u32,
    /// The first element behind this one and all within it.
    end: u32,
    scope: u32,
}

/// A part of the document's octets.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u32,
    to: u32,
}

#[derive(Clone, Copy, Debug)]
enum Text {
    Whole(Span),
    /// The place among those in pieces.
    Pieced(u32),
}

/// An attribute that declares no namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Empty if it has no prefix.
    pub namespace: Box<str>,
    /// Its name within the namespace.
    pub name: Box<str>,
    /// Its value.
    pub value: Box<str>,
}

/// An element of a document.
#[derive(Clone, Copy, Debug)]
pub struct Element<'d> {
    document: &'d Document,
    at: u32,
}

impl Document {
    /// Reads a document. White space before its declaration is skipped: many clients begin each message with a line feed.
    ///
    /// # Errors
    /// It is not well formed, or larger than the limits.
    pub fn read(octets: &[u8], limits: Limits) -> Result<Document, XmlError> {
        let mut reader = Reader::new(octets.trim_ascii_start(), limits);
        let mut document = Document {
            elements: Vec::with_capacity(8),
            octets: String::with_capacity(octets.len() / 2),
            pieced: vec![],
            namespaces: vec![],
            scopes: vec![vec![]],
            root_tag: "".into(),
        };
        let mut open: Vec<u32> = vec![];
        loop {
            match reader.next()? {
                Event::Start(name) => {
                    let parent = open.last().copied();
                    if parent.is_none() {
                        document.root_tag = reader.tag().into();
                    }
                    let scope = document.scope(parent, &reader);
                    let attribute = |it: &trunkline_xml::Attribute<'_>| Attribute {
                        namespace: it.name.namespace.into(),
                        name: it.name.local.into(),
                        value: it.value.as_ref().into(),
                    };
                    let at = document.elements.len() as u32;
                    if document.elements.len() == MOST_ELEMENTS {
                        let kind = XmlErrorKind::Limit { what: LimitKind::Elements, limit: MOST_ELEMENTS };
                        return Err(XmlError { position: reader.position(), kind });
                    }
                    let namespace = document.namespace(parent, name.namespace);
                    let name = document.keep(name.local);
                    document.elements.push(Record {
                        namespace,
                        name,
                        text: Text::Whole(Span { from: 0, to: 0 }),
                        attributes: reader.attributes().iter().map(attribute).collect(),
                        parent: parent.unwrap_or(at),
                        end: at + 1,
                        scope,
                    });
                    open.push(at);
                }
                Event::Text(text) => {
                    if let Some(at) = open.last() {
                        document.add_text(*at as usize, &text);
                    }
                }
                Event::End(_) => {
                    if let Some(at) = open.pop() {
                        document.elements[at as usize].end = document.elements.len() as u32;
                    }
                }
                Event::Eof => return Ok(document),
            }
        }
    }

    fn keep(&mut self, text: &str) -> Span {
        let from = self.octets.len() as u32;
        self.octets.push_str(text);
        Span { from, to: self.octets.len() as u32 }
    }

    fn kept(&self, span: Span) -> &str {
        &self.octets[span.from as usize..span.to as usize]
    }

    /// The place of a namespace: most elements have that of the element that they are in, or of the one before.
    fn namespace(&mut self, parent: Option<u32>, name: &str) -> u32 {
        let of_parent = parent.map(|parent| self.elements[parent as usize].namespace);
        let last = self.elements.last().map(|it| it.namespace);
        let known = [of_parent, last].into_iter().flatten();
        let same = known.into_iter().find(|it| &*self.namespaces[*it as usize] == name);
        same.unwrap_or_else(|| {
            self.namespaces.push(name.into());
            self.namespaces.len() as u32 - 1
        })
    }

    /// Appends to an element's text. What is longest in practice, a text in one piece, is kept once.
    fn add_text(&mut self, at: usize, more: &str) {
        match self.elements[at].text {
            Text::Pieced(place) => self.pieced[place as usize].push_str(more),
            Text::Whole(Span { from, to }) if from == to => {
                self.elements[at].text = Text::Whole(self.keep(more));
            }
            Text::Whole(Span { from, to }) if to as usize == self.octets.len() => {
                let to = self.keep(more).to;
                self.elements[at].text = Text::Whole(Span { from, to });
            }
            Text::Whole(span) => {
                let text = [self.kept(span), more].concat();
                self.elements[at].text = Text::Pieced(self.pieced.len() as u32);
                self.pieced.push(text);
            }
        }
    }

    /// The scope of the element whose start tag was just read; its parent's if it declares nothing.
    fn scope(&mut self, parent: Option<u32>, reader: &Reader<'_>) -> u32 {
        let known = parent.map_or(0, |parent| self.elements[parent as usize].scope);
        if reader.scope().count() == self.scopes[known as usize].len() {
            return known;
        }
        self.scopes.push(reader.scope().map(|(prefix, name)| (prefix.into(), name.into())).collect());
        self.scopes.len() as u32 - 1
    }

    /// The outermost element.
    #[must_use]
    pub fn root(&self) -> Element<'_> {
        Element { document: self, at: 0 }
    }

    /// Octets that it takes, about.
    #[must_use]
    pub fn memory(&self) -> usize {
        let pieced: usize = self.pieced.iter().map(String::len).sum();
        self.octets.len() + pieced + self.elements.len() * size_of::<Record>()
    }

    /// The start tag of the outermost element as its sender wrote it, without the angle brackets.
    #[must_use]
    pub fn root_tag(&self) -> &str {
        &self.root_tag
    }
}

impl<'d> Element<'d> {
    fn record(self) -> &'d Record {
        &self.document.elements[self.at as usize]
    }

    /// The name within its namespace.
    #[must_use]
    pub fn name(self) -> &'d str {
        self.document.kept(self.record().name)
    }

    /// The namespace; empty for none.
    #[must_use]
    pub fn namespace(self) -> &'d str {
        &self.document.namespaces[self.record().namespace as usize]
    }

    /// Whether it is this element.
    #[must_use]
    pub fn is(self, namespace: &str, name: &str) -> bool {
        self.name() == name && self.namespace() == namespace
    }

    /// Its own text, that of elements within it apart.
    #[must_use]
    pub fn text(self) -> &'d str {
        match self.record().text {
            Text::Whole(span) => self.document.kept(span),
            Text::Pieced(place) => &self.document.pieced[place as usize],
        }
    }

    /// Its text without white space at both ends.
    #[must_use]
    pub fn value(self) -> &'d str {
        self.text().trim_matches([' ', '\t', '\n', '\r'])
    }

    /// Its attributes.
    #[must_use]
    pub fn attributes(self) -> &'d [Attribute] {
        &self.record().attributes
    }

    /// The value of an attribute; an empty namespace means one without a prefix.
    #[must_use]
    pub fn attribute(self, namespace: &str, name: &str) -> Option<&'d str> {
        let found = self.attributes().iter().find(|it| &*it.name == name && &*it.namespace == namespace);
        found.map(|it| &*it.value)
    }

    /// The element that it is in; the outermost one is in none.
    #[must_use]
    pub fn parent(self) -> Option<Element<'d>> {
        let parent = self.record().parent;
        (parent != self.at).then_some(Element { at: parent, ..self })
    }

    /// The elements directly within it.
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        let end = self.record().end;
        let mut next = self.at + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(Element { at: next, ..self })?;
            next = child.record().end;
            Some(child)
        })
    }

    /// The first child with this name.
    #[must_use]
    pub fn child(self, namespace: &str, name: &str) -> Option<Element<'d>> {
        self.children().find(|it| it.is(namespace, name))
    }

    /// Whether there are elements within it.
    #[must_use]
    pub fn has_children(self) -> bool {
        self.record().end > self.at + 1
    }

    /// The namespace of a prefix that is in scope here; of the empty prefix, the default namespace.
    #[must_use]
    pub fn resolve(self, prefix: &str) -> Option<&'d str> {
        let scope = &self.document.scopes[self.record().scope as usize];
        scope.iter().rev().find(|(known, _)| &**known == prefix).map(|(_, namespace)| &**namespace)
    }
}

/// Elements of a message: each takes some 80 octets of memory, however short it is.
const MOST_ELEMENTS: usize = 200_000;

/// What a message may have: configurations are large and deep, names and prefixes few.
#[must_use]
pub const fn limits(octets: usize) -> Limits {
    Limits { octets, depth: 128, attributes: 64, name: 256, text: 1 << 20, namespaces: 256 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Document {
        Document::read(text.as_bytes(), limits(10_000)).unwrap()
    }

    #[test]
    fn elements_know_their_relatives() {
        let document = read("<a xmlns='u'><b>1&amp;<![CDATA[2]]>3</b>x<c><d/></c>y<b/>z</a>");
        let root = document.root();
        let names: Vec<&str> = root.children().map(Element::name).collect();
        assert_eq!((names, root.text()), (vec!["b", "c", "b"], "xyz"));
        let texts: Vec<&str> = root.children().map(Element::text).collect();
        assert_eq!(texts, ["1&23", "", ""]);
        let d = root.child("u", "c").and_then(|c| c.child("u", "d")).unwrap();
        assert_eq!(d.parent().map(Element::name), Some("c"));
        assert!(d.is("u", "d") && !d.has_children() && root.has_children() && root.parent().is_none());
        assert_eq!(root.child("", "b").map(Element::name), None);
    }

    #[test]
    fn prefixes_mean_what_is_in_scope() {
        let document = read("<a xmlns='u' xmlns:p='v' p:x='1' x='2'><b xmlns:p='w'><c/></b><d/></a>");
        let root = document.root();
        assert_eq!((root.attribute("v", "x"), root.attribute("", "x")), (Some("1"), Some("2")));
        let c = root.child("u", "b").and_then(|b| b.child("u", "c")).unwrap();
        let d = root.child("u", "d").unwrap();
        assert_eq!([c, d].map(|it| it.resolve("p")), [Some("w"), Some("v")]);
        assert_eq!((d.resolve(""), d.resolve("q")), (Some("u"), None));
        assert_eq!(document.root_tag(), "a xmlns='u' xmlns:p='v' p:x='1' x='2'");
    }

    #[test]
    fn a_message_may_begin_with_white_space() {
        assert_eq!(read("\n \r\n<?xml version='1.0'?>\n<a/>").root().name(), "a");
    }

    #[test]
    fn short_elements_are_bounded_too() {
        let text = format!("<a>{}</a>", "<b/>".repeat(MOST_ELEMENTS));
        let error = Document::read(text.as_bytes(), limits(1 << 20)).unwrap_err();
        assert!(error.to_string().contains("more than 200000 elements in the document"), "{error}");
    }

    #[test]
    fn what_is_not_well_formed_is_an_error_with_its_place() {
        let error = Document::read(b"<a>\n<b></a>", limits(100)).unwrap_err();
        assert_eq!(error.position.line, 2);
    }
}

//! Helpers for decoders.

use std::borrow::Cow;

use super::markup::is_white;
use super::{Event, Reader};
use crate::error::{XmlError, XmlErrorKind, excerpt};
use crate::name::is_ncname;
use crate::{Name, XSI};

impl<'i> Reader<'i> {
    /// The next start tag in the element that is open, or nothing at its end, which is then read. Outside of the
    /// outermost element: that element, or nothing at the end of the document.
    ///
    /// # Errors
    ///
    /// Text that is not white space, and the errors of [`Self::next`].
    pub fn child(&mut self) -> Result<Option<Name<'i>>, XmlError> {
        loop {
            match self.next()? {
                Event::Start(name) => return Ok(Some(name)),
                Event::End(_) | Event::Eof => return Ok(None),
                Event::Text(text) if text.chars().all(is_white) => {}
                Event::Text(text) => {
                    let found = format!("the text \"{}\"", excerpt(text.trim()));
                    return Err(
                        self.error(XmlErrorKind::Unexpected { expected: "an element".to_owned(), found })
                    );
                }
            }
        }
    }

    /// Reads the start tag of this element, which must come next.
    ///
    /// # Errors
    ///
    /// Something else comes; if only the namespace differs, the error says so.
    pub fn expect(&mut self, namespace: &str, local: &str) -> Result<(), XmlError> {
        match self.child()? {
            Some(name) if name.is(namespace, local) => Ok(()),
            Some(name) if name.local == local => Err(self.wrong_namespace(name, namespace)),
            Some(_) => Err(self.unexpected(local)),
            None => Err(self.missing(local)),
        }
    }

    /// Reads to the end of the open element, which must have no more content.
    ///
    /// # Errors
    ///
    /// There is something.
    pub fn end(&mut self) -> Result<(), XmlError> {
        match self.child()? {
            Some(_) => {
                let parent = self.open.iter().rev().nth(1).map_or("the document", |name| name.local);
                Err(self.unexpected(&format!("the end of {parent}")))
            }
            None => Ok(()),
        }
    }

    /// The text of the open element, which has no elements within, and its end.
    ///
    /// # Errors
    ///
    /// There is an element within.
    pub fn leaf(&mut self) -> Result<Cow<'i, str>, XmlError> {
        let begun = self.at;
        let text = match self.next()? {
            Event::End(_) | Event::Eof => return Ok(Cow::Borrowed("")),
            Event::Start(_) => return Err(self.unexpected("text")),
            Event::Text(text) => text,
        };
        match self.next()? {
            Event::Start(_) => Err(self.unexpected("the end of the text")),
            // an error in the text has the position of its element
            _ => {
                self.at = begun;
                Ok(text)
            }
        }
    }

    /// Reads to the end of the open element, whatever its content.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::next`].
    pub fn skip(&mut self) -> Result<(), XmlError> {
        let depth = self.open.len();
        while depth > 0 && self.open.len() >= depth {
            self.next()?;
        }
        Ok(())
    }

    /// Reads the end of the document, after which nothing may come.
    ///
    /// # Errors
    ///
    /// Something comes.
    pub fn finish(&mut self) -> Result<(), XmlError> {
        match self.next()? {
            Event::Eof => Ok(()),
            _ => Err(self.unexpected("the end of the document")),
        }
    }

    /// The value of an attribute of the start tag that was read last. One without a prefix is in no namespace:
    /// `""`.
    pub fn attribute(&self, namespace: &str, local: &str) -> Option<Cow<'i, str>> {
        let found = self.attributes.iter().find(|attribute| attribute.name.is(namespace, local));
        found.map(|attribute| attribute.value.clone())
    }

    /// From here to the end of the element that was opened last, attributes in no namespace have one of these names.
    ///
    /// # Errors
    ///
    /// The last start tag has an attribute that is not one of these.
    pub fn know_attributes(&mut self, names: &'static [&'static str]) -> Result<(), XmlError> {
        self.known_attributes = Some((self.open.len(), names));
        self.check_attributes()
    }

    /// Whether the attributes of the start tag that was read last are known.
    pub(super) fn check_attributes(&mut self) -> Result<(), XmlError> {
        let Some((depth, names)) = self.known_attributes else { return Ok(()) };
        if self.open.len() < depth {
            self.known_attributes = None;
            return Ok(());
        }
        let mut of_ours = self.attributes.iter().map(|attribute| attribute.name);
        let unknown = of_ours.find(|name| name.namespace.is_empty() && !names.contains(&name.local));
        let Some(unknown) = unknown else { return Ok(()) };
        let expected = match names {
            [] => "no attribute".to_owned(),
            names => format!("no attribute but {}", names.join(", ")),
        };
        Err(self.error(XmlErrorKind::Unexpected { expected, found: unknown.local.to_owned() }))
    }

    /// The value of an attribute that must be there, and is in no namespace.
    ///
    /// # Errors
    ///
    /// It is not there.
    pub fn require(&self, local: &str) -> Result<Cow<'i, str>, XmlError> {
        let element = self.open.last().map_or("nothing", |name| name.local);
        let missing = || {
            self.error(XmlErrorKind::Unexpected {
                expected: format!("the attribute {local}"),
                found: format!("{element} without it"),
            })
        };
        self.attribute("", local).ok_or_else(missing)
    }

    /// Whether the last start tag has `xsi:nil="true"`.
    ///
    /// # Errors
    ///
    /// Its value is not a boolean.
    pub fn is_nil(&self) -> Result<bool, XmlError> {
        match self.attribute(XSI, "nil") {
            None => Ok(false),
            Some(value) => self.boolean(&value),
        }
    }

    /// A boolean of XML Schema.
    ///
    /// # Errors
    ///
    /// It is not a boolean.
    pub fn boolean(&self, text: &str) -> Result<bool, XmlError> {
        match text.trim_matches(is_white) {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.invalid("true or false", text)),
        }
    }

    /// The value of `xsi:type` in the last start tag.
    ///
    /// # Errors
    ///
    /// It is not a name, or its prefix is not declared.
    pub fn type_name(&self) -> Result<Option<Name<'i>>, XmlError> {
        match self.attribute(XSI, "type") {
            None => Ok(None),
            Some(Cow::Borrowed(name)) => self.qualified(name).map(Some),
            Some(Cow::Owned(name)) => Err(self.error(XmlErrorKind::InvalidName { found: excerpt(&name) })),
        }
    }

    /// A qualified name in text or in an attribute, as the open element's declarations mean it.
    ///
    /// # Errors
    ///
    /// It is not a name, or its prefix is not declared.
    pub fn qualified<'n>(&self, name: &'n str) -> Result<Name<'n>, XmlError>
    where
        'i: 'n,
    {
        let name = name.trim_matches(is_white);
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if !is_ncname(local) || !(is_ncname(prefix) || (prefix.is_empty() && !name.starts_with(':'))) {
            return Err(self.error(XmlErrorKind::InvalidName { found: excerpt(name) }));
        }
        Ok(Name { namespace: self.resolve_prefix(prefix, self.at)?, local })
    }

    /// An error at the last event.
    pub fn error(&self, kind: XmlErrorKind) -> XmlError {
        self.error_at(self.at, kind)
    }

    /// The error that something else was expected instead of the element that was read last.
    pub fn unexpected(&self, expected: &str) -> XmlError {
        let found = self.open.last().map_or("the end of the document", |name| name.local).to_owned();
        self.error(XmlErrorKind::Unexpected { expected: expected.to_owned(), found })
    }

    /// The error that an element ended without required content.
    pub fn missing(&self, expected: &str) -> XmlError {
        let found = "the end of the element".to_owned();
        self.error(XmlErrorKind::Unexpected { expected: expected.to_owned(), found })
    }

    /// The error that a value is invalid.
    pub fn invalid(&self, expected: &str, found: &str) -> XmlError {
        self.error(XmlErrorKind::Invalid { expected: expected.to_owned(), found: excerpt(found) })
    }

    /// The error that this element's namespace is another.
    pub fn wrong_namespace(&self, name: Name<'_>, expected: &str) -> XmlError {
        self.error(XmlErrorKind::Namespace {
            local: name.local.to_owned(),
            expected: expected.to_owned(),
            found: excerpt(name.namespace),
        })
    }
}

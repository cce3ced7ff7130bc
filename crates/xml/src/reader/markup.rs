//! Markup: start tags with their attributes, the XML declaration, processing instructions.

use std::borrow::Cow;
use std::ops::Range;

use super::{Attribute, Reader};
use crate::error::{LimitKind, XmlError, XmlErrorKind, excerpt};
use crate::name::{Name, is_ncname};

impl<'i> Reader<'i> {
    /// Opens the element whose start tag is here.
    pub(super) fn start(&mut self, range: Range<usize>) -> Result<Name<'i>, XmlError> {
        let at = range.start;
        if self.open.is_empty() && self.had_root {
            return Err(self.error_at(at, XmlErrorKind::OutsideRoot));
        }
        self.had_root = true;
        let depth = self.open.len() + 1;
        self.check_limit(at, LimitKind::Depth, depth, self.limits.depth)?;
        let input = self.input;
        let tag = between(&input[range], "<", ">");
        let tag = tag.strip_suffix('/').unwrap_or(tag);
        self.tag = at + 1..at + 1 + tag.len();
        let name_length = length_until(tag, is_white_octet);
        self.attributes.clear();
        let prefixed = self.split_attributes(tag, at + 1, name_length, depth)?;
        if prefixed {
            self.resolve_attributes(at)?;
        }
        let (prefix, local) = self.split_name(&tag[..name_length], at + 1)?;
        let name = Name { namespace: self.resolve_prefix(prefix, at)?, local };
        self.open.push(name);
        self.check_attributes()?;
        Ok(name)
    }

    /// Reads the attributes of a tag, `from` this octet of it; the tag begins `at` that octet of the input. Until
    /// [`Self::resolve_attributes`], prefixes take the place of namespaces. Returns whether there are any.
    fn split_attributes(
        &mut self,
        tag: &'i str,
        at: usize,
        from: usize,
        depth: usize,
    ) -> Result<bool, XmlError> {
        let mut prefixed = false;
        let mut rest = &tag[from..];
        let mut count = 0;
        loop {
            let trimmed = without_white(rest);
            let here = at + tag.len() - trimmed.len();
            if trimmed.is_empty() {
                return Ok(prefixed);
            }
            if trimmed.len() == rest.len() {
                return Err(self.syntax(here, "expected white space between attributes"));
            }
            count += 1;
            self.check_limit(here, LimitKind::Attributes, count, self.limits.attributes)?;
            let (name, raw, after) = self.split_attribute(trimmed, here)?;
            let value = self.value(raw, here + trimmed.len() - after.len() - raw.len() - 1)?;
            rest = after;
            let (prefix, local) = self.split_name(name, here)?;
            match (prefix, local) {
                ("", "xmlns") => self.declare("", value, depth, here)?,
                ("xmlns", prefix) => self.declare(prefix, value, depth, here)?,
                (prefix, local) => {
                    prefixed |= !prefix.is_empty();
                    let name = Name { namespace: prefix, local };
                    if self.attributes.iter().any(|known| known.name == name) {
                        return Err(self.error_at(here, XmlErrorKind::Duplicate { name: local.to_owned() }));
                    }
                    self.attributes.push(Attribute { name, value });
                }
            }
        }
    }

    /// A name, a value between its quotes, and what follows.
    fn split_attribute(&self, text: &'i str, at: usize) -> Result<(&'i str, &'i str, &'i str), XmlError> {
        let name_length = length_until(text, |octet| octet == b'=' || is_white_octet(octet));
        let after = without_white(&text[name_length..]);
        let Some(after) = after.strip_prefix('=') else {
            return Err(self.syntax(at, "expected an attribute: a name, =, and a value in quotes"));
        };
        let after = without_white(after);
        let quote = match after.as_bytes().first() {
            Some(b'"') => '"',
            Some(b'\'') => '\'',
            _ => {
                return Err(
                    self.syntax(at + text.len() - after.len(), "an attribute's value must be in quotes")
                );
            }
        };
        match after[1..].split_once(quote) {
            Some((value, rest)) => Ok((&text[..name_length], value, rest)),
            None => Err(self.syntax(at, "an attribute's value without a closing quote")),
        }
    }

    /// A name as prefix and local name, both of which are names.
    fn split_name(&self, name: &'i str, at: usize) -> Result<(&'i str, &'i str), XmlError> {
        self.check_limit(at, LimitKind::Name, name.len(), self.limits.name)?;
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        if is_ncname(local) && (is_ncname(prefix) || (prefix.is_empty() && !name.starts_with(':'))) {
            return Ok((prefix, local));
        }
        Err(self.error_at(at, XmlErrorKind::InvalidName { found: excerpt(name) }))
    }

    fn declare(
        &mut self,
        prefix: &'i str,
        value: Cow<'i, str>,
        depth: usize,
        at: usize,
    ) -> Result<(), XmlError> {
        let refused = |problem| self.error_at(at, XmlErrorKind::Declaration { problem });
        let Cow::Borrowed(namespace) = value else {
            return Err(refused("a namespace name with references or line ends is not supported"));
        };
        // No URI has such a character (RFC 3986 section 2), and it would be written as a reference.
        if namespace.contains(['"', '>']) {
            return Err(refused("a namespace name with \" or > is not supported"));
        }
        self.check_limit(at, LimitKind::Namespaces, self.namespaces.len() + 1, self.limits.namespaces)?;
        self.namespaces.declare(prefix, namespace, depth).map_err(|kind| self.error_at(at, kind))
    }

    fn resolve_attributes(&mut self, at: usize) -> Result<(), XmlError> {
        for index in 0..self.attributes.len() {
            let prefix = self.attributes[index].name.namespace;
            if prefix.is_empty() {
                continue;
            }
            let namespace = self.resolve_prefix(prefix, at)?;
            self.attributes[index].name.namespace = namespace;
        }
        // two prefixes may map to one namespace
        for (index, attribute) in self.attributes.iter().enumerate() {
            if self.attributes[..index].iter().any(|known| known.name == attribute.name) {
                let name = attribute.name.local.to_owned();
                return Err(self.error_at(at, XmlErrorKind::Duplicate { name }));
            }
        }
        Ok(())
    }

    pub(super) fn resolve_prefix(&self, prefix: &str, at: usize) -> Result<&'i str, XmlError> {
        let namespace = self.namespaces.resolve(prefix);
        namespace.ok_or_else(|| self.error_at(at, XmlErrorKind::Prefix { prefix: excerpt(prefix) }))
    }

    /// `<?xml version="1.0" encoding="UTF-8"?>`
    pub(super) fn declaration(&mut self, range: Range<usize>) -> Result<(), XmlError> {
        let at = range.start;
        if at != 0 {
            return Err(self.error_at(at, XmlErrorKind::LateDeclaration));
        }
        let input = self.input;
        let mut rest = between(&input[range], "<?xml", "?>");
        let (mut version, mut seen) = (false, 0);
        loop {
            rest = without_white(rest);
            if rest.is_empty() {
                break;
            }
            let (name, value, after) = self.split_attribute(rest, at)?;
            rest = after;
            seen += 1;
            match name {
                "version" if seen == 1 && value == "1.0" => version = true,
                _ if seen == 1 => return Err(self.error_at(at, XmlErrorKind::Version)),
                // US-ASCII is a part of UTF-8.
                "encoding" if !["utf-8", "us-ascii"].iter().any(|name| value.eq_ignore_ascii_case(name)) => {
                    return Err(self.error_at(at, XmlErrorKind::Encoding { found: excerpt(value) }));
                }
                "encoding" if seen == 2 => {}
                "standalone" if matches!(value, "yes" | "no") && seen <= 3 => {}
                _ => {
                    return Err(self.syntax(
                        at,
                        "an XML declaration has version, encoding and standalone, in this order",
                    ));
                }
            }
        }
        if version { Ok(()) } else { Err(self.error_at(at, XmlErrorKind::Version)) }
    }

    /// `<?target ...?>`, which is ignored.
    pub(super) fn instruction(&self, range: Range<usize>) -> Result<(), XmlError> {
        let at = range.start;
        let target = between(&self.input[range], "<?", "?>");
        let target = &target[..target.find(is_white).unwrap_or(target.len())];
        self.check_limit(at, LimitKind::Name, target.len(), self.limits.name)?;
        if target.eq_ignore_ascii_case("xml") {
            return Err(self.error_at(at, XmlErrorKind::LateDeclaration));
        }
        if is_ncname(target) {
            return Ok(());
        }
        Err(self.error_at(at, XmlErrorKind::InvalidName { found: excerpt(target) }))
    }
}

/// The text between two marks.
pub(super) fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let text = text.strip_prefix(begin).unwrap_or(text);
    text.strip_suffix(end).unwrap_or(text)
}

/// The number of leading octets that satisfy this; only for octets that are whole characters.
fn length_until(text: &str, is_end: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(is_end).unwrap_or(text.len())
}

/// Without white space before it.
fn without_white(text: &str) -> &str {
    &text[length_until(text, |octet| !is_white_octet(octet))..]
}

const fn is_white_octet(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\n' | b'\r')
}

/// White space of XML.
pub(super) fn is_white(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

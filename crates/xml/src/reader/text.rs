//! Characters between markup and in attributes: references, line ends (XML 1.0 sections 2.11, 3.3.3 and 4.1).

use std::borrow::Cow;
use std::ops::Range;

use super::markup::{between, is_white};
use super::{Reader, Token};
use crate::character::is_character;
use crate::error::{LimitKind, XmlError, XmlErrorKind, excerpt};

impl<'i> Reader<'i> {
    /// A decoded piece of text; `None` if it is white space outside the root element.
    pub(super) fn piece(&self, token: Token, range: Range<usize>) -> Result<Option<Cow<'i, str>>, XmlError> {
        let at = range.start;
        let raw: &'i str = &self.input[range];
        if self.open.is_empty() {
            let blank = token == Token::Text && raw.chars().all(is_white);
            return if blank { Ok(None) } else { Err(self.error_at(at, XmlErrorKind::OutsideRoot)) };
        }
        match token {
            Token::CData => Ok(Some(line_ends(between(raw, "<![CDATA[", "]]>")))),
            Token::Reference => {
                let name = between(raw, "&", ";");
                let character = self.reference(name, at)?;
                Ok(Some(match five(name) {
                    Some(text) => Cow::Borrowed(text),
                    None => Cow::Owned(character.to_string()),
                }))
            }
            _ => match raw.find("]]>") {
                Some(found) => Err(self.syntax(at + found, "]]> is not allowed in text; write ]]&gt;")),
                None => Ok(Some(line_ends(raw))),
            },
        }
    }

    /// Appends a piece to the preceding text.
    pub(super) fn join(
        &self,
        text: &mut Cow<'i, str>,
        piece: Cow<'i, str>,
        at: usize,
    ) -> Result<(), XmlError> {
        self.check_limit(at, LimitKind::Text, text.len() + piece.len(), self.limits.text)?;
        if text.is_empty() {
            *text = piece;
        } else {
            text.to_mut().push_str(&piece);
        }
        Ok(())
    }

    /// A decoded attribute value: references resolved, white space as spaces.
    pub(super) fn value(&self, raw: &'i str, at: usize) -> Result<Cow<'i, str>, XmlError> {
        self.check_limit(at, LimitKind::Text, raw.len(), self.limits.text)?;
        if !raw.bytes().any(|octet| matches!(octet, b'&' | b'<' | b'\t' | b'\n' | b'\r')) {
            return Ok(Cow::Borrowed(raw));
        }
        let mut value = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(found) = rest.find(['&', '<', '\t', '\n', '\r']) {
            let here = at + raw.len() - rest.len() + found;
            value.push_str(&rest[..found]);
            let after = &rest[found + 1..];
            rest = match rest.as_bytes()[found] {
                b'<' => return Err(self.syntax(here, "< is not allowed in an attribute; write &lt;")),
                b'&' => {
                    let Some((name, after)) = after.split_once(';') else {
                        let problem = "& starts a reference that has no ;, write &amp; for a plain &";
                        return Err(self.syntax(here, problem));
                    };
                    value.push(self.reference(name, here)?);
                    after
                }
                first => {
                    value.push(' ');
                    if first == b'\r' { after.strip_prefix('\n').unwrap_or(after) } else { after }
                }
            };
        }
        value.push_str(rest);
        Ok(Cow::Owned(value))
    }

    /// The meaning of `&name;`.
    fn reference(&self, name: &str, at: usize) -> Result<char, XmlError> {
        let character = match name.strip_prefix('#') {
            Some(number) => match number.strip_prefix('x') {
                Some(digits) => number_of(digits, 16),
                None => number_of(number, 10),
            },
            None => five(name).and_then(|text| text.chars().next()),
        };
        character.ok_or_else(|| self.error_at(at, XmlErrorKind::Reference { found: excerpt(name) }))
    }
}

/// The entities that need no declaration.
fn five(name: &str) -> Option<&'static str> {
    Some(match name {
        "lt" => "<",
        "gt" => ">",
        "amp" => "&",
        "apos" => "'",
        "quot" => "\"",
        _ => return None,
    })
}

fn number_of(digits: &str, radix: u32) -> Option<char> {
    // a sign is not a digit, though the number parser accepts it
    if !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let number = u32::from_str_radix(digits, radix).ok()?;
    char::from_u32(number).filter(|&character| is_character(character))
}

fn line_ends(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

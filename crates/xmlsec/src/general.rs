//! The reader of every spelling of the one form: prefixes and white space between elements are free, and nothing else.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use trunkline_xml::{Event, Limits, Name, Reader, XmlError};

use crate::algorithm::{Cipher, SignatureMethod};
use crate::canonical::{MOST, is_foreign, is_identifier, weight};
use crate::error::Malformed;
use crate::form::{Body, Form, Signature};
use crate::header::{Compression, Direction, Header, Nonce, Place};
use crate::name::KeyName;
use crate::number;
use crate::template::{DSIG, ELEMENT, ENVELOPED, EXCLUSIVE, PROTECTED, XENC};

/// Reads a message with its signature.
pub(crate) fn read(message: &[u8]) -> Result<(Form<'_>, Signature), Malformed> {
    let mut input = Input::new(message)?;
    let form = input.message()?;
    input.open(DSIG, "Signature", &[])?;
    let signature = input.signature()?;
    input.close()?;
    input.reader.finish()?;
    form.check(&signature)?;
    Ok((form, signature))
}

/// Reads what a signature covers: the message without its signature.
pub(crate) fn read_signed<'m>(message: &'m [u8], signature: &Signature) -> Result<Form<'m>, Malformed> {
    let mut input = Input::new(message)?;
    let form = input.message()?;
    input.close()?;
    input.reader.finish()?;
    form.check(signature)?;
    Ok(form)
}

struct Input<'m> {
    octets: &'m [u8],
    reader: Reader<'m>,
}

impl<'m> Input<'m> {
    fn new(octets: &'m [u8]) -> Result<Self, Malformed> {
        check_markup(octets)?;
        // The texts of a message may be as long as it is.
        let limits = Limits { octets: octets.len(), text: octets.len(), depth: DEEPEST, ..Limits::MESSAGE };
        Ok(Self { octets, reader: Reader::new(octets, limits) })
    }

    /// To the end of the content.
    fn message(&mut self) -> Result<Form<'m>, Malformed> {
        self.open(PROTECTED, "message", &[])?;
        let header = self.header()?;
        let name = self.reader.child()?.ok_or_else(|| self.reader.missing("content"))?;
        let body = match (name.of(PROTECTED), name.of(XENC)) {
            (Some("content"), _) => self.content()?,
            (_, Some("EncryptedData")) => self.encrypted(header.compression.is_some())?,
            _ => return Err(self.reader.unexpected("content or EncryptedData").into()),
        };
        Ok(Form { header, body })
    }

    fn header(&mut self) -> Result<Header, Malformed> {
        self.open(PROTECTED, "header", &[])?;
        let direction = self.leaf(PROTECTED, "direction")?;
        let direction =
            Direction::of_name(&direction).ok_or_else(|| self.reader.invalid("a direction", &direction))?;
        let mut next = self.field()?;
        let place = match next {
            Some("session") => {
                let text = self.text()?;
                let octets = self.decode(&text)?;
                let nonce =
                    octets.try_into().map_err(|_| self.reader.invalid("16 octets in base64", &text))?;
                Place::Session(Nonce(nonce))
            }
            Some("device") => Place::Device(self.parsed("a name")?),
            _ => return Err(self.reader.unexpected("session or device").into()),
        };
        next = self.field()?;
        let number = self.optional(&mut next, "number", number::decimal)?;
        let number = number.ok_or_else(|| self.reader.unexpected("number"))?;
        let in_reply_to = self.optional(&mut next, "in-reply-to", number::decimal)?;
        let time = self.optional(&mut next, "time", |text| text.parse().ok())?;
        let time = time.ok_or_else(|| self.reader.unexpected("time"))?;
        let expires = self.optional(&mut next, "expires", |text| text.parse().ok())?;
        let compression = self.optional(&mut next, "compression", Compression::of_name)?;
        let role = self.optional(&mut next, "role", |text| text.parse().ok())?;
        match next {
            None => Ok(Header { direction, place, number, in_reply_to, time, expires, compression, role }),
            Some(_) => Err(self.reader.unexpected("the end of the header").into()),
        }
    }

    /// The next element of the header, which has no attributes.
    fn field(&mut self) -> Result<Option<&'m str>, Malformed> {
        match self.reader.child()? {
            None => Ok(None),
            Some(name) => {
                self.attributes(&[])?;
                let local =
                    name.of(PROTECTED).ok_or_else(|| self.reader.unexpected("an element of the header"))?;
                Ok(Some(local))
            }
        }
    }

    /// Reads the element if it is the one that comes next, and goes to the one after it.
    fn optional<T>(
        &mut self,
        next: &mut Option<&'m str>,
        local: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Malformed> {
        if *next != Some(local) {
            return Ok(None);
        }
        let text = self.text()?;
        let value = read(&text).ok_or_else(|| self.reader.invalid(&format!("a valid {local}"), &text))?;
        *next = self.field()?;
        Ok(Some(value))
    }

    fn content(&mut self) -> Result<Body<'m>, Malformed> {
        self.attributes(&[])?;
        let mut from = None;
        let mut packed = Cow::Borrowed("");
        match self.reader.next()? {
            Event::Start(name) => from = Some((self.reader.position().offset, name)),
            Event::Text(text) if is_white(&text) => {
                if let Event::Start(name) = self.reader.next()? {
                    from = Some((self.reader.position().offset, name));
                }
            }
            Event::Text(text) => {
                packed = text;
                if !matches!(self.reader.next()?, Event::End(_)) {
                    return Err(self.reader.unexpected("the end of the content").into());
                }
            }
            Event::End(_) | Event::Eof => {}
        }
        let Some((from, name)) = from else { return self.decode(&packed).map(Body::Octets) };
        self.element(name)?;
        self.close()?;
        let element = self.octets[from..self.reader.position().offset].trim_ascii_end();
        Ok(Body::Element(element))
    }

    /// To the end of an element of a content: it must not be taken for a part of the message.
    fn element(&mut self, name: Name<'m>) -> Result<(), Malformed> {
        let depth = self.reader.depth();
        let mut next = Event::Start(name);
        let mut count = 0;
        loop {
            if let Event::Start(name) = next {
                let attributes = self.reader.attributes();
                count += weight(self.reader.tag().as_bytes());
                if count > MOST {
                    return Err(Malformed::Markup("a signed content of so many elements and attributes"));
                }
                let names = attributes.iter().map(|attribute| attribute.name);
                if !is_foreign(name.namespace) || names.clone().any(|name| !is_foreign(name.namespace)) {
                    return Err(self
                        .reader
                        .unexpected("an element that is not of protected messages")
                        .into());
                }
                if names.clone().any(|name| is_identifier(name.local)) {
                    return Err(Malformed::Markup(
                        "an attribute that is an identifier, within a signed content,",
                    ));
                }
            }
            if self.reader.depth() < depth {
                return Ok(());
            }
            next = self.reader.next()?;
        }
    }

    fn encrypted(&mut self, compressed: bool) -> Result<Body<'m>, Malformed> {
        self.attributes(&["Type"])?;
        if let Some(kind) = self.reader.attribute("", "Type")
            && (kind != ELEMENT || compressed)
        {
            return Err(self.reader.invalid("no Type, or that of an element", &kind).into());
        }
        let uri = self.algorithm(XENC, "EncryptionMethod")?;
        let cipher =
            Cipher::of_uri(&uri).ok_or_else(|| self.reader.invalid("a cipher of this form", &uri))?;
        self.close()?;
        let key = self.key()?;
        self.open(XENC, "CipherData", &[])?;
        let text = self.leaf(XENC, "CipherValue")?;
        let value = self.decode(&text)?;
        self.close()?;
        self.close()?;
        Ok(Body::Encrypted { cipher, key, value })
    }

    /// To the end of the signature.
    fn signature(&mut self) -> Result<Signature, Malformed> {
        self.open(DSIG, "SignedInfo", &[])?;
        self.known(DSIG, "CanonicalizationMethod", EXCLUSIVE)?;
        let uri = self.algorithm(DSIG, "SignatureMethod")?;
        let method = SignatureMethod::of_uri(&uri)
            .ok_or_else(|| self.reader.invalid("a signature of this form", &uri))?;
        self.close()?;
        self.open(DSIG, "Reference", &["URI"])?;
        let uri = self.reader.require("URI")?;
        if !uri.is_empty() {
            return Err(self.reader.invalid("URI=\"\", the whole message", &uri).into());
        }
        self.open(DSIG, "Transforms", &[])?;
        self.known(DSIG, "Transform", ENVELOPED)?;
        self.known(DSIG, "Transform", EXCLUSIVE)?;
        self.close()?;
        self.known(DSIG, "DigestMethod", method.digest_uri())?;
        let text = self.leaf(DSIG, "DigestValue")?;
        let digest = self.decode(&text)?;
        self.close()?;
        self.close()?;
        let text = self.leaf(DSIG, "SignatureValue")?;
        let value = self.decode(&text)?;
        let key = self.key()?;
        self.close()?;
        Ok(Signature { method, digest, value, key })
    }

    /// A KeyInfo with a name alone.
    fn key(&mut self) -> Result<KeyName, Malformed> {
        self.open(DSIG, "KeyInfo", &[])?;
        let text = self.leaf(DSIG, "KeyName")?;
        let key = text.parse().map_err(|_| self.reader.invalid("the name of a key", &text))?;
        self.close()?;
        Ok(key)
    }

    /// An element that names exactly this algorithm.
    fn known(&mut self, namespace: &str, local: &str, uri: &str) -> Result<(), Malformed> {
        let found = self.algorithm(namespace, local)?;
        if found != uri {
            return Err(self.reader.invalid(uri, &found).into());
        }
        self.close()
    }

    fn algorithm(&mut self, namespace: &str, local: &str) -> Result<Cow<'m, str>, Malformed> {
        self.open(namespace, local, &["Algorithm"])?;
        Ok(self.reader.require("Algorithm")?)
    }

    fn open(&mut self, namespace: &str, local: &str, attributes: &[&str]) -> Result<(), Malformed> {
        self.reader.expect(namespace, local)?;
        self.attributes(attributes)
    }

    fn close(&mut self) -> Result<(), Malformed> {
        Ok(self.reader.end()?)
    }

    fn leaf(&mut self, namespace: &str, local: &str) -> Result<Cow<'m, str>, Malformed> {
        self.open(namespace, local, &[])?;
        self.text()
    }

    fn text(&mut self) -> Result<Cow<'m, str>, Malformed> {
        Ok(self.reader.leaf()?)
    }

    fn parsed<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, Malformed> {
        let text = self.text()?;
        Ok(text.parse().map_err(|_| self.reader.invalid(expected, &text))?)
    }

    /// The start tag has no other attributes than these.
    fn attributes(&self, known: &[&str]) -> Result<(), Malformed> {
        let known = |name: &Name<'_>| name.namespace.is_empty() && known.contains(&name.local);
        match self.reader.attributes().iter().find(|attribute| !known(&attribute.name)) {
            Some(unknown) => Err(self.unknown(unknown.name.local).into()),
            None => Ok(()),
        }
    }

    fn unknown(&self, attribute: &str) -> XmlError {
        self.reader.invalid("no such attribute", attribute)
    }

    /// Base64, which other libraries break into lines.
    fn decode(&self, text: &str) -> Result<Vec<u8>, Malformed> {
        let packed: Vec<u8> = text.bytes().filter(|octet| !WHITE.contains(octet)).collect();
        Ok(STANDARD.decode(packed).map_err(|_| self.reader.invalid("base64", text))?)
    }
}

/// No comments, CDATA sections, document types and processing instructions, wherever they are: to one library they are a part of
/// the text around them, to another they end it. In XML `<` begins nothing but markup.
fn check_markup(octets: &[u8]) -> Result<(), Malformed> {
    let declaration = if octets.starts_with(b"<?xml ") { 2 } else { 0 };
    let mut rest = &octets[declaration..];
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = &rest[at + 1..];
        match rest {
            [b'!', b'-', ..] => return Err(Malformed::Markup("a comment")),
            [b'!', b'[', ..] => return Err(Malformed::Markup("a CDATA section")),
            [b'!', ..] => return Err(Malformed::Markup("a document type declaration")),
            [b'?', ..] => return Err(Malformed::Markup("a processing instruction")),
            _ => {}
        }
    }
    match octets {
        [0xef, ..] => Err(Malformed::Markup("a byte order mark")),
        _ => Ok(()),
    }
}

fn is_white(text: &str) -> bool {
    text.bytes().all(|octet| WHITE.contains(&octet))
}

/// Elements within each other.
const DEEPEST: usize = 64;

/// White space of XML.
const WHITE: &[u8] = b" \t\n\r";

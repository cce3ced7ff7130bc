//! The quick reader: of exactly the octets that [`crate::seal`] writes, which are canonical as they stand. What it does not
//! recognise it leaves to [`crate::general`]; what it recognises means the same there.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::algorithm::{Cipher, SignatureMethod};
use crate::canonical;
use crate::form::{Body, Form, Signature};
use crate::header::{Compression, Direction, Header, Nonce, Place};
use crate::name::KeyName;
use crate::number;
use crate::template as piece;
use crate::time::Time;

/// A message that was written by us.
pub(crate) struct Direct<'m> {
    pub(crate) form: Form<'m>,
    pub(crate) signature: Signature,
    /// What its digest covers, in order.
    pub(crate) digested: [&'m [u8]; 2],
    /// What its signature covers.
    pub(crate) signed: Vec<u8>,
}

/// Reads a message in exactly our spelling.
pub(crate) fn read(message: &[u8]) -> Option<Direct<'_>> {
    let mut cursor = Cursor { octets: message, at: 0 };
    let header = header(&mut cursor)?;
    let body = match cursor.eat(piece::CONTENT.0) {
        Some(()) => content(&mut cursor)?,
        None => encrypted(&mut cursor)?,
    };
    let digested = [&message[..cursor.at], piece::END.as_bytes()];
    cursor.eat(piece::SIGNATURE)?;
    let method =
        SignatureMethod::ALL.into_iter().find(|method| cursor.eat(piece::signed_info(*method)).is_some())?;
    let digest = cursor.text();
    let signed = piece::signed_octets(method, digest);
    let digest = STANDARD.decode(digest).ok()?;
    cursor.eat(piece::SIGNED_INFO_END)?;
    let value = cursor.base64(piece::SIGNATURE_VALUE)?;
    let key = cursor.parsed(piece::SIGNATURE_KEY)?;
    cursor.eat(piece::END)?;
    let whole = cursor.at == message.len();
    let signature = Signature { method, digest, value, key };
    let form = Form { header, body };
    (whole && form.check(&signature).is_ok()).then_some(Direct { form, signature, digested, signed })
}

fn header(cursor: &mut Cursor<'_>) -> Option<Header> {
    cursor.eat(piece::BEGIN)?;
    let direction = Direction::of_name(cursor.utf8()?)?;
    cursor.eat(piece::DIRECTION_END)?;
    let place = match cursor.eat(piece::SESSION.0) {
        Some(()) => {
            let nonce = Nonce::from_base64(cursor.utf8()?)?;
            cursor.eat(piece::SESSION.1)?;
            Place::Session(nonce)
        }
        None => Place::Device(cursor.parsed(piece::DEVICE)?),
    };
    let number = cursor.between(piece::NUMBER).and_then(number::decimal)?;
    let in_reply_to = cursor.optional(piece::IN_REPLY_TO, number::decimal)?;
    let time = cursor.between(piece::TIME).and_then(|text| Time::from_spelling(text.as_bytes()))?;
    let expires = cursor.optional(piece::EXPIRES, |text| Time::from_spelling(text.as_bytes()))?;
    let compression = cursor.optional(piece::COMPRESSION, Compression::of_name)?;
    let role = cursor.optional(piece::ROLE, |text| text.parse().ok())?;
    cursor.eat(piece::HEADER_END)?;
    Some(Header { direction, place, number, in_reply_to, time, expires, compression, role })
}

fn content<'m>(cursor: &mut Cursor<'m>) -> Option<Body<'m>> {
    let rest = &cursor.octets[cursor.at..];
    let body = if rest.starts_with(b"<") && !rest.starts_with(piece::CONTENT.1.as_bytes()) {
        let length = canonical::element(rest)?;
        cursor.at += length;
        Body::Element(&rest[..length])
    } else {
        Body::Octets(STANDARD.decode(cursor.text()).ok()?)
    };
    cursor.eat(piece::CONTENT.1)?;
    Some(body)
}

fn encrypted<'m>(cursor: &mut Cursor<'m>) -> Option<Body<'m>> {
    cursor.eat(piece::ENCRYPTED_DATA)?;
    let cipher = Cipher::ALL.into_iter().find(|cipher| cursor.eat(cipher.uri()).is_some())?;
    let key: KeyName = cursor.parsed((piece::ENCRYPTION_KEY, piece::CIPHER_VALUE))?;
    let value = STANDARD.decode(cursor.text()).ok()?;
    cursor.eat(piece::ENCRYPTED_DATA_END)?;
    Some(Body::Encrypted { cipher, key, value })
}

struct Cursor<'m> {
    octets: &'m [u8],
    at: usize,
}

impl<'m> Cursor<'m> {
    fn eat(&mut self, expected: &str) -> Option<()> {
        self.octets[self.at..].starts_with(expected.as_bytes()).then(|| self.at += expected.len())
    }

    /// What is before the next tag.
    fn text(&mut self) -> &'m [u8] {
        let rest = &self.octets[self.at..];
        let length = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn utf8(&mut self) -> Option<&'m str> {
        std::str::from_utf8(self.text()).ok()
    }

    fn between(&mut self, tags: (&str, &str)) -> Option<&'m str> {
        self.eat(tags.0)?;
        let text = self.utf8()?;
        self.eat(tags.1)?;
        Some(text)
    }

    /// Nothing if the element is not there; nothing at all if it is not valid.
    #[allow(clippy::option_option, reason = "the outer one is whether the message is recognised")]
    fn optional<T>(
        &mut self,
        tags: (&str, &str),
        read: impl FnOnce(&'m str) -> Option<T>,
    ) -> Option<Option<T>> {
        if !self.octets[self.at..].starts_with(tags.0.as_bytes()) {
            return Some(None);
        }
        self.between(tags).and_then(read).map(Some)
    }

    fn parsed<T: std::str::FromStr>(&mut self, tags: (&str, &str)) -> Option<T> {
        self.between(tags)?.parse().ok()
    }

    fn base64(&mut self, tags: (&str, &str)) -> Option<Vec<u8>> {
        self.between(tags).and_then(|text| STANDARD.decode(text).ok())
    }
}

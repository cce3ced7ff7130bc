//! A cursor over the octets of one message: type, length, contents, each
//! checked once and against the end of what holds it (BER, definite lengths
//! only; RFC 3417 section 8).

use super::tag;
use crate::{DecodeError, Element};

/// Reads elements one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Where `rest` starts in the message, for errors.
    offset: usize,
}

/// One element: its type, where it starts, and a reader over its contents.
pub(crate) struct Found<'a> {
    pub tag: u8,
    pub offset: usize,
    pub contents: Reader<'a>,
}

impl Found<'_> {
    /// How many octets type and length have.
    pub fn header(&self) -> usize {
        self.contents.offset - self.offset
    }
}

impl<'a> Reader<'a> {
    pub fn new(octets: &'a [u8]) -> Self {
        Reader { rest: octets, offset: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Where the next element starts in the message.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The octets not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next element, whatever its type.
    #[inline]
    pub fn any(&mut self, element: Element) -> Result<Found<'a>, DecodeError> {
        if let [tag, length @ 0..=0x7f, body @ ..] = self.rest
            && let Some((contents, rest)) = body.split_at_checked(usize::from(*length))
        {
            return Ok(self.advance(*tag, 2, contents, rest));
        }
        self.any_long(element)
    }

    /// The next element, which must have this type.
    #[inline]
    pub fn expect(&mut self, expected: u8, element: Element) -> Result<Found<'a>, DecodeError> {
        // The type is checked first: a wrong type explains more than the errors that follow from it.
        match self.rest.first() {
            Some(&found) if found != expected => {
                Err(DecodeError::UnexpectedTag { element, offset: self.offset, expected, found })
            }
            _ => self.any(element),
        }
    }

    /// The next element, which must be an INTEGER of 32 bits.
    #[inline]
    pub fn integer(&mut self, element: Element) -> Result<i32, DecodeError> {
        if let [tag::INTEGER, 1, octet, rest @ ..] = self.rest {
            self.rest = rest;
            self.offset += 3;
            return Ok(i32::from(*octet as i8));
        }
        // identifiers, which are spread over the whole range
        if let [tag::INTEGER, 4, a, b, c, d, rest @ ..] = self.rest {
            self.rest = rest;
            self.offset += 6;
            return Ok(i32::from_be_bytes([*a, *b, *c, *d]));
        }
        let found = self.expect(tag::INTEGER, element)?;
        integer(found.contents.rest, element, found.offset)
    }

    /// The next element, which must be an INTEGER of at least `least`; none is above 2^31-1.
    #[inline]
    pub fn integer_within(&mut self, element: Element, least: i32) -> Result<i32, DecodeError> {
        let offset = self.offset;
        let found = self.integer(element)?;
        if found < least {
            return Err(DecodeError::IntegerRange { element, offset, least, found });
        }
        Ok(found)
    }

    /// Ends the reading of an element: nothing may be left in it.
    #[inline]
    pub fn finish(&self, element: Element) -> Result<(), DecodeError> {
        if self.is_empty() {
            return Ok(());
        }
        Err(DecodeError::TrailingOctets { element, offset: self.offset, count: self.rest.len() })
    }

    #[inline]
    fn advance(&mut self, tag: u8, header: usize, contents: &'a [u8], rest: &'a [u8]) -> Found<'a> {
        let offset = self.offset;
        let start = offset + header;
        *self = Reader { rest, offset: start + contents.len() };
        Found { tag, offset, contents: Reader { rest: contents, offset: start } }
    }

    /// The long form of the length, and all errors of any form. The low bits of the first octet count the octets
    /// that follow. One to four are accepted, with leading zeros if the sender likes (Net-SNMP writes 0x82 for
    /// lengths below 128).
    #[inline(never)]
    fn any_long(&mut self, element: Element) -> Result<Found<'a>, DecodeError> {
        let offset = self.offset;
        let [tag, form, body @ ..] = self.rest else {
            return Err(DecodeError::Truncated { element, offset });
        };
        let size = match form {
            0..=0x7f => 0,
            0x80 => return Err(DecodeError::IndefiniteLength { element, offset }),
            0x81..=0x84 => usize::from(form & 0x7f),
            _ => return Err(DecodeError::LengthForm { element, offset, octets: form & 0x7f }),
        };
        let Some((octets, body)) = body.split_at_checked(size) else {
            return Err(DecodeError::Truncated { element, offset });
        };
        let length = match size {
            0 => usize::from(*form),
            _ => octets.iter().fold(0, |sum, &octet| sum << 8 | usize::from(octet)),
        };
        let Some((contents, rest)) = body.split_at_checked(length) else {
            return Err(DecodeError::LengthBeyondEnd { element, offset, length, available: body.len() });
        };
        Ok(self.advance(*tag, 2 + size, contents, rest))
    }
}

/// Contents of an INTEGER: one to four octets in two's complement. Longer than needed is tolerated, since
/// agents exist that always send four; five octets are not a number of SMIv2.
#[inline]
pub(crate) fn integer(contents: &[u8], element: Element, offset: usize) -> Result<i32, DecodeError> {
    match *contents {
        [a] => Ok(i32::from(a as i8)),
        [a, b] => Ok(i32::from(i16::from_be_bytes([a, b]))),
        [a, b, c] => Ok(i32::from_be_bytes([a, b, c, 0]) >> 8),
        [a, b, c, d] => Ok(i32::from_be_bytes([a, b, c, d])),
        _ => Err(DecodeError::NumberSize { element, offset, most: 4, found: contents.len() }),
    }
}

/// Contents of a Counter32, Gauge32 or TimeTicks: up to five octets, five only with a leading zero. Four with
/// the top bit set are read as unsigned: agents exist that leave the zero away, and nothing else can be meant.
#[inline]
pub(crate) fn unsigned32(contents: &[u8], offset: usize) -> Result<u32, DecodeError> {
    match *contents {
        [a @ 0..=0x7f] => Ok(u32::from(a)),
        [a @ 0..=0x7f, b] => Ok(u32::from_be_bytes([0, 0, a, b])),
        [a @ 0..=0x7f, b, c] => Ok(u32::from_be_bytes([0, a, b, c])),
        [a, b, c, d] | [0, a, b, c, d] => Ok(u32::from_be_bytes([a, b, c, d])),
        _ => Err(unsigned_error(contents, offset, 32)),
    }
}

/// Contents of a Counter64, by the rules of [`unsigned32`] with eight and nine octets.
#[inline]
pub(crate) fn unsigned64(contents: &[u8], offset: usize) -> Result<u64, DecodeError> {
    let digits = match contents {
        [0, digits @ ..] if digits.len() == 8 => digits,
        digits if digits.len() == 8 => digits,
        [0..=0x7f, ..] if contents.len() < 8 => contents,
        _ => return Err(unsigned_error(contents, offset, 64)),
    };
    Ok(digits.iter().fold(0, |sum, &octet| sum << 8 | u64::from(octet)))
}

#[cold]
fn unsigned_error(contents: &[u8], offset: usize, bits: u8) -> DecodeError {
    let (most, found) = (usize::from(bits / 8) + 1, contents.len());
    if found == 0 || found > most {
        return DecodeError::NumberSize { element: Element::Value, offset, most, found };
    }
    DecodeError::NumberRange { offset, bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(octets: &[u8]) -> Result<(u8, usize), DecodeError> {
        Reader::new(octets).any(Element::Value).map(|found| (found.tag, found.contents.rest().len()))
    }

    #[test]
    fn lengths_short_and_long() {
        assert_eq!(read(&[4, 0]), Ok((4, 0)));
        assert_eq!(read(&[4, 1, 9, 9]), Ok((4, 1)));
        assert_eq!(read(&[4, 0x81, 1, 9]), Ok((4, 1)));
        assert_eq!(read(&[4, 0x84, 0, 0, 0, 1, 9]), Ok((4, 1)));
        let mut long = vec![4, 0x82, 1, 0];
        long.extend([7; 256]);
        assert_eq!(read(&long), Ok((4, 256)));
    }

    #[test]
    fn wrong_lengths_are_reported() {
        let (element, offset) = (Element::Value, 0);
        assert_eq!(read(&[]), Err(DecodeError::Truncated { element, offset }));
        assert_eq!(read(&[4]), Err(DecodeError::Truncated { element, offset }));
        assert_eq!(read(&[4, 0x82, 1]), Err(DecodeError::Truncated { element, offset }));
        assert_eq!(read(&[4, 0x80, 0, 0]), Err(DecodeError::IndefiniteLength { element, offset }));
        for octets in [5, 0x7f] {
            let bytes = [4, 0x80 | octets, 0, 0, 0, 0, 0];
            assert_eq!(read(&bytes), Err(DecodeError::LengthForm { element, offset, octets }));
        }
        assert_eq!(
            read(&[4, 3, 1, 2]),
            Err(DecodeError::LengthBeyondEnd { element, offset, length: 3, available: 2 })
        );
        assert_eq!(
            read(&[4, 0x84, 0xff, 0xff, 0xff, 0xff]),
            Err(DecodeError::LengthBeyondEnd { element, offset, length: 0xffff_ffff, available: 0 })
        );
    }

    #[test]
    fn integers() {
        let read = |contents: &[u8]| integer(contents, Element::Value, 0).ok();
        assert_eq!(read(&[0]), Some(0));
        assert_eq!(read(&[0x7f]), Some(127));
        assert_eq!(read(&[0, 0x80]), Some(128));
        assert_eq!(read(&[0x80]), Some(-128));
        assert_eq!(read(&[0xff, 0x7f]), Some(-129));
        assert_eq!(read(&[0x80, 0, 0]), Some(-8_388_608));
        assert_eq!(read(&[0x7f, 0xff, 0xff, 0xff]), Some(i32::MAX));
        assert_eq!(read(&[0x80, 0, 0, 0]), Some(i32::MIN));
        assert_eq!(read(&[0, 0, 0, 1]), Some(1));
        assert_eq!(read(&[]), None);
        assert_eq!(
            integer(&[2, 0, 0, 0, 0], Element::RequestId, 7),
            Err(DecodeError::NumberSize { element: Element::RequestId, offset: 7, most: 4, found: 5 })
        );
    }

    #[test]
    fn unsigned_numbers() {
        for (contents, value) in [
            (&[0][..], 0),
            (&[0x7f], 127),
            (&[0, 0x80], 128),
            (&[0, 0xff, 0xff, 0xff], 0xff_ffff),
            (&[0, 0xff, 0xff, 0xff, 0xff], u32::MAX),
            (&[0xff, 0xff, 0xff, 0xff], u32::MAX),
        ] {
            assert_eq!(unsigned32(contents, 0), Ok(value), "{contents:?}");
            assert_eq!(unsigned64(contents, 0).ok(), (contents[0] < 0x80).then_some(u64::from(value)));
        }
        assert_eq!(unsigned32(&[0x80], 3), Err(DecodeError::NumberRange { offset: 3, bits: 32 }));
        assert_eq!(unsigned32(&[1, 0, 0, 0, 0], 3), Err(DecodeError::NumberRange { offset: 3, bits: 32 }));
        for contents in [&[][..], &[0, 0, 0, 0, 0, 0]] {
            assert!(matches!(unsigned32(contents, 3), Err(DecodeError::NumberSize { most: 5, .. })));
        }
        assert_eq!(unsigned64(&[0xff; 8], 0), Ok(u64::MAX));
        assert_eq!(unsigned64(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 0), Ok(u64::MAX));
        assert_eq!(unsigned64(&[0x80; 7], 0), Err(DecodeError::NumberRange { offset: 0, bits: 64 }));
        assert_eq!(unsigned64(&[1; 9], 0), Err(DecodeError::NumberRange { offset: 0, bits: 64 }));
        for contents in [&[][..], &[0; 10]] {
            assert!(matches!(unsigned64(contents, 0), Err(DecodeError::NumberSize { most: 9, .. })));
        }
    }
}

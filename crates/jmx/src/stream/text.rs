//! Modified UTF-8 (Java Virtual Machine Specification, section 4.4.7): NUL takes two octets, and what is beyond the basic
//! plane takes two surrogates of three.

use crate::error::Error;

/// The octets of a text in modified UTF-8, without a length.
pub(crate) fn encode_text(text: &str, out: &mut Vec<u8>) {
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    for unit in text.encode_utf16() {
        match unit {
            1..0x80 => out.push(unit as u8),
            0 | 0x80..0x800 => out.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => out.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 0x3f) as u8,
                0x80 | (unit & 0x3f) as u8,
            ]),
        }
    }
}

/// How many octets [`encode_text`] writes.
pub(crate) fn encoded_length(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    text.encode_utf16()
        .map(|unit| if unit == 0 { 2 } else { 1 + usize::from(unit >= 0x80) + usize::from(unit >= 0x800) })
        .sum()
}

/// Whether UTF-8 and its modified form are the same.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|octet| octet != 0 && octet < 0xf0)
}

/// A text from modified UTF-8. A surrogate without its other half becomes U+FFFD, since no text of ours can hold it.
pub(crate) fn decode_text(octets: &[u8]) -> Result<String, Error> {
    if let Ok(text) = std::str::from_utf8(octets)
        && text.is_ascii()
        && !octets.contains(&0)
    {
        return Ok(text.to_owned());
    }
    let mut units = Vec::with_capacity(octets.len());
    let mut rest = octets;
    while let Some(&first) = rest.first() {
        let (unit, length) = match (first, rest.get(1).copied(), rest.get(2).copied()) {
            (0..0x80, ..) => (u16::from(first), 1),
            (0xc0..0xe0, Some(b @ 0x80..0xc0), _) => (u16::from(first & 0x1f) << 6 | u16::from(b & 0x3f), 2),
            (0xe0..0xf0, Some(b @ 0x80..0xc0), Some(c @ 0x80..0xc0)) => {
                (u16::from(first & 0xf) << 12 | u16::from(b & 0x3f) << 6 | u16::from(c & 0x3f), 3)
            }
            _ => return Err(Error::Text { found: first, at: octets.len() - rest.len() }),
        };
        units.push(unit);
        rest = &rest[length..];
    }
    Ok(char::decode_utf16(units).map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_modified_utf_8() {
        for (text, octets) in [
            ("", &b""[..]),
            ("abc", b"abc"),
            ("\0", &[0xc0, 0x80]),
            ("\u{e9}", &[0xc3, 0xa9]),
            ("\u{20ac}", &[0xe2, 0x82, 0xac]),
            ("\u{1f600}", &[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]),
        ] {
            let mut out = Vec::new();
            encode_text(text, &mut out);
            assert_eq!(out, octets, "{text:?}");
            assert_eq!(encoded_length(text), octets.len(), "{text:?}");
            assert_eq!(decode_text(octets).unwrap(), text);
        }
    }

    #[test]
    fn half_a_pair_is_replaced_and_malformed_octets_are_refused() {
        assert_eq!(decode_text(&[0xed, 0xa0, 0xbd]).unwrap(), "\u{fffd}");
        for malformed in
            [&[0x80][..], &[0xc3], &[0xc3, 0x28], &[0xe2, 0x82], &[0xf0, 0x9f, 0x98, 0x80], &[0xff]]
        {
            assert!(matches!(decode_text(malformed), Err(Error::Text { at: 0, .. })), "{malformed:x?}");
        }
    }
}

//! Octets that are text, into XML and back without loss.

use crate::number::{hex, unhex};

/// Appends text, with `<`, `>`, `&` and carriage returns escaped. Octets that are not UTF-8, and characters that
/// XML cannot represent, are written `\xHH`; a backslash that would look like this is `\x5C`.
pub fn write_text(into: &mut Vec<u8>, octets: &[u8]) {
    if is_plain(octets) {
        return into.extend_from_slice(octets);
    }
    for chunk in octets.utf8_chunks() {
        write_chunk(into, chunk.valid());
        chunk.invalid().iter().for_each(|octet| write_octet(into, *octet));
    }
}

/// Whether [`write_text`] writes these octets as they are.
#[inline]
pub(super) fn is_plain(octets: &[u8]) -> bool {
    let plain = |octet: &u8| matches!(octet, b' '..=b'~') && !matches!(octet, b'<' | b'>' | b'&' | b'\\');
    octets.iter().all(plain)
}

/// Whether [`write_token`] writes these octets as they are.
#[inline]
pub(super) fn is_plain_token(octets: &[u8]) -> bool {
    let plain = |octet: &u8| matches!(octet, b'!'..=b'~') && !matches!(octet, b'<' | b'>' | b'&' | b'%');
    !matches!(octets, [] | b"-") && octets.iter().all(plain)
}

fn write_chunk(into: &mut Vec<u8>, text: &str) {
    let octets = text.as_bytes();
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => into.extend_from_slice(b"&lt;"),
            '>' => into.extend_from_slice(b"&gt;"),
            '&' => into.extend_from_slice(b"&amp;"),
            '\r' => into.extend_from_slice(b"&#13;"),
            '\\' if looks_escaped(&octets[at..]) => write_octet(into, b'\\'),
            '\t' | '\n' | ' '..='~' => into.push(letter as u8),
            '\0'..='\u{1f}' => write_octet(into, letter as u8),
            '\u{fffe}' | '\u{ffff}' => {
                octets[at..at + 3].iter().for_each(|octet| write_octet(into, *octet));
            }
            other => into.extend_from_slice(&octets[at..at + other.len_utf8()]),
        }
    }
}

fn write_octet(into: &mut Vec<u8>, octet: u8) {
    into.extend_from_slice(b"\\x");
    into.extend_from_slice(&hex(octet));
}

fn looks_escaped(octets: &[u8]) -> bool {
    escaped(octets).is_some()
}

/// The octet of `\xHH` at the beginning.
fn escaped(octets: &[u8]) -> Option<u8> {
    match octets {
        [b'\\', b'x', high, low, ..] => unhex(*high, *low),
        _ => None,
    }
}

/// The octets of a text that [`write_text`] wrote, XML's own escapes being undone.
pub fn read_escaped(text: &str) -> Vec<u8> {
    let octets = text.as_bytes();
    let mut read = Vec::with_capacity(octets.len());
    let mut at = 0;
    while at < octets.len() {
        match escaped(&octets[at..]) {
            Some(octet) => {
                read.push(octet);
                at += 4;
            }
            None => {
                read.push(octets[at]);
                at += 1;
            }
        }
    }
    read
}

/// Appends octets as one token of a list: blanks and everything that XML or the list would misread become `%HH`,
/// an empty value is `%`, and a value `-` is `%2D`, since the token `-` means no value.
pub fn write_token(into: &mut Vec<u8>, octets: &[u8]) {
    match octets {
        [] => return into.push(b'%'),
        b"-" => return into.extend_from_slice(b"%2D"),
        plain if is_plain_token(plain) => return into.extend_from_slice(plain),
        _ => {}
    }
    for chunk in octets.utf8_chunks() {
        for letter in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let encoded = letter.encode_utf8(&mut buffer).as_bytes();
            if is_open(letter) {
                into.extend_from_slice(encoded);
            } else {
                encoded.iter().for_each(|octet| write_percent(into, *octet));
            }
        }
        chunk.invalid().iter().for_each(|octet| write_percent(into, *octet));
    }
}

/// Whether a character stands for itself in a token.
#[inline]
const fn is_open(letter: char) -> bool {
    matches!(letter, '!'..='~' | '\u{a1}'..='\u{1fff}' | '\u{3001}'..='\u{d7ff}')
        && !matches!(letter, '<' | '>' | '&' | '%')
}

fn write_percent(into: &mut Vec<u8>, octet: u8) {
    into.push(b'%');
    into.extend_from_slice(&hex(octet));
}

/// The octets of a token that [`write_token`] wrote; `None` if a percent sign is not followed by two digits.
pub fn read_token(token: &str) -> Option<Vec<u8>> {
    if token == "%" {
        return Some(Vec::new());
    }
    let mut octets = token.bytes();
    let mut read = Vec::with_capacity(token.len());
    while let Some(octet) = octets.next() {
        read.push(match octet {
            b'%' => unhex(octets.next()?, octets.next()?)?,
            other => other,
        });
    }
    Some(read)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_that_xml_cannot_carry_are_escaped() {
        for (octets, text) in [
            (&b"eth0"[..], "eth0"),
            (b"a<b>&c", "a&lt;b&gt;&amp;c"),
            (b"a\r\n", "a&#13;\n"),
            (b"\x00\xff", r"\x00\xFF"),
            (br"C:\x20", r"C:\x5Cx20"),
            (br"C:\dir", r"C:\dir"),
            ("größe".as_bytes(), "größe"),
            ("\u{ffff}".as_bytes(), r"\xEF\xBF\xBF"),
        ] {
            let mut into = Vec::new();
            write_text(&mut into, octets);
            assert_eq!(String::from_utf8(into).unwrap(), text);
        }
    }

    #[test]
    fn tokens() {
        for (octets, text) in [
            (&b"eth0"[..], "eth0"),
            (b"", "%"),
            (b"-", "%2D"),
            (b"--", "--"),
            (b"a b%", "a%20b%25"),
            (b"\xff<", "%FF%3C"),
        ] {
            let mut into = Vec::new();
            write_token(&mut into, octets);
            assert_eq!(String::from_utf8(into).unwrap(), text);
        }
        assert_eq!(read_token("a%2"), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost(octets in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut into = Vec::new();
            write_text(&mut into, &octets);
            let document = format!("<a>{}</a>", String::from_utf8(into).unwrap());
            let mut reader = trunkline_xml::Reader::new(document.as_bytes(), trunkline_xml::Limits::MESSAGE);
            reader.expect("", "a").unwrap();
            prop_assert_eq!(read_escaped(&reader.leaf().unwrap()), octets.clone());
            let mut into = Vec::new();
            write_token(&mut into, &octets);
            let token = String::from_utf8(into).unwrap();
            prop_assert!(!token.contains(char::is_whitespace) && token != "-");
            prop_assert_eq!(read_token(&token), Some(octets));
        }
    }
}

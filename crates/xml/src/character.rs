//! Which characters XML 1.0 can carry at all: no control characters but tab and line ends, not even as references.

use thiserror::Error;

/// These octets cannot be text in an XML document; the caller must choose hexadecimal or base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("octet {offset} cannot be part of an XML text")]
pub struct NotText {
    /// The offset of the first octet that is not UTF-8, or of the first character that XML does not allow.
    pub offset: usize,
}

/// These octets as text, if XML preserves it octet by octet.
///
/// # Errors
///
/// They are not UTF-8, or contain a character that production 2 of XML 1.0 excludes.
pub fn as_text(octets: &[u8]) -> Result<&str, NotText> {
    let text = std::str::from_utf8(octets).map_err(|error| NotText { offset: error.valid_up_to() })?;
    match first_forbidden(octets) {
        Some(offset) => Err(NotText { offset }),
        None => Ok(text),
    }
}

/// Whether XML can carry these characters.
pub fn is_text(text: &str) -> bool {
    first_forbidden(text.as_bytes()).is_none()
}

/// The offset of the first character that XML 1.0 does not allow, in valid UTF-8.
pub(crate) fn first_forbidden(utf8: &[u8]) -> Option<usize> {
    let mut from = 0;
    for piece in utf8.chunks(PIECE) {
        // Most pieces need no closer look, and all octets of one are checked together.
        if piece.iter().fold(false, |any, octet| any | (*octet < 0x20) | (*octet == 0xef)) {
            let found = (from..from + piece.len()).find(|at| is_forbidden_at(utf8, *at));
            if found.is_some() {
                return found;
            }
        }
        from += piece.len();
    }
    None
}

const PIECE: usize = 32;

/// Whether a character that XML 1.0 does not allow begins here.
pub(crate) fn is_forbidden_at(utf8: &[u8], at: usize) -> bool {
    match utf8[at] {
        b'\t' | b'\n' | b'\r' => false,
        0..0x20 => true,
        0xef => matches!(utf8.get(at + 1..at + 3), Some([0xbf, 0xbe | 0xbf])),
        _ => false,
    }
}

/// Whether a character reference may name it (production 2).
pub(crate) fn is_character(character: char) -> bool {
    !matches!(character, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_can_carry() {
        for good in ["", "a\tb\r\n", "\u{7f}\u{85}", "\u{fffd}", "\u{1f600}"] {
            assert_eq!(as_text(good.as_bytes()), Ok(good));
            assert!(good.chars().all(is_character));
        }
        for bad in ["ab\0", "ab\u{1b}", "ab\u{fffe}", "ab\u{ffff}"] {
            assert_eq!(as_text(bad.as_bytes()), Err(NotText { offset: 2 }), "{bad:?}");
            assert!(!is_text(bad) && !bad.chars().all(is_character));
        }
        assert_eq!(as_text(b"a\xff"), Err(NotText { offset: 1 }));
    }
}

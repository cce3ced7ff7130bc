//! Files of /proc, /sys and /var: bounded reading into reused buffers, and decoders that accept any input.
//! Unreadable lines are ignored; no decoder panics or fails on truncated input.

pub mod block;
pub mod cpu;
pub mod diskstats;
pub mod dpkg;
pub mod meminfo;
pub mod mounts;
pub mod net_snmp;
pub mod net_sockets;
pub mod owners;
pub mod process;
pub mod sampler;
pub mod utmp;
pub mod volumes;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use trunkline_tree::SourceError;

use super::SourceRoot;

/// Enough for every fixed file of /proc that is read here, on machines with a thousand processors.
pub const FILE_LIMIT: u64 = 4 * 1024 * 1024;

impl SourceRoot {
    /// Reads a file into `buffer`, which is emptied first and keeps its memory: at most
    /// [`FILE_LIMIT`] octets, what lies beyond is not read.
    pub fn read_into(&self, below: &str, buffer: &mut Vec<u8>) -> Result<(), SourceError> {
        read_bounded(&self.path(below), FILE_LIMIT, buffer)
            .map_err(|cause| SourceError::new(self.path(below).display().to_string(), cause))
    }

    /// The contents of a small file, empty if it cannot be read.
    pub fn read_or_empty(&self, below: impl AsRef<Path>) -> Vec<u8> {
        let mut buffer = Vec::new();
        if let Err(cause) = read_bounded(&self.path(below.as_ref()), FILE_LIMIT, &mut buffer) {
            tracing::trace!(file = %below.as_ref().display(), %cause, "not read");
        }
        buffer
    }

    /// The number that is the first word of a file.
    pub fn read_number(&self, below: impl AsRef<Path>) -> Option<u64> {
        number(words(&self.read_or_empty(below)).next()?)
    }
}

/// Reads at most `limit` octets of a file into an emptied buffer.
pub fn read_bounded(path: &Path, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    File::open(path)?.take(limit).read_to_end(buffer)?;
    Ok(())
}

/// The lines of a file, without their ends.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|octet| *octet == b'\n')
}

/// The words of a line, split at blanks and tabs.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|octet| octet.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// An unsigned decimal number of 64 bits; the word must have nothing else.
pub fn number(word: &[u8]) -> Option<u64> {
    if word.is_empty() {
        return None;
    }
    word.iter().try_fold(0u64, |sum, octet| {
        let digit = octet.is_ascii_digit().then(|| u64::from(octet - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// A decimal number with an optional minus sign.
pub fn signed(word: &[u8]) -> Option<i64> {
    match word.strip_prefix(b"-") {
        Some(digits) => number(digits).and_then(|n| 0i64.checked_sub_unsigned(n)),
        None => number(word).and_then(|n| i64::try_from(n).ok()),
    }
}

/// A hexadecimal number without prefix.
pub fn hexadecimal(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 16 {
        return None;
    }
    word.iter().try_fold(0u64, |sum, octet| {
        let digit = char::from(*octet).to_digit(16)?;
        Some(sum << 4 | u64::from(digit))
    })
}

/// The first `limit` octets of a text, not cut within a UTF-8 character.
pub fn cut(text: &[u8], limit: usize) -> &[u8] {
    if text.len() <= limit {
        return text;
    }
    let is_continuation = |at: usize| text.get(at).is_some_and(|octet| octet & 0xc0 == 0x80);
    let end = (limit.saturating_sub(3)..=limit).rev().find(|at| !is_continuation(*at)).unwrap_or(limit);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_whole_words() {
        assert_eq!(number(b"18446744073709551615"), Some(u64::MAX));
        for bad in [&b"18446744073709551616"[..], b"", b"1x", b"-1", b"+1"] {
            assert_eq!(number(bad), None, "{bad:?}");
        }
        assert_eq!(signed(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(signed(b"-1"), Some(-1));
        assert_eq!(signed(b"--1"), None);
        assert_eq!(hexadecimal(b"1F90"), Some(8080));
        assert_eq!(hexadecimal(b"g"), None);
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        assert_eq!(cut("Größe".as_bytes(), 4), "Grö".as_bytes());
        assert_eq!(cut("Größe".as_bytes(), 5), "Grö".as_bytes());
        assert_eq!(cut("Größe".as_bytes(), 6), "Größ".as_bytes());
        assert_eq!(cut(&[0x80; 9], 4).len(), 4);
        assert_eq!(cut(b"abc", 3), b"abc");
    }

    #[test]
    fn a_read_stops_at_its_bound() {
        let mut buffer = vec![1, 2, 3];
        read_bounded(Path::new("/dev/zero"), 100, &mut buffer).unwrap();
        assert_eq!(buffer, [0; 100]);
    }

    proptest! {
        #[test]
        fn words_and_numbers_never_panic(octets in proptest::collection::vec(any::<u8>(), 0..64)) {
            for line in lines(&octets) {
                for word in words(line) {
                    let _ = (number(word), signed(word), hexadecimal(word), cut(word, 3));
                }
            }
        }
    }
}

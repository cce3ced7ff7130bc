//! Object identifiers: [`Oid`] (owned, on the heap) and [`OidBuf`] (fixed
//! capacity, for the request path, which does not allocate).
//!
//! Functions that only look at an identifier take `&[u32]`: the sub-identifiers in order.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

/// The most sub-identifiers an object identifier may have (RFC 2578 section 3.5).
pub const MAX_SUB_IDS: usize = 128;

/// An owned object identifier. Ordered lexicographically by sub-identifier,
/// as GetNext orders instances (RFC 3416 section 4.2.2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Oid(Vec<u32>);

impl Oid {
    /// The identifier with no sub-identifiers; it sorts before all others.
    pub const EMPTY: Oid = Oid(Vec::new());

    /// An identifier of these sub-identifiers; fails above [`MAX_SUB_IDS`].
    pub fn new(sub_ids: &[u32]) -> Result<Self, TooLongError> {
        if sub_ids.len() > MAX_SUB_IDS {
            return Err(TooLongError { found: sub_ids.len() });
        }
        Ok(Oid(sub_ids.to_vec()))
    }

    /// This identifier with more sub-identifiers appended, cut at [`MAX_SUB_IDS`] (no instance can have a longer
    /// name, so nothing is lost in a search).
    #[must_use]
    pub fn child(&self, suffix: &[u32]) -> Self {
        let mut sub_ids = self.0.clone();
        sub_ids.extend_from_slice(suffix);
        sub_ids.truncate(MAX_SUB_IDS);
        Oid(sub_ids)
    }
}

impl From<&OidBuf> for Oid {
    fn from(buf: &OidBuf) -> Self {
        Oid(buf.to_vec())
    }
}

impl TryFrom<Vec<u32>> for Oid {
    type Error = TooLongError;
    fn try_from(sub_ids: Vec<u32>) -> Result<Self, TooLongError> {
        if sub_ids.len() > MAX_SUB_IDS {
            return Err(TooLongError { found: sub_ids.len() });
        }
        Ok(Oid(sub_ids))
    }
}

impl<const N: usize> From<[u32; N]> for Oid {
    /// For constants in code; a longer array than [`MAX_SUB_IDS`] does not compile.
    fn from(sub_ids: [u32; N]) -> Self {
        const { assert!(N <= MAX_SUB_IDS) };
        Oid(sub_ids.to_vec())
    }
}

impl Deref for Oid {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.0
    }
}

impl Borrow<[u32]> for Oid {
    fn borrow(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&display_oid(&self.0), f)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&display_oid(&self.0), f)
    }
}

impl FromStr for Oid {
    type Err = ParseOidError;

    /// Dotted decimal, with or without a leading dot: `1.3.6.1` or `.1.3.6.1`.
    fn from_str(text: &str) -> Result<Self, ParseOidError> {
        let body = text.strip_prefix('.').unwrap_or(text);
        if body.is_empty() {
            return Err(ParseOidError::Empty);
        }
        let mut sub_ids = Vec::new();
        for (position, part) in body.split('.').enumerate() {
            let digits_only = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            let sub_id = part.parse::<u32>().ok().filter(|_| digits_only);
            sub_ids.push(
                sub_id.ok_or_else(|| ParseOidError::SubId { position: position + 1, found: part.into() })?,
            );
        }
        Oid::try_from(sub_ids).map_err(ParseOidError::TooLong)
    }
}

/// An object identifier in a fixed buffer: no allocation, cheap to reuse.
#[derive(Clone)]
pub struct OidBuf {
    len: u8,
    sub_ids: [u32; MAX_SUB_IDS],
}

impl OidBuf {
    /// An empty buffer.
    pub const fn new() -> Self {
        OidBuf { len: 0, sub_ids: [0; MAX_SUB_IDS] }
    }

    /// Empties the buffer.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends one sub-identifier; fails above [`MAX_SUB_IDS`].
    pub fn push(&mut self, sub_id: u32) -> Result<(), TooLongError> {
        let at = usize::from(self.len);
        let slot = self.sub_ids.get_mut(at).ok_or(TooLongError { found: at + 1 })?;
        *slot = sub_id;
        self.len += 1;
        Ok(())
    }

    /// Appends several sub-identifiers; fails above [`MAX_SUB_IDS`] and then changes nothing.
    pub fn extend(&mut self, sub_ids: &[u32]) -> Result<(), TooLongError> {
        let start = usize::from(self.len);
        let end = start + sub_ids.len();
        let slots = self.sub_ids.get_mut(start..end).ok_or(TooLongError { found: end })?;
        slots.copy_from_slice(sub_ids);
        self.len = end as u8; // end <= MAX_SUB_IDS, which fits
        Ok(())
    }
}

impl Default for OidBuf {
    fn default() -> Self {
        OidBuf::new()
    }
}

impl Deref for OidBuf {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.sub_ids[..usize::from(self.len)]
    }
}

impl fmt::Debug for OidBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&display_oid(self), f)
    }
}

/// Shows sub-identifiers in dotted decimal without a leading dot.
pub fn display_oid(sub_ids: &[u32]) -> impl fmt::Display + '_ {
    struct Dotted<'a>(&'a [u32]);
    impl fmt::Display for Dotted<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for (position, sub_id) in self.0.iter().enumerate() {
                if position > 0 {
                    f.write_str(".")?;
                }
                write!(f, "{sub_id}")?;
            }
            Ok(())
        }
    }
    Dotted(sub_ids)
}

/// Whether an object identifier can begin with these sub-identifiers: with 0, 1 or 2, and a number below 40 after 0
/// and 1 (X.660 section 7.6, X.690 section 8.19.4).
pub fn check_root(sub_ids: &[u32]) -> Result<(), RootError> {
    match *sub_ids {
        [0 | 1, second, ..] if second >= 40 => Err(RootError::Second { found: second }),
        [first, ..] if first > 2 => Err(RootError::First { found: first }),
        _ => Ok(()),
    }
}

/// Numbers with which no object identifier can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    /// The first number.
    #[error("an object identifier begins with 0, 1 or 2, and this one with {found}")]
    First {
        /// What was found.
        found: u32,
    },
    /// The second number.
    #[error("after 0 and 1 the second number of an object identifier is at most 39, and this one is {found}")]
    Second {
        /// What was found.
        found: u32,
    },
}

/// More than [`MAX_SUB_IDS`] sub-identifiers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an object identifier has at most 128 sub-identifiers, this one has {found}")]
pub struct TooLongError {
    /// How many there were.
    pub found: usize,
}

/// Why a text is not an object identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseOidError {
    /// Nothing there.
    #[error("an object identifier needs at least one number, such as 1.3.6.1")]
    Empty,
    /// A part that is not a number of 32 bits.
    #[error("part {position} of the object identifier is {found:?}, expected a number from 0 to 4294967295")]
    SubId {
        /// Which part, counted from 1.
        position: usize,
        /// What was found.
        found: String,
    },
    /// Too many parts.
    #[error(transparent)]
    TooLong(TooLongError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        for text in ["1.3.6.1.2.1.2.2", "0.40", "2.999.4294967295", "1"] {
            assert_eq!(text.parse::<Oid>().unwrap().to_string(), text);
        }
        assert_eq!(".1.3".parse::<Oid>().unwrap(), Oid::from([1, 3]));
    }

    #[test]
    fn roots_are_those_of_the_standard() {
        for fits in [&[][..], &[1], &[2], &[0, 39, 7], &[1, 39], &[2, u32::MAX], &[1, 3, 40]] {
            assert_eq!(check_root(fits), Ok(()), "{fits:?}");
        }
        for (wrong, fault) in [
            (&[3][..], RootError::First { found: 3 }),
            (&[u32::MAX, 1], RootError::First { found: u32::MAX }),
            (&[1, 40], RootError::Second { found: 40 }),
            (&[0, 40, 1], RootError::Second { found: 40 }),
        ] {
            assert_eq!(check_root(wrong), Err(fault), "{wrong:?}");
        }
    }

    #[test]
    fn bad_texts_are_reported_with_a_position() {
        assert_eq!("".parse::<Oid>(), Err(ParseOidError::Empty));
        for (text, position) in [("1..2", 2), ("1.x", 2), ("1.3.4294967296", 3), ("1.+3", 2), ("1.3.", 3)] {
            match text.parse::<Oid>() {
                Err(ParseOidError::SubId { position: at, .. }) => assert_eq!(at, position, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        let long = vec!["1"; 129].join(".");
        assert!(matches!(long.parse::<Oid>(), Err(ParseOidError::TooLong(_))));
    }

    #[test]
    fn buffer_keeps_its_bound() {
        let mut buf = OidBuf::new();
        buf.extend(&[7; 127]).unwrap();
        assert!(buf.extend(&[1, 2]).is_err());
        assert_eq!(buf.len(), 127);
        buf.push(1).unwrap();
        assert!(buf.push(1).is_err());
    }

    #[test]
    fn order_is_lexicographic() {
        let mut oids: Vec<Oid> =
            ["1.3.10", "1.3.9.9", "1.3", "1.3.9"].iter().map(|t| t.parse().unwrap()).collect();
        oids.sort();
        let texts: Vec<String> = oids.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["1.3", "1.3.9", "1.3.9.9", "1.3.10"]);
    }
}

//! Object identifiers as contents octets (X.690 section 8.19): sub-identifiers
//! in base 128, the first two packed into one number.

use std::fmt;

use trunkline_smi::{MAX_SUB_IDS, Oid, OidBuf, OidList};

use crate::OidProblem;

/// The contents octets of an object identifier that has been checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawOid<'a> {
    contents: &'a [u8],
}

impl<'a> RawOid<'a> {
    /// Checks contents octets: at least one, each sub-identifier ended, in the shortest form and at most
    /// 2^32-1, at most 128 of them.
    pub fn new(contents: &'a [u8]) -> Result<Self, OidProblem> {
        read(contents, |_| ())?;
        Ok(RawOid { contents })
    }

    /// The contents octets.
    pub fn octets(&self) -> &'a [u8] {
        self.contents
    }

    /// The sub-identifiers, in a buffer on the stack.
    pub fn to_buf(&self) -> OidBuf {
        let mut buf = OidBuf::new();
        // checked by `new`: neither can the reading fail nor are there more than MAX_SUB_IDS
        let _ = read(self.contents, |sub_id| _ = buf.push(sub_id));
        buf
    }

    /// The sub-identifiers, owned.
    pub fn to_oid(&self) -> Oid {
        let mut sub_ids = Vec::with_capacity(self.contents.len() + 1);
        // checked by `new`: neither can the reading fail nor are there more than MAX_SUB_IDS
        let _ = read(self.contents, |sub_id| sub_ids.push(sub_id));
        Oid::try_from(sub_ids).unwrap_or_default()
    }
}

impl fmt::Debug for RawOid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_buf(), f)
    }
}

/// Appends the object identifier in contents octets to a list. On error the list holds an unfinished
/// identifier and must be cleared.
pub(crate) fn read_into(contents: &[u8], list: &mut OidList) -> Result<(), OidProblem> {
    read(contents, |sub_id| list.push_sub_id(sub_id))?;
    list.finish();
    Ok(())
}

/// Passes each sub-identifier to `take`; the first octet group yields two.
#[inline]
pub(crate) fn read(contents: &[u8], mut take: impl FnMut(u32)) -> Result<(), OidProblem> {
    let (&last, _) = contents.split_last().ok_or(OidProblem::Empty)?;
    if last >= 0x80 {
        return Err(OidProblem::Unterminated);
    }
    if contents.len() >= MAX_SUB_IDS && group_count(contents) >= MAX_SUB_IDS {
        return Err(OidProblem::TooLong);
    }
    let (first, used) = read_first(contents)?;
    let (root, second) = match first {
        0..40 => (0, first),
        40..80 => (1, first - 40),
        _ => (2, first - 80),
    };
    take(root);
    take(second as u32); // at most FIRST_GROUP_MAX - 80 = 2^32-1

    let mut number = 0u64; // 0 between groups: no group starts with a zero that continues
    for (at, &octet) in contents.iter().enumerate().skip(used) {
        if number == 0 {
            if octet < 0x80 {
                take(u32::from(octet));
                continue;
            }
            if octet == 0x80 {
                return Err(OidProblem::Padded { position: group_count(&contents[..at]) + 1 });
            }
        }
        number = number << 7 | u64::from(octet & 0x7f);
        if number > u64::from(u32::MAX) {
            return Err(OidProblem::SubIdRange { position: group_count(&contents[..at]) + 1 });
        }
        if octet < 0x80 {
            take(number as u32);
            number = 0;
        }
    }
    Ok(())
}

/// The first group and how many octets it has; the caller made sure that some octet ends it.
#[inline]
fn read_first(contents: &[u8]) -> Result<(u64, usize), OidProblem> {
    let mut number = 0u64;
    for (at, &octet) in contents.iter().enumerate() {
        if at == 0 && octet == 0x80 {
            return Err(OidProblem::Padded { position: 1 });
        }
        number = number << 7 | u64::from(octet & 0x7f);
        if number > FIRST_GROUP_MAX {
            return Err(OidProblem::SubIdRange { position: 1 });
        }
        if octet < 0x80 {
            return Ok((number, at + 1));
        }
    }
    Err(OidProblem::Unterminated)
}

/// How many groups end in these octets.
#[cold]
fn group_count(octets: &[u8]) -> usize {
    octets.iter().filter(|&&octet| octet < 0x80).count()
}

/// Whether BER can express this identifier: at least two sub-identifiers, the first 0 to 2, the second below 40
/// unless the first is 2. Others are encoded as the nearest identifier that it can express, see
/// [`VarBind`](super::VarBind).
pub fn is_encodable(sub_ids: &[u32]) -> bool {
    match *sub_ids {
        [0 | 1, second, ..] => second < 40,
        [2, _, ..] => true,
        _ => false,
    }
}

/// The first number on the wire, from the first two sub-identifiers. Total: missing ones count as 0; values with
/// which no identifier can start (3.1, 1.40) become the last valid one before them, so that a GetNext still
/// continues from there.
#[inline]
pub(crate) fn first_group(sub_ids: &[u32]) -> u64 {
    let root = sub_ids.first().copied().unwrap_or(0);
    let second = sub_ids.get(1).copied().unwrap_or(0);
    match root {
        0 | 1 => u64::from(root) * 40 + u64::from(second.min(39)),
        2 => 80 + u64::from(second),
        _ => FIRST_GROUP_MAX,
    }
}

/// The octets of the first group, and how many they are.
#[inline]
pub(crate) fn first_octets(sub_ids: &[u32]) -> ([u8; 5], usize) {
    let mut octets = [0; 5];
    let length = put_group(&mut octets, 0, first_group(sub_ids));
    (octets, length)
}

/// All contents octets of an identifier.
pub(crate) fn contents(sub_ids: &[u32]) -> Vec<u8> {
    let mut octets = vec![0; size(sub_ids)];
    let mut at = put_group(&mut octets, 0, first_group(sub_ids));
    for &sub_id in sub_ids.iter().skip(2) {
        at = put_group(&mut octets, at, u64::from(sub_id));
    }
    octets
}

/// How many contents octets an identifier has.
pub(crate) fn size(sub_ids: &[u32]) -> usize {
    group_size(first_group(sub_ids)) + groups_size(sub_ids.get(2..).unwrap_or(&[]))
}

/// The encoded length of these sub-identifiers, none of them the first or second.
pub(crate) fn groups_size(sub_ids: &[u32]) -> usize {
    sub_ids.iter().map(|&sub_id| group_size(u64::from(sub_id))).sum()
}

/// Writes one number in base 128 at a position; returns the position after it. The caller has ensured that there
/// is room.
#[inline]
pub(crate) fn put_group(octets: &mut [u8], at: usize, number: u64) -> usize {
    let size = group_size(number);
    if size == 1 {
        octets[at] = number as u8;
        return at + 1;
    }
    for (place, octet) in octets[at..at + size].iter_mut().rev().enumerate() {
        let more = if place == 0 { 0 } else { 0x80 };
        *octet = more | (number >> (7 * place)) as u8 & 0x7f;
    }
    at + size
}

/// How many octets a number has in base 128.
#[inline]
pub(crate) fn group_size(number: u64) -> usize {
    if number < 0x80 {
        return 1;
    }
    (64 - number.leading_zeros()).div_ceil(7) as usize
}

/// 2.4294967295 packed.
const FIRST_GROUP_MAX: u64 = 80 + u32::MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(sub_ids: &[u32]) -> Vec<u8> {
        let octets = contents(sub_ids);
        let (first, length) = first_octets(sub_ids);
        assert!(octets.starts_with(&first[..length]));
        octets
    }

    #[test]
    fn known_encodings() {
        for (sub_ids, octets) in [
            (&[1, 3, 6, 1, 2, 1][..], &[0x2b, 6, 1, 2, 1][..]),
            (&[0, 0], &[0]),
            (&[0, 39], &[39]),
            (&[1, 0], &[40]),
            (&[1, 39], &[79]),
            (&[2, 0], &[80]),
            (&[2, 40], &[120]),
            (&[2, 47], &[127]),
            (&[2, 48], &[0x81, 0]),
            (&[2, 999, 3], &[0x88, 0x37, 3]),
            (&[2, u32::MAX], &[0x90, 0x80, 0x80, 0x80, 0x4f]),
            (&[1, 3, 127, 128, 16383, 16384], &[0x2b, 0x7f, 0x81, 0, 0xff, 0x7f, 0x81, 0x80, 0]),
            (&[1, 3, u32::MAX], &[0x2b, 0x8f, 0xff, 0xff, 0xff, 0x7f]),
            (&[1, 3, 1 << 28], &[0x2b, 0x81, 0x80, 0x80, 0x80, 0]),
        ] {
            assert_eq!(encode(sub_ids), octets, "{sub_ids:?}");
            assert_eq!(&*RawOid::new(octets).unwrap().to_oid(), sub_ids);
            assert!(is_encodable(sub_ids));
        }
    }

    #[test]
    fn names_that_ber_cannot_express_become_their_neighbour() {
        for (sub_ids, becomes) in [
            (&[][..], &[0, 0][..]),
            (&[1], &[1, 0]),
            (&[2], &[2, 0]),
            (&[0, 40, 7], &[0, 39, 7]),
            (&[1, u32::MAX], &[1, 39]),
            (&[3, 1], &[2, u32::MAX]),
            (&[u32::MAX], &[2, u32::MAX]),
        ] {
            assert!(!is_encodable(sub_ids), "{sub_ids:?}");
            assert_eq!(&*RawOid::new(&encode(sub_ids)).unwrap().to_oid(), becomes, "{sub_ids:?}");
        }
    }

    #[test]
    fn errors_are_specific() {
        let problem = |octets: &[u8]| RawOid::new(octets).unwrap_err();
        assert_eq!(problem(&[]), OidProblem::Empty);
        assert_eq!(problem(&[0x2b, 0x81]), OidProblem::Unterminated);
        assert_eq!(problem(&[0x80, 1]), OidProblem::Padded { position: 1 });
        assert_eq!(problem(&[0x2b, 6, 0x80, 1]), OidProblem::Padded { position: 3 });
        assert_eq!(problem(&[0x2b, 0x90, 0x80, 0x80, 0x80, 0]), OidProblem::SubIdRange { position: 2 });
        assert_eq!(problem(&[0x90, 0x80, 0x80, 0x80, 0x50]), OidProblem::SubIdRange { position: 1 });
        assert_eq!(
            problem(&[0x2b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
            OidProblem::SubIdRange { position: 2 }
        );
        assert!(RawOid::new(&[1; 127]).is_ok());
        assert_eq!(problem(&[1; 128]), OidProblem::TooLong);
    }
}

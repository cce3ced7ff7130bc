//! OID delta compression (draft-irtf-nmrg-snmp-compression-01 section 5.2.1): which sub-identifiers of the
//! previous name to replace, by what, and the length of the resulting name.
//!
//! ```text
//! 00..7f  sub-identifier                    one substitution at this offset, counted from 0
//! 80..ff  01..7f  sub-identifiers ...       a range of so many from this offset
//! 01..7f                                    the last octet: the new length less one
//! ```
//! Sub-identifiers that come to be without a value are 0.

use trunkline_smi::MAX_SUB_IDS;

use super::{put_group, read_group};
use crate::OidProblem;

/// Marks the offset of a range.
const RANGE: u8 = 0x80;

/// The contents of `name` after `previous`; returns `false`, and leaves nothing useful in `out`, if it cannot be
/// expressed.
pub(super) fn write(previous: &[u32], name: &[u32], out: &mut Vec<u8>) -> bool {
    out.clear();
    if !(2..=MAX_SUB_IDS).contains(&name.len()) {
        return false;
    }
    let mut length = previous.len();
    let mut at = 0;
    while let Some(start) = (at..name.len()).find(|&place| differs(previous, name, place)) {
        let end = run_end(previous, name, start);
        match end - start {
            1 => out.push(start as u8),
            count @ 2..0x80 => out.extend_from_slice(&[RANGE | start as u8, count as u8]),
            _ => return false,
        }
        name[start..end].iter().for_each(|&sub_id| put_group(out, sub_id));
        length = length.max(end);
        at = end;
    }
    if length != name.len() {
        out.push((name.len() - 1) as u8);
    }
    true
}

/// Whether the name has another sub-identifier there than it would have without a substitution.
fn differs(previous: &[u32], name: &[u32], place: usize) -> bool {
    previous.get(place).copied().unwrap_or(0) != name[place]
}

/// Where the substitution that starts there ends. A range continues over a single equal sub-identifier of one
/// octet, which costs no more than another header.
fn run_end(previous: &[u32], name: &[u32], start: usize) -> usize {
    let mut end = start + 1;
    while end < name.len() {
        let bridged = end - start > 1
            && name[end] < 0x80
            && name.get(end + 1).is_some_and(|_| differs(previous, name, end + 1));
        if !differs(previous, name, end) && !bridged {
            break;
        }
        end += 1;
    }
    end
}

/// Makes `name`, which holds the name before, the name that these contents say.
pub(super) fn read(name: &mut Vec<u32>, mut contents: &[u8]) -> Result<(), OidProblem> {
    while let Some((&first, rest)) = contents.split_first() {
        if rest.is_empty() {
            return match first {
                0x01..RANGE => {
                    name.resize(usize::from(first) + 1, 0);
                    Ok(())
                }
                _ => Err(OidProblem::Delta),
            };
        }
        let (offset, count, mut rest) = match (first, rest) {
            (0..RANGE, rest) => (first, 1, rest),
            (_, [count @ 0x01..0x80, rest @ ..]) => (first & !RANGE, *count, rest),
            _ => return Err(OidProblem::Delta),
        };
        let (offset, end) = (usize::from(offset), usize::from(offset) + usize::from(count));
        if end > MAX_SUB_IDS {
            return Err(OidProblem::DeltaPosition { found: end, most: MAX_SUB_IDS });
        }
        if name.len() < end {
            name.resize(end, 0);
        }
        for sub_id in &mut name[offset..end] {
            let (found, used) = read_group(rest).ok_or(OidProblem::Delta)?;
            *sub_id = found;
            rest = &rest[used..];
        }
        contents = rest;
    }
    Ok(())
}

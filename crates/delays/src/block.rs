//! Blocks of the file, and records within them.
//!
//! ```text
//! block   kind (1) length of content (4) number of records (4) CRC-32 of those and of the content (4) content
//! record  head round due sent ended, each a variable-length integer
//! ```
//!
//! Numbers of the block are little-endian. A block needs no other to be read: its first record is a difference from agent -1, round 0,
//! time 0.

use crate::error::ReadError;
use crate::record::{END_OF_TIME, Outcome, Record};

/// The kinds of blocks.
pub(crate) const HEADER: u8 = b'H';
pub(crate) const SAMPLES: u8 = b'S';
pub(crate) const END: u8 = b'E';

/// The octets before the content.
pub(crate) const FRAME: usize = 13;
/// The longest content that is read. Half of it is written.
pub(crate) const MOST_CONTENT: usize = 1 << 17;

/// Appends a block.
pub(crate) fn append(kind: u8, count: u32, content: &[u8], out: &mut Vec<u8>) {
    // Content is never longer than [`MOST_CONTENT`].
    let length = content.len() as u32;
    out.push(kind);
    out.extend(length.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(checksum(kind, length, count, content).to_le_bytes());
    out.extend_from_slice(content);
}

fn checksum(kind: u8, length: u32, count: u32, content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(&length.to_le_bytes());
    hasher.update(&count.to_le_bytes());
    hasher.update(content);
    hasher.finalize()
}

/// A block at the front of octets.
#[derive(Debug, PartialEq)]
pub(crate) struct Block<'a> {
    pub(crate) kind: u8,
    pub(crate) count: u32,
    pub(crate) content: &'a [u8],
}

/// The block at the front; `None` if it is not whole yet.
pub(crate) fn first(octets: &[u8], offset: u64) -> Result<Option<Block<'_>>, ReadError> {
    let Some(&kind) = octets.first() else { return Ok(None) };
    if ![HEADER, SAMPLES, END].contains(&kind) {
        return Err(ReadError::Kind { offset, found: kind });
    }
    let number = |at: usize| octets.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let Some(length) = number(1) else { return Ok(None) };
    if length as usize > MOST_CONTENT {
        return Err(ReadError::Length { offset, found: length, most: MOST_CONTENT as u32 });
    }
    let (Some(count), Some(found)) = (number(5), number(9)) else { return Ok(None) };
    let Some(content) = octets.get(FRAME..FRAME + length as usize) else { return Ok(None) };
    let expected = checksum(kind, length, count, content);
    if found != expected {
        return Err(ReadError::Checksum { offset, found, expected });
    }
    Ok(Some(Block { kind, count, content }))
}

/// What the next record is a difference from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Before {
    agent: i64,
    round: i64,
    due: i64,
}

impl Before {
    /// At the beginning of a block.
    pub(crate) const FIRST: Before = Before { agent: -1, round: 0, due: 0 };
}

/// Appends a record that was checked.
pub(crate) fn append_record(record: &Record, before: &mut Before, out: &mut Vec<u8>) {
    let (agent, round, due) = (i64::from(record.agent), i64::from(record.round), record.due as i64);
    // Agents are mostly asked one after the other.
    append_number(zigzag(agent - before.agent - 1) << 3 | record.outcome.number(), out);
    append_number(zigzag(round - before.round), out);
    append_number(zigzag(due - before.due), out);
    append_number(zigzag(record.sent as i64 - due), out);
    append_number(record.ended - record.sent, out);
    *before = Before { agent, round, due };
}

/// All records of a block.
pub(crate) fn records(content: &[u8], count: u32) -> Result<Vec<Record>, &'static str> {
    // A record has five octets at least, so that no count makes it reserve more than the block has.
    let mut records = Vec::with_capacity((count as usize).min(content.len() / 5));
    let (mut before, mut rest) = (Before::FIRST, content);
    while !rest.is_empty() {
        records.push(record(&mut rest, &mut before)?);
    }
    if records.len() != count as usize {
        return Err("the block has another number of records than it says");
    }
    Ok(records)
}

fn record(rest: &mut &[u8], before: &mut Before) -> Result<Record, &'static str> {
    let head = number(rest)?;
    let outcome = Outcome::ALL.get((head & 7) as usize).ok_or("a record has an unknown outcome")?;
    let sum = |one: i64, other: u64| one.checked_add(from_zigzag(other)).ok_or(OVERFLOW);
    let agent = sum(before.agent + 1, head >> 3)?;
    let round = sum(before.round, number(rest)?)?;
    let due = sum(before.due, number(rest)?)?;
    let sent = time(sum(due, number(rest)?)?)?;
    let ended = sent.checked_add(number(rest)?).filter(|it| *it < END_OF_TIME).ok_or(OVERFLOW)?;
    *before = Before { agent, round, due };
    let small = |it: i64| u32::try_from(it).map_err(|_| OVERFLOW);
    Ok(Record { agent: small(agent)?, round: small(round)?, due: time(due)?, sent, ended, outcome: *outcome })
}

fn time(it: i64) -> Result<u64, &'static str> {
    u64::try_from(it).ok().filter(|it| *it < END_OF_TIME).ok_or(OVERFLOW)
}

const fn zigzag(it: i64) -> u64 {
    ((it << 1) ^ (it >> 63)) as u64
}

const fn from_zigzag(it: u64) -> i64 {
    (it >> 1) as i64 ^ -((it & 1) as i64)
}

/// Seven bits an octet, the lowest first; the highest bit says that more follow.
fn append_number(mut it: u64, out: &mut Vec<u8>) {
    while it >= 0x80 {
        out.push(it as u8 | 0x80);
        it >>= 7;
    }
    out.push(it as u8);
}

/// The number at the front, in its shortest form.
pub(crate) fn number(rest: &mut &[u8]) -> Result<u64, &'static str> {
    let mut it: u64 = 0;
    for at in 0..10 {
        let (&octet, behind) = rest.split_first().ok_or("a record is cut off within its block")?;
        *rest = behind;
        let bits = u64::from(octet & 0x7f);
        if at == 9 && bits > 1 {
            return Err(OVERFLOW);
        }
        it |= bits << (7 * at);
        if octet & 0x80 == 0 {
            return if at > 0 && octet == 0 { Err("a number is longer than it need be") } else { Ok(it) };
        }
    }
    Err(OVERFLOW)
}

/// Appends the content of the last block.
pub(crate) fn append_total(total: u64, out: &mut Vec<u8>) {
    append_number(total, out);
}

const OVERFLOW: &str = "a record has a number that is out of range";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_have_one_form() {
        for (it, octets) in [(0, &[0][..]), (127, &[127]), (128, &[128, 1]), (300, &[0xac, 2])] {
            let mut out = Vec::new();
            append_number(it, &mut out);
            assert_eq!(out, octets);
            assert_eq!(number(&mut &out[..]), Ok(it));
        }
        for wrong in
            [&[][..], &[0x80], &[0x80, 0], &[0xff; 11], &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2]]
        {
            assert!(number(&mut &wrong[..]).is_err(), "{wrong:?}");
        }
        assert_eq!(
            [0, -1, 1, i64::MAX, i64::MIN].map(zigzag).map(from_zigzag),
            [0, -1, 1, i64::MAX, i64::MIN]
        );
    }

    #[test]
    fn what_a_writer_never_says_is_refused() {
        // An unknown outcome, agent -1, a time before the start, a cut record, another count.
        for (content, count) in [
            (&[5, 0, 0, 0, 0][..], 1),
            (&[1 << 3, 0, 0, 0, 0], 1),
            (&[0, 0, 1, 0, 0], 1),
            (&[0, 0, 0, 1, 0], 1),
            (&[0, 0, 0, 0], 1),
            (&[0, 0, 0, 0, 0], 2),
            (&[], 1),
        ] {
            assert!(records(content, count).is_err(), "{content:?}");
        }
        assert_eq!(records(&[], 0), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_written(it: u64) {
            let mut out = Vec::new();
            append_number(it, &mut out);
            prop_assert_eq!(number(&mut &out[..]), Ok(it));
        }
    }
}

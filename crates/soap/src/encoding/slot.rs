//! A row's place in the output buffer.

use super::piece::{BLOCK, Tags};
use crate::number::{decimal, eight, hex, short_decimal};

/// Room in a buffer, made in advance and then filled: a piece only moves the position of the next one. Whoever
/// made it has counted what comes, and [`SPARE`] octets more, since blocks are copied as a whole.
pub(super) struct Slot<'b> {
    pub room: &'b mut [u8],
    pub at: usize,
}

/// Octets after the last piece that may be overwritten.
pub(super) const SPARE: usize = BLOCK + DIGITS;

/// The block that a number is written as.
const DIGITS: usize = 16;

impl Slot<'_> {
    /// The next octets.
    #[inline(always)]
    fn window<const N: usize>(&mut self) -> &mut [u8; N] {
        match (&mut self.room[self.at..][..N]).try_into() {
            Ok(window) => window,
            Err(_) => unreachable!("it is that long"),
        }
    }

    /// Tags that fit into a block, followed by a number.
    #[inline(always)]
    pub fn tags_and_number(&mut self, tags: &Tags, number: u32) {
        let window = self.window::<SPARE>();
        window[..BLOCK].copy_from_slice(tags.block());
        // They are shorter than the block: this lets the compiler know.
        let at = tags.len() % BLOCK;
        let len = if number < 10 {
            window[at] = b'0' + number as u8;
            1
        } else if number < 100_000_000 {
            let (digits, len) = short_decimal(number);
            window[at..at + 8].copy_from_slice(&digits.to_le_bytes());
            len
        } else {
            let (digits, len) = decimal(number);
            // Two stores, to avoid waiting for two registers to become one.
            window[at..at + 8].copy_from_slice(&(digits as u64).to_le_bytes());
            window[at + 8..at + 16].copy_from_slice(&((digits >> 64) as u64).to_le_bytes());
            len
        };
        self.at += at + len;
    }

    #[inline(always)]
    pub fn octet(&mut self, octet: u8) {
        self.room[self.at] = octet;
        self.at += 1;
    }

    #[inline(always)]
    pub fn octets(&mut self, octets: &[u8]) {
        self.room[self.at..][..octets.len()].copy_from_slice(octets);
        self.at += octets.len();
    }

    /// Tags that fit into a block.
    #[inline(always)]
    pub fn short_tags(&mut self, tags: &Tags) {
        *self.window::<BLOCK>() = *tags.block();
        self.at += tags.len();
    }

    #[inline(always)]
    pub fn tags(&mut self, tags: &Tags) {
        if tags.is_short() { self.short_tags(tags) } else { self.octets(tags.octets()) }
    }

    /// At most ten octets.
    #[inline(always)]
    pub fn number(&mut self, number: u32) {
        if number < 10 {
            return self.octet(b'0' + number as u8);
        }
        let (digits, len) = decimal(number);
        *self.window() = digits.to_le_bytes();
        self.at += len;
    }

    /// At most twenty octets.
    pub fn long_number(&mut self, number: u64) {
        let (high, low) = (number / 100_000_000, (number % 100_000_000) as u32);
        match (u32::try_from(number), u32::try_from(high)) {
            (Ok(short), _) => return self.number(short),
            (_, Ok(high)) => self.number(high),
            _ => {
                self.number((high / 100_000_000) as u32);
                self.octets(&eight((high % 100_000_000) as u32));
            }
        }
        self.octets(&eight(low));
    }

    /// At most eleven octets for each.
    pub fn numbers(&mut self, numbers: &[u32], between: u8) {
        for (position, number) in numbers.iter().enumerate() {
            if position > 0 {
                self.octet(between);
            }
            self.number(*number);
        }
    }

    /// Two octets for each of at most sixteen.
    pub fn hexadecimal(&mut self, octets: &[u8]) {
        let window = self.window::<32>();
        for (digits, octet) in window.chunks_exact_mut(2).zip(octets) {
            digits.copy_from_slice(&hex(*octet));
        }
        self.at += 2 * octets.len();
    }
}

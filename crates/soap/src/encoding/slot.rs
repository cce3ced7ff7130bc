//! A row's place in the output buffer.

use crate::number::{decimal, eight, hex};

/// Room at the end of a buffer, made once and then filled: a piece only moves the place of the next one. Whoever makes
/// it has counted what comes, and [`BLOCK`] octets more, since blocks are copied as a whole.
pub(super) struct Slot<'b> {
    buffer: &'b mut Vec<u8>,
    at: usize,
}

/// The tags between two columns are mostly shorter.
pub(super) const BLOCK: usize = 64;

/// Tags that are copied for each cell: as a block of a length that the compiler knows, where they fit into one.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    block: [u8; BLOCK],
    len: usize,
    /// Those that do not fit.
    long: Vec<u8>,
}

impl Tags {
    pub fn new(octets: Vec<u8>) -> Self {
        let mut block = [0; BLOCK];
        let len = octets.len();
        match block.get_mut(..len) {
            Some(front) => {
                front.copy_from_slice(&octets);
                Tags { block, len, long: Vec::new() }
            }
            None => Tags { block, len, long: octets },
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }
}

impl<'b> Slot<'b> {
    #[inline]
    pub fn new(buffer: &'b mut Vec<u8>, room: usize) -> Self {
        let at = buffer.len();
        buffer.resize(at + room, 0);
        Slot { buffer, at }
    }

    /// Gives back what is left.
    #[inline]
    pub fn finish(self) {
        self.buffer.truncate(self.at);
    }

    /// Writes something whose length was not counted, and makes this room behind it.
    #[cold]
    pub fn uncounted(&mut self, room: usize, write: impl FnOnce(&mut Vec<u8>)) {
        self.buffer.truncate(self.at);
        write(self.buffer);
        self.at = self.buffer.len();
        self.buffer.resize(self.at + room, 0);
    }

    #[inline(always)]
    pub fn octet(&mut self, octet: u8) {
        self.buffer[self.at] = octet;
        self.at += 1;
    }

    /// Takes a blank at the end back.
    #[inline(always)]
    pub fn without_blank(&mut self) {
        if self.buffer[..self.at].ends_with(b" ") {
            self.at -= 1;
        }
    }

    #[inline(always)]
    pub fn octets(&mut self, octets: &[u8]) {
        self.buffer[self.at..][..octets.len()].copy_from_slice(octets);
        self.at += octets.len();
    }

    #[inline(always)]
    fn block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        self.buffer[self.at..][..N].copy_from_slice(block);
        self.at += len;
    }

    #[inline(always)]
    pub fn tags(&mut self, tags: &Tags) {
        if tags.len <= BLOCK {
            self.block(&tags.block, tags.len);
        } else {
            self.octets(&tags.long);
        }
    }

    /// At most ten octets.
    #[inline(always)]
    pub fn number(&mut self, number: u32) {
        if number < 10 {
            return self.octet(b'0' + number as u8);
        }
        let (digits, len) = decimal(number);
        // Two stores, since there is no waiting for two registers to become one.
        let room = &mut self.buffer[self.at..][..16];
        room[..8].copy_from_slice(&(digits as u64).to_le_bytes());
        room[8..].copy_from_slice(&((digits >> 64) as u64).to_le_bytes());
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

    /// Two octets for each.
    pub fn hexadecimal(&mut self, octets: &[u8]) {
        for octet in octets {
            self.octets(&hex(*octet));
        }
    }
}

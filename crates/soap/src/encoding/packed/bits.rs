//! Bits into octets, the lowest first.

use super::codes::Code;

/// Room that is filled bit by bit. The caller makes the room before.
#[derive(Debug, Default)]
pub(in crate::encoding) struct Bits {
    room: Vec<u8>,
    at: usize,
    hold: u64,
    held: u32,
}

impl Bits {
    /// Into this room, from this octet of it on.
    pub fn new(room: Vec<u8>, at: usize) -> Self {
        Bits { room, at, hold: 0, held: 0 }
    }

    /// Room for this many more octets.
    #[inline]
    pub fn reserve(&mut self, octets: usize) {
        if self.room.len() - self.at < octets {
            self.room.resize(self.at + octets + self.at / 2, 0);
        }
    }

    /// Holds a code; at most 56 bits are held until [`Bits::spill`].
    #[inline(always)]
    pub fn put(&mut self, code: Code) {
        self.hold |= u64::from(code.bits) << self.held;
        self.held += code.len;
    }

    /// Writes what fills octets.
    #[inline(always)]
    pub fn spill(&mut self) {
        self.room[self.at..][..8].copy_from_slice(&self.hold.to_le_bytes());
        self.at += (self.held / 8) as usize;
        self.hold >>= self.held & 56;
        self.held %= 8;
    }

    /// The room, how many octets of it are filled, and what fills none.
    pub fn into_parts(self) -> (Vec<u8>, usize, Code) {
        (self.room, self.at, Code { bits: self.hold as u32, len: self.held })
    }
}

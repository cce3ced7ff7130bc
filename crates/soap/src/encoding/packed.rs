//! Rows compressed while they are written (RFC 1951): an encoder that knows their template need not search.
//!
//! Each tag of a row is also in the previous row, at a known place. From there, everything that follows is
//! compared for as long as the two rows are equal, across equal values and the tags after them, and becomes one
//! repetition. Differences become literals. There is one block, whose codes are made once per template.
//!
//! The plain answer is written first, row by row, and each row is packed before the next one is written: it may
//! be withdrawn. Only compared octets count as equal: wrong places cost octets, not correctness.

mod bits;
mod codes;
mod prologue;

use super::Encoding;
use super::template::{Marks, Template};
use bits::Bits;
pub(super) use codes::Codes;
use codes::{MAX_MATCH, WINDOW, Weights};
pub(super) use prologue::{Prologue, Prologues};

/// The frame of the compressed octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// RFC 1950, which HTTP calls deflate.
    Zlib,
    /// RFC 1952.
    Gzip,
}

/// An answer that is compressed while it is written.
#[derive(Debug)]
pub struct Packer<'t> {
    template: &'t Template,
    codes: &'t Codes,
    frame: Frame,
    bits: Bits,
    /// Of this answer, if the template has no place for it.
    own: Option<Box<Prologue>>,
    /// Octets of the plain answer that are packed.
    packed: usize,
    places: Places,
}

/// Where the pieces of a row begin: first the one after the last value of the previous row.
#[derive(Debug, Default)]
pub(super) struct Places {
    row: Vec<usize>,
    before: Vec<usize>,
    /// Where the last value of the last row ends.
    end: usize,
    is_pending: bool,
}

impl Marks for &mut Places {
    #[inline(always)]
    fn mark(&mut self, piece: usize, at: usize) {
        if let Some(place) = self.row.get_mut(piece + 1) {
            *place = at;
        }
    }

    #[inline(always)]
    fn end(&mut self, at: usize) {
        self.end = at;
    }
}

impl<'t> Packer<'t> {
    /// For an answer with rows of this template.
    pub fn new(template: &'t Template, frame: Frame) -> Self {
        let codes = template.codes();
        let places = template.pieces().len() + 1;
        let places =
            Places { row: vec![0; places], before: Vec::with_capacity(places), end: 0, is_pending: false };
        Packer { template, codes, frame, bits: Bits::default(), own: None, packed: 0, places }
    }

    /// Packs the last row, which stays; the next one begins.
    pub(super) fn begin_row(&mut self, plain: &[u8]) -> &mut Places {
        if self.packed == 0 {
            self.begin(plain);
        }
        self.settle(plain);
        self.places.is_pending = true;
        &mut self.places
    }

    /// The octets before the rows.
    fn begin(&mut self, plain: &[u8]) {
        let prologue = Prologue::of(self.template.prologues(), self.codes, plain, &mut self.own);
        let frame: &[u8] = match self.frame {
            Frame::Zlib => &ZLIB_HEAD,
            Frame::Gzip => &GZIP_HEAD,
        };
        let mut room = Vec::with_capacity(FIRST_ROOM);
        room.extend_from_slice(frame);
        room.extend_from_slice(&prologue.octets);
        let at = room.len();
        self.bits = Bits::new(room, at);
        self.bits.put(prologue.rest);
        self.packed = plain.len();
    }

    /// The last row is withdrawn.
    pub(super) fn take_back(&mut self) {
        self.places.is_pending = false;
    }

    /// The whole answer compressed: `plain` is everything that was written, including its end. `None` if it is
    /// not shorter.
    pub fn finish(mut self, plain: &[u8]) -> Option<Vec<u8>> {
        self.settle(plain);
        if self.packed == 0 {
            self.begin(plain);
        }
        let (from, end) = (self.packed, plain.len());
        self.bits.reserve(room_for(end - from) + FRAME_TAIL);
        let prologue = Prologue::known(self.template.prologues(), &self.own, plain);
        let names = prologue.into_iter().flat_map(|prologue| prologue.twins(plain, from..end));
        let twins = self.tail(plain).into_iter().chain(names);
        repeat(&mut self.bits, self.codes, plain, from, end, twins);
        self.bits.put(self.codes.end);
        self.bits.spill();
        let (mut octets, at, rest) = self.bits.into_parts();
        octets.truncate(at);
        if rest.len > 0 {
            octets.push(rest.bits as u8);
        }
        match self.frame {
            Frame::Zlib => octets.extend_from_slice(&zlib_rs::adler32::adler32(1, plain).to_be_bytes()),
            Frame::Gzip => {
                octets.extend_from_slice(&zlib_rs::crc32::crc32(0, plain).to_le_bytes());
                octets.extend_from_slice(&(plain.len() as u32).to_le_bytes());
            }
        }
        (octets.len() < plain.len()).then_some(octets)
    }

    /// The tags after the last value also follow the last value of the previous row.
    fn tail(&self, plain: &[u8]) -> Option<(usize, usize)> {
        let before = self.places.before.first().copied().filter(|_| self.places.before.len() > 1)?;
        (before > 0 && self.packed < plain.len()).then_some((self.packed, before))
    }

    fn settle(&mut self, plain: &[u8]) {
        if !std::mem::take(&mut self.places.is_pending) {
            return;
        }
        let (from, end) = (self.packed, self.places.end);
        self.bits.reserve(room_for(end - from));
        let mut bits = std::mem::take(&mut self.bits);
        if self.places.before.is_empty() {
            let twins = self.template.names_before(&self.places.row[1..]);
            repeat(&mut bits, self.codes, plain, from, end, twins);
            self.places.row[0] = 0;
        } else {
            self.places.row[0] = from;
            let twins = self.places.row.iter().copied().zip(self.places.before.iter().copied());
            repeat(&mut bits, self.codes, plain, from, end, twins);
        }
        self.bits = bits;
        self.packed = end;
        self.places.before.clone_from(&self.places.row);
    }
}

/// Packs this range. Each of the places, ascending, has an earlier twin, from which on the two may be equal.
#[inline]
fn repeat(
    bits: &mut Bits,
    codes: &Codes,
    plain: &[u8],
    from: usize,
    end: usize,
    places: impl Iterator<Item = (usize, usize)>,
) {
    let mut at = from;
    for (place, twin) in places {
        if place < at || twin >= place || place - twin > WINDOW || place >= end {
            continue;
        }
        let mut same = common(&plain[twin..], &plain[place..end]);
        if same < WORTH {
            continue;
        }
        literals(bits, codes, &plain[at..place]);
        at = place + same;
        while same > 0 {
            // No rest is shorter than a repetition may be.
            let len = if same > MAX_MATCH { MAX_MATCH.min(same - WORTH) } else { same };
            codes.repeated(bits, len, place - twin);
            same -= len;
        }
    }
    literals(bits, codes, &plain[at..end]);
}

#[inline(always)]
fn literals(bits: &mut Bits, codes: &Codes, octets: &[u8]) {
    let mut fours = octets.chunks_exact(4);
    for four in &mut fours {
        four.iter().for_each(|octet| bits.put(codes.literals[usize::from(*octet)]));
        bits.spill();
    }
    fours.remainder().iter().for_each(|octet| bits.put(codes.literals[usize::from(*octet)]));
    bits.spill();
}

/// How many octets are equal from the beginning.
#[inline(always)]
fn common(one: &[u8], other: &[u8]) -> usize {
    let mut same = 0;
    for (a, b) in one.chunks_exact(8).zip(other.chunks_exact(8)) {
        let (a, b): ([u8; 8], [u8; 8]) = (a.try_into().unwrap_or_default(), b.try_into().unwrap_or_default());
        let differs = u64::from_le_bytes(a) ^ u64::from_le_bytes(b);
        if differs != 0 {
            return same + (differs.trailing_zeros() / 8) as usize;
        }
        same += 8;
    }
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}

/// The maximum packed size of this many plain octets, including what is written after the last of them.
const fn room_for(octets: usize) -> usize {
    octets * 2 + 16
}

/// The codes for rows of this template.
pub(super) fn codes(template: &Template) -> Codes {
    let mut weights = Weights::new();
    let mut sample = Vec::new();
    super::begin(&mut sample, crate::envelope::Version::V1_1, Encoding::Typed, "urn:mib:IF-MIB", "GetTable");
    template.begin(&mut sample);
    super::end(&mut sample, Encoding::Typed, "GetTable");
    weights.text(&sample, 1);
    let pieces = template.pieces();
    let (mut row, rows) = (0, ROWS);
    for piece in pieces {
        weights.text(piece.open.octets(), 1);
        weights.text(b"0123456789", rows / 4);
        weights.text(b"01 ", rows / 8);
        let len = piece.joined.len();
        for more in [1, 2, 4, 8] {
            weights.repeated(len + more, rows / 6);
        }
        weights.repeated(2 * len, rows / 8);
        weights.repeated(3 * len, rows / 8);
        weights.repeated(piece.close.len(), 1);
        row += len + 4;
    }
    let times = rows * pieces.len() as u32;
    for eighths in [5, 6, 7, 8, 9] {
        weights.distance(row * eighths / 8, times / 6);
    }
    for name in [20, 24, 32, 40] {
        weights.distance(name, pieces.len() as u32 / 4);
    }
    Codes::new(&weights)
}

/// The rows of a usual answer.
const ROWS: u32 = 16;

/// A shorter repetition has more bits than its literals, which are digits mostly.
const WORTH: usize = 5;

const FIRST_ROOM: usize = 4096;

/// At most, with what fills no octet before it.
const FRAME_TAIL: usize = 9;

/// RFC 1950 section 2.2: deflate with the largest window, the fastest algorithm.
const ZLIB_HEAD: [u8; 2] = [0x78, 0x01];
/// RFC 1952 section 2.3: deflate, no flags, no time, an unknown system.
const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

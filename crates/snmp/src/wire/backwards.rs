//! The writer of headers: what precedes the bindings is written after them, the last element first.

use super::tag;
use super::writer::{integer_size, length_size};

/// Writes elements from the last to the first, so that each length is known when its turn comes.
pub(crate) struct Backwards<'a> {
    octets: &'a mut [u8],
    at: usize,
}

impl<'a> Backwards<'a> {
    /// The last element will end at `end`; there must be enough octets before it.
    pub fn new(octets: &'a mut [u8], end: usize) -> Self {
        Backwards { octets, at: end }
    }

    /// Where the element written last starts.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The octets that are written into, for what changes them in place.
    pub fn octets(&mut self) -> &mut [u8] {
        self.octets
    }

    /// A whole OCTET STRING.
    pub fn string(&mut self, contents: &[u8]) {
        self.put(contents);
        self.header(tag::OCTET_STRING, contents.len());
    }

    pub fn put(&mut self, octets: &[u8]) {
        let end = self.at;
        self.at -= octets.len();
        self.octets[self.at..end].copy_from_slice(octets);
    }

    /// Type and length of the elements written last.
    #[inline]
    pub fn header(&mut self, tag: u8, length: usize) {
        match length_size(length) {
            1 => self.put(&[tag, length as u8]),
            size => self.number(tag, 0x80 | (size - 1) as u8, length as u32, size - 1),
        }
    }

    /// A whole INTEGER.
    #[inline]
    pub fn integer(&mut self, value: i32) {
        let size = integer_size(value);
        self.number(tag::INTEGER, size as u8, value as u32, size);
    }

    /// Two octets and the last `size` of a number. All four of its octets are stored, since a copy of fixed
    /// size costs least: those that do not belong are overwritten by what comes before them.
    #[inline]
    fn number(&mut self, tag: u8, second: u8, number: u32, size: usize) {
        let end = self.at;
        self.octets[end - 4..end].copy_from_slice(&number.to_be_bytes());
        self.at = end - size - 2;
        self.octets[self.at..self.at + 2].copy_from_slice(&[tag, second]);
    }
}

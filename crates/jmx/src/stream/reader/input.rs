//! A cursor over the octets that have arrived.

/// Octets, and how far they are read.
#[derive(Debug)]
pub struct Input<'a> {
    octets: &'a [u8],
    position: usize,
}

impl<'a> Input<'a> {
    /// From the first octet.
    pub fn new(octets: &'a [u8]) -> Self {
        Input { octets, position: 0 }
    }

    /// How many octets are read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// What is not read.
    pub fn rest(&self) -> &'a [u8] {
        &self.octets[self.position..]
    }

    pub(crate) fn skip(&mut self, octets: usize) {
        self.position = self.octets.len().min(self.position + octets);
    }

    /// The next octet, which stays.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// The next octets, which stay.
    pub(crate) fn ahead<const N: usize>(&self) -> Option<[u8; N]> {
        self.rest().first_chunk().copied()
    }

    /// The next octets.
    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let taken = self.ahead()?;
        self.position += N;
        Some(taken)
    }

    /// `length` octets after `head`, both of which are then read; nothing is, if they have not arrived.
    pub(crate) fn after(&mut self, head: usize, length: usize) -> Option<&'a [u8]> {
        let octets = self.rest().get(head..head.checked_add(length)?)?;
        self.position += head + length;
        Some(octets)
    }

    /// As many whole elements as have arrived, at most `most`.
    pub(crate) fn elements<const N: usize>(&mut self, most: usize) -> &'a [[u8; N]] {
        let (elements, _) = self.rest().as_chunks::<N>();
        let elements = &elements[..elements.len().min(most)];
        self.position += elements.len() * N;
        elements
    }
}

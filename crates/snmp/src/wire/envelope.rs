//! What stands around the list of bindings in a community-based message, and
//! how many octets it takes: needed before the list is written, because the
//! message must fit its limit, and written when the list is done.

use super::writer::{element_size, integer_size, length_size};
use super::{PduKind, Version, tag};

/// The envelope of a message that is about to be written. A Response repeats version, community and
/// request-id of the request, see [`MessageRef::reply`](super::MessageRef::reply).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// v1 or v2c.
    pub version: Version,
    /// The community.
    pub community: &'a [u8],
    /// What the PDU is.
    pub kind: PduKind,
    /// request-id.
    pub request_id: i32,
}

impl Envelope<'_> {
    /// How many octets stand before the contents of a list of `list` octets, for this error-status and
    /// error-index.
    pub(crate) fn size(&self, list: usize, status: i32, index: i32) -> usize {
        let pdu = self.pdu_size(list, status, index);
        element_size(self.message_size(pdu)) - list
    }

    /// The most octets that [`size`](Self::size) can give.
    pub(crate) fn most(&self) -> usize {
        const WIDEST_HEADER: usize = 6;
        const WIDEST_INTEGER: usize = 6;
        4 * WIDEST_HEADER + 4 * WIDEST_INTEGER + self.community.len()
    }

    /// How long the list's contents may be so that a message without error has at most `limit` octets.
    pub(crate) fn room(&self, limit: usize) -> usize {
        // The envelope of a list as long as the limit is at least as large as the right one: start there, at
        // most a few octets too low.
        let mut room = limit.saturating_sub(self.size(limit, 0, 0));
        while self.size(room + 1, 0, 0) + room < limit {
            room += 1;
        }
        room
    }

    /// Writes the envelope so that it ends where the list's contents start, at `end`. Gives where it starts.
    /// `octets` has [`most`](Self::most) octets before `end`.
    pub(crate) fn write(&self, octets: &mut [u8], end: usize, list: usize, status: i32, index: i32) -> usize {
        let pdu = self.pdu_size(list, status, index);
        let mut out = Backwards { octets, at: end };
        out.header(tag::SEQUENCE, list);
        out.integer(index);
        out.integer(status);
        out.integer(self.request_id);
        out.header(self.kind.tag(), pdu);
        out.put(self.community);
        out.header(tag::OCTET_STRING, self.community.len());
        out.integer(self.version.code());
        out.header(tag::SEQUENCE, self.message_size(pdu));
        out.at
    }

    /// Contents of the PDU.
    fn pdu_size(&self, list: usize, status: i32, index: i32) -> usize {
        let numbers = [self.request_id, status, index];
        let numbers: usize = numbers.iter().map(|&number| element_size(integer_size(number))).sum();
        numbers + element_size(list)
    }

    /// Contents of the message around a PDU with so many octets of contents.
    fn message_size(&self, pdu: usize) -> usize {
        let version = element_size(integer_size(self.version.code()));
        version + element_size(self.community.len()) + element_size(pdu)
    }
}

/// Writes elements from the last to the first, so that each length is known when its turn comes.
struct Backwards<'a> {
    octets: &'a mut [u8],
    at: usize,
}

impl Backwards<'_> {
    fn put(&mut self, octets: &[u8]) {
        let end = self.at;
        self.at -= octets.len();
        self.octets[self.at..end].copy_from_slice(octets);
    }

    #[inline]
    fn header(&mut self, tag: u8, length: usize) {
        match length_size(length) {
            1 => self.put(&[tag, length as u8]),
            size => self.number(tag, 0x80 | (size - 1) as u8, length as u32, size - 1),
        }
    }

    #[inline]
    fn integer(&mut self, value: i32) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_exact_for_every_limit() {
        for community in [0, 6, 120, 127, 128, 300] {
            for request_id in [0, 128, i32::MIN] {
                let community = vec![b'c'; community];
                let envelope = Envelope {
                    version: Version::V2c,
                    community: &community,
                    kind: PduKind::Response,
                    request_id,
                };
                for limit in (0..2000).chain(65_300..65_540) {
                    let room = envelope.room(limit);
                    let total = |list| envelope.size(list, 0, 0) + list;
                    assert!(room == 0 || total(room) <= limit, "limit {limit}: {room} octets are too many");
                    assert!(total(room + 1) > limit, "limit {limit}: more than {room} octets fit");
                    assert!(envelope.size(room, i32::MIN, i32::MIN) <= envelope.most());
                }
            }
        }
    }
}

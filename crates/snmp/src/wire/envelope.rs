//! What stands around the list of bindings in a message, and how many octets it takes: needed before the list is written, because the
//! message must fit its limit, and written when the list is done.

use super::backwards::Backwards;
use super::writer::{element_size, integer_size};
use super::{PduKind, Version, tag};

/// The envelope of a message that is about to be written. A Response repeats what stood around the request, see
/// [`MessageRef::reply`](super::MessageRef::reply) and [`Request::reply`](crate::engine::Request::reply).
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// What the version puts around the PDU.
    pub header: Header<'a>,
    /// What the PDU is.
    pub kind: PduKind,
    /// request-id.
    pub request_id: i32,
}

/// What a version puts around a PDU.
#[derive(Clone, Copy)]
pub enum Header<'a> {
    /// SNMPv1 and SNMPv2c (RFC 1157 section 4, RFC 1901 section 3).
    Community {
        /// v1 or v2c.
        version: Version,
        /// The community.
        community: &'a [u8],
    },
}

impl std::fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // The community is the secret of its version.
            Header::Community { version, .. } => f.debug_tuple("Community").field(version).finish(),
        }
    }
}

impl<'a> Envelope<'a> {
    /// The envelope of a message of SNMPv1 or SNMPv2c.
    pub const fn community(version: Version, community: &'a [u8], kind: PduKind, request_id: i32) -> Self {
        Envelope { header: Header::Community { version, community }, kind, request_id }
    }

    /// The version of the message.
    pub fn version(&self) -> Version {
        match self.header {
            Header::Community { version, .. } => version,
        }
    }
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
        PDU_MOST
            + match self.header {
                Header::Community { community, .. } => 2 * WIDEST_HEADER + WIDEST_INTEGER + community.len(),
            }
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
        let mut out = Backwards::new(octets, end);
        out.header(tag::SEQUENCE, list);
        out.integer(index);
        out.integer(status);
        out.integer(self.request_id);
        out.header(self.kind.tag(), pdu);
        match self.header {
            Header::Community { version, community } => {
                out.string(community);
                out.integer(version.code());
                out.header(tag::SEQUENCE, self.message_size(pdu));
            }
        }
        out.at()
    }

    /// Contents of the PDU.
    fn pdu_size(&self, list: usize, status: i32, index: i32) -> usize {
        let numbers = [self.request_id, status, index];
        let numbers: usize = numbers.iter().map(|&number| element_size(integer_size(number))).sum();
        numbers + element_size(list)
    }

    /// Contents of the message around a PDU with so many octets of contents.
    fn message_size(&self, pdu: usize) -> usize {
        match self.header {
            Header::Community { version, community } => {
                let version = element_size(integer_size(version.code()));
                version + element_size(community.len()) + element_size(pdu)
            }
        }
    }
}

/// A type and the widest length field.
pub(crate) const WIDEST_HEADER: usize = 6;

/// A whole INTEGER of four octets.
pub(crate) const WIDEST_INTEGER: usize = 6;

/// The most octets of what stands in a PDU around the contents of its list.
const PDU_MOST: usize = 2 * WIDEST_HEADER + 3 * WIDEST_INTEGER;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_exact_for_every_limit() {
        for community in [0, 6, 120, 127, 128, 300] {
            for request_id in [0, 128, i32::MIN] {
                let community = vec![b'c'; community];
                let envelope = Envelope::community(Version::V2c, &community, PduKind::Response, request_id);
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

//! What stands around the list of bindings in a message, and how many octets it takes: needed before the list is written, because the
//! message must fit its limit, and written when the list is done.

use std::ops::Range;

use super::backwards::Backwards;
use super::writer::{element_size, integer_size};
use super::{Bound, Pdu, PduKind, ResponseWriter, V3Header, VarBind, Version, tag};
use crate::usm::PrivacyError;

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
    /// SNMPv3 (RFC 3412 section 6).
    V3(&'a V3Header<'a>),
}

impl std::fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // The community is the secret of its version.
            Header::Community { version, .. } => f.debug_tuple("Community").field(version).finish(),
            Header::V3(header) => header.fmt(f),
        }
    }
}

impl Header<'_> {
    /// Writes a whole message around a PDU into a buffer that is used again and again, as
    /// [`ResponseWriter`] does; gives which of its octets are the message. `None`: it has more than `max_size`.
    pub fn encode(self, pdu: &Pdu, max_size: usize, buf: &mut Vec<u8>) -> Option<Range<usize>> {
        let envelope = Envelope { header: self, kind: pdu.kind, request_id: pdu.request_id };
        let mut writer = ResponseWriter::new(buf, max_size, envelope);
        for VarBind { name, value } in &pdu.bindings {
            let fits = match value {
                Bound::Unspecified => writer.unspecified(name),
                Bound::Exception(exception) => writer.exception(name, *exception),
                Bound::Value(value) => writer.value_at(name, value.as_value_ref()),
            };
            if !fits {
                return None;
            }
        }
        writer.close(pdu.error_status, pdu.error_index)
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
            Header::V3(_) => Version::V3,
        }
    }
}

impl Envelope<'_> {
    /// How many octets a message without bindings has: what a message costs beside them.
    pub fn size_without_bindings(&self) -> usize {
        self.size(0, 0, 0)
    }

    /// How many octets stand around the contents of a list of `list` octets, for this error-status and
    /// error-index, padding included.
    pub(crate) fn size(&self, list: usize, status: i32, index: i32) -> usize {
        let pdu = self.pdu_size(list, status, index);
        element_size(self.message_size(pdu)) - list
    }

    /// The most octets that [`size`](Self::size) can give.
    pub(crate) fn most(&self) -> usize {
        PDU_MOST
            + match self.header {
                Header::Community { community, .. } => 2 * WIDEST_HEADER + WIDEST_INTEGER + community.len(),
                Header::V3(header) => header.most(),
            }
    }

    /// The most octets that stand behind the list's contents.
    pub(crate) fn most_behind(&self) -> usize {
        match self.header {
            Header::Community { .. } => 0,
            Header::V3(header) => header.most_behind(),
        }
    }

    /// How long the list's contents may be so that a message without error has at most `limit` octets.
    pub(crate) fn room(&self, limit: usize) -> usize {
        // The envelope of a list as long as the limit is, but for padding, at least as large as the right one:
        // start there, at most a few octets too low.
        let mut room = limit.saturating_sub(self.size(limit, 0, 0) + self.most_behind());
        while self.size(room + 1, 0, 0) + room < limit {
            room += 1;
        }
        room
    }

    /// Writes the envelope around the list's contents, which are at `list`. Gives where the message is.
    /// `octets` has [`most`](Self::most) octets before the list and [`most_behind`](Self::most_behind) behind it.
    ///
    /// # Errors
    /// The cipher does not take the octets, which it always does.
    pub(crate) fn write(
        &self,
        octets: &mut [u8],
        list: Range<usize>,
        status: i32,
        index: i32,
    ) -> Result<Range<usize>, PrivacyError> {
        let mut out = Backwards::new(octets, list.start);
        out.header(tag::SEQUENCE, list.len());
        out.integer(index);
        out.integer(status);
        out.integer(self.request_id);
        out.header(self.kind.tag(), list.end - out.at());
        let end = match self.header {
            Header::Community { version, community } => {
                out.string(community);
                out.integer(version.code());
                out.header(tag::SEQUENCE, list.end - out.at());
                list.end
            }
            Header::V3(header) => header.write(&mut out, list.end)?,
        };
        Ok(out.at()..end)
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
            Header::V3(header) => header.message_size(pdu),
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

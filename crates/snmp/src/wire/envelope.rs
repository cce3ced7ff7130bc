//! The parts of a message around the list of bindings, and how many octets they take: needed before the list is
//! written, because the message must fit its limit, and written when the list is complete.

use std::ops::Range;

use super::backwards::Backwards;
use super::writer::{element_size, integer_size, length_size};
use super::{Bound, Compression, Pdu, PduKind, ResponseWriter, V3Header, VarBind, Version, tag};

/// The envelope of a message to be written. A Response repeats the request's, see
/// [`MessageRef::reply`](super::MessageRef::reply) and [`Request::reply`](crate::engine::Request::reply).
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a> {
    /// What the version puts around the PDU.
    pub header: Header<'a>,
    /// What the PDU is.
    pub kind: PduKind,
    /// request-id.
    pub request_id: i32,
    /// How the PDU is compressed, if that makes it shorter; `None` if the request was not compressed.
    pub compression: Option<Compression>,
}

/// A version's wrapper of a PDU.
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
    /// Writes a whole message around a PDU into a reused buffer, as [`ResponseWriter`] does; returns the range of
    /// the message. `None`: it has more than `max_size`.
    pub fn encode(self, pdu: &Pdu, max_size: usize, buf: &mut Vec<u8>) -> Option<Range<usize>> {
        let envelope =
            Envelope { header: self, kind: pdu.kind, request_id: pdu.request_id, compression: None };
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
        Envelope { header: Header::Community { version, community }, kind, request_id, compression: None }
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
    /// The number of octets of a message without bindings: its overhead.
    pub fn size_without_bindings(&self) -> usize {
        self.sizes().message(0, 0, 0)
    }

    /// What its size depends on, found out once.
    #[inline]
    pub(crate) fn sizes(&self) -> Sizes {
        let request_id = element_size(integer_size(self.request_id));
        match self.header {
            Header::Community { version, community } => {
                let front = element_size(integer_size(version.code())) + element_size(community.len());
                Sizes { request_id, front, around: Around::Nothing, most: front + MOST }
            }
            Header::V3(header) => header.sizes(request_id),
        }
    }

    /// Writes the envelope around the list's contents, which are at `list`. Returns the range of the message.
    /// `octets` has [`Sizes::most`] octets before the list and [`Sizes::most_behind`] after it. `None`: the
    /// cipher rejects the octets, which never happens.
    #[inline]
    pub(crate) fn write(
        &self,
        octets: &mut [u8],
        list: Range<usize>,
        status: i32,
        index: i32,
    ) -> Option<Range<usize>> {
        let mut out = Backwards::new(octets, list.start);
        out.header(tag::SEQUENCE, list.len());
        out.integer(index);
        out.integer(status);
        out.integer(self.request_id);
        out.header(self.kind.tag(), list.end - out.at());
        self.write_around(out, list.end)
    }

    /// The same around a PDU in another form, which ends at `end`, where a longer one would have been written.
    #[cold]
    pub(crate) fn write_over(&self, octets: &mut [u8], pdu: &[u8], end: usize) -> Option<Range<usize>> {
        let mut out = Backwards::new(octets, end);
        out.put(pdu);
        self.write_around(out, end)
    }

    #[inline]
    fn write_around(&self, mut out: Backwards<'_>, end: usize) -> Option<Range<usize>> {
        let end = match self.header {
            Header::Community { version, community } => {
                out.string(community);
                out.integer(version.code());
                out.header(tag::SEQUENCE, end - out.at());
                end
            }
            Header::V3(header) => header.write(&mut out, end)?,
        };
        Some(out.at()..end)
    }

    /// request-id, error-status and error-index as in the PDU.
    #[cold]
    pub(crate) fn numbers(&self, status: i32, index: i32) -> Vec<u8> {
        let mut octets = vec![0; 3 * WIDEST_HEADER];
        let mut out = Backwards::new(&mut octets, 3 * WIDEST_HEADER);
        out.integer(index);
        out.integer(status);
        out.integer(self.request_id);
        let start = out.at();
        octets.split_off(start)
    }
}

/// How many octets surround a list of bindings: everything that does not depend on the list.
///
/// ```text
/// message( front  around( PDU( request-id  status  index  list( bindings ))))
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// request-id, the whole element.
    pub request_id: usize,
    /// The content of the message before the PDU or its wrapper.
    pub front: usize,
    /// The wrapper of the PDU.
    pub around: Around,
    /// The most octets before the list.
    pub most: usize,
}

/// The wrapper of a PDU inside its message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Around {
    /// SNMPv1 and SNMPv2c.
    Nothing,
    /// A scoped PDU with this many octets before the PDU.
    Scoped(usize),
    /// The same, encrypted, in blocks of this many octets.
    Encrypted(usize, usize),
}

impl Sizes {
    /// The whole message with a list of this many octets and these numbers.
    #[inline]
    pub fn message(&self, list: usize, status: i32, index: i32) -> usize {
        let numbers = element_size(integer_size(status)) + element_size(integer_size(index));
        self.with_numbers(list, numbers)
    }

    #[inline]
    fn with_numbers(&self, list: usize, numbers: usize) -> usize {
        let pdu = element_size(self.request_id + numbers + element_size(list));
        let data = match self.around {
            Around::Nothing => pdu,
            Around::Scoped(contexts) => element_size(contexts + pdu),
            Around::Encrypted(contexts, block) => {
                element_size(element_size(contexts + pdu).next_multiple_of(block))
            }
        };
        element_size(self.front + data)
    }

    /// How long the list's contents may be so that a message without error has at most `limit` octets.
    #[inline]
    pub fn room(&self, limit: usize) -> usize {
        const NO_ERROR: usize = 2 * 3;
        // No list is longer than this: three headers of two octets are the least.
        let longest = limit.saturating_sub(self.front + self.request_id + NO_ERROR + 3 * 2);
        // The envelope of that is, except for padding, at least as large as the right one: start there, at most a
        // few octets too low.
        let beyond = self.with_numbers(longest, NO_ERROR);
        let mut room = limit.saturating_sub(beyond - longest + self.most_behind());
        if length_size(room) == length_size(beyond) && self.most_behind() == 0 {
            return room; // every length between has as many octets: that was exact
        }
        while self.with_numbers(room + 1, NO_ERROR) <= limit {
            room += 1;
        }
        room
    }

    /// The most octets before the list's contents.
    pub fn most(&self) -> usize {
        self.most
    }

    /// The most octets after them.
    #[inline]
    pub fn most_behind(&self) -> usize {
        match self.around {
            Around::Encrypted(_, block) => block - 1,
            Around::Nothing | Around::Scoped(_) => 0,
        }
    }
}

/// A type and the widest length field.
pub(crate) const WIDEST_HEADER: usize = 6;

/// The most octets that every message has around the contents of its list, besides what [`Sizes::front`] counts
/// and the wrapper of the PDU: the types and lengths of message, PDU and list, and three INTEGERs of maximum
/// width.
pub(crate) const MOST: usize = 3 * WIDEST_HEADER + 3 * WIDEST_HEADER;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &Sizes) {
        for limit in (0..2000).chain(65_300..65_540) {
            let room = sizes.room(limit);
            let total = |list| sizes.message(list, 0, 0);
            assert!(room == 0 || total(room) <= limit, "limit {limit}: {room} octets are too many");
            assert!(total(room + 1) > limit, "limit {limit}: more than {room} octets fit");
            let around = sizes.message(room, i32::MIN, i32::MIN) - room;
            assert!(around <= sizes.most() + sizes.most_behind());
        }
    }

    #[test]
    fn the_room_is_exact_with_every_kind_of_padding() {
        for around in [Around::Scoped(20), Around::Encrypted(40, 1), Around::Encrypted(40, 8)] {
            for front in [60, 100, 140] {
                let most = front + MOST + 40 + 2 * WIDEST_HEADER;
                check(&Sizes { request_id: 6, front, around, most });
            }
        }
    }

    #[test]
    fn the_room_is_exact_for_every_limit() {
        for community in [0, 6, 120, 127, 128, 300] {
            for request_id in [0, 128, i32::MIN] {
                let community = vec![b'c'; community];
                let envelope = Envelope::community(Version::V2c, &community, PduKind::Response, request_id);
                check(&envelope.sizes());
            }
        }
    }
}

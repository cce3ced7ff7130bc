//! The header of a packet, and where a packet ends in a stream.

use super::{VERSION, flag, kind};

/// The length of the header.
pub const HEADER_LENGTH: usize = 20;

/// The longest payload that is read or written: sixteen times the largest message of SNMP.
pub const MAX_PAYLOAD: usize = 1 << 20;

/// The order of the octets of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// NETWORK_BYTE_ORDER: the most significant octet first.
    Big,
    /// The least significant octet first.
    Little,
}

impl ByteOrder {
    pub(super) const fn of_flags(flags: u8) -> Self {
        if flags & flag::NETWORK_BYTE_ORDER == 0 { ByteOrder::Little } else { ByteOrder::Big }
    }

    pub(super) const fn u16(self, octets: [u8; 2]) -> u16 {
        match self {
            ByteOrder::Big => u16::from_be_bytes(octets),
            ByteOrder::Little => u16::from_le_bytes(octets),
        }
    }

    pub(super) const fn u32(self, octets: [u8; 4]) -> u32 {
        match self {
            ByteOrder::Big => u32::from_be_bytes(octets),
            ByteOrder::Little => u32::from_le_bytes(octets),
        }
    }

    pub(super) const fn u64(self, octets: [u8; 8]) -> u64 {
        match self {
            ByteOrder::Big => u64::from_be_bytes(octets),
            ByteOrder::Little => u64::from_le_bytes(octets),
        }
    }
}

/// What a header says about its packet; with it, a packet that cannot be read further can still be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// h.type
    pub kind: u8,
    /// h.flags
    pub flags: u8,
    /// From the flags.
    pub order: ByteOrder,
    /// h.sessionID
    pub session: u32,
    /// h.transactionID
    pub transaction: u32,
    /// h.packetID
    pub packet: u32,
    /// h.payload_length, within the limit.
    pub payload: usize,
}

/// Why octets are not the beginning of a packet: the connection cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Another protocol, or a version that does not exist.
    #[error("version {found} of AgentX, expected 1")]
    Version {
        /// What was found.
        found: u8,
    },
    /// More than [`MAX_PAYLOAD`].
    #[error("a payload of {found} octets, at most {MAX_PAYLOAD} are read")]
    TooLong {
        /// What was found.
        found: u32,
    },
    /// Everything in a packet has a multiple of four octets.
    #[error("a payload of {found} octets, expected a multiple of 4")]
    Uneven {
        /// What was found.
        found: u32,
    },
}

impl Header {
    /// Whether it is that of a Response.
    #[must_use]
    pub const fn is_response(&self) -> bool {
        self.kind == kind::RESPONSE
    }

    /// Reads the header that octets begin with; `None` if they are fewer than [`HEADER_LENGTH`].
    pub fn read(octets: &[u8]) -> Result<Option<Header>, HeaderError> {
        match octets.first() {
            None | Some(&VERSION) => {}
            Some(&found) => return Err(HeaderError::Version { found }),
        }
        let Some(words) = octets.first_chunk::<HEADER_LENGTH>() else { return Ok(None) };
        let [_, kind, flags, _, rest @ ..] = words;
        let order = ByteOrder::of_flags(*flags);
        let mut numbers = rest.chunks_exact(4).map(|word| {
            let word: [u8; 4] = word.try_into().unwrap_or_default();
            order.u32(word)
        });
        let mut next = || numbers.next().unwrap_or_default();
        let (session, transaction, packet, found) = (next(), next(), next(), next());
        if found > MAX_PAYLOAD as u32 {
            return Err(HeaderError::TooLong { found });
        }
        if found % 4 != 0 {
            return Err(HeaderError::Uneven { found });
        }
        let (kind, flags) = (*kind, *flags);
        Ok(Some(Header { kind, flags, order, session, transaction, packet, payload: found as usize }))
    }
}

/// How many octets the packet has that a stream begins with; `None` while its header is incomplete.
pub fn packet_length(octets: &[u8]) -> Result<Option<usize>, HeaderError> {
    Ok(Header::read(octets)?.map(|header| HEADER_LENGTH + header.payload))
}

/// The packet that a stream begins with; `None` while it is incomplete.
///
/// # Errors
/// As [`packet_length`].
pub fn first_packet(octets: &[u8]) -> Result<Option<&[u8]>, HeaderError> {
    Ok(packet_length(octets)?.and_then(|length| octets.get(..length)))
}

//! What a manager needs of the protocol beside the messages: request-ids, and
//! which message may answer a request. Windows, time-outs and retries are the
//! client's.

use crate::DecodeError;
use crate::wire::{MessageRef, PduKind, Version};

/// Gives out request-ids over the whole signed range, in an order that a stranger who sees none of them
/// cannot guess if `entropy` was good; they are a name, not a proof.
#[derive(Clone, Debug)]
pub struct RequestIds {
    state: u64,
}

impl RequestIds {
    /// Ids that start from this entropy, which should be different for each session.
    pub const fn new(entropy: u64) -> Self {
        RequestIds { state: entropy }
    }

    /// The next id that is not in use; a request keeps its id when it is sent again. `in_use` must not hold
    /// all 2^32 numbers.
    pub fn allocate(&mut self, in_use: impl Fn(i32) -> bool) -> i32 {
        loop {
            let id = self.step();
            if !in_use(id) {
                return id;
            }
        }
    }

    /// A counter with a constant odd step, its bits mixed so that neighbours have nothing in common.
    fn step(&mut self) -> i32 {
        self.state = self.state.wrapping_add(STEP);
        let mixed = (self.state ^ (self.state >> 32)).wrapping_mul(MIX);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(MIX);
        (mixed >> 32) as i32 // all bits wanted, the sign included
    }
}

/// Why a message answers nothing that a session has asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stray {
    /// It is no message, or none up to its bindings.
    #[error(transparent)]
    Malformed(DecodeError),
    /// It is no Response.
    #[error("a Response expected, {found} found")]
    NotAResponse {
        /// What it is.
        found: PduKind,
    },
    /// It has another version than the request had.
    #[error("a Response of version {expected} expected, {found} found")]
    OtherVersion {
        /// The request's version.
        expected: Version,
        /// The message's version.
        found: Version,
    },
    /// It has another community than the request had.
    #[error("a Response with another community than the request's")]
    OtherCommunity,
}

/// Reads a message as the answer to a request of this version and community (RFC 3416 section 4.1; the
/// community because nothing else tells a stranger's answer). Whether its request-id is waited for is the
/// caller's to know; late and repeated answers are not.
pub fn response<'m>(octets: &'m [u8], version: Version, community: &[u8]) -> Result<MessageRef<'m>, Stray> {
    let message = MessageRef::decode(octets).map_err(Stray::Malformed)?;
    if message.kind != PduKind::Response {
        return Err(Stray::NotAResponse { found: message.kind });
    }
    if message.version != version {
        return Err(Stray::OtherVersion { expected: version, found: message.version });
    }
    if message.community != community {
        return Err(Stray::OtherCommunity);
    }
    Ok(message)
}

/// 2^64 divided by the golden ratio, odd: the counter visits every number before it repeats one.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Odd, with its bits spread: multiplying by it loses nothing.
const MIX: u64 = 0xd6e8_feb8_6659_fd93;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use trunkline_smi::Oid;

    use super::*;
    use crate::wire::{Message, Pdu};

    #[test]
    fn ids_are_unique_among_those_in_use_and_use_the_whole_range() {
        let mut ids = RequestIds::new(1);
        let mut used = HashSet::new();
        for _ in 0..20_000 {
            let id = ids.allocate(|id| used.contains(&id));
            assert!(used.insert(id));
        }
        let negative = used.iter().filter(|id| **id < 0).count();
        assert!((9_000..11_000).contains(&negative), "{negative} of 20000 are negative");
        let other = RequestIds::new(2).allocate(|_| false);
        assert_ne!(RequestIds::new(1).allocate(|_| false), other);
        // an id in use is passed over
        let first = RequestIds::new(7).allocate(|_| false);
        assert_ne!(RequestIds::new(7).allocate(|id| id == first), first);
    }

    #[test]
    fn only_a_response_of_the_same_session_is_one() {
        let octets = |version, community: &[u8], kind| {
            let pdu = Pdu::read(kind, 9, [&Oid::from([1, 3])]);
            Message { version, community: community.to_vec(), pdu }.encode()
        };
        let read =
            |octets: &[u8]| response(octets, Version::V2c, b"public").map(|message| message.request_id);
        assert_eq!(read(&octets(Version::V2c, b"public", PduKind::Response)), Ok(9));
        let (expected, found) = (Version::V2c, Version::V1);
        assert_eq!(
            read(&octets(Version::V1, b"public", PduKind::Response)),
            Err(Stray::OtherVersion { expected, found })
        );
        assert_eq!(read(&octets(Version::V2c, b"Public", PduKind::Response)), Err(Stray::OtherCommunity));
        for found in [PduKind::Get, PduKind::Report, PduKind::TrapV2] {
            assert_eq!(read(&octets(Version::V2c, b"public", found)), Err(Stray::NotAResponse { found }));
        }
        assert!(matches!(read(&[0x30]), Err(Stray::Malformed(_))));
    }
}

//! What a manager needs from the protocol besides messages: which message may answer a request. Request-ids,
//! windows, time-outs and retries belong to the client.

use crate::DecodeError;
use crate::wire::{MessageRef, PduKind, Version};

/// Why a message does not answer any request of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stray {
    /// It is not a message, at least up to its bindings.
    #[error(transparent)]
    Malformed(DecodeError),
    /// It is not a Response.
    #[error("expected a Response, found {found}")]
    NotAResponse {
        /// What it is.
        found: PduKind,
    },
    /// It has another version than the request had.
    #[error("expected a Response of version {expected}, found {found}")]
    OtherVersion {
        /// The request's version.
        expected: Version,
        /// The message's version.
        found: Version,
    },
    /// It has another community than the request had.
    #[error("the Response has another community than the request")]
    OtherCommunity,
}

/// Parses a message as the answer to a request of this version and community (RFC 3416 section 4.1; the community
/// because nothing else exposes a stranger's answer). The caller knows whether its request-id is outstanding;
/// that of late and duplicate answers is not.
pub fn response<'m>(octets: &'m [u8], version: Version, community: &[u8]) -> Result<MessageRef<'m>, Stray> {
    let message = MessageRef::decode(octets).map_err(Stray::Malformed)?;
    if message.pdu.kind != PduKind::Response {
        return Err(Stray::NotAResponse { found: message.pdu.kind });
    }
    if message.version != version {
        return Err(Stray::OtherVersion { expected: version, found: message.version });
    }
    if message.community != community {
        return Err(Stray::OtherCommunity);
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Oid;

    use super::*;
    use crate::wire::{Message, Pdu};

    #[test]
    fn only_a_response_of_the_same_session_counts() {
        let octets = |version, community: &[u8], kind| {
            let pdu = Pdu::read(kind, 9, [&Oid::from([1, 3])]);
            Message { version, community: community.to_vec(), pdu }.encode()
        };
        let read =
            |octets: &[u8]| response(octets, Version::V2c, b"public").map(|message| message.pdu.request_id);
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

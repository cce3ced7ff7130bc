//! A message that borrows from the received octets: the agent's side. The header is parsed and checked at once,
//! the bindings on demand; nothing is allocated.

use super::reader::Reader;
use super::{Envelope, MAX_MESSAGE_SIZE, PduKind, PduRef, Version, tag};
use crate::{DecodeError, Element};

/// A message of a community-based version, borrowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MessageRef<'a> {
    /// v1 or v2c.
    pub version: Version,
    /// The community.
    pub community: &'a [u8],
    /// The PDU.
    pub pdu: PduRef<'a>,
}

impl std::fmt::Debug for MessageRef<'_> {
    /// Without the community, which is the secret of its version.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let MessageRef { version, pdu, .. } = self;
        f.debug_struct("MessageRef").field("version", version).field("pdu", pdu).finish_non_exhaustive()
    }
}

impl<'a> MessageRef<'a> {
    /// Parses the header strictly; octets after the message or after the list of bindings are an error. The
    /// contents of the list are not parsed yet: see [`PduRef::names`] and [`PduRef::bindings`].
    pub fn decode(octets: &'a [u8]) -> Result<Self, DecodeError> {
        if octets.len() > MAX_MESSAGE_SIZE {
            return Err(DecodeError::TooLarge { found: octets.len(), limit: MAX_MESSAGE_SIZE });
        }
        let mut outer = Reader::new(octets);
        let mut message = outer.expect(tag::SEQUENCE, Element::Message)?.contents;
        outer.finish(Element::Message)?;

        let code = message.integer(Element::Version)?;
        let version = match Version::from_code(code) {
            Some(version @ (Version::V1 | Version::V2c)) => version,
            _ => return Err(DecodeError::UnsupportedVersion { found: code }),
        };
        let community = message.expect(tag::OCTET_STRING, Element::Community)?.contents.rest();
        let found = message.any(Element::Pdu)?;
        message.finish(Element::Pdu)?;

        Ok(MessageRef { version, community, pdu: PduRef::read(&found, version)? })
    }

    /// The envelope of the Response to this request: same version, community and request-id.
    pub fn reply(&self) -> Envelope<'a> {
        Envelope::community(self.version, self.community, PduKind::Response, self.pdu.request_id)
    }
}

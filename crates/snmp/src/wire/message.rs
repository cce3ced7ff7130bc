//! Owned messages: the manager's side. The agent reads [`MessageRef`](super::MessageRef) and writes with
//! [`ResponseWriter`](super::ResponseWriter).

use super::message_ref::MessageRef;
use super::pdu::Pdu;
use super::writer::{Forwards, element_size, integer_size};
use super::{Version, tag};
use crate::DecodeError;

/// A message of a community-based version (RFC 1157 section 4, RFC 1901 section 3).
///
/// ```text
/// Message ::= SEQUENCE { version INTEGER, community OCTET STRING, data PDUs }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// v1 or v2c.
    pub version: Version,
    /// The community, any octets.
    pub community: Vec<u8>,
    /// The PDU.
    pub pdu: Pdu,
}

impl std::fmt::Debug for Message {
    /// Without the community, which is the secret of its version.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Message { version, pdu, .. } = self;
        f.debug_struct("Message").field("version", version).field("pdu", pdu).finish_non_exhaustive()
    }
}

impl Message {
    /// The octets of the message.
    pub fn encode(&self) -> Vec<u8> {
        let (version, pdu) = (self.version.code(), self.pdu.sizes());
        let contents = element_size(integer_size(version))
            + element_size(self.community.len())
            + element_size(pdu.contents);

        let mut octets = vec![0; element_size(contents)];
        let mut out = Forwards::new(&mut octets);
        out.header(tag::SEQUENCE, contents);
        out.integer(version);
        out.element(tag::OCTET_STRING, &self.community);
        self.pdu.write(pdu, &mut out);
        octets
    }

    /// Parses a whole message, strictly: each element in its place, nothing after the last.
    pub fn decode(octets: &[u8]) -> Result<Message, DecodeError> {
        let message = MessageRef::decode(octets)?;
        Ok(Message {
            version: message.version,
            community: message.community.to_vec(),
            pdu: message.pdu.to_pdu()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::{Oid, Value};

    use super::*;
    use crate::wire::{Bound, ErrorStatus, Exception, PduKind, VarBind};

    #[test]
    fn a_get_as_the_wire_has_it() {
        let message = Message {
            version: Version::V2c,
            community: b"public".to_vec(),
            pdu: Pdu::read(PduKind::Get, 0x1234, [&Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])]),
        };
        let octets = [
            &[0x30, 0x27, 2, 1, 1, 4, 6][..],
            b"public",
            &[0xa0, 0x1a, 2, 2, 0x12, 0x34, 2, 1, 0, 2, 1, 0],
            &[0x30, 0x0e, 0x30, 0x0c, 6, 8, 0x2b, 6, 1, 2, 1, 1, 3, 0, 5, 0],
        ]
        .concat();
        assert_eq!(message.encode(), octets);
        assert_eq!(Message::decode(&octets), Ok(message));
    }

    #[test]
    fn long_lengths_and_every_kind_of_value() {
        let name = Oid::from([1, 3, 6, 1]);
        let values = [
            Value::Integer(i32::MIN),
            Value::OctetString(vec![7; 300]),
            Value::ObjectIdentifier(Oid::from([2, 999])),
            Value::IpAddress([127, 0, 0, 1]),
            Value::Counter32(u32::MAX),
            Value::Unsigned32(128),
            Value::TimeTicks(0),
            Value::Opaque(vec![0x9f, 0x78, 4, 0, 0, 0, 0]),
            Value::Counter64(u64::MAX),
        ];
        let mut bindings: Vec<VarBind> =
            values.into_iter().map(|value| VarBind::new(name.clone(), value)).collect();
        bindings.push(VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) });
        bindings.push(VarBind::unspecified(name));
        let pdu = Pdu { error_status: 18, error_index: 3, ..Pdu::new(PduKind::Response, -1, bindings) };
        let message = Message { version: Version::V2c, community: vec![0; 200], pdu };
        let octets = message.encode();
        assert_eq!(octets[1], 0x82);
        assert_eq!(Message::decode(&octets).unwrap(), message);
        assert_eq!(message.pdu.status(), Some(ErrorStatus::InconsistentName));
    }
}

//! Messages that own what they hold: the manager's side. The agent reads
//! [`MessageRef`](super::MessageRef) and writes with
//! [`ResponseWriter`](super::ResponseWriter).

use trunkline_smi::{Oid, Value};

use super::message_ref::MessageRef;
use super::oid::first_octets;
use super::writer::{Binding, Forwards, Payload, element_size, integer_size};
use super::{Bound, ErrorStatus, PduKind, Version, tag};
use crate::DecodeError;

/// One variable binding: a name and what is bound to it.
///
/// Every name can be encoded. BER can say identifiers of at least two sub-identifiers that start with 0.0 to
/// 0.39, 1.0 to 1.39 or 2.0 to 2.4294967295 ([`is_encodable`](super::is_encodable)); a shorter one is
/// completed with zeros, another one becomes the nearest before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarBind {
    /// The name of the instance.
    pub name: Oid,
    /// What is bound to it.
    pub value: Bound,
}

impl VarBind {
    /// A name with a value, for Set.
    pub fn new(name: Oid, value: Value) -> Self {
        VarBind { name, value: Bound::Value(value) }
    }

    /// A name alone, for the requests that read.
    pub fn unspecified(name: Oid) -> Self {
        VarBind { name, value: Bound::Unspecified }
    }

    /// Gives the binding as it is encoded to `take`.
    pub(crate) fn encoded<T>(&self, take: impl FnOnce(&Binding<'_>) -> T) -> T {
        let (prefix, length) = first_octets(&self.name);
        let payload = match &self.value {
            Bound::Unspecified => Payload::Empty(tag::NULL),
            Bound::Exception(exception) => Payload::Empty(exception.tag()),
            Bound::Value(value) => Payload::Value(value.as_value_ref()),
        };
        take(&Binding::new(&prefix[..length], self.name.get(2..).unwrap_or(&[]), payload))
    }
}

/// A PDU (RFC 3416 section 3).
///
/// ```text
/// PDU ::= SEQUENCE { request-id INTEGER, error-status INTEGER, error-index INTEGER,
///                    variable-bindings SEQUENCE OF VarBind }
/// ```
/// A GetBulkRequest has non-repeaters and max-repetitions where the others have error-status and error-index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// What it is.
    pub kind: PduKind,
    /// Names the request; the response has the same. All of the signed range.
    pub request_id: i32,
    /// error-status ([`ErrorStatus`]), 0 in requests; in a GetBulkRequest non-repeaters.
    pub error_status: i32,
    /// error-index, counted from 1, 0 in requests; in a GetBulkRequest max-repetitions.
    pub error_index: i32,
    /// variable-bindings.
    pub bindings: Vec<VarBind>,
}

impl Pdu {
    /// A PDU with error-status and error-index 0.
    pub fn new(kind: PduKind, request_id: i32, bindings: Vec<VarBind>) -> Self {
        Pdu { kind, request_id, error_status: 0, error_index: 0, bindings }
    }

    /// A request that reads these names: Get or GetNext.
    pub fn read<'n>(kind: PduKind, request_id: i32, names: impl IntoIterator<Item = &'n Oid>) -> Self {
        let bindings = names.into_iter().cloned().map(VarBind::unspecified).collect();
        Pdu::new(kind, request_id, bindings)
    }

    /// A GetBulkRequest.
    pub fn bulk<'n>(
        request_id: i32,
        non_repeaters: i32,
        max_repetitions: i32,
        names: impl IntoIterator<Item = &'n Oid>,
    ) -> Self {
        let read = Pdu::read(PduKind::GetBulk, request_id, names);
        Pdu { error_status: non_repeaters, error_index: max_repetitions, ..read }
    }

    /// How many octets its parts have, found out once.
    pub(crate) fn sizes(&self) -> PduSizes {
        let list = self.bindings.iter().map(|binding| binding.encoded(|encoded| encoded.size())).sum();
        let numbers = self.numbers().map(|number| element_size(integer_size(number)));
        PduSizes { list, contents: numbers.iter().sum::<usize>() + element_size(list) }
    }

    /// Writes the whole PDU, whose sizes these are.
    pub(crate) fn write(&self, sizes: PduSizes, out: &mut Forwards<'_>) {
        out.header(self.kind.tag(), sizes.contents);
        self.numbers().iter().for_each(|&number| out.integer(number));
        out.header(tag::SEQUENCE, sizes.list);
        self.bindings.iter().for_each(|binding| binding.encoded(|encoded| encoded.write(out)));
    }

    fn numbers(&self) -> [i32; 3] {
        [self.request_id, self.error_status, self.error_index]
    }

    /// The error-status by name; `None` for a number that no RFC knows.
    pub fn status(&self) -> Option<ErrorStatus> {
        ErrorStatus::from_code(self.error_status)
    }
}

/// How many octets the contents of a PDU have, and of its list of bindings.
#[derive(Clone, Copy)]
pub(crate) struct PduSizes {
    pub contents: usize,
    list: usize,
}

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

    /// Reads a whole message, strictly: each element where it must be, nothing behind the last.
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
    use super::*;
    use crate::wire::Exception;

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

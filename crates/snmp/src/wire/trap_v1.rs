//! The Trap-PDU of SNMPv1 and the message around it (RFC 1157 section 4.1.6): its layout differs from every other
//! PDU, without a request-id and without an answer. [`Notification`](crate::role::originator::Notification)
//! translates it to the later versions and back.

use super::pdu::encoded;
use trunkline_smi::Oid;

use super::reader::{Reader, unsigned32};
use super::writer::{Forwards, element_size, integer_size, unsigned_size};
use super::{Bindings, MAX_MESSAGE_SIZE, PduKind, RawOid, VarBind, Version, oid, tag};
use crate::{DecodeError, Element};

/// A Trap-PDU of SNMPv1.
///
/// ```text
/// Trap-PDU ::= [4] IMPLICIT SEQUENCE { enterprise OBJECT IDENTIFIER, agent-addr NetworkAddress,
///     generic-trap INTEGER, specific-trap INTEGER, time-stamp TimeTicks, variable-bindings VarBindList }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapV1 {
    /// The kind of system that sends (its sysObjectID), or who defined the specific trap.
    pub enterprise: Oid,
    /// Its IPv4 address; 0.0.0.0 if it has none.
    pub agent_addr: [u8; 4],
    /// generic-trap: 0 coldStart to 5 egpNeighborLoss, 6 enterpriseSpecific. Other numbers are read too.
    pub generic: i32,
    /// specific-trap: which of the enterprise's traps, where `generic` is 6; else 0.
    pub specific: i32,
    /// Hundredths of a second since the sender's (re)start.
    pub time_stamp: u32,
    /// Its variable bindings; neither Counter64 nor exceptions can be in them.
    pub bindings: Vec<VarBind>,
}

/// The generic-trap that means enterpriseSpecific.
pub const ENTERPRISE_SPECIFIC: i32 = 6;

/// A whole message of SNMPv1 with a Trap-PDU.
#[derive(Clone, PartialEq, Eq)]
pub struct TrapV1Message {
    /// The community, any octets.
    pub community: Vec<u8>,
    /// The trap.
    pub trap: TrapV1,
}

impl std::fmt::Debug for TrapV1Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrapV1Message").field("trap", &self.trap).finish_non_exhaustive()
    }
}

impl TrapV1Message {
    /// The octets of the message.
    pub fn encode(&self) -> Vec<u8> {
        let trap = &self.trap;
        let list: usize =
            trap.bindings.iter().map(|binding| encoded(binding, |encoded| encoded.size())).sum();
        let pdu = element_size(oid::size(&trap.enterprise))
            + element_size(trap.agent_addr.len())
            + element_size(integer_size(trap.generic))
            + element_size(integer_size(trap.specific))
            + element_size(unsigned_size(u64::from(trap.time_stamp)))
            + element_size(list);
        let version = Version::V1.code();
        let contents =
            element_size(integer_size(version)) + element_size(self.community.len()) + element_size(pdu);

        let mut octets = vec![0; element_size(contents)];
        let mut out = Forwards::new(&mut octets);
        out.header(tag::SEQUENCE, contents);
        out.integer(version);
        out.element(tag::OCTET_STRING, &self.community);
        out.header(PduKind::TrapV1.tag(), pdu);
        out.whole(&trunkline_smi::ValueRef::ObjectIdentifier(&trap.enterprise));
        out.element(tag::IP_ADDRESS, &trap.agent_addr);
        out.integer(trap.generic);
        out.integer(trap.specific);
        out.whole(&trunkline_smi::ValueRef::TimeTicks(trap.time_stamp));
        out.header(tag::SEQUENCE, list);
        trap.bindings.iter().for_each(|binding| encoded(binding, |encoded| encoded.write(&mut out)));
        octets
    }

    /// Parses a whole message of SNMPv1 that holds a Trap-PDU, strictly: each element in its place, nothing after
    /// the last.
    ///
    /// # Errors
    /// [`DecodeError`]; [`DecodeError::UnexpectedTag`] for another PDU than a Trap-PDU.
    pub fn decode(octets: &[u8]) -> Result<Self, DecodeError> {
        if octets.len() > MAX_MESSAGE_SIZE {
            return Err(DecodeError::TooLarge { found: octets.len(), limit: MAX_MESSAGE_SIZE });
        }
        let mut outer = Reader::new(octets);
        let mut message = outer.expect(tag::SEQUENCE, Element::Message)?.contents;
        outer.finish(Element::Message)?;
        let code = message.integer(Element::Version)?;
        if code != Version::V1.code() {
            return Err(DecodeError::UnsupportedVersion { found: code });
        }
        let community = message.expect(tag::OCTET_STRING, Element::Community)?.contents.rest().to_vec();
        let pdu = message.expect(PduKind::TrapV1.tag(), Element::Pdu)?.contents;
        message.finish(Element::Pdu)?;
        Ok(TrapV1Message { community, trap: TrapV1::read(pdu)? })
    }
}

impl TrapV1 {
    /// Reads the contents of a Trap-PDU.
    fn read(mut pdu: Reader<'_>) -> Result<Self, DecodeError> {
        let found = pdu.expect(tag::OBJECT_IDENTIFIER, Element::Enterprise)?;
        let enterprise = RawOid::new(found.contents.rest()).map_err(|problem| {
            DecodeError::ObjectIdentifier { element: Element::Enterprise, offset: found.offset, problem }
        })?;
        let found = pdu.expect(tag::IP_ADDRESS, Element::AgentAddress)?;
        let address = found.contents.rest();
        let agent_addr = address
            .try_into()
            .map_err(|_| DecodeError::IpAddressSize { offset: found.offset, found: address.len() })?;
        let generic = pdu.integer(Element::GenericTrap)?;
        let specific = pdu.integer(Element::SpecificTrap)?;
        let found = pdu.expect(tag::TIME_TICKS, Element::TimeStamp)?;
        let time_stamp = unsigned32(found.contents.rest(), found.offset)?;
        let list = pdu.expect(tag::SEQUENCE, Element::Bindings)?.contents;
        pdu.finish(Element::Bindings)?;
        let bindings = Bindings::new(list, Version::V1)
            .map(|binding| binding.map(|b| VarBind { name: b.name.to_oid(), value: b.value.to_bound() }))
            .collect::<Result<_, _>>()?;
        Ok(TrapV1 { enterprise: enterprise.to_oid(), agent_addr, generic, specific, time_stamp, bindings })
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;

    use super::*;

    /// `snmptrap -v1 -c c ...` of Net-SNMP, by hand from RFC 1157.
    const OCTETS: [u8; 43] = [
        0x30, 0x29, 2, 1, 0, 4, 1, b'c', 0xa4, 0x21, 6, 5, 0x2b, 6, 1, 4, 1, 0x40, 4, 127, 0, 0, 1, 2, 1, 6,
        2, 1, 9, 0x43, 1, 100, 0x30, 9, 0x30, 7, 6, 2, 0x2b, 6, 2, 1, 7,
    ];

    fn message() -> TrapV1Message {
        TrapV1Message {
            community: b"c".to_vec(),
            trap: TrapV1 {
                enterprise: Oid::from([1, 3, 6, 1, 4, 1]),
                agent_addr: [127, 0, 0, 1],
                generic: ENTERPRISE_SPECIFIC,
                specific: 9,
                time_stamp: 100,
                bindings: vec![VarBind::new(Oid::from([1, 3, 6]), Value::Integer(7))],
            },
        }
    }

    #[test]
    fn a_trap_as_the_wire_has_it() {
        assert_eq!(message().encode(), OCTETS);
        assert_eq!(TrapV1Message::decode(&OCTETS), Ok(message()));
    }

    #[test]
    fn each_element_is_checked() {
        let with = |at: usize, octet: u8| {
            let mut octets = OCTETS;
            octets[at] = octet;
            TrapV1Message::decode(&octets)
        };
        assert_eq!(with(4, 1), Err(DecodeError::UnsupportedVersion { found: 1 }));
        let unexpected = |element, offset, expected, found| {
            Err(DecodeError::UnexpectedTag { element, offset, expected, found })
        };
        assert_eq!(with(8, 0xa0), unexpected(Element::Pdu, 8, 0xa4, 0xa0));
        assert_eq!(with(10, 5), unexpected(Element::Enterprise, 10, 6, 5));
        assert_eq!(with(17, 4), unexpected(Element::AgentAddress, 17, 0x40, 4));
        assert_eq!(with(23, 4), unexpected(Element::GenericTrap, 23, 2, 4));
        assert_eq!(with(26, 4), unexpected(Element::SpecificTrap, 26, 2, 4));
        assert_eq!(with(29, 2), unexpected(Element::TimeStamp, 29, 0x43, 2));
        // Counter64 does not exist in SNMPv1.
        let refused = DecodeError::NotInVersion { offset: 40, version: Version::V1, found: 0x46 };
        assert_eq!(with(40, 0x46), Err(refused));
        for length in 0..OCTETS.len() {
            assert!(TrapV1Message::decode(&OCTETS[..length]).is_err());
        }
        assert!(TrapV1Message::decode(&[&OCTETS[..], &[0]].concat()).is_err());
    }

    #[test]
    fn the_community_is_not_in_debug_output() {
        let message = TrapV1Message { community: b"secret".to_vec(), ..message() };
        assert!(!format!("{message:?}").contains("secret"));
    }
}

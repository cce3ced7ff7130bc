//! Step 3 in the way of a request: what the transport delivered becomes a
//! request with the principal behind it, or is dropped for a counted reason.

use crate::wire::{MessageRef, PduKind, Version};
use crate::{Counters, DecodeError};

use super::community;

/// What a message turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming<'m, P> {
    /// A request to be answered: Get, GetNext, GetBulk or Set. Its bindings are not looked at yet.
    Request {
        /// The message.
        message: MessageRef<'m>,
        /// Who asks, as the look-up of the community gave it.
        principal: P,
    },
    /// No answer; the reason is counted.
    Drop(DropReason),
}

/// Why a message is dropped without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropReason {
    /// snmpInASNParseErrs: it is no message.
    #[error(transparent)]
    Malformed(DecodeError),
    /// snmpInASNParseErrs: the version has no such PDU (Net-SNMP answers a GetBulk in v1; RFC 1157 does not).
    #[error("SNMP {version} has no {kind}")]
    NotInVersion {
        /// The message's version.
        version: Version,
        /// Its PDU.
        kind: PduKind,
    },
    /// snmpInBadVersions.
    #[error("message version {found} is not spoken here")]
    BadVersion {
        /// The number on the wire.
        found: i32,
    },
    /// snmpInBadCommunityNames.
    #[error("unknown community")]
    UnknownCommunity,
    /// snmpUnknownPDUHandlers: a PDU that a responder does not take.
    #[error("{kind} is nothing that a responder answers")]
    NotARequest {
        /// Its PDU.
        kind: PduKind,
    },
}

/// Takes in one message, as a command responder does. `lookup` says who is behind a community, `None` for
/// nobody; it sees the community of any message that can be read. All of snmpIn* that can be told
/// here is counted.
pub fn receive<'m, P>(
    octets: &'m [u8],
    lookup: impl FnOnce(&[u8]) -> Option<P>,
    counters: &Counters,
) -> Incoming<'m, P> {
    counters.in_pkts.add(1);
    match prepare(octets, lookup, counters) {
        Ok((message, principal)) => Incoming::Request { message, principal },
        Err(reason) => {
            count(&reason, counters);
            Incoming::Drop(reason)
        }
    }
}

fn prepare<'m, P>(
    octets: &'m [u8],
    lookup: impl FnOnce(&[u8]) -> Option<P>,
    counters: &Counters,
) -> Result<(MessageRef<'m>, P), DropReason> {
    let message = MessageRef::decode(octets).map_err(|error| match error {
        DecodeError::UnsupportedVersion { found } => DropReason::BadVersion { found },
        // An agent takes no traps of either version, whatever is in them.
        DecodeError::TrapV1 { .. } => DropReason::NotARequest { kind: PduKind::TrapV1 },
        error => DropReason::Malformed(error),
    })?;
    let principal = community::process_incoming_msg(&message, lookup)?;
    community::count_pdu(&message, counters);
    match message.pdu.kind {
        PduKind::Get | PduKind::GetNext | PduKind::GetBulk | PduKind::Set => Ok((message, principal)),
        kind => Err(DropReason::NotARequest { kind }),
    }
}

fn count(reason: &DropReason, counters: &Counters) {
    match reason {
        DropReason::Malformed(_) | DropReason::NotInVersion { .. } => counters.in_asn_parse_errs.add(1),
        DropReason::BadVersion { .. } => counters.in_bad_versions.add(1),
        DropReason::UnknownCommunity => counters.in_bad_community_names.add(1),
        DropReason::NotARequest { kind } => {
            counters.unknown_pdu_handlers.add(1);
            if matches!(kind, PduKind::TrapV1 | PduKind::TrapV2) {
                counters.in_traps.add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Oid;

    use super::*;
    use crate::wire::{Message, Pdu};

    fn octets(version: Version, community: &str, kind: PduKind) -> Vec<u8> {
        let pdu = Pdu { error_status: 1, ..Pdu::read(kind, 1, [&Oid::from([1, 3])]) };
        Message { version, community: community.into(), pdu }.encode()
    }

    fn check(octets: &[u8], counters: &Counters) -> Result<PduKind, DropReason> {
        let lookup = |name: &[u8]| (name == b"public").then_some(7);
        match receive(octets, lookup, counters) {
            Incoming::Request { message, principal } => {
                assert_eq!(principal, 7);
                Ok(message.pdu.kind)
            }
            Incoming::Drop(reason) => Err(reason),
        }
    }

    #[test]
    fn requests_come_through_and_are_counted() {
        let counters = Counters::default();
        for (version, kind) in [
            (Version::V1, PduKind::Get),
            (Version::V1, PduKind::GetNext),
            (Version::V1, PduKind::Set),
            (Version::V2c, PduKind::Get),
            (Version::V2c, PduKind::GetBulk),
        ] {
            assert_eq!(check(&octets(version, "public", kind), &counters), Ok(kind));
        }
        assert_eq!(counters.in_pkts.get(), 5);
        let kinds = [&counters.in_get_requests, &counters.in_get_nexts, &counters.in_set_requests];
        assert_eq!(kinds.map(Counter::get), [2, 1, 1]);
        assert_eq!(counters.in_asn_parse_errs.get() + counters.unknown_pdu_handlers.get(), 0);
    }

    #[test]
    fn each_reason_has_its_counter() {
        let counters = Counters::default();
        let good = octets(Version::V2c, "public", PduKind::Get);

        let error = check(&good[..good.len() - 1], &counters).unwrap_err();
        assert!(matches!(error, DropReason::Malformed(DecodeError::LengthBeyondEnd { .. })), "{error}");
        assert_eq!(counters.in_asn_parse_errs.get(), 1);

        for kind in [PduKind::GetBulk, PduKind::Inform, PduKind::TrapV2, PduKind::Report] {
            let version = Version::V1;
            let reason = DropReason::NotInVersion { version, kind };
            assert_eq!(check(&octets(version, "public", kind), &counters), Err(reason));
        }
        assert_eq!(counters.in_asn_parse_errs.get(), 5);

        for found in [2, 3, -1] {
            let mut other = good.clone();
            other[4] = found as u8;
            assert_eq!(check(&other, &counters), Err(DropReason::BadVersion { found }));
        }
        assert_eq!(counters.in_bad_versions.get(), 3);

        for community in ["", "publi", "publicc", "Public"] {
            let stranger = octets(Version::V1, community, PduKind::Set);
            assert_eq!(check(&stranger, &counters), Err(DropReason::UnknownCommunity));
        }
        assert_eq!(counters.in_bad_community_names.get(), 4);
        assert_eq!(counters.in_set_requests.get(), 0);
        assert_eq!(counters.in_pkts.get(), 12);
    }

    #[test]
    fn what_a_responder_does_not_take() {
        let counters = Counters::default();
        for kind in [PduKind::Response, PduKind::Inform, PduKind::TrapV2, PduKind::Report] {
            let message = octets(Version::V2c, "public", kind);
            assert_eq!(check(&message, &counters), Err(DropReason::NotARequest { kind }));
        }
        let trap = [&[0x30, 13, 2, 1, 0, 4, 6][..], b"public", &[0xa4, 0]].concat();
        let reason = DropReason::NotARequest { kind: PduKind::TrapV1 };
        assert_eq!(check(&trap, &counters), Err(reason));
        assert_eq!(counters.unknown_pdu_handlers.get(), 5);
        assert_eq!(counters.in_traps.get(), 2);
        assert_eq!(counters.in_get_responses.get(), 1);
        assert_eq!(counters.in_too_bigs.get(), 1);
    }

    use crate::counters::Counter;
}

//! The dispatcher: a message's version, and whether an application here handles its PDU (RFC 3412 section 4).
//! Step 3 in the path of a request.

use std::ops::Range;
use std::time::Instant;

use super::processing::{community, v3};
use super::{CommunityEntry, DropReason, Engine, Request, TransportState};
use crate::wire::compression::{expand, is_compressed};
use crate::wire::{ErrorStatus, MessageRef, PduKind, PduRef, TrapV1, Version};
use crate::{Counters, DecodeError, SecurityLevel};

/// The result for a message.
#[derive(Debug)]
pub enum Incoming<'m> {
    /// A request to be answered, an inform to be confirmed, or a trap of SNMPv2.
    Request(Request<'m>),
    /// A trap of SNMPv1.
    TrapV1(TrapV1Received<'m>),
    /// Send back a Report: these octets of `out`. The reason is counted.
    Report {
        /// The octets.
        reply: Range<usize>,
        /// Why.
        reason: DropReason,
    },
    /// No answer; the reason is counted.
    Drop(DropReason),
}

/// An SNMPv1 trap from a known community.
#[derive(Debug)]
pub struct TrapV1Received<'m> {
    /// What the community stands for, or the peer of the secure session.
    pub entry: CommunityEntry<'m>,
    /// securityModel: [`COMMUNITY_V1`](super::COMMUNITY_V1), or [`TRANSPORT`](super::TRANSPORT) over a secure
    /// session.
    pub security_model: u32,
    /// securityLevel: how well the session protected it.
    pub level: SecurityLevel,
    /// The trap.
    pub trap: TrapV1,
}

impl Engine {
    /// Receives one message. Everything that can be counted here is.
    ///
    /// `over` is the session that it arrived over, with its authenticated peer. It is `None` for UDP and TCP:
    /// then nothing of the Transport Security Model is accepted. `communities` maps a community, to `None` if it
    /// is unknown; it sees the community of any message that can be parsed. Encrypted data is decrypted into
    /// `scratch`, a Report is written into `out`; both keep their memory, so that nothing is allocated in steady
    /// state.
    #[expect(clippy::too_many_arguments, reason = "what a message is judged by is each of its own kind")]
    pub fn receive<'m>(
        &'m self,
        octets: &'m [u8],
        scratch: &'m mut Vec<u8>,
        out: &mut Vec<u8>,
        now: Instant,
        over: Option<&'m TransportState>,
        communities: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
        counters: &Counters,
    ) -> Incoming<'m> {
        counters.in_pkts.add(1);
        let received = match MessageRef::decode(octets) {
            Ok(message) => community::prepare_data_elements(self, &message, over, communities),
            Err(DecodeError::UnsupportedVersion { found }) if found == Version::V3.code() => {
                return v3::receive(self, octets, scratch, out, now, over, counters);
            }
            Err(DecodeError::UnsupportedVersion { found }) => Err(DropReason::BadVersion { found }),
            Err(DecodeError::TrapV1 { .. }) => {
                let trap = community::prepare_trap_v1(self, octets, over, communities);
                return count_dropped(trap.map(Incoming::TrapV1), counters);
            }
            Err(DecodeError::UnknownPdu { found, .. }) if is_compressed(found) => {
                expanded(self, octets, scratch, over, communities)
            }
            Err(error) => Err(DropReason::Malformed(error)),
        };
        let handled = received.and_then(|request| {
            count_pdu(&request.pdu, counters);
            let kind = request.pdu.kind;
            if self.handlers.takes(kind) { Ok(request) } else { Err(DropReason::NotHandled { kind }) }
        });
        count_dropped(handled.map(Incoming::Request), counters)
    }
}

/// A request with compressed bindings is expanded into `scratch` and then treated as any other. Its answer is
/// compressed too.
#[cold]
fn expanded<'m>(
    engine: &'m Engine,
    octets: &[u8],
    scratch: &'m mut Vec<u8>,
    over: Option<&'m TransportState>,
    communities: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
) -> Result<Request<'m>, DropReason> {
    let expanded = expand(octets, scratch).map_err(DropReason::Malformed)?;
    let message = MessageRef::decode(scratch).map_err(DropReason::Malformed)?;
    let request = community::prepare_data_elements(engine, &message, over, communities)?;
    let compression = expanded.filter(|found| found.wants_answer).map(|found| found.how);
    Ok(Request { compression, ..request })
}

fn count_dropped<'m>(received: Result<Incoming<'m>, DropReason>, counters: &Counters) -> Incoming<'m> {
    received.unwrap_or_else(|reason| {
        reason.count(counters);
        Incoming::Drop(reason)
    })
}

/// Counts a PDU by its kind; a Response by its error too (RFC 3418, RFC 1213).
pub(super) fn count_pdu(pdu: &PduRef<'_>, counters: &Counters) {
    let counter = match pdu.kind {
        PduKind::Get => &counters.in_get_requests,
        PduKind::GetNext => &counters.in_get_nexts,
        PduKind::Set => &counters.in_set_requests,
        PduKind::Response => {
            counters.in_get_responses.add(1);
            match ErrorStatus::from_code(pdu.error_status) {
                Some(ErrorStatus::TooBig) => &counters.in_too_bigs,
                Some(ErrorStatus::NoSuchName) => &counters.in_no_such_names,
                Some(ErrorStatus::BadValue) => &counters.in_bad_values,
                Some(ErrorStatus::ReadOnly) => &counters.in_read_onlys,
                Some(ErrorStatus::GenErr) => &counters.in_gen_errs,
                _ => return,
            }
        }
        _ => return,
    };
    counter.add(1);
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Oid;

    use super::*;
    use crate::counters::Counter;
    use crate::engine::{EngineOptions, Handlers};
    use crate::usm::{EngineBoots, EngineClock, EngineId};
    use crate::wire::{Message, Pdu};

    const PUBLIC: CommunityEntry<'static> =
        CommunityEntry { security_name: b"everybody", context_engine_id: None, context_name: b"" };

    fn octets(version: Version, community: &str, kind: PduKind) -> Vec<u8> {
        let pdu = Pdu { error_status: 1, ..Pdu::read(kind, 1, [&Oid::from([1, 3])]) };
        Message { version, community: community.into(), pdu }.encode()
    }

    fn check(octets: &[u8], counters: &Counters) -> Result<PduKind, DropReason> {
        check_of(Handlers::RESPONDER, octets, counters)
    }

    fn check_of(handlers: Handlers, octets: &[u8], counters: &Counters) -> Result<PduKind, DropReason> {
        let now = Instant::now();
        let engine = Engine::new(EngineOptions {
            id: EngineId::generate(1, [1; 12]),
            clock: EngineClock::new(EngineBoots::default(), now),
            max_size: 0,
            handlers,
            remote_engines: 0,
            entropy: 0,
        });
        assert_eq!(engine.max_size(), 484);
        let lookup = |name: &[u8]| (name == b"public").then_some(PUBLIC);
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        match engine.receive(octets, &mut scratch, &mut out, now, None, lookup, counters) {
            Incoming::Request(request) => {
                assert_eq!(request.security_name(), b"everybody");
                assert_eq!(request.community(), Some(&b"public"[..]));
                assert_eq!(request.security_model, if request.version == Version::V1 { 1 } else { 2 });
                assert!(request.is_local());
                Ok(request.pdu.kind)
            }
            Incoming::TrapV1(received) => {
                assert_eq!((received.entry, received.trap.specific), (PUBLIC, 9));
                Ok(PduKind::TrapV1)
            }
            Incoming::Drop(reason) => Err(reason),
            Incoming::Report { reason, .. } => panic!("{reason}"),
        }
    }

    #[test]
    fn requests_are_accepted_and_counted() {
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

        for found in [2, 4, -1] {
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
    fn messages_that_a_responder_refuses() {
        let counters = Counters::default();
        for kind in [PduKind::Response, PduKind::Inform, PduKind::TrapV2, PduKind::Report] {
            let message = octets(Version::V2c, "public", kind);
            assert_eq!(check(&message, &counters), Err(DropReason::NotHandled { kind }));
        }
        let trap = [&[0x30, 13, 2, 1, 0, 4, 6][..], b"public", &[0xa4, 0]].concat();
        let reason = DropReason::NotHandled { kind: PduKind::TrapV1 };
        assert_eq!(check(&trap, &counters), Err(reason));
        assert_eq!(counters.unknown_pdu_handlers.get(), 5);
        assert_eq!(counters.in_traps.get(), 2);
        assert_eq!(counters.in_get_responses.get(), 1);
        assert_eq!(counters.in_too_bigs.get(), 1);
    }

    #[test]
    fn a_receiver_accepts_notifications() {
        let counters = Counters::default();
        let check = |octets: &[u8]| check_of(Handlers::RECEIVER, octets, &counters);
        for kind in [PduKind::Inform, PduKind::TrapV2] {
            assert_eq!(check(&octets(Version::V2c, "public", kind)), Ok(kind));
        }
        let kind = PduKind::Get;
        assert_eq!(check(&octets(Version::V2c, "public", kind)), Err(DropReason::NotHandled { kind }));
        let trap = [
            &[0x30, 0x2c, 2, 1, 0, 4, 6][..],
            b"public",
            &[0xa4, 0x1f, 6, 3, 0x2b, 6, 1, 0x40, 4, 127, 0, 0, 1, 2, 1, 6, 2, 1, 9, 0x43, 1, 100],
            &[0x30, 9, 0x30, 7, 6, 2, 0x2b, 6, 2, 1, 7],
        ]
        .concat();
        assert_eq!(check(&trap), Ok(PduKind::TrapV1));
        let mut stranger = trap.clone();
        stranger[7] = b'P';
        assert_eq!(check(&stranger), Err(DropReason::UnknownCommunity));
        let mut malformed = trap;
        malformed[20] = 5;
        assert!(matches!(check(&malformed), Err(DropReason::Malformed(_))));
    }
}

//! The dispatcher: which version a message is of, and whether somebody here
//! takes its PDU (RFC 3412 section 4). Step 3 in the way of a request.

use std::ops::Range;
use std::time::Instant;

use super::processing::{community, v3};
use super::{CommunityEntry, DropReason, Engine, Handlers, Request};
use crate::wire::{ErrorStatus, MessageRef, PduKind, PduRef, TrapV1, Version};
use crate::{Counters, DecodeError};

/// What a message turned out to be.
#[derive(Debug)]
pub enum Incoming<'m> {
    /// A request to be answered, an inform to be confirmed, or a trap of SNMPv2.
    Request(Request<'m>),
    /// A trap of SNMPv1.
    TrapV1(TrapV1Received<'m>),
    /// A Report is to be sent back: these octets of `out`. The reason is counted.
    Report {
        /// The octets.
        reply: Range<usize>,
        /// Why.
        reason: DropReason,
    },
    /// No answer; the reason is counted.
    Drop(DropReason),
}

/// A trap of SNMPv1 of somebody we know.
#[derive(Debug)]
pub struct TrapV1Received<'m> {
    /// What the community stands for.
    pub entry: CommunityEntry<'m>,
    /// The trap.
    pub trap: TrapV1,
}

impl Engine {
    /// Takes in one message. Everything that can be counted here is.
    ///
    /// `communities` says what a community stands for, `None` for nothing; it sees the community of any message
    /// that can be read. What is encrypted is decrypted into `scratch`, a Report is written into `out`; both
    /// keep their memory, so that nothing is allocated in the steady state.
    pub fn receive<'m>(
        &'m self,
        octets: &'m [u8],
        scratch: &'m mut Vec<u8>,
        out: &mut Vec<u8>,
        now: Instant,
        communities: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
        counters: &Counters,
    ) -> Incoming<'m> {
        counters.in_pkts.add(1);
        let received = match MessageRef::decode(octets) {
            Ok(message) => community::prepare_data_elements(self, &message, communities),
            Err(DecodeError::UnsupportedVersion { found }) if found == Version::V3.code() => {
                return v3::receive(self, octets, scratch, out, now, counters);
            }
            Err(DecodeError::UnsupportedVersion { found }) => Err(DropReason::BadVersion { found }),
            Err(DecodeError::TrapV1 { .. }) => {
                let trap = community::prepare_trap_v1(self, octets, communities);
                return count_dropped(trap.map(Incoming::TrapV1), counters);
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

/// Takes in a message of SNMPv1 or SNMPv2c without an engine, for a responder that speaks nothing else;
/// `lookup` says who is behind a community. All that can be counted here is.
pub fn receive_community<'m, P>(
    octets: &'m [u8],
    lookup: impl FnOnce(&[u8]) -> Option<P>,
    counters: &Counters,
) -> Result<(MessageRef<'m>, P), DropReason> {
    counters.in_pkts.add(1);
    let received = MessageRef::decode(octets).map_err(|error| match error {
        DecodeError::UnsupportedVersion { found } => DropReason::BadVersion { found },
        DecodeError::TrapV1 { .. } => DropReason::NotHandled { kind: PduKind::TrapV1 },
        error => DropReason::Malformed(error),
    });
    let received = received.and_then(|message| {
        let principal = lookup(message.community).ok_or(DropReason::UnknownCommunity)?;
        let (version, kind) = (message.version, message.pdu.kind);
        if !kind.is_in(version) {
            return Err(DropReason::NotInVersion { version, kind });
        }
        count_pdu(&message.pdu, counters);
        if Handlers::RESPONDER.takes(kind) {
            Ok((message, principal))
        } else {
            Err(DropReason::NotHandled { kind })
        }
    });
    received.inspect_err(|reason| {
        reason.count(counters);
    })
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

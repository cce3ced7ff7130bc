//! The dispatcher's first half: octets to a request of somebody we know, or a
//! counted drop.

use crate::wire::{MessageRef, PduKind};
use crate::{Counters, DecodeError};

use super::community::{self, BadCommunityUse};

/// What a received message is.
#[derive(Debug)]
pub enum Incoming<'m, P> {
    /// A request that is to be answered. Its bindings are not looked at yet: when they turn out to be
    /// malformed, snmpInASNParseErrs is to be counted and nothing answered.
    Request {
        /// The message.
        message: MessageRef<'m>,
        /// Who sent it, as the look-up gave it.
        principal: P,
    },
    /// Nothing to answer; counted already.
    Drop(DropReason),
}

/// Why a message gets no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DropReason {
    /// It is no SNMP message, or of another version.
    #[error(transparent)]
    Malformed(DecodeError),
    /// The community is unknown, or may not come from there.
    #[error("unknown community")]
    BadCommunityName,
    /// The community may not be used so.
    #[error(transparent)]
    BadCommunityUse(#[from] BadCommunityUse),
    /// Not a request: a Response, trap or Report came to an agent.
    #[error("a {} is no request", .0.name())]
    NotARequest(PduKind),
}

/// Receives a message in the role of an agent (RFC 1157 section 4.1, RFC 3412 section 4.2.1).
/// `lookup` tells who uses a community.
#[inline]
pub fn receive<'m, P>(
    octets: &'m [u8],
    lookup: impl FnOnce(&[u8]) -> Option<P>,
    counters: &Counters,
) -> Incoming<'m, P> {
    counters.in_pkts.add(1);
    let message = match MessageRef::decode(octets) {
        Ok(message) => message,
        Err(error) => return Incoming::Drop(malformed(error, counters)),
    };
    let Some(principal) = lookup(message.community) else {
        counters.in_bad_community_names.add(1);
        return Incoming::Drop(DropReason::BadCommunityName);
    };
    match community::check_use(&message) {
        Ok(()) => count_kind(message, principal, counters),
        Err(error) => {
            // RFC 1157 knows no such PDU in this version: it cannot be parsed.
            counters.in_asn_parse_errs.add(1);
            Incoming::Drop(error.into())
        }
    }
}

fn malformed(error: DecodeError, counters: &Counters) -> DropReason {
    let counter = match error {
        DecodeError::UnsupportedVersion { .. } => &counters.in_bad_versions,
        // A trap is well-formed, it only comes to the wrong place.
        DecodeError::TrapV1 { .. } => &counters.in_traps,
        _ => &counters.in_asn_parse_errs,
    };
    counter.add(1);
    DropReason::Malformed(error)
}

#[inline]
fn count_kind<'m, P>(message: MessageRef<'m>, principal: P, counters: &Counters) -> Incoming<'m, P> {
    let counter = match message.kind {
        PduKind::Get => &counters.in_get_requests,
        PduKind::GetNext => &counters.in_get_nexts,
        PduKind::Set => &counters.in_set_requests,
        PduKind::GetBulk => return Incoming::Request { message, principal },
        kind => {
            if kind == PduKind::Response {
                counters.in_get_responses.add(1);
            } else if matches!(kind, PduKind::TrapV1 | PduKind::TrapV2 | PduKind::Inform) {
                counters.in_traps.add(1);
            }
            return Incoming::Drop(DropReason::NotARequest(kind));
        }
    };
    counter.add(1);
    Incoming::Request { message, principal }
}

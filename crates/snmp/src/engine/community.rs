//! The message processing and security model of SNMPv1 and SNMPv2c: the
//! community names the principal, and nothing is proved (RFC 3584 section 5).

use crate::Counters;
use crate::wire::{ErrorStatus, MessageRef, PduKind};

use super::DropReason;

/// Who is behind the message, and whether its version has such a PDU.
pub(super) fn process_incoming_msg<P>(
    message: &MessageRef<'_>,
    lookup: impl FnOnce(&[u8]) -> Option<P>,
) -> Result<P, DropReason> {
    // RFC 1157 section 4.1 step 3 comes before step 4: the community before the PDU.
    let principal = lookup(message.community).ok_or(DropReason::UnknownCommunity)?;
    let (version, kind) = (message.version, message.pdu.kind);
    if !kind.is_in(version) {
        return Err(DropReason::NotInVersion { version, kind });
    }
    Ok(principal)
}

/// Counts a PDU by its kind; a Response by its error too.
pub(super) fn count_pdu(message: &MessageRef<'_>, counters: &Counters) {
    match message.pdu.kind {
        PduKind::Get => counters.in_get_requests.add(1),
        PduKind::GetNext => counters.in_get_nexts.add(1),
        PduKind::Set => counters.in_set_requests.add(1),
        PduKind::Response => {
            counters.in_get_responses.add(1);
            match ErrorStatus::from_code(message.pdu.error_status) {
                Some(ErrorStatus::TooBig) => counters.in_too_bigs.add(1),
                Some(ErrorStatus::NoSuchName) => counters.in_no_such_names.add(1),
                Some(ErrorStatus::BadValue) => counters.in_bad_values.add(1),
                Some(ErrorStatus::ReadOnly) => counters.in_read_onlys.add(1),
                Some(ErrorStatus::GenErr) => counters.in_gen_errs.add(1),
                _ => {}
            }
        }
        _ => {}
    }
}

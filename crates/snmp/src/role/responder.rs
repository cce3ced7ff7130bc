//! How a failed request is answered in its version (RFC 3416 section 4.2, RFC 3584 sections 4.2.2 and 4.4).
//! SNMPv1 has no exceptions: if a binding would get one, the request fails with noSuchName at that binding.

use std::ops::Range;

use crate::Counters;
use crate::wire::{ErrorStatus, PduRef, ResponseWriter, Version};

/// The error-status that a version has for it (RFC 3584 section 4.4): SNMPv1 knows the first six only.
pub const fn status_in(version: Version, status: ErrorStatus) -> ErrorStatus {
    use ErrorStatus::*;
    match (version, status) {
        (Version::V2c | Version::V3, status) => status,
        (Version::V1, NoError | TooBig | NoSuchName | BadValue | ReadOnly | GenErr) => status,
        (Version::V1, NoAccess | NotWritable | NoCreation | InconsistentName | AuthorizationError) => {
            NoSuchName
        }
        (Version::V1, WrongType | WrongLength | WrongEncoding | WrongValue | InconsistentValue) => BadValue,
        (Version::V1, ResourceUnavailable | CommitFailed | UndoFailed) => GenErr,
    }
}

/// Ends the answer to a request with an error, in place of whatever was written, and counts it.
///
/// `index` counts bindings from 1, 0 for none. The request's bindings are repeated, except in a tooBig of
/// SNMPv2c, which has none (RFC 3416 section 4.2.1) and which replaces any other error that does not fit. `None`:
/// not even that fits, there is no answer (snmpSilentDrops).
pub fn finish_error(
    request: &PduRef<'_>,
    writer: ResponseWriter<'_>,
    status: ErrorStatus,
    index: u32,
    counters: &Counters,
) -> Option<Range<usize>> {
    let answer = choose(request, &writer, status, index);
    let range = answer.and_then(|Answer { status, index, bindings }| {
        count(status, counters);
        writer.finish_with_raw_bindings(status, index, bindings)
    });
    if range.is_none() {
        counters.silent_drops.add(1);
    }
    range
}

/// Whether every possible answer to a Set, the repetition of its bindings with any error-status and error-index,
/// fits into the message. If not, the Set must be answered with tooBig and nothing tried (RFC 3416 section
/// 4.2.5).
pub fn may_try_set(request: &PduRef<'_>, writer: &ResponseWriter<'_>) -> bool {
    writer.fits(ErrorStatus::InconsistentName, i32::MAX as u32, request.raw_bindings().len())
}

struct Answer<'m> {
    status: ErrorStatus,
    index: u32,
    bindings: &'m [u8],
}

/// The wanted answer, or the smaller one that replaces it, or none.
fn choose<'m>(
    request: &PduRef<'m>,
    writer: &ResponseWriter<'_>,
    status: ErrorStatus,
    index: u32,
) -> Option<Answer<'m>> {
    let too_big = Answer {
        status: ErrorStatus::TooBig,
        index: 0,
        bindings: match request.version() {
            Version::V1 => request.raw_bindings(), // RFC 1157 section 4.1.2: identical in form to the request
            Version::V2c | Version::V3 => &[],
        },
    };
    let status = status_in(request.version(), status);
    let wanted = match status {
        ErrorStatus::TooBig => None,
        status => Some(Answer { status, index, bindings: request.raw_bindings() }),
    };
    let fits = |answer: &Answer<'_>| writer.fits(answer.status, answer.index, answer.bindings.len());
    wanted.filter(fits).or_else(|| Some(too_big).filter(fits))
}

fn count(status: ErrorStatus, counters: &Counters) {
    match status {
        ErrorStatus::TooBig => counters.out_too_bigs.add(1),
        ErrorStatus::NoSuchName => counters.out_no_such_names.add(1),
        ErrorStatus::BadValue => counters.out_bad_values.add(1),
        ErrorStatus::GenErr => counters.out_gen_errs.add(1),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use trunkline_smi::{Oid, ValueRef};

    use super::*;
    use crate::wire::{Message, MessageRef, Pdu, PduKind};

    fn request(version: Version, kind: PduKind) -> (Message, Vec<u8>) {
        let names: Vec<Oid> = (0..20).map(|n| Oid::from([1, 3, 6, 1, n])).collect();
        let pdu = Pdu::read(kind, -5, &names);
        let message = Message { version, community: b"c".to_vec(), pdu };
        let octets = message.encode();
        (message, octets)
    }

    /// Fails a request after writing a value; returns the answer.
    fn fail(octets: &[u8], max_size: usize, status: ErrorStatus, counters: &Counters) -> Option<Message> {
        let request = MessageRef::decode(octets).unwrap();
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, max_size, request.reply());
        writer.value_at(&[1, 3, 6, 1, 0], ValueRef::Integer(7));
        let range = finish_error(&request.pdu, writer, status, 2, counters)?;
        assert!(range.len() <= max_size);
        let answer = Message::decode(&buf[range]).unwrap();
        assert_eq!((answer.version, answer.pdu.kind), (request.version, PduKind::Response));
        assert_eq!(answer.pdu.request_id, -5);
        Some(answer)
    }

    #[test]
    fn every_error_in_the_form_of_version_1() {
        use ErrorStatus::*;
        for status in ErrorStatus::ALL {
            assert_eq!(status_in(Version::V2c, status), status);
            let old = status_in(Version::V1, status);
            assert!(old <= GenErr, "{old}");
            assert!(status > GenErr || old == status);
        }
        for (new, old) in [
            (NoAccess, NoSuchName),
            (WrongType, BadValue),
            (WrongLength, BadValue),
            (WrongEncoding, BadValue),
            (WrongValue, BadValue),
            (NoCreation, NoSuchName),
            (InconsistentValue, BadValue),
            (ResourceUnavailable, GenErr),
            (CommitFailed, GenErr),
            (UndoFailed, GenErr),
            (AuthorizationError, NoSuchName),
            (NotWritable, NoSuchName),
            (InconsistentName, NoSuchName),
        ] {
            assert_eq!(status_in(Version::V1, new), old, "{new}");
        }
    }

    #[test]
    fn errors_repeat_the_request() {
        let counters = Counters::default();
        for (version, status) in
            [(Version::V1, ErrorStatus::NoSuchName), (Version::V2c, ErrorStatus::NotWritable)]
        {
            let (sent, octets) = request(version, PduKind::Set);
            let answer = fail(&octets, 1472, ErrorStatus::NotWritable, &counters).unwrap();
            assert_eq!((answer.pdu.status(), answer.pdu.error_index), (Some(status), 2));
            assert_eq!(answer.pdu.bindings, sent.pdu.bindings);
        }
        assert_eq!(counters.out_no_such_names.get(), 1);
    }

    #[test]
    fn too_big_in_both_versions_and_when_nothing_fits() {
        let counters = Counters::default();
        let (sent, octets) = request(Version::V1, PduKind::Get);
        let answer = fail(&octets, octets.len(), ErrorStatus::TooBig, &counters).unwrap();
        assert_eq!((answer.pdu.status(), answer.pdu.error_index), (Some(ErrorStatus::TooBig), 0));
        assert_eq!(answer.pdu.bindings, sent.pdu.bindings);
        assert_eq!(fail(&octets, octets.len() - 1, ErrorStatus::TooBig, &counters), None);
        assert_eq!(counters.silent_drops.get(), 1);

        let (_, octets) = request(Version::V2c, PduKind::Get);
        for status in [ErrorStatus::TooBig, ErrorStatus::GenErr] {
            let answer = fail(&octets, 40, status, &counters).unwrap();
            assert_eq!((answer.pdu.status(), answer.pdu.error_index), (Some(ErrorStatus::TooBig), 0));
            assert_eq!(answer.pdu.bindings, []);
        }
        let empty = fail(&octets, 40, ErrorStatus::TooBig, &counters).unwrap().encode().len();
        assert!(fail(&octets, empty, ErrorStatus::TooBig, &counters).is_some());
        assert_eq!(fail(&octets, empty - 1, ErrorStatus::TooBig, &counters), None);
        assert_eq!(counters.silent_drops.get(), 2);
        assert_eq!(counters.out_too_bigs.get(), 5);
        assert_eq!(counters.out_gen_errs.get(), 0);
    }

    #[test]
    fn a_set_is_tried_only_if_every_answer_fits() {
        let (_, octets) = request(Version::V2c, PduKind::Set);
        let message = MessageRef::decode(&octets).unwrap();
        let may = |limit| {
            let mut buf = Vec::new();
            may_try_set(&message.pdu, &ResponseWriter::new(&mut buf, limit, message.reply()))
        };
        // The answer is as long as the request, except for the index: at most three octets more.
        assert!(may(octets.len() + 3));
        assert!(!may(octets.len() + 2));
    }

    /// Without any binding and any error a manager would repeat the same request for ever.
    #[test]
    fn a_bulk_of_which_nothing_fits_is_too_big() {
        let counters = Counters::default();
        let (_, octets) = request(Version::V2c, PduKind::GetBulk);
        let answer = fail(&octets, 40, ErrorStatus::TooBig, &counters).unwrap();
        assert_eq!((answer.pdu.status(), answer.pdu.bindings.len()), (Some(ErrorStatus::TooBig), 0));
        assert_eq!(counters.out_too_bigs.get(), 1);
    }
}

//! The command responder's errors, by version (RFC 3416 section 4.2, RFC 3584
//! section 4.3): which status is said, and what stands in the list of bindings.

use std::ops::Range;

use crate::Counters;
use crate::wire::{ErrorStatus, MessageRef, ResponseWriter, Version};

/// The status that a version has for a failure: SNMPv1 knows fewer (RFC 3584 section 4.3).
pub const fn status_in(version: Version, status: ErrorStatus) -> ErrorStatus {
    use ErrorStatus as E;
    match (version, status) {
        (Version::V2c, status) => status,
        (
            Version::V1,
            E::WrongValue | E::WrongEncoding | E::WrongType | E::WrongLength | E::InconsistentValue,
        ) => E::BadValue,
        (
            Version::V1,
            E::NoAccess | E::NotWritable | E::NoCreation | E::InconsistentName | E::AuthorizationError,
        ) => E::NoSuchName,
        (Version::V1, E::ResourceUnavailable | E::CommitFailed | E::UndoFailed) => E::GenErr,
        (Version::V1, status) => status,
    }
}

/// Ends an answer with an error. The request's bindings are repeated, but for tooBig in
/// SNMPv2c, which has none (RFC 3416 section 4.2.1). `None`: even that does not fit, the request is
/// dropped and counted (snmpSilentDrops).
pub fn finish_error(
    request: &MessageRef<'_>,
    writer: ResponseWriter<'_>,
    status: ErrorStatus,
    index: u32,
    counters: &Counters,
) -> Option<Range<usize>> {
    let status = status_in(request.version, status);
    let bindings = match (request.version, status) {
        (Version::V2c, ErrorStatus::TooBig) => &[],
        _ => request.raw_bindings(),
    };
    let message = writer.finish_with_raw_bindings(status, index, bindings);
    match message {
        Some(_) => count_error(status, counters),
        None => counters.silent_drops.add(1),
    }
    message
}

fn count_error(status: ErrorStatus, counters: &Counters) {
    let counter = match status {
        ErrorStatus::TooBig => &counters.out_too_bigs,
        ErrorStatus::NoSuchName => &counters.out_no_such_names,
        ErrorStatus::BadValue => &counters.out_bad_values,
        ErrorStatus::GenErr => &counters.out_gen_errs,
        _ => return,
    };
    counter.add(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_of_v1_is_one_that_v1_knows() {
        for code in 0..=18 {
            let status = ErrorStatus::from_code(code).unwrap();
            assert!(status_in(Version::V1, status).code() <= 5, "{status:?}");
            assert_eq!(status_in(Version::V2c, status), status);
        }
        assert_eq!(status_in(Version::V1, ErrorStatus::WrongType), ErrorStatus::BadValue);
        assert_eq!(status_in(Version::V1, ErrorStatus::NotWritable), ErrorStatus::NoSuchName);
        assert_eq!(status_in(Version::V1, ErrorStatus::CommitFailed), ErrorStatus::GenErr);
    }
}

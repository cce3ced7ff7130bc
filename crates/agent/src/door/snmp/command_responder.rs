//! The command responder (RFC 3413 section 3.2): a request as a query on the tree or a set, and how its answer ends.

use std::ops::Range;
use std::time::Instant;

use trunkline_smi::{OidList, display_oid};
use trunkline_snmp::engine::Request;
use trunkline_snmp::role::responder;
use trunkline_snmp::wire::{ErrorStatus, PduKind, PduRef, ResponseWriter, Version};
use trunkline_snmp::{Counters, SecurityLevel};
use trunkline_tree::{Access, Operation, Progress, Query, SetBinding, SetFailure, SetStatus};

use super::probe::{Phase, Probe};
use super::settings::caller;
use super::sink::ResponseSink;
use super::{Door, Settings};
use trunkline_core::NotSet;

/// A retrieval from the tree: on the receiving thread, or on the runtime where it may wait.
pub(super) struct Retrieval<'r, P: Probe> {
    door: &'r Door,
    settings: &'r Settings,
    request: &'r Request<'r>,
    pub query: Query<'r>,
    pub sink: ResponseSink<'r, 'r, P>,
}

/// How an answer ends.
pub(super) enum Ending {
    Values,
    Error { status: ErrorStatus, index: u32 },
}

impl<'r, P: Probe> Retrieval<'r, P> {
    /// The request as a query on the tree, with a sink for its answer.
    #[expect(clippy::too_many_arguments, reason = "the parts of one request")]
    pub fn new(
        door: &'r Door,
        settings: &'r Settings,
        request: &'r Request<'r>,
        access: &'r Access,
        names: &'r OidList,
        arrived: Instant,
        buffer: &'r mut Vec<u8>,
        probe: &'r mut P,
    ) -> Self {
        let operation = match request.pdu.kind {
            PduKind::Get => Operation::Get,
            PduKind::GetBulk => Operation::Bulk {
                non_repeaters: request.pdu.non_repeaters(),
                max_repetitions: request.pdu.max_repetitions(),
            },
            _ => Operation::Next,
        };
        let query = Query {
            operation,
            names,
            access,
            without_counter64: request.version == Version::V1,
            arrived,
            max_bindings: settings.limits.max_bindings,
            may_end_early: true,
        };
        let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
        probe.begin(Phase::Retrieve);
        let exceptions = request.version != Version::V1;
        let sink = ResponseSink::new(settings.templates(), writer, exceptions, probe);
        Retrieval { door, settings, request, query, sink }
    }

    /// The answer: after the walker's end, or after a failure at the binding of this position.
    pub fn finish(self, progress: Result<Progress, usize>) -> Option<Range<usize>> {
        let ending = match progress {
            Ok(progress) => self.ending(progress),
            Err(binding) => Ending::Error { status: ErrorStatus::GenErr, index: one_based(binding) },
        };
        let Retrieval { door, settings, request, query, sink } = self;
        door.tell_too_long(settings, request, query.names, &ending);
        sink.probe.begin(Phase::Encode);
        finish(door.counters(), &request.pdu, sink.writer, ending, sink.bindings)
    }

    /// What the walker's end means in the version of the request (RFC 3416 section 4.2, RFC 3584 section 4.2.2).
    fn ending(&self, progress: Progress) -> Ending {
        let is_empty = self.sink.writer.position() == 0;
        match progress {
            Progress::Full { binding } if self.sink.no_such_name => {
                Ending::Error { status: ErrorStatus::NoSuchName, index: one_based(binding) }
            }
            // A GetBulk that does not fit is truncated. With nothing left a manager would repeat the same request
            // for ever.
            Progress::Full { .. } if self.request.pdu.kind != PduKind::GetBulk || is_empty => {
                Ending::Error { status: ErrorStatus::TooBig, index: 0 }
            }
            _ => Ending::Values,
        }
    }
}

impl Door {
    /// Says in the log that a value is longer than `max-unproved-answer` lets it be: a walk ends there.
    fn tell_too_long(&self, settings: &Settings, request: &Request<'_>, names: &OidList, ending: &Ending) {
        let is_too_big = matches!(ending, Ending::Error { status: ErrorStatus::TooBig, .. });
        // If several values do not fit together, the manager requests fewer at a time.
        let is_one = names.len() == 1 || request.pdu.kind == PduKind::GetBulk;
        if !is_too_big || !is_one || !settings.is_bounded(request) {
            return;
        }
        if let (Some(left_out), Some(asked)) = (self.too_long.admit(), names.iter().next()) {
            let (asked, limit) = (display_oid(asked), settings.limit(request));
            tracing::warn!(
                %asked, limit, left_out,
                "a value is too long for an unauthenticated answer over UDP: raise max-unproved-answer in \
                 [snmp], or read it with SNMPv3 and a password or over TCP"
            );
        }
    }
}

impl Settings {
    /// Whether the answer is limited because the request is unauthenticated.
    fn is_bounded(&self, request: &Request<'_>) -> bool {
        request.level == SecurityLevel::NoAuthNoPriv
            && request.version != Version::V3
            && request.max_size < self.limits.max_message_size
    }
}

/// Sets all of the bindings or none.
pub(super) async fn set(door: &Door, settings: &Settings, access: &Access, request: &Request<'_>) -> Ending {
    let mut bindings = Vec::new();
    for binding in request.pdu.bindings() {
        let Ok(binding) = binding else {
            return Ending::Error { status: ErrorStatus::GenErr, index: 0 }; // checked by names() before
        };
        bindings.push(SetBinding { name: binding.name.to_oid(), value: binding.value.to_value() });
    }
    match settings.core.set(&caller(request).principal, access, bindings).await {
        Ok(()) => Ending::Values,
        Err(NotSet::Refused(failure)) => {
            if failure.status == SetStatus::NoAccess && request.version != Version::V3 {
                door.counters().in_bad_community_uses.add(1);
            }
            refused(&failure)
        }
        Err(NotSet::Panicked | NotSet::Changed) => Ending::Error { status: ErrorStatus::GenErr, index: 0 },
    }
}

fn refused(failure: &SetFailure) -> Ending {
    let status = ErrorStatus::from(failure.status);
    // RFC 3416 section 4.2.5: undoFailed has index 0.
    let index = if status == ErrorStatus::UndoFailed { 0 } else { one_based(failure.binding) };
    Ending::Error { status, index }
}

pub(super) fn one_based(binding: usize) -> u32 {
    u32::try_from(binding + 1).unwrap_or(u32::MAX)
}

/// Ends the message and counts it; `bindings` were retrieved or written.
pub(super) fn finish(
    counters: &Counters,
    request: &PduRef<'_>,
    writer: ResponseWriter<'_>,
    ending: Ending,
    bindings: usize,
) -> Option<Range<usize>> {
    let is_set = request.kind == PduKind::Set;
    let message = match ending {
        Ending::Error { status, index } => {
            return counted(counters, responder::finish_error(request, writer, status, index, counters));
        }
        // A set that succeeded repeats the request's bindings.
        Ending::Values if is_set => {
            writer.finish_with_raw_bindings(ErrorStatus::NoError, 0, request.raw_bindings())
        }
        Ending::Values => writer.finish(),
    };
    let total = if is_set { &counters.in_total_set_vars } else { &counters.in_total_req_vars };
    total.add(u32::try_from(bindings).unwrap_or(u32::MAX));
    if message.is_none() {
        counters.silent_drops.add(1);
    }
    counted(counters, message)
}

pub(super) fn counted(counters: &Counters, message: Option<Range<usize>>) -> Option<Range<usize>> {
    if message.is_some() {
        counters.out_pkts.add(1);
        counters.out_get_responses.add(1);
    }
    message
}

//! One request and its answer on the receiving thread: the engine's part, access, retrieval and encoding. If it
//! would have to wait it returns that; `later` continues from there.

use std::net::SocketAddr;
use std::ops::Range;
use std::time::Instant;

use trunkline_smi::{OidList, display_oid};
use trunkline_snmp::engine::{
    DropReason, Incoming, OwnedRequest, ReportReason, Request, TRANSPORT, UsmFailure,
};
use trunkline_snmp::role::responder;
use trunkline_snmp::wire::{ErrorStatus, PduKind, PduRef, ResponseWriter, Version};
use trunkline_snmp::{Counters, SecurityLevel};
use trunkline_tree::policy::{Denied, ViewType};
use trunkline_tree::{Access, Operation, Progress, Query, Walker};

use super::probe::{NoProbe, Phase, Probe};
use super::sink::ResponseSink;
use super::{Door, Sender, Settings};

/// State that a thread reuses for all requests, so that none of them allocates.
#[derive(Default)]
pub struct Worker<P: Probe = NoProbe> {
    names: OidList,
    walker: Walker,
    decrypted: Vec<u8>,
    /// The instruments of `trunklined-lab`.
    pub probe: P,
}

impl<P: Probe> Worker<P> {
    /// Lets go of the last request's snapshots, so that an idle thread keeps no old ones alive.
    pub fn rest(&mut self) {
        self.walker.reset();
    }
}

/// What became of a request on the receiving thread.
#[derive(Debug)]
pub enum Outcome {
    /// The answer is in these octets of the buffer.
    Reply(Range<usize>),
    /// There is no answer.
    Silent,
    /// A load, a region or another agent must be waited for: call [`Door::respond`].
    Load(Box<OwnedRequest>),
    /// It is a set, which may block: call [`Door::respond`].
    Set(Box<OwnedRequest>),
}

/// What to do with a message.
#[expect(clippy::large_enum_variant, reason = "it lives for a request, on the stack, and mostly is one")]
pub(super) enum Admitted<'m> {
    Request(Request<'m>),
    /// A Report is the answer.
    Report(Range<usize>),
    /// No answer; whether it is not a message at all.
    Dropped {
        is_unreadable: bool,
    },
}

/// How an answer ends.
pub(super) enum Ending {
    Values,
    Error { status: ErrorStatus, index: u32 },
}

impl Door {
    /// Answers on this thread, or returns that it would have to wait.
    pub fn answer_now<P: Probe>(
        &self,
        settings: &Settings,
        worker: &mut Worker<P>,
        message: &[u8],
        sender: Sender<'_>,
        arrived: Instant,
        buffer: &mut Vec<u8>,
    ) -> Outcome {
        let Worker { names, walker, decrypted, probe } = worker;
        probe.begin(Phase::Decode);
        let request = match self.admit(settings, message, sender, arrived, decrypted, buffer) {
            Admitted::Request(request) => request,
            Admitted::Report(range) => return Outcome::Reply(range),
            Admitted::Dropped { .. } => return Outcome::Silent,
        };
        if request.pdu.kind == PduKind::Set {
            return Outcome::Set(Box::new(request.to_owned_request()));
        }
        if settings.is_forwarded(&request) {
            return Outcome::Load(Box::new(request.to_owned_request()));
        }
        if request.pdu.names(names).is_err() {
            self.counters().in_asn_parse_errs.add(1);
            return Outcome::Silent;
        }
        probe.begin(Phase::Access);
        let access = match settings.access(&request, ViewType::Read) {
            Ok(access) => access,
            Err(denied) => return self.refuse(settings, &request, denied, buffer).into(),
        };
        let query = query(settings, access, &request, names, arrived);
        let writer = ResponseWriter::new(buffer, settings.limit(&request), request.reply());
        let exceptions = request.version != Version::V1;
        let mut sink = ResponseSink::new(settings.templates(), writer, exceptions, probe);
        sink.probe.begin(Phase::Retrieve);
        walker.reset();
        let ending = match walker.advance(&settings.served().tree, &query, &mut sink) {
            Progress::Load(_) | Progress::Ask(_) => {
                return Outcome::Load(Box::new(request.to_owned_request()));
            }
            progress => ending(&request.pdu, progress, &sink),
        };
        self.tell_too_long(settings, &request, names, &ending);
        sink.probe.begin(Phase::Encode);
        finish(self.counters(), &request.pdu, sink.writer, ending, sink.bindings).into()
    }

    /// The engine's part: an authenticated request, or what it returns instead.
    pub(super) fn admit<'m>(
        &'m self,
        settings: &'m Settings,
        message: &'m [u8],
        sender: Sender<'m>,
        arrived: Instant,
        decrypted: &'m mut Vec<u8>,
        buffer: &mut Vec<u8>,
    ) -> Admitted<'m> {
        let Sender { peer, over, max_message, may_be_forged } = sender;
        let lookup = |name: &[u8]| settings.core.community(name, peer);
        match self.engine().receive(message, decrypted, buffer, arrived, over, lookup, self.counters()) {
            Incoming::Request(mut request) => {
                request.max_size = request.max_size.min(max_message);
                if may_be_forged && request.level == SecurityLevel::NoAuthNoPriv {
                    request.max_size = request.max_size.min(settings.unproved_limit(message));
                }
                if let (TRANSPORT, Some(state)) = (request.security_model, over) {
                    // msgFlags give the minimum; access is decided by the session's level. Net-SNMP requests
                    // snmpEngineID at noAuthNoPriv whatever the level of the following requests (RFC 5343).
                    request.level = request.level.max(state.level());
                }
                Admitted::Request(request)
            }
            Incoming::Report { reply, reason } => {
                self.refused(&reason, peer);
                self.counters().out_pkts.add(1);
                Admitted::Report(reply)
            }
            Incoming::Drop(reason) => {
                self.refused(&reason, peer);
                Admitted::Dropped { is_unreadable: reason.is_unreadable() }
            }
            // An agent accepts no traps: its engine has refused it.
            Incoming::TrapV1(_) => Admitted::Dropped { is_unreadable: false },
        }
    }

    fn refused(&self, reason: &DropReason, peer: SocketAddr) {
        tracing::debug!(%peer, %reason, "no answer to a message");
        let failed = matches!(
            reason,
            DropReason::UnknownCommunity
                | DropReason::Usm(UsmFailure::UnknownUserName | UsmFailure::WrongDigest(_))
        );
        if failed {
            self.core.tell_failed_authentication(peer);
        }
    }

    /// The answer to a request that the policy does not allow (RFC 3413 section 3.2, RFC 3416 section 4.2.1).
    pub(super) fn refuse(
        &self,
        settings: &Settings,
        request: &Request<'_>,
        denied: Denied,
        buffer: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        tracing::debug!(%denied, "a request is not allowed");
        if !request.is_local() {
            return self.report(request, ReportReason::UnknownPduHandlers, buffer);
        }
        if denied == Denied::NoSuchContext {
            return self.report(request, ReportReason::UnknownContexts, buffer);
        }
        if request.version != Version::V3 {
            self.counters().in_bad_community_uses.add(1);
        }
        let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
        let ending = Ending::Error { status: ErrorStatus::AuthorizationError, index: 0 };
        finish(self.counters(), &request.pdu, writer, ending, 0)
    }

    /// Says in the log that a value is longer than `max-unproved-answer` lets it be: a walk ends there.
    pub(super) fn tell_too_long(
        &self,
        settings: &Settings,
        request: &Request<'_>,
        names: &OidList,
        ending: &Ending,
    ) {
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

    pub(super) fn report(
        &self,
        request: &Request<'_>,
        reason: ReportReason,
        buffer: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let report = self.engine().report(request, reason, self.counters(), buffer);
        if report.is_some() {
            self.counters().out_pkts.add(1);
        }
        report
    }
}

impl From<Option<Range<usize>>> for Outcome {
    fn from(reply: Option<Range<usize>>) -> Self {
        reply.map_or(Outcome::Silent, Outcome::Reply)
    }
}

impl Settings {
    /// The most octets of the answer.
    pub(super) fn limit(&self, request: &Request<'_>) -> usize {
        self.limits.max_message_size.min(request.max_size)
    }

    /// The most octets of the answer to an unauthenticated message: a forged source address gains little.
    fn unproved_limit(&self, message: &[u8]) -> usize {
        self.limits.max_unproved_answer.max(message.len() + LARGER_ENVELOPE)
    }

    /// Whether the answer is limited because the request is unauthenticated.
    fn is_bounded(&self, request: &Request<'_>) -> bool {
        request.level == SecurityLevel::NoAuthNoPriv
            && request.version != Version::V3
            && request.max_size < self.limits.max_message_size
    }

    /// Whether it is not for the tree: for another agent, or for an unknown context.
    pub(super) fn is_forwarded(&self, request: &Request<'_>) -> bool {
        !request.is_local() || self.proxy(request).is_some()
    }
}

/// The request as a query on the tree.
pub(super) fn query<'q>(
    settings: &Settings,
    access: &'q Access,
    request: &Request<'_>,
    names: &'q OidList,
    arrived: Instant,
) -> Query<'q> {
    let operation = match request.pdu.kind {
        PduKind::Get => Operation::Get,
        PduKind::GetBulk => Operation::Bulk {
            non_repeaters: request.pdu.non_repeaters(),
            max_repetitions: request.pdu.max_repetitions(),
        },
        _ => Operation::Next,
    };
    Query {
        operation,
        names,
        access,
        without_counter64: request.version == Version::V1,
        arrived,
        max_bindings: settings.limits.max_bindings,
        may_end_early: true,
    }
}

/// What the walker's end means to the asker (RFC 3416 section 4.2, RFC 3584 section 4.2.2).
pub(super) fn ending(
    request: &PduRef<'_>,
    progress: Progress,
    sink: &ResponseSink<'_, '_, impl Probe>,
) -> Ending {
    let is_empty = sink.writer.position() == 0;
    match progress {
        Progress::Full { binding } if sink.no_such_name => {
            Ending::Error { status: ErrorStatus::NoSuchName, index: one_based(binding) }
        }
        // A GetBulk that does not fit is truncated. With nothing left a manager would repeat the same request for
        // ever.
        Progress::Full { .. } if request.kind != PduKind::GetBulk || is_empty => {
            Ending::Error { status: ErrorStatus::TooBig, index: 0 }
        }
        _ => Ending::Values,
    }
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

/// By how many octets the envelope of an answer may be longer than that of its request: the numbers in it differ.
const LARGER_ENVELOPE: usize = 64;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trunkline_smi::Oid;
    use trunkline_snmp::wire::{Message, Pdu};

    use super::super::Answer;
    use super::*;
    use crate::assembly::Assembly;
    use trunkline_admin::Kept;
    use trunkline_config::Plan;

    /// An agent that is queried without sockets.
    struct Asked {
        agent: Assembly,
        runtime: tokio::runtime::Runtime,
    }

    impl Asked {
        fn new(plan: &Plan) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let kept = Arc::new(Kept::open(folder.path()).unwrap());
            let agent = Assembly::of(plan, folder.path(), kept, Instant::now()).unwrap();
            Asked {
                agent,
                runtime: tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap(),
            }
        }

        fn length(&self, version: Version, pdu: &Pdu, asked: [u8; 4]) -> (usize, Option<ErrorStatus>) {
            let message = Message { version, community: b"public".to_vec(), pdu: pdu.clone() };
            let peer = SocketAddr::from(([192, 0, 2, 66], 9));
            let sender = Sender::of_datagram(peer, asked.into());
            match self.runtime.block_on(self.agent.door.answer(&message.encode(), sender)) {
                Answer::Message(octets) => (octets.len(), Message::decode(&octets).unwrap().pdu.status()),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn what_came_from_beyond_loopback_and_proves_nothing_is_answered_briefly() {
        let mut plan = Plan::default();
        plan.system.description = Some("d".repeat(250));
        let asked = Asked::new(&plan);
        let (outside, loopback) = ([192, 0, 2, 1], [127, 0, 0, 1]);
        let description = Oid::from([1, 3, 6, 1, 2, 1, 1, 1, 0]);
        let many = |count| Pdu::read(PduKind::Get, 1, &vec![description.clone(); count]);
        for version in [Version::V1, Version::V2c] {
            assert_eq!(asked.length(version, &many(6), loopback).1, Some(ErrorStatus::NoError));
            assert_eq!(asked.length(version, &many(6), outside).1, Some(ErrorStatus::TooBig));
            let (length, status) = asked.length(version, &many(5), outside);
            assert!(length <= 1472 && status == Some(ErrorStatus::NoError), "{length}");
        }
        let bulk = Pdu::bulk(1, 0, 20, &[Oid::from([1, 3, 6, 1, 2, 1, 1])]);
        let (length, _) = asked.length(Version::V2c, &bulk, outside);
        assert!(length <= 1472, "{length}");
        // As long as the request: 60 names that do not exist are longer than the limit.
        let none = vec![Oid::from([1, 3, 6, 1, 4, 1]).child(&[u32::MAX; 8]); 60];
        let (length, status) = asked.length(Version::V2c, &Pdu::read(PduKind::Get, 1, &none), outside);
        assert!(length > 1472 && status == Some(ErrorStatus::NoError), "{length} {status:?}");
    }
}

//! One request and its answer: decode, access, retrieve and encode, or set.
//!
//! [`answer_now`] does it on the receiving thread and gives up where it would
//! have to wait; [`answer`] waits.

use std::net::IpAddr;
use std::ops::Range;
use std::time::Instant;

use trunkline_smi::OidList;
use trunkline_snmp::role::responder;
use trunkline_snmp::wire::{ErrorStatus, MessageRef, PduKind, PduRef, ResponseWriter, Version};
use trunkline_snmp::{Counters, engine};
use trunkline_tree::{Operation, Progress, Query, SetBinding, SetFailure, SetStatus, Walker};

use super::probe::{NoProbe, Phase, Probe};
use super::sink::ResponseSink;
use super::{Community, Door, Settings};

/// What one thread reuses from request to request, so that none of them allocates.
#[derive(Default)]
pub struct Worker<P: Probe = NoProbe> {
    names: OidList,
    walker: Walker,
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
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The answer is in these octets of the buffer.
    Reply(Range<usize>),
    /// There is no answer.
    Silent,
    /// A load must be waited for: [`Door::answer`] is to be asked.
    Load,
    /// It is a set, which may block: [`Door::answer`] is to be asked.
    Set,
}

/// What became of a request in the end.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// These octets are to be sent.
    Message(Vec<u8>),
    /// There is no answer.
    Silence,
    /// It is no message, and there is no answer: where it came in a stream, the stream cannot be trusted
    /// to hold another (RFC 3430 section 2.1).
    Unreadable,
}

/// How an answer ends.
enum Ending {
    Values,
    Error { status: ErrorStatus, index: u32 },
}

impl Door {
    /// Answers on this thread, or says that it would have to wait.
    pub fn answer_now<P: Probe>(
        &self,
        settings: &Settings,
        worker: &mut Worker<P>,
        message: &[u8],
        peer: IpAddr,
        arrived: Instant,
        buffer: &mut Vec<u8>,
    ) -> Outcome {
        worker.probe.begin(Phase::Decode);
        let Ok((request, community)) = self.admit(settings, message, peer) else {
            return Outcome::Silent;
        };
        if request.pdu.kind == PduKind::Set {
            return Outcome::Set;
        }
        if request.pdu.names(&mut worker.names).is_err() {
            self.counters.in_asn_parse_errs.add(1);
            return Outcome::Silent;
        }
        worker.probe.begin(Phase::Access);
        let query = query(settings, community, &request.pdu, &worker.names, arrived);
        let writer = ResponseWriter::new(buffer, settings.max_message_size, request.reply());
        let exceptions = request.version != Version::V1;
        let mut sink = ResponseSink::new(&self.templates, writer, exceptions, &mut worker.probe);
        sink.probe.begin(Phase::Retrieve);
        worker.walker.reset();
        let ending = match worker.walker.advance(&self.tree, &query, &mut sink) {
            Progress::Load(_) => return Outcome::Load,
            progress => ending(&request.pdu, progress, sink.no_such_name),
        };
        sink.probe.begin(Phase::Encode);
        match finish(&self.counters, &request.pdu, sink.writer, ending, sink.bindings) {
            Some(range) => Outcome::Reply(range),
            None => Outcome::Silent,
        }
    }

    /// The message processing model's part: a request of somebody we know, or why there is none.
    fn admit<'m, 's>(
        &self,
        settings: &'s Settings,
        message: &'m [u8],
        peer: IpAddr,
    ) -> Result<(MessageRef<'m>, &'s Community), engine::DropReason> {
        let lookup = |name: &[u8]| settings.community(name, peer);
        engine::receive_community(message, lookup, &self.counters).inspect_err(|reason| {
            tracing::debug!(%peer, %reason, "dropped a message");
        })
    }
}

/// Answers, waiting for loads and sets.
pub(super) async fn answer(
    door: &Door,
    settings: &Settings,
    message: &[u8],
    peer: IpAddr,
    arrived: Instant,
) -> Answer {
    match door.admit(settings, message, peer) {
        Ok((request, community)) => respond(door, settings, request, community, arrived).await,
        Err(engine::DropReason::Malformed(_)) => Answer::Unreadable,
        Err(_) => Answer::Silence,
    }
}

/// The same for a message that [`Door::answer_now`] has let in and counted already.
pub(super) async fn answer_admitted(
    door: &Door,
    settings: &Settings,
    message: &[u8],
    peer: IpAddr,
    arrived: Instant,
) -> Answer {
    let Ok(request) = MessageRef::decode(message) else { return Answer::Unreadable };
    match settings.community(request.community, peer) {
        Some(community) => respond(door, settings, request, community, arrived).await,
        None => Answer::Silence, // the configuration has changed meanwhile
    }
}

async fn respond(
    door: &Door,
    settings: &Settings,
    request: MessageRef<'_>,
    community: &Community,
    arrived: Instant,
) -> Answer {
    let mut names = OidList::new();
    if request.pdu.names(&mut names).is_err() {
        door.counters.in_asn_parse_errs.add(1);
        return Answer::Unreadable;
    }
    let mut buffer = Vec::new();
    let writer = ResponseWriter::new(&mut buffer, settings.max_message_size, request.reply());
    let range = if request.pdu.kind == PduKind::Set {
        let ending = match responder::may_try_set(&request.pdu, &writer) {
            true => set(door, community, &request.pdu).await,
            false => Ending::Error { status: ErrorStatus::TooBig, index: 0 },
        };
        finish(&door.counters, &request.pdu, writer, ending, names.len())
    } else {
        let mut probe = NoProbe;
        let exceptions = request.version != Version::V1;
        let mut sink = ResponseSink::new(&door.templates, writer, exceptions, &mut probe);
        let query = query(settings, community, &request.pdu, &names, arrived);
        let ending = retrieve(door, &request.pdu, &query, &mut sink).await;
        finish(&door.counters, &request.pdu, sink.writer, ending, sink.bindings)
    };
    let Some(range) = range else { return Answer::Silence };
    buffer.truncate(range.end);
    buffer.drain(..range.start);
    Answer::Message(buffer)
}

fn query<'q>(
    settings: &Settings,
    community: &'q Community,
    request: &PduRef<'_>,
    names: &'q OidList,
    arrived: Instant,
) -> Query<'q> {
    let operation = match request.kind {
        PduKind::Get => Operation::Get,
        PduKind::GetBulk => Operation::Bulk {
            non_repeaters: request.non_repeaters(),
            max_repetitions: request.max_repetitions(),
        },
        _ => Operation::Next,
    };
    Query {
        operation,
        names,
        access: &community.access,
        without_counter64: request.version() == Version::V1,
        arrived,
        max_bindings: settings.max_bindings,
        may_end_early: true,
    }
}

async fn retrieve(
    door: &Door,
    request: &PduRef<'_>,
    query: &Query<'_>,
    sink: &mut ResponseSink<'_, '_, NoProbe>,
) -> Ending {
    let mut walker = Walker::new();
    loop {
        let progress = walker.advance(&door.tree, query, sink);
        let Progress::Load(group) = progress else { return ending(request, progress, sink.no_such_name) };
        if door.loads.load(&door.tree, group, query.arrived).await.is_err() {
            return Ending::Error { status: ErrorStatus::GenErr, index: one_based(walker.binding()) };
        }
    }
}

/// What the walker's end means to the asker (RFC 3416 section 4.2, RFC 3584 section 4.2.2).
fn ending(request: &PduRef<'_>, progress: Progress, no_such_name: bool) -> Ending {
    match progress {
        Progress::Full { binding } if no_such_name => {
            Ending::Error { status: ErrorStatus::NoSuchName, index: one_based(binding) }
        }
        // A GetBulk that does not fit is cut, never an error.
        Progress::Full { .. } if request.kind != PduKind::GetBulk => {
            Ending::Error { status: ErrorStatus::TooBig, index: 0 }
        }
        _ => Ending::Values,
    }
}

async fn set(door: &Door, community: &Community, request: &PduRef<'_>) -> Ending {
    if !community.plan.may_write() {
        door.counters.in_bad_community_uses.add(1);
    }
    let mut bindings = Vec::new();
    for binding in request.bindings() {
        let Ok(binding) = binding else {
            return Ending::Error { status: ErrorStatus::GenErr, index: 0 }; // checked by names() before
        };
        bindings.push(SetBinding { name: binding.name.to_oid(), value: binding.value.to_value() });
    }
    let (tree, access) = (door.tree.clone(), community.access.clone());
    let written = tokio::task::spawn_blocking(move || tree.set(&access, &bindings, Instant::now)).await;
    match written {
        Ok(Ok(())) => Ending::Values,
        Ok(Err(failure)) => refused(&failure),
        Err(panic) => {
            tracing::error!(%panic, "a provider failed in a set");
            Ending::Error { status: ErrorStatus::GenErr, index: 0 }
        }
    }
}

fn refused(failure: &SetFailure) -> Ending {
    match failure.status {
        SetStatus::ResourceUnavailable | SetStatus::CommitFailed | SetStatus::UndoFailed => {
            tracing::warn!(%failure, "a set could not be made");
        }
        // The asker's mistake: not louder, or askers could fill the log.
        _ => tracing::debug!(%failure, "refused a set"),
    }
    let status = match failure.status {
        SetStatus::NoAccess => ErrorStatus::NoAccess,
        SetStatus::NotWritable => ErrorStatus::NotWritable,
        SetStatus::WrongType => ErrorStatus::WrongType,
        SetStatus::WrongLength => ErrorStatus::WrongLength,
        SetStatus::WrongValue => ErrorStatus::WrongValue,
        SetStatus::NoCreation => ErrorStatus::NoCreation,
        SetStatus::InconsistentName => ErrorStatus::InconsistentName,
        SetStatus::InconsistentValue => ErrorStatus::InconsistentValue,
        SetStatus::ResourceUnavailable => ErrorStatus::ResourceUnavailable,
        SetStatus::CommitFailed => ErrorStatus::CommitFailed,
        SetStatus::UndoFailed => ErrorStatus::UndoFailed,
    };
    // RFC 3416 section 4.2.5: undoFailed has index 0.
    let index = if status == ErrorStatus::UndoFailed { 0 } else { one_based(failure.binding) };
    Ending::Error { status, index }
}

fn one_based(binding: usize) -> u32 {
    u32::try_from(binding + 1).unwrap_or(u32::MAX)
}

/// Ends the message and counts it; `bindings` were retrieved or written.
fn finish(
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
    if message.is_none() {
        counters.silent_drops.add(1);
    }
    let total = if is_set { &counters.in_total_set_vars } else { &counters.in_total_req_vars };
    total.add(u32::try_from(bindings).unwrap_or(u32::MAX));
    counted(counters, message)
}

fn counted(counters: &Counters, message: Option<Range<usize>>) -> Option<Range<usize>> {
    if message.is_some() {
        counters.out_pkts.add(1);
        counters.out_get_responses.add(1);
    }
    message
}

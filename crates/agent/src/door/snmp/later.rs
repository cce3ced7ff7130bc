//! Requests that must wait, on the runtime: loads, regions, sets, and requests that other agents answer.

use std::ops::Range;
use std::time::Instant;

use trunkline_smi::OidList;
use trunkline_snmp::engine::{OwnedRequest, ReportReason, Request};
use trunkline_snmp::role::responder;
use trunkline_snmp::wire::{Bound, ErrorStatus, Pdu, PduKind, PduRef, ResponseWriter, Version};
use trunkline_tree::policy::{SecurityModel, ViewType};
use trunkline_tree::{
    Access, GroupId, Progress, Query, Requester, RowQuery, RowSink, RowWalker, SetBinding, SetFailure,
    SetStatus, Sink, Walker,
};

use super::exchange::{self, Admitted, Ending, counted, finish, one_based};
use super::probe::NoProbe;
use super::settings::level;
use super::sink::ResponseSink;
use super::{Door, Sender, Served, Settings};
use crate::regions::{ContextProxy, RegionFailed, set_status};

/// What became of a message in the end.
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

/// Why a question to the tree has no answer.
pub(in crate::door) enum Unanswered {
    /// A source cannot be read; the reason is in the log.
    Load,
    /// A region does not answer.
    Region,
}

/// Of how many instances that the asker may not see a request has a region go on, at most.
const MAX_PASSED_OVER: usize = 10_000;

/// Answers a message from the beginning.
pub(super) async fn answer(
    door: &Door,
    settings: &Settings,
    message: &[u8],
    sender: Sender<'_>,
    arrived: Instant,
) -> Answer {
    let (mut decrypted, mut buffer) = (Vec::new(), Vec::new());
    match door.admit(settings, message, sender, arrived, &mut decrypted, &mut buffer) {
        Admitted::Request(request) => {
            let answered = respond(door, settings, &request, arrived, &mut buffer).await;
            cut(buffer, answered)
        }
        Admitted::Report(range) => cut(buffer, Ok(Some(range))),
        Admitted::Dropped { is_unreadable: true } => Answer::Unreadable,
        Admitted::Dropped { is_unreadable: false } => Answer::Silence,
    }
}

impl Door {
    /// Answers a request that [`Door::answer_now`] could not wait for.
    pub async fn respond(&self, request: &OwnedRequest, arrived: Instant) -> Answer {
        let settings = self.settings();
        let mut buffer = Vec::new();
        let request = request.request(&self.engine);
        let answered = respond(self, &settings, &request, arrived, &mut buffer).await;
        cut(buffer, answered)
    }
}

/// The octets of the buffer that are the answer, if there is one.
type Answered = Result<Option<Range<usize>>, WrongBindings>;

/// What is inside of the bindings is no BER.
struct WrongBindings;

fn cut(mut buffer: Vec<u8>, answered: Answered) -> Answer {
    let range = match answered {
        Ok(Some(range)) => range,
        Ok(None) => return Answer::Silence,
        Err(WrongBindings) => return Answer::Unreadable,
    };
    buffer.truncate(range.end);
    buffer.drain(..range.start);
    Answer::Message(buffer)
}

async fn respond(
    door: &Door,
    settings: &Settings,
    request: &Request<'_>,
    arrived: Instant,
    buffer: &mut Vec<u8>,
) -> Answered {
    if let Some(proxy) = settings.proxy(request) {
        return forward(door, settings, proxy, request, buffer).await;
    }
    if !request.is_local() {
        return Ok(door.report(request, ReportReason::UnknownPduHandlers, buffer));
    }
    let mut names = OidList::new();
    if request.pdu.names(&mut names).is_err() {
        door.counters.in_asn_parse_errs.add(1);
        return Err(WrongBindings);
    }
    let view = if request.pdu.kind == PduKind::Set { ViewType::Write } else { ViewType::Read };
    let access = match settings.access(request, view) {
        Ok(access) => access,
        Err(denied) => return Ok(door.refuse(settings, request, denied, buffer)),
    };
    let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
    if request.pdu.kind == PduKind::Set {
        let ending = match responder::may_try_set(&request.pdu, &writer) {
            true => set(door, settings, access, request).await,
            false => Ending::Error { status: ErrorStatus::TooBig, index: 0 },
        };
        return Ok(finish(&door.counters, &request.pdu, writer, ending, names.len()));
    }
    let mut probe = NoProbe;
    let exceptions = request.version != Version::V1;
    let mut sink = ResponseSink::new(&settings.served.templates, writer, exceptions, &mut probe);
    let query = exchange::query(settings, access, request, &names, arrived);
    let mut walker = Walker::new();
    let ending = match settings.served.retrieve(&mut walker, &query, &mut sink).await {
        Ok(progress) => exchange::ending(&request.pdu, progress, sink.no_such_name),
        Err(_) => Ending::Error { status: ErrorStatus::GenErr, index: one_based(walker.binding()) },
    };
    Ok(finish(&door.counters, &request.pdu, sink.writer, ending, sink.bindings))
}

impl Served {
    /// Carries out a query, waiting for loads and regions.
    pub(in crate::door) async fn retrieve<S: Sink>(
        &self,
        walker: &mut Walker,
        query: &Query<'_>,
        sink: &mut S,
    ) -> Result<Progress, Unanswered> {
        loop {
            match walker.advance(&self.tree, query, sink) {
                Progress::Load(group) => self.load(group, query.arrived).await?,
                Progress::Ask(_) => self.ask(walker).await.map_err(|_| Unanswered::Region)?,
                progress => return Ok(progress),
            }
        }
    }

    /// Carries out a query for rows, waiting for loads.
    pub(in crate::door) async fn retrieve_rows<S: RowSink>(
        &self,
        walker: &mut RowWalker,
        query: &RowQuery<'_>,
        sink: &mut S,
    ) -> Result<Progress, Unanswered> {
        loop {
            match walker.advance(&self.tree, query, sink) {
                Progress::Load(group) => self.load(group, query.arrived).await?,
                progress => return Ok(progress),
            }
        }
    }

    async fn load(&self, group: GroupId, arrived: Instant) -> Result<(), Unanswered> {
        self.loads.load(&self.tree, group, arrived).await.map_err(|_| Unanswered::Load)
    }

    async fn ask(&self, walker: &mut Walker) -> Result<(), RegionFailed> {
        let question = walker.question().filter(|question| question.passed_over < MAX_PASSED_OVER);
        let question = question.ok_or(RegionFailed)?;
        let handler = self.regions.get(question.region.position()).ok_or(RegionFailed)?;
        let answer = handler.ask(question.name, question.aim).await?;
        walker.answered(answer);
        Ok(())
    }
}

async fn set(door: &Door, settings: &Settings, access: &Access, request: &Request<'_>) -> Ending {
    let mut bindings = Vec::new();
    for binding in request.pdu.bindings() {
        let Ok(binding) = binding else {
            return Ending::Error { status: ErrorStatus::GenErr, index: 0 }; // checked by names() before
        };
        bindings.push(SetBinding { name: binding.name.to_oid(), value: binding.value.to_value() });
    }
    let (tree, access) = (settings.served.tree.clone(), access.clone());
    let (model, name) = (SecurityModel(request.security_model), request.security_name().to_vec());
    let level = level(request);
    let write = move || {
        let requester = Requester { model, security_name: &name, level };
        tree.set_by(Some(&requester), &access, &bindings, Instant::now)
    };
    let written = tokio::task::spawn_blocking(write).await;
    match written {
        Ok(Ok(())) => Ending::Values,
        Ok(Err(failure)) => {
            if failure.status == SetStatus::NoAccess && request.version != Version::V3 {
                door.counters.in_bad_community_uses.add(1);
            }
            refused(&failure)
        }
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
    let status = set_status(failure.status);
    // RFC 3416 section 4.2.5: undoFailed has index 0.
    let index = if status == ErrorStatus::UndoFailed { 0 } else { one_based(failure.binding) };
    Ending::Error { status, index }
}

impl Settings {
    /// Who answers in this agent's place.
    pub(super) fn proxy(&self, request: &Request<'_>) -> Option<&ContextProxy> {
        self.proxies.of(request.context_engine_id, request.is_local(), request.context_name)
    }
}

/// RFC 3413 section 3.5.1.1: the request on its way to another agent, and the answer back.
async fn forward(
    door: &Door,
    settings: &Settings,
    proxy: &ContextProxy,
    request: &Request<'_>,
    buffer: &mut Vec<u8>,
) -> Answered {
    // Only who has any access to this context here may reach the one behind it.
    let view = if request.pdu.kind == PduKind::Set { ViewType::Write } else { ViewType::Read };
    let access = match settings.access(request, view) {
        Ok(access) => access,
        Err(denied) if request.is_local() => return Ok(door.refuse(settings, request, denied, buffer)),
        Err(_) => return Ok(door.report(request, ReportReason::UnknownPduHandlers, buffer)),
    };
    let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
    let may = level(request) as u8 <= proxy.level as u8 && may_forward(access, &request.pdu);
    let response = match request.pdu.to_pdu() {
        Ok(pdu) if may => proxy.forward(pdu, request.version).await,
        Ok(_) => {
            let ending = Ending::Error { status: ErrorStatus::AuthorizationError, index: 0 };
            return Ok(finish(&door.counters, &request.pdu, writer, ending, 0));
        }
        Err(_) => {
            door.counters.in_asn_parse_errs.add(1);
            return Err(WrongBindings);
        }
    };
    let Some(response) = response else {
        let ending = Ending::Error { status: ErrorStatus::GenErr, index: 0 };
        return Ok(finish(&door.counters, &request.pdu, writer, ending, 0));
    };
    Ok(write_forwarded(door, &request.pdu, writer, &response))
}

/// Whether the asker's view has the names that are asked for. What the other agent's next instances are cannot be
/// known before: for these the view must be of everything below the names.
fn may_forward(access: &Access, request: &PduRef<'_>) -> bool {
    let allowed = |name: &[u32]| match request.kind {
        PduKind::Set => access.may_write(name),
        _ => access.may_read_name(name),
    };
    request.bindings().all(|binding| binding.is_ok_and(|binding| allowed(&binding.name.to_oid())))
}

fn write_forwarded(
    door: &Door,
    request: &PduRef<'_>,
    mut writer: ResponseWriter<'_>,
    response: &Pdu,
) -> Option<Range<usize>> {
    if let Some(status) = ErrorStatus::from_code(response.error_status).filter(|_| response.error_status != 0)
    {
        let index = u32::try_from(response.error_index).unwrap_or(0);
        return finish(&door.counters, request, writer, Ending::Error { status, index }, 0);
    }
    for binding in &response.bindings {
        let fits = match &binding.value {
            Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
            Bound::Exception(exception) => writer.exception(&binding.name, *exception),
            Bound::Unspecified => writer.unspecified(&binding.name),
        };
        if !fits && request.kind != PduKind::GetBulk {
            let ending = Ending::Error { status: ErrorStatus::TooBig, index: 0 };
            return finish(&door.counters, request, writer, ending, 0);
        }
        if !fits {
            break;
        }
    }
    counted(&door.counters, writer.finish())
}

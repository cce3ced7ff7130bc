//! Requests that must wait, on the runtime: loads, regions, sets, and requests that other agents answer.

use std::ops::Range;
use std::time::Instant;

use trunkline_smi::OidList;
use trunkline_snmp::engine::{OwnedRequest, ReportReason, Request};
use trunkline_snmp::role::responder;
use trunkline_snmp::wire::{Bound, ErrorStatus, Pdu, PduKind, PduRef, ResponseWriter, Version};
use trunkline_tree::policy::ViewType;
use trunkline_tree::{Access, SetBinding, SetFailure, SetStatus, Walker};

use super::exchange::{self, Admitted, Ending, counted, finish, one_based};
use super::probe::NoProbe;
use super::settings::principal;
use super::sink::ResponseSink;
use super::{Door, Sender, Settings};
use crate::core::NotSet;
use crate::regions::ContextProxy;

/// What became of a message in the end.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// These octets are to be sent.
    Message(Vec<u8>),
    /// So are these, but they answer nothing that the client may know: a Report before any authentication.
    Report(Vec<u8>),
    /// There is no answer.
    Silence,
    /// It is not a message, and there is no answer: if it came in a stream, the stream cannot be trusted to
    /// contain another (RFC 3430 section 2.1).
    Unreadable,
}

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
        Admitted::Report(range) => Answer::Report(only(buffer, range)),
        Admitted::Dropped { is_unreadable: true } => Answer::Unreadable,
        Admitted::Dropped { is_unreadable: false } => Answer::Silence,
    }
}

impl Door {
    /// Answers a request that [`Door::answer_now`] could not wait for.
    pub async fn respond(&self, request: &OwnedRequest, arrived: Instant) -> Answer {
        let settings = self.settings();
        let mut buffer = Vec::new();
        let request = request.request(self.engine());
        let answered = respond(self, &settings, &request, arrived, &mut buffer).await;
        cut(buffer, answered)
    }
}

/// The octets of the buffer that are the answer, if there is one.
type Answered = Result<Option<Range<usize>>, WrongBindings>;

/// The content of the bindings is not BER.
struct WrongBindings;

fn cut(buffer: Vec<u8>, answered: Answered) -> Answer {
    match answered {
        Ok(Some(range)) => Answer::Message(only(buffer, range)),
        Ok(None) => Answer::Silence,
        Err(WrongBindings) => Answer::Unreadable,
    }
}

fn only(mut buffer: Vec<u8>, range: Range<usize>) -> Vec<u8> {
    buffer.truncate(range.end);
    buffer.drain(..range.start);
    buffer
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
        door.counters().in_asn_parse_errs.add(1);
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
        return Ok(finish(door.counters(), &request.pdu, writer, ending, names.len()));
    }
    let mut probe = NoProbe;
    let exceptions = request.version != Version::V1;
    let mut sink = ResponseSink::new(settings.templates(), writer, exceptions, &mut probe);
    let query = exchange::query(settings, access, request, &names, arrived);
    let mut walker = Walker::new();
    let ending = match settings.served().retrieve(&mut walker, &query, &mut sink).await {
        Ok(progress) => exchange::ending(&request.pdu, progress, &sink),
        Err(_) => Ending::Error { status: ErrorStatus::GenErr, index: one_based(walker.binding()) },
    };
    door.tell_too_long(settings, request, &names, &ending);
    Ok(finish(door.counters(), &request.pdu, sink.writer, ending, sink.bindings))
}

async fn set(door: &Door, settings: &Settings, access: &Access, request: &Request<'_>) -> Ending {
    let mut bindings = Vec::new();
    for binding in request.pdu.bindings() {
        let Ok(binding) = binding else {
            return Ending::Error { status: ErrorStatus::GenErr, index: 0 }; // checked by names() before
        };
        bindings.push(SetBinding { name: binding.name.to_oid(), value: binding.value.to_value() });
    }
    match settings.served().set(&principal(request), access, bindings).await {
        Ok(()) => Ending::Values,
        Err(NotSet::Refused(failure)) => {
            if failure.status == SetStatus::NoAccess && request.version != Version::V3 {
                door.counters().in_bad_community_uses.add(1);
            }
            refused(&failure)
        }
        Err(NotSet::Panicked) => Ending::Error { status: ErrorStatus::GenErr, index: 0 },
    }
}

fn refused(failure: &SetFailure) -> Ending {
    let status = ErrorStatus::from(failure.status);
    // RFC 3416 section 4.2.5: undoFailed has index 0.
    let index = if status == ErrorStatus::UndoFailed { 0 } else { one_based(failure.binding) };
    Ending::Error { status, index }
}

/// RFC 3413 section 3.5.1.1: forwards the request to another agent, and returns the answer.
async fn forward(
    door: &Door,
    settings: &Settings,
    proxy: &ContextProxy,
    request: &Request<'_>,
    buffer: &mut Vec<u8>,
) -> Answered {
    // Only a principal with some access to this context here may reach the one at the other agent.
    let view = if request.pdu.kind == PduKind::Set { ViewType::Write } else { ViewType::Read };
    let access = match settings.access(request, view) {
        Ok(access) => access,
        Err(denied) if request.is_local() => return Ok(door.refuse(settings, request, denied, buffer)),
        Err(_) => return Ok(door.report(request, ReportReason::UnknownPduHandlers, buffer)),
    };
    let writer = ResponseWriter::new(buffer, settings.limit(request), request.reply());
    let may = request.level <= proxy.level && may_forward(access, &request.pdu);
    let response = match request.pdu.to_pdu() {
        Ok(pdu) if may => proxy.forward(pdu, request.version).await,
        Ok(_) => {
            let ending = Ending::Error { status: ErrorStatus::AuthorizationError, index: 0 };
            return Ok(finish(door.counters(), &request.pdu, writer, ending, 0));
        }
        Err(_) => {
            door.counters().in_asn_parse_errs.add(1);
            return Err(WrongBindings);
        }
    };
    let Some(response) = response else {
        let ending = Ending::Error { status: ErrorStatus::GenErr, index: 0 };
        return Ok(finish(door.counters(), &request.pdu, writer, ending, 0));
    };
    Ok(write_forwarded(door, &request.pdu, writer, &response))
}

/// Whether the principal's view includes the requested names. The other agent's next instances are not known in
/// advance: for these the view must include everything below the names.
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
        return finish(door.counters(), request, writer, Ending::Error { status, index }, 0);
    }
    for binding in &response.bindings {
        let fits = match &binding.value {
            Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
            Bound::Exception(exception) => writer.exception(&binding.name, *exception),
            Bound::Unspecified => writer.unspecified(&binding.name),
        };
        if !fits && (request.kind != PduKind::GetBulk || writer.position() == 0) {
            let ending = Ending::Error { status: ErrorStatus::TooBig, index: 0 };
            return finish(door.counters(), request, writer, ending, 0);
        }
        if !fits {
            break;
        }
    }
    counted(door.counters(), writer.finish())
}

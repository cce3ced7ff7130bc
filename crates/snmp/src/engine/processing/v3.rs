//! The message processing model of SNMPv3: the contents of a message, its sender, and the Report if it cannot be
//! answered (RFC 3412 section 7).

use std::ops::Range;
use std::time::Instant;

use trunkline_smi::ValueRef;

use crate::engine::dispatcher::count_pdu;
use crate::engine::drop_reason::UNKNOWN_PDU_HANDLERS;
use crate::engine::request::{Reply, Sender, TRANSPORT, USER_BASED};
use crate::engine::security::tsm;
use crate::engine::security::usm::{self, Accepted, Refused};
use crate::engine::{DropReason, Engine, Incoming, Request, TransportState, UsmFailure};
use crate::usm::{EngineId, User};
use crate::wire::{
    Envelope, Header, MsgData, PduKind, Protection, ResponseWriter, ScopedPduRef, TSM, USM, UsmSecurity,
    V3Header, V3MessageRef, V3Security, Version,
};
use crate::{Counters, SecurityLevel};

/// Why a request that came through the engine gets a Report in place of a Response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportReason {
    /// snmpUnknownContexts (RFC 3413 section 3.2): there is no such contextName.
    UnknownContexts,
    /// snmpUnavailableContexts: there is, but its data cannot be had now.
    UnavailableContexts,
    /// snmpUnknownPDUHandlers (RFC 3412 section 4.2.2.1): no application here serves the contextEngineID.
    UnknownPduHandlers,
}

/// Processes a message of version 3: prepareDataElements (RFC 3412 section 7.2), and the dispatcher's search for
/// the application that handles the PDU (section 4.2.2).
pub(in crate::engine) fn receive<'m>(
    engine: &'m Engine,
    octets: &'m [u8],
    scratch: &'m mut Vec<u8>,
    out: &mut Vec<u8>,
    now: Instant,
    over: Option<&'m TransportState>,
    counters: &Counters,
) -> Incoming<'m> {
    let (message, level) = match read_header(octets) {
        Ok(read) => read,
        Err(reason) => return refused(engine, None, reason, out, counters),
    };
    // Step 6.
    let prepared = if message.security_model == TSM {
        tsm_request(engine, &message, level, over, counters)
    } else {
        usm_request(engine, octets, &message, level, scratch, now, counters)
    };
    let request = match prepared {
        Ok(request) => request,
        Err(Refusal { reason, security }) => {
            let about = security.map(|security| (&message, security));
            return refused(engine, about, reason, out, counters);
        }
    };
    // Section 4.2.2.1 step 2.
    let kind = request.pdu.kind;
    if !engine.handlers.takes(kind) && !is_engine_id_discovery(&request) {
        let reason = DropReason::NotHandled { kind };
        let value = reason.count(counters);
        return match report_about(&request, &UNKNOWN_PDU_HANDLERS, value, out) {
            Some(reply) => Incoming::Report { reply, reason },
            None => Incoming::Drop(reason),
        };
    }
    Incoming::Request(request)
}

/// Whether it requests the ID of whatever engine is here (RFC 5343 section 3.2), which every engine answers: a Get of
/// snmpEngineID.0 alone.
fn is_engine_id_discovery(request: &Request<'_>) -> bool {
    request.pdu.kind == PduKind::Get
        && request.context_engine_id == EngineId::LOCAL.as_bytes()
        && request.context_name.is_empty()
        && request.pdu.to_pdu().is_ok_and(|pdu| match &pdu.bindings[..] {
            [binding] => binding.name[..] == SNMP_ENGINE_ID,
            _ => false,
        })
}

/// A message that is not handed on.
struct Refusal<'m> {
    reason: DropReason,
    /// What protects a Report about it, if the reason is one to report.
    security: Option<V3Security<'m>>,
}

impl From<DropReason> for Refusal<'_> {
    fn from(reason: DropReason) -> Self {
        Refusal { reason, security: None }
    }
}

/// A message of the Transport Security Model. The authoritative engine of step 13a is this one always
/// (RFC 5591 section 5.2 step 1).
fn tsm_request<'m>(
    engine: &'m Engine,
    message: &V3MessageRef<'m>,
    level: SecurityLevel,
    over: Option<&'m TransportState>,
    counters: &Counters,
) -> Result<Request<'m>, Refusal<'m>> {
    let accepted = tsm::process_incoming_msg(engine, message, level, over);
    let (security_name, scoped) = accepted.map_err(|failure| Refusal {
        reason: DropReason::Tsm(failure),
        // RFC 3412 section 7.1 step 3d: the default level of a Report.
        security: Some(V3Security::Transport(SecurityLevel::NoAuthNoPriv)),
    })?;
    count_pdu(&scoped.pdu, counters);
    let (security, sender) = (V3Security::Transport(level), Sender::Session(security_name));
    Ok(request(engine, message, scoped, TRANSPORT, level, security, sender))
}

/// A message of the User-based Security Model.
fn usm_request<'m>(
    engine: &'m Engine,
    octets: &[u8],
    message: &V3MessageRef<'m>,
    level: SecurityLevel,
    scratch: &'m mut Vec<u8>,
    now: Instant,
    counters: &Counters,
) -> Result<Request<'m>, Refusal<'m>> {
    // RFC 3414 section 3.2 steps 1 and 2.
    let parameters = message.usm().map_err(|error| DropReason::Usm(UsmFailure::Malformed(error)))?;
    let security = |protection| {
        V3Security::Usm(UsmSecurity {
            engine_id: engine.id().as_bytes(),
            moment: engine.moment(now),
            user_name: parameters.user_name,
            protection,
            salts: &engine.salts,
        })
    };
    let accepted = usm::process_incoming_msg(engine, octets, message, &parameters, level, scratch, now);
    let Accepted { user, scoped } = accepted.map_err(|Refused { failure, user }| {
        let reason = DropReason::Usm(failure);
        let protection = report_protection(&reason, user.as_deref());
        Refusal { reason, security: Some(security(protection)) }
    })?;
    let kind = scoped.pdu.kind;
    count_pdu(&scoped.pdu, counters);
    // Step 13a.
    if kind.is_confirmed() && parameters.engine_id != engine.id().as_bytes() {
        return Err(DropReason::NotAuthoritative { kind }.into());
    }
    // The level was found to be one of the user's before: RFC 3414 section 3.2 step 5.
    let protection = Protection::new(&user, level)
        .map_err(|error| DropReason::Usm(UsmFailure::UnsupportedLevel(error)))?;
    Ok(request(engine, message, scoped, USER_BASED, level, security(protection), Sender::User(user)))
}

/// Steps 7 to 14: the kind of PDU, and the envelope of an answer to it.
fn request<'m>(
    engine: &'m Engine,
    message: &V3MessageRef<'m>,
    scoped: ScopedPduRef<'m>,
    security_model: u32,
    level: SecurityLevel,
    security: V3Security<'m>,
    sender: Sender<'m>,
) -> Request<'m> {
    let header = V3Header {
        message_id: message.message_id,
        max_size: engine.max_size,
        reportable: false,
        security,
        context_engine_id: scoped.context_engine_id,
        context_name: scoped.context_name,
    };
    Request {
        version: Version::V3,
        security_model,
        level,
        context_engine_id: scoped.context_engine_id,
        context_name: scoped.context_name,
        pdu: scoped.pdu,
        max_size: engine.max_size.min(message.max_size),
        is_local: engine.is_local_context(scoped.context_engine_id),
        compression: None,
        reply: Reply::V3 { header, sender },
    }
}

/// Steps 1 to 5: everything in front of msgSecurityParameters.
fn read_header(octets: &[u8]) -> Result<(V3MessageRef<'_>, SecurityLevel), DropReason> {
    let message = V3MessageRef::decode(octets).map_err(DropReason::Malformed)?;
    if !matches!(message.security_model, USM | TSM) {
        return Err(DropReason::UnknownSecurityModel { found: message.security_model });
    }
    let found = message.flags;
    let level = found.level().ok_or(DropReason::InvalidFlags { found })?;
    Ok((message, level))
}

/// Step 6a: counts why a message is refused, and answers with a Report if one may be sent.
fn refused<'m>(
    engine: &Engine,
    about: Option<(&V3MessageRef<'_>, V3Security<'_>)>,
    reason: DropReason,
    out: &mut Vec<u8>,
    counters: &Counters,
) -> Incoming<'m> {
    let value = reason.count(counters);
    let (Some(object), Some((message, security))) = (reason.report_object(), about) else {
        return Incoming::Drop(reason);
    };
    let Some(request_id) = reportable_request_id(message) else { return Incoming::Drop(reason) };
    let header = V3Header {
        message_id: message.message_id,
        max_size: engine.max_size,
        reportable: false,
        security,
        // Section 7.1 step 3e and f: the local engine, the default context.
        context_engine_id: engine.id().as_bytes(),
        context_name: &[],
    };
    let limit = engine.max_size.min(message.max_size);
    match write_report(&header, request_id, object, value, limit, out) {
        Some(reply) => Incoming::Report { reply, reason },
        None => Incoming::Drop(reason),
    }
}

/// The securityLevel of a Report about a refusal. A Report about the time window carries the time, which the
/// receiver must be able to trust: authNoPriv, with the keys that authenticated the message (RFC 3414 section 3.2
/// step 7a). All others are noAuthNoPriv (RFC 3412 section 7.1 step 3d).
fn report_protection(reason: &DropReason, user: Option<&User>) -> Protection {
    match (reason, user) {
        (DropReason::Usm(UsmFailure::NotInTimeWindow(_)), Some(user)) => {
            Protection::new(user, SecurityLevel::AuthNoPriv).unwrap_or(Protection::NONE)
        }
        _ => Protection::NONE,
    }
}

/// Whether a Report may be sent, and its request-id: where the PDU can be read its class decides, else
/// reportableFlag, with request-id 0 (RFC 3412 section 7.1 steps 3a to 3c, section 6.4).
fn reportable_request_id(message: &V3MessageRef<'_>) -> Option<i32> {
    match message.data {
        MsgData::Plain(scoped) => scoped.pdu.kind.is_confirmed().then_some(scoped.pdu.request_id),
        MsgData::Encrypted(_) => message.flags.is_reportable().then_some(0),
    }
}

impl Engine {
    /// Counts, and answers a request with a Report; returns its octets' range in `out`. `None`: no Report may be
    /// sent, since the request is of SNMPv1 or SNMPv2c, which have none, or requests no answer.
    ///
    /// It is protected as the request was (RFC 3413 section 3.2 leaves the securityLevel to the application).
    pub fn report(
        &self,
        request: &Request<'_>,
        reason: ReportReason,
        counters: &Counters,
        out: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let (counter, object) = match reason {
            ReportReason::UnknownContexts => (&counters.unknown_contexts, &UNKNOWN_CONTEXTS[..]),
            ReportReason::UnavailableContexts => (&counters.unavailable_contexts, &UNAVAILABLE_CONTEXTS[..]),
            ReportReason::UnknownPduHandlers => (&counters.unknown_pdu_handlers, &UNKNOWN_PDU_HANDLERS[..]),
        };
        let value = counter.count();
        report_about(request, object, value, out)
    }
}

/// A Report about a request that was understood.
fn report_about(
    request: &Request<'_>,
    object: &[u32],
    value: u32,
    out: &mut Vec<u8>,
) -> Option<Range<usize>> {
    match &request.reply {
        Reply::V3 { header, .. } if request.pdu.kind.is_confirmed() => {
            write_report(header, request.pdu.request_id, object, value, request.max_size, out)
        }
        _ => None,
    }
}

fn write_report(
    header: &V3Header<'_>,
    request_id: i32,
    object: &[u32],
    value: u32,
    limit: usize,
    out: &mut Vec<u8>,
) -> Option<Range<usize>> {
    let envelope =
        Envelope { header: Header::V3(header), kind: PduKind::Report, request_id, compression: None };
    let mut writer = ResponseWriter::new(out, limit, envelope);
    writer.value_at(object, ValueRef::Counter32(value)).then(|| writer.finish()).flatten()
}

/// snmpEngineID.0 (RFC 3411 section 5).
const SNMP_ENGINE_ID: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];
/// snmpUnavailableContexts.0 (RFC 3413, SNMP-TARGET-MIB).
const UNAVAILABLE_CONTEXTS: [u32; 10] = [1, 3, 6, 1, 6, 3, 12, 1, 4, 0];
/// snmpUnknownContexts.0.
const UNKNOWN_CONTEXTS: [u32; 10] = [1, 3, 6, 1, 6, 3, 12, 1, 5, 0];

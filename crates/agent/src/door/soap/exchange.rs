//! One request and its answer: who asks, what is asked, and in which words it is answered.

use std::sync::Arc;
use std::time::Instant;

use trunkline_soap::encoding::{self, Encoding};
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::{self, Operation, Request, RequestLimits};
use trunkline_transport::http::{HeaderName, HttpRequest, HttpResponse, StatusCode, header};
use trunkline_tree::Access;
use trunkline_tree::policy::{SecurityLevel, SecurityModel, ViewType};

use super::service::Service;
use super::{describe, objects, rows, write};
use crate::door::http::{Asker, Front, NoAccess};
use crate::door::snmp::{Served, Settings, Unanswered};

/// What an operation works with.
pub(super) struct Work<'a> {
    pub served: &'a Arc<Served>,
    pub service: &'a Service,
    pub access: &'a Access,
    pub encoding: Encoding,
    pub arrived: Instant,
    /// The most octets that an answer may have.
    pub limit: usize,
}

/// Who asks, as those who write are told.
pub(super) struct Identity {
    pub model: SecurityModel,
    pub name: Vec<u8>,
    pub level: SecurityLevel,
}

/// Why a request has no answer but a fault.
enum Refused {
    Fault(Fault),
    NoAccess(NoAccess),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Refused::Fault(fault)
    }
}

pub(super) async fn exchange(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    let arrived = Instant::now();
    if describe::encoding_of(&request.path).is_none() {
        let line = "requests go to /soap, /soap/paper or /soap/lean";
        return HttpResponse::text(StatusCode::NOT_FOUND, line);
    }
    let Some(version) = version_of(request) else {
        let line =
            "the content type must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2), in UTF-8";
        return HttpResponse::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, line);
    };
    let settings = front.door().settings();
    let service = settings.served().soap_service();
    let read = match operation::read(&service.catalog, &request.body, &RequestLimits::DEFAULT) {
        Ok(read) => read,
        Err(rejected) => return fault(rejected.version.unwrap_or(version), &rejected.fault),
    };
    match carry_out(front, &settings, service, request, asker, version, &read, arrived).await {
        Ok(body) => HttpResponse::new(StatusCode::OK, read.version.content_type(), body),
        Err(Refused::Fault(refused)) => fault(read.version, &refused),
        Err(Refused::NoAccess(no_access)) => {
            let kind = match no_access.status() {
                StatusCode::UNAUTHORIZED => FaultKind::Unauthorized,
                _ => FaultKind::Forbidden,
            };
            no_access.answer(fault(read.version, &Fault::new(kind, no_access.to_string())))
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the parts of one request")]
async fn carry_out(
    front: &Front,
    settings: &Settings,
    service: &Service,
    request: &HttpRequest,
    asker: &Asker,
    version: Version,
    read: &Request,
    arrived: Instant,
) -> Result<Vec<u8>, Refused> {
    check_action(request, version, read)?;
    let (access, identity) = who(front, settings, request, asker, read)?;
    let work = Work {
        served: settings.served(),
        service,
        access: &access,
        encoding: read.encoding,
        arrived,
        limit: front.plan().max_answer.0,
    };
    let mut out = Vec::with_capacity(FIRST_CAPACITY);
    encoding::begin(&mut out, read.version, read.encoding, &read.namespace, &read.name);
    match &read.operation {
        Operation::Get { names, mark_missing } => objects::get(&work, names, *mark_missing, &mut out).await?,
        Operation::GetNext { names, count } => objects::get_next(&work, names, *count, &mut out).await?,
        Operation::Group(group) => objects::group(&work, *group, &mut out).await?,
        Operation::Table(table) => rows::table(&work, table, &mut out).await?,
        Operation::Set(assignments) => write::set(&work, identity, assignments).await?,
    }
    encoding::end(&mut out, read.encoding, &read.name);
    Ok(out)
}

/// The version whose media type the request has, in an encoding of characters that is understood.
fn version_of(request: &HttpRequest) -> Option<Version> {
    let content_type = request.header(header::CONTENT_TYPE)?;
    let charset = parameter(content_type, "charset").unwrap_or("utf-8");
    let is_utf8 = ["utf-8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known));
    Version::of_media_type(content_type).filter(|_| is_utf8)
}

/// A parameter of a media type, without its quotes.
fn parameter<'a>(content_type: &'a str, wanted: &str) -> Option<&'a str> {
    content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case(wanted).then(|| value.trim().trim_matches('"'))
    })
}

/// SOAP 1.1 section 6.1.1: SOAPAction must be there, and if it says something it must be this operation. SOAP 1.2 part
/// 2 section 6.5.3: the parameter `action` may be there.
fn check_action(request: &HttpRequest, version: Version, read: &Request) -> Result<(), Fault> {
    let wrong = |reason: String| Err(Fault::new(FaultKind::WrongAction, reason));
    if version != read.version {
        let (expected, found) = (read.version.content_type(), version.content_type());
        return wrong(format!("the content type is {found}, and its envelope is one of {expected}"));
    }
    let said = match version {
        Version::V1_1 => match request.headers.get(SOAP_ACTION) {
            None => return wrong("the header SOAPAction is missing; SOAPAction: \"\" is enough".into()),
            Some(value) => value.to_str().unwrap_or("?").trim().trim_matches('"'),
        },
        Version::V1_2 => {
            let content_type = request.header(header::CONTENT_TYPE).unwrap_or_default();
            parameter(content_type, "action").unwrap_or_default()
        }
    };
    let action = read.action();
    if said.is_empty() || said == action {
        return Ok(());
    }
    let said: String = said.chars().take(200).collect();
    wrong(format!("the action is {said:?}, and the operation's is {action:?}"))
}

/// What who asks may do.
fn who(
    front: &Front,
    settings: &Settings,
    request: &HttpRequest,
    asker: &Asker,
    read: &Request,
) -> Result<(Arc<Access>, Identity), Refused> {
    let community = read.community.as_deref().map(str::as_bytes);
    if matches!(asker, Asker::Principal(_)) && community.is_some() {
        let reason = "a community beside a principal of HTTP: leave one of them out";
        return Err(Fault::new(FaultKind::TwoIdentities, reason).about("community").into());
    }
    let view = if matches!(read.operation, Operation::Set(_)) { ViewType::Write } else { ViewType::Read };
    let access = front.access(settings, request, asker, community, view).map_err(Refused::NoAccess)?;
    let identity = match (asker, community) {
        (Asker::Principal(principal), _) => Identity {
            model: SecurityModel::TSM,
            name: principal.state().security_name(false).to_vec(),
            level: principal.level(),
        },
        (Asker::Nobody, community) => {
            let entry = community.and_then(|name| settings.community(name, request.session.peer));
            if entry
                .as_ref()
                .is_some_and(|entry| settings.is_community_forwarded(front.door().engine(), entry))
            {
                let reason = "another agent answers for what this community reads: ask by SNMP";
                return Err(Fault::new(FaultKind::Forbidden, reason).about("community").into());
            }
            let name = entry.map(|entry| entry.security_name.to_vec()).unwrap_or_default();
            Identity { model: SecurityModel::V2C, name, level: SecurityLevel::NoAuthNoPriv }
        }
    };
    Ok((access, identity))
}

fn fault(version: Version, fault: &Fault) -> HttpResponse {
    tracing::debug!(%fault, "a request by SOAP is refused");
    let mut body = Vec::new();
    fault.write(version, &mut body);
    let status = StatusCode::from_u16(fault.status(version)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::new(status, version.content_type(), body)
}

impl From<Unanswered> for Fault {
    fn from(unanswered: Unanswered) -> Self {
        let reason = match unanswered {
            Unanswered::Load => "the source of the data cannot be read; the agent's log says why",
            Unanswered::Region => "who answers for this part of the tree does not answer",
        };
        Fault::new(FaultKind::SourceFailed, reason)
    }
}

/// The fault of an answer that does not fit.
pub(super) fn too_big(limit: usize, instead: &str) -> Fault {
    Fault::new(FaultKind::TooBig, format!("the answer has more than {limit} octets: {instead}"))
}

const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

/// Most answers are longer than one object and shorter than this.
const FIRST_CAPACITY: usize = 4096;

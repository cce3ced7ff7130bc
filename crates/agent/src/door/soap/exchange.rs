//! One request and its answer: who asks, what is asked, and in which words it is answered.

use std::sync::Arc;
use std::time::Instant;

use trunkline_client::enveloped;
use trunkline_soap::encoding::{self, Encoding, Frame};
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::{self, Operation, Request, RequestLimits};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode};
use trunkline_tree::Access;
use trunkline_tree::policy::{SecurityLevel, SecurityModel, ViewType};

use super::refused::{Refused, one_identity};
use super::service::Service;
use super::{binding, describe, objects, rows, write};
use crate::door::http::{Asker, Front};
use crate::door::snmp::{Served, Settings, Unanswered};

/// What an operation works with.
pub(super) struct Work<'a> {
    pub served: &'a Arc<Served>,
    pub service: &'a Service,
    pub access: &'a Access,
    pub encoding: Encoding,
    pub arrived: Instant,
    /// The most octets that an answer may have, before it is compressed.
    pub limit: usize,
    /// As what rows may be compressed.
    pub frame: Option<Frame>,
}

/// What is answered, and the same compressed where it is.
struct Body {
    plain: Vec<u8>,
    packed: Option<(Coding, Vec<u8>)>,
}

/// Who asks, as those who write are told.
pub(super) struct Identity {
    pub model: SecurityModel,
    pub name: Vec<u8>,
    pub level: SecurityLevel,
}

pub(super) async fn exchange(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    let arrived = Instant::now();
    if describe::encoding_of(&request.path).is_none() {
        let line = "requests go to /soap, /soap/paper or /soap/lean";
        return HttpResponse::text(StatusCode::NOT_FOUND, line);
    }
    let Some(version) = binding::version_of(request) else { return binding::unsupported() };
    let settings = front.door().settings();
    let service = settings.served().soap_service();
    let read = match operation::read(&service.catalog, &request.body, &RequestLimits::DEFAULT) {
        Ok(read) => read,
        Err(rejected) => return fault(rejected.version.unwrap_or(version), &rejected.fault),
    };
    match carry_out(front, &settings, service, request, asker, version, &read, arrived).await {
        Ok(body) => {
            let response = HttpResponse::new(StatusCode::OK, read.version.content_type(), body.plain);
            match body.packed {
                Some((coding, octets)) => response.packed(coding, octets),
                None => response,
            }
        }
        Err(refused) => refused.answer(|refused| fault(read.version, refused)),
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
) -> Result<Body, Refused> {
    binding::check_action(request, version, read.version, &read.action())?;
    let (access, identity) = who(front, settings, request, asker, read)?;
    let work = Work {
        served: settings.served(),
        service,
        access: &access,
        encoding: read.encoding,
        arrived,
        limit: front.plan().max_answer.0,
        frame: request.packing.map(|packing| match packing.coding {
            Coding::Gzip => Frame::Gzip,
            Coding::Deflate => Frame::Zlib,
        }),
    };
    let mut packer = None;
    let mut out = Vec::with_capacity(FIRST_CAPACITY);
    encoding::begin(&mut out, read.version, read.encoding, &read.namespace, &read.name);
    match &read.operation {
        Operation::Get { names, mark_missing } => objects::get(&work, names, *mark_missing, &mut out).await?,
        Operation::GetNext { names, count } => objects::get_next(&work, names, *count, &mut out).await?,
        Operation::Group(group) => objects::group(&work, *group, &mut out).await?,
        Operation::Table(table) => packer = rows::table(&work, table, &mut out).await?,
        Operation::Set(assignments) => write::set(&work, identity, assignments).await?,
    }
    encoding::end(&mut out, read.encoding, &read.name);
    let packed = match (request.packing, packer) {
        (Some(packing), Some(packer)) if out.len() > packing.above => {
            packer.finish(&out).map(|octets| (packing.coding, octets))
        }
        _ => None,
    };
    Ok(Body { plain: out, packed })
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
    one_identity(asker, community).map_err(|fault| fault.about("community"))?;
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
    enveloped::fault(version, fault)
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

/// Most answers are longer than one object and shorter than this.
const FIRST_CAPACITY: usize = 4096;

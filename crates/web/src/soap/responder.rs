//! One request and its answer: its client, its operation, and the encoding of the answer.

use std::time::Instant;

use trunkline_restconf::target;
use trunkline_soap::encoding::{self, Frame};
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::{self, Operation, Request, RequestLimits};
use trunkline_transport::http::coding::Coding;
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode};
use trunkline_tree::policy::ViewType;

use super::service::Service;
use super::work::Work;
use super::{SelectFinished, describe, objects, rows, write};
use crate::http::{
    Admitted, Asker, Front, Refused, check_action, fault, one_identity, unsupported, version_of,
};
use trunkline_core::{Phase, Settings};

/// The answer, and its compressed form if it is compressed.
struct Body {
    plain: Vec<u8>,
    packed: Option<(Coding, Vec<u8>)>,
}

pub(super) async fn respond(
    front: &Front,
    settings: &Settings,
    service: &Service,
    request: &HttpRequest,
    asker: &Asker,
    select: Option<SelectFinished>,
) -> HttpResponse {
    let arrived = Instant::now();
    if describe::encoding_of(&request.path).is_none() {
        let line = "requests go to /soap, /soap/paper or /soap/lean";
        return HttpResponse::text(StatusCode::NOT_FOUND, line);
    }
    let Some(version) = version_of(request) else { return unsupported() };
    let phases = front.core().phases();
    phases.begin(Phase::Decode);
    let read = match operation::read(&service.catalog, &request.body, &RequestLimits::DEFAULT) {
        Ok(read) => read,
        Err(rejected) => return fault(rejected.version.unwrap_or(version), &rejected.fault),
    };
    let carried_out = carry_out(front, settings, service, request, asker, version, &read, arrived).await;
    let carried_out = match select.zip(expression(request)) {
        Some((select, expression)) => {
            phases.begin(Phase::Filter);
            carried_out.and_then(|body| selected(&body.plain, &read, select, expression))
        }
        None => carried_out,
    };
    // What follows is HTTP's.
    phases.begin(Phase::Wait);
    match carried_out {
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
    check_action(request, version, read.version, &read.action())?;
    let phases = front.core().phases();
    phases.begin(Phase::Access);
    let Admitted { principal, access } = admit(front, settings, request, asker, read)?;
    phases.begin(Phase::Retrieve);
    let work = Work {
        served: settings.served(),
        service,
        access: &access,
        encoding: read.encoding,
        arrived,
        phases,
        limit: front.plan().max_answer.0,
        request,
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
        Operation::Set(assignments) => write::set(settings, &access, principal, assignments).await?,
    }
    phases.begin(Phase::Encode);
    encoding::end(&mut out, read.encoding, &read.name);
    phases.begin(Phase::Deflate);
    let packed = match (request.packing, packer) {
        (Some(packing), Some(packer)) if out.len() > packing.above => {
            packer.finish(&out).map(|octets| (packing.coding, octets))
        }
        _ => None,
    };
    Ok(Body { plain: out, packed })
}

/// The expression that is to select from the finished answer, with its escapes.
fn expression(request: &HttpRequest) -> Option<&str> {
    request.query.as_deref()?.strip_prefix("xpath=")
}

/// What an expression selects from a finished answer, in an answer of its own.
fn selected(
    finished: &[u8],
    read: &Request,
    select: SelectFinished,
    expression: &str,
) -> Result<Body, Refused> {
    let malformed = |words: String| Refused::from(Fault::new(FaultKind::Malformed, words));
    let expression = target::decoded(expression).map_err(|_| malformed(ESCAPES.to_owned()))?;
    let nodes = select(finished, &expression, &read.namespace).map_err(malformed)?;
    let mut plain = Vec::with_capacity(nodes.len() + FIRST_CAPACITY);
    encoding::begin(&mut plain, read.version, read.encoding, &read.namespace, &read.name);
    plain.extend_from_slice(&nodes);
    encoding::end(&mut plain, read.encoding, &read.name);
    Ok(Body { plain, packed: None })
}

/// The principal of an operation, and its access.
fn admit(
    front: &Front,
    settings: &Settings,
    request: &HttpRequest,
    asker: &Asker,
    read: &Request,
) -> Result<Admitted, Refused> {
    let community = read.community.as_deref().map(str::as_bytes);
    one_identity(asker, community).map_err(|fault| fault.about("community"))?;
    let view = if matches!(read.operation, Operation::Set(_)) { ViewType::Write } else { ViewType::Read };
    front.admit(settings, request, asker, community, view).map_err(Refused::NoAccess)
}

const ESCAPES: &str =
    "in the expression, a % must precede two hexadecimal digits, and all octets together be UTF-8";

/// Most answers are longer than one object and shorter than this.
const FIRST_CAPACITY: usize = 4096;

//! One request and its answer: its client, its question, and the plan that is carried out.

use std::sync::Arc;
use std::time::Instant;

use trunkline_query::services::{Graph, PathSelection, ServiceId};
use trunkline_retrieval::{Manner, Output, Services, Work, explained, retrieve};
use trunkline_soap::Limits;
use trunkline_soap::expression::message::{Explained, SelectRequest, read_request};
use trunkline_soap::expression::{Plan, Question};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode};
use trunkline_tree::policy::ViewType;

use crate::http::{
    Admitted, Asker, Front, Refused, check_action, fault, one_identity, unsupported, version_of,
};

pub(super) async fn respond(
    front: &Front,
    services: &Services,
    request: &HttpRequest,
    asker: &Asker,
) -> HttpResponse {
    let Some(version) = version_of(request) else { return unsupported() };
    let read = match read_request(&request.body, Limits::MESSAGE) {
        Ok(read) => read,
        Err(rejected) => return fault(rejected.version.unwrap_or(version), &rejected.fault),
    };
    if let Err(refused) = check_action(request, version, read.version, &SelectRequest::action(read.view)) {
        return fault(read.version, &refused);
    }
    match carry_out(front, services, request, asker, &read).await {
        Ok(body) => HttpResponse::new(StatusCode::OK, read.version.content_type(), body),
        Err(refused) => refused.answer(|refused| fault(read.version, refused)),
    }
}

async fn carry_out(
    front: &Front,
    services: &Services,
    request: &HttpRequest,
    asker: &Asker,
    read: &SelectRequest,
) -> Result<Vec<u8>, Refused> {
    let community = read.community.as_deref().map(str::as_bytes);
    one_identity(asker, community).map_err(|fault| fault.about("community"))?;
    let settings = front.core().settings();
    let admitted = front.admit(&settings, request, asker, community, ViewType::Read);
    let Admitted { access, .. } = admitted.map_err(Refused::NoAccess)?;
    let limit = front.plan().max_answer.0;
    let work = Work { served: settings.served(), access: &access, arrived: Instant::now(), limit, request };
    let graph: Arc<Graph> =
        services.graph(work.served, &access, work.arrived).await.map_err(Fault::source_failed)?;
    let within = within(&graph, &request.path)?;
    let question = question(&graph, within, read)?;
    let plan = compiled(&question, &graph, within)?;
    let manner = Manner { graph: &graph, version: read.version, view: read.view, encoding: read.encoding };
    let mut output = Output::new(true);
    if !read.explain {
        retrieve(work, manner, &plan, None, &mut output).await?;
        return Ok(output.octets);
    }
    let mut told = explained(&graph, &plan);
    let mut question = question;
    question.filter = None;
    told.unfiltered = counted(work, manner, &compiled(&question, &graph, within)?).await?;
    question.data = None;
    told.whole = counted(work, manner, &compiled(&question, &graph, within)?).await?;
    retrieve(work, manner, &plan, Some(&mut told), &mut output).await?;
    Ok(output.octets)
}

/// How many octets the answer to a plan has.
async fn counted(work: Work<'_>, manner: Manner<'_>, plan: &Plan) -> Result<u64, Fault> {
    let mut output = Output::new(false);
    let work = Work { limit: usize::MAX, ..work };
    let none: Option<&mut Explained> = None;
    retrieve(work, manner, plan, none, &mut output).await?;
    Ok(output.counted + output.octets.len() as u64)
}

/// The service that the URI names; none at the root.
fn within(graph: &Graph, path: &str) -> Result<Option<ServiceId>, Fault> {
    if path.trim_matches('/').is_empty() {
        return Ok(None);
    }
    let missing = || {
        let reason = "no service has this URI; GET / lists the services, and POST to / queries all of them";
        Fault::new(FaultKind::UnknownName, reason).about(path.chars().take(200).collect::<String>())
    };
    graph.at_path(path).map(Some).ok_or_else(missing)
}

fn question(graph: &Graph, within: Option<ServiceId>, read: &SelectRequest) -> Result<Question, Fault> {
    let (data, filter) = (read.data.as_deref(), read.filter.as_deref());
    let path = match read.path.as_deref().filter(|path| !path.trim().is_empty()) {
        Some(path) => path.to_owned(),
        None => {
            let service =
                within.map(|id| graph.service(id)).or_else(|| graph.services().map(|(_, root)| root).next());
            let tag = service.map_or("Root", |service| service.tag.as_str());
            PathSelection::whole(tag).to_string()
        }
    };
    Question::parse(read.view, &path, data, filter, read.values.clone()).map_err(|error| error.fault())
}

/// The plan; if the URI names a service, only for that one and those below it.
fn compiled(question: &Question, graph: &Graph, within: Option<ServiceId>) -> Result<Plan, Fault> {
    question.compile(graph, within).map_err(|error| error.fault())
}

//! Descriptions of a service and of the operations.

use std::time::Instant;

use trunkline_query::services::{Graph, ServiceId, primary_uri, secondary_uri};
use trunkline_retrieval::Services;
use trunkline_soap::expression::message::{description, schema};
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode};
use trunkline_tree::policy::ViewType;

use crate::http::{Asker, Front};

/// `?wsdl`, `?xsd`, or the URIs as text. Services of single rows are only shown to clients that may read these.
pub(super) async fn describe(
    front: &Front,
    services: &Services,
    request: &HttpRequest,
    asker: &Asker,
) -> HttpResponse {
    let settings = front.core().settings();
    let access = front.access(&settings, request, asker, None, ViewType::Read).ok();
    let graph = match access {
        Some(access) => services.graph(settings.served(), &access, Instant::now()).await.ok(),
        None => None,
    };
    let without = || services.graph_without_rows();
    let made;
    let graph: &Graph = match &graph {
        Some(graph) => graph,
        None => {
            made = without();
            &made
        }
    };
    let authority = request.authority.as_deref().unwrap_or("localhost");
    let base = format!("{}://{authority}", request.scheme());
    let asks = |word: &str| request.query.as_deref().is_some_and(|query| query.eq_ignore_ascii_case(word));
    if asks("xsd") {
        return HttpResponse::new(StatusCode::OK, "text/xml; charset=utf-8", schema());
    }
    let wsdl = |words: &str, uris: &[String]| {
        HttpResponse::new(StatusCode::OK, "text/xml; charset=utf-8", description(words, uris))
    };
    if request.path == "/" && asks("wsdl") {
        return wsdl("All services.", &[format!("{base}/")]);
    }
    let Some(id) = graph.at_path(&request.path) else {
        return HttpResponse::text(StatusCode::NOT_FOUND, &listing(graph, &base));
    };
    let uris = uris(graph, id, &base);
    if asks("wsdl") {
        return wsdl(&format!("The service {}.", graph.service(id).tag), &uris);
    }
    let service = graph.service(id);
    let names =
        if service.aliases.is_empty() { String::new() } else { format!(" ({})", service.aliases.join(", ")) };
    let line = format!(
        "{}{names}, level {}; SelectSingle, SelectTables and SelectAll are described at ?wsdl; Subscribe (WS-Eventing, 2004/08) is \
         for what happens within it\n{}",
        service.tag,
        service.level,
        uris.join("\n")
    );
    HttpResponse::text(StatusCode::OK, &line)
}

/// The primary URI and the secondary ones.
fn uris(graph: &Graph, id: ServiceId, base: &str) -> Vec<String> {
    let secondary = graph.published_by(id).map(|relation| secondary_uri(base, graph, relation));
    std::iter::once(primary_uri(base, graph, id)).chain(secondary).collect()
}

fn listing(graph: &Graph, base: &str) -> String {
    const SHOWN: usize = 100;
    let lines: Vec<String> = graph.services().take(SHOWN).flat_map(|(id, _)| uris(graph, id, base)).collect();
    format!("no service has this URI; there are\n{}", lines.join("\n"))
}

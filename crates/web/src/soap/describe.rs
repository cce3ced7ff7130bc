//! WSDL and XML Schema.

use trunkline_soap::encoding::Encoding;
use trunkline_soap::{wsdl, xsd};
use trunkline_transport::http::{Bytes, HttpBody, HttpRequest, HttpResponse, StatusCode};

use super::documents::Document;
use super::service::Service;

/// `?wsdl`, `?wsdl&module=IF-MIB`, `?xsd=IF-MIB`. They describe what the program can do, not this machine:
/// anybody may read them.
pub(super) fn describe(service: &Service, request: &HttpRequest) -> HttpResponse {
    let query = request.query.as_deref().unwrap_or_default();
    let value = |wanted: &str| {
        query.split('&').find_map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            name.eq_ignore_ascii_case(wanted).then_some(value)
        })
    };
    let Some(encoding) = encoding_of(&request.path) else {
        return not_found("there are /soap, /soap/paper and /soap/lean; /soap?wsdl describes them");
    };
    let scope = xsd::Scope { catalog: &service.catalog, module: value("module") };
    if scope.module.is_some() && scope.modules().next().is_none() {
        return not_found("no module of this name has operations here; /soap?wsdl has all that do");
    }
    if value("wsdl").is_some() {
        let authority = request.authority.as_deref().unwrap_or("localhost");
        let address = format!("{}://{authority}{}", request.scheme(), request.path);
        let module = scope.module.and_then(|_| scope.modules().next()).map(|module| module.name);
        let operations = service.documents.get(Document::Operations(encoding, module), || {
            Some(wsdl::operations_described(scope, encoding))
        });
        return xml(operations.into_iter().chain([wsdl::end(encoding, &address).into()]));
    }
    match value("xsd") {
        Some(name) => match schema(service, scope, name) {
            Some(document) => xml([document]),
            None => {
                not_found("no such schema: ?xsd=soap, lean, paper, or a module that is served, as in IF-MIB")
            }
        },
        None => HttpResponse::text(
            StatusCode::OK,
            "SOAP 1.1 and 1.2: POST here; /soap?wsdl describes every operation, /soap?wsdl&module=IF-MIB those of a \
             module, /soap/lean?wsdl and /soap/paper?wsdl the same in other encodings, /soap?xsd=IF-MIB the schema",
        ),
    }
}

/// The encoding whose description is at a path.
pub(super) fn encoding_of(path: &str) -> Option<Encoding> {
    let rest = path.strip_prefix("/soap")?.trim_end_matches('/');
    Encoding::ALL.into_iter().find(|encoding| encoding.path() == rest)
}

fn schema(service: &Service, scope: xsd::Scope<'_>, name: &str) -> Option<Bytes> {
    // The others are the same for every module.
    let by_module = matches!(name, "lean" | "paper");
    let module = scope.module.filter(|_| by_module).and_then(|_| scope.modules().next());
    let module = module.map(|module| module.name);
    service.documents.get(Document::Schema(name.into(), module), || xsd::document(scope, name))
}

fn xml(parts: impl IntoIterator<Item = Bytes>) -> HttpResponse {
    HttpResponse::new(StatusCode::OK, "text/xml; charset=utf-8", HttpBody::shared(parts))
}

fn not_found(line: &str) -> HttpResponse {
    HttpResponse::text(StatusCode::NOT_FOUND, line)
}

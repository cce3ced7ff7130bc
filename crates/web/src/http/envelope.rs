//! The HTTP side of a SOAP request besides its envelope, which is the same for each door: the media type, the
//! action, and a fault's status.

use trunkline_binding::envelope;
use trunkline_soap::envelope::{Version, parameter};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::{HeaderName, HttpRequest, HttpResponse, StatusCode, header};

/// The version whose media type the request has, in an encoding of characters that is understood.
pub(crate) fn version_of(request: &HttpRequest) -> Option<Version> {
    Version::of_media_type(request.header(header::CONTENT_TYPE)?)
}

/// The answer for an unknown version.
pub(crate) fn unsupported() -> HttpResponse {
    let line = "the content type must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2), in UTF-8";
    HttpResponse::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, line)
}

/// SOAP 1.1 section 6.1.1: SOAPAction must be present, and if it is not empty it must be this operation. SOAP 1.2
/// part 2 section 6.5.3: the parameter `action` may be present. `version` is that of the media type, `own` that
/// of the envelope.
///
/// # Errors
/// The fault with what is expected.
pub(crate) fn check_action(
    request: &HttpRequest,
    version: Version,
    own: Version,
    action: &str,
) -> Result<(), Fault> {
    let wrong = |reason: String| Err(Fault::new(FaultKind::WrongAction, reason));
    if version != own {
        let (expected, found) = (own.content_type(), version.content_type());
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
    if said.is_empty() || said == action {
        return Ok(());
    }
    let said: String = said.chars().take(200).collect();
    wrong(format!("the action is {said:?}, and the operation's is {action:?}"))
}

/// The answer with a fault.
pub(crate) fn fault(version: Version, fault: &Fault) -> HttpResponse {
    tracing::debug!(%fault, "a request by SOAP is refused");
    envelope::fault(version, fault)
}

const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

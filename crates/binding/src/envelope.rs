//! SNMP inside SOAP (after Ma 2005): a message as XML in an envelope, in requests and answers of HTTP: for agents,
//! managers, and listeners for notifications.
//!
//! | HTTP | SOAP 1.1 | SOAP 1.2 |
//! | --- | --- | --- |
//! | Content-Type | `text/xml` | `application/soap+xml` |
//! | SOAPAction | `"urn:trunkline:snmp"` or `""` | none |
//! | an answer | 200 with the message | the same |
//! | nothing to be said: a trap, or silence | 202 without a body | the same |
//! | no message in the request | 500 with a fault | 400 with a fault |

use trunkline_snmp::smi::SetStatus;
use trunkline_snmp::wire::xml;
use trunkline_soap::envelope::{self, Version};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode, header};

/// Where the door for SNMP is, unless somebody says otherwise.
pub const PATH: &str = "/snmp";

/// The field of HTTP by which SOAP 1.1 says what a message is for.
pub const ACTION_FIELD: &str = "soapaction";

/// Its value for messages of SNMP.
pub const ACTION: &str = "\"urn:trunkline:snmp\"";

/// A message that came in an envelope.
#[derive(Debug, PartialEq, Eq)]
pub struct Enveloped {
    /// Which SOAP.
    pub version: Version,
    /// The message of SNMP.
    pub octets: Vec<u8>,
}

/// Puts a message into an envelope.
///
/// # Errors
/// The octets are no message.
pub fn wrap(version: Version, octets: &[u8]) -> Result<Vec<u8>, trunkline_snmp::DecodeError> {
    // a binding of ifTable has 20 octets in BER and 110 as XML
    let mut document = Vec::with_capacity(512 + 6 * octets.len());
    envelope::begin(&mut document, version, "");
    xml::write(octets, &mut document)?;
    envelope::end(&mut document);
    Ok(document)
}

/// Takes a message out of its envelope.
///
/// # Errors
/// What to answer: the fault, in the version of the envelope where that could be read.
pub fn unwrap(document: &[u8]) -> Result<Enveloped, (Option<Version>, Fault)> {
    let mut reader = xml::Reader::new(document, xml::LIMITS);
    let (version, first) = envelope::open(&mut reader)?;
    let said = |fault| (Some(version), fault);
    let Some(name) = first else {
        return Err(said(Fault::new(
            FaultKind::Malformed,
            "the Body is empty: a message of SNMP belongs there",
        )));
    };
    if name.is(version.namespace(), "Fault") {
        let fault = trunkline_soap::fault::read(&mut reader, version);
        return Err(said(fault.unwrap_or_else(Fault::from)));
    }
    let octets = xml::read(&mut reader, name).map_err(|error| said(error.into()))?;
    envelope::close(&mut reader).map_err(said)?;
    Ok(Enveloped { version, octets })
}

/// The message in a request that was posted.
///
/// # Errors
/// What to answer to a request that holds none.
pub fn received(request: &HttpRequest) -> Result<Enveloped, Box<HttpResponse>> {
    let content_type = request.header(header::CONTENT_TYPE).unwrap_or_default();
    let Some(meant) = Version::of_media_type(content_type) else {
        let line = "a message of SNMP comes in SOAP: Content-Type text/xml (1.1) or application/soap+xml (1.2), in UTF-8";
        return Err(Box::new(HttpResponse::text(StatusCode::UNSUPPORTED_MEDIA_TYPE, line)));
    };
    let refuse = |kind, reason: &str| Err(Box::new(fault(meant, &Fault::new(kind, reason))));
    if meant == Version::V1_1 {
        let action = request.headers.get(ACTION_FIELD).and_then(|value| value.to_str().ok());
        let action = action.map(|action| action.trim().trim_matches('"'));
        if !matches!(action, Some("" | xml::NAMESPACE)) {
            let reason = "SOAP 1.1 says what it is for: SOAPAction must be \"urn:trunkline:snmp\", or empty";
            return refuse(FaultKind::WrongAction, reason);
        }
    }
    match unwrap(&request.body) {
        Ok(message) if message.version == meant => Ok(message),
        Ok(_) => refuse(FaultKind::WrongAction, "the Content-Type is of another SOAP than the Envelope"),
        Err((version, found)) => Err(Box::new(fault(version.unwrap_or(meant), &found))),
    }
}

/// The answer with this message; without one, that there is nothing to be said.
pub fn answer(version: Version, octets: Option<&[u8]>) -> HttpResponse {
    let Some(octets) = octets else { return HttpResponse::empty(StatusCode::ACCEPTED) };
    match wrap(version, octets) {
        Ok(document) => HttpResponse::new(StatusCode::OK, version.content_type(), document),
        Err(error) => {
            tracing::error!(%error, "an answer of our own is not a message");
            fault(
                version,
                &Fault::new(
                    FaultKind::NotSet(SetStatus::ResourceUnavailable),
                    "the answer cannot be written as XML",
                ),
            )
        }
    }
}

/// The answer with this fault.
pub fn fault(version: Version, fault: &Fault) -> HttpResponse {
    let status = StatusCode::from_u16(fault.status(version)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut document = Vec::new();
    fault.write(version, &mut document);
    HttpResponse::new(status, version.content_type(), document)
}

#[cfg(test)]
mod tests {
    use trunkline_snmp::Oid;
    use trunkline_snmp::wire::{Message, Pdu, PduKind, Version as Snmp};

    use super::*;

    fn message() -> Vec<u8> {
        let pdu = Pdu::read(PduKind::Get, 7, [&Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])]);
        Message { version: Snmp::V2c, community: b"public".to_vec(), pdu }.encode()
    }

    #[test]
    fn a_message_comes_out_as_it_went_in() {
        for version in [Version::V1_1, Version::V1_2] {
            let document = wrap(version, &message()).unwrap();
            assert_eq!(unwrap(&document), Ok(Enveloped { version, octets: message() }));
        }
        assert!(wrap(Version::V1_1, b"\x30\x00").is_err());
    }

    #[test]
    fn what_is_wrong_is_a_fault_in_its_own_version() {
        let document = String::from_utf8(wrap(Version::V1_2, &message()).unwrap()).unwrap();
        let body = document.find("<Message").unwrap()..document.find("</SOAP-ENV:Body>").unwrap();
        let check = |document: &str, version, kind, reason: &str| {
            let (found, fault) = unwrap(document.as_bytes()).unwrap_err();
            assert_eq!((found, &fault.kind), (version, &kind), "{fault:?}");
            assert!(fault.reason.contains(reason), "{fault:?}");
        };
        let other = document.replace("2003/05", "2023/05");
        check(&other, None, FaultKind::VersionMismatch, "2023/05");
        let own = Some(Version::V1_2);
        let empty = document.replace(&document[body.clone()], "");
        check(&empty, own, FaultKind::Malformed, "the Body is empty");
        let twice = document.replace(&document[body.clone()], &document[body].repeat(2));
        check(&twice, own, FaultKind::Malformed, "follows the operation");
        let wrong = document.replace("get-request", "got-request");
        check(&wrong, own, FaultKind::Malformed, "line 2, column 1");
        check("<a", None, FaultKind::Malformed, "the document ends within a tag");
    }

    #[test]
    fn the_fault_of_a_peer_is_read() {
        let mut document = Vec::new();
        Fault::new(FaultKind::Forbidden, "no").write(Version::V1_1, &mut document);
        let (version, fault) = unwrap(&document).unwrap_err();
        assert_eq!(
            (version, fault.kind, fault.reason.as_str()),
            (Some(Version::V1_1), FaultKind::Forbidden, "no")
        );
    }
}

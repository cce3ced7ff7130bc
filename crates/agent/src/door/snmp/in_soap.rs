//! SNMP inside SOAP: a message as XML, over HTTP, for the same engine and the same policy as every other
//! transport of the SNMP door. Authentication by HTTPS or a password counts like that of a TLS session
//! (tmStateReference), so that SNMPv3 with the Transport Security Model works here; communities and users of the
//! message itself work too.
//!
//! HTTP must answer even if SNMP is silent: with 202 without a body, whether a community is wrong, a digest does
//! not match, or the message needs no answer. Unauthenticated clients learn nothing more.

use std::sync::Arc;

use trunkline_binding::envelope::{self, Enveloped};
use trunkline_snmp::engine::TransportState;
use trunkline_snmp::wire::{MAX_MESSAGE_SIZE, MessageRef, TSM, V3MessageRef, xml};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::Protection;
use trunkline_transport::http::{Bytes, HttpBody, HttpRequest, HttpResponse, Method, StatusCode};

use super::{Answer, Door, Sender};
use trunkline_config::HttpDoors;
use trunkline_web::http::{Answering, Asker, Front, HttpDoor, NoAccess, begins_with, two_identities};

/// The door for messages inside SOAP: `POST /snmp`, and `GET /snmp?xsd` for the schema.
pub struct InSoap(pub Arc<Door>);

impl HttpDoor for InSoap {
    fn has(&self, path: &str) -> bool {
        begins_with(path, "snmp")
    }

    fn is_open(&self, doors: HttpDoors) -> bool {
        doors.snmp
    }

    fn lines(&self) -> &'static [&'static str] {
        &["/snmp    SNMP inside SOAP; its schema is at /snmp?xsd"]
    }

    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a> {
        Box::pin(answer(&self.0, front, request, asker))
    }
}

async fn answer(door: &Door, front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    if request.method == Method::GET {
        return describe(request.query.as_deref());
    }
    let message = match envelope::received(request) {
        Ok(message) => message,
        Err(refused) => return *refused,
    };
    if MessageRef::decode(&message.octets).is_ok() {
        if asker.state().is_some_and(|proved| !counts_as(front, proved)) {
            return envelope::fault(message.version, &two_identities());
        }
        if is_plain(request) && front.plan().refuse_plain_communities {
            return refuse(&message, NoAccess::PlainCommunity);
        }
    }
    let unproved = Sender::unproved(request.session.peer);
    let sender = Sender { over: asker.state(), max_message: MAX_MESSAGE_SIZE, ..unproved };
    match door.answer(&message.octets, sender).await {
        Answer::Message(octets) => {
            request.accept();
            envelope::answer(message.version, Some(&octets))
        }
        Answer::Report(octets) => envelope::answer(message.version, Some(&octets)),
        Answer::Silence if is_nobodys(&message.octets, asker) => {
            let reason = "over HTTPS authenticate with a client certificate, a password or a token; otherwise with a user's \
                          keys (USM) or a community";
            let fault = Fault::new(FaultKind::Unauthorized, reason);
            NoAccess::Nobody.answer(envelope::fault(message.version, &fault))
        }
        Answer::Silence => envelope::answer(message.version, None),
        Answer::Unreadable => {
            let reason = "this is not a message: its version has no such PDU, value or header";
            envelope::fault(message.version, &Fault::new(FaultKind::Malformed, reason))
        }
    }
}

fn describe(query: Option<&str>) -> HttpResponse {
    match query {
        Some("xsd") => {
            let schema = HttpBody::shared([Bytes::from_static(xml::SCHEMA.as_bytes())]);
            HttpResponse::new(StatusCode::OK, "text/xml; charset=utf-8", schema)
        }
        _ => HttpResponse::text(
            StatusCode::OK,
            "SNMP inside SOAP: POST a message of the schema at /snmp?xsd in an envelope of SOAP 1.1 or 1.2",
        ),
    }
}

/// Whether a message with a community belongs to the authenticated principal (`communities-in-sessions`).
fn counts_as(front: &Front, proved: &TransportState) -> bool {
    proved.domain().is_secure() && front.core().engine().takes_community_over_transport()
}

fn is_plain(request: &HttpRequest) -> bool {
    request.session.protection == Protection::None
}

/// Whether a message relies on the transport for its identity (TSM), and the transport has none: over plain HTTP
/// a password does not count. The answer discloses nothing of the configuration.
fn is_nobodys(octets: &[u8], asker: &Asker) -> bool {
    let is_proved = asker.state().is_some_and(|state| state.domain().is_secure());
    !is_proved && V3MessageRef::decode(octets).is_ok_and(|message| message.security_model == TSM)
}

fn refuse(message: &Enveloped, why: NoAccess) -> HttpResponse {
    why.answer(envelope::fault(message.version, &Fault::new(FaultKind::Forbidden, why.to_string())))
}

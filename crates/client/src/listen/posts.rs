//! Posted notifications: SNMP inside SOAP, over HTTP and HTTPS.

use std::net::SocketAddr;
use std::sync::Arc;

use trunkline_binding::envelope;
use trunkline_transport::Transport;
use trunkline_transport::http::{
    HeaderValue, HttpHandler, HttpRequest, HttpResponse, Method, StatusCode, header,
};
use trunkline_transport::tcp::HandshakeError;

use super::gate::{Gate, Outcome, Scratch, Sender};
use super::secure;

/// Handles the requests of one socket.
pub(super) struct Posts {
    gate: Arc<Gate>,
}

impl Posts {
    pub(super) fn new(gate: Arc<Gate>) -> Self {
        Posts { gate }
    }
}

impl HttpHandler for Posts {
    async fn handle(&self, request: HttpRequest) -> HttpResponse {
        if request.method != Method::POST {
            let line = "notifications are posted here: SNMP inside SOAP";
            let response = HttpResponse::text(StatusCode::METHOD_NOT_ALLOWED, line);
            return response.with(header::ALLOW, HeaderValue::from_static("POST"));
        }
        let message = match envelope::received(&request) {
            Ok(message) => message,
            Err(refused) => return *refused,
        };
        let session = &request.session;
        let Ok(state) = secure::state(session, &self.gate.options.secure.names) else {
            self.gate.stranger(session);
            return HttpResponse::text(StatusCode::FORBIDDEN, "no principal has this certificate");
        };
        let (transport, peer, local) = (session.transport, session.peer, Some(session.local));
        let sender = Sender { transport, peer, local, over: state.as_ref() };
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let outcome = self.gate.message(&message.octets, sender, &mut scratch, &mut out);
        if let Outcome::Taken(_) = outcome {
            request.accept();
        }
        envelope::answer(message.version, outcome.answer().and_then(|range| out.get(range)))
    }

    fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        self.gate.failed(peer, transport, error);
    }
}

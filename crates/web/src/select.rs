//! Selective retrieval (EMANICS D7.1, section 5): services of the configuration at their URIs, and three operations, each
//! with path selection, data selection and filter, evaluated on the tree before anything is written.
//!
//! `POST` to `/` queries all services, to `/TAG` or a secondary URI the service with that tag and those below it.
//! `GET` there describes it; with `?wsdl` it returns the description of the operations. A service is a source of events too
//! (`ServiceEvents`).

mod describe;
mod responder;

use std::sync::Arc;

use arc_swap::ArcSwap;
use trunkline_retrieval::Services;
use trunkline_soap::Limits;
use trunkline_soap::eventing::is_request;
use trunkline_transport::http::{HttpRequest, Method};

use super::http::{Answering, Asker, Front, HttpDoor, ServiceEvents};
use trunkline_config::{HttpDoors, Plan};

/// The door of all services: every path that no other door has.
pub struct Select {
    services: ArcSwap<Services>,
    events: Box<dyn ServiceEvents>,
}

impl Select {
    /// The door, whose services are sources of events.
    pub fn new(events: Box<dyn ServiceEvents>) -> Self {
        Select { services: ArcSwap::default(), events }
    }
}

impl HttpDoor for Select {
    fn has(&self, _path: &str) -> bool {
        true
    }

    fn is_open(&self, doors: HttpDoors) -> bool {
        doors.select
    }

    fn lines(&self) -> &'static [&'static str] {
        &["/NAME    the service NAME: all its data, or a selection; the description is at /?wsdl"]
    }

    fn configure(&self, plan: &Plan) {
        self.services.store(Arc::new(Services::new(plan.services.clone())));
    }

    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a> {
        Box::pin(async move {
            let services = self.services.load_full();
            if request.method == Method::POST && is_request(&request.body, Limits::MESSAGE) {
                self.events.answer_at(&services, front, request, asker).await
            } else if request.method == Method::POST {
                responder::respond(front, &services, request, asker).await
            } else {
                describe::describe(front, &services, request, asker).await
            }
        })
    }
}

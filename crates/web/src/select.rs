//! Selective retrieval (EMANICS D7.1, section 5): services of the configuration at their URIs, and three operations, each
//! with path selection, data selection and filter, evaluated on the tree before anything is written.
//!
//! `POST` to `/` queries all services, to `/TAG` or a secondary URI the service with that tag and those below it.
//! `GET` there describes it; with `?wsdl` it returns the description of the operations.

mod describe;
mod responder;

use std::sync::Arc;

use arc_swap::ArcSwap;
use trunkline_retrieval::Services;
use trunkline_transport::http::{HttpRequest, Method};

use super::http::{Answering, Asker, Front, HttpDoor};
use trunkline_config::{HttpDoors, Plan};

/// The door of all services: every path that no other door has.
#[derive(Default)]
pub struct Select {
    services: ArcSwap<Services>,
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
            if request.method == Method::POST {
                responder::respond(front, &services, request, asker).await
            } else {
                describe::describe(front, &services, request, asker).await
            }
        })
    }
}

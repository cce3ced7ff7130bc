//! The SOAP door: operations for every table and group that is served (`trunkline-soap`), in three encodings.
//!
//! `POST` to `/soap`, `/soap/paper` or `/soap/lean` executes an operation; the namespace of the operation selects
//! the encoding, not the path. `GET` with `?wsdl` or `?xsd=NAME` there returns the description.

mod describe;
mod documents;
mod objects;
mod responder;
mod rows;
mod service;
mod work;
mod write;

use trunkline_transport::http::{HttpRequest, Method};

use self::service::Service;
use super::http::{Answering, Asker, Front, HttpDoor, begins_with};
use trunkline_config::HttpDoors;
use trunkline_core::Derived;

/// Selects from the finished text of an answer: the text, an expression, and the namespace of its prefix `m`, to what is selected.
pub type SelectFinished = fn(&[u8], &str, &str) -> Result<Vec<u8>, String>;

/// The door of all operations.
pub struct Soap {
    /// What it derives from the tree.
    service: Derived<Service>,
    /// What selects from finished answers, in the laboratory.
    select: Option<SelectFinished>,
}

impl Soap {
    /// The door; in the laboratory, with what selects from finished answers.
    pub fn new(select: Option<SelectFinished>) -> Self {
        Soap { service: Derived::default(), select }
    }
}

impl HttpDoor for Soap {
    fn has(&self, path: &str) -> bool {
        begins_with(path, "soap")
    }

    fn is_open(&self, doors: HttpDoors) -> bool {
        doors.soap
    }

    fn lines(&self) -> &'static [&'static str] {
        &["/soap    SOAP for everything that is served; its description is at /soap?wsdl"]
    }

    fn answer<'a>(&'a self, front: &'a Front, request: &'a HttpRequest, asker: &'a Asker) -> Answering<'a> {
        Box::pin(async move {
            let settings = front.core().settings();
            let service = self.service.of(settings.served(), |served| Service::new(&served.tree));
            if request.method == Method::POST {
                responder::respond(front, &settings, &service, request, asker, self.select).await
            } else {
                describe::describe(&service, request)
            }
        })
    }
}

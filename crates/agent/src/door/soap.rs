//! The SOAP door: operations for every table and group that is served (`trunkline-soap`), in three encodings.
//!
//! `POST` to `/soap`, `/soap/paper` or `/soap/lean` carries out an operation; which encoding is told by the namespace
//! of the operation, not by the path. `GET` with `?wsdl` or `?xsd=NAME` there is the description.

mod binding;
mod describe;
mod exchange;
mod objects;
mod refused;
mod rows;
mod service;
mod write;

use trunkline_transport::http::{HttpRequest, HttpResponse, Method};

pub(in crate::door) use binding::{check_action, unsupported, version_of};
pub(in crate::door) use refused::{Refused, one_identity, two_identities};
pub(in crate::door) use service::Service;

use super::http::{Asker, Front};

/// Answers a request.
pub async fn answer(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    if request.method == Method::POST {
        exchange::exchange(front, request, asker).await
    } else {
        describe::describe(front, request)
    }
}

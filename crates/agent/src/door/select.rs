//! Selective retrieval (EMANICS D7.1, section 5): services of the configuration at their URIs, and three operations, each
//! with path selection, data selection and filter, evaluated on the tree before anything is written.
//!
//! `POST` to `/` asks all services, to `/TAG` or a secondary URI the service of that tag and those below it. `GET` there
//! says what it is; with `?wsdl` it is the description of the operations.

mod describe;
mod exchange;
mod graph;
mod retrieve;
mod rows;

use trunkline_transport::http::{HttpRequest, HttpResponse, Method};

use super::http::{Asker, Front};

pub(in crate::door) use graph::Services;

/// Answers a request.
pub async fn answer(front: &Front, request: &HttpRequest, asker: &Asker) -> HttpResponse {
    if request.method == Method::POST {
        exchange::exchange(front, request, asker).await
    } else {
        describe::describe(front, request, asker).await
    }
}

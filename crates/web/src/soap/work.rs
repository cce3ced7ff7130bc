//! What every operation works with, and its errors.

use std::sync::Arc;
use std::time::Instant;

use trunkline_soap::encoding::{Encoding, Frame};
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_transport::http::HttpRequest;
use trunkline_tree::Access;

use super::service::Service;
use trunkline_core::{Phases, Served};

/// The inputs of an operation.
pub(super) struct Work<'a> {
    pub served: &'a Arc<Served>,
    pub service: &'a Service,
    pub access: &'a Access,
    pub encoding: Encoding,
    pub arrived: Instant,
    pub phases: &'a Phases,
    /// The most octets that an answer may have, before it is compressed.
    pub limit: usize,
    pub request: &'a HttpRequest,
    /// As what rows may be compressed.
    pub frame: Option<Frame>,
}

impl Work<'_> {
    /// Whether the answer may have this many octets.
    pub fn has_room(&self, octets: usize) -> bool {
        octets <= self.limit && self.request.has_room(octets, self.limit)
    }
}

/// The fault of an answer that does not fit.
pub(super) fn too_big(limit: usize, instead: &str) -> Fault {
    Fault::new(FaultKind::TooBig, format!("the answer has more than {limit} octets: {instead}"))
}

//! Shared by the measurements of SNMP and of web services.

use std::time::Instant;

use crate::kit::conversation::Peer;
use trunkline_smi::Value;
use trunkline_snmp::wire::Bound;

use super::fetch::Service;
use crate::kit::conversation::nanos;

/// Web services in this process, among the series; followed by the form.
pub(super) const XML: &str = "XML";

/// A row and column of the table: an agent, and a number of objects.
pub(super) struct Turn {
    pub series: String,
    pub objects: u32,
    pub asked: Asked,
    /// It was refused: it is not requested again.
    pub is_over: bool,
}

/// The kind of request.
pub(super) enum Asked {
    /// GetBulk of the first objects of ifTable.
    Bulk(Peer),
    /// A message to a web service.
    Post { service: Service, body: Vec<u8>, zlib: bool },
}

/// The nanoseconds of one of many repetitions, enough to make the clock's resolution irrelevant.
pub(super) fn timed(objects: u32, mut work: impl FnMut()) -> f64 {
    let times = (BLOCK / objects.max(1)).clamp(4, 400);
    let start = Instant::now();
    for _ in 0..times {
        work();
    }
    nanos(start.elapsed()) as f64 / f64::from(times)
}

/// A binding's value, if there is one.
pub(super) fn value_of(bound: &Bound) -> Option<&Value> {
    match bound {
        Bound::Value(value) => Some(value),
        _ => None,
    }
}

/// Approximate number of objects coded in a block.
const BLOCK: u32 = 4000;

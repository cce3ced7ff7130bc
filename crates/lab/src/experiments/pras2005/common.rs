//! What the measurements of SNMP and of web services have in common.

use std::time::Instant;

use trunkline_client::Target;
use trunkline_smi::Value;
use trunkline_snmp::wire::Bound;

use super::fetch::Service;
use crate::kit::conversation::nanos;

/// Web services in this process, among the series; behind it the form.
pub(super) const XML: &str = "XML";

/// One row and column of the table: who is asked, and for how many objects.
pub(super) struct Turn {
    pub series: String,
    pub objects: u32,
    pub asked: Asked,
    /// It was refused: it is not asked again.
    pub is_over: bool,
}

/// How it is asked.
pub(super) enum Asked {
    /// GetBulk of the first objects of ifTable.
    Bulk(Target),
    /// A message to a web service.
    Post { service: Service, body: Vec<u8>, zlib: bool },
}

/// Nanoseconds of one of many times, so many that the clock does not matter.
pub(super) fn timed(objects: u32, mut work: impl FnMut()) -> f64 {
    let times = (BLOCK / objects.max(1)).clamp(4, 400);
    let start = Instant::now();
    for _ in 0..times {
        work();
    }
    nanos(start.elapsed()) as f64 / f64::from(times)
}

/// A value of a binding, where there is one.
pub(super) fn value_of(bound: &Bound) -> Option<&Value> {
    match bound {
        Bound::Value(value) => Some(value),
        _ => None,
    }
}

/// Objects that are coded in a block, about.
const BLOCK: u32 = 4000;

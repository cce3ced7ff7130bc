//! Shared by the measurements of SNMP and of web services.

use fastrand::Rng;

use trunkline_labkit::conversation::Peer;
use trunkline_smi::Value;
use trunkline_snmp::wire::Bound;

use super::fetch::Service;
use super::{CODING, Lab};
use trunkline_labkit::conversation::thread_cpu;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::reading::Quantity;

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

/// Work in this process that is timed: its row and column, and the work itself.
pub(super) struct Work<'a> {
    pub series: String,
    pub objects: u32,
    pub quantity: Quantity,
    pub run: Box<dyn FnMut() + 'a>,
}

/// Times all of them once in every round, in a newly drawn order, so that other load of the machine and the
/// processor's clock affect all alike; round 0 is the warm-up.
pub(super) fn in_turn(lab: &mut Lab<'_>, mut all: Vec<Work<'_>>, rounds: u32) -> Result<(), Error> {
    let mut random = Rng::with_seed(lab.ledger.seed);
    let left = Left::of(u64::from(rounds) + 1);
    for round in 0..=rounds {
        left.announce(lab.ledger, round.into());
        random.shuffle(&mut all);
        for work in &mut all {
            if lab.ledger.is_interrupted() {
                return Ok(());
            }
            let each = timed(work.objects, &mut work.run);
            lab.note(CODING, &work.series, work.objects, work.quantity, round, each)?;
        }
    }
    Ok(())
}

/// The nanoseconds of CPU time of one of many repetitions, enough to make the clock's resolution irrelevant. Time in
/// which other work has the processor does not count.
fn timed(objects: u32, mut work: impl FnMut()) -> f64 {
    let times = (BLOCK / objects.max(1)).clamp(4, 400);
    let start = thread_cpu();
    for _ in 0..times {
        work();
    }
    thread_cpu().saturating_sub(start) as f64 / f64::from(times)
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

//! Devices read in cycles: a mid-level manager's members now, and any number of devices of a collector.
//!
//! ```text
//! Setting -> Collector -> Shard: a thread with one socket for many devices (SNMPv1, v2c, v3) -> Device -> Snapshot -> Sink
//!                      -> a task with a client's session for each other device               -> Device -> Snapshot -> Sink
//! ```
//!
//! A [`Device`] is the whole of what happens between a cycle's beginning and its [`Snapshot`], without I/O and without a
//! clock: which request is next, when one is given up, what an answer means. It waits as long as the device's round-trip
//! times say, has as many requests in flight and asks for as many rows at once as the device has shown that it can take,
//! and leaves a device alone that does not answer. A cycle has one deadline, whatever happens in it.
//!
//! `poll` measures delays: there a request is due whatever is outstanding. Here it is sent when the device can take it.

mod cells;
mod collector;
mod device;
mod pool;
mod sessions;
mod shard;
mod snapshot;
mod speaker;
mod tables;
mod wakes;

pub use cells::Cells;
pub use collector::{Collector, Health, Opener, Opening, Report, Setting, Sink, StartError, Unopened, Way};
pub use device::{Answer, Ask, Begun, Counts, Device, Heard, Limits, Request, Rows, Wanted, Whole};
pub use pool::{Account, Pool};
pub use snapshot::{Column, Held, Missing, Scalar, Snapshot, Table};
pub use tables::Longest;

//! Many agents asked on schedule, open-loop: request k of an agent is due at t0 + k·T + its phase and is sent then,
//! whatever is outstanding. A manager that waited for answers before it asked again would hide how late they are.
//!
//! ```text
//! Schedule -> Rounds (which requests are outstanding) -> Shard: a thread with one socket -> Sink: a sample for each request
//!          -> Sessions: an open session with each agent                                  ->
//! ```
//!
//! [`Rounds`] does no I/O: moments and octets are arguments. A [`Shard`] runs one over a socket of `transport`; a fleet is
//! divided into as many shards as there are threads. [`SnmpRead`] speaks SNMPv1 and SNMPv2c, [`UserRead`] SNMPv3.
//! [`Sessions`] asks agents in sessions of any protocol, which others have opened. Each request gives one [`Sample`] with the moments when it was due,
//! when it was sent and when its answer was received, or that it was lost; statistics are others' business.
//!
//! Memory is bounded from the start: a request takes a place, of which there are as many as may be outstanding.

mod error;
mod places;
mod protocol;
mod requests;
mod rounds;
mod sample;
mod schedule;
mod sessions;
mod shard;
mod user;

pub use error::PollError;
pub use protocol::{Protocol, RequestId, SnmpRead, Verdict};
pub use requests::{Counts, Parallel, RoundsOptions};
pub use rounds::Rounds;
pub use sample::{Outcome, Sample, Sink};
pub use schedule::{Phase, Schedule};
pub use sessions::{Asking, Said, Session, Sessions, SessionsEnded, SessionsOptions};
pub use shard::{Ended, Shard, ShardOptions};
pub use user::{REPORTED, UserRead};

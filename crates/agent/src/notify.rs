//! Notifications: what happens on this machine becomes an [`Event`], and each target that wants it and may know it is
//! told (RFC 3413 section 3.3).

pub mod filter;
pub mod monitor;
mod originator;
mod sessions;
pub mod sources;
mod watcher;
mod worker;

pub use originator::{Inbox, Originator, Outbox, Record, Users};
pub use watcher::Watcher;

use trunkline_smi::{Oid, Value};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What: the value of snmpTrapOID.0.
    pub oid: Oid,
    /// What is told with it, behind sysUpTime.0 and snmpTrapOID.0.
    pub objects: Vec<(Oid, Value)>,
    /// The context that it happened in; empty for the default one.
    pub context: String,
}

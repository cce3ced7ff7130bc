//! What happens on this machine, before it is put into any protocol.

use trunkline_smi::{Oid, Value};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The notification: the value of snmpTrapOID.0.
    pub oid: Oid,
    /// The objects that are sent with it, after sysUpTime.0 and snmpTrapOID.0.
    pub objects: Vec<(Oid, Value)>,
    /// The context in which it happened; empty for the default one.
    pub context: String,
    /// sysUpTime when it happened, where whoever reports it says so; `None`: now.
    pub up_time: Option<u32>,
}

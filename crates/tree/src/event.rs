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
    /// Instances of this machine that it is about besides its objects, and that are not sent: what a trigger samples.
    /// `None`: it happened on another machine, whose instances its objects are.
    pub about: Option<Vec<Oid>>,
}

impl Event {
    /// A notification of this machine in the default context, now, about its objects.
    #[must_use]
    pub fn new(oid: Oid, objects: Vec<(Oid, Value)>) -> Self {
        Event { oid, objects, context: String::new(), up_time: None, about: Some(Vec::new()) }
    }
}

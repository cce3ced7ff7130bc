//! The doors: one for each protocol. A door turns its protocol's messages into
//! queries on the tree and the tree's values into messages.

pub mod eventing;
pub mod http;
pub mod netconf;
pub mod select;
pub mod snmp;
pub mod soap;

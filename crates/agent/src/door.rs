//! The doors of SNMP and NETCONF; those over HTTP are in `web`, that of JMX in `connector`. A door turns its protocol's messages into
//! queries on the tree and the tree's values into messages.

pub mod netconf;
pub mod snmp;

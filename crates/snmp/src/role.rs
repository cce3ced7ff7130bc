//! What an SNMP entity does (RFC 3413): answer commands, ask them.

pub mod responder;

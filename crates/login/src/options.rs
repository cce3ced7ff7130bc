//! The options, in our words and in Net-SNMP's letters.

pub mod session;
pub mod user;

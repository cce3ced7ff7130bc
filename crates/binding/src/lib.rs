//! SNMP on its transports, the same for agents and managers: the identity that a session has proved, in the words of
//! SNMP's engine, and with the feature `http` messages inside SOAP.
//!
//! `snmp` does no I/O and `transport` knows no protocol of management; here they meet.

#[cfg(feature = "http")]
pub mod envelope;
pub mod session;

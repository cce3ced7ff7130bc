//! What is metered around a request: octets and packets at IP level ([`ip`], [`tcp`]), the subject's CPU time ([`cpu`])
//! and memory ([`memory`]). Octets of messages and delays come from the client's session itself.

pub mod cpu;
pub mod ip;
pub mod memory;
pub mod tcp;

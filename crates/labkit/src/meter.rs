//! The meters around a request: octets and packets at IP level ([`ip`], [`tcp`]), the subject's CPU time ([`cpu`])
//! and memory ([`memory`]), this program's own ([`heap`]), the parts of a program's file ([`elf`]), the machine's other work ([`load`]). Octets of messages and delays come from the
//! client's session itself.

pub mod cpu;
pub mod elf;
pub mod heap;
pub mod ip;
pub mod load;
pub mod memory;
pub mod tcp;

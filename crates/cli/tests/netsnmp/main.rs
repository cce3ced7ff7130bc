//! The program under Net-SNMP's names beside Net-SNMP's own tools: the same command line, the
//! same agent, and standard output, exit status and (but for the usage) standard error equal.
//! Without Debian's `snmp` and `snmpd` a line says what is left out; where `CI` is set that fails.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test may fail by panic and say why"
)]

#[path = "../support/mod.rs"]
mod support;

mod configuration;
mod links;
mod messages;
mod options;
mod ours;
mod pair;
mod reads;
mod sets;
mod tables;
mod translate;
mod traps;
mod v3;
mod walks;

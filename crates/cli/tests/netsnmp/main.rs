//! The program under Net-SNMP's names compared with Net-SNMP's own tools: with the same command line and the same
//! agent, standard output, exit status and (except for the usage) standard error must be equal. Without Debian's
//! `snmp` and `snmpd` the tests are left out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

#[path = "../support/network.rs"]
mod network;
#[path = "../support/machine.rs"]
mod scripted_machine;
#[path = "../support/mod.rs"]
mod support;

mod configuration;
mod delta;
mod links;
mod machine;
mod messages;
mod modules;
mod networks;
mod options;
mod ours;
mod pair;
mod prompt;
mod reads;
mod sets;
mod tables;
mod translate;
mod traps;
mod v3;
mod walks;

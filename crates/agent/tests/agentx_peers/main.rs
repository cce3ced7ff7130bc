//! Subagents of AgentX (RFC 2741) from Debian under two masters: Net-SNMP's snmpd and `trunklined`. FRR, lldpd, keepalived
//! and an snmpd serve their modules through either, and what is read through one is what is read through the other. A
//! subagent of Net-SNMP's library misbehaves in every way that it knows, and costs only itself.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]
#![allow(clippy::print_stderr, reason = "counts that a report quotes")]

mod daemon;
mod frr;
mod keepalived;
mod lldp;
mod master;
mod misbehaving;
mod ours;
mod same;
mod snmpd;
mod subagent;
#[path = "../support/mod.rs"]
mod support;
mod world;

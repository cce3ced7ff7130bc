//! The agent over TLS, DTLS and SSH with other implementations: OpenSSL's programs, OpenSSH, Net-SNMP and SNMP4J,
//! both ways; peers that are refused, and peers that would keep others out.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../client/tests/agents/mod.rs"]
mod agents;
mod bounds;
mod faults;
mod manager;
mod net_snmp;
mod notifications;
mod openssl;
mod reload;
mod s_client;
mod snmp4j;
mod ssh;
#[path = "../support/mod.rs"]
mod support;
mod world;

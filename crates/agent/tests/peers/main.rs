//! The agent and others: Net-SNMP's tools over every pair of protocols, SNMP4J and pysnmp, receivers of its
//! notifications, and those who attack it.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../client/tests/agents/mod.rs"]
mod agents;
mod attacks;
mod foreign;
mod forge;
mod notifications;
mod receiver;
#[path = "../support/mod.rs"]
mod support;
mod usm;
mod vacm_bypass;
mod who;

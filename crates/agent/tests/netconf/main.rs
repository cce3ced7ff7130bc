//! NETCONF over SSH: sessions, operations, subtree filters and access, by a plain client and by foreign ones.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod announced;
mod appear;
mod behaviours;
mod client;
mod configure;
mod data;
mod defaults;
mod examples;
mod files;
mod foreign;
mod frr;
mod hidden;
mod hooks;
mod locks;
mod models;
mod monitoring;
mod nacm;
mod nmda;
mod notifications;
mod operator;
mod ours;
mod pages;
mod paper;
mod plain;
mod positions;
mod protected;
mod push;
mod put_back;
mod rbac;
mod rights;
mod roles;
mod script;
mod sessions;
mod snmp;
mod stored;
#[path = "../support/mod.rs"]
mod support;
mod terms;
mod valid;

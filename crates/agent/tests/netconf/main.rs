//! NETCONF over SSH: sessions, operations, subtree filters and access, by a plain client and by foreign ones.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod client;
mod configure;
mod data;
mod files;
mod foreign;
mod locks;
mod models;
mod monitoring;
mod nacm;
mod nmda;
mod notifications;
mod ours;
mod script;
mod sessions;
#[path = "../support/mod.rs"]
mod support;

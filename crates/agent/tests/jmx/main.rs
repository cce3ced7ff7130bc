//! JMX: Java's own client against the agent, with every JDK that is installed, and streams that are meant to harm.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod changes;
mod foreign;
mod hostile;
mod java;
mod login;
mod nulls;
mod reading;
#[path = "../support/mod.rs"]
mod support;
mod tls;
mod writing;

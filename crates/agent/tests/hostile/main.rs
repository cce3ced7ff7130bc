//! Bad input and greedy peers: the running program survives, continues to serve others, and its resources are
//! bounded and counted.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod datagrams;
mod deaf;
mod long_answers;
mod memory;
mod strangers;
mod streams;
#[path = "../support/mod.rs"]
mod support;

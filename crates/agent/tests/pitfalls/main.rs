//! Common mistakes in SNMP implementations, tested with the running program: each test is one of the pitfalls of
//! RFC 1157, 3416, 3417, 3418, 3430 and 3584, each case a line.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod amplification;
mod counters;
mod dropped;
mod reading;
mod sizes;
mod stream;
mod writing;

//! RESTCONF (RFC 8040) with curl: data in both encodings, edits, conditions, errors, and that it is the data of NETCONF.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../netconf/client.rs"]
#[allow(dead_code, reason = "the tests of NETCONF need more of it")]
pub mod client;

pub mod ask;
mod change;
mod datastores;
mod delegation;
mod examples;
mod hidden;
mod page;
mod paging;
mod patch;
mod read;
mod stream;
mod valid;

//! The SOAP door against the SNMP door: one tree, equal values, in every encoding and both versions of SOAP; the
//! published descriptions match the messages; access; many requests on a connection; and how invalid requests are
//! refused.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test")]

mod ask;
mod descriptions;
mod doors;
mod finished;
mod frames;
mod hostile;
mod principals;
mod refusals;
mod schema;
#[path = "../peers_secure/world.rs"]
#[allow(dead_code, reason = "the tests of secure sessions need more of it")]
mod world;

use crate::support;

//! All tests of this room in one program, which is linked once. Those that want a process of their own are programs of their own
//! in the manifest.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod agents;
mod common;
#[cfg(all(feature = "dtls", feature = "ssh"))]
mod secure_agent;

mod notify;
#[cfg(all(feature = "dtls", feature = "ssh"))]
mod secure;
mod session;
mod snmpd;
mod streams;
mod usm;
mod usm_session;

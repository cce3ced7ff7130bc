//! All tests of this room in one program, which is linked once. Those that want a process of their own are programs of their own
//! in the manifest.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod common;
#[path = "common/v3.rs"]
mod v3;

mod annotate;
mod certificates;
mod compression;
mod engine_attacks;
mod engine_tsm;
mod engine_v3;
mod header_sizes;
mod manager_tsm;
mod round_trips;
mod round_trips_v3;
mod trap_v1;
mod usm;
mod usm_net_snmp;
mod usm_properties;
mod usm_vectors;
mod v3_session;
mod v3_vectors;
mod vectors;
#[cfg(feature = "xml")]
mod xml;

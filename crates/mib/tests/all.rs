//! All tests of this room in one program, which is linked once. Those that want a process of their own are programs of their own
//! in the manifest.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod folders;
mod names;
mod net_snmp;

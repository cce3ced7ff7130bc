//! Providers against the kernel's own view: what `ip` of iproute2 and /sys say
//! in a network namespace that the test made for itself.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod bridge;
mod interfaces;
mod ip;
mod namespace;

//! Development only: what the tests of every room build on.
//!
//! - [`fixture`]: a small tree that has one of everything, over [`synthetic`] providers that can be made to
//!   change, to refuse and to fail.
//! - [`asker`]: queries a tree and writes request and answer in one line of text; [`recording`] is its sink.
//! - [`leave_out`] says that a test cannot run on this machine, and [`has`] whether a program that it needs is
//!   installed.
//! - [`jvm`]: the JDKs of this machine, and JVMs with an agent of JMX.
//! - [`model`]: get, next and bulk as RFC 3416 words them, over a map. Slow and plain: the oracle.
//! - [`battery`]: what every provider has to pass, whatever it serves.
//! - [`namespace`]: a private network namespace for a test, and `ip` inside it.
//! - [`peer`]: SNMP4J and pysnmp, controlled line by line.
//! - [`write_program`] and [`copy_program`] make programs that a test runs at once.
//! - [`ClosedPort`] is a port at which nothing answers.
//! - [`vectors`]: known-answer files of `name hex expectation` lines.
//!
//! The simulated wire is `trunkline_transport`'s in-memory transport.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

pub mod asker;
pub mod battery;
mod closed_port;
pub mod fixture;
pub mod jvm;
mod left_out;
pub mod model;
pub mod namespace;
pub mod peer;
mod program;
pub mod recording;
pub mod synthetic;
pub mod vectors;

pub use closed_port::ClosedPort;
pub use left_out::{FILE as LEFT_OUT_FILE, has, leave_out};
pub use program::{copy_program, write_program};

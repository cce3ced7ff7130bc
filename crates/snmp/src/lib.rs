//! SNMP without I/O: octets, clock readings and entropy come in as arguments,
//! octets go out as results.
//!
//! - [`wire`]: BER, PDUs, messages.
//! - [`engine`]: a received message to a request of somebody we know, or a counted drop.
//! - [`role`]: what a command responder answers.
//! - [`Counters`]: what RFC 3418 has an engine count.

mod counters;
pub mod engine;
mod error;
pub mod role;
pub mod wire;

pub use counters::{Counter, Counters};
pub use error::{DecodeError, Element, FrameError, OidProblem};

//! SNMP without I/O: octets, clock readings and entropy come in as arguments,
//! octets go out as results.
//!
//! - [`wire`]: BER, PDUs, messages.

mod error;
pub mod wire;

pub use error::{DecodeError, Element, FrameError, OidProblem};

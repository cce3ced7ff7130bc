//! The engine: what becomes of a message before and after somebody works on it
//! (RFC 3411's dispatcher and message processing models, without I/O).
//!
//! `community` is the model of SNMPv1 and SNMPv2c, the only one yet; v3's will
//! stand beside it.

mod community;
mod dispatcher;

pub use community::BadCommunityUse;
pub use dispatcher::{DropReason, Incoming, receive};

//! From octets to a request of somebody we know, or a counted drop (RFC 3412
//! section 4.2, as far as the community-based versions go).
//!
//! `dispatcher` finds out the version and hands on, `community` is the message
//! processing and security model of SNMPv1 and SNMPv2c (RFC 3584 section 5).
//! SNMPv3's models come to stand beside it.

mod community;
mod dispatcher;

pub use dispatcher::{DropReason, Incoming, receive};

//! The message processing models: what each version puts around a PDU
//! (RFC 3411 section 3.1.1.2).

pub(super) mod community;
pub(super) mod v3;

pub use v3::ReportReason;

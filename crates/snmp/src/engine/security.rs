//! The security models: who is behind a message, and whether that is proved
//! (RFC 3411 section 3.1.1.3).

mod community;
pub(crate) mod usm;

pub use community::CommunityEntry;
pub(super) use community::process_incoming_msg;
pub use usm::UsmFailure;

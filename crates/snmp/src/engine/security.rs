//! The security models: the sender of a message, and whether it is authenticated (RFC 3411 section 3.1.1.3).

mod community;
pub(super) mod tsm;
pub(crate) mod usm;

pub use community::CommunityEntry;
pub(super) use community::{Principal, process_incoming_msg};
pub use tsm::{InadequateLevel, TransportNameError, TsmFailure};
pub use usm::UsmFailure;

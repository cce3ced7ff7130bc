//! From octets to an authenticated request, a Report, or a counted drop
//! (RFC 3412 section 4.2).
//!
//! | part | what it is | specified by |
//! | --- | --- | --- |
//! | `local` | the engine: its ID, clock and users | RFC 3411 sections 3.1.1 and 5 |
//! | `dispatcher` | reads the version, counts, finds the application that handles the PDU | RFC 3412 section 4 |
//! | `processing::community` | the message processing models of SNMPv1 and SNMPv2c | RFC 3584 section 4 |
//! | `processing::v3` | the message processing model of SNMPv3, with its Reports | RFC 3412 section 7 |
//! | `security::community` | the community-based security models | RFC 3584 section 5.2 |
//! | `security::usm` | the User-based Security Model | RFC 3414 section 3 |
//! | `security::tsm` | the Transport Security Model | RFC 5591 sections 4 and 5 |
//! | [`transport`] | the peer of a secure session | RFC 5590, 6353 |
//! | `request`, `owned_request` | the result | |
//! | `drop_reason` | why there is none | |
//! | `notification` | outgoing unconfirmed notifications, for which this engine is authoritative | RFC 3412 section 7.1 |

mod dispatcher;
mod drop_reason;
mod local;
mod notification;
mod owned_request;
mod processing;
mod request;
pub(crate) mod security;
pub mod transport;

pub use dispatcher::{Incoming, TrapV1Received};
pub use drop_reason::DropReason;
pub use local::{Engine, EngineOptions, Handlers};
pub use notification::NotificationSendError;
pub use owned_request::OwnedRequest;
pub use processing::ReportReason;
pub use request::{COMMUNITY_V1, COMMUNITY_V2C, Request, TRANSPORT, USER_BASED};
pub use security::{CommunityEntry, InadequateLevel, TransportNameError, TsmFailure, UsmFailure};
pub use transport::{SecurityName, SecurityNameError, TransportDomain, TransportState};

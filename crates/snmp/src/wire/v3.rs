//! Messages of SNMPv3 (RFC 3412 section 6, RFC 3414 section 2.4, RFC 5591).
//!
//! ```text
//! SNMPv3Message ::= SEQUENCE { msgVersion INTEGER, msgGlobalData HeaderData,
//!                              msgSecurityParameters OCTET STRING, msgData ScopedPduData }
//! HeaderData    ::= SEQUENCE { msgID INTEGER, msgMaxSize INTEGER, msgFlags OCTET STRING (SIZE (1)),
//!                              msgSecurityModel INTEGER }
//! ScopedPduData ::= CHOICE { plaintext ScopedPDU, encryptedPDU OCTET STRING }
//! ScopedPDU     ::= SEQUENCE { contextEngineID OCTET STRING, contextName OCTET STRING, data PDUs }
//! ```
//! msgSecurityParameters contains, for the User-based Security Model:
//! ```text
//! UsmSecurityParameters ::= SEQUENCE { msgAuthoritativeEngineID OCTET STRING,
//!     msgAuthoritativeEngineBoots INTEGER, msgAuthoritativeEngineTime INTEGER, msgUserName OCTET STRING,
//!     msgAuthenticationParameters OCTET STRING, msgPrivacyParameters OCTET STRING }
//! ```
//!
//! For the Transport Security Model it is empty.
//!
//! | file | what it is |
//! | --- | --- |
//! | `flags` | msgFlags |
//! | `message_ref` | the message borrowed, as it is received |
//! | `parameters_ref` | UsmSecurityParameters borrowed, with the place of the authentication code |
//! | `scoped_pdu_ref` | the scoped PDU borrowed, from the message or as it was decrypted |
//! | `owned` | all three as values that can be taken apart and put together |
//! | `header` | what [`ResponseWriter`](super::ResponseWriter) puts around a PDU, encrypted and signed |
//! | `security` | what the security models put into that |
//! | `protection` | the keys for that |

mod flags;
mod header;
mod message_ref;
mod owned;
mod parameters_ref;
mod protection;
mod scoped_pdu_ref;
mod security;

pub use flags::MsgFlags;
pub use header::V3Header;
pub use message_ref::{MsgData, V3MessageRef};
pub use owned::{ScopedPdu, ScopedPduData, UsmParameters, V3Message};
pub(super) use parameters_ref::MAX_USER_NAME;
pub use parameters_ref::UsmParametersRef;
pub use protection::{Protection, Salts, UnsupportedLevel};
pub use scoped_pdu_ref::ScopedPduRef;
pub use security::{UsmSecurity, V3Security};

/// msgSecurityModel of the User-based Security Model (RFC 3411 section 5, SnmpSecurityModel).
pub const USM: i32 = 3;

/// msgSecurityModel of the Transport Security Model (RFC 5591 section 9).
pub const TSM: i32 = 4;

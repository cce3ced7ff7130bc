//! Messages and octets: BER as SNMP restricts it (RFC 3417 section 8), PDUs
//! (RFC 3416), messages of the community-based versions (RFC 1157, RFC 1901) and
//! of SNMPv3 with the User-based and the Transport Security Model (RFC 3412, RFC 3414, RFC 5591).
//!
//! | user | reads with | writes with |
//! | --- | --- | --- |
//! | manager | [`Message::decode`], [`TrapV1Message::decode`] | [`Message::encode`], [`TrapV1Message::encode`] |
//! | agent | [`MessageRef`], [`V3MessageRef`] | [`ResponseWriter`] with [`NameTemplate`] |
//! | senders with keys | | [`Header::encode`] with [`V3Header`] |
//! | tests of SNMPv3 | [`V3Message::decode`] | [`V3Message::encode`] |
//! | TCP | [`frame_length`] | |
//! | compressed messages | [`compression::expand`] | [`compression::compress`] |
//! | SNMP inside SOAP (feature `xml`) | `xml::read` | `xml::write` |
//! | people | [`annotate`] | |

mod annotate;
mod backwards;
mod codes;
pub mod compression;
mod envelope;
mod frame;
mod message;
mod message_ref;
mod oid;
mod pdu;
mod pdu_ref;
mod reader;
mod response_writer;
mod template;
mod trap_v1;
pub(crate) mod v3;
mod value;
mod writer;
#[cfg(feature = "xml")]
pub mod xml;

pub use annotate::{Field, annotate};
pub use codes::{ErrorStatus, PduKind, Version, tag};
pub use compression::Compression;
pub use envelope::{Envelope, Header};
pub use frame::{frame_length, frame_length_within};
pub use message::Message;
pub use message_ref::MessageRef;
pub use oid::{RawOid, is_encodable};
pub use pdu::Pdu;
pub use pdu_ref::{BindingRef, Bindings, PduRef};
pub use response_writer::ResponseWriter;
pub use template::NameTemplate;
pub use trap_v1::{ENTERPRISE_SPECIFIC, TrapV1, TrapV1Message};
pub use trunkline_smi::{Bound, Exception, VarBind};
pub use v3::{
    MsgData, MsgFlags, Protection, Salts, ScopedPdu, ScopedPduData, ScopedPduRef, TSM, USM, UnsupportedLevel,
    UsmParameters, UsmParametersRef, UsmSecurity, V3Header, V3Message, V3MessageRef, V3Security,
};
pub use value::RawValue;

/// The longest message that is read, in octets: no datagram is longer, and a peer on a stream cannot make us
/// buffer more. RFC 3430 section 2.2 requires at least 8192.
pub const MAX_MESSAGE_SIZE: usize = 65_535;

/// What every SNMP engine must be able to receive, in octets (RFC 3417 section 3.2).
pub const MIN_MAX_MESSAGE_SIZE: usize = 484;

//! Messages as XML, for SNMP inside SOAP: any message of v1, v2c or v3 with any PDU, and back to its octets.
//!
//! ```xml
//! <Message xmlns="urn:trunkline:snmp"><version>v2c</version><community>public</community><data><get-request>
//!   <request-id>42</request-id><error-status>noError</error-status><error-index>0</error-index>
//!   <variable-bindings><VarBind><name>1.3.6.1.2.1.1.3.0</name><unSpecified/></VarBind></variable-bindings>
//! </get-request></data></Message>
//! ```
//!
//! Elements have the names of the ASN.1 fields in RFC 1157, 1901, 3412, 3414 and 3416, a value the name of its
//! alternative in ObjectSyntax. An OCTET STRING is text if it is printable, otherwise hexadecimal digits and
//! marked `encoding="hex"`. [`SCHEMA`] defines all of it.
//!
//! [`write()`] and [`read`] undo each other: octets in the shortest form that BER has for them, which is what everything in
//! [`wire`](super) writes, come back octet by octet. That is why signed and encrypted messages of the User-based Security
//! Model can travel so: their codes are over those octets. A foreign engine that writes longer forms must sign the
//! shortest ones.
//!
//! The envelope around it is the room `soap`'s; they meet in the agent's door and in the client.

mod read;
mod write;

pub use read::read;
pub use write::write;

use trunkline_xml::Limits;

pub use trunkline_xml::Reader;

use super::{MAX_MESSAGE_SIZE, PduKind, Version};

/// The namespace of every element of a message.
pub const NAMESPACE: &str = "urn:trunkline:snmp";

/// The XML Schema of that namespace.
pub const SCHEMA: &str = include_str!("xml/snmp.xsd");

/// The limits for a document that contains a message of the largest size, including its envelope.
pub const LIMITS: Limits = Limits {
    // a binding of the least size, 7 octets, has 49 as XML
    octets: 8 * MAX_MESSAGE_SIZE,
    depth: 16,
    attributes: 16,
    name: 128,
    // hexadecimal digits
    text: 2 * MAX_MESSAGE_SIZE,
    namespaces: 24,
};

/// The attribute that marks octets that are not text.
const ENCODING: &str = "encoding";

/// Its value: hexadecimal digits.
const HEX: &str = "hex";

/// Names of the alternatives of PDUs (RFC 3416 section 3, RFC 1157 section 4.1).
const PDUS: [(PduKind, &str); 9] = [
    (PduKind::Get, "get-request"),
    (PduKind::GetNext, "get-next-request"),
    (PduKind::Response, "response"),
    (PduKind::Set, "set-request"),
    (PduKind::TrapV1, "trap"),
    (PduKind::GetBulk, "get-bulk-request"),
    (PduKind::Inform, "inform-request"),
    (PduKind::TrapV2, "snmpV2-trap"),
    (PduKind::Report, "report"),
];

/// The element of a PDU.
fn element_of(kind: PduKind) -> &'static str {
    PDUS.iter().find(|(known, _)| *known == kind).map_or("", |(_, name)| name)
}

/// The PDU of an element.
fn kind_of(element: &str) -> Option<PduKind> {
    PDUS.iter().find(|(_, name)| *name == element).map(|(kind, _)| *kind)
}

/// What error-status and error-index are called in a PDU of this kind.
fn numbers_of(kind: PduKind) -> [&'static str; 2] {
    match kind {
        PduKind::GetBulk => ["non-repeaters", "max-repetitions"],
        _ => ["error-status", "error-index"],
    }
}

/// Versions of community-based messages.
const VERSIONS: [Version; 2] = [Version::V1, Version::V2c];

/// The alternatives of generic-trap (RFC 1157 section 4.1.6), by their numbers.
const GENERIC_TRAPS: [&str; 7] = [
    "coldStart",
    "warmStart",
    "linkDown",
    "linkUp",
    "authenticationFailure",
    "egpNeighborLoss",
    "enterpriseSpecific",
];

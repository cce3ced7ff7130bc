//! What can be wrong with octets from a peer. Every variant has the element of the message, its offset and what
//! was expected.

use std::fmt;

use crate::wire::Version;

/// The elements of a message, to name the one that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// The whole message: a SEQUENCE.
    Message,
    /// msgVersion.
    Version,
    /// The community.
    Community,
    /// The PDU.
    Pdu,
    /// request-id.
    RequestId,
    /// error-status, or non-repeaters in a GetBulkRequest.
    ErrorStatus,
    /// error-index, or max-repetitions in a GetBulkRequest.
    ErrorIndex,
    /// The list of variable bindings.
    Bindings,
    /// One variable binding.
    Binding,
    /// The name in a binding.
    Name,
    /// The value in a binding.
    Value,
    /// msgGlobalData of SNMPv3.
    HeaderData,
    /// msgID.
    MessageId,
    /// msgMaxSize.
    MaxSize,
    /// msgFlags.
    Flags,
    /// msgSecurityModel.
    SecurityModel,
    /// msgSecurityParameters, and the SEQUENCE inside.
    SecurityParameters,
    /// msgAuthoritativeEngineID.
    EngineId,
    /// msgAuthoritativeEngineBoots.
    EngineBoots,
    /// msgAuthoritativeEngineTime.
    EngineTime,
    /// msgUserName.
    UserName,
    /// msgAuthenticationParameters.
    AuthenticationParameters,
    /// msgPrivacyParameters.
    PrivacyParameters,
    /// msgData: a scoped PDU, or the octets of an encrypted one.
    MessageData,
    /// The scoped PDU.
    ScopedPdu,
    /// contextEngineID.
    ContextEngineId,
    /// contextName.
    ContextName,
    /// enterprise in a Trap-PDU of SNMPv1.
    Enterprise,
    /// agent-addr in a Trap-PDU of SNMPv1.
    AgentAddress,
    /// generic-trap in a Trap-PDU of SNMPv1.
    GenericTrap,
    /// specific-trap in a Trap-PDU of SNMPv1.
    SpecificTrap,
    /// time-stamp in a Trap-PDU of SNMPv1.
    TimeStamp,
}

impl Element {
    /// The name of the standard, such as `msgMaxSize`.
    pub const fn name(self) -> &'static str {
        match self {
            Element::Message => "message",
            Element::Version => "version",
            Element::Community => "community",
            Element::Pdu => "PDU",
            Element::RequestId => "request-id",
            Element::ErrorStatus => "error-status",
            Element::ErrorIndex => "error-index",
            Element::Bindings => "variable-bindings",
            Element::Binding => "binding",
            Element::Name => "name",
            Element::Value => "value",
            Element::HeaderData => "msgGlobalData",
            Element::MessageId => "msgID",
            Element::MaxSize => "msgMaxSize",
            Element::Flags => "msgFlags",
            Element::SecurityModel => "msgSecurityModel",
            Element::SecurityParameters => "msgSecurityParameters",
            Element::EngineId => "msgAuthoritativeEngineID",
            Element::EngineBoots => "msgAuthoritativeEngineBoots",
            Element::EngineTime => "msgAuthoritativeEngineTime",
            Element::UserName => "msgUserName",
            Element::AuthenticationParameters => "msgAuthenticationParameters",
            Element::PrivacyParameters => "msgPrivacyParameters",
            Element::MessageData => "msgData",
            Element::ScopedPdu => "scopedPDU",
            Element::ContextEngineId => "contextEngineID",
            Element::ContextName => "contextName",
            Element::Enterprise => "enterprise",
            Element::AgentAddress => "agent-addr",
            Element::GenericTrap => "generic-trap",
            Element::SpecificTrap => "specific-trap",
            Element::TimeStamp => "time-stamp",
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why octets are not an SNMP message. `offset` counts from the first octet of the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The octets end before the element does: not even its type and length are there.
    #[error("{element} at octet {offset}: expected type and length, found the end of the octets")]
    Truncated {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
    },
    /// The element claims more octets than there are in what holds it.
    #[error("{element} at octet {offset}: length {length}, but {available} octets left")]
    LengthBeyondEnd {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
        /// The value of its length field.
        length: usize,
        /// What is there.
        available: usize,
    },
    /// The indefinite form, which SNMP forbids (RFC 3417 section 8).
    #[error("{element} at octet {offset}: the indefinite length form is not allowed")]
    IndefiniteLength {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
    },
    /// A length field of more than four octets.
    #[error("{element} at octet {offset}: a length in {octets} octets, expected at most 4")]
    LengthForm {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
        /// How many octets the length claims.
        octets: u8,
    },
    /// Another type than required here.
    #[error("{element} at octet {offset}: expected type {expected:#04x}, found {found:#04x}")]
    UnexpectedTag {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
        /// The required identifier octet.
        expected: u8,
        /// The one that does.
        found: u8,
    },
    /// A PDU type that does not exist.
    #[error("PDU at octet {offset}: type {found:#04x} is not a PDU (0xa0 to 0xa8)")]
    UnknownPdu {
        /// Where it starts.
        offset: usize,
        /// The identifier octet.
        found: u8,
    },
    /// A value of a type that SMIv2 does not have.
    #[error("value at octet {offset}: type {found:#04x} is not a type of SMIv2")]
    UnknownValueType {
        /// Where it starts.
        offset: usize,
        /// The identifier octet.
        found: u8,
    },
    /// Octets after the last element.
    #[error("{count} octets after the end of {element}, at octet {offset}")]
    TrailingOctets {
        /// The element that has ended.
        element: Element,
        /// Where it ended.
        offset: usize,
        /// How many octets follow.
        count: usize,
    },
    /// A number with no octets, or more than its type can have.
    #[error("{element} at octet {offset}: a number in {found} octets, expected 1 to {most}")]
    NumberSize {
        /// The element.
        element: Element,
        /// The position of its type octet.
        offset: usize,
        /// The most octets the type may have.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// An unsigned number (Counter32, Gauge32, TimeTicks, Counter64) that is negative or too large.
    #[error("value at octet {offset}: expected an unsigned number of {bits} bits")]
    NumberRange {
        /// The position of its type octet.
        offset: usize,
        /// 32 or 64.
        bits: u8,
    },
    /// A NULL or an exception with contents.
    #[error("value at octet {offset}: expected no contents, found {found} octets")]
    NotEmpty {
        /// The position of its type octet.
        offset: usize,
        /// How many there are.
        found: usize,
    },
    /// An IpAddress whose length is not four.
    #[error("value at octet {offset}: an IpAddress of {found} octets, expected 4")]
    IpAddressSize {
        /// The position of its type octet.
        offset: usize,
        /// How many there are.
        found: usize,
    },
    /// An invalid OBJECT IDENTIFIER.
    #[error("{element} at octet {offset}: {problem}")]
    ObjectIdentifier {
        /// The element: a name or a value.
        element: Element,
        /// The position of its type octet.
        offset: usize,
        /// What is wrong.
        problem: OidProblem,
    },
    /// An INTEGER in SNMPv3's header below its minimum; the maximum is 2^31-1.
    #[error("{element} at octet {offset}: expected {least} to 2147483647, found {found}")]
    IntegerRange {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
        /// The least that it may be.
        least: i32,
        /// The number.
        found: i32,
    },
    /// An OCTET STRING of SNMPv3's header that is too short or too long.
    #[error("{element} at octet {offset}: expected {least} to {most} octets, found {found}")]
    StringSize {
        /// The element.
        element: Element,
        /// Where it starts.
        offset: usize,
        /// The fewest octets.
        least: usize,
        /// The most octets.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// msgData that is neither of its two types.
    #[error(
        "msgData at octet {offset}: type {found:#04x} is neither a scopedPDU (0x30) nor encrypted (0x04)"
    )]
    UnknownMessageData {
        /// Where it starts.
        offset: usize,
        /// The identifier octet.
        found: u8,
    },
    /// A version that the reader does not read: [`MessageRef`](crate::wire::MessageRef) reads v1 and v2c,
    /// [`V3MessageRef`](crate::wire::V3MessageRef) reads v3.
    #[error("unexpected message version {found} (0: v1, 1: v2c, 3: v3)")]
    UnsupportedVersion {
        /// The number on the wire.
        found: i32,
    },
    /// The Trap-PDU of SNMPv1 has another layout and is not read here:
    /// [`TrapV1Message::decode`](crate::wire::TrapV1Message::decode) does.
    #[error("PDU at octet {offset}: an SNMPv1 Trap")]
    TrapV1 {
        /// Where it starts.
        offset: usize,
    },
    /// A Counter64 or an exception in a message of version 1, which has neither (RFC 1157).
    #[error("value at octet {offset}: type {found:#04x} does not exist in SNMP {version}")]
    NotInVersion {
        /// Where it starts.
        offset: usize,
        /// The message's version.
        version: Version,
        /// The identifier octet.
        found: u8,
    },
    /// A message longer than [`MAX_MESSAGE_SIZE`](crate::wire::MAX_MESSAGE_SIZE).
    #[error("a message of {found} octets, above the limit of {limit}")]
    TooLarge {
        /// Its length in octets.
        found: usize,
        /// The limit in octets.
        limit: usize,
    },
    /// A compressed PDU is not one zlib stream, or something follows it.
    #[error("compressed PDU at octet {offset}: expected one zlib stream (RFC 1950)")]
    Deflate {
        /// Where it starts.
        offset: usize,
    },
}

/// What is wrong with the contents of an OBJECT IDENTIFIER.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OidProblem {
    /// No contents.
    #[error("an object identifier without contents")]
    Empty,
    /// The last octet announces another one.
    #[error("the last sub-identifier is incomplete")]
    Unterminated,
    /// A sub-identifier that starts with 0x80: padded, not the shortest form.
    #[error("sub-identifier {position} is padded")]
    Padded {
        /// Which octet group, counted from 1.
        position: usize,
    },
    /// A sub-identifier above 2^32-1.
    #[error("sub-identifier {position} is above 4294967295")]
    SubIdRange {
        /// Which octet group, counted from 1.
        position: usize,
    },
    /// More than 128 sub-identifiers.
    #[error("more than 128 sub-identifiers")]
    TooLong,
    /// A compressed name that is the first of its list.
    #[error("a compressed name without a name before it")]
    DeltaOfNothing,
    /// A compressed name with an impossible position.
    #[error("a compressed name that starts at sub-identifier {found}, expected at most {most}")]
    DeltaPosition {
        /// The place, counted from 1.
        found: usize,
        /// The highest that is possible there.
        most: usize,
    },
    /// A compressed name that ends early, or that BER cannot express.
    #[error("a compressed name that stands for no name")]
    Delta,
}

/// Why a stream of octets cannot be cut into messages (RFC 3430 section 2.1); the connection must be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// What starts here is not a message.
    #[error("expected a message, which starts with {expected:#04x}, found {found:#04x}")]
    NotASequence {
        /// 0x30.
        expected: u8,
        /// What was found.
        found: u8,
    },
    /// The length is indefinite or reserved, or has more than four octets.
    #[error("the message's length cannot start with {found:#04x}")]
    LengthForm {
        /// The first length octet.
        found: u8,
    },
    /// The message would be longer than accepted.
    #[error("announced a message of {found} octets, above the limit of {limit}")]
    TooLarge {
        /// Announced length in octets, with type and length.
        found: usize,
        /// The limit in octets.
        limit: usize,
    },
}

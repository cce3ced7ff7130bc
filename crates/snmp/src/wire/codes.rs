//! The numbers of the protocol: BER tags, versions, PDU kinds, exceptions and
//! error codes. All of `wire` and everybody who reads a PDU uses them.

use std::fmt;

use trunkline_smi::{Exception, SetStatus};

/// BER identifier octets of what a message holds (RFC 3417 section 8, RFC 2578 section 7.1).
pub mod tag {
    /// INTEGER.
    pub const INTEGER: u8 = 0x02;
    /// OCTET STRING.
    pub const OCTET_STRING: u8 = 0x04;
    /// NULL: `unSpecified` in a binding.
    pub const NULL: u8 = 0x05;
    /// OBJECT IDENTIFIER.
    pub const OBJECT_IDENTIFIER: u8 = 0x06;
    /// SEQUENCE and SEQUENCE OF.
    pub const SEQUENCE: u8 = 0x30;
    /// IpAddress: `[APPLICATION 0]`.
    pub const IP_ADDRESS: u8 = 0x40;
    /// Counter32: `[APPLICATION 1]`.
    pub const COUNTER32: u8 = 0x41;
    /// Gauge32 and Unsigned32: `[APPLICATION 2]`.
    pub const UNSIGNED32: u8 = 0x42;
    /// TimeTicks: `[APPLICATION 3]`.
    pub const TIME_TICKS: u8 = 0x43;
    /// Opaque: `[APPLICATION 4]`.
    pub const OPAQUE: u8 = 0x44;
    /// Counter64: `[APPLICATION 6]`.
    pub const COUNTER64: u8 = 0x46;
}

/// The message versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// SNMPv1, RFC 1157: 0 on the wire.
    V1,
    /// SNMPv2c, RFC 1901: 1 on the wire.
    V2c,
    /// SNMPv3, RFC 3412: 3 on the wire.
    V3,
}

impl Version {
    /// The number on the wire.
    pub const fn code(self) -> i32 {
        match self {
            Version::V1 => 0,
            Version::V2c => 1,
            Version::V3 => 3,
        }
    }

    /// The version with this number on the wire.
    pub const fn from_code(code: i32) -> Option<Self> {
        match code {
            0 => Some(Version::V1),
            1 => Some(Version::V2c),
            3 => Some(Version::V3),
            _ => None,
        }
    }

    /// `v1`, `v2c` or `v3`.
    pub const fn name(self) -> &'static str {
        match self {
            Version::V1 => "v1",
            Version::V2c => "v2c",
            Version::V3 => "v3",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The kind of a PDU (RFC 3416 section 3, RFC 1157 section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PduKind {
    /// GetRequest, `[0]`.
    Get,
    /// GetNextRequest, `[1]`.
    GetNext,
    /// Response (SNMPv1: GetResponse), `[2]`.
    Response,
    /// SetRequest, `[3]`.
    Set,
    /// The Trap of SNMPv1, `[4]`: laid out unlike all others, see [`DecodeError::TrapV1`](crate::DecodeError).
    TrapV1,
    /// GetBulkRequest, `[5]`.
    GetBulk,
    /// InformRequest, `[6]`.
    Inform,
    /// SNMPv2-Trap, `[7]`.
    TrapV2,
    /// Report, `[8]`.
    Report,
}

impl PduKind {
    /// All kinds in the order of their tags.
    pub const ALL: [PduKind; 9] = [
        PduKind::Get,
        PduKind::GetNext,
        PduKind::Response,
        PduKind::Set,
        PduKind::TrapV1,
        PduKind::GetBulk,
        PduKind::Inform,
        PduKind::TrapV2,
        PduKind::Report,
    ];

    /// The identifier octet, 0xa0 to 0xa8.
    pub const fn tag(self) -> u8 {
        match self {
            PduKind::Get => 0xa0,
            PduKind::GetNext => 0xa1,
            PduKind::Response => 0xa2,
            PduKind::Set => 0xa3,
            PduKind::TrapV1 => 0xa4,
            PduKind::GetBulk => 0xa5,
            PduKind::Inform => 0xa6,
            PduKind::TrapV2 => 0xa7,
            PduKind::Report => 0xa8,
        }
    }

    /// The kind with this identifier octet.
    pub fn from_tag(tag: u8) -> Option<Self> {
        Self::ALL.get(usize::from(tag.wrapping_sub(0xa0))).copied()
    }

    /// The name of the standard, such as `GetBulkRequest`.
    pub const fn name(self) -> &'static str {
        match self {
            PduKind::Get => "GetRequest",
            PduKind::GetNext => "GetNextRequest",
            PduKind::Response => "Response",
            PduKind::Set => "SetRequest",
            PduKind::TrapV1 => "Trap",
            PduKind::GetBulk => "GetBulkRequest",
            PduKind::Inform => "InformRequest",
            PduKind::TrapV2 => "SNMPv2-Trap",
            PduKind::Report => "Report",
        }
    }

    /// Whether who gets it must answer: the Confirmed Class of RFC 3411 section 2.8.
    pub const fn is_confirmed(self) -> bool {
        match self {
            PduKind::Get | PduKind::GetNext | PduKind::GetBulk | PduKind::Set | PduKind::Inform => true,
            PduKind::Response | PduKind::TrapV1 | PduKind::TrapV2 | PduKind::Report => false,
        }
    }

    /// Whether a message of this version may carry it (RFC 1157 section 4.1, RFC 3416 section 3).
    pub const fn is_in(self, version: Version) -> bool {
        match self {
            PduKind::Get | PduKind::GetNext | PduKind::Response | PduKind::Set => true,
            PduKind::TrapV1 => matches!(version, Version::V1),
            PduKind::GetBulk | PduKind::Inform | PduKind::TrapV2 | PduKind::Report => {
                matches!(version, Version::V2c | Version::V3)
            }
        }
    }
}

impl fmt::Display for PduKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The identifier octet of an exception, 0x80 to 0x82.
pub(crate) const fn exception_tag(exception: Exception) -> u8 {
    match exception {
        Exception::NoSuchObject => 0x80,
        Exception::NoSuchInstance => 0x81,
        Exception::EndOfMibView => 0x82,
    }
}

/// The exception with this identifier octet.
pub(crate) fn exception_of_tag(tag: u8) -> Option<Exception> {
    Exception::ALL.into_iter().find(|exception| exception_tag(*exception) == tag)
}

/// The error-status of a Response (RFC 3416 section 3). SNMPv1 knows the first six.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorStatus {
    /// All went well.
    NoError = 0,
    /// The response would not fit in a message.
    TooBig,
    /// SNMPv1: the name does not exist.
    NoSuchName,
    /// SNMPv1: the value is not possible.
    BadValue,
    /// SNMPv1, and never sent: the variable is read-only.
    ReadOnly,
    /// A failure without its own code.
    GenErr,
    /// The variable is not in the view for writing.
    NoAccess,
    /// The value has another type than the object.
    WrongType,
    /// The value has a length that the object cannot have.
    WrongLength,
    /// The value's encoding does not fit its tag.
    WrongEncoding,
    /// The value is never possible for the object.
    WrongValue,
    /// The instance does not exist and can never be created.
    NoCreation,
    /// The value is possible, but not now.
    InconsistentValue,
    /// A resource is short.
    ResourceUnavailable,
    /// The commit failed, all was undone.
    CommitFailed,
    /// The commit failed and could not be undone.
    UndoFailed,
    /// The requester has no right to it at all.
    AuthorizationError,
    /// The instance exists and cannot be written.
    NotWritable,
    /// The instance cannot be created now.
    InconsistentName,
}

impl From<SetStatus> for ErrorStatus {
    fn from(status: SetStatus) -> Self {
        match status {
            SetStatus::NoAccess => Self::NoAccess,
            SetStatus::NotWritable => Self::NotWritable,
            SetStatus::WrongType => Self::WrongType,
            SetStatus::WrongLength => Self::WrongLength,
            SetStatus::WrongValue => Self::WrongValue,
            SetStatus::NoCreation => Self::NoCreation,
            SetStatus::InconsistentName => Self::InconsistentName,
            SetStatus::InconsistentValue => Self::InconsistentValue,
            SetStatus::ResourceUnavailable => Self::ResourceUnavailable,
            SetStatus::CommitFailed => Self::CommitFailed,
            SetStatus::UndoFailed => Self::UndoFailed,
        }
    }
}

impl ErrorStatus {
    /// All codes in order: `ALL[n]` has the code `n`.
    pub const ALL: [ErrorStatus; 19] = [
        ErrorStatus::NoError,
        ErrorStatus::TooBig,
        ErrorStatus::NoSuchName,
        ErrorStatus::BadValue,
        ErrorStatus::ReadOnly,
        ErrorStatus::GenErr,
        ErrorStatus::NoAccess,
        ErrorStatus::WrongType,
        ErrorStatus::WrongLength,
        ErrorStatus::WrongEncoding,
        ErrorStatus::WrongValue,
        ErrorStatus::NoCreation,
        ErrorStatus::InconsistentValue,
        ErrorStatus::ResourceUnavailable,
        ErrorStatus::CommitFailed,
        ErrorStatus::UndoFailed,
        ErrorStatus::AuthorizationError,
        ErrorStatus::NotWritable,
        ErrorStatus::InconsistentName,
    ];

    /// The number on the wire, 0 to 18.
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// The status with this number on the wire; `None` above 18 and below 0.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// The name of the standard, such as `noSuchName`.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorStatus::NoError => "noError",
            ErrorStatus::TooBig => "tooBig",
            ErrorStatus::NoSuchName => "noSuchName",
            ErrorStatus::BadValue => "badValue",
            ErrorStatus::ReadOnly => "readOnly",
            ErrorStatus::GenErr => "genErr",
            ErrorStatus::NoAccess => "noAccess",
            ErrorStatus::WrongType => "wrongType",
            ErrorStatus::WrongLength => "wrongLength",
            ErrorStatus::WrongEncoding => "wrongEncoding",
            ErrorStatus::WrongValue => "wrongValue",
            ErrorStatus::NoCreation => "noCreation",
            ErrorStatus::InconsistentValue => "inconsistentValue",
            ErrorStatus::ResourceUnavailable => "resourceUnavailable",
            ErrorStatus::CommitFailed => "commitFailed",
            ErrorStatus::UndoFailed => "undoFailed",
            ErrorStatus::AuthorizationError => "authorizationError",
            ErrorStatus::NotWritable => "notWritable",
            ErrorStatus::InconsistentName => "inconsistentName",
        }
    }
}

impl fmt::Display for ErrorStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_tags_go_both_ways() {
        for (code, status) in ErrorStatus::ALL.into_iter().enumerate() {
            assert_eq!(status.code() as usize, code);
            assert_eq!(ErrorStatus::from_code(code as i32), Some(status));
        }
        for code in [-1, 19, i32::MAX, i32::MIN] {
            assert_eq!(ErrorStatus::from_code(code), None);
        }
        for (at, kind) in PduKind::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(kind.tag()), 0xa0 + at);
            assert_eq!(PduKind::from_tag(kind.tag()), Some(kind));
        }
        assert_eq!(PduKind::from_tag(0xa9), None);
        assert_eq!(PduKind::from_tag(0x9f), None);
        for tag in 0..=255 {
            assert_eq!(exception_of_tag(tag).is_some(), (0x80..0x83).contains(&tag));
        }
        for version in [Version::V1, Version::V2c, Version::V3] {
            assert_eq!(Version::from_code(version.code()), Some(version));
        }
        assert_eq!(Version::from_code(2), None);
    }

    #[test]
    fn version_1_knows_five_kinds() {
        let of = |version| PduKind::ALL.into_iter().filter(|kind| kind.is_in(version)).count();
        assert_eq!(of(Version::V1), 5);
        assert_eq!(of(Version::V2c), 8);
        assert_eq!(of(Version::V3), 8);
        assert!(!PduKind::GetBulk.is_in(Version::V1));
        assert!(!PduKind::TrapV1.is_in(Version::V2c));
    }
}

//! What a master answers to administrative PDUs that fail, and why sessions are closed.

use std::fmt;

/// Errors of the protocol (RFC 2741 section 6.2.16); those of SNMP are below 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum ErrorCode {
    /// openFailed
    OpenFailed = 256,
    /// notOpen
    NotOpen = 257,
    /// indexWrongType
    IndexWrongType = 258,
    /// indexAlreadyAllocated
    IndexAlreadyAllocated = 259,
    /// indexNoneAvailable
    IndexNoneAvailable = 260,
    /// indexNotAllocated
    IndexNotAllocated = 261,
    /// unsupportedContext
    UnsupportedContext = 262,
    /// duplicateRegistration
    DuplicateRegistration = 263,
    /// unknownRegistration
    UnknownRegistration = 264,
    /// unknownAgentCaps
    UnknownAgentCaps = 265,
    /// parseError
    ParseError = 266,
    /// requestDenied
    RequestDenied = 267,
    /// processingError
    ProcessingError = 268,
}

impl ErrorCode {
    /// Every one, in order.
    pub const ALL: [ErrorCode; 13] = [
        Self::OpenFailed,
        Self::NotOpen,
        Self::IndexWrongType,
        Self::IndexAlreadyAllocated,
        Self::IndexNoneAvailable,
        Self::IndexNotAllocated,
        Self::UnsupportedContext,
        Self::DuplicateRegistration,
        Self::UnknownRegistration,
        Self::UnknownAgentCaps,
        Self::ParseError,
        Self::RequestDenied,
        Self::ProcessingError,
    ];

    /// The number, as in `res.error`.
    #[must_use]
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The error of a number.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|error| error.code() == code)
    }

    /// The name of the standard, such as `duplicateRegistration`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenFailed => "openFailed",
            Self::NotOpen => "notOpen",
            Self::IndexWrongType => "indexWrongType",
            Self::IndexAlreadyAllocated => "indexAlreadyAllocated",
            Self::IndexNoneAvailable => "indexNoneAvailable",
            Self::IndexNotAllocated => "indexNotAllocated",
            Self::UnsupportedContext => "unsupportedContext",
            Self::DuplicateRegistration => "duplicateRegistration",
            Self::UnknownRegistration => "unknownRegistration",
            Self::UnknownAgentCaps => "unknownAgentCaps",
            Self::ParseError => "parseError",
            Self::RequestDenied => "requestDenied",
            Self::ProcessingError => "processingError",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a session is closed (section 6.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CloseReason {
    /// reasonOther
    Other = 1,
    /// reasonParseError: too many packets that cannot be read
    ParseError = 2,
    /// reasonProtocolError: too many packets that are not expected
    ProtocolError = 3,
    /// reasonTimeouts: too many requests without an answer
    Timeouts = 4,
    /// reasonShutdown: the sender ends
    Shutdown = 5,
    /// reasonByManager: a manager has set agentxSessionAdminStatus
    ByManager = 6,
}

impl CloseReason {
    /// The number, as in `c.reason`.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The name of the standard for a number, such as `reasonTimeouts`; other numbers are `reasonOther`.
    #[must_use]
    pub const fn name_of(code: u8) -> &'static str {
        match code {
            2 => "reasonParseError",
            3 => "reasonProtocolError",
            4 => "reasonTimeouts",
            5 => "reasonShutdown",
            6 => "reasonByManager",
            _ => "reasonOther",
        }
    }
}

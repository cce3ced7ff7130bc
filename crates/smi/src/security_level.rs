//! How well a message is protected (RFC 3411 section 3.4.3): part of a message, of a user's keys, of the access
//! policy and of a session.

use std::fmt;

/// A security level (SnmpSecurityLevel). The order is the RFC's: noAuthNoPriv is the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurityLevel {
    /// Neither authenticated nor encrypted: 1.
    #[default]
    NoAuthNoPriv = 1,
    /// Authenticated, not encrypted: 2.
    AuthNoPriv = 2,
    /// Authenticated and encrypted: 3.
    AuthPriv = 3,
}

impl SecurityLevel {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::NoAuthNoPriv, Self::AuthNoPriv, Self::AuthPriv];

    /// The number in MIBs (SnmpSecurityLevel), 1 to 3.
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// The level with this number in MIBs.
    pub const fn from_code(code: i32) -> Option<Self> {
        match code {
            1 => Some(SecurityLevel::NoAuthNoPriv),
            2 => Some(SecurityLevel::AuthNoPriv),
            3 => Some(SecurityLevel::AuthPriv),
            _ => None,
        }
    }

    /// The name of the standard, such as `authPriv`.
    pub const fn name(self) -> &'static str {
        match self {
            SecurityLevel::NoAuthNoPriv => "noAuthNoPriv",
            SecurityLevel::AuthNoPriv => "authNoPriv",
            SecurityLevel::AuthPriv => "authPriv",
        }
    }

    /// Whether messages of this level are authenticated.
    pub const fn is_authenticated(self) -> bool {
        !matches!(self, SecurityLevel::NoAuthNoPriv)
    }

    /// Whether messages of this level are encrypted.
    pub const fn is_encrypted(self) -> bool {
        matches!(self, SecurityLevel::AuthPriv)
    }
}

impl fmt::Display for SecurityLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

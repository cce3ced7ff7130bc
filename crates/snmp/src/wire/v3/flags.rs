//! msgFlags: how a message is protected, and whether a Report may answer it.

use crate::SecurityLevel;

/// msgFlags (RFC 3412 section 6.4): one octet, of which the upper five bits are reserved and ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MsgFlags(u8);

const AUTH: u8 = 0x01;
const PRIV: u8 = 0x02;
const REPORTABLE: u8 = 0x04;

impl MsgFlags {
    /// The flags of a message of this level.
    pub const fn new(level: SecurityLevel, reportable: bool) -> Self {
        let level = match level {
            SecurityLevel::NoAuthNoPriv => 0,
            SecurityLevel::AuthNoPriv => AUTH,
            SecurityLevel::AuthPriv => AUTH | PRIV,
        };
        MsgFlags(if reportable { level | REPORTABLE } else { level })
    }

    /// Flags as encoded.
    pub const fn from_octet(octet: u8) -> Self {
        MsgFlags(octet)
    }

    /// The octet on the wire.
    pub const fn octet(self) -> u8 {
        self.0
    }

    /// The level; `None` for privacy without authentication, which does not exist (RFC 3412 section 7.2
    /// step 5d).
    pub const fn level(self) -> Option<SecurityLevel> {
        match self.0 & (AUTH | PRIV) {
            0 => Some(SecurityLevel::NoAuthNoPriv),
            AUTH => Some(SecurityLevel::AuthNoPriv),
            PRIV => None,
            _ => Some(SecurityLevel::AuthPriv),
        }
    }

    /// Whether the sender waits for an answer, so that a Report may be sent to it.
    pub const fn is_reportable(self) -> bool {
        self.0 & REPORTABLE != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_octet_has_its_meaning() {
        for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv] {
            for reportable in [false, true] {
                let flags = MsgFlags::new(level, reportable);
                assert_eq!((flags.level(), flags.is_reportable()), (Some(level), reportable));
                // reserved bits are ignored
                let padded = MsgFlags::from_octet(flags.octet() | 0xf8);
                assert_eq!((padded.level(), padded.is_reportable()), (Some(level), reportable));
            }
        }
        assert_eq!(MsgFlags::from_octet(0x02).level(), None);
        assert_eq!(MsgFlags::from_octet(0x06).level(), None);
        assert_eq!(MsgFlags::new(SecurityLevel::AuthPriv, true).octet(), 0x07);
    }
}

//! The sender of a request, or the receiver of a notification, as the access policy knows them.

use super::SecurityModel;
use crate::policy::SecurityLevel;

/// A principal at a security level: what a protocol knows about the peer before it consults the policy (RFC 3411
/// section 4.3, the first three parameters of isAccessAllowed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal<'p> {
    /// securityModel: which model vouches for the name.
    pub model: SecurityModel,
    /// securityName.
    pub name: &'p [u8],
    /// securityLevel: how well the request is protected.
    pub level: SecurityLevel,
}

impl<'p> Principal<'p> {
    /// A community's security name at noAuthNoPriv, as in version 2c (RFC 3584 section 5.2.1).
    #[must_use]
    pub const fn of_community(name: &'p [u8]) -> Self {
        Self { model: SecurityModel::V2C, name, level: SecurityLevel::NoAuthNoPriv }
    }

    /// The same, kept: for work that outlives the request's octets.
    #[must_use]
    pub fn into_owned(self) -> OwnedPrincipal {
        OwnedPrincipal { model: self.model, name: self.name.to_vec(), level: self.level }
    }
}

/// A [`Principal`] that owns its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPrincipal {
    /// securityModel.
    pub model: SecurityModel,
    /// securityName.
    pub name: Vec<u8>,
    /// securityLevel.
    pub level: SecurityLevel,
}

impl OwnedPrincipal {
    /// A user of SNMPv3 on whose behalf the agent itself does something. It is in no message, so that no protection is
    /// missing.
    #[must_use]
    pub fn of_user(name: &str) -> Self {
        OwnedPrincipal {
            model: SecurityModel::USM,
            name: name.as_bytes().to_vec(),
            level: SecurityLevel::AuthPriv,
        }
    }

    /// The same, borrowed.
    #[must_use]
    pub fn as_principal(&self) -> Principal<'_> {
        Principal { model: self.model, name: &self.name, level: self.level }
    }
}

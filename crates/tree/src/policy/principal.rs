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
    /// On behalf of which role the request is made; `None`: of all that the principal has.
    pub acting: Option<Acting<'p>>,
}

/// A request on behalf of one role, which bounds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acting<'p> {
    /// The role.
    pub role: &'p [u8],
    /// Whether a key that only the role's members have protects the request. Then no row has to make the principal a member.
    pub is_proved: bool,
}

impl<'p> Principal<'p> {
    /// A principal with all that it may do.
    #[must_use]
    pub const fn new(model: SecurityModel, name: &'p [u8], level: SecurityLevel) -> Self {
        Self { model, name, level, acting: None }
    }

    /// Whether a key of its role stands for it.
    #[must_use]
    pub const fn is_proved(&self) -> bool {
        matches!(self.acting, Some(Acting { is_proved: true, .. }))
    }

    /// The same on behalf of one role.
    #[must_use]
    pub const fn acting(self, acting: Option<Acting<'p>>) -> Self {
        Self { acting, ..self }
    }

    /// A community's security name at noAuthNoPriv, as in version 2c (RFC 3584 section 5.2.1).
    #[must_use]
    pub const fn of_community(name: &'p [u8]) -> Self {
        Self::new(SecurityModel::V2C, name, SecurityLevel::NoAuthNoPriv)
    }

    /// The same, kept: for work that outlives the request's octets.
    #[must_use]
    pub fn into_owned(self) -> OwnedPrincipal {
        let acting = self.acting.map(Acting::into_owned);
        OwnedPrincipal { model: self.model, name: self.name.to_vec(), level: self.level, acting }
    }
}

impl Acting<'_> {
    /// The same, kept.
    #[must_use]
    pub fn into_owned(self) -> OwnedActing {
        OwnedActing { role: self.role.to_vec(), is_proved: self.is_proved }
    }
}

/// An [`Acting`] that owns the role's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedActing {
    /// The role.
    pub role: Vec<u8>,
    /// Whether a key of the role protects the request.
    pub is_proved: bool,
}

impl OwnedActing {
    /// The same, borrowed.
    #[must_use]
    pub fn as_acting(&self) -> Acting<'_> {
        Acting { role: &self.role, is_proved: self.is_proved }
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
    /// On behalf of which role.
    pub acting: Option<OwnedActing>,
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
            acting: None,
        }
    }

    /// The octets that rows keep: the model, the level and the name. On behalf of a role nothing is kept.
    #[must_use]
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = format!("{} {} ", self.model.0, self.level as i32).into_bytes();
        octets.extend(&self.name);
        octets
    }

    /// The principal that a row keeps.
    #[must_use]
    pub fn from_octets(octets: &[u8]) -> Option<Self> {
        let mut parts = octets.splitn(3, |octet| *octet == b' ');
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse::<u32>().ok();
        let (model, level) = (SecurityModel(number()?), number()?);
        let levels = [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv];
        let level = levels.into_iter().find(|known| *known as u32 == level)?;
        Some(OwnedPrincipal { model, name: parts.next()?.to_vec(), level, acting: None })
    }

    /// The same, borrowed.
    #[must_use]
    pub fn as_principal(&self) -> Principal<'_> {
        let acting = self.acting.as_ref().map(OwnedActing::as_acting);
        Principal { model: self.model, name: &self.name, level: self.level, acting }
    }
}

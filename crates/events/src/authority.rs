//! By whose rights a row is read and set: those of the principal that activated it (RFC 2981, mteTriggerTargetTag).

use std::sync::Arc;

use trunkline_core::{Core, NotOnBehalf, Settings};
use trunkline_tree::Access;
use trunkline_tree::policy::{OwnedPrincipal, Principal, ViewType};

use crate::definition::Reason;

/// The hidden cell of a row that keeps its authority.
pub(crate) const CELL: &str = trunkline_admin::AUTHORITY;

/// Whose rights count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Authority {
    /// The configuration names no user: everything may be read, nothing set.
    Configuration,
    /// A principal's.
    Principal(OwnedPrincipal),
    /// Nobody's: nothing may be read or set.
    Nobody,
}

impl Authority {
    /// A user of SNMPv3.
    pub fn of_user(name: &str) -> Self {
        Authority::Principal(OwnedPrincipal::of_user(name))
    }

    /// Whoever made a request.
    pub fn of(principal: Option<&Principal<'_>>) -> Self {
        principal.map_or(Authority::Nobody, |principal| Authority::Principal(principal.into_owned()))
    }

    /// The octets that a row keeps.
    pub fn to_octets(&self) -> Option<Vec<u8>> {
        match self {
            Authority::Principal(principal) => Some(principal.to_octets()),
            Authority::Configuration | Authority::Nobody => None,
        }
    }

    /// The authority that a row keeps.
    pub fn from_octets(octets: &[u8]) -> Self {
        OwnedPrincipal::from_octets(octets).map_or(Authority::Nobody, Authority::Principal)
    }

    /// Its access in a context, as long as this agent itself answers there.
    pub fn access(
        &self,
        core: &Core,
        settings: &Settings,
        context: &[u8],
        view: ViewType,
    ) -> Result<Arc<Access>, Reason> {
        match self {
            Authority::Principal(principal) => {
                core.access_of(settings, principal, context, view).map_err(|reason| match reason {
                    NotOnBehalf::Denied => Reason::AuthorizationError,
                    // This agent samples only itself.
                    NotOnBehalf::Elsewhere => Reason::BadDestination,
                })
            }
            Authority::Configuration if view == ViewType::Read && context.is_empty() => {
                Ok(settings.served().own_access().clone())
            }
            Authority::Configuration => Err(Reason::NoAccess),
            Authority::Nobody => Err(Reason::AuthorizationError),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_tree::policy::{SecurityLevel, SecurityModel};

    use super::*;

    proptest! {
        #[test]
        fn an_authority_is_kept_as_it_is(model in 0_u32..5, level in 0_usize..3, name in any::<Vec<u8>>()) {
            let level = [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv][level];
            let authority = Authority::Principal(OwnedPrincipal { model: SecurityModel(model), name, level, acting: None });
            prop_assert_eq!(Authority::from_octets(&authority.to_octets().unwrap()), authority);
        }

        #[test]
        fn other_octets_are_nobody_s(octets in "[a-z ]{0,20}") {
            prop_assert_eq!(Authority::from_octets(octets.as_bytes()), Authority::Nobody);
        }
    }
}

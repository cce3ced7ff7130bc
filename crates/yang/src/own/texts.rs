//! The texts of our own modules. Those of the IETF are not here: see decision 0059.

use super::operations::OWN_ORIGINS;
use super::{BGP, DELEGATION, DEVIATIONS, KEYS, OwnModule, PAPER, PROTOCOLS, RBAC};

/// Modules with their texts; [`super::DEVIATIONS`] have theirs.
static OTHERS: [(&OwnModule, &str); 7] = [
    (&OWN_ORIGINS, include_str!("trunkline-origin.yang")),
    (&PAPER, include_str!("trunkline-netconf.yang")),
    (&BGP, include_str!("trunkline-bgp.yang")),
    (&DELEGATION, include_str!("trunkline-delegation.yang")),
    (&KEYS, include_str!("trunkline-keys.yang")),
    (&RBAC, include_str!("trunkline-rbac.yang")),
    (&PROTOCOLS, include_str!("trunkline-routing.yang")),
];

/// All modules that have texts, with them.
pub fn texts() -> impl Iterator<Item = (&'static OwnModule, &'static str)> {
    OTHERS.iter().chain(&DEVIATIONS).copied()
}

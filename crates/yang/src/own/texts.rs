//! The texts of our own modules. Those of the IETF are not here: see decision 0059.

use super::operations::OWN_ORIGINS;
use super::{OwnModule, PAPER, PROTOCOLS};

/// Modules with their texts.
pub static TEXTS: [(&OwnModule, &str); 3] = [
    (&OWN_ORIGINS, include_str!("trunkline-origin.yang")),
    (&PAPER, include_str!("trunkline-netconf.yang")),
    (&PROTOCOLS, include_str!("trunkline-routing.yang")),
];

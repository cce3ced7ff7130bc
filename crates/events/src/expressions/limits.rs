//! The limits that managers set, expResourceDeltaMinimum and expResourceDeltaWildcardInstanceMaximum: two scalars that
//! outlive a restart.

use serde::{Deserialize, Serialize};

/// The two scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Limits {
    /// The least expExpressionDeltaInterval, in seconds; -1: there are no differences.
    pub least_interval: i32,
    /// How many instances of differences are held; 0: as many as the configuration admits.
    pub instances: u32,
}

impl Default for Limits {
    /// RFC 2982: 1 and 0, unless resources are short.
    fn default() -> Self {
        Limits { least_interval: 1, instances: 0 }
    }
}

//! What a file of delays begins with: what was measured, of whom, how.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metric::Metric;

/// The header, in JSON within its block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What was measured.
    pub metric: Metric,
    /// How many agents were asked; 0 if it is not known.
    #[serde(default)]
    pub group: u32,
    /// The time between two rounds, ns; 0 if there are no rounds.
    #[serde(default)]
    pub period: u64,
    /// How the requests of a round were sent.
    #[serde(default)]
    pub scheduling: Scheduling,
    /// The protocol and transport, as in a URL: `snmp`, `soap+https`.
    #[serde(default)]
    pub protocol: String,
    /// When an answer is no longer waited for, ns; 0 if it is not known.
    #[serde(default)]
    pub timeout: u64,
    /// Time 0: UTC, RFC 3339; empty if it is not known.
    #[serde(default)]
    pub started: String,
    /// Whatever else is to be known, by name.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// How the requests of a round were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// Each at its time, whether others are answered or not: the group delay is the longest.
    #[default]
    Parallel,
    /// Each after the answer to the one before: the group delay is the sum.
    Serial,
}

impl Header {
    /// Of a metric, with nothing else known.
    pub const fn new(metric: Metric) -> Self {
        Header {
            metric,
            group: 0,
            period: 0,
            scheduling: Scheduling::Parallel,
            protocol: String::new(),
            timeout: 0,
            started: String::new(),
            settings: BTreeMap::new(),
        }
    }
}

//! The configuration file as written: every key, nothing checked but its type.

use serde::Deserialize;
use serde_spanned::Spanned;
use std::collections::BTreeMap;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Config {
    pub agent: Agent,
    pub system: System,
    pub snmp: Snmp,
    pub freshness: BTreeMap<Spanned<String>, Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Agent {
    pub user: Option<Spanned<String>>,
    pub state: Option<Spanned<String>>,
    pub log: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct System {
    pub contact: Option<Spanned<String>>,
    pub name: Option<Spanned<String>>,
    pub location: Option<Spanned<String>>,
    pub description: Option<Spanned<String>>,
    pub services: Option<Spanned<i64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Snmp {
    pub listen: Option<Spanned<Vec<Spanned<String>>>>,
    pub community: Option<Vec<Community>>,
    pub max_message_size: Option<Spanned<i64>>,
    pub max_bindings: Option<Spanned<i64>>,
    pub tcp: Tcp,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Community {
    pub name: Spanned<String>,
    pub access: Spanned<String>,
    pub view: Option<Vec<Spanned<String>>>,
    pub sources: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Tcp {
    pub max_connections: Option<Spanned<i64>>,
    pub max_connections_per_peer: Option<Spanned<i64>>,
    pub max_in_flight: Option<Spanned<i64>>,
    pub idle_timeout: Option<Spanned<String>>,
    pub message_timeout: Option<Spanned<String>>,
    pub write_timeout: Option<Spanned<String>>,
}

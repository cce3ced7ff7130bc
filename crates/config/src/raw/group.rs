//! `[[group]]`, `[groups]` and the file of a group's members, as written.

use serde::Deserialize;
use serde_spanned::Spanned;

use super::Secret;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Group {
    pub name: Spanned<String>,
    pub importance: Option<Spanned<i64>>,
    pub interval: Option<Spanned<String>>,
    pub deadline: Option<Spanned<String>>,
    pub max_age: Option<Spanned<String>>,
    #[serde(default)]
    pub objects: Vec<Spanned<String>>,
    #[serde(default)]
    pub tables: Vec<Spanned<String>>,
    pub members_file: Option<Spanned<String>>,
    #[serde(default)]
    pub member: Vec<Member>,
    #[serde(default)]
    pub aggregate: Vec<Aggregate>,
    pub peer: Option<GroupPeer>,
}

/// A member, or several whose names and addresses have a range in them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Member {
    pub name: Option<Spanned<String>>,
    pub address: Spanned<String>,
    #[serde(default)]
    pub manager: bool,
    #[serde(default)]
    pub values: bool,
    pub context: Option<Spanned<String>>,
    pub version: Option<Spanned<String>>,
    pub community: Option<Spanned<Secret>>,
    pub user: Option<Spanned<String>>,
    pub principal: Option<Spanned<String>>,
    pub fingerprint: Option<Spanned<String>>,
    pub server_name: Option<Spanned<String>>,
    pub level: Option<Spanned<String>>,
    pub login: Option<Spanned<String>>,
    pub password: Option<Spanned<Secret>>,
    pub password_file: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct GroupPeer {
    pub at: Member,
    #[serde(default)]
    pub standby: bool,
    pub interval: Option<Spanned<String>>,
    pub missed: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Aggregate {
    pub name: Spanned<String>,
    pub object: Spanned<String>,
    pub function: Spanned<String>,
    pub quantile: Option<Spanned<f64>>,
    pub over: Option<Spanned<String>>,
    #[serde(default)]
    pub rate: bool,
    pub units: Option<Spanned<String>>,
    #[serde(rename = "where")]
    pub filter: Option<Filter>,
}

/// Only rows in which an object has a value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Filter {
    pub object: Spanned<String>,
    pub equals: Spanned<FilterValue>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum FilterValue {
    Number(i64),
    Text(String),
}

/// What all groups have together: where members' notifications are received, and the memory for what is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Groups {
    pub listen: Vec<Spanned<String>>,
    pub community: Vec<Spanned<Secret>>,
    pub user: Vec<Spanned<String>>,
    pub memory: Option<Spanned<i64>>,
}

/// A file with members of a group.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct MembersFile {
    /// None: whoever writes the file had none to list.
    #[serde(default)]
    pub member: Vec<Member>,
}

//! The configuration file as written: every key, nothing checked but its type.

mod computed;
pub(crate) mod group;

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_spanned::Spanned;

pub(super) use self::computed::{Computed, ComputedObject, Expressions};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Config {
    pub agent: Agent,
    pub system: System,
    pub snmp: Snmp,
    pub http: Http,
    pub netconf: Option<Netconf>,
    pub jmx: Option<Jmx>,
    pub agentx: Option<Agentx>,
    pub subagent: Option<Subagent>,
    pub freshness: BTreeMap<Spanned<String>, Spanned<String>>,
    pub view: Vec<View>,
    pub role: Vec<Role>,
    pub monitor: Vec<Monitor>,
    pub trigger: Vec<Trigger>,
    pub event: Vec<Event>,
    pub events: Events,
    pub expression: Vec<Computed>,
    pub expressions: Expressions,
    pub extend: Vec<Extend>,
    pub pass: Vec<Pass>,
    pub process: Vec<Process>,
    pub exec: Vec<Exec>,
    pub disk: Vec<Disk>,
    pub load: Option<Load>,
    pub disk_io: DiskIo,
    pub storage: Storage,
    pub file: Vec<File>,
    pub log_match: Vec<LogMatch>,
    pub swap: Swap,
    pub bridge: Bridge,
    pub proxy: Vec<Proxy>,
    pub group: Vec<group::Group>,
    pub groups: group::Groups,
    pub service: Vec<Service>,
    pub relation: Vec<Relation>,
}

impl Config {
    /// Whether it says nowhere where to listen.
    pub fn has_no_listeners(&self) -> bool {
        let has_doors = self.netconf.is_some() || self.jmx.is_some();
        self.snmp.listen.is_none() && self.http.listen.is_none() && !has_doors
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Service {
    pub tag: Spanned<String>,
    #[serde(default)]
    pub names: Vec<Spanned<String>>,
    pub level: Option<Spanned<i64>>,
    #[serde(default)]
    pub holds: Vec<Spanned<String>>,
    #[serde(default)]
    pub each_row_of: Vec<Spanned<String>>,
    pub named_by: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Relation {
    pub name: Spanned<String>,
    pub from: Spanned<String>,
    pub to: Vec<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Agent {
    pub user: Option<Spanned<String>>,
    pub state: Option<Spanned<String>>,
    pub log: Option<Spanned<String>>,
    pub engine_id: Option<Spanned<String>>,
    pub grace: Option<Spanned<String>>,
    pub program_privileges: Option<Spanned<String>>,
    #[serde(default)]
    pub read_processes: bool,
    pub waiting_output: Option<Spanned<i64>>,
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
    pub user: Vec<User>,
    pub target: Vec<Target>,
    pub authentication_traps: Option<bool>,
    pub link_notifications: Option<bool>,
    pub trap_style: Option<Spanned<String>>,
    pub max_message_size: Option<Spanned<i64>>,
    pub max_unproved_answer: Option<Spanned<i64>>,
    pub max_bindings: Option<Spanned<i64>>,
    pub tcp: Tcp,
    pub principal: Vec<Principal>,
    pub tls: Option<Spanned<Tls>>,
    pub ssh: Ssh,
    pub name_prefixes: Option<bool>,
    pub communities_in_sessions: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Http {
    pub listen: Option<Spanned<Vec<Spanned<String>>>>,
    pub doors: Option<Spanned<Vec<Spanned<String>>>>,
    pub plain_communities: Option<bool>,
    pub hosts: Option<Vec<Spanned<String>>>,
    pub origins: Option<Vec<Spanned<String>>>,
    pub event_targets: Option<Vec<Spanned<String>>>,
    pub tls: Option<Spanned<Tls>>,
    pub compression: Option<Spanned<i64>>,
    pub max_connections: Option<Spanned<i64>>,
    pub max_connections_per_peer: Option<Spanned<i64>>,
    pub max_handshakes: Option<Spanned<i64>>,
    pub max_streams: Option<Spanned<i64>>,
    pub max_header_size: Option<Spanned<i64>>,
    pub max_request_size: Option<Spanned<i64>>,
    pub max_answer_size: Option<Spanned<i64>>,
    pub handshake_timeout: Option<Spanned<String>>,
    pub first_message_timeout: Option<Spanned<String>>,
    pub idle_timeout: Option<Spanned<String>>,
    pub header_timeout: Option<Spanned<String>>,
    pub body_timeout: Option<Spanned<String>>,
    pub write_timeout: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Netconf {
    pub listen: Option<Spanned<Vec<Spanned<String>>>>,
    pub community: Option<Spanned<Secret>>,
    pub idle_timeout: Option<Spanned<String>>,
    pub message_timeout: Option<Spanned<String>>,
    pub max_request_size: Option<Spanned<i64>>,
    pub files: Option<Spanned<String>>,
    pub call_home: Vec<Spanned<String>>,
    pub modules_directory: Option<Spanned<String>>,
    pub validate_messages: bool,
    pub device: Option<Spanned<String>>,
    pub hook: Vec<Hook>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Jmx {
    pub listen: Option<Spanned<Vec<Spanned<String>>>>,
    pub host: Option<Spanned<String>>,
    pub community: Option<Spanned<Secret>>,
    pub lease: Option<Spanned<String>>,
    pub max_request_size: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Hook {
    pub subtree: Spanned<String>,
    pub command: Spanned<Vec<Spanned<String>>>,
    pub timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub state: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Principal {
    pub name: Spanned<String>,
    pub role: Option<Spanned<RoleNames>>,
    pub authorized_keys: Option<Spanned<String>>,
    pub password_hash: Option<Spanned<Secret>>,
    pub token_hash: Option<Spanned<Secret>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Tls {
    pub directory: Option<Spanned<String>>,
    pub certificate: Option<Spanned<String>>,
    pub key: Option<Spanned<String>>,
    pub authorities: Option<Vec<Spanned<String>>>,
    pub revocation_lists: Option<Vec<Spanned<String>>>,
    pub least_version: Option<Spanned<String>>,
    pub integrity_only: bool,
    pub name: Vec<TlsName>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct TlsName {
    pub fingerprint: Spanned<String>,
    pub map: Option<Spanned<String>>,
    pub name: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Ssh {
    pub host_keys: Option<Vec<Spanned<String>>>,
    pub user_keys: Option<Spanned<String>>,
    pub known_hosts: Option<Vec<Spanned<String>>>,
    pub accept_new_hosts: bool,
    pub subsystem_socket: Option<Spanned<String>>,
    pub subsystem_group: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Community {
    pub name: Spanned<Secret>,
    pub access: Option<Spanned<String>>,
    pub view: Option<Spanned<Rules>>,
    pub role: Option<Spanned<RoleNames>>,
    pub context: Option<Spanned<String>>,
    pub sources: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct User {
    pub name: Spanned<String>,
    pub auth: Option<Spanned<String>>,
    #[serde(rename = "priv")]
    pub privacy: Option<Spanned<String>>,
    pub password: Option<Spanned<Secret>>,
    pub auth_password: Option<Spanned<Secret>>,
    pub priv_password: Option<Spanned<Secret>>,
    pub auth_master_key: Option<Spanned<Secret>>,
    pub priv_master_key: Option<Spanned<Secret>>,
    pub auth_key: Option<Spanned<Secret>>,
    pub priv_key: Option<Spanned<Secret>>,
    pub password_file: Option<Spanned<String>>,
    pub auth_password_file: Option<Spanned<String>>,
    pub priv_password_file: Option<Spanned<String>>,
    pub auth_master_key_file: Option<Spanned<String>>,
    pub priv_master_key_file: Option<Spanned<String>>,
    pub auth_key_file: Option<Spanned<String>>,
    pub priv_key_file: Option<Spanned<String>>,
    pub role: Option<Spanned<RoleNames>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Target {
    pub name: Spanned<String>,
    pub address: Spanned<String>,
    pub version: Option<Spanned<String>>,
    pub community: Option<Spanned<Secret>>,
    pub user: Option<Spanned<String>>,
    pub principal: Option<Spanned<String>>,
    pub fingerprint: Option<Spanned<String>>,
    pub server_name: Option<Spanned<String>>,
    pub level: Option<Spanned<String>>,
    pub kind: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
    pub retries: Option<Spanned<i64>>,
    pub filter: Option<Vec<Spanned<String>>>,
    pub context: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Tcp {
    pub max_connections: Option<Spanned<i64>>,
    pub max_connections_per_peer: Option<Spanned<i64>>,
    pub max_in_flight: Option<Spanned<i64>>,
    pub first_message_timeout: Option<Spanned<String>>,
    pub idle_timeout: Option<Spanned<String>>,
    pub message_timeout: Option<Spanned<String>>,
    pub write_timeout: Option<Spanned<String>>,
    pub max_handshakes: Option<Spanned<i64>>,
    pub handshake_timeout: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct View {
    pub name: Spanned<String>,
    pub rules: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Role {
    pub name: Spanned<String>,
    #[serde(default)]
    pub inherits: Vec<Spanned<String>>,
    #[serde(default)]
    pub administers: Vec<Spanned<String>>,
    #[serde(default)]
    pub members: Vec<Spanned<String>>,
    #[serde(default)]
    pub separate: bool,
    pub read: Option<Spanned<Rules>>,
    pub write: Option<Spanned<Rules>>,
    pub notify: Option<Spanned<Rules>>,
    pub level: Option<Spanned<String>>,
    pub context: Option<Spanned<String>>,
    pub model: Option<Spanned<String>>,
    #[serde(default)]
    pub access: Vec<Access>,
}

impl Role {
    /// One that only inherits.
    pub fn heir(name: Spanned<String>, inherits: Vec<Spanned<String>>) -> Self {
        Role {
            name,
            inherits,
            administers: Vec::new(),
            members: Vec::new(),
            separate: false,
            read: None,
            write: None,
            notify: None,
            level: None,
            context: None,
            model: None,
            access: Vec::new(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Access {
    pub read: Option<Spanned<Rules>>,
    pub write: Option<Spanned<Rules>>,
    pub notify: Option<Spanned<Rules>>,
    pub level: Option<Spanned<String>>,
    pub context: Option<Spanned<String>>,
    pub model: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Agentx {
    pub listen: Spanned<Vec<Spanned<String>>>,
    pub socket_mode: Option<Spanned<String>>,
    pub socket_user: Option<Spanned<String>>,
    pub socket_group: Option<Spanned<String>>,
    pub directory_mode: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Subagent {
    pub master: Spanned<String>,
    pub register: Option<Spanned<Vec<Spanned<String>>>>,
    pub priority: Option<Spanned<i64>>,
    pub user: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Monitor {
    pub name: Spanned<String>,
    pub expression: Spanned<String>,
    pub every: Option<Spanned<String>>,
    pub above: Option<Spanned<f64>>,
    pub below: Option<Spanned<f64>>,
    pub clear: Option<Spanned<f64>>,
    pub notification: Option<Spanned<String>>,
    pub send: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Trigger {
    pub name: Spanned<String>,
    pub comment: Option<Spanned<String>>,
    pub object: Spanned<String>,
    pub context: Option<Spanned<String>>,
    pub user: Option<Spanned<String>>,
    pub every: Option<Spanned<String>>,
    #[serde(default)]
    pub delta: bool,
    pub discontinuity: Option<Spanned<String>>,
    pub objects: Option<Vec<Spanned<String>>>,
    pub existence: Option<Existence>,
    pub boolean: Option<Boolean>,
    pub threshold: Option<Threshold>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Existence {
    pub test: Vec<Spanned<String>>,
    pub startup: Option<Vec<Spanned<String>>>,
    pub event: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Boolean {
    pub comparison: Spanned<String>,
    pub value: Spanned<i64>,
    pub startup: Option<bool>,
    pub event: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Threshold {
    pub rising: Spanned<i64>,
    pub falling: Spanned<i64>,
    pub delta_rising: Option<Spanned<i64>>,
    pub delta_falling: Option<Spanned<i64>>,
    pub startup: Option<Spanned<String>>,
    pub event: Option<Spanned<String>>,
    pub rising_event: Option<Spanned<String>>,
    pub falling_event: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Event {
    pub name: Spanned<String>,
    pub comment: Option<Spanned<String>>,
    pub notification: Option<Spanned<String>>,
    pub objects: Option<Vec<Spanned<String>>>,
    pub set: Option<EventSet>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct EventSet {
    pub object: Spanned<String>,
    pub value: Spanned<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Events {
    pub max_instances: Option<Spanned<i64>>,
    pub failures: bool,
    pub order: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Extend {
    pub name: Spanned<String>,
    pub command: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub shell: bool,
    pub cache: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
    pub oid: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Pass {
    pub oid: Spanned<String>,
    pub command: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub persistent: bool,
    pub timeout: Option<Spanned<String>>,
    pub priority: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Process {
    pub name: Spanned<String>,
    pub min: Option<Spanned<i64>>,
    pub max: Option<Spanned<i64>>,
    pub fix: Option<Spanned<Vec<Spanned<String>>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Exec {
    pub name: Spanned<String>,
    pub command: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub shell: bool,
    pub timeout: Option<Spanned<String>>,
    pub fix: Option<Spanned<Vec<Spanned<String>>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Disk {
    pub path: Spanned<String>,
    pub minimum: Option<Spanned<Minimum>>,
    pub shown: Option<Spanned<bool>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Load {
    #[serde(rename = "max-1")]
    pub max_1: Option<Spanned<f64>>,
    #[serde(rename = "max-5")]
    pub max_5: Option<Spanned<f64>>,
    #[serde(rename = "max-15")]
    pub max_15: Option<Spanned<f64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct DiskIo {
    pub devices: Vec<Spanned<String>>,
    pub exclude: Vec<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Storage {
    pub network_disks: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct File {
    pub path: Spanned<String>,
    pub max: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LogMatch {
    pub name: Spanned<String>,
    pub path: Spanned<String>,
    pub pattern: Spanned<String>,
    pub every: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Bridge {
    pub name: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Swap {
    pub minimum: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Proxy {
    pub address: Spanned<String>,
    pub version: Option<Spanned<String>>,
    pub community: Option<Spanned<Secret>>,
    pub user: Option<Spanned<String>>,
    pub principal: Option<Spanned<String>>,
    pub fingerprint: Option<Spanned<String>>,
    pub server_name: Option<Spanned<String>>,
    pub level: Option<Spanned<String>>,
    pub subtree: Option<Spanned<String>>,
    pub remote_subtree: Option<Spanned<String>>,
    pub context: Option<Spanned<String>>,
    pub remote_context: Option<Spanned<String>>,
    pub timeout: Option<Spanned<String>>,
    pub retries: Option<Spanned<i64>>,
}

/// A text that no message shows.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

/// A list of rules, or the name of a view.
#[derive(Debug)]
pub(super) enum Rules {
    Name(String),
    List(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Rules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of subtrees or the name of a view")
            }

            fn visit_str<E>(self, name: &str) -> Result<Rules, E> {
                Ok(Rules::Name(name.to_string()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Rules, A::Error> {
                let mut rules = Vec::new();
                while let Some(rule) = list.next_element()? {
                    rules.push(rule);
                }
                Ok(Rules::List(rules))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The name of a role, or of several.
#[derive(Debug)]
pub(super) enum RoleNames {
    One(String),
    Several(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for RoleNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = RoleNames;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a role or a list of roles")
            }

            fn visit_str<E>(self, name: &str) -> Result<RoleNames, E> {
                Ok(RoleNames::One(name.to_string()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RoleNames, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(RoleNames::Several(names))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The least free space: kilobytes, or a text such as `"10%"`.
#[derive(Debug)]
pub(super) enum Minimum {
    Number(i64),
    Text(String),
}

impl<'de> Deserialize<'de> for Minimum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Minimum;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of kilobytes, or a percentage such as \"10%\"")
            }

            fn visit_i64<E>(self, number: i64) -> Result<Minimum, E> {
                Ok(Minimum::Number(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Minimum, E> {
                Ok(Minimum::Text(text.to_string()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

//! Modules whose data the agent makes itself: no objects of SMIv2 stand behind them. Their texts are the RFCs'; here is what of
//! them is served.

use trunkline_smi::schema::Syntax;

pub use self::bgp::BGP;
pub use self::delegation::{COMPARISONS, DELEGATION, MONITOR_SAMPLES, SAMPLES, STARTUPS, VALUE_TYPES};
pub use self::deviations::DEVIATIONS;
pub use self::events::{EVENTS, NETCONF_EVENTS, NOTIFICATIONS, STREAMS};
pub use self::hardware::{HARDWARE, IANA_HARDWARE};
pub use self::interfaces::{IANA_IF_TYPE, INTERFACE_STATUS, INTERFACES, IP};
pub use self::keys::KEYS;
pub use self::nacm::NACM;
pub use self::paper::{PAPER, configured_in};
pub use self::push::{PUSH, SUBSCRIBED};
pub use self::rbac::RBAC;
pub use self::restconf::RESTCONF_MONITORING;
pub use self::routing::{IPV4_ROUTING, IPV6_ROUTING, PROTOCOLS, ROUTING};
pub use self::rule::Rule;
pub use self::snmp::{
    CERT_TO_NAME, LEVELS, MAP_TYPES, MODELS, MODELS_OR_ANY, SNMP, SUBMODULES as SNMP_SUBMODULES,
};
pub use self::system::SYSTEM;
pub use self::texts::texts;
use crate::value_type::ValueType;

mod bgp;
mod delegation;
mod deviations;
mod events;
mod hardware;
pub mod identities;
mod interfaces;
mod keys;
mod nacm;
pub mod operations;
mod paper;
mod push;
mod rbac;
mod restconf;
mod routing;
mod rule;
mod snmp;
mod system;
mod texts;

/// Octets of a role's name, in the configuration and in the names of keys: those of vacmGroupName (RFC 3415).
pub const ROLE_NAME_OCTETS: usize = 32;
const ROLE_NAME: ValueType = ValueType::Word(ROLE_NAME_OCTETS);

/// All of them: a module that adds to another's data is before it.
pub static ALL: [&OwnModule; 37] = [
    &MONITORING,
    &NACM,
    &RESTCONF_MONITORING,
    &LIBRARY,
    &SYSTEM,
    &IANA_IF_TYPE,
    &IP,
    &INTERFACES,
    &NOTIFICATIONS,
    &STREAMS,
    &NETCONF_EVENTS,
    &PUSH,
    &SUBSCRIBED,
    &operations::NETCONF,
    &operations::WITH_DEFAULTS,
    &operations::PARTIAL_LOCK,
    &operations::DATASTORES,
    &operations::ORIGINS,
    &operations::NMDA,
    &operations::OWN_ORIGINS,
    &operations::SYSTEM_CAPABILITIES,
    &operations::PAGINATION,
    &operations::PAGINATION_NC,
    &operations::YANG_PATCH,
    &PAPER,
    &PROTOCOLS,
    &IPV4_ROUTING,
    &IPV6_ROUTING,
    &ROUTING,
    &BGP,
    &KEYS,
    &RBAC,
    &IANA_HARDWARE,
    &HARDWARE,
    &CERT_TO_NAME,
    &SNMP,
    &DELEGATION,
];

/// A module.
#[derive(Debug)]
pub struct OwnModule {
    /// `ietf-netconf-monitoring`.
    pub name: &'static str,
    /// Its namespace.
    pub namespace: &'static str,
    /// The prefix of its own names.
    pub prefix: &'static str,
    /// Its revision, a date.
    pub revision: &'static str,
    /// Its features that are served.
    pub features: &'static [&'static str],
    /// The data.
    pub nodes: &'static [OwnNode],
    /// The notifications: each is as a container.
    pub notifications: &'static [OwnNode],
}

impl OwnModule {
    /// The objects that its configuration is of, in the order of its data: one of several nodes is there as often.
    pub fn objects(&self) -> Vec<&'static [u32]> {
        fn add(nodes: &'static [OwnNode], objects: &mut Vec<&'static [u32]>) {
            for node in nodes {
                objects.extend(node.setting.as_ref().map(|setting| setting.object));
                add(node.children(), objects);
            }
        }
        let mut objects = Vec::new();
        add(self.nodes, &mut objects);
        objects
    }
}

/// A node of data.
#[derive(Debug)]
pub struct OwnNode {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: OwnKind,
    /// The module that adds it to another one's data.
    pub of: Option<&'static OwnModule>,
    /// What of it can be configured; `None` of state, and of what has no values.
    pub setting: Option<Setting>,
    /// If its values have prefixes, which.
    pub prefixes: Option<Prefixes>,
    /// Of a leaf, how many values it has.
    pub values: Values,
    /// The case of a choice that it belongs to, from 1; 0 of all others. A choice is mandatory, and alone in its container.
    pub case: u8,
    /// Whether users choose the order of a list's entries or of a leaf-list's values (RFC 7950 section 7.7.7).
    pub is_ordered: bool,
    /// What a configuration with it must fulfil.
    pub rules: &'static [Rule],
}

/// Prefixes in the values of a leaf of state.
#[derive(Debug, Clone, Copy)]
pub enum Prefixes {
    /// Of identities: this one, and its namespace.
    Identity(&'static str, &'static str),
    /// Of identities of the leaf's own module: none.
    OwnIdentity,
    /// Of identities of several modules: those of the modules, and none of the leaf's own.
    Identities,
    /// Of expressions: those of the modules.
    Nodes,
    /// Of paths to instances: the same, and in JSON only where the module changes (RFC 7951 section 6.11).
    Path,
}

/// How many values a leaf has. XML does not show it, JSON does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One.
    One,
    /// Any number: it is a leaf-list.
    Many,
    /// None: it is of type `empty`.
    None,
}

/// A leaf that can be configured.
#[derive(Debug)]
pub struct Setting {
    /// Its values.
    pub value: ValueType,
    /// Whether what it is in must have it.
    pub is_mandatory: bool,
    /// Its value where nobody has set one.
    pub default: Option<&'static str>,
    /// Who may read and write this object may read and write the leaf.
    pub object: &'static [u32],
    /// Whether it is a key or the like: nobody reads it.
    pub is_secret: bool,
}

/// A container, a list, a leaf or a leaf-list.
#[derive(Debug)]
pub enum OwnKind {
    /// A container.
    Container(&'static [OwnNode]),
    /// A container whose presence means something.
    Presence(&'static [OwnNode]),
    /// A list: the names of its keys, which are its first nodes, and all its nodes.
    List(&'static [&'static str], &'static [OwnNode]),
    /// A leaf, or a leaf-list, with the syntax of its values.
    Leaf(Syntax),
}

impl OwnNode {
    /// What is in it.
    pub const fn children(&self) -> &'static [OwnNode] {
        match &self.kind {
            OwnKind::Container(nodes) | OwnKind::Presence(nodes) | OwnKind::List(_, nodes) => nodes,
            OwnKind::Leaf(_) => &[],
        }
    }

    /// What values it has, if it is a leaf.
    pub const fn syntax(&'static self) -> Option<&'static Syntax> {
        match &self.kind {
            OwnKind::Leaf(syntax) => Some(syntax),
            OwnKind::Container(_) | OwnKind::Presence(_) | OwnKind::List(..) => None,
        }
    }

    /// Whether it or anything in it can be configured.
    pub fn is_configuration(&self) -> bool {
        self.setting.is_some() || self.children().iter().any(OwnNode::is_configuration)
    }

    /// The same of another module's data.
    const fn of(mut self, module: &'static OwnModule) -> OwnNode {
        self.of = Some(module);
        self
    }

    /// The same as a leaf-list.
    const fn many(mut self) -> OwnNode {
        self.values = Values::Many;
        self
    }

    /// The same of type `empty`.
    const fn empty(mut self) -> OwnNode {
        self.values = Values::None;
        self
    }

    /// The same in a case of a choice.
    const fn case(mut self, case: u8) -> OwnNode {
        self.case = case;
        self
    }

    /// The same in the order of its users.
    const fn ordered(mut self) -> OwnNode {
        self.is_ordered = true;
        self
    }

    /// The same with what a configuration must fulfil.
    const fn rules(mut self, rules: &'static [Rule]) -> OwnNode {
        self.rules = rules;
        self
    }

    const fn mandatory(mut self) -> OwnNode {
        if let Some(setting) = &mut self.setting {
            setting.is_mandatory = true;
        }
        self
    }

    const fn default(mut self, value: &'static str) -> OwnNode {
        if let Some(setting) = &mut self.setting {
            setting.default = Some(value);
        }
        self
    }
}

const fn node(name: &'static str, kind: OwnKind) -> OwnNode {
    let (of, setting, prefixes) = (None, None, None);
    OwnNode { name, kind, of, setting, prefixes, values: Values::One, case: 0, is_ordered: false, rules: &[] }
}

const fn presence(name: &'static str, nodes: &'static [OwnNode]) -> OwnNode {
    node(name, OwnKind::Presence(nodes))
}

/// A leaf that can be configured, and the object whose rights are its.
const fn setting(name: &'static str, value: ValueType, object: &'static [u32]) -> OwnNode {
    let setting = Setting { value, is_mandatory: false, default: None, object, is_secret: false };
    OwnNode { setting: Some(setting), ..text(name) }
}

/// The same of a leaf that nobody reads.
const fn secret(name: &'static str, value: ValueType, object: &'static [u32]) -> OwnNode {
    let setting = Setting { value, is_mandatory: false, default: None, object, is_secret: true };
    OwnNode { setting: Some(setting), ..text(name) }
}

/// A leaf of state whose values are identities of one module.
const fn identity(name: &'static str, module: (&'static str, &'static str)) -> OwnNode {
    OwnNode { prefixes: Some(Prefixes::Identity(module.0, module.1)), ..text(name) }
}

/// A leaf of state whose values are identities of its own module.
const fn own_identity(name: &'static str) -> OwnNode {
    OwnNode { prefixes: Some(Prefixes::OwnIdentity), ..text(name) }
}

/// A leaf of state whose values are identities of several modules.
const fn any_identity(name: &'static str) -> OwnNode {
    OwnNode { prefixes: Some(Prefixes::Identities), ..text(name) }
}

/// A leaf of state whose values are paths to instances.
const fn paths(name: &'static str) -> OwnNode {
    OwnNode { prefixes: Some(Prefixes::Path), ..text(name) }
}

/// A leaf of state whose values are expressions.
const fn nodes(name: &'static str) -> OwnNode {
    OwnNode { prefixes: Some(Prefixes::Nodes), ..text(name) }
}

const fn container(name: &'static str, nodes: &'static [OwnNode]) -> OwnNode {
    node(name, OwnKind::Container(nodes))
}

const fn list(name: &'static str, keys: &'static [&'static str], nodes: &'static [OwnNode]) -> OwnNode {
    node(name, OwnKind::List(keys, nodes))
}

const fn text(name: &'static str) -> OwnNode {
    node(name, OwnKind::Leaf(Syntax::SNMP_ADMIN_STRING))
}

const fn number(name: &'static str) -> OwnNode {
    node(name, OwnKind::Leaf(Syntax::UNSIGNED32))
}

const fn boolean(name: &'static str) -> OwnNode {
    node(name, OwnKind::Leaf(Syntax::TRUTH_VALUE))
}

/// A module that others import. Where texts are is not known: locations are never there.
const IMPORTED: [OwnNode; 5] = [
    text("name"),
    text("revision"),
    text("namespace"),
    text("location").many(),
    list("submodule", &["name"], &SUBMODULE),
];
const SUBMODULE: [OwnNode; 3] = [text("name"), text("revision"), text("location").many()];

/// ietf-yang-library (RFC 8525), with what clients of RFC 7895 read.
pub static LIBRARY: OwnModule = OwnModule {
    name: "ietf-yang-library",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-yang-library",
    prefix: "yanglib",
    revision: "2019-01-04",
    features: &[],
    notifications: &[],
    nodes: &[
        container(
            "yang-library",
            &[
                list(
                    "module-set",
                    &["name"],
                    &[
                        text("name"),
                        list(
                            "module",
                            &["name"],
                            &[
                                text("name"),
                                text("revision"),
                                text("namespace"),
                                text("location").many(),
                                list("submodule", &["name"], &SUBMODULE),
                                text("feature").many(),
                                text("deviation").many(),
                            ],
                        ),
                        list("import-only-module", &["name", "revision"], &IMPORTED),
                    ],
                ),
                list("schema", &["name"], &[text("name"), text("module-set").many()]),
                list("datastore", &["name"], &[identity("name", operations::DATASTORE), text("schema")]),
                text("content-id"),
            ],
        ),
        container(
            "modules-state",
            &[
                text("module-set-id"),
                list(
                    "module",
                    &["name", "revision"],
                    &[
                        text("name"),
                        text("revision"),
                        text("schema"),
                        text("namespace"),
                        text("feature").many(),
                        list("deviation", &["name", "revision"], &[text("name"), text("revision")]),
                        text("conformance-type"),
                        list(
                            "submodule",
                            &["name", "revision"],
                            &[text("name"), text("revision"), text("schema")],
                        ),
                    ],
                ),
            ],
        ),
    ],
};

/// ietf-netconf-monitoring (RFC 6022).
pub static MONITORING: OwnModule = OwnModule {
    name: "ietf-netconf-monitoring",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring",
    prefix: "ncm",
    revision: "2010-10-04",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "netconf-state",
        &[
            container("capabilities", &[text("capability").many()]),
            container(
                "datastores",
                &[list(
                    "datastore",
                    &["name"],
                    &[
                        text("name"),
                        presence(
                            "locks",
                            &[
                                container("global-lock", &[number("locked-by-session"), text("locked-time")]),
                                list(
                                    "partial-lock",
                                    &["lock-id"],
                                    &[
                                        number("lock-id"),
                                        number("locked-by-session"),
                                        text("locked-time"),
                                        nodes("select").many(),
                                        paths("locked-node").many(),
                                    ],
                                ),
                            ],
                        ),
                    ],
                )],
            ),
            container(
                "schemas",
                &[list(
                    "schema",
                    &["identifier", "version", "format"],
                    &[
                        text("identifier"),
                        text("version"),
                        own_identity("format"),
                        text("namespace"),
                        text("location").many(),
                    ],
                )],
            ),
            container(
                "sessions",
                &[list(
                    "session",
                    &["session-id"],
                    &[
                        number("session-id"),
                        any_identity("transport"),
                        text("username"),
                        text("source-host"),
                        text("login-time"),
                        number("in-rpcs"),
                        number("in-bad-rpcs"),
                        number("out-rpc-errors"),
                        number("out-notifications"),
                    ],
                )],
            ),
            container(
                "statistics",
                &[
                    text("netconf-start-time"),
                    number("in-bad-hellos"),
                    number("in-sessions"),
                    number("dropped-sessions"),
                    number("in-rpcs"),
                    number("in-bad-rpcs"),
                    number("out-rpc-errors"),
                    number("out-notifications"),
                ],
            ),
        ],
    )],
};

//! Modules whose data the agent makes itself: no objects of SMIv2 stand behind them. Their texts are the RFCs'; here is what of
//! them is served.

use trunkline_smi::schema::Syntax;

/// All of them.
pub static ALL: [&OwnModule; 2] = [&MONITORING, &LIBRARY];

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
    /// The data.
    pub nodes: &'static [OwnNode],
}

/// A node of data.
#[derive(Debug)]
pub struct OwnNode {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: OwnKind,
}

/// A container, a list, a leaf or a leaf-list.
#[derive(Debug)]
pub enum OwnKind {
    /// A container.
    Container(&'static [OwnNode]),
    /// A list: the names of its keys, which are its first nodes, and all its nodes.
    List(&'static [&'static str], &'static [OwnNode]),
    /// A leaf, or a leaf-list, with the syntax of its values.
    Leaf(Syntax),
}

impl OwnNode {
    /// What is in it.
    pub const fn children(&self) -> &'static [OwnNode] {
        match &self.kind {
            OwnKind::Container(nodes) | OwnKind::List(_, nodes) => nodes,
            OwnKind::Leaf(_) => &[],
        }
    }

    /// What values it has, if it is a leaf.
    pub const fn syntax(&'static self) -> Option<&'static Syntax> {
        match &self.kind {
            OwnKind::Leaf(syntax) => Some(syntax),
            OwnKind::Container(_) | OwnKind::List(..) => None,
        }
    }
}

const fn container(name: &'static str, nodes: &'static [OwnNode]) -> OwnNode {
    OwnNode { name, kind: OwnKind::Container(nodes) }
}

const fn list(name: &'static str, keys: &'static [&'static str], nodes: &'static [OwnNode]) -> OwnNode {
    OwnNode { name, kind: OwnKind::List(keys, nodes) }
}

const fn text(name: &'static str) -> OwnNode {
    OwnNode { name, kind: OwnKind::Leaf(Syntax::SNMP_ADMIN_STRING) }
}

const fn number(name: &'static str) -> OwnNode {
    OwnNode { name, kind: OwnKind::Leaf(Syntax::UNSIGNED32) }
}

/// A module that has a namespace and perhaps a revision.
const LISTED: [OwnNode; 3] = [text("name"), text("revision"), text("namespace")];

/// ietf-yang-library (RFC 8525), with what clients of RFC 7895 read.
pub static LIBRARY: OwnModule = OwnModule {
    name: "ietf-yang-library",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-yang-library",
    prefix: "yanglib",
    revision: "2019-01-04",
    nodes: &[
        container(
            "yang-library",
            &[
                list(
                    "module-set",
                    &["name"],
                    &[
                        text("name"),
                        list("module", &["name"], &LISTED),
                        list("import-only-module", &["name", "revision"], &LISTED),
                    ],
                ),
                list("schema", &["name"], &[text("name"), text("module-set")]),
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
                    &[text("name"), text("revision"), text("namespace"), text("conformance-type")],
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
    nodes: &[container(
        "netconf-state",
        &[
            container("capabilities", &[text("capability")]),
            container(
                "datastores",
                &[list(
                    "datastore",
                    &["name"],
                    &[
                        text("name"),
                        container(
                            "locks",
                            &[container("global-lock", &[number("locked-by-session"), text("locked-time")])],
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
                        text("format"),
                        text("namespace"),
                        text("location"),
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
                        text("transport"),
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

//! Modules of operations, of identities and of annotations: none has data of its own.

use super::OwnModule;
use crate::annotation::{ORIGIN, OWN_ORIGIN};

/// The prefix and the namespace of the names of datastores.
pub const DATASTORE: (&str, &str) = ("ds", "urn:ietf:params:xml:ns:yang:ietf-datastores");

/// ietf-netconf (RFC 6241 section 10): the operations.
pub static NETCONF: OwnModule = OwnModule {
    features: &[
        "writable-running",
        "candidate",
        "confirmed-commit",
        "rollback-on-error",
        "validate",
        "xpath",
    ],
    ..module("ietf-netconf", "urn:ietf:params:xml:ns:netconf:base:1.0", "nc", "2011-06-01")
};

/// The feature of [`NETCONF`] that an agent has if clients may name files.
pub const URL: &str = "url";

/// ietf-netconf-with-defaults (RFC 6243).
pub static WITH_DEFAULTS: OwnModule = module(
    "ietf-netconf-with-defaults",
    "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults",
    "ncwd",
    "2011-06-01",
);

/// ietf-netconf-partial-lock (RFC 5717).
pub static PARTIAL_LOCK: OwnModule = module(
    "ietf-netconf-partial-lock",
    "urn:ietf:params:xml:ns:netconf:partial-lock:1.0",
    "pl",
    "2009-10-19",
);

/// ietf-datastores (RFC 8342).
pub static DATASTORES: OwnModule = module("ietf-datastores", DATASTORE.1, DATASTORE.0, "2018-02-14");

/// ietf-origin (RFC 8342).
pub static ORIGINS: OwnModule = module("ietf-origin", ORIGIN.1, ORIGIN.0, "2018-02-14");

/// ietf-netconf-nmda (RFC 8526): `get-data` and `edit-data`.
pub static NMDA: OwnModule = OwnModule {
    features: &["origin", "with-defaults"],
    ..module("ietf-netconf-nmda", "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda", "ncds", "2019-01-07")
};

/// ietf-list-pagination (draft-ietf-netconf-list-pagination-08): what is known of a page.
pub static PAGINATION: OwnModule = OwnModule {
    features: &["sort"],
    ..module("ietf-list-pagination", "urn:ietf:params:xml:ns:yang:ietf-list-pagination", "lpg", "2025-04-03")
};

/// ietf-list-pagination-nc (draft-ietf-netconf-list-pagination-nc-11): pages in requests.
pub static PAGINATION_NC: OwnModule = module(
    "ietf-list-pagination-nc",
    "urn:ietf:params:xml:ns:yang:ietf-list-pagination-nc",
    "pgnc",
    "2025-04-03",
);

/// Modules that are not in an RFC yet.
pub const OF_DRAFTS: [&str; 2] = ["ietf-list-pagination", "ietf-list-pagination-nc"];

/// ietf-system-capabilities (RFC 9196), which [`PAGINATION`] adds to. None of its data is served: all of it is optional.
pub static SYSTEM_CAPABILITIES: OwnModule = module(
    "ietf-system-capabilities",
    "urn:ietf:params:xml:ns:yang:ietf-system-capabilities",
    "sysc",
    "2022-02-17",
);

/// ietf-yang-patch (RFC 8072): the media types and their templates.
pub static YANG_PATCH: OwnModule =
    module("ietf-yang-patch", "urn:ietf:params:xml:ns:yang:ietf-yang-patch", "ypatch", "2017-02-22");

/// What the agent's configuration file has set.
pub static OWN_ORIGINS: OwnModule = module("trunkline-origin", OWN_ORIGIN.1, OWN_ORIGIN.0, "2026-11-25");

const fn module(
    name: &'static str,
    namespace: &'static str,
    prefix: &'static str,
    revision: &'static str,
) -> OwnModule {
    OwnModule { name, namespace, prefix, revision, features: &[], nodes: &[], notifications: &[] }
}

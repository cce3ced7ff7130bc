//! ietf-restconf-monitoring (RFC 8040 section 9.3).

use super::{OwnModule, boolean, container, list, text};

/// The module.
pub static RESTCONF_MONITORING: OwnModule = OwnModule {
    name: "ietf-restconf-monitoring",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-restconf-monitoring",
    prefix: "rcmon",
    revision: "2017-01-26",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "restconf-state",
        &[
            container("capabilities", &[text("capability").many()]),
            container(
                "streams",
                &[list(
                    "stream",
                    &["name"],
                    &[
                        text("name"),
                        text("description"),
                        boolean("replay-support"),
                        text("replay-log-creation-time"),
                        list("access", &["encoding"], &[text("encoding"), text("location")]),
                    ],
                )],
            ),
        ],
    )],
};

//! ietf-netconf-acm (RFC 8341): the access policy in the words of NETCONF. Groups with their users can be configured; rules are what the
//! policy's views say.

use super::{OwnModule, OwnNode, boolean, container, list, number, paths, setting, text};
use crate::value_type::ValueType;

/// The module.
pub static NACM: OwnModule = OwnModule {
    name: "ietf-netconf-acm",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-netconf-acm",
    prefix: "nacm",
    revision: "2018-02-14",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "nacm",
        &[
            boolean("enable-nacm"),
            text("read-default"),
            text("write-default"),
            text("exec-default"),
            boolean("enable-external-groups"),
            number("denied-operations"),
            number("denied-data-writes"),
            number("denied-notifications"),
            container(
                "groups",
                &[list(
                    "group",
                    &["name"],
                    &[
                        setting("name", ValueType::Text(32), GROUPS),
                        setting("user-name", ValueType::Text(32), GROUPS).many(),
                    ],
                )],
            ),
            list(
                "rule-list",
                &["name"],
                &[text("name"), text("group").many(), list("rule", &["name"], &RULE)],
            ),
        ],
    )],
};

static RULE: [OwnNode; 8] = [
    text("name"),
    text("module-name"),
    text("rpc-name"),
    text("notification-name"),
    paths("path"),
    text("access-operations"),
    text("action"),
    text("comment"),
];

/// vacmSecurityToGroupTable.
const GROUPS: &[u32] = &[1, 3, 6, 1, 6, 3, 16, 1, 2];

//! ietf-system (RFC 7317): who the system is, what it runs on, and its clocks. Its section 4 says which objects of SNMP's
//! `system` group are the same.

use super::{OwnModule, container, setting, text};
use crate::value_type::ValueType;

/// The module.
pub static SYSTEM: OwnModule = OwnModule {
    name: "ietf-system",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-system",
    prefix: "sys",
    revision: "2014-08-06",
    features: &[],
    notifications: &[],
    nodes: &[
        container(
            "system",
            &[
                setting("contact", ValueType::Text(255), &[1, 3, 6, 1, 2, 1, 1, 4]),
                setting("hostname", ValueType::DomainName, &[1, 3, 6, 1, 2, 1, 1, 5]),
                setting("location", ValueType::Text(255), &[1, 3, 6, 1, 2, 1, 1, 6]),
            ],
        ),
        container(
            "system-state",
            &[
                container(
                    "platform",
                    &[text("os-name"), text("os-release"), text("os-version"), text("machine")],
                ),
                container("clock", &[text("current-datetime"), text("boot-datetime")]),
            ],
        ),
    ],
};

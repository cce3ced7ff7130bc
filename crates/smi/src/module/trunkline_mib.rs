//! TRUNKLINE-MIB: objects of this agent alone. It has no number from IANA yet and is under the experimental arc
//! (`docs/decisions/0011`).

pub mod groups;

use crate::schema::MaxAccess::AccessibleForNotify;
use crate::schema::{Module, Node, Notification, Scalar, Syntax};

/// TRUNKLINE-MIB.
pub static MODULE: Module = Module {
    name: "TRUNKLINE-MIB",
    reference: "docs/decisions/0011",
    nodes: &[
        Node { name: "trunkline", oid: &[1, 3, 6, 1, 3, 9161] },
        Node { name: "trunklineNotifications", oid: &[1, 3, 6, 1, 3, 9161, 0] },
        Node { name: "trunklineMonitor", oid: &[1, 3, 6, 1, 3, 9161, 1] },
        Node { name: "trunklineDomains", oid: &[1, 3, 6, 1, 3, 9161, 2] },
        Node { name: "trunklineGroups", oid: &[1, 3, 6, 1, 3, 9161, 4] },
        Node { name: "snmpHTTPDomain", oid: SNMP_HTTP_DOMAIN },
        Node { name: "snmpHTTPSDomain", oid: SNMP_HTTPS_DOMAIN },
    ],
    scalars: &[
        MONITOR_NAME,
        MONITOR_VALUE,
        MONITOR_THRESHOLD,
        groups::GROUP_STRANGERS,
        groups::GROUP_PASSED_ON,
        groups::GROUP_VALUES_LEFT_OUT,
        groups::GROUP_NOTIFY_GROUP,
        groups::GROUP_NOTIFY_MEMBER,
        groups::GROUP_NOTIFY_REASON,
    ],
    tables: &[
        groups::GROUP_TABLE,
        groups::GROUP_MEMBER_TABLE,
        groups::GROUP_AGGREGATE_TABLE,
        groups::GROUP_VALUE_TABLE,
    ],
    notifications: &[
        MONITOR_RISING,
        MONITOR_FALLING,
        groups::GROUP_MEMBER_DOWN,
        groups::GROUP_MEMBER_UP,
        groups::GROUP_TAKEN_OVER,
        groups::GROUP_GIVEN_BACK,
    ],
};

/// SNMP inside SOAP over HTTP: a TAddress as SnmpTLSAddress of RFC 6353 has it.
pub const SNMP_HTTP_DOMAIN: &[u32] = &[1, 3, 6, 1, 3, 9161, 2, 1];

/// The same over HTTPS.
pub const SNMP_HTTPS_DOMAIN: &[u32] = &[1, 3, 6, 1, 3, 9161, 2, 2];

/// The name of the monitor, as configured.
pub const MONITOR_NAME: Scalar =
    Scalar::new("monitorName", &[1, 3, 6, 1, 3, 9161, 1, 1], AccessibleForNotify, Syntax::SNMP_ADMIN_STRING);

/// The value of the monitor's expression, a decimal number.
pub const MONITOR_VALUE: Scalar =
    Scalar::new("monitorValue", &[1, 3, 6, 1, 3, 9161, 1, 2], AccessibleForNotify, Syntax::SNMP_ADMIN_STRING);

/// The threshold that was crossed, a decimal number.
pub const MONITOR_THRESHOLD: Scalar = Scalar::new(
    "monitorThreshold",
    &[1, 3, 6, 1, 3, 9161, 1, 3],
    AccessibleForNotify,
    Syntax::SNMP_ADMIN_STRING,
);

/// The value has risen above the threshold.
pub const MONITOR_RISING: Notification = Notification {
    name: "monitorRising",
    oid: &[1, 3, 6, 1, 3, 9161, 0, 1],
    objects: &["monitorName", "monitorValue", "monitorThreshold"],
};

/// The value has fallen below the threshold.
pub const MONITOR_FALLING: Notification = Notification {
    name: "monitorFalling",
    oid: &[1, 3, 6, 1, 3, 9161, 0, 2],
    objects: &["monitorName", "monitorValue", "monitorThreshold"],
};

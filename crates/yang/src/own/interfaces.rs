//! ietf-interfaces (RFC 8343), iana-if-type (RFC 7224) and ietf-ip (RFC 8344), in their revisions for one tree of configuration
//! and state.

use super::{OwnModule, OwnNode, Rule, container, list, number, presence, setting, text};
use crate::value_type::ValueType;

/// The types of interfaces: identities alone.
pub static IANA_IF_TYPE: OwnModule = OwnModule {
    name: "iana-if-type",
    namespace: "urn:ietf:params:xml:ns:yang:iana-if-type",
    prefix: "ianaift",
    revision: "2014-05-08",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// Addresses of interfaces, which are in those.
pub static IP: OwnModule = OwnModule {
    name: "ietf-ip",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-ip",
    prefix: "ip",
    revision: "2018-02-22",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// Interfaces.
pub static INTERFACES: OwnModule = OwnModule {
    name: "ietf-interfaces",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-interfaces",
    prefix: "if",
    revision: "2018-02-20",
    features: &["if-mib", "pre-provisioning"],
    notifications: &[],
    nodes: &[container(
        "interfaces",
        &[list(
            "interface",
            &["name"],
            &[
                // Linux has at most 15 octets.
                setting("name", ValueType::Text(255), IF_NAME),
                setting("description", ValueType::Text(255), &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 18]),
                setting("type", ValueType::InterfaceType, &[1, 3, 6, 1, 2, 1, 2, 2, 1, 3]).mandatory(),
                setting("enabled", ValueType::Boolean, IF_ADMIN_STATUS).default("true"),
                text("admin-status"),
                text("oper-status"),
                text("last-change"),
                number("if-index"),
                text("phys-address"),
                text("speed"),
                container("statistics", &STATISTICS),
                presence("ipv4", &IPV4).of(&IP),
                presence("ipv6", &IPV6).of(&IP),
            ],
        )],
    )],
};

const STATISTICS: [OwnNode; 14] = [
    text("discontinuity-time"),
    text("in-octets"),
    text("in-unicast-pkts"),
    text("in-broadcast-pkts"),
    text("in-multicast-pkts"),
    number("in-discards"),
    number("in-errors"),
    number("in-unknown-protos"),
    text("out-octets"),
    text("out-unicast-pkts"),
    text("out-broadcast-pkts"),
    text("out-multicast-pkts"),
    number("out-discards"),
    number("out-errors"),
];

const IPV4: [OwnNode; 2] = [
    setting("mtu", ValueType::Number(68, 65535), IF_MTU),
    list(
        "address",
        &["ip"],
        &[
            setting("ip", ValueType::Ipv4, IP_ADDRESS),
            setting("prefix-length", ValueType::Number(0, 32), IP_ADDRESS).case(1),
            text("origin"),
        ],
    )
    .rules(&[Rule::Choice("subnet")]),
];

const IPV6: [OwnNode; 2] = [
    number("mtu"),
    list(
        "address",
        &["ip"],
        &[
            setting("ip", ValueType::Ipv6, IP_ADDRESS),
            setting("prefix-length", ValueType::Number(0, 128), IP_ADDRESS).mandatory(),
            text("origin"),
        ],
    ),
];

/// ifAdminStatus and ifOperStatus from 1.
pub const INTERFACE_STATUS: [&str; 7] =
    ["up", "down", "testing", "unknown", "dormant", "not-present", "lower-layer-down"];

const IF_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1];
const IF_ADMIN_STATUS: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1, 7];
const IF_MTU: &[u32] = &[1, 3, 6, 1, 2, 1, 2, 2, 1, 4];
/// ipAddressIfIndex.
const IP_ADDRESS: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 34, 1, 3];

//! trunkline-bgp: routers of BGP. Names are those of the IETF's draft of a model (draft-ietf-idr-bgp-model), as far as it has them; what
//! is configured is applied by a program of the operator (a hook).

use super::{OwnModule, OwnNode, Rule, container, list, number, presence, setting, text};
use crate::value_type::ValueType;

/// The module.
pub static BGP: OwnModule = OwnModule {
    name: "trunkline-bgp",
    namespace: "urn:trunkline:yang:bgp",
    prefix: "tlb",
    revision: "2026-11-25",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "bgp",
        &[
            presence(
                "global",
                &[
                    setting("as", AS, LOCAL_AS).mandatory(),
                    setting("identifier", ValueType::Ipv4, IDENTIFIER),
                    container("afi-safis", &[list("afi-safi", &["name"], &FAMILY)]),
                ],
            ),
            container("neighbors", &[list("neighbor", &["remote-address"], &NEIGHBOR)])
                .rules(&[Rule::Must("../global or not(neighbor)", "neighbors need global, with the AS")]),
            container("policies", &[list("policy", &["name"], &POLICY)]),
        ],
    )],
};

const FAMILY: [OwnNode; 3] = [
    setting("name", FAMILIES, NETWORK),
    setting("enabled", ValueType::Boolean, NETWORK).default("true"),
    list("network", &["prefix"], &[setting("prefix", ValueType::IpPrefix, NETWORK)]).rules(&[Rule::Must(
        "contains(prefix, ':') = (../name = 'ipv6-unicast')",
        "a network is of the address family that it is in",
    )]),
];

const NEIGHBOR: [OwnNode; 10] = [
    setting("remote-address", ValueType::Ip, PEER),
    setting("peer-as", AS, PEER).mandatory(),
    setting("description", ValueType::Text(255), PEER),
    setting("enabled", ValueType::Boolean, PEER).default("true"),
    container(
        "timers",
        &[
            setting("hold-time", ValueType::Number(0, 65535), PEER).default("90"),
            setting("keepalive", ValueType::Number(0, 65535), PEER).default("30"),
        ],
    )
    .rules(&[
        // RFC 4271 section 4.2.
        Rule::Must("hold-time = 0 or hold-time >= 3", "hold-time is 0, or at least 3 seconds"),
        Rule::Must("hold-time = 0 or keepalive <= hold-time", "keepalive is at most hold-time"),
    ]),
    container("secure-session", &[setting("md5-keychain", ValueType::Word(63), PEER)]),
    container(
        "afi-safis",
        &[list(
            "afi-safi",
            &["name"],
            &[
                setting("name", FAMILIES, PEER).rules(&[Rule::Reference(&[
                    "bgp",
                    "global",
                    "afi-safis",
                    "afi-safi",
                    "name",
                ])]),
                setting("enabled", ValueType::Boolean, PEER).default("true"),
                container("prefixes", &[number("received"), number("sent")]),
            ],
        )],
    ),
    container(
        "apply-policy",
        &[
            setting("import-policy", ValueType::Word(63), PEER).many().ordered().rules(&POLICIES),
            setting("export-policy", ValueType::Word(63), PEER).many().ordered().rules(&POLICIES),
        ],
    ),
    text("session-state"),
    number("established-transitions"),
];

const POLICIES: [Rule; 2] = [Rule::Reference(&["bgp", "policies", "policy", "name"]), Rule::AtMost(16)];

const POLICY: [OwnNode; 2] = [
    setting("name", ValueType::Word(63), POLICY_OBJECT),
    list("statement", &["name"], &STATEMENT).ordered().rules(&[Rule::AtLeast(1), Rule::AtMost(1000)]),
];

const STATEMENT: [OwnNode; 3] = [
    setting("name", ValueType::Word(63), POLICY_OBJECT),
    container("conditions", &[setting("match-prefix", ValueType::IpPrefix, POLICY_OBJECT)]),
    container(
        "actions",
        &[
            setting(
                "policy-result",
                ValueType::Enumeration(&["accept-route", "reject-route"]),
                POLICY_OBJECT,
            )
            .default("reject-route"),
            setting("set-local-pref", ValueType::Number(0, 4_294_967_295), POLICY_OBJECT),
            setting("set-med", ValueType::Number(0, 4_294_967_295), POLICY_OBJECT),
        ],
    )
    .rules(&[Rule::Must(
        "policy-result = 'accept-route' or not(set-local-pref or set-med)",
        "only a route that is accepted gets other attributes",
    )]),
];

const AS: ValueType = ValueType::Number(1, 4_294_967_295);
const FAMILIES: ValueType = ValueType::Enumeration(&["ipv4-unicast", "ipv6-unicast"]);

/// bgpLocalAs.
const LOCAL_AS: &[u32] = &[1, 3, 6, 1, 2, 1, 15, 2];
/// bgpIdentifier.
const IDENTIFIER: &[u32] = &[1, 3, 6, 1, 2, 1, 15, 4];
/// bgpPeerAdminStatus.
const PEER: &[u32] = &[1, 3, 6, 1, 2, 1, 15, 3, 1, 3];
/// bgp4PathAttrIpAddrPrefix: the networks that are announced.
const NETWORK: &[u32] = &[1, 3, 6, 1, 2, 1, 15, 6, 1, 3];
/// bgp4PathAttrLocalPref: what policies do.
const POLICY_OBJECT: &[u32] = &[1, 3, 6, 1, 2, 1, 15, 6, 1, 8];

//! ietf-routing, ietf-ipv4-unicast-routing and ietf-ipv6-unicast-routing (RFC 8349).

use super::{OwnModule, OwnNode, Rule, any_identity, container, list, number, setting, text};
use crate::value_type::ValueType;

/// Protocols that put routes into the RIBs, besides those of ietf-routing: identities alone.
pub static PROTOCOLS: OwnModule = OwnModule {
    name: "trunkline-routing",
    namespace: "urn:trunkline:yang:routing",
    prefix: "tlr",
    revision: "2026-11-25",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// Routes of IPv4, which are in those of ietf-routing.
pub static IPV4_ROUTING: OwnModule = OwnModule {
    name: "ietf-ipv4-unicast-routing",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing",
    prefix: "v4ur",
    revision: "2018-03-13",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// The same of IPv6.
pub static IPV6_ROUTING: OwnModule = OwnModule {
    name: "ietf-ipv6-unicast-routing",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-ipv6-unicast-routing",
    prefix: "v6ur",
    revision: "2018-03-13",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// Static routes, and all routes that there are.
pub static ROUTING: OwnModule = OwnModule {
    name: "ietf-routing",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-routing",
    prefix: "rt",
    revision: "2018-03-13",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "routing",
        &[
            container(
                "control-plane-protocols",
                &[list(
                    "control-plane-protocol",
                    &["type", "name"],
                    &[
                        setting("type", ValueType::Identity(ROUTING_NAMESPACE, &["static"]), ROUTE),
                        setting("name", ValueType::Text(255), ROUTE),
                        setting("description", ValueType::Text(255), ROUTE),
                        container(
                            "static-routes",
                            &[
                                container("ipv4", &[list("route", &["destination-prefix"], &STATIC_IPV4)])
                                    .of(&IPV4_ROUTING),
                                container("ipv6", &[list("route", &["destination-prefix"], &STATIC_IPV6)])
                                    .of(&IPV6_ROUTING),
                            ],
                        ),
                    ],
                )],
            ),
            container(
                "ribs",
                &[list(
                    "rib",
                    &["name"],
                    &[
                        text("name"),
                        any_identity("address-family"),
                        container("routes", &[list("route", &[], &ROUTES)]),
                    ],
                )],
            ),
        ],
    )],
};

const STATIC_IPV4: [OwnNode; 3] = [
    setting("destination-prefix", ValueType::Ipv4Prefix, ROUTE),
    setting("description", ValueType::Text(255), ROUTE),
    container("next-hop", &[OUTGOING, setting("next-hop-address", ValueType::Ipv4, ROUTE).case(1), SPECIAL])
        .rules(&[Rule::Choice("next-hop-options")]),
];

const STATIC_IPV6: [OwnNode; 3] = [
    setting("destination-prefix", ValueType::Ipv6Prefix, ROUTE),
    setting("description", ValueType::Text(255), ROUTE),
    container("next-hop", &[OUTGOING, setting("next-hop-address", ValueType::Ipv6, ROUTE).case(1), SPECIAL])
        .rules(&[Rule::Choice("next-hop-options")]),
];

/// `if:interface-ref`: the interface must be configured.
const OUTGOING: OwnNode = setting("outgoing-interface", ValueType::Text(255), ROUTE)
    .case(1)
    .rules(&[Rule::Elsewhere(&["interfaces", "interface", "name"])]);
const SPECIAL: OwnNode =
    setting("special-next-hop", ValueType::Enumeration(&["blackhole", "unreachable", "prohibit"]), ROUTE)
        .case(2);

static ROUTES: [OwnNode; 6] = [
    number("route-preference"),
    container(
        "next-hop",
        &[
            text("outgoing-interface"),
            text("next-hop-address").of(&IPV4_ROUTING),
            text("next-hop-address").of(&IPV6_ROUTING),
            text("special-next-hop"),
            container(
                "next-hop-list",
                &[list(
                    "next-hop",
                    &[],
                    &[
                        text("outgoing-interface"),
                        text("address").of(&IPV4_ROUTING),
                        text("address").of(&IPV6_ROUTING),
                    ],
                )],
            ),
        ],
    ),
    any_identity("source-protocol"),
    text("active").empty(),
    text("destination-prefix").of(&IPV4_ROUTING),
    text("destination-prefix").of(&IPV6_ROUTING),
];

const ROUTING_NAMESPACE: &str = "urn:ietf:params:xml:ns:yang:ietf-routing";
/// inetCidrRouteIfIndex.
const ROUTE: &[u32] = &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1, 7];

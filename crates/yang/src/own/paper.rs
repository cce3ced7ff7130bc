//! trunkline-netconf: data by the names that section 3 of the EMANICS deliverable D7.1 has in its expressions, and where it prints none,
//! by those of the prototype behind it (EnSuite's agent YencaP): `/netconf/routing/bgp` and `/netconf/security/rbac`.

use super::{OwnModule, OwnNode, boolean, container, list, nodes, number, text};

/// The module.
pub static PAPER: OwnModule = OwnModule {
    name: "trunkline-netconf",
    namespace: "urn:trunkline:yang:netconf",
    prefix: "tln",
    revision: "2026-11-28",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "netconf",
        &[
            container(
                "network",
                &[
                    container(
                        "interfaces",
                        &[list(
                            "iface",
                            &["name"],
                            &[
                                text("name"),
                                number("index"),
                                text("description"),
                                text("mac-address"),
                                number("mtu"),
                                boolean("enabled"),
                                text("status"),
                                text("in-octets"),
                                text("out-octets"),
                                text("address").many(),
                            ],
                        )],
                    ),
                    container(
                        "routes",
                        &[list(
                            "route",
                            &[],
                            &[text("destination"), text("gateway"), text("iface"), number("metric")],
                        )],
                    ),
                ],
            ),
            container("system", &[container("rpm-list", &[text("rpm").many()])]),
            container(
                "routing",
                &[container(
                    "bgp",
                    &[
                        container("bgprouter", &ROUTER),
                        container("filters", &[list("route-map", &["map-tag"], &ROUTE_MAP)]),
                    ],
                )],
            ),
            container("security", &[container("rbac", &RBAC)]),
        ],
    )],
};

static ROUTER: [OwnNode; 4] = [
    number("as-number"),
    text("identifier"),
    container("networks", &[text("network").many()]),
    container("neighbors", &[list("neighbor", &["ip-address"], &NEIGHBOR)]),
];

static NEIGHBOR: [OwnNode; 10] = [
    text("ip-address"),
    number("remote-as"),
    text("description"),
    boolean("enabled"),
    number("hold-time"),
    number("keepalive"),
    text("state"),
    number("established-transitions"),
    container(
        "address-families",
        &[list(
            "address-family",
            &["name"],
            &[text("name"), number("prefixes-received"), number("prefixes-sent")],
        )],
    ),
    container("bind-filters", &[list("route-map", &[], &[text("name"), text("direct")])]),
];

static ROUTE_MAP: [OwnNode; 2] = [
    text("map-tag"),
    list(
        "sequences",
        &["seq-number"],
        &[
            number("seq-number"),
            text("name"),
            text("state"),
            container("match", &[text("prefix")]),
            container("set", &[number("local-preference"), number("metric")]),
        ],
    ),
];

static RBAC: [OwnNode; 5] = [
    container("users", &[list("user", &["login"], &[text("login")])]),
    container("roles", &[list("role", &["name"], &[text("name")])]),
    container("permissions", &[list("permission", &["id"], &PERMISSION)]),
    container(
        "user-assignements",
        &[list("user-assignement", &["userRef", "roleRef"], &[text("userRef"), text("roleRef")])],
    ),
    container(
        "permission-assignements",
        &[list("permission-assignement", &["permRef", "roleRef"], &[text("permRef"), text("roleRef")])],
    ),
];

static PERMISSION: [OwnNode; 6] =
    [text("id"), text("op"), nodes("scope"), text("name"), text("action"), text("comment")];

/// Where that is configured which `/netconf` shows at a path of names in it.
#[must_use]
pub fn configured_in(names: &[&str]) -> Option<&'static str> {
    CONFIGURED_IN.iter().find(|(path, _)| names.starts_with(path)).map(|(_, place)| *place)
}

/// The longest paths first.
static CONFIGURED_IN: [(&[&str], &str); 7] = [
    (&["network", "interfaces"], "/ietf-interfaces:interfaces"),
    (&["network", "routes"], "/ietf-routing:routing"),
    (&["network"], "/ietf-interfaces:interfaces and /ietf-routing:routing"),
    (&["routing", "bgp"], "/trunkline-bgp:bgp"),
    (&["routing"], "/trunkline-bgp:bgp"),
    (&["security", "rbac"], "/ietf-netconf-acm:nacm/groups"),
    (&["security"], "/ietf-netconf-acm:nacm/groups"),
];

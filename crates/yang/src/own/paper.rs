//! trunkline-netconf: data by the names that section 3 of the EMANICS deliverable D7.1 has in its expressions.

use super::{OwnModule, boolean, container, list, number, text};

/// The module.
pub static PAPER: OwnModule = OwnModule {
    name: "trunkline-netconf",
    namespace: "urn:trunkline:yang:netconf",
    prefix: "tln",
    revision: "2026-11-25",
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
        ],
    )],
};

//! trunkline-netconf: data by the names that section 3 of the EMANICS deliverable D7.1 has in its expressions.

use super::{OwnModule, container, list, text};

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
                                text("index"),
                                text("mac-address"),
                                text("mtu"),
                                text("enabled"),
                                text("status"),
                                text("in-octets"),
                                text("out-octets"),
                                text("address"),
                            ],
                        )],
                    ),
                    container(
                        "routes",
                        &[list(
                            "route",
                            &[],
                            &[text("destination"), text("gateway"), text("iface"), text("metric")],
                        )],
                    ),
                ],
            ),
            container("system", &[container("rpm-list", &[text("rpm")])]),
        ],
    )],
};

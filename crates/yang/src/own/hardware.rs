//! ietf-hardware (RFC 8348) with iana-hardware: what the machine is made of, as state.

use super::{OwnModule, boolean, container, identity, list, number, text};

/// The classes of hardware: identities alone.
pub static IANA_HARDWARE: OwnModule = OwnModule {
    name: "iana-hardware",
    namespace: CLASS.1,
    prefix: CLASS.0,
    revision: "2018-03-13",
    features: &[],
    notifications: &[],
    nodes: &[],
};

/// The prefix of the classes, and their namespace.
const CLASS: (&str, &str) = ("ianahw", "urn:ietf:params:xml:ns:yang:iana-hardware");

/// The module.
pub static HARDWARE: OwnModule = OwnModule {
    name: "ietf-hardware",
    namespace: "urn:ietf:params:xml:ns:yang:ietf-hardware",
    prefix: "hw",
    revision: "2018-03-13",
    features: &["entity-mib", "hardware-sensor"],
    notifications: &[],
    nodes: &[container(
        "hardware",
        &[list(
            "component",
            &["name"],
            &[
                text("name"),
                identity("class", CLASS),
                number("physical-index"),
                text("description"),
                text("parent"),
                number("parent-rel-pos"),
                text("contains-child").many(),
                text("hardware-rev"),
                text("firmware-rev"),
                text("serial-num"),
                text("mfg-name"),
                text("model-name"),
                text("asset-id"),
                boolean("is-fru"),
                text("uuid"),
                container(
                    "sensor-data",
                    &[
                        integer("value"),
                        text("value-type"),
                        text("value-scale"),
                        integer("value-precision"),
                        text("oper-status"),
                        text("units-display"),
                        number("value-update-rate"),
                    ],
                ),
            ],
        )],
    )],
};

/// A number that may be negative.
const fn integer(name: &'static str) -> super::OwnNode {
    super::node(name, super::OwnKind::Leaf(trunkline_smi::schema::Syntax::INTEGER32))
}

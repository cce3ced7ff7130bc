//! Identities that are values of leaves, with what they are derived from (RFC 7950 section 7.18.2).

use super::MAP_TYPES;
use crate::value_type::interface_types;

/// The module of some identities, their names, and the identity that they are derived from: its module and its name.
type Derived = (&'static str, &'static [&'static str], (&'static str, &'static str));

/// All but the types of interfaces, which are [`interface_types`].
pub static IDENTITIES: [Derived; 16] = [
    (IF_TYPE, &["iana-interface-type"], ("ietf-interfaces", "interface-type")),
    (ROUTING, &["ipv4", "ipv6"], (ROUTING, "address-family")),
    ("ietf-ipv4-unicast-routing", &["ipv4-unicast"], (ROUTING, "ipv4")),
    ("ietf-ipv6-unicast-routing", &["ipv6-unicast"], (ROUTING, "ipv6")),
    (ROUTING, &["routing-protocol"], (ROUTING, "control-plane-protocol")),
    (ROUTING, &["direct", "static"], (ROUTING, "routing-protocol")),
    (
        "trunkline-routing",
        &["icmp", "dhcp", "rip", "is-is", "ospf", "bgp", "eigrp", "dvmrp", "other"],
        (ROUTING, "routing-protocol"),
    ),
    (
        MONITORING,
        &["netconf-ssh", "netconf-soap-over-beep", "netconf-soap-over-https", "netconf-beep", "netconf-tls"],
        (MONITORING, "transport"),
    ),
    ("trunkline-netconf", &["netconf-tcp"], (MONITORING, "transport")),
    (MONITORING, &["xsd", "yang", "yin", "rng", "rnc"], (MONITORING, "schema-format")),
    (DATASTORES, &["conventional", "dynamic", "operational"], (DATASTORES, "datastore")),
    (DATASTORES, &["running", "candidate", "startup", "intended"], (DATASTORES, "conventional")),
    (SUBSCRIBED, &["encode-xml", "encode-json"], (SUBSCRIBED, "encoding")),
    (CERT_TO_NAME, &MAP_TYPES, (CERT_TO_NAME, "cert-to-name")),
    (HARDWARE, &HARDWARE_CLASSES, (HARDWARE, "hardware-class")),
    (ORIGIN, &["intended", "dynamic", "system", "learned", "default", "unknown"], (ORIGIN, "origin")),
];

/// Those of iana-hardware, in the order of IANAPhysicalClass from 2.
pub const HARDWARE_CLASSES: [&str; 14] = [
    "unknown",
    "chassis",
    "backplane",
    "container",
    "power-supply",
    "fan",
    "sensor",
    "module",
    "port",
    "stack",
    "cpu",
    "energy-object",
    "battery",
    "storage-drive",
];

/// What an identity is derived from, by the name of its module and its own: of those that are served each has one base.
pub(crate) fn base(module: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let is_it = |it: &&Derived| it.0 == module && it.1.contains(&name);
    let known = IDENTITIES.iter().find(is_it).map(|(_, _, base)| *base);
    let is_type = || module == IF_TYPE && interface_types().any(|(_, known)| known == name);
    known.or_else(|| is_type().then_some((IF_TYPE, "iana-interface-type")))
}

/// The modules that have an identity of this name.
pub(crate) fn modules_with(name: &str) -> impl Iterator<Item = &'static str> {
    IDENTITIES.iter().filter(move |it| it.1.contains(&name)).map(|(module, _, _)| *module)
}

const IF_TYPE: &str = "iana-if-type";
const ROUTING: &str = "ietf-routing";
const MONITORING: &str = "ietf-netconf-monitoring";
const DATASTORES: &str = "ietf-datastores";
const SUBSCRIBED: &str = "ietf-subscribed-notifications";
const CERT_TO_NAME: &str = "ietf-x509-cert-to-name";
const HARDWARE: &str = "iana-hardware";
const ORIGIN: &str = "ietf-origin";

//! Deviations: what of modules of the IETF is not there, or can only be read (RFC 7950 sections 5.6.3 and 7.20.3). There is a module for
//! each of those, so that a client needs none of the others. Their texts are the data; a test compares what they leave of the texts of
//! the RFCs with what is served.

use super::OwnModule;

macro_rules! deviations {
    ($($constant:ident, $of:literal, $prefix:literal;)*) => {
        $(static $constant: OwnModule = OwnModule {
            name: concat!("trunkline-deviations-", $of),
            namespace: concat!("urn:trunkline:yang:deviations:", $of),
            prefix: $prefix,
            revision: "2026-11-26",
            features: &[],
            nodes: &[],
            notifications: &[],
        };)*

        /// The modules, with their texts. Where one takes away what another module's leaf refers to, that leaf's is before it.
        pub static DEVIATIONS: [(&OwnModule, &str); [$($of),*].len()] = [
            $((&$constant, include_str!(concat!("deviations/trunkline-deviations-", $of, ".yang"))),)*
        ];
    };
}

deviations! {
    SYSTEM, "ietf-system", "tld-sys";
    ACM, "ietf-netconf-acm", "tld-nacm";
    IPV4_ROUTING, "ietf-ipv4-unicast-routing", "tld-v4ur";
    IPV6_ROUTING, "ietf-ipv6-unicast-routing", "tld-v6ur";
    ROUTING, "ietf-routing", "tld-rt";
    IP, "ietf-ip", "tld-ip";
    INTERFACES, "ietf-interfaces", "tld-if";
    HARDWARE, "ietf-hardware", "tld-hw";
    PUSH, "ietf-yang-push", "tld-yp";
    SUBSCRIBED, "ietf-subscribed-notifications", "tld-sn";
}

impl OwnModule {
    /// The module with its deviations, if it has any.
    pub fn deviations(&self) -> Option<&'static OwnModule> {
        let is_of = |it: &&OwnModule| it.name.strip_prefix("trunkline-deviations-") == Some(self.name);
        DEVIATIONS.iter().map(|(module, _)| *module).find(is_of)
    }
}

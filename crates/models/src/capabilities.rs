//! What the hello announces.

use trunkline_netconf::ROLES;
use trunkline_netconf::compression::{Algorithm, capability};
use trunkline_netconf::hello::{BASE_1_0, BASE_1_1};
use trunkline_yang::own::operations::{NETCONF, PARTIAL_LOCK, WITH_DEFAULTS};
use trunkline_yang::own::{
    CERT_TO_NAME, IANA_IF_TYPE, LIBRARY, MONITORING, NACM, NETCONF_EVENTS, NOTIFICATIONS, OwnModule,
    RESTCONF_MONITORING, SNMP, STREAMS, SYSTEM,
};
use trunkline_yang::schema::Module;

use crate::library;

/// The capabilities of every session. `has_files`: whether clients may name files.
#[must_use]
pub fn all(modules: &[Module], content_id: &str, has_files: bool) -> Vec<String> {
    let mut capabilities: Vec<String> = [BASE_1_0, BASE_1_1].into_iter().map(str::to_owned).collect();
    capabilities.extend(CAPABILITIES.map(|name| format!("urn:ietf:params:netconf:capability:{name}")));
    capabilities.push(ROLES.to_owned());
    if has_files {
        capabilities.push("urn:ietf:params:netconf:capability:url:1.0?scheme=file".to_owned());
    }
    capabilities.extend(capability(&Algorithm::ALL));
    // Modules of YANG 1.0 (RFC 6020 section 5.6.4). They have no revision: each is what this agent has of its MIB module.
    capabilities.extend(modules.iter().map(|module| format!("{}?module={}", module.namespace, module.name)));
    // Modules of YANG 1.1 are in the YANG library alone (RFC 7950 section 5.6.4). Deviations of the others are of YANG 1.0 too.
    let deviations = YANG_1_0.iter().filter_map(|module| module.deviations());
    for module in YANG_1_0.iter().copied().chain(deviations) {
        let OwnModule { name, namespace, revision, .. } = module;
        let features = library::features(module, has_files).collect::<Vec<_>>().join(",");
        let features = if features.is_empty() { features } else { format!("&features={features}") };
        let deviations = module.deviations().map(|it| format!("&deviations={}", it.name)).unwrap_or_default();
        capabilities.push(format!("{namespace}?module={name}&revision={revision}{features}{deviations}"));
    }
    let revision = LIBRARY.revision;
    capabilities.push(format!(
        "urn:ietf:params:netconf:capability:yang-library:1.1?revision={revision}&content-id={content_id}"
    ));
    capabilities
}

/// Modules of YANG 1.0.
static YANG_1_0: [&OwnModule; 13] = [
    &NETCONF,
    &WITH_DEFAULTS,
    &PARTIAL_LOCK,
    &MONITORING,
    &RESTCONF_MONITORING,
    &NACM,
    &SYSTEM,
    &IANA_IF_TYPE,
    &NOTIFICATIONS,
    &STREAMS,
    &NETCONF_EVENTS,
    &CERT_TO_NAME,
    &SNMP,
];

/// What the agent can do beyond the base protocol.
const CAPABILITIES: [&str; 10] = [
    "writable-running:1.0",
    "candidate:1.0",
    "confirmed-commit:1.1",
    "rollback-on-error:1.0",
    "validate:1.1",
    "xpath:1.0",
    "partial-lock:1.0",
    "notification:1.0",
    "interleave:1.0",
    "with-defaults:1.0?basic-mode=explicit&also-supported=report-all,report-all-tagged,trim",
];

//! What the hello announces.

use trunkline_netconf::hello::{BASE_1_0, BASE_1_1, Hello};

use trunkline_yang::own::{LIBRARY, MONITORING, OwnModule};

use super::{Models, library};

/// The hello of a session.
pub(super) fn hello(models: &Models, session_id: u32) -> Hello {
    let own = [BASE_1_0, BASE_1_1, "urn:ietf:params:netconf:capability:xpath:1.0"];
    let mut capabilities: Vec<String> = own.into_iter().map(str::to_owned).collect();
    // Modules of YANG 1.0 (RFC 6020 section 5.6.4). They have no revision: each is what this agent has of its MIB module.
    capabilities
        .extend(models.modules.iter().map(|module| format!("{}?module={}", module.namespace, module.name)));
    let OwnModule { name, namespace, revision, .. } = &MONITORING;
    capabilities.push(format!("{namespace}?module={name}&revision={revision}"));
    let (revision, content_id) = (LIBRARY.revision, library::content_id(models));
    capabilities.push(format!(
        "urn:ietf:params:netconf:capability:yang-library:1.1?revision={revision}&content-id={content_id}"
    ));
    Hello { capabilities, session_id: Some(session_id) }
}

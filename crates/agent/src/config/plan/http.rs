//! The doors of HTTP: `[http]`.

use trunkline_transport::ListenUrl;
use trunkline_transport::http::HttpLimits;

use super::secure::TlsPlan;

/// SOAP, SNMP inside SOAP, and selections, over HTTP and HTTPS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpPlan {
    /// Where to listen; nowhere unless it is said.
    pub listen: Vec<ListenUrl>,
    /// What is served there.
    pub doors: HttpDoors,
    /// Whether a community in a request is taken over plain HTTP, where everybody on the way can read it.
    pub refuse_plain_communities: bool,
    /// Certificates of its own; `None`: those of `[snmp.tls]`.
    pub tls: Option<TlsPlan>,
    /// What a peer may take.
    pub limits: HttpLimits,
}

/// What is served over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpDoors {
    /// `/soap`: operations for every table and group.
    pub soap: bool,
    /// `/snmp`: SNMP inside SOAP.
    pub snmp: bool,
    /// Everything else: services and selections.
    pub select: bool,
}

impl Default for HttpDoors {
    /// All of it.
    fn default() -> Self {
        HttpDoors { soap: true, snmp: true, select: true }
    }
}

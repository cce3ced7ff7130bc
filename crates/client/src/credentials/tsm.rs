//! Requests under the Transport Security Model (RFC 5591): the session authenticates the principal, so nothing
//! here is secret.

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::EngineId;

/// The fields of a Transport Security Model message beside its PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TsmCredentials {
    /// The security level that the session must provide. Default: authPriv. A session with less is not used.
    pub level: SecurityLevel,
    /// contextName. Default: the empty one.
    pub context: Vec<u8>,
    /// contextEngineID. Default: the agent's own engine, which is discovered once (RFC 5343).
    pub context_engine_id: Option<EngineId>,
}

impl Default for TsmCredentials {
    fn default() -> Self {
        TsmCredentials { level: SecurityLevel::AuthPriv, context: Vec::new(), context_engine_id: None }
    }
}

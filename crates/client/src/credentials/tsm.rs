//! What is asked with the Transport Security Model (RFC 5591): who asks the session proves, so that nothing
//! secret is here.

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::EngineId;

/// What a message of the Transport Security Model says beside its PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TsmCredentials {
    /// How much protection the session must give. Default: authPriv. A session that gives less is not used.
    pub level: SecurityLevel,
    /// contextName: which of the agent's contexts is meant. Default: none, the empty one.
    pub context: Vec<u8>,
    /// contextEngineID: whose context. Default: the agent's own, which is asked for once (RFC 5343).
    pub context_engine_id: Option<EngineId>,
}

impl Default for TsmCredentials {
    fn default() -> Self {
        TsmCredentials { level: SecurityLevel::AuthPriv, context: Vec::new(), context_engine_id: None }
    }
}

//! The community-based security models: the community determines the principal, and nothing is authenticated (RFC
//! 3584 section 5.2). Over an authenticated session, the session determines the principal, if such messages are
//! accepted at all.

use crate::SecurityLevel;
use crate::engine::request::{COMMUNITY_V1, COMMUNITY_V2C, TRANSPORT};
use crate::engine::{DropReason, Engine, TransportState};
use crate::wire::Version;

/// What a community stands for: a row of snmpCommunityTable (RFC 3584 section 5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommunityEntry<'m> {
    /// snmpCommunitySecurityName: what the access policy calls who has the community.
    pub security_name: &'m [u8],
    /// snmpCommunityContextEngineID; `None` is this engine's own.
    pub context_engine_id: Option<&'m [u8]>,
    /// snmpCommunityContextName.
    pub context_name: &'m [u8],
}

/// The sender of a message of SNMPv1 or SNMPv2c, and how well it is authenticated.
pub(in crate::engine) struct Principal<'m> {
    pub entry: CommunityEntry<'m>,
    pub security_model: u32,
    pub level: SecurityLevel,
}

/// The principal of a community.
pub(in crate::engine) fn process_incoming_msg<'m>(
    engine: &Engine,
    version: Version,
    community: &[u8],
    over: Option<&'m TransportState>,
    lookup: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
) -> Result<Principal<'m>, DropReason> {
    let Some(state) = over.filter(|state| state.domain().is_secure()) else {
        let entry = lookup(community).ok_or(DropReason::UnknownCommunity)?;
        let security_model = if version == Version::V1 { COMMUNITY_V1 } else { COMMUNITY_V2C };
        return Ok(Principal { entry, security_model, level: SecurityLevel::NoAuthNoPriv });
    };
    if !engine.takes_community_over_transport() {
        return Err(DropReason::CommunityOverTransport { version });
    }
    let security_name = state.security_name(engine.uses_prefix());
    let entry = CommunityEntry { security_name, context_engine_id: None, context_name: b"" };
    Ok(Principal { entry, security_model: TRANSPORT, level: state.level() })
}

//! The community-based security models: the community names the principal, and
//! nothing is proved (RFC 3584 section 5.2).

use crate::engine::DropReason;

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

/// Who is behind a community.
pub(in crate::engine) fn process_incoming_msg<'m>(
    community: &[u8],
    lookup: impl FnOnce(&[u8]) -> Option<CommunityEntry<'m>>,
) -> Result<CommunityEntry<'m>, DropReason> {
    lookup(community).ok_or(DropReason::UnknownCommunity)
}

//! The community-based message processing model: SNMPv1 (RFC 1157) and SNMPv2c
//! (RFC 1901).

use crate::wire::{MessageRef, PduKind, Version};

/// A PDU that the message's version does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{version:?} has no {}", kind.name())]
pub struct BadCommunityUse {
    /// The version of the message.
    pub version: Version,
    /// The PDU.
    pub kind: PduKind,
}

/// GetBulk, Inform, v2 traps and Reports are not part of SNMPv1; Net-SNMP answers GetBulk there.
#[inline]
pub(super) fn check_use(message: &MessageRef<'_>) -> Result<(), BadCommunityUse> {
    if message.kind.is_in(message.version) {
        Ok(())
    } else {
        Err(BadCommunityUse { version: message.version, kind: message.kind })
    }
}

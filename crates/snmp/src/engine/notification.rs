//! Unconfirmed notifications to send: their sender is authoritative, so that
//! the engine's own ID, clock and users protect them (RFC 3412 section 7.1,
//! RFC 3414 section 1.5.1), or the session does (RFC 5591).

use std::ops::Range;
use std::time::Instant;

use super::{Engine, InadequateLevel, TransportState};
use crate::wire::{Header, Pdu, Protection, UnsupportedLevel, UsmSecurity, V3Header, V3Security};
use crate::{Counters, SecurityLevel};

/// Why a notification cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotificationSendError {
    /// unknownSecurityName (RFC 3414 section 3.1 step 1b).
    #[error("this engine has no such user")]
    UnknownUser,
    /// unsupportedSecurityLevel (RFC 3414 section 3.1 steps 2 and 3).
    #[error(transparent)]
    UnsupportedLevel(#[from] UnsupportedLevel),
    /// snmpTsmInadequateSecurityLevels: the session does not provide the level.
    #[error(transparent)]
    InadequateLevel(#[from] InadequateLevel),
    /// It has more octets than may be sent.
    #[error("the notification has more than {limit} octets")]
    TooBig {
        /// The limit in octets.
        limit: usize,
    },
}

impl Engine {
    /// Writes a trap of SNMPv3 into `buf`, from a user of this engine, at this level, about this context of this
    /// engine. Returns the range of the message, at most `max_size` octets.
    ///
    /// # Errors
    /// [`NotificationSendError`].
    #[expect(clippy::too_many_arguments, reason = "sendPdu of RFC 3412 section 4.1.1 has as many")]
    pub fn encode_notification(
        &self,
        user_name: &[u8],
        level: SecurityLevel,
        context_name: &[u8],
        pdu: &Pdu,
        max_size: usize,
        now: Instant,
        buf: &mut Vec<u8>,
    ) -> Result<Range<usize>, NotificationSendError> {
        let users = self.users();
        let user = users.get(self.id().as_bytes(), user_name).ok_or(NotificationSendError::UnknownUser)?;
        let security = V3Security::Usm(UsmSecurity {
            engine_id: self.id().as_bytes(),
            moment: self.moment(now),
            user_name,
            protection: Protection::new(user, level)?,
            salts: self.salts(),
        });
        self.encode_trap(security, context_name, pdu, max_size, buf)
    }

    /// The same with the Transport Security Model, for an open session (RFC 5591 section 4.2): the session knows
    /// both principals. A level above the session's is counted.
    ///
    /// # Errors
    /// [`NotificationSendError::InadequateLevel`], [`NotificationSendError::TooBig`].
    #[expect(clippy::too_many_arguments, reason = "sendPdu of RFC 3412 section 4.1.1 has as many")]
    pub fn encode_notification_over(
        &self,
        over: &TransportState,
        level: SecurityLevel,
        context_name: &[u8],
        pdu: &Pdu,
        max_size: usize,
        counters: &Counters,
        buf: &mut Vec<u8>,
    ) -> Result<Range<usize>, NotificationSendError> {
        InadequateLevel::check(level, over.level())
            .inspect_err(|_| counters.tsm_inadequate_security_levels.add(1))?;
        self.encode_trap(V3Security::Transport(level), context_name, pdu, max_size, buf)
    }

    fn encode_trap(
        &self,
        security: V3Security<'_>,
        context_name: &[u8],
        pdu: &Pdu,
        max_size: usize,
        buf: &mut Vec<u8>,
    ) -> Result<Range<usize>, NotificationSendError> {
        let header = V3Header {
            message_id: self.next_message_id(),
            max_size: self.max_size(),
            reportable: false,
            security,
            context_engine_id: self.id().as_bytes(),
            context_name,
        };
        let message = Header::V3(&header).encode(pdu, max_size, buf);
        message.ok_or(NotificationSendError::TooBig { limit: max_size })
    }
}

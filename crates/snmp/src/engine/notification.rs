//! Unconfirmed notifications to send: their sender is authoritative, so that
//! the engine's own ID, clock and users protect them (RFC 3412 section 7.1,
//! RFC 3414 section 1.5.1).

use std::ops::Range;
use std::time::Instant;

use super::Engine;
use crate::SecurityLevel;
use crate::wire::{Header, Pdu, Protection, UnsupportedLevel, V3Header};

/// Why a notification cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotificationSendError {
    /// unknownSecurityName (RFC 3414 section 3.1 step 1b).
    #[error("this engine has no such user")]
    UnknownUser,
    /// unsupportedSecurityLevel (RFC 3414 section 3.1 steps 2 and 3).
    #[error(transparent)]
    UnsupportedLevel(#[from] UnsupportedLevel),
    /// It has more octets than may be sent.
    #[error("the notification has more than {limit} octets")]
    TooBig {
        /// The limit in octets.
        limit: usize,
    },
}

impl Engine {
    /// Writes a trap of SNMPv3 into `buf`, from a user of this engine, at this level, about this context of
    /// this engine's. Gives which octets are the message, at most `max_size`.
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
        let header = V3Header {
            message_id: self.next_message_id(),
            max_size: self.max_size(),
            reportable: false,
            engine_id: self.id().as_bytes(),
            moment: self.moment(now),
            user_name,
            protection: Protection::new(user, level)?,
            salts: self.salts(),
            context_engine_id: self.id().as_bytes(),
            context_name,
        };
        let message = Header::V3(&header).encode(pdu, max_size, buf);
        message.ok_or(NotificationSendError::TooBig { limit: max_size })
    }
}

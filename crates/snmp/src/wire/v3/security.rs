//! What each security model puts into msgSecurityParameters of a message that
//! is about to be written, and what protects it.

use std::ops::Range;

use super::{MsgFlags, Protection, Salts, TSM, USM};
use crate::SecurityLevel;
use crate::usm::{EngineMoment, SALT_LENGTH};
use crate::wire::backwards::Backwards;
use crate::wire::tag;
use crate::wire::writer::{element_size, integer_size};

/// The security model of a message to be written, with all its inputs.
#[derive(Clone, Debug)]
pub enum V3Security<'a> {
    /// The User-based Security Model: the message protects itself (RFC 3414).
    Usm(UsmSecurity<'a>),
    /// The Transport Security Model: the session that carries the message protects it, so that
    /// msgSecurityParameters is empty; the level is what msgFlags say (RFC 5591 section 4.1).
    Transport(SecurityLevel),
}

/// What the User-based Security Model knows of a message.
#[derive(Clone, Debug)]
pub struct UsmSecurity<'a> {
    /// msgAuthoritativeEngineID.
    pub engine_id: &'a [u8],
    /// msgAuthoritativeEngineBoots and msgAuthoritativeEngineTime.
    pub moment: EngineMoment,
    /// msgUserName, at most 32 octets.
    pub user_name: &'a [u8],
    /// The level, and the user's keys for it.
    pub protection: Protection,
    /// Where the salt of an encrypted message comes from.
    pub salts: &'a Salts,
}

impl V3Security<'_> {
    /// msgFlags.
    pub(super) fn flags(&self, reportable: bool) -> MsgFlags {
        let level = match self {
            V3Security::Usm(usm) => usm.protection.level(),
            V3Security::Transport(level) => *level,
        };
        MsgFlags::new(level, reportable)
    }

    /// msgSecurityModel.
    pub(super) const fn model(&self) -> i32 {
        match self {
            V3Security::Usm(_) => USM,
            V3Security::Transport(_) => TSM,
        }
    }

    /// How many octets the contents of msgSecurityParameters have.
    pub(super) fn parameters_size(&self) -> usize {
        match self {
            V3Security::Usm(usm) => element_size(usm.contents_size()),
            V3Security::Transport(_) => 0,
        }
    }
}

impl UsmSecurity<'_> {
    /// Writes msgSecurityParameters; returns the position of the digest.
    pub(super) fn write_parameters(&self, out: &mut Backwards<'_>, salt: &[u8]) -> Range<usize> {
        const ZEROS: [u8; 64] = [0; 64];
        let end = out.at();
        out.string(salt);
        let code_end = out.at();
        out.put(&ZEROS[..self.code_length()]);
        let code = out.at()..code_end;
        out.header(tag::OCTET_STRING, code.len());
        out.string(self.user_name);
        out.integer(self.moment.time.get() as i32);
        out.integer(self.moment.boots.get() as i32);
        out.string(self.engine_id);
        out.header(tag::SEQUENCE, end - out.at());
        out.header(tag::OCTET_STRING, end - out.at());
        code
    }

    /// The contents of UsmSecurityParameters.
    fn contents_size(&self) -> usize {
        let integer = |number: i32| element_size(integer_size(number));
        let salt = if self.protection.privacy().is_some() { SALT_LENGTH } else { 0 };
        element_size(self.engine_id.len())
            + integer(self.moment.boots.get() as i32)
            + integer(self.moment.time.get() as i32)
            + element_size(self.user_name.len())
            + element_size(self.code_length())
            + element_size(salt)
    }

    fn code_length(&self) -> usize {
        self.protection.auth().map_or(0, |key| key.protocol().mac_length())
    }
}

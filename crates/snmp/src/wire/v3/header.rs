//! What SNMPv3 puts around a PDU: how large that is, needed before the PDU is
//! written, and writing it, backwards, encrypted and signed in place
//! (RFC 3412 section 7.1, RFC 3414 section 3.1).

use std::ops::Range;

use super::{MsgFlags, Protection, Salts, USM};
use crate::usm::{EngineMoment, SALT_LENGTH};
use crate::wire::backwards::Backwards;
use crate::wire::envelope::{Around, MOST, Sizes, WIDEST_HEADER};
use crate::wire::writer::{element_size, integer_size};
use crate::wire::{Version, tag};

/// Everything of a message of SNMPv3 but its PDU, protected by the User-based Security Model.
///
/// How many octets that is depends on identifiers, names and codes: see [`size_without_bindings`].
///
/// [`size_without_bindings`]: crate::wire::Envelope::size_without_bindings
#[derive(Clone, Debug)]
pub struct V3Header<'a> {
    /// msgID, 0 to 2^31-1.
    pub message_id: i32,
    /// msgMaxSize: how many octets we take, 484 to 2^31-1.
    pub max_size: usize,
    /// Whether a Report may answer: for requests and informs alone (RFC 3412 section 6.4).
    pub reportable: bool,
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
    /// contextEngineID.
    pub context_engine_id: &'a [u8],
    /// contextName.
    pub context_name: &'a [u8],
}

impl V3Header<'_> {
    /// What the size of the message depends on, beside its list of bindings and this request-id.
    #[inline(never)] // SNMPv2c is to stay short
    pub(crate) fn sizes(&self, request_id: usize) -> Sizes {
        let contexts = element_size(self.context_engine_id.len()) + element_size(self.context_name.len());
        let around = match self.protection.privacy() {
            None => Around::Scoped(contexts),
            Some(key) => Around::Encrypted(contexts, if key.padding(1) == 0 { 1 } else { DES_BLOCK }),
        };
        let front = self.clear_size();
        let most = front + MOST + contexts + 2 * WIDEST_HEADER;
        Sizes { request_id, front, around, most }
    }

    /// Puts the rest of the message around a PDU that ends at `end`; `out` stands at its first octet. Gives
    /// where the message ends; it starts where `out` stands then. `out` has room for padding from `end` on.
    /// `None`: cipher or code do not take what was made for them, which is never.
    #[inline(never)]
    pub(crate) fn write(&self, out: &mut Backwards<'_>, end: usize) -> Option<usize> {
        out.string(self.context_name);
        out.string(self.context_engine_id);
        out.header(tag::SEQUENCE, end - out.at());
        let Some((auth, privacy)) = self.protection.both() else {
            let code = self.write_clear(out, &[], end);
            // RFC 3414 section 3.1 step 8, section 6.3.1: over the whole message, the code's place zeroed.
            if let Some(auth) = self.protection.auth() {
                let start = out.at();
                let message = &mut out.octets()[start..end];
                auth.sign(message, code.start - start..code.end - start).ok()?;
            }
            return Some(end);
        };
        let scoped = out.at();
        let padded = end + privacy.padding(end - scoped);
        out.octets()[end..padded].fill(0);
        out.header(tag::OCTET_STRING, padded - scoped);
        let salt = privacy.salt(self.moment.boots, self.salts.next());
        let code = self.write_clear(out, &salt, padded);
        // RFC 3414 section 3.1 steps 4a and 8: encrypted first, then signed.
        let start = out.at();
        let message = &mut out.octets()[start..padded];
        let (code, scoped) = (code.start - start..code.end - start, scoped - start..padded - start);
        auth.seal(message, code, privacy, self.moment, salt, scoped).ok()?;
        Some(padded)
    }

    /// Everything in front of msgData, of a message that ends at `end`; gives where the authentication code is to
    /// stand.
    fn write_clear(&self, out: &mut Backwards<'_>, salt: &[u8], end: usize) -> Range<usize> {
        let code = self.write_parameters(out, salt);
        self.write_header_data(out);
        out.integer(Version::V3.code());
        out.header(tag::SEQUENCE, end - out.at());
        code
    }

    /// msgSecurityParameters; gives where the authentication code is to stand.
    fn write_parameters(&self, out: &mut Backwards<'_>, salt: &[u8]) -> Range<usize> {
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

    fn write_header_data(&self, out: &mut Backwards<'_>) {
        let end = out.at();
        out.integer(USM);
        out.string(&[MsgFlags::new(self.protection.level(), self.reportable).octet()]);
        out.integer(self.wire_max_size());
        out.integer(self.message_id);
        out.header(tag::SEQUENCE, end - out.at());
    }

    /// Everything but msgData, without the message's own type and length.
    fn clear_size(&self) -> usize {
        let integer = |number: i32| element_size(integer_size(number));
        let flags = element_size(1);
        let header_data = integer(self.message_id) + integer(self.wire_max_size()) + flags + integer(USM);
        let salt = if self.protection.privacy().is_some() { SALT_LENGTH } else { 0 };
        let parameters = element_size(self.engine_id.len())
            + integer(self.moment.boots.get() as i32)
            + integer(self.moment.time.get() as i32)
            + element_size(self.user_name.len())
            + element_size(self.code_length())
            + element_size(salt);
        integer(Version::V3.code()) + element_size(header_data) + element_size(element_size(parameters))
    }

    fn code_length(&self) -> usize {
        self.protection.auth().map_or(0, |key| key.protocol().mac_length())
    }

    fn wire_max_size(&self) -> i32 {
        i32::try_from(self.max_size).unwrap_or(i32::MAX)
    }
}

/// DES encrypts blocks of so many octets (RFC 3414 section 8.1.1.2).
const DES_BLOCK: usize = 8;

//! What SNMPv3 puts around a PDU: how large that is, needed before the PDU is
//! written, and writing it, backwards, encrypted and signed in place
//! (RFC 3412 section 7.1, RFC 3414 section 3.1).

use std::ops::Range;

use super::{UsmSecurity, V3Security};
use crate::wire::backwards::Backwards;
use crate::wire::envelope::{Around, MOST, Sizes, WIDEST_HEADER};
use crate::wire::writer::{element_size, integer_size};
use crate::wire::{Version, tag};

/// Everything of a message of SNMPv3 but its PDU.
///
/// How many octets that is depends on identifiers, names and codes: see [`size_without_bindings`].
///
/// [`size_without_bindings`]: crate::wire::Envelope::size_without_bindings
#[derive(Clone, Debug)]
pub struct V3Header<'a> {
    /// msgID, 0 to 2^31-1.
    pub message_id: i32,
    /// msgMaxSize: how many octets we accept, 484 to 2^31-1.
    pub max_size: usize,
    /// Whether a Report may answer: for requests and informs alone (RFC 3412 section 6.4).
    pub reportable: bool,
    /// The security model, and its inputs.
    pub security: V3Security<'a>,
    /// contextEngineID.
    pub context_engine_id: &'a [u8],
    /// contextName.
    pub context_name: &'a [u8],
}

impl V3Header<'_> {
    /// What determines the size of the message, besides its list of bindings and this request-id.
    #[inline(never)] // SNMPv2c must stay short
    pub(crate) fn sizes(&self, request_id: usize) -> Sizes {
        let contexts = element_size(self.context_engine_id.len()) + element_size(self.context_name.len());
        let key = match &self.security {
            V3Security::Usm(usm) => usm.protection.privacy(),
            V3Security::Transport(_) => None,
        };
        let around = match key {
            None => Around::Scoped(contexts),
            Some(key) => Around::Encrypted(contexts, if key.padding(1) == 0 { 1 } else { DES_BLOCK }),
        };
        let front = self.clear_size();
        let most = front + MOST + contexts + 2 * WIDEST_HEADER;
        Sizes { request_id, front, around, most }
    }

    /// Puts the rest of the message around a PDU that ends at `end`; `out` is at its first octet. Returns the end
    /// of the message, which starts at the new position of `out`. `out` has room for padding from `end` on.
    /// `None`: the cipher or the digest rejects its own input, which never happens.
    #[inline(never)]
    pub(crate) fn write(&self, out: &mut Backwards<'_>, end: usize) -> Option<usize> {
        out.string(self.context_name);
        out.string(self.context_engine_id);
        out.header(tag::SEQUENCE, end - out.at());
        match &self.security {
            V3Security::Usm(usm) => self.write_usm(usm, out, end),
            V3Security::Transport(_) => {
                out.string(&[]);
                self.write_front(out, end);
                Some(end)
            }
        }
    }

    /// The same from the scoped PDU on, which is encrypted if the user's keys require it, and signed.
    fn write_usm(&self, usm: &UsmSecurity<'_>, out: &mut Backwards<'_>, end: usize) -> Option<usize> {
        let Some((auth, privacy)) = usm.protection.both() else {
            let code = self.write_clear(usm, out, &[], end);
            // RFC 3414 section 3.1 step 8, section 6.3.1: over the whole message, the code's place zeroed.
            if let Some(auth) = usm.protection.auth() {
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
        let salt = privacy.salt(usm.moment.boots, usm.salts.next());
        let code = self.write_clear(usm, out, &salt, padded);
        // RFC 3414 section 3.1 steps 4a and 8: encrypted first, then signed.
        let start = out.at();
        let message = &mut out.octets()[start..padded];
        let (code, scoped) = (code.start - start..code.end - start, scoped - start..padded - start);
        auth.seal(message, code, privacy, usm.moment, salt, scoped).ok()?;
        Some(padded)
    }

    /// Everything before msgData, of a message that ends at `end`; returns the position of the digest.
    fn write_clear(
        &self,
        usm: &UsmSecurity<'_>,
        out: &mut Backwards<'_>,
        salt: &[u8],
        end: usize,
    ) -> Range<usize> {
        let code = usm.write_parameters(out, salt);
        self.write_front(out, end);
        code
    }

    /// Everything in front of msgSecurityParameters.
    fn write_front(&self, out: &mut Backwards<'_>, end: usize) {
        let header_end = out.at();
        out.integer(self.security.model());
        out.string(&[self.security.flags(self.reportable).octet()]);
        out.integer(self.wire_max_size());
        out.integer(self.message_id);
        out.header(tag::SEQUENCE, header_end - out.at());
        out.integer(Version::V3.code());
        out.header(tag::SEQUENCE, end - out.at());
    }

    /// Everything but msgData, without the message's own type and length.
    fn clear_size(&self) -> usize {
        let integer = |number: i32| element_size(integer_size(number));
        let flags = element_size(1);
        let model = integer(self.security.model());
        let header_data = integer(self.message_id) + integer(self.wire_max_size()) + flags + model;
        let parameters = element_size(self.security.parameters_size());
        integer(Version::V3.code()) + element_size(header_data) + parameters
    }

    fn wire_max_size(&self) -> i32 {
        i32::try_from(self.max_size).unwrap_or(i32::MAX)
    }
}

/// DES encrypts blocks of this many octets (RFC 3414 section 8.1.1.2).
const DES_BLOCK: usize = 8;

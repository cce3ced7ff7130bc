//! A scoped PDU, borrowed: from the message, or as it was decrypted.

use crate::wire::reader::Reader;
use crate::wire::{PduRef, Version, tag};
use crate::{DecodeError, Element};

/// ScopedPDU (RFC 3412 section 6.8): a PDU and whose data it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopedPduRef<'a> {
    /// contextEngineID.
    pub context_engine_id: &'a [u8],
    /// contextName.
    pub context_name: &'a [u8],
    /// The PDU.
    pub pdu: PduRef<'a>,
}

impl<'a> ScopedPduRef<'a> {
    /// Parses a decrypted scoped PDU. Up to `padding` arbitrary octets may follow it (RFC 3414 section 8.1.1.2).
    /// Offsets in errors count from the first octet of the scoped PDU.
    ///
    /// # Errors
    /// [`DecodeError`]: a wrong key yields garbage, which is found here.
    pub fn decode(octets: &'a [u8], padding: usize) -> Result<Self, DecodeError> {
        let mut outer = Reader::new(octets);
        let contents = outer.expect(tag::SEQUENCE, Element::ScopedPdu)?.contents;
        if outer.rest().len() > padding {
            outer.finish(Element::ScopedPdu)?;
        }
        ScopedPduRef::read(contents)
    }

    /// Reads the contents of a scoped PDU.
    pub(super) fn read(mut scoped: Reader<'a>) -> Result<Self, DecodeError> {
        let context_engine_id = scoped.expect(tag::OCTET_STRING, Element::ContextEngineId)?.contents.rest();
        let context_name = scoped.expect(tag::OCTET_STRING, Element::ContextName)?.contents.rest();
        let found = scoped.any(Element::Pdu)?;
        scoped.finish(Element::Pdu)?;
        let pdu = PduRef::read(&found, Version::V3).map_err(|error| match error {
            // SNMPv3 has no Trap-PDU of SNMPv1.
            DecodeError::TrapV1 { offset } => DecodeError::UnknownPdu { offset, found: found.tag },
            error => error,
        })?;
        Ok(ScopedPduRef { context_engine_id, context_name, pdu })
    }
}

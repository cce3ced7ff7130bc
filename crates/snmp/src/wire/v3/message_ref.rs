//! A message of SNMPv3, borrowed from the received octets: everything that can be read before authentication.

use super::{MsgFlags, ScopedPduRef, UsmParametersRef};
use crate::wire::reader::Reader;
use crate::wire::{MAX_MESSAGE_SIZE, MIN_MAX_MESSAGE_SIZE, Version, tag};
use crate::{DecodeError, Element};

/// A message of SNMPv3 (RFC 3412 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct V3MessageRef<'a> {
    /// msgID, 0 to 2^31-1: the value that an answer repeats.
    pub message_id: i32,
    /// msgMaxSize, 484 to 2^31-1: how many octets the sender accepts.
    pub max_size: usize,
    /// msgFlags.
    pub flags: MsgFlags,
    /// msgSecurityModel, 1 to 2^31-1.
    pub security_model: i32,
    /// msgData.
    pub data: MsgData<'a>,
    security_parameters: Reader<'a>,
}

/// msgData (RFC 3412 section 6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MsgData<'a> {
    /// For everybody to read.
    Plain(ScopedPduRef<'a>),
    /// The octets as they were encrypted.
    Encrypted(&'a [u8]),
}

impl<'a> V3MessageRef<'a> {
    /// Parses a whole message strictly: each element in its place and within its range, nothing after the last.
    /// The contents of msgSecurityParameters are for the security model: [`usm`](Self::usm).
    ///
    /// # Errors
    /// [`DecodeError`]; [`DecodeError::UnsupportedVersion`] for another version than 3.
    pub fn decode(octets: &'a [u8]) -> Result<Self, DecodeError> {
        if octets.len() > MAX_MESSAGE_SIZE {
            return Err(DecodeError::TooLarge { found: octets.len(), limit: MAX_MESSAGE_SIZE });
        }
        let mut outer = Reader::new(octets);
        let mut message = outer.expect(tag::SEQUENCE, Element::Message)?.contents;
        outer.finish(Element::Message)?;
        let code = message.integer(Element::Version)?;
        if code != Version::V3.code() {
            return Err(DecodeError::UnsupportedVersion { found: code });
        }

        let mut header = message.expect(tag::SEQUENCE, Element::HeaderData)?.contents;
        let message_id = header.integer_within(Element::MessageId, 0)?;
        let max_size = header.integer_within(Element::MaxSize, MIN_MAX_MESSAGE_SIZE as i32)?;
        let flags = header.expect(tag::OCTET_STRING, Element::Flags)?;
        let &[flags] = flags.contents.rest() else {
            let (offset, found) = (flags.offset, flags.contents.rest().len());
            return Err(DecodeError::StringSize {
                element: Element::Flags,
                offset,
                least: 1,
                most: 1,
                found,
            });
        };
        let security_model = header.integer_within(Element::SecurityModel, 1)?;
        header.finish(Element::SecurityModel)?;

        let security_parameters = message.expect(tag::OCTET_STRING, Element::SecurityParameters)?.contents;
        let data = message.any(Element::MessageData)?;
        message.finish(Element::MessageData)?;
        let data = match data.tag {
            tag::OCTET_STRING => MsgData::Encrypted(data.contents.rest()),
            tag::SEQUENCE => MsgData::Plain(ScopedPduRef::read(data.contents)?),
            found => return Err(DecodeError::UnknownMessageData { offset: data.offset, found }),
        };
        let (flags, max_size) = (MsgFlags::from_octet(flags), max_size as usize);
        Ok(V3MessageRef { message_id, max_size, flags, security_model, data, security_parameters })
    }

    /// Reads msgSecurityParameters as the User-based Security Model has them.
    ///
    /// # Errors
    /// [`DecodeError`], with offsets in the message.
    pub fn usm(&self) -> Result<UsmParametersRef<'a>, DecodeError> {
        UsmParametersRef::read(self.security_parameters)
    }

    /// The contents of msgSecurityParameters.
    pub fn security_parameters(&self) -> &'a [u8] {
        self.security_parameters.rest()
    }
}

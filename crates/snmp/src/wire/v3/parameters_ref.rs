//! What the User-based Security Model puts into msgSecurityParameters,
//! borrowed (RFC 3414 section 2.4).

use std::ops::Range;

use crate::usm::EngineMoment;
use crate::wire::reader::Reader;
use crate::wire::tag;
use crate::{DecodeError, Element};

/// UsmSecurityParameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsmParametersRef<'a> {
    /// msgAuthoritativeEngineID; empty in discovery. Whether it is an engine ID at all is not checked.
    pub engine_id: &'a [u8],
    /// msgAuthoritativeEngineBoots and msgAuthoritativeEngineTime.
    pub moment: EngineMoment,
    /// msgUserName, 0 to 32 octets.
    pub user_name: &'a [u8],
    /// msgAuthenticationParameters: the code, or nothing.
    pub authentication: &'a [u8],
    /// msgPrivacyParameters: the salt, or nothing.
    pub privacy: &'a [u8],
    authentication_offset: usize,
}

impl<'a> UsmParametersRef<'a> {
    /// The position of the contents of msgAuthenticationParameters in the message.
    pub fn authentication_range(&self) -> Range<usize> {
        self.authentication_offset..self.authentication_offset + self.authentication.len()
    }

    pub(super) fn read(mut octets: Reader<'a>) -> Result<Self, DecodeError> {
        let mut parameters = octets.expect(tag::SEQUENCE, Element::SecurityParameters)?.contents;
        octets.finish(Element::SecurityParameters)?;
        let engine_id = parameters.expect(tag::OCTET_STRING, Element::EngineId)?.contents.rest();
        let boots = parameters.integer_within(Element::EngineBoots, 0)?;
        let time = parameters.integer_within(Element::EngineTime, 0)?;
        let user = parameters.expect(tag::OCTET_STRING, Element::UserName)?;
        let user_name = user.contents.rest();
        if user_name.len() > MAX_USER_NAME {
            let (offset, found) = (user.offset, user_name.len());
            let (element, most) = (Element::UserName, MAX_USER_NAME);
            return Err(DecodeError::StringSize { element, offset, least: 0, most, found });
        }
        let authentication =
            parameters.expect(tag::OCTET_STRING, Element::AuthenticationParameters)?.contents;
        let privacy = parameters.expect(tag::OCTET_STRING, Element::PrivacyParameters)?.contents.rest();
        parameters.finish(Element::PrivacyParameters)?;
        Ok(UsmParametersRef {
            engine_id,
            // both were found to be in range
            moment: EngineMoment::new(boots as u32, time as u32).unwrap_or_default(),
            user_name,
            authentication: authentication.rest(),
            privacy,
            authentication_offset: authentication.offset(),
        })
    }
}

/// The most octets of msgUserName.
pub(crate) const MAX_USER_NAME: usize = 32;

//! Messages of SNMPv3 that own their contents: to be taken apart, changed and reassembled, by tests and by tools
//! that inspect other implementations' messages. Nothing is encrypted or signed here:
//! [`V3Header`](super::V3Header) does that.

use std::fmt;

use super::{MsgData, MsgFlags, ScopedPduRef, UsmParametersRef, V3MessageRef};
use crate::DecodeError;
use crate::usm::EngineMoment;
use crate::wire::writer::{Forwards, element_size, integer_size};
use crate::wire::{Pdu, Version, tag};

/// A message of SNMPv3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V3Message {
    /// msgID, 0 to 2^31-1.
    pub message_id: i32,
    /// msgMaxSize, 484 to 2^31-1.
    pub max_size: i32,
    /// msgFlags.
    pub flags: MsgFlags,
    /// msgSecurityModel, 1 to 2^31-1.
    pub security_model: i32,
    /// The contents of msgSecurityParameters, as encoded by [`UsmParameters::encode`].
    pub security_parameters: Vec<u8>,
    /// msgData.
    pub data: ScopedPduData,
}

/// msgData.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopedPduData {
    /// For everybody to read.
    Plain(ScopedPdu),
    /// The octets as they were encrypted.
    Encrypted(Vec<u8>),
}

/// A PDU and whose data it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedPdu {
    /// contextEngineID.
    pub context_engine_id: Vec<u8>,
    /// contextName.
    pub context_name: Vec<u8>,
    /// The PDU.
    pub pdu: Pdu,
}

/// UsmSecurityParameters.
#[derive(Clone, PartialEq, Eq)]
pub struct UsmParameters {
    /// msgAuthoritativeEngineID.
    pub engine_id: Vec<u8>,
    /// msgAuthoritativeEngineBoots and msgAuthoritativeEngineTime.
    pub moment: EngineMoment,
    /// msgUserName.
    pub user_name: Vec<u8>,
    /// msgAuthenticationParameters.
    pub authentication: Vec<u8>,
    /// msgPrivacyParameters.
    pub privacy: Vec<u8>,
}

impl fmt::Debug for UsmParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UsmParameters")
            .field("engine_id", &self.engine_id)
            .field("moment", &self.moment)
            .field("user_name", &self.user_name)
            .field("authentication", &self.authentication.len())
            .field("privacy", &self.privacy.len())
            .finish()
    }
}

impl V3Message {
    /// Parses a whole message, strictly, and every unencrypted binding.
    ///
    /// # Errors
    /// As [`V3MessageRef::decode`], and errors in a binding.
    pub fn decode(octets: &[u8]) -> Result<Self, DecodeError> {
        let message = V3MessageRef::decode(octets)?;
        Ok(V3Message {
            message_id: message.message_id,
            max_size: i32::try_from(message.max_size).unwrap_or(i32::MAX),
            flags: message.flags,
            security_model: message.security_model,
            security_parameters: message.security_parameters().to_vec(),
            data: match message.data {
                MsgData::Plain(scoped) => ScopedPduData::Plain(scoped.to_owned_pdu()?),
                MsgData::Encrypted(octets) => ScopedPduData::Encrypted(octets.to_vec()),
            },
        })
    }

    /// The octets of the message.
    pub fn encode(&self) -> Vec<u8> {
        let integers = [self.message_id, self.max_size, self.security_model];
        let header: usize = integers.iter().map(|&number| element_size(integer_size(number))).sum();
        let header = header + element_size(1);
        let (data_tag, data) = match &self.data {
            ScopedPduData::Plain(scoped) => (tag::SEQUENCE, scoped.contents()),
            ScopedPduData::Encrypted(octets) => (tag::OCTET_STRING, octets.clone()),
        };
        let version = Version::V3.code();
        let contents = element_size(integer_size(version))
            + element_size(header)
            + element_size(self.security_parameters.len())
            + element_size(data.len());
        let mut octets = vec![0; element_size(contents)];
        let mut out = Forwards::new(&mut octets);
        out.header(tag::SEQUENCE, contents);
        out.integer(version);
        out.header(tag::SEQUENCE, header);
        out.integer(self.message_id);
        out.integer(self.max_size);
        out.element(tag::OCTET_STRING, &[self.flags.octet()]);
        out.integer(self.security_model);
        out.element(tag::OCTET_STRING, &self.security_parameters);
        out.element(data_tag, &data);
        octets
    }
}

impl ScopedPdu {
    /// The octets of the scoped PDU: what is encrypted, without padding.
    pub fn encode(&self) -> Vec<u8> {
        let contents = self.contents();
        let mut octets = vec![0; element_size(contents.len())];
        Forwards::new(&mut octets).element(tag::SEQUENCE, &contents);
        octets
    }

    fn contents(&self) -> Vec<u8> {
        let pdu = self.pdu.sizes();
        let size = element_size(self.context_engine_id.len())
            + element_size(self.context_name.len())
            + element_size(pdu.contents);
        let mut octets = vec![0; size];
        let mut out = Forwards::new(&mut octets);
        out.element(tag::OCTET_STRING, &self.context_engine_id);
        out.element(tag::OCTET_STRING, &self.context_name);
        self.pdu.write(pdu, &mut out);
        octets
    }
}

impl ScopedPduRef<'_> {
    /// An owned copy; every binding is checked.
    ///
    /// # Errors
    /// Errors in a binding.
    pub fn to_owned_pdu(&self) -> Result<ScopedPdu, DecodeError> {
        Ok(ScopedPdu {
            context_engine_id: self.context_engine_id.to_vec(),
            context_name: self.context_name.to_vec(),
            pdu: self.pdu.to_pdu()?,
        })
    }
}

impl UsmParameters {
    /// The contents of msgSecurityParameters.
    pub fn encode(&self) -> Vec<u8> {
        let numbers = [self.moment.boots.get() as i32, self.moment.time.get() as i32];
        let strings = [&self.engine_id, &self.user_name, &self.authentication, &self.privacy];
        let contents: usize = numbers.iter().map(|&number| element_size(integer_size(number))).sum::<usize>()
            + strings.iter().map(|octets| element_size(octets.len())).sum::<usize>();
        let mut octets = vec![0; element_size(contents)];
        let mut out = Forwards::new(&mut octets);
        out.header(tag::SEQUENCE, contents);
        out.element(tag::OCTET_STRING, &self.engine_id);
        numbers.iter().for_each(|&number| out.integer(number));
        out.element(tag::OCTET_STRING, &self.user_name);
        out.element(tag::OCTET_STRING, &self.authentication);
        out.element(tag::OCTET_STRING, &self.privacy);
        octets
    }
}

impl UsmParametersRef<'_> {
    /// An owned copy.
    pub fn to_parameters(&self) -> UsmParameters {
        UsmParameters {
            engine_id: self.engine_id.to_vec(),
            moment: self.moment,
            user_name: self.user_name.to_vec(),
            authentication: self.authentication.to_vec(),
            privacy: self.privacy.to_vec(),
        }
    }
}

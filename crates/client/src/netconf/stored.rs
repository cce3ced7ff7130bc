//! Messages without a session: sealed for a device, handed to whoever passes it on, and their replies (docs/wire/protected.md). The one who passes
//! them on needs no keys.

use std::time::{Duration, SystemTime};

use trunkline_netconf::STORED_MESSAGES;
use trunkline_netconf::compression::{Algorithm, inflate};
use trunkline_netconf::hello::Hello;
use trunkline_xmlsec::{
    Compression, DeviceName, Direction, Found, Header, KeyName, Keys, Limits, OpenError, Opened, Place,
    Protection, Time, claimed, is_protected, open,
};

use super::link::request;
use super::protect::{self, said};
use super::{MessageKeys, NetconfFault, NetconfSession, OwnKeys, ProtectFault};
use crate::error::Error;

/// Seals an operation for a device, which accepts it for a time and once. `operation` is its element.
///
/// # Errors
/// The keys do not fit, or there are no random octets.
pub fn seal_stored(
    keys: &MessageKeys,
    device: &DeviceName,
    validity: Duration,
    operation: &[u8],
) -> Result<Vec<u8>, ProtectFault> {
    let time = Time::from(SystemTime::now());
    let header = Header {
        direction: Direction::Request,
        place: Place::Device(device.clone()),
        // Whoever has these keys counts nothing together: of numbers by chance none comes twice.
        number: u64::from_be_bytes(protect::random()?) >> 1 | 1,
        in_reply_to: None,
        time,
        expires: Some(time.after(validity)),
        compression: None,
        role: None,
    };
    protect::seal(keys, &header, &request(1, None, operation))
}

/// What the device has replied to a message of ours: an `rpc-reply`.
///
/// # Errors
/// One of the two is not by these keys, or the reply is to another message.
pub fn open_stored(
    keys: &MessageKeys,
    request: &[u8],
    reply: &[u8],
    most: usize,
) -> Result<Vec<u8>, NetconfFault> {
    let sent = opened(keys, request, most).map_err(ProtectFault::Request)?;
    if !is_protected(reply) {
        return Err(ProtectFault::Unprotected { said: said(reply) }.into());
    }
    let found = opened(keys, reply, most).map_err(ProtectFault::Open)?;
    let is_answer = found.header.direction == Direction::Reply
        && found.header.in_reply_to == Some(sent.header.number)
        && found.header.place == sent.header.place;
    // As well protected as the request, or we do not take it.
    if !is_answer || found.protection != sent.protection {
        return Err(ProtectFault::OtherReply.into());
    }
    match found.header.compression {
        None => Ok(found.content),
        Some(Compression::Zlib) => Ok(inflate(Algorithm::Zlib, &found.content, most)?),
        Some(Compression::Zstd) => Ok(inflate(Algorithm::Zstd, &found.content, most)?),
    }
}

fn opened(keys: &MessageKeys, message: &[u8], most: usize) -> Result<Opened, OpenError> {
    open(message, &Limits { octets: most }, &Own(keys))
}

/// The keys of whoever has sealed the request.
struct Own<'k>(&'k MessageKeys);

impl Keys for Own<'_> {
    fn find(&self, name: &KeyName, _: &Protection) -> Option<Found> {
        match &self.0.own {
            OwnKeys::Shared(keys) if *name == self.0.name => Some(Found::Shared(keys.clone())),
            _ => None,
        }
    }
}

impl NetconfSession {
    /// Passes on a message without a session, and returns its reply, which only its sender can open. Sent once only. The session needs
    /// no rights.
    ///
    /// # Errors
    /// [`NetconfFault::Protection`] if the message is none or for another device, or the agent refuses it;
    /// [`Error::OutcomeUnknown`] if the connection breaks before the reply.
    pub async fn relay(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let header = claimed(message, &Limits { octets: message.len() });
        let header = header.map_err(|fault| NetconfFault::from(ProtectFault::Request(fault)))?;
        let Place::Device(device) = header.place else {
            return Err(NetconfFault::from(ProtectFault::NotStored).into());
        };
        if let Some(found) = device_of(&*self.hello().await?)?
            && found != device.as_str()
        {
            return Err(NetconfFault::from(ProtectFault::OtherDevice { expected: device, found }).into());
        }
        let reply = self.inner.way.relay(message).await?;
        match is_protected(&reply) {
            true => Ok(reply),
            false => Err(NetconfFault::from(ProtectFault::NotRelayed { said: said(&reply) }).into()),
        }
    }
}

/// The agent is the device that is meant, if one is.
///
/// # Errors
/// It is another one, or does not say which it is.
pub(super) fn expect_device(expected: Option<&DeviceName>, hello: &Hello) -> Result<(), NetconfFault> {
    let Some(expected) = expected else { return Ok(()) };
    match device_of(hello)? {
        Some(found) if found == expected.as_str() => Ok(()),
        found => {
            let found = found.map_or_else(String::new, |found| trunkline_smi::visible(&found).to_string());
            Err(ProtectFault::AtOtherDevice { expected: expected.clone(), found }.into())
        }
    }
}

/// The device's name, as its hello has it.
fn device_of(hello: &Hello) -> Result<Option<String>, NetconfFault> {
    let announced = hello.parameters(STORED_MESSAGES).ok_or(ProtectFault::NoDevice)?;
    Ok(announced.split('&').find_map(|it| it.strip_prefix("device=")).map(str::to_owned))
}

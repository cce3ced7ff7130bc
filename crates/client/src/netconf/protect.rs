//! Messages that protect themselves, at the client's end (docs/wire/protected.md): each request is sealed, and only what the same keys
//! seal is accepted from the agent.

use std::fmt;
use std::time::SystemTime;

use trunkline_netconf::compression::{Agreed, Algorithm, inflate};
use trunkline_netconf::hello::Hello;
use trunkline_netconf::reply::{Answers, FromServer};
use trunkline_netconf::{PROTECTION, STORED_MESSAGES};
use trunkline_xmlsec::{
    Compression, DeviceName, Direction, Found, Header, KeyName, Keys, Limits, Nonce, OpenError, Protection,
    Replay, ReplayError, SealError, SealKeys, Signer, Time, UserKeys, is_protected, open,
};

use super::NetconfFault;

/// With which keys messages protect themselves, and how.
#[derive(Clone)]
pub struct MessageKeys {
    /// The name of the keys.
    pub name: KeyName,
    /// The keys.
    pub own: OwnKeys,
    /// How. Default AES-128 in GCM and HMAC-SHA-256.
    pub protection: Protection,
}

/// Keys of a client.
#[derive(Clone)]
pub enum OwnKeys {
    /// Those of a user in a role, which the agent derives too.
    Shared(UserKeys),
    /// A private key whose public key the agent knows. The agent's replies are protected by the transport.
    Private(Signer),
}

impl PartialEq for MessageKeys {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.own, &other.own) {
            (OwnKeys::Shared(own), OwnKeys::Shared(other)) => own.secrets() == other.secrets(),
            // A user has one key of a name.
            (OwnKeys::Private(own), OwnKeys::Private(other)) => own.method() == other.method(),
            _ => false,
        };
        same && self.name == other.name && self.protection == other.protection
    }
}

impl Eq for MessageKeys {}

impl fmt::Debug for MessageKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageKeys").field("name", &self.name).field("protection", &self.protection).finish()
    }
}

/// Why a protected message is not sent or not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtectFault {
    /// The agent has no keys of messages.
    #[error("the agent does not announce {PROTECTION}: it has no keys of messages that protect themselves")]
    NotAnnounced,
    /// Its hello names no session.
    #[error("the agent announces {PROTECTION} without the nonce of the session")]
    NoNonce,
    /// Our own keys do not fit.
    #[error("the request cannot be protected: {0}")]
    Seal(#[from] SealError),
    /// The answer is not by our keys.
    #[error("the agent's message is not accepted: {0}")]
    Open(#[from] OpenError),
    /// It came again, late, or for somebody else.
    #[error("the agent's message is not accepted: {0}")]
    Replay(#[from] ReplayError),
    /// The agent refuses our messages, and says so without protection, so that somebody else may have said it.
    #[error(
        "the agent has answered without protection, perhaps because our keys are not valid there (any more), or a clock is wrong: {said}"
    )]
    Unprotected {
        /// The text of its error, or the beginning of the message.
        said: String,
    },
    /// What should be a message of ours is none.
    #[error("not a message that these keys have sealed: {0}")]
    Request(OpenError),
    /// Somebody has changed what the hellos say on the way, or an end says two things.
    #[error(
        "the agent's protected hello agrees on other base versions or compression than its first one: somebody on the path has changed that"
    )]
    OtherTerms,
    /// What the agent sends without a request is not a notification.
    #[error("the agent has sent a notification that is none")]
    NotNotification,
    /// The reply belongs to another message.
    #[error("the reply is to another message, or protected otherwise than that is")]
    OtherReply,
    /// A message of a session cannot be passed on.
    #[error("the message is of a session: only one that is sealed for a device can be passed on")]
    NotStored,
    /// The agent accepts no messages without a session.
    #[error(
        "the agent does not announce {STORED_MESSAGES}: it accepts no messages for a device (`device` in [netconf]), or has no keys"
    )]
    NoDevice,
    /// It is not the device that the message is for.
    #[error("the message is for the device {expected}, and this one is called {found}")]
    OtherDevice {
        /// In the message.
        expected: DeviceName,
        /// In the agent's hello.
        found: String,
    },
    /// It is not the device that was meant.
    #[error("the device at this address is called {found:?}, and not {expected}: nothing was sent to it")]
    AtOtherDevice {
        /// The one that is meant.
        expected: DeviceName,
        /// In the agent's hello.
        found: String,
    },
    /// The device does not accept the message, and says so to whoever passes it on.
    #[error(
        "the device does not accept the message, perhaps because its keys are not valid there (any more): {said}"
    )]
    NotRelayed {
        /// The text of its error, or the beginning of the message.
        said: String,
    },
    /// RESTCONF has no messages.
    #[error("messages for a device are passed on over NETCONF, not over RESTCONF")]
    OverRestconf,
    /// The kernel gives no random octets.
    #[error("there are no random octets")]
    NoEntropy,
}

/// One end of a session whose messages protect themselves.
pub(super) struct Protecting {
    keys: MessageKeys,
    replay: Replay,
}

impl Protecting {
    /// With an agent that has sent this hello. `ours`: the nonce in the client's.
    pub fn begin(keys: MessageKeys, ours: Nonce, theirs: &Hello) -> Result<Self, ProtectFault> {
        let announced = theirs.parameters(PROTECTION).ok_or(ProtectFault::NotAnnounced)?;
        let nonce = Nonce::of_parameters(announced).ok_or(ProtectFault::NoNonce)?;
        Ok(Protecting { keys, replay: Replay::of_client(ours, nonce) })
    }

    /// A request in its protection. `compression`: how the content is compressed.
    pub fn seal(&mut self, content: &[u8], compression: Option<Algorithm>) -> Result<Vec<u8>, NetconfFault> {
        let mut header = self.replay.next(None, Time::from(SystemTime::now()));
        header.compression = compression.map(|algorithm| match algorithm {
            Algorithm::Zlib => Compression::Zlib,
            Algorithm::Zstd => Compression::Zstd,
        });
        Ok(seal(&self.keys, &header, content)?)
    }

    /// What a message of the agent protects, inflated if that is `agreed`.
    pub fn open(&mut self, message: Vec<u8>, most: usize, agreed: &Agreed) -> Result<Vec<u8>, NetconfFault> {
        if matches!(self.keys.own, OwnKeys::Private(_)) {
            // The transport protects what the agent says.
            return Ok(agreed.receive(message, most)?);
        }
        let limits = Limits { octets: most };
        let opened = match open(&message, &limits, self) {
            Ok(opened) => opened,
            Err(OpenError::Malformed(_)) if !is_protected(&message) => {
                return Err(ProtectFault::Unprotected { said: said(&message) }.into());
            }
            Err(error) => return Err(ProtectFault::Open(error).into()),
        };
        self.replay.accept(&opened.header, Time::from(SystemTime::now())).map_err(ProtectFault::Replay)?;
        let algorithm = opened.header.compression.map(|compression| match compression {
            Compression::Zlib => Algorithm::Zlib,
            Compression::Zstd => Algorithm::Zstd,
        });
        let content = match algorithm {
            None => opened.content,
            Some(algorithm) => {
                agreed.allow(algorithm)?;
                inflate(algorithm, &opened.content, most)?
            }
        };
        // It is in answer to nothing, whatever it says.
        let is_told = opened.header.direction == Direction::Notification;
        if is_told && !matches!(Answers::of(&content, most), Ok(Answers::Nothing)) {
            return Err(ProtectFault::NotNotification.into());
        }
        Ok(content)
    }
}

impl Keys for Protecting {
    fn find(&self, name: &KeyName, protection: &Protection) -> Option<Found> {
        match &self.keys.own {
            // As well protected as ours, or we do not take it.
            OwnKeys::Shared(keys) if *name == self.keys.name && *protection == self.keys.protection => {
                Some(Found::Shared(keys.clone()))
            }
            _ => None,
        }
    }
}

/// A nonce for a session.
///
/// # Errors
/// The kernel gives none.
pub(super) fn nonce() -> Result<Nonce, ProtectFault> {
    random().map(Nonce)
}

/// A message with this header.
pub(super) fn seal(keys: &MessageKeys, header: &Header, content: &[u8]) -> Result<Vec<u8>, ProtectFault> {
    let MessageKeys { name, own, protection } = keys;
    let keys = match own {
        OwnKeys::Shared(keys) => SealKeys::shared(name, keys),
        OwnKeys::Private(signer) => SealKeys::private(name, signer),
    };
    let mut message = Vec::with_capacity(content.len() * 4 / 3 + 2048);
    trunkline_xmlsec::seal(header, content, &keys, *protection, &random()?, &mut message)?;
    Ok(message)
}

/// Random octets of the kernel.
pub(super) fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], ProtectFault> {
    let mut octets = [0; LENGTH];
    match rustix::rand::getrandom(&mut octets, rustix::rand::GetRandomFlags::empty()) {
        Ok(length) if length == LENGTH => Ok(octets),
        _ => Err(ProtectFault::NoEntropy),
    }
}

/// What an unprotected message says: its errors, or else its beginning.
pub(super) fn said(message: &[u8]) -> String {
    let errors: Vec<String> = match FromServer::read(message, message.len()) {
        Ok(FromServer::Reply(reply)) => reply.errors().filter_map(|error| error.message).collect(),
        _ => Vec::new(),
    };
    let text = match errors.is_empty() {
        true => String::from_utf8_lossy(&message[..message.len().min(LONGEST)]).into_owned(),
        false => errors.join("; "),
    };
    trunkline_smi::visible(&text.chars().take(LONGEST).collect::<String>()).to_string()
}

/// Characters that are shown of it.
const LONGEST: usize = 200;

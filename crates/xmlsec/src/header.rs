//! What a message says of itself, beside its content.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::name::{DeviceName, RoleName};
use crate::time::Time;

/// Which way a message goes. It is signed, so that nothing can be reflected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a client to an agent.
    Request,
    /// From an agent, to one request.
    Reply,
    /// From an agent, of its own.
    Notification,
}

/// The octets by which an agent names a session in its hello.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce(pub [u8; 16]);

/// Where a message is valid.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In this session.
    Session(Nonce),
    /// At this device, until it expires: a message that is stored or relayed.
    Device(DeviceName),
}

/// By what a content is compressed, before it is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// RFC 1950, as in the paper.
    Zlib,
    /// RFC 8878.
    Zstd,
}

/// What a message says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which way it goes.
    pub direction: Direction,
    /// Where it is valid.
    pub place: Place,
    /// Its number: from 1, rising within a session in each direction; at a device of each key.
    pub number: u64,
    /// The number of the request, in a reply and only there.
    pub in_reply_to: Option<u64>,
    /// When it was sealed.
    pub time: Time,
    /// Until when a device accepts it; only there, and always.
    pub expires: Option<Time>,
    /// By what the content is compressed. Who seals compresses before, who opens decompresses after.
    pub compression: Option<Compression>,
    /// On behalf of which role, if the name of the key has none.
    pub role: Option<RoleName>,
}

impl Header {
    /// The rule that it breaks, if any: who is read and who is sealed follow the same ones.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let stored = matches!(self.place, Place::Device(_));
        if self.number == 0 {
            Some("messages are numbered from 1")
        } else if (self.direction == Direction::Reply) != self.in_reply_to.is_some() {
            Some("a reply, and nothing else, has the number of its request")
        } else if self.in_reply_to == Some(0) {
            Some("requests are numbered from 1")
        } else if stored != self.expires.is_some() {
            Some("a message to a device, and none else, expires")
        } else {
            None
        }
    }
}

impl Direction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Request, Self::Reply, Self::Notification];

    /// Its name in a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reply => "reply",
            Self::Notification => "notification",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.name() == name)
    }
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Zlib, Self::Zstd];

    /// Its name in a message.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zlib => "zlib",
            Self::Zstd => "zstd",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compression| compression.name() == name)
    }
}

impl Nonce {
    /// What a message has of it.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(self.0)
    }

    /// The inverse of [`Self::to_base64`], in exactly that spelling.
    pub fn from_base64(text: &str) -> Option<Self> {
        let mut octets = [0; 18];
        match STANDARD.decode_slice(text, &mut octets) {
            Ok(16) => Some(Self(std::array::from_fn(|at| octets[at]))),
            _ => None,
        }
    }
}

impl Nonce {
    /// What the capability in the agent's hello has of it: in a URI, `+`, `/` and `=` of base64 would have to be escaped.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|octet| format!("{octet:02x}")).collect()
    }

    /// That among the parameters of a capability: the value of `nonce`.
    pub fn of_parameters(parameters: &str) -> Option<Self> {
        parameters.split('&').find_map(|parameter| parameter.strip_prefix("nonce=")).and_then(Self::from_hex)
    }

    /// The inverse of [`Self::to_hex`], of digits of both cases.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut octets = [0; 16];
        if text.len() != 32 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        for (at, octet) in octets.iter_mut().enumerate() {
            *octet = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self(octets))
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_base64())
    }
}

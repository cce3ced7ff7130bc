//! The engine's output: a PDU, its sender, how well that is authenticated, its context, and how to answer.

use std::sync::Arc;

use crate::SecurityLevel;
use crate::usm::User;
use crate::wire::{Compression, Envelope, Header, PduKind, PduRef, V3Header, Version};

/// securityModel of SNMPv1 (RFC 3411 section 5, SnmpSecurityModel).
pub const COMMUNITY_V1: u32 = 1;
/// securityModel of SNMPv2c.
pub const COMMUNITY_V2C: u32 = 2;
/// securityModel of the User-based Security Model.
pub const USER_BASED: u32 = 3;
/// securityModel of the Transport Security Model (RFC 5591 section 9).
pub const TRANSPORT: u32 = 4;

/// A request, or a notification, from a known sender (RFC 3412 section 4.2.2: processPdu). Its bindings have not
/// been parsed yet.
#[derive(Clone, Debug)]
pub struct Request<'m> {
    /// The version of the message.
    pub version: Version,
    /// securityModel: [`COMMUNITY_V1`], [`COMMUNITY_V2C`], [`USER_BASED`] or [`TRANSPORT`], which a message of
    /// SNMPv1 or SNMPv2c over a secure session has too.
    pub security_model: u32,
    /// securityLevel: how well the message was protected.
    pub level: SecurityLevel,
    /// contextEngineID.
    pub context_engine_id: &'m [u8],
    /// contextName.
    pub context_name: &'m [u8],
    /// The PDU.
    pub pdu: PduRef<'m>,
    /// The most octets of the answer: what both sides accept.
    pub max_size: usize,
    pub(super) is_local: bool,
    /// The compression of the answer: that of the request.
    pub(super) compression: Option<Compression>,
    pub(super) reply: Reply<'m>,
}

/// What the answer is put into.
#[derive(Clone)]
pub(super) enum Reply<'m> {
    Community { community: &'m [u8], security_name: &'m [u8] },
    V3 { header: V3Header<'m>, sender: Sender<'m> },
}

/// The sender of a message of SNMPv3.
#[derive(Clone)]
pub(super) enum Sender<'m> {
    User(Arc<User>),
    /// The peer of a secure session, by its security name.
    Session(&'m [u8]),
}

impl std::fmt::Debug for Reply<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // The community is the secret of its version.
            Reply::Community { .. } => f.debug_struct("Community").finish_non_exhaustive(),
            Reply::V3 { header, .. } => f.debug_tuple("V3").field(header).finish(),
        }
    }
}

impl Request<'_> {
    /// securityName: what the access policy calls who sent it.
    pub fn security_name(&self) -> &[u8] {
        match &self.reply {
            Reply::Community { security_name, .. } => security_name,
            Reply::V3 { sender: Sender::User(user), .. } => user.security_name(),
            Reply::V3 { sender: Sender::Session(security_name), .. } => security_name,
        }
    }

    /// The user of the User-based Security Model.
    pub fn user(&self) -> Option<&User> {
        match &self.reply {
            Reply::V3 { sender: Sender::User(user), .. } => Some(user),
            Reply::V3 { .. } | Reply::Community { .. } => None,
        }
    }

    /// The community of SNMPv1 and SNMPv2c.
    pub fn community(&self) -> Option<&[u8]> {
        match &self.reply {
            Reply::Community { community, .. } => Some(community),
            Reply::V3 { .. } => None,
        }
    }

    /// Whether it is about this engine's own data. If not, it is a proxy's to forward, or to be answered with
    /// [`ReportReason::UnknownPduHandlers`](super::ReportReason).
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// The authoritative engine of the message: this engine for requests and informs, its sender for traps. Only
    /// the User-based Security Model has one.
    pub fn authoritative_engine_id(&self) -> Option<&[u8]> {
        self.user().map(|user| user.engine_id().as_bytes())
    }

    /// The envelope of the Response (RFC 3412 section 7.1 step 1): same version, user or community, level,
    /// context, msgID and request-id.
    pub fn reply(&self) -> Envelope<'_> {
        let header = match &self.reply {
            Reply::Community { community, .. } => Header::Community { version: self.version, community },
            Reply::V3 { header, .. } => Header::V3(header),
        };
        let (request_id, compression) = (self.pdu.request_id, self.compression);
        Envelope { header, kind: PduKind::Response, request_id, compression }
    }
}

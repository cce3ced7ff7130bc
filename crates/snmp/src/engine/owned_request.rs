//! A request that outlives the octets it came in: for answers that must wait,
//! on another thread, without taking the message in a second time.

use std::sync::Arc;

use super::request::Reply;
use super::{Engine, Request};
use crate::SecurityLevel;
use crate::usm::{EngineMoment, User};
use crate::wire::{PduRef, Protection, V3Header, Version};

/// A [`Request`] that owns what it holds.
#[derive(Debug)]
pub struct OwnedRequest {
    version: Version,
    security_model: u32,
    level: SecurityLevel,
    context_engine_id: Vec<u8>,
    context_name: Vec<u8>,
    pdu: PduRef<'static>,
    raw_bindings: Vec<u8>,
    max_size: usize,
    is_local: bool,
    reply: OwnedReply,
}

enum OwnedReply {
    Community { community: Vec<u8>, security_name: Vec<u8> },
    User { message_id: i32, moment: EngineMoment, protection: Protection, user: Arc<User> },
}

impl std::fmt::Debug for OwnedReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            OwnedReply::Community { .. } => "Community",
            OwnedReply::User { .. } => "User",
        })
    }
}

impl Request<'_> {
    /// A copy that owns what it holds.
    pub fn to_owned_request(&self) -> OwnedRequest {
        OwnedRequest {
            version: self.version,
            security_model: self.security_model,
            level: self.level,
            context_engine_id: self.context_engine_id.to_vec(),
            context_name: self.context_name.to_vec(),
            pdu: self.pdu.without_bindings(),
            raw_bindings: self.pdu.raw_bindings().to_vec(),
            max_size: self.max_size,
            is_local: self.is_local,
            reply: match &self.reply {
                Reply::Community { community, security_name } => OwnedReply::Community {
                    community: community.to_vec(),
                    security_name: security_name.to_vec(),
                },
                Reply::User { header, user } => OwnedReply::User {
                    message_id: header.message_id,
                    moment: header.moment,
                    protection: header.protection.clone(),
                    user: Arc::clone(user),
                },
            },
        }
    }
}

impl OwnedRequest {
    /// The request, for the engine that gave it.
    pub fn request<'r>(&'r self, engine: &'r Engine) -> Request<'r> {
        Request {
            version: self.version,
            security_model: self.security_model,
            level: self.level,
            context_engine_id: &self.context_engine_id,
            context_name: &self.context_name,
            pdu: self.pdu.over(&self.raw_bindings),
            max_size: self.max_size,
            is_local: self.is_local,
            reply: match &self.reply {
                OwnedReply::Community { community, security_name } => {
                    Reply::Community { community, security_name }
                }
                OwnedReply::User { message_id, moment, protection, user } => Reply::User {
                    header: V3Header {
                        message_id: *message_id,
                        max_size: engine.max_size(),
                        reportable: false,
                        engine_id: engine.id().as_bytes(),
                        moment: *moment,
                        user_name: user.name(),
                        protection: protection.clone(),
                        salts: engine.salts(),
                        context_engine_id: &self.context_engine_id,
                        context_name: &self.context_name,
                    },
                    user: Arc::clone(user),
                },
            },
        }
    }
}

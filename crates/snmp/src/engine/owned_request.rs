//! A request that outlives the octets it came in: for answers that must wait,
//! on another thread, without taking the message in a second time.

use std::sync::Arc;

use super::request::{Reply, Sender};
use super::{Engine, Request};
use crate::SecurityLevel;
use crate::usm::{EngineMoment, User};
use crate::wire::{Compression, PduRef, Protection, UsmSecurity, V3Header, V3Security, Version};

/// An owned [`Request`].
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
    compression: Option<Compression>,
    reply: OwnedReply,
}

enum OwnedReply {
    Community { community: Vec<u8>, security_name: Vec<u8> },
    V3 { message_id: i32, security: OwnedSecurity, sender: OwnedSender },
}

/// The owned parts of a [`V3Security`], besides the engine's.
enum OwnedSecurity {
    Usm { moment: EngineMoment, user_name: Vec<u8>, protection: Protection },
    Transport(SecurityLevel),
}

enum OwnedSender {
    User(Arc<User>),
    Session(Vec<u8>),
}

impl std::fmt::Debug for OwnedReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            OwnedReply::Community { .. } => "Community",
            OwnedReply::V3 { .. } => "V3",
        })
    }
}

impl Request<'_> {
    /// An owned copy.
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
            compression: self.compression,
            reply: self.reply.to_owned_reply(),
        }
    }
}

impl Reply<'_> {
    fn to_owned_reply(&self) -> OwnedReply {
        match self {
            Reply::Community { community, security_name } => {
                OwnedReply::Community { community: community.to_vec(), security_name: security_name.to_vec() }
            }
            Reply::V3 { header, sender } => OwnedReply::V3 {
                message_id: header.message_id,
                security: match &header.security {
                    V3Security::Usm(usm) => OwnedSecurity::Usm {
                        moment: usm.moment,
                        user_name: usm.user_name.to_vec(),
                        protection: usm.protection.clone(),
                    },
                    V3Security::Transport(level) => OwnedSecurity::Transport(*level),
                },
                sender: match sender {
                    Sender::User(user) => OwnedSender::User(Arc::clone(user)),
                    Sender::Session(security_name) => OwnedSender::Session(security_name.to_vec()),
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
            compression: self.compression,
            reply: match &self.reply {
                OwnedReply::Community { community, security_name } => {
                    Reply::Community { community, security_name }
                }
                OwnedReply::V3 { message_id, security, sender } => Reply::V3 {
                    header: V3Header {
                        message_id: *message_id,
                        max_size: engine.max_size(),
                        reportable: false,
                        security: security.security(engine),
                        context_engine_id: &self.context_engine_id,
                        context_name: &self.context_name,
                    },
                    sender: match sender {
                        OwnedSender::User(user) => Sender::User(Arc::clone(user)),
                        OwnedSender::Session(security_name) => Sender::Session(security_name),
                    },
                },
            },
        }
    }
}

impl OwnedSecurity {
    fn security<'r>(&'r self, engine: &'r Engine) -> V3Security<'r> {
        match self {
            OwnedSecurity::Usm { moment, user_name, protection } => V3Security::Usm(UsmSecurity {
                engine_id: engine.id().as_bytes(),
                moment: *moment,
                user_name,
                protection: protection.clone(),
                salts: engine.salts(),
            }),
            OwnedSecurity::Transport(level) => V3Security::Transport(*level),
        }
    }
}

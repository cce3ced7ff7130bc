//! The manager's side of SNMPv3: [`Manager`] with the User-based Security Model, [`TransportManager`] over
//! sessions that authenticate both ends. This file has the first: which engine answers, its clock, outgoing
//! messages, and whether incoming ones are trusted (RFC 3412 section 7, RFC 3414 sections 3 and 4).
//!
//! ```text
//! need: Engine --discovery--> learn --> Keys --user_at--> Nothing --encode--> octets
//!                                                            ^                  |
//!                                                            +---- receive <----+
//! ```
//! Which message answers which is the caller's to know, by msgID and
//! request-id; so are time-outs. The rule of trust: until an authentic message
//! has come, engine and clock are guesses, good for asking and replaced at once;
//! from then on only authentic messages change them, so that no forged Report
//! can shut an engine out.

mod report;
mod transport;

use std::time::Instant;

pub use report::{Report, ReportKind};
pub use transport::{TransportAnswer, TransportAsker, TransportManager, TransportReceived};

use crate::usm::{
    AuthenticationError, EngineId, EngineMoment, NotInTimeWindow, PrivacyError, RemoteEngine, User,
};
use crate::wire::v3::{
    MsgData, Protection, Salts, ScopedPduRef, USM, UnsupportedLevel, UsmSecurity, V3Header, V3MessageRef,
    V3Security,
};
use crate::wire::{Header, MAX_MESSAGE_SIZE, MIN_MAX_MESSAGE_SIZE, Pdu, PduKind, PduRef};
use crate::{DecodeError, SecurityLevel};

/// The user and the context of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asker {
    /// msgUserName.
    pub user_name: Vec<u8>,
    /// How much protection messages have, and answers must have.
    pub level: SecurityLevel,
    /// contextName.
    pub context_name: Vec<u8>,
    /// contextEngineID; by default that of the authoritative engine.
    pub context_engine_id: Option<EngineId>,
    /// The authoritative engine, if it need not be discovered. It is then never replaced.
    pub security_engine_id: Option<EngineId>,
    /// Its boots and time, if known.
    pub engine_moment: Option<EngineMoment>,
}

/// A conversation as one user with one authoritative engine.
#[derive(Debug)]
pub struct Manager {
    asker: Asker,
    max_size: usize,
    salts: Salts,
    peer: Option<Peer>,
}

/// The authoritative engine.
#[derive(Debug)]
struct Peer {
    id: EngineId,
    /// Our user there, when the keys are made.
    user: Option<User>,
    /// The clock in authentic messages.
    clock: RemoteEngine,
    /// The clock in unauthenticated messages.
    hint: Option<Hint>,
    /// Whether an unauthenticated clock suffices for requests that change data too.
    hint_is_told: bool,
}

/// An engine's clock, and when it was read.
#[derive(Clone, Copy, Debug)]
struct Hint {
    moment: EngineMoment,
    at: Instant,
}

/// What must be done before requests can be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The engine's ID: [`Manager::encode_discovery`], and its answer to [`Manager::learn`].
    Engine,
    /// The user's keys at this engine: [`Manager::set_user`].
    User(EngineId),
    /// All is there.
    Nothing,
}

/// Why a request cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// Something is needed first: see [`Manager::need`].
    #[error("the engine or the user's keys are not known yet")]
    NotReady,
    /// The user does not have the keys for the level.
    #[error(transparent)]
    Level(#[from] UnsupportedLevel),
    /// The message would be longer than any message may be.
    #[error("the message would have more than {MAX_MESSAGE_SIZE} octets")]
    TooLong,
}

/// A message that may answer something.
#[derive(Debug)]
pub struct Received<'m> {
    /// msgID.
    pub message_id: i32,
    /// msgAuthoritativeEngineID, and the clock in the message.
    pub engine: (&'m [u8], EngineMoment),
    /// Whether it is authentic. A Response always is when the requests are.
    pub is_authentic: bool,
    /// What it is.
    pub what: Answer<'m>,
}

/// What answers.
#[derive(Debug)]
pub enum Answer<'m> {
    /// A Response with the level, user, engine and context of the request.
    Response(PduRef<'m>),
    /// A Report, of whatever level.
    Report(Report),
}

/// Why a message answers nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stray {
    /// It is not a message of SNMPv3, at least up to its bindings.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
    /// Another security model.
    #[error("expected security model {expected}, found {found}")]
    SecurityModel {
        /// The conversation's.
        expected: i32,
        /// msgSecurityModel.
        found: i32,
    },
    /// Privacy without authentication, which does not exist.
    #[error("privacy without authentication")]
    Flags,
    /// Security parameters in a message of the Transport Security Model, which has none.
    #[error("expected empty security parameters, found {found} octets")]
    Parameters {
        /// How many octets they have.
        found: usize,
    },
    /// Its msgData does not fit its msgFlags.
    #[error("msgData does not match msgFlags")]
    Data,
    /// Of another engine, another user or for other keys than ours.
    #[error("from another engine or for another user")]
    NotOurs,
    /// The digest is wrong.
    #[error(transparent)]
    NotAuthentic(#[from] AuthenticationError),
    /// Old, or replayed.
    #[error(transparent)]
    NotTimely(#[from] NotInTimeWindow),
    /// It cannot be decrypted.
    #[error(transparent)]
    Privacy(#[from] PrivacyError),
    /// A Response with another level than the request's: anybody could have sent one at a lower level.
    #[error("expected a Response at {expected}, found {found}")]
    Level {
        /// The requests'.
        expected: SecurityLevel,
        /// The message's.
        found: SecurityLevel,
    },
    /// A Response for another context than requested.
    #[error("a Response for another context")]
    Context,
    /// Neither a Response nor a Report with a known counter.
    #[error("expected a Response or a Report, found {found}")]
    NotAnAnswer {
        /// What it is.
        found: PduKind,
    },
}

impl Manager {
    /// A conversation that has not started. `max_size` is how many octets answers may have, 484 or more; `salt`
    /// is random.
    #[must_use]
    pub fn new(asker: Asker, max_size: usize, salt: u64, now: Instant) -> Self {
        let mut manager = Manager {
            asker,
            max_size: max_size.max(MIN_MAX_MESSAGE_SIZE),
            salts: Salts::new(salt),
            peer: None,
        };
        if let Some(id) = manager.asker.security_engine_id {
            manager.peer = Some(Peer::new(id, now));
        }
        manager.tell_moment(now);
        manager
    }

    /// The user of the requests.
    #[must_use]
    pub fn asker(&self) -> &Asker {
        &self.asker
    }

    /// The authoritative engine, if it is known.
    #[must_use]
    pub fn engine_id(&self) -> Option<&EngineId> {
        self.peer.as_ref().map(|peer| &peer.id)
    }

    /// Whether the engine has proved that it holds our keys.
    #[must_use]
    pub fn is_synchronized(&self) -> bool {
        self.peer.as_ref().is_some_and(|peer| peer.clock.is_synchronized())
    }

    /// What must be done before a request can be encoded.
    #[must_use]
    pub fn need(&self) -> Need {
        match &self.peer {
            None => Need::Engine,
            Some(Peer { id, user: None, .. }) => Need::User(*id),
            Some(_) => Need::Nothing,
        }
    }

    /// A message whose answer carries the engine's ID (RFC 3414 section 4): an empty request without a user.
    ///
    /// # Errors
    /// None: it is short.
    pub fn encode_discovery(&self, message_id: i32, request_id: i32) -> Result<Vec<u8>, EncodeError> {
        let header = V3Header {
            message_id,
            max_size: self.max_size,
            reportable: true,
            security: V3Security::Usm(UsmSecurity {
                engine_id: &[],
                moment: EngineMoment::default(),
                user_name: &[],
                protection: Protection::NONE,
                salts: &self.salts,
            }),
            context_engine_id: &[],
            context_name: &[],
        };
        encoded(&header, &Pdu::new(PduKind::Get, request_id, Vec::new()))
    }

    /// Processes the answer to a discovery, or the unauthenticated Report of an engine that has not been
    /// authenticated yet: requests go to this engine from now on. Returns false, and changes nothing, if the ID
    /// is empty, is the known one, is fixed, or the known engine has been authenticated.
    pub fn learn(&mut self, (engine_id, moment): (&[u8], EngineMoment), now: Instant) -> bool {
        let Ok(id) = EngineId::new(engine_id) else { return false };
        let is_fixed = self.asker.security_engine_id.is_some();
        let is_known = self.peer.as_ref().is_some_and(|peer| peer.id == id || peer.clock.is_synchronized());
        if is_fixed || is_known {
            return false;
        }
        let mut peer = Peer::new(id, now);
        peer.hint = (moment != EngineMoment::default()).then_some(Hint { moment, at: now });
        self.peer = Some(peer);
        self.tell_moment(now);
        true
    }

    /// The user at the engine that [`Need::User`] named, with keys. Another engine's is ignored.
    pub fn set_user(&mut self, user: User) {
        if let Some(peer) = self.peer.as_mut().filter(|peer| peer.id == *user.engine_id()) {
            peer.user = Some(user);
        }
    }

    /// Restarts the discovery, for example if nothing but Reports arrived; not if the engine is fixed.
    pub fn forget_engine(&mut self) {
        if self.asker.security_engine_id.is_none() {
            self.peer = None;
        }
    }

    /// The octets of a message with this PDU. Each transmission has a new msgID (RFC 3412 section 6.2).
    ///
    /// # Errors
    /// [`EncodeError::NotReady`] where [`Manager::need`] has an answer; a user without the keys.
    pub fn encode(&self, pdu: &Pdu, message_id: i32, now: Instant) -> Result<Vec<u8>, EncodeError> {
        let peer = self.peer.as_ref().ok_or(EncodeError::NotReady)?;
        let user = peer.user.as_ref().ok_or(EncodeError::NotReady)?;
        let context = self.asker.context_engine_id.as_ref().unwrap_or(&peer.id);
        let header = V3Header {
            message_id,
            max_size: self.max_size,
            reportable: is_confirmed(pdu.kind),
            security: V3Security::Usm(UsmSecurity {
                engine_id: peer.id.as_bytes(),
                moment: if self.asker.level.is_authenticated() {
                    peer.moment(pdu.kind, now)
                } else {
                    EngineMoment::default()
                },
                user_name: user.name(),
                protection: Protection::new(user, self.asker.level)?,
                salts: &self.salts,
            }),
            context_engine_id: context.as_bytes(),
            context_name: &self.asker.context_name,
        };
        encoded(&header, pdu)
    }

    /// Receives a message: whether it is trusted, and its contents (RFC 3412 section 7.2, RFC 3414 section 3.2).
    /// `plain` receives decrypted octets. An authentic message sets the engine's clock.
    ///
    /// # Errors
    /// [`Stray`]: it answers nothing.
    pub fn receive<'m>(
        &mut self,
        octets: &'m [u8],
        plain: &'m mut Vec<u8>,
        now: Instant,
    ) -> Result<Received<'m>, Stray> {
        let message = V3MessageRef::decode(octets)?;
        if message.security_model != USM {
            return Err(Stray::SecurityModel { expected: USM, found: message.security_model });
        }
        let level = message.flags.level().ok_or(Stray::Flags)?;
        let usm = message.usm()?;
        let is_authentic = level.is_authenticated();
        if is_authentic {
            let peer = self.peer.as_mut().ok_or(Stray::NotOurs)?;
            let user = peer.user.as_ref().ok_or(Stray::NotOurs)?;
            if usm.engine_id != peer.id.as_bytes() || usm.user_name != user.name() {
                return Err(Stray::NotOurs);
            }
            // RFC 3414 section 3.2 step 6.
            let key = user.auth().ok_or(Stray::NotOurs)?;
            key.verify(octets, usm.authentication_range())?;
            // Step 7b: only authentic messages update the clock.
            peer.clock.receive(usm.moment, now)?;
        }
        let scoped = match (message.data, level.is_encrypted()) {
            (MsgData::Plain(scoped), false) => scoped,
            (MsgData::Encrypted(data), true) => {
                // Step 8a.
                let user = self.peer.as_ref().and_then(|peer| peer.user.as_ref());
                let key = user.and_then(User::privacy).ok_or(Stray::NotOurs)?;
                plain.clear();
                plain.extend_from_slice(data);
                key.decrypt(usm.moment, usm.privacy, plain)?;
                ScopedPduRef::decode(plain, key.most_padding())?
            }
            _ => return Err(Stray::Data),
        };
        let what = self.answer(&scoped, level, usm.engine_id, usm.user_name)?;
        Ok(Received {
            message_id: message.message_id,
            engine: (usm.engine_id, usm.moment),
            is_authentic,
            what,
        })
    }

    /// RFC 3412 section 7.2 steps 10 and 12.
    fn answer<'m>(
        &self,
        scoped: &ScopedPduRef<'m>,
        level: SecurityLevel,
        engine_id: &[u8],
        user_name: &[u8],
    ) -> Result<Answer<'m>, Stray> {
        let not_an_answer = Stray::NotAnAnswer { found: scoped.pdu.kind };
        match scoped.pdu.kind {
            PduKind::Report => Report::read(&scoped.pdu).map(Answer::Report).ok_or(not_an_answer),
            PduKind::Response => {
                let (expected, found) = (self.asker.level, level);
                if found != expected {
                    return Err(Stray::Level { expected, found });
                }
                let peer = self.peer.as_ref().ok_or(Stray::NotOurs)?;
                if engine_id != peer.id.as_bytes() || user_name != self.asker.user_name {
                    return Err(Stray::NotOurs);
                }
                let context = scoped.context_engine_id;
                let asked = self.asker.context_engine_id.as_ref();
                let is_ours = asked.is_some_and(|asked| context == asked.as_bytes())
                    || (asked.is_none_or(|asked| *asked == EngineId::LOCAL) && context == peer.id.as_bytes());
                if !is_ours || scoped.context_name != self.asker.context_name {
                    return Err(Stray::Context);
                }
                Ok(Answer::Response(scoped.pdu))
            }
            _ => Err(not_an_answer),
        }
    }

    /// The clock that the user has set takes precedence over what the engine reports.
    fn tell_moment(&mut self, now: Instant) {
        if let (Some(peer), Some(moment)) = (&mut self.peer, self.asker.engine_moment) {
            peer.hint = Some(Hint { moment, at: now });
            peer.hint_is_told = true;
        }
    }
}

impl Peer {
    fn new(id: EngineId, now: Instant) -> Self {
        Peer { id, user: None, clock: RemoteEngine::unsynchronized(now), hint: None, hint_is_told: false }
    }

    /// The clock in a message to the engine. While the engine's clock is not authenticated, it is used for
    /// requests that only read; a message that changes something carries boots 0 and time 0 then, and gets the
    /// true values in an authentic Report (RFC 3414 section 4). Otherwise an attacker who forges the engine's
    /// clock could have a Set signed today that is timely tomorrow.
    fn moment(&self, kind: PduKind, now: Instant) -> EngineMoment {
        if self.clock.is_synchronized() {
            return self.clock.moment(now);
        }
        let reads = matches!(kind, PduKind::Get | PduKind::GetNext | PduKind::GetBulk);
        match self.hint.filter(|_| reads || self.hint_is_told) {
            Some(Hint { moment, at }) => moment.after(now.saturating_duration_since(at).as_secs()),
            None => EngineMoment::default(),
        }
    }
}

/// The octets of a message.
fn encoded(header: &V3Header<'_>, pdu: &Pdu) -> Result<Vec<u8>, EncodeError> {
    let mut octets = Vec::new();
    let message =
        Header::V3(header).encode(pdu, MAX_MESSAGE_SIZE, &mut octets).ok_or(EncodeError::TooLong)?;
    octets.truncate(message.end);
    octets.drain(..message.start);
    Ok(octets)
}

/// Whether a PDU is answered, so that a Report may answer it too (RFC 3411 section 2.8).
const fn is_confirmed(kind: PduKind) -> bool {
    matches!(kind, PduKind::Get | PduKind::GetNext | PduKind::GetBulk | PduKind::Set | PduKind::Inform)
}

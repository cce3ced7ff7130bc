//! The engine: its ID, its clock, its users, and what it knows of other engines. It is a value: several live in
//! one process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use arc_swap::ArcSwap;

use super::UsmFailure;
use super::security::usm;
use crate::SecurityLevel;
use crate::usm::{Credentials, EngineClock, EngineId, EngineMoment, RemoteEngines, User, UserTable};
use crate::wire::{MAX_MESSAGE_SIZE, MIN_MAX_MESSAGE_SIZE, PduKind, Salts, UsmParametersRef};

/// The initial state of an engine. Its owner keeps what must outlive it (ID, boots).
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// snmpEngineID: created once for an installation, unique.
    pub id: EngineId,
    /// snmpEngineBoots, which was on disk before, and when the engine started. When snmpEngineTime wraps after 68
    /// years, boots is incremented: see [`Engine::moment`].
    pub clock: EngineClock,
    /// msgMaxSize, snmpEngineMaxMessageSize: how many octets we accept and send; 484 to 65535, others are rounded
    /// to the nearest.
    pub max_size: usize,
    /// Which PDUs an application here handles.
    pub handlers: Handlers,
    /// How many other engines' clocks and localised users are remembered.
    pub remote_engines: usize,
    /// Random: where salts and msgIDs start.
    pub entropy: u64,
}

/// Which PDUs an application here handles (RFC 3412 section 4.3: registered pduTypes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handlers {
    responder: bool,
    receiver: bool,
}

impl Handlers {
    /// A command responder: Get, GetNext, GetBulk, Set.
    pub const RESPONDER: Handlers = Handlers { responder: true, receiver: false };
    /// A notification receiver: traps of all versions, and informs.
    pub const RECEIVER: Handlers = Handlers { responder: false, receiver: true };
    /// Both.
    pub const BOTH: Handlers = Handlers { responder: true, receiver: true };

    pub(super) const fn takes(self, kind: PduKind) -> bool {
        match kind {
            PduKind::Get | PduKind::GetNext | PduKind::GetBulk | PduKind::Set => self.responder,
            PduKind::TrapV1 | PduKind::TrapV2 | PduKind::Inform => self.receiver,
            PduKind::Response | PduKind::Report => false,
        }
    }
}

/// An SNMP engine (RFC 3411 section 3.1.1).
#[derive(Debug)]
pub struct Engine {
    id: EngineId,
    clock: EngineClock,
    pub(super) max_size: usize,
    pub(super) handlers: Handlers,
    pub(super) salts: Salts,
    users: ArcSwap<UserTable>,
    /// Serializes changes of the users.
    changing: Mutex<()>,
    credentials: ArcSwap<Vec<Credentials>>,
    remote: Mutex<Remote>,
    message_ids: AtomicU32,
    use_prefix: AtomicBool,
    community_over_transport: AtomicBool,
}

/// What is known about engines that are authoritative for their messages to us. Only authentic messages add to
/// it.
#[derive(Debug)]
struct Remote {
    clocks: RemoteEngines,
    /// Users that credentials have been localised to, by engine and name.
    users: HashMap<(EngineId, Box<[u8]>), Arc<User>>,
    capacity: usize,
}

impl Engine {
    /// An engine without users.
    pub fn new(options: EngineOptions) -> Self {
        let EngineOptions { id, clock, max_size, handlers, remote_engines, entropy } = options;
        Engine {
            id,
            clock,
            max_size: max_size.clamp(MIN_MAX_MESSAGE_SIZE, MAX_MESSAGE_SIZE),
            handlers,
            salts: Salts::new(entropy),
            users: ArcSwap::default(),
            changing: Mutex::new(()),
            credentials: ArcSwap::default(),
            remote: Mutex::new(Remote {
                clocks: RemoteEngines::new(remote_engines),
                users: HashMap::new(),
                capacity: remote_engines.max(1),
            }),
            message_ids: AtomicU32::new((entropy >> 32) as u32),
            use_prefix: AtomicBool::new(false),
            community_over_transport: AtomicBool::new(false),
        }
    }

    /// snmpEngineID.
    pub fn id(&self) -> &EngineId {
        &self.id
    }

    /// snmpEngineBoots and snmpEngineTime at `now`.
    pub fn moment(&self, now: Instant) -> EngineMoment {
        self.clock.moment(now)
    }

    /// snmpEngineMaxMessageSize, in octets.
    pub fn max_size(&self) -> usize {
        self.max_size
    }

    /// The users as they are now.
    pub fn users(&self) -> Arc<UserTable> {
        self.users.load_full()
    }

    /// Replaces the users; messages in progress finish with the old ones.
    pub fn set_users(&self, users: UserTable) {
        self.change_users(|present| *present = users);
    }

    /// Changes the users: `change` modifies a copy, and concurrent changes are serialized. Returns its result.
    /// Messages in progress finish with the old ones.
    pub fn change_users<T>(&self, change: impl FnOnce(&mut UserTable) -> T) -> T {
        let _turn = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut users = UserTable::clone(&self.users.load());
        let given = change(&mut users);
        self.users.store(Arc::new(users));
        given
    }

    /// Accepts other credentials: users known by name at every engine that sends notifications, for receivers
    /// with many senders that know passwords, not engine IDs.
    pub fn set_credentials(&self, credentials: Vec<Credentials>) {
        self.credentials.store(Arc::new(credentials));
        self.remote().users.clear();
    }

    /// A msgID that no message of this engine had for a long time (RFC 3412 section 6.2).
    pub fn next_message_id(&self) -> i32 {
        (self.message_ids.fetch_add(1, Ordering::Relaxed) & 0x7fff_ffff) as i32
    }

    /// snmpTsmConfigurationUsePrefix (RFC 5591 section 7): whether security names of the Transport Security Model
    /// begin with their transport's prefix, as `tls:joe`, so that a principal is not confused with one of the
    /// same name over another transport. Initially false; messages in progress finish as they began.
    pub fn set_use_prefix(&self, use_prefix: bool) {
        self.use_prefix.store(use_prefix, Ordering::Relaxed);
    }

    /// snmpTsmConfigurationUsePrefix.
    pub fn uses_prefix(&self) -> bool {
        self.use_prefix.load(Ordering::Relaxed)
    }

    /// Whether messages of SNMPv1 and SNMPv2c are accepted over TLS, DTLS and SSH. Initially false, as RFC 6353
    /// section 8.1 advises: they are then dropped and counted in snmpInBadVersions, whatever their community,
    /// since a peer that opened a session under one name must not assume another.
    ///
    /// True: the sender is the session's principal, with securityModel 4, the session's level and the default
    /// context. The community has no meaning; the answer repeats it. Over UDP and TCP nothing changes.
    pub fn set_community_over_transport(&self, taken: bool) {
        self.community_over_transport.store(taken, Ordering::Relaxed);
    }

    /// Whether messages of SNMPv1 and SNMPv2c are accepted over TLS, DTLS and SSH.
    pub fn takes_community_over_transport(&self) -> bool {
        self.community_over_transport.load(Ordering::Relaxed)
    }

    /// The counter from which salts are made.
    pub fn salts(&self) -> &Salts {
        &self.salts
    }

    /// How many other engines' clocks are remembered.
    pub fn remembered_engines(&self) -> usize {
        self.remote().clocks.len()
    }

    /// Whether a contextEngineID is this engine: its own ID, or the one that stands for the receiver (RFC 5343
    /// section 3.2).
    pub fn is_local_context(&self, context_engine_id: &[u8]) -> bool {
        context_engine_id == self.id.as_bytes() || context_engine_id == EngineId::LOCAL.as_bytes()
    }

    /// RFC 3414 section 3.2 steps 3 and 4: the user that the message claims to be from.
    pub(super) fn user_of(
        &self,
        octets: &[u8],
        parameters: &UsmParametersRef<'_>,
        level: SecurityLevel,
    ) -> Result<Arc<User>, UsmFailure> {
        let (engine_id, name) = (parameters.engine_id, parameters.user_name);
        let users = self.users.load();
        if let Some(user) = users.get(engine_id, name) {
            return Ok(Arc::clone(user));
        }
        if engine_id == self.id.as_bytes() {
            return Err(UsmFailure::UnknownUserName);
        }
        match self.user_by_credentials(octets, parameters, level)? {
            None if !users.knows_engine(engine_id) => Err(UsmFailure::UnknownEngineId),
            user => user.ok_or(UsmFailure::UnknownUserName),
        }
    }

    /// A user at an engine that is not in the table, for receivers of notifications. The message may be a
    /// stranger's: nothing is stored, and the privacy key, which takes a thousand times longer with Reeder's
    /// extension, is derived for an authentic message only.
    fn user_by_credentials(
        &self,
        octets: &[u8],
        parameters: &UsmParametersRef<'_>,
        level: SecurityLevel,
    ) -> Result<Option<Arc<User>>, UsmFailure> {
        let (name, engine_id) = (parameters.user_name, EngineId::new(parameters.engine_id));
        let credentials = self.credentials.load();
        let known = credentials.iter().find(|credentials| credentials.name() == name);
        let (true, Some(known), Ok(engine_id)) = (self.handlers.receiver, known, engine_id) else {
            return Ok(None);
        };
        if let Some(user) = self.remote().users.get(&(engine_id, name.into())) {
            return Ok(Some(Arc::clone(user)));
        }
        let Ok(stranger) = known.localize_auth(&engine_id) else { return Ok(None) };
        if !level.is_authenticated() {
            return Ok(Some(Arc::new(stranger)));
        }
        usm::authenticate(octets, parameters, &stranger, SecurityLevel::AuthNoPriv)?;
        Ok(known.localize(&engine_id).ok().map(Arc::new))
    }

    /// RFC 3414 section 3.2 step 7, for a message that is authentic.
    pub(super) fn check_timeliness(
        &self,
        parameters: &UsmParametersRef<'_>,
        user: &Arc<User>,
        now: Instant,
    ) -> Result<(), UsmFailure> {
        if user.engine_id() == &self.id {
            return self.moment(now).accept(parameters.moment).map_err(UsmFailure::NotInTimeWindow);
        }
        let in_table = self.users.load().get(parameters.engine_id, parameters.user_name).is_some();
        let mut remote = self.remote();
        if !in_table {
            remote.remember(user);
        }
        let timely = remote.clocks.receive(user.engine_id(), parameters.moment, now);
        timely.map_err(UsmFailure::NotInSendersTimeWindow)
    }

    fn remote(&self) -> std::sync::MutexGuard<'_, Remote> {
        // The contents are consistent after every statement.
        self.remote.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote {
    /// Keeps a user of credentials, whose message was authentic.
    fn remember(&mut self, user: &Arc<User>) {
        if self.users.contains_key(&(*user.engine_id(), user.name().into())) {
            return;
        }
        if self.users.len() >= self.capacity {
            self.users.clear(); // localised again as they come
        }
        self.users.insert((*user.engine_id(), user.name().into()), Arc::clone(user));
    }
}

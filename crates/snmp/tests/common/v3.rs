//! What tests of SNMPv3 start from: an engine, its users, and messages as a manager would write them.
#![allow(dead_code)]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use trunkline_smi::Oid;
use trunkline_snmp::engine::{CommunityEntry, Engine, EngineOptions, Handlers, Incoming, TransportState};
use trunkline_snmp::usm::{
    AuthProtocol, Credentials, EngineBoots, EngineClock, EngineId, EngineMoment, PrivProtocol, User,
};
use trunkline_snmp::wire::{
    Header, Message, MsgData, Pdu, PduKind, Protection, Salts, ScopedPdu, ScopedPduRef, UsmSecurity,
    V3Header, V3MessageRef, V3Security,
};
use trunkline_snmp::{Counters, SecurityLevel};

pub const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x05engine-under-test";
pub const OTHER_ENGINE: &[u8] = b"\x80\x00\x1f\x88\x05somebody-else";
/// How long the engine under test is running when messages come.
pub const UPTIME: u32 = 1000;
pub const BOOTS: u32 = 7;

pub fn engine_id() -> EngineId {
    EngineId::new(ENGINE).unwrap()
}

pub fn other_engine_id() -> EngineId {
    EngineId::new(OTHER_ENGINE).unwrap()
}

pub fn moment(boots: u32, time: u32) -> EngineMoment {
    EngineMoment::new(boots, time).unwrap()
}

/// ann can do everything, bob only authenticates, eve has no keys.
pub fn credentials() -> &'static [Credentials; 3] {
    static CREDENTIALS: LazyLock<[Credentials; 3]> = LazyLock::new(|| {
        let auth: (AuthProtocol, &[u8]) = (AuthProtocol::Sha256, b"authenticate me");
        let privacy: (PrivProtocol, &[u8]) = (PrivProtocol::Aes128, b"and encrypt me");
        [
            Credentials::from_passwords(b"ann", Some(auth), Some(privacy)).unwrap(),
            Credentials::from_passwords(b"bob", Some(auth), None).unwrap(),
            Credentials::from_passwords(b"eve", None, None).unwrap(),
        ]
    });
    &CREDENTIALS
}

/// A user with other passwords than [`credentials`] have.
pub fn impostor(name: &[u8], auth: &[u8], privacy: &[u8]) -> User {
    let auth = (AuthProtocol::Sha256, auth);
    let privacy = (PrivProtocol::Aes128, privacy);
    Credentials::from_passwords(name, Some(auth), Some(privacy)).unwrap().localize(&engine_id()).unwrap()
}

pub fn user(name: &str, engine: &EngineId) -> User {
    let credentials = credentials().iter().find(|known| known.name() == name.as_bytes()).unwrap();
    credentials.localize(engine).unwrap()
}

/// An engine, what it counts, and the moment at which messages come to it.
pub struct Bench {
    pub engine: Engine,
    pub counters: Counters,
    pub now: Instant,
    /// The session that messages come over.
    pub over: Option<TransportState>,
    pub scratch: Vec<u8>,
    pub out: Vec<u8>,
}

/// What became of a message: the answer of a door that answers every request with an empty Response.
#[derive(Debug)]
pub enum Outcome {
    Response(Vec<u8>),
    Report(Vec<u8>),
    Dropped(trunkline_snmp::engine::DropReason),
}

impl Bench {
    pub fn new(handlers: Handlers) -> Self {
        Self::with_boots(handlers, BOOTS)
    }

    pub fn with_boots(handlers: Handlers, boots: u32) -> Self {
        let started = Instant::now();
        let engine = Engine::new(EngineOptions {
            id: engine_id(),
            clock: EngineClock::new(EngineBoots::new(boots).unwrap(), started),
            max_size: 1472,
            handlers,
            remote_engines: 8,
            entropy: 0x0123_4567_89ab_cdef,
        });
        engine.change_users(|users| {
            for name in ["ann", "bob", "eve"] {
                users.insert(user(name, &engine_id()));
            }
        });
        let now = started + Duration::from_secs(u64::from(UPTIME));
        Bench { engine, counters: Counters::default(), now, over: None, scratch: vec![], out: vec![] }
    }

    /// Takes a message in, and answers it.
    pub fn take(&mut self, octets: &[u8]) -> Outcome {
        let mut buf = Vec::new();
        let public = CommunityEntry { security_name: b"all", context_engine_id: None, context_name: b"" };
        let communities = |name: &[u8]| (name == b"public").then_some(public);
        let (scratch, out) = (&mut self.scratch, &mut self.out);
        let over = self.over.as_ref();
        match self.engine.receive(octets, scratch, out, self.now, over, communities, &self.counters) {
            Incoming::Request(request) => {
                let writer =
                    trunkline_snmp::wire::ResponseWriter::new(&mut buf, request.max_size, request.reply());
                let range = writer.finish().expect("a Response without bindings fits");
                Outcome::Response(buf[range].to_vec())
            }
            Incoming::Report { reply, .. } => Outcome::Report(self.out[reply].to_vec()),
            Incoming::Drop(reason) => Outcome::Dropped(reason),
            Incoming::TrapV1(trap) => panic!("{trap:?}"),
        }
    }

    /// The counters that SNMPv3 adds and that are not zero, by name.
    pub fn counted(&self) -> Vec<(&'static str, u32)> {
        let c = &self.counters;
        let all = [
            ("asnParseErrs", &c.in_asn_parse_errs),
            ("badVersions", &c.in_bad_versions),
            ("unknownSecurityModels", &c.unknown_security_models),
            ("invalidMsgs", &c.invalid_msgs),
            ("unknownPDUHandlers", &c.unknown_pdu_handlers),
            ("unsupportedSecLevels", &c.unsupported_sec_levels),
            ("notInTimeWindows", &c.not_in_time_windows),
            ("unknownUserNames", &c.unknown_user_names),
            ("unknownEngineIDs", &c.unknown_engine_ids),
            ("wrongDigests", &c.wrong_digests),
            ("decryptionErrors", &c.decryption_errors),
            ("tsmInvalidCaches", &c.tsm_invalid_caches),
            ("tsmInadequateSecurityLevels", &c.tsm_inadequate_security_levels),
            ("tsmUnknownPrefixes", &c.tsm_unknown_prefixes),
            ("tsmInvalidPrefixes", &c.tsm_invalid_prefixes),
            ("unavailableContexts", &c.unavailable_contexts),
            ("unknownContexts", &c.unknown_contexts),
        ];
        all.into_iter().map(|(name, counter)| (name, counter.get())).filter(|(_, count)| *count > 0).collect()
    }
}

/// A message as a manager, or who sends traps, writes it.
#[derive(Clone)]
pub struct Ask {
    pub user: User,
    pub level: SecurityLevel,
    pub engine_id: Vec<u8>,
    pub moment: EngineMoment,
    pub user_name: Vec<u8>,
    pub context_engine_id: Vec<u8>,
    pub context_name: Vec<u8>,
    pub message_id: i32,
    pub max_size: usize,
    pub reportable: bool,
    pub pdu: Pdu,
}

impl Ask {
    /// A Get that the engine of [`Bench`] must answer.
    pub fn get(name: &str, level: SecurityLevel) -> Ask {
        Ask::at(&engine_id(), name, level)
    }

    /// The same for another engine.
    pub fn at(engine: &EngineId, name: &str, level: SecurityLevel) -> Ask {
        let sys_up_time = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
        Ask {
            user: user(name, engine),
            level,
            engine_id: engine.as_bytes().to_vec(),
            moment: moment(BOOTS, UPTIME),
            user_name: name.as_bytes().to_vec(),
            context_engine_id: engine.as_bytes().to_vec(),
            context_name: vec![],
            message_id: 4711,
            max_size: 65_507,
            reportable: true,
            pdu: Pdu::read(PduKind::Get, -99, [&sys_up_time]),
        }
    }

    pub fn kind(self, kind: PduKind) -> Ask {
        let reportable = kind.is_confirmed();
        Ask { pdu: Pdu { kind, ..self.pdu.clone() }, reportable, ..self }
    }

    pub fn octets(&self) -> Vec<u8> {
        let salts = Salts::new(1);
        let header = V3Header {
            message_id: self.message_id,
            max_size: self.max_size,
            reportable: self.reportable,
            security: V3Security::Usm(UsmSecurity {
                engine_id: &self.engine_id,
                moment: self.moment,
                user_name: &self.user_name,
                protection: Protection::new(&self.user, self.level).unwrap(),
                salts: &salts,
            }),
            context_engine_id: &self.context_engine_id,
            context_name: &self.context_name,
        };
        let mut buf = Vec::new();
        let range = Header::V3(&header).encode(&self.pdu, 65_507, &mut buf).unwrap();
        buf[range].to_vec()
    }
}

/// An answer as its receiver reads it, checked against the user's keys where it is signed.
pub struct Read {
    pub message_id: i32,
    pub level: SecurityLevel,
    pub moment: EngineMoment,
    pub engine_id: Vec<u8>,
    pub user_name: Vec<u8>,
    pub scoped: ScopedPdu,
    pub reportable: bool,
}

pub fn read(octets: &[u8], user: &User) -> Read {
    let message = V3MessageRef::decode(octets).unwrap();
    let parameters = message.usm().unwrap();
    let level = message.flags.level().unwrap();
    if level.is_authenticated() {
        user.auth().unwrap().verify(octets, parameters.authentication_range()).expect("an authentic answer");
    } else {
        assert_eq!((parameters.authentication, parameters.privacy), (&[][..], &[][..]));
    }
    let scoped = match message.data {
        MsgData::Plain(scoped) => scoped.to_owned_pdu().unwrap(),
        MsgData::Encrypted(encrypted) => {
            let mut decrypted = encrypted.to_vec();
            user.privacy().unwrap().decrypt(parameters.moment, parameters.privacy, &mut decrypted).unwrap();
            ScopedPduRef::decode(&decrypted, 7).unwrap().to_owned_pdu().unwrap()
        }
    };
    Read {
        message_id: message.message_id,
        level,
        moment: parameters.moment,
        engine_id: parameters.engine_id.to_vec(),
        user_name: parameters.user_name.to_vec(),
        scoped,
        reportable: message.flags.is_reportable(),
    }
}

/// A message of SNMPv2c, to see that it goes the same way.
pub fn community_get() -> Vec<u8> {
    let pdu = Pdu::read(PduKind::Get, 5, [&Oid::from([1, 3])]);
    Message { version: trunkline_snmp::wire::Version::V2c, community: b"public".to_vec(), pdu }.encode()
}

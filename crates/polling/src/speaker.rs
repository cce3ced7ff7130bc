//! Messages with a device over datagrams: what a request looks like, and whether an answer can be believed. Without I/O.

use std::sync::Arc;
use std::time::Instant;

use trunkline_client::{Credentials, UsmCredentials};
use trunkline_snmp::role::generator;
use trunkline_snmp::role::manager::{Answer as Message, Asker, Manager, Need, ReportKind};
use trunkline_snmp::wire::{MessageRef, Pdu, PduKind, PduRef, V3MessageRef, Version};

use crate::device::{Answer, Ask};

/// A device's language.
pub(crate) enum Speaker {
    /// SNMPv1 and SNMPv2c.
    Community { version: Version, community: Vec<u8> },
    /// SNMPv3.
    User(Box<User>),
}

/// A user at an engine, whose ID the first request discovers.
pub(crate) struct User {
    credentials: Arc<UsmCredentials>,
    manager: Manager,
    /// The PDU that was decrypted last.
    plain: Vec<u8>,
    /// How often a request was sent again since the last answer.
    again: u32,
    /// Whether a Report that anybody could have sent says that the engine is another one.
    is_doubtful: bool,
}

/// What a datagram says.
pub(crate) enum Said {
    /// An answer.
    Answer(Answer),
    /// The request is to be sent again at once: what was missing in it is known now.
    Again,
    /// Nothing that could be believed.
    Nothing,
    /// The same, but it may be the reason if no answer comes.
    Doubt(&'static str),
}

impl Speaker {
    /// `None`: the principal of a session, which datagrams have not.
    pub fn new(credentials: &Credentials, now: Instant) -> Option<Self> {
        match credentials {
            Credentials::Community { version, community } => {
                Some(Speaker::Community { version: *version, community: community.clone() })
            }
            Credentials::Usm(user) => Some(Speaker::User(Box::new(User::new(user.clone(), now)))),
            Credentials::Transport(_) => None,
        }
    }

    /// The message for a request; `None`: there is none that fits.
    pub fn encode(&mut self, id: i32, ask: &Ask, now: Instant) -> Option<Vec<u8>> {
        let pdu = pdu(id, ask);
        match self {
            Speaker::Community { version, community } => {
                let message =
                    trunkline_snmp::wire::Message { version: *version, community: community.clone(), pdu };
                Some(message.encode())
            }
            Speaker::User(user) => user.encode(id, &pdu, now),
        }
    }

    /// What the answer to the request with this number says.
    pub fn read(&mut self, id: i32, octets: &[u8], now: Instant) -> Said {
        match self {
            Speaker::Community { version, community } => {
                match generator::response(octets, *version, community) {
                    Ok(message) if message.pdu.request_id == id => answer(&message.pdu),
                    _ => Said::Nothing,
                }
            }
            Speaker::User(user) => user.read(id, octets, now),
        }
    }
}

/// The number of the request that a datagram may answer.
pub(crate) fn id_of(octets: &[u8]) -> Option<i32> {
    match V3MessageRef::decode(octets) {
        Ok(message) => Some(message.message_id),
        Err(_) => Some(MessageRef::decode(octets).ok()?.pdu.request_id),
    }
}

fn pdu(id: i32, ask: &Ask) -> Pdu {
    match ask {
        Ask::Get(names) => Pdu::read(PduKind::Get, id, names),
        // SNMP has no whole tables, and `Shard` does not let them be requested.
        Ask::Next(names) | Ask::Table { columns: names, .. } => Pdu::read(PduKind::GetNext, id, names),
        Ask::Bulk { non_repeaters, max_repetitions, names } => {
            let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
            Pdu::bulk(id, number(*non_repeaters), number(*max_repetitions), names)
        }
    }
}

fn answer(pdu: &PduRef<'_>) -> Said {
    if pdu.error_status != 0 {
        let index = usize::try_from(pdu.error_index).unwrap_or(0);
        return Said::Answer(Answer::Error { status: pdu.error_status, index });
    }
    match pdu.to_pdu() {
        Ok(Pdu { bindings, .. }) => Said::Answer(Answer::Bindings(bindings)),
        // The header was right: it is the device's answer.
        Err(_) => Said::Answer(Answer::Unreadable),
    }
}

impl User {
    fn new(credentials: Arc<UsmCredentials>, now: Instant) -> Self {
        let asker = Asker {
            user_name: credentials.name().to_vec(),
            level: credentials.level(),
            context_name: credentials.context.clone(),
            context_engine_id: credentials.context_engine_id,
            security_engine_id: credentials.security_engine_id,
            engine_moment: credentials.engine_moment,
        };
        let manager = Manager::new(asker, MAX_ANSWER, fastrand::u64(..), now);
        User { credentials, manager, plain: Vec::new(), again: 0, is_doubtful: false }
    }

    fn encode(&mut self, id: i32, pdu: &Pdu, now: Instant) -> Option<Vec<u8>> {
        if std::mem::take(&mut self.is_doubtful) {
            self.manager.forget_engine();
        }
        self.localize();
        match self.manager.need() {
            Need::Nothing => self.manager.encode(pdu, id, now).ok(),
            Need::Engine | Need::User(_) => self.manager.encode_discovery(id, id).ok(),
        }
    }

    /// The user's keys at the engine.
    fn localize(&mut self) {
        if let Need::User(engine) = self.manager.need()
            && let Ok(user) = self.credentials.user_at(&engine)
        {
            self.manager.set_user(user);
        }
    }

    fn read(&mut self, id: i32, octets: &[u8], now: Instant) -> Said {
        let is_discovery = self.manager.need() == Need::Engine;
        let Ok(received) = self.manager.receive(octets, &mut self.plain, now) else { return Said::Nothing };
        let report = match received.what {
            // RFC 3412 section 7.2 step 10: both belong to one request.
            Message::Response(response) if response.request_id == id && received.message_id == id => {
                (self.again, self.is_doubtful) = (0, false);
                return answer(&response);
            }
            Message::Response(_) => return Said::Nothing,
            Message::Report(report) => report,
        };
        let tells_engine = is_discovery || report.kind == ReportKind::UnknownEngineIds;
        let is_authentic = received.is_authentic;
        let is_news = if tells_engine && self.manager.learn(received.engine, now) {
            self.localize();
            true
        } else {
            // The clock is set now.
            is_authentic && report.kind == ReportKind::NotInTimeWindows
        };
        if is_news && self.again < MOST_AGAIN {
            self.again += 1;
            return Said::Again;
        }
        self.again = 0;
        self.is_doubtful |= !is_authentic && report.kind == ReportKind::UnknownEngineIds;
        // Anybody could have sent it: an answer is waited for all the same.
        Said::Doubt(match report.kind {
            ReportKind::UnknownUserNames => "the device does not know the user",
            ReportKind::WrongDigests => "the device says that the keys are wrong",
            ReportKind::UnsupportedSecLevels => "the device does not support the security level for the user",
            ReportKind::DecryptionErrors => "the device cannot decrypt the request",
            ReportKind::NotInTimeWindows => "the device says that the request is not in its time window",
            _ => "the device answers with a Report",
        })
    }
}

/// Octets of the longest answer.
const MAX_ANSWER: usize = 65_507;

/// Discovery, a clock that was wrong, and once more after a restart meanwhile.
const MOST_AGAIN: u32 = 3;

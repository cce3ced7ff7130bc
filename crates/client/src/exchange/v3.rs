//! What SNMPv3 adds to a session's requests: a msgID for each transmission, the manager's state, and Reports
//! instead of answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use trunkline_snmp::role::manager::{
    Answer, Asker, EncodeError, Manager, Need, Report, ReportKind, Stray as Disbelief, TransportAnswer,
    TransportAsker, TransportManager,
};
use trunkline_snmp::usm::{CredentialsError, EngineId, User};
use trunkline_snmp::wire::{Pdu, PduRef};

use crate::credentials::{TsmCredentials, UsmCredentials};
use crate::exchange::{DISCOVERY, Stray};
use crate::ids::Ids;

/// The SNMPv3 half of a session.
pub(crate) struct V3Talk {
    speaker: Speaker,
    sendings: Sendings,
}

/// The principal.
enum Speaker {
    User(Box<UserTalk>),
    /// The principal that the session authenticates.
    Session(TransportManager),
}

struct UserTalk {
    credentials: Arc<UsmCredentials>,
    manager: Manager,
    /// The PDU decrypted last.
    plain: Vec<u8>,
    /// The engine whose keys are being made.
    making: Option<EngineId>,
    /// When the engine's ID was learned last.
    learned: Option<Instant>,
}

/// The request-id of each msgID under way.
struct Sendings {
    requests: HashMap<i32, i32>,
    message_ids: Ids,
}

/// A user's keys at an engine: slow to make, so made elsewhere.
pub(crate) struct KeyWork {
    credentials: Arc<UsmCredentials>,
    engine_id: EngineId,
}

impl KeyWork {
    /// Makes them.
    pub(crate) fn make(&self) -> Result<User, CredentialsError> {
        self.credentials.user_at(&self.engine_id)
    }
}

/// A received message, as SNMPv3 sees it.
pub(super) enum Came<'m> {
    /// An authentic Response to this request.
    Response { id: i32, pdu: PduRef<'m> },
    /// A Report about this request.
    Reported { id: i32, report: Report, verdict: Verdict },
    /// The answer to the discovery, already used.
    Discovered,
    /// Neither.
    Stray(Stray),
}

/// What a Report means for its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Send again at once: we have learned something.
    Again,
    /// It is over.
    Over,
    /// It is over unless a real answer arrives: anybody could have sent this.
    Doubtful,
}

impl V3Talk {
    /// As a user.
    pub(crate) fn new(user: &Arc<UsmCredentials>, max_message: usize, now: Instant) -> Self {
        let asker = Asker {
            user_name: user.name().to_vec(),
            level: user.level(),
            context_name: user.context.clone(),
            context_engine_id: user.context_engine_id,
            security_engine_id: user.security_engine_id,
            engine_moment: user.engine_moment,
        };
        let speaker = Speaker::User(Box::new(UserTalk {
            credentials: Arc::clone(user),
            manager: Manager::new(asker, max_message, fastrand::u64(..), now),
            plain: Vec::new(),
            making: None,
            learned: None,
        }));
        V3Talk { speaker, sendings: Sendings::new() }
    }

    /// As the principal that the session authenticates.
    pub(crate) fn over(session: &TsmCredentials, max_message: usize) -> Self {
        let asker = TransportAsker {
            level: session.level,
            context_name: session.context.clone(),
            context_engine_id: session.context_engine_id,
        };
        let speaker = Speaker::Session(TransportManager::new(asker, max_message));
        V3Talk { speaker, sendings: Sendings::new() }
    }

    pub(super) fn need(&self) -> Need {
        match &self.speaker {
            Speaker::User(talk) => talk.manager.need(),
            Speaker::Session(manager) => manager.need(),
        }
    }

    /// The keys to be made, returned once.
    pub(super) fn key_work(&mut self) -> Option<KeyWork> {
        let Speaker::User(talk) = &mut self.speaker else { return None };
        let Need::User(engine_id) = talk.manager.need() else { return None };
        if talk.making == Some(engine_id) {
            return None;
        }
        talk.making = Some(engine_id);
        Some(KeyWork { credentials: Arc::clone(&talk.credentials), engine_id })
    }

    pub(super) fn set_user(&mut self, user: User) {
        if let Speaker::User(talk) = &mut self.speaker {
            talk.making = None;
            talk.manager.set_user(user);
        }
    }

    /// A message for this request, with its own msgID, which is added to `message_ids`.
    pub(super) fn encode(
        &mut self,
        id: i32,
        pdu: &Pdu,
        now: Instant,
        message_ids: &mut Vec<i32>,
    ) -> Result<Vec<u8>, EncodeError> {
        let message_id = self.sendings.next();
        let octets = match &self.speaker {
            Speaker::User(talk) => talk.manager.encode(pdu, message_id, now)?,
            Speaker::Session(manager) => manager.encode(pdu, message_id)?,
        };
        self.sendings.begin(message_id, id, message_ids);
        Ok(octets)
    }

    /// A discovery with request-id `id`.
    pub(super) fn encode_discovery(
        &mut self,
        id: i32,
        message_ids: &mut Vec<i32>,
    ) -> Result<Vec<u8>, EncodeError> {
        let message_id = self.sendings.next();
        let octets = match &self.speaker {
            Speaker::User(talk) => talk.manager.encode_discovery(message_id, id)?,
            Speaker::Session(manager) => manager.encode_discovery(message_id, id)?,
        };
        self.sendings.begin(message_id, id, message_ids);
        Ok(octets)
    }

    /// Forgets the msgIDs of a request that is over.
    pub(super) fn forget(&mut self, message_ids: &[i32]) {
        for message_id in message_ids {
            self.sendings.requests.remove(message_id);
        }
    }

    /// Matches a message to the request that it answers.
    pub(super) fn receive<'m>(&'m mut self, octets: &'m [u8], now: Instant) -> Came<'m> {
        let Self { speaker, sendings } = self;
        match speaker {
            Speaker::User(talk) => talk.receive(octets, sendings, now),
            Speaker::Session(manager) => receive_over(manager, octets, sendings),
        }
    }

    /// An attempt that began then had no answer but this Report: what we assume about the engine may be wrong. Whether
    /// that is so, and another attempt discovers it again.
    pub(super) fn ended_with(&mut self, report: &Report, began: Instant) -> bool {
        match &mut self.speaker {
            Speaker::User(talk)
                if report.kind == ReportKind::UnknownEngineIds
                    && talk.credentials.security_engine_id.is_none() =>
            {
                // What was learned since is not what the Report is about.
                if talk.learned.is_none_or(|learned| learned <= began) {
                    talk.manager.forget_engine();
                }
                true
            }
            _ => false,
        }
    }
}

impl UserTalk {
    fn receive<'m>(&'m mut self, octets: &'m [u8], sendings: &Sendings, now: Instant) -> Came<'m> {
        let received = match self.manager.receive(octets, &mut self.plain, now) {
            Ok(received) => received,
            Err(disbelief) => return Came::Stray(stray(&disbelief)),
        };
        let Some(id) = sendings.of(received.message_id) else { return Came::Stray(Stray::Unmatched) };
        let (engine, is_authentic) = (received.engine, received.is_authentic);
        match received.what {
            // RFC 3412 section 7.2 step 10: msgID and request-id must belong to one request.
            Answer::Response(pdu) if pdu.request_id != id => Came::Stray(Stray::Unmatched),
            Answer::Response(pdu) => Came::Response { id, pdu },
            Answer::Report(report) => {
                let tells_engine = id == DISCOVERY || report.kind == ReportKind::UnknownEngineIds;
                let verdict = if tells_engine && self.manager.learn(engine, now) {
                    self.learned = Some(now);
                    Verdict::Again
                } else if is_authentic && report.kind == ReportKind::NotInTimeWindows {
                    // The clock is set now.
                    Verdict::Again
                } else if is_authentic || !self.credentials.level().is_authenticated() {
                    Verdict::Over
                } else {
                    Verdict::Doubtful
                };
                Came::Reported { id, report, verdict }
            }
        }
    }
}

/// The session authenticates everything: a Report comes from the agent itself.
fn receive_over<'m>(manager: &mut TransportManager, octets: &'m [u8], sendings: &Sendings) -> Came<'m> {
    let received = match manager.receive(octets) {
        Ok(received) => received,
        Err(disbelief) => return Came::Stray(stray(&disbelief)),
    };
    let Some(id) = sendings.of(received.message_id) else { return Came::Stray(Stray::Unmatched) };
    match received.what {
        TransportAnswer::Response(pdu) if pdu.request_id == id => Came::Response { id, pdu },
        TransportAnswer::Engine { request_id, engine_id } if (id, request_id) == (DISCOVERY, DISCOVERY) => {
            manager.learn(engine_id);
            Came::Discovered
        }
        TransportAnswer::Response(_) | TransportAnswer::Engine { .. } => Came::Stray(Stray::Unmatched),
        TransportAnswer::Report(_) if id == DISCOVERY => {
            // An engine that does not implement RFC 5343 does not report its ID.
            manager.learn(None);
            Came::Discovered
        }
        TransportAnswer::Report(report) => {
            // The engine that we mean is not there: it may have been replaced since.
            let is_elsewhere =
                matches!(report.kind, ReportKind::UnknownEngineIds | ReportKind::UnknownPduHandlers);
            if is_elsewhere {
                manager.forget_engine();
            }
            let verdict =
                if is_elsewhere && manager.need() == Need::Engine { Verdict::Again } else { Verdict::Over };
            Came::Reported { id, report, verdict }
        }
    }
}

const fn stray(disbelief: &Disbelief) -> Stray {
    match disbelief {
        Disbelief::Malformed(_) => Stray::Malformed,
        _ => Stray::Foreign,
    }
}

impl Sendings {
    fn new() -> Self {
        Sendings { requests: HashMap::new(), message_ids: Ids::random() }
    }

    fn next(&self) -> i32 {
        self.message_ids.next()
    }

    fn begin(&mut self, message_id: i32, id: i32, message_ids: &mut Vec<i32>) {
        self.requests.insert(message_id, id);
        message_ids.push(message_id);
    }

    fn of(&self, message_id: i32) -> Option<i32> {
        self.requests.get(&message_id).copied()
    }
}

#[cfg(test)]
mod session_tests;
#[cfg(test)]
mod tests;

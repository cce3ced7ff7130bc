//! What SNMPv3 adds to the requests of a session: the msgID of each sending, the
//! manager's state, and the Reports that come instead of answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use trunkline_snmp::role::manager::{
    Answer, Asker, EncodeError, Manager, Need, Report, ReportKind, Stray as Disbelief,
};
use trunkline_snmp::usm::{CredentialsError, EngineId, User};
use trunkline_snmp::wire::{Pdu, PduRef};

use crate::credentials::UsmCredentials;
use crate::exchange::{DISCOVERY, Stray};
use crate::ids::Ids;

/// The SNMPv3 half of a session.
pub(crate) struct UsmTalk {
    credentials: Arc<UsmCredentials>,
    manager: Manager,
    /// The request-id that each msgID under way was sent for.
    sendings: HashMap<i32, i32>,
    message_ids: Ids,
    /// What was decrypted last.
    plain: Vec<u8>,
    /// Somebody makes the keys for this engine.
    making: Option<EngineId>,
}

/// The keys of a user at an engine: slow to make, so made elsewhere.
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

/// A message that came, as far as SNMPv3 goes.
pub(super) enum Came<'m> {
    /// A believed Response to this request.
    Response { id: i32, pdu: PduRef<'m> },
    /// A Report about this request.
    Reported { id: i32, report: Report, verdict: Verdict },
    /// Neither.
    Stray(Stray),
}

/// What a Report means for its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Ask again, at once: we know better now.
    Again,
    /// It is over.
    Over,
    /// It is over unless a real answer comes: anybody could have sent this.
    Doubtful,
}

impl UsmTalk {
    pub(crate) fn new(credentials: &Arc<UsmCredentials>, max_message: usize, now: Instant) -> Self {
        let asker = Asker {
            user_name: credentials.name().to_vec(),
            level: credentials.level(),
            context_name: credentials.context.clone(),
            context_engine_id: credentials.context_engine_id,
            security_engine_id: credentials.security_engine_id,
            engine_moment: credentials.engine_moment,
        };
        UsmTalk {
            credentials: Arc::clone(credentials),
            manager: Manager::new(asker, max_message, fastrand::u64(..), now),
            sendings: HashMap::new(),
            message_ids: Ids::random(),
            plain: Vec::new(),
            making: None,
        }
    }

    pub(super) fn need(&self) -> Need {
        self.manager.need()
    }

    /// The keys to be made, told once.
    pub(super) fn key_work(&mut self) -> Option<KeyWork> {
        let Need::User(engine_id) = self.manager.need() else { return None };
        if self.making == Some(engine_id) {
            return None;
        }
        self.making = Some(engine_id);
        Some(KeyWork { credentials: Arc::clone(&self.credentials), engine_id })
    }

    pub(super) fn set_user(&mut self, user: User) {
        self.making = None;
        self.manager.set_user(user);
    }

    /// A message for this request, with a msgID of its own, which `message_ids` takes.
    pub(super) fn encode(
        &mut self,
        id: i32,
        pdu: &Pdu,
        now: Instant,
        message_ids: &mut Vec<i32>,
    ) -> Result<Vec<u8>, EncodeError> {
        let message_id = self.message_ids.next();
        let octets = self.manager.encode(pdu, message_id, now)?;
        self.sendings.insert(message_id, id);
        message_ids.push(message_id);
        Ok(octets)
    }

    /// A discovery, whose request-id is `id`.
    pub(super) fn encode_discovery(
        &mut self,
        id: i32,
        message_ids: &mut Vec<i32>,
    ) -> Result<Vec<u8>, EncodeError> {
        let message_id = self.message_ids.next();
        let octets = self.manager.encode_discovery(message_id, id)?;
        self.sendings.insert(message_id, id);
        message_ids.push(message_id);
        Ok(octets)
    }

    /// Forgets the msgIDs of a request that is over.
    pub(super) fn forget(&mut self, message_ids: &[i32]) {
        for message_id in message_ids {
            self.sendings.remove(message_id);
        }
    }

    /// Finds out what a message answers.
    pub(super) fn receive<'m>(&'m mut self, octets: &'m [u8], now: Instant) -> Came<'m> {
        let received = match self.manager.receive(octets, &mut self.plain, now) {
            Ok(received) => received,
            Err(Disbelief::Malformed(_)) => return Came::Stray(Stray::Malformed),
            Err(_) => return Came::Stray(Stray::Foreign),
        };
        let Some(&id) = self.sendings.get(&received.message_id) else { return Came::Stray(Stray::Unmatched) };
        let (engine, is_authentic) = (received.engine, received.is_authentic);
        match received.what {
            // RFC 3412 section 7.2 step 10: msgID and request-id are of one request.
            Answer::Response(pdu) if pdu.request_id != id => Came::Stray(Stray::Unmatched),
            Answer::Response(pdu) => Came::Response { id, pdu },
            Answer::Report(report) => {
                let tells_engine = id == DISCOVERY || report.kind == ReportKind::UnknownEngineIds;
                let verdict = if tells_engine && self.manager.learn(engine, now) {
                    Verdict::Again
                } else if is_authentic && report.kind == ReportKind::NotInTimeWindows {
                    // The clock is set by now.
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

    /// A request ended with nothing but this Report: what was wrong may be our notion of the engine.
    pub(super) fn ended_with(&mut self, report: &Report) {
        if report.kind == ReportKind::UnknownEngineIds {
            self.manager.forget_engine();
        }
    }
}

#[cfg(test)]
mod tests;

//! Get, GetNext or GetBulk over SNMPv3, as one user at every agent.
//!
//! Each agent has an engine of its own, so that a conversation is kept for each: the engine's ID, its clock, and the user's keys
//! there. An engine that is not known is discovered by the request itself: an empty request takes its place, and the
//! Report that answers has what the real one needs. Both have one msgID, one place and one due time, so that the delay of a
//! first request includes its discovery. A run before the measurement, whose protocol [`Shard::run`](crate::Shard::run) gives
//! back, discovers all engines.

use std::time::{Duration, Instant};

use trunkline_snmp::role::manager::{Answer, Asker, Manager, Need, ReportKind};
use trunkline_snmp::usm::Credentials;
use trunkline_snmp::wire::{Message, Pdu, PduKind, V3MessageRef, Version};

use crate::error::PollError;
use crate::protocol::{Protocol, RequestId, Verdict, verdict_of};

/// The status of a request that was answered by a Report that says nothing new: a name or a level that the agent does not know.
pub const REPORTED: i32 = -1;

/// A user, and a conversation with each agent.
#[derive(Debug)]
pub struct UserRead {
    pdu: Pdu,
    credentials: Credentials,
    agents: Vec<Conversation>,
    /// What moments of a run are counted from; only their differences matter.
    base: Instant,
    /// The PDU that was decrypted last.
    plain: Vec<u8>,
}

/// With one agent.
#[derive(Debug)]
struct Conversation {
    manager: Manager,
    /// How often a request was sent again since the last answer.
    again: u8,
    /// Whether a Report that anybody could have sent says that the engine has another ID: if no answer comes, it is discovered
    /// again.
    is_doubtful: bool,
}

impl UserRead {
    /// All of so many agents get the same request, at the highest level of the user's keys. `salt` is random; `base` is any
    /// moment before the run.
    ///
    /// # Errors
    /// The request fits into no datagram.
    pub fn new(
        credentials: Credentials,
        pdu: Pdu,
        agents: u32,
        salt: u64,
        base: Instant,
    ) -> Result<Self, PollError> {
        let clear = Message { version: Version::V2c, community: Vec::new(), pdu: pdu.clone() };
        let found = clear.encode().len();
        if found > MOST {
            return Err(PollError::TooLong { most: MOST, found });
        }
        let asker = Asker {
            user_name: credentials.name().to_vec(),
            level: credentials.level(),
            context_name: Vec::new(),
            context_engine_id: None,
            security_engine_id: None,
            engine_moment: None,
        };
        let conversation = |agent: u32| Conversation {
            // Two addresses may be one engine: its salts must differ.
            manager: Manager::new(asker.clone(), MAX_ANSWER, salt.wrapping_add(u64::from(agent) << 40), base),
            again: 0,
            is_doubtful: false,
        };
        let agents = (0..agents).map(conversation).collect();
        Ok(Self { pdu, credentials, agents, base, plain: Vec::new() })
    }

    /// How many agents have proved that they have the user's keys.
    #[must_use]
    pub fn discovered(&self) -> usize {
        self.agents.iter().filter(|agent| agent.manager.is_synchronized()).count()
    }
}

impl Protocol for UserRead {
    fn request(&mut self, agent: u32, id: RequestId, now: Duration, out: &mut Vec<u8>) {
        let Some(Conversation { manager, is_doubtful, .. }) = self.agents.get_mut(agent as usize) else {
            return;
        };
        if std::mem::take(is_doubtful) {
            manager.forget_engine();
        }
        self.pdu.request_id = id.get();
        let encoded = match manager.need() {
            Need::Nothing => manager.encode(&self.pdu, id.get(), self.base + now),
            Need::Engine | Need::User(_) => manager.encode_discovery(id.get(), id.get()),
        };
        // The keys are those of the level, and the length was checked.
        out.extend_from_slice(&encoded.unwrap_or_default());
    }

    fn identify(&mut self, octets: &[u8]) -> Option<RequestId> {
        V3MessageRef::decode(octets).ok().map(|message| RequestId::from(message.message_id))
    }

    fn read(&mut self, agent: u32, octets: &[u8], at: Duration) -> Verdict {
        let Self { pdu, credentials, agents, base, plain } = self;
        let Some(Conversation { manager, again, is_doubtful }) = agents.get_mut(agent as usize) else {
            return Verdict::Stranger;
        };
        let now = *base + at;
        let is_discovery = manager.need() == Need::Engine;
        let Ok(received) = manager.receive(octets, plain, now) else { return Verdict::Stranger };
        let report = match received.what {
            // RFC 3412 section 7.2 step 10: both belong to one request.
            Answer::Response(response) if response.request_id != received.message_id => {
                return Verdict::Stranger;
            }
            Answer::Response(response) => {
                (*again, *is_doubtful) = (0, false);
                return verdict_of(&response, (pdu.kind == PduKind::Get).then_some(pdu.bindings.len()));
            }
            Answer::Report(report) => report,
        };
        let tells_engine = is_discovery || report.kind == ReportKind::UnknownEngineIds;
        let is_news = if tells_engine && manager.learn(received.engine, now) {
            if let Need::User(engine) = manager.need()
                && let Ok(user) = credentials.localize(&engine)
            {
                manager.set_user(user);
            }
            true
        } else {
            // The clock is set now.
            received.is_authentic && report.kind == ReportKind::NotInTimeWindows
        };
        if is_news && *again < MOST_AGAIN {
            *again += 1;
            return Verdict::Again;
        }
        if received.is_authentic || !credentials.level().is_authenticated() {
            return Verdict::Failed(REPORTED);
        }
        // Anybody could have sent it: the request is waited for.
        *is_doubtful |= report.kind == ReportKind::UnknownEngineIds;
        Verdict::Stranger
    }
}

/// Octets of the longest answer.
const MAX_ANSWER: usize = 65_507;
/// Octets of the longest request without what protects it, which takes at most 300.
const MOST: usize = 65_000;
/// Discovery, a clock that was wrong, and once more after a restart meanwhile: what never ends is lost.
const MOST_AGAIN: u8 = 3;

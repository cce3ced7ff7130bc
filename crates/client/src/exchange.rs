//! Requests and their answers without I/O: the window, time-outs and retries, and matching messages to requests.
//! The session's task passes in messages and the time, and sends what comes out.

mod compressed;
mod endurance;
mod loss;
mod patience;
mod response;
mod v3;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Instant;

use trunkline_snmp::role::generator;
use trunkline_snmp::role::manager::{EncodeError, Need, Report};
use trunkline_snmp::usm::User;
use trunkline_snmp::wire::{Compression, MAX_MESSAGE_SIZE, Pdu, PduKind, PduRef, VarBind, Version};

use compressed::Compressed;
pub use patience::{Backoff, Endurance, Patience};
pub(crate) use response::Expect;
pub use response::Response;
use response::check;
pub(crate) use v3::KeyWork;
use v3::{Came, V3Talk, Verdict};

use crate::credentials::Credentials;
use crate::error::Error;
use crate::ids::Ids;

/// A request, and what its answer must look like.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) id: i32,
    /// The operation, which decides whether it may be repeated.
    pub(crate) kind: PduKind,
    pub(crate) content: Content,
    pub(crate) expect: Expect,
    pub(crate) patience: Patience,
}

/// The content to send.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A message of SNMPv1 or SNMPv2c, the same in every transmission.
    Octets(Vec<u8>),
    /// A PDU: each transmission in SNMPv3 is a different message.
    Pdu(Pdu),
}

/// Why a message answers nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stray {
    /// It cannot be decoded up to its request-id.
    Malformed,
    /// Not a Response, or of another version or community.
    Foreign,
    /// No request with this request-id is open: late, duplicate, or forged.
    Unmatched,
}

/// The limits of a session's requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum number of requests under way.
    pub(crate) window: usize,
    /// Octets of the longest answer.
    pub(crate) max_message: usize,
    /// Octets of the longest request.
    pub(crate) max_request: usize,
    /// Whether a request without an answer is sent again.
    pub(crate) resends: bool,
    /// What a request does when an attempt fails.
    pub(crate) endurance: Endurance,
}

/// The outcome of a message.
pub(crate) enum Handled<T> {
    Answer(T, Result<Response, Error>),
    /// A Report that was used, or is kept in case nothing better arrives.
    Noted,
    Ignored(Stray),
}

/// The requests of one session.
pub(crate) struct Exchanges<T> {
    speech: Speech,
    compressed: Compressed,
    window: usize,
    max_message: usize,
    max_request: usize,
    /// Datagrams are sent again, octets of a stream never (RFC 3430 section 2.1).
    resends: bool,
    endurance: Endurance,
    waiting: VecDeque<(Request, T)>,
    /// Messages without an answer.
    telling: VecDeque<(Vec<u8>, T)>,
    under_way: HashMap<i32, UnderWay<T>>,
    deadlines: BTreeSet<(Instant, i32)>,
    to_send: VecDeque<i32>,
    /// Refusals by the agent's host since it was last heard.
    refusals: u32,
    ignored: u64,
    /// Requests repeated on another connection.
    repeated: u64,
}

/// The state that a version keeps for a session.
enum Speech {
    Community { version: Version, community: Vec<u8> },
    V3(Box<V3Talk>),
}

struct UnderWay<T> {
    kind: PduKind,
    content: Content,
    expect: Expect,
    patience: Patience,
    /// The message sent last.
    octets: Vec<u8>,
    /// The same without compression, if it is compressed.
    plain: Option<Vec<u8>>,
    /// The msgIDs of all its transmissions in SNMPv3.
    message_ids: Vec<i32>,
    /// The caller; `None` for a discovery, which is our own.
    token: Option<T>,
    /// For a discovery: the requests that waited for it when it began.
    for_whom: Vec<i32>,
    first_sent: Instant,
    /// When the current attempt began, and its number, counted from 1. An attempt that begins while the previous
    /// one still waits for a connection does not count in `attempts`.
    began: Instant,
    turn: u32,
    deadline: Instant,
    attempts: u32,
    /// Why the current attempt is known to have failed.
    failure: Option<Error>,
    /// How many times a Report caused it to be sent again.
    repeats: u32,
    /// How many times its connection was lost.
    losses: u32,
    /// How it ends at the deadline if no answer arrives before.
    doubt: Option<Doubt>,
    ignored_before: u64,
}

/// How a request ends if nothing better arrives.
enum Doubt {
    Reported(Report),
    Failed(Error),
}

impl<T> Exchanges<T> {
    pub(crate) fn new(credentials: &Credentials, limits: Limits, now: Instant) -> Self {
        let speech = match credentials {
            Credentials::Community { version, community } => {
                Speech::Community { version: *version, community: community.clone() }
            }
            Credentials::Usm(user) => Speech::V3(Box::new(V3Talk::new(user, limits.max_message, now))),
            Credentials::Transport(session) => {
                Speech::V3(Box::new(V3Talk::over(session, limits.max_message)))
            }
        };
        Self {
            speech,
            compressed: Compressed::default(),
            window: limits.window.max(1),
            max_message: limits.max_message.min(MAX_MESSAGE_SIZE),
            max_request: limits.max_request,
            resends: limits.resends,
            endurance: limits.endurance,
            waiting: VecDeque::new(),
            telling: VecDeque::new(),
            under_way: HashMap::new(),
            deadlines: BTreeSet::new(),
            to_send: VecDeque::new(),
            refusals: 0,
            ignored: 0,
            repeated: 0,
        }
    }

    /// The same, requesting compressed answers if the version has them.
    pub(crate) fn compressed(mut self, how: Option<Compression>) -> Self {
        self.compressed = Compressed::asking(how);
        self
    }

    /// Accepts a request; it is sent when the window has room. Its answer is returned with `token`.
    pub(crate) fn submit(&mut self, request: Request, token: T) {
        self.waiting.push_back((request, token));
    }

    /// Accepts a message without an answer: it is sent once.
    pub(crate) fn tell(&mut self, octets: Vec<u8>, token: T) {
        self.telling.push_back((octets, token));
    }

    /// The next message to send that has no answer, and the token to report once it is sent.
    pub(crate) fn poll_tell(&mut self) -> Option<(Vec<u8>, T)> {
        self.telling.pop_front()
    }

    /// The keys that SNMPv3 needs before it can continue, to be made elsewhere and passed to
    /// [`Exchanges::handle_user`]. Each is returned once.
    pub(crate) fn key_work(&mut self) -> Option<KeyWork> {
        match &mut self.speech {
            Speech::V3(talk) => talk.key_work(),
            Speech::Community { .. } => None,
        }
    }

    /// Accepts the keys that [`Exchanges::key_work`] requested.
    pub(crate) fn handle_user(&mut self, user: User) {
        if let Speech::V3(talk) = &mut self.speech {
            talk.set_user(user);
        }
    }

    /// The next message to send, and its request-id; call until there are none.
    pub(crate) fn poll_send(&mut self, now: Instant) -> Option<(i32, &[u8])> {
        let id = match self.need() {
            Need::Engine => self.next_discovery(now)?,
            Need::User(_) => return None,
            Need::Nothing => self.next_to_send(now)?,
        };
        self.under_way.get(&id).map(|entry| (id, entry.octets.as_slice()))
    }

    fn need(&self) -> Need {
        match &self.speech {
            Speech::V3(talk) => talk.need(),
            Speech::Community { .. } => Need::Nothing,
        }
    }

    fn next_to_send(&mut self, now: Instant) -> Option<i32> {
        while let Some(id) = self.to_send.pop_front() {
            if self.encode(id, now) {
                return Some(id);
            }
        }
        while self.under_way.len() < self.window {
            let (request, token) = self.waiting.pop_front()?;
            let id = request.id;
            self.begin(request, Some(token), now);
            if self.encode(id, now) {
                return Some(id);
            }
        }
        None
    }

    /// A discovery of the engine ID.
    fn next_discovery(&mut self, now: Instant) -> Option<i32> {
        if self.under_way.contains_key(&DISCOVERY) {
            let again = self.to_send.iter().position(|&id| id == DISCOVERY)?;
            self.to_send.remove(again);
        } else if !self.begin_discovery(now) {
            return None;
        }
        self.encode(DISCOVERY, now).then_some(DISCOVERY)
    }

    /// Begins the discovery of the engine ID, with the patience of the first request that waits for it; false if
    /// none does.
    fn begin_discovery(&mut self, now: Instant) -> bool {
        let sent = || self.to_send.iter().find_map(|id| self.under_way.get(id)).map(|entry| entry.patience);
        let patience = self.waiting.front().map(|(request, _)| request.patience).or_else(sent);
        let Some(patience) = patience else { return false };
        let content = Content::Octets(Vec::new());
        let (id, kind, expect) = (DISCOVERY, PduKind::Get, Expect::AtMost(0));
        self.begin(Request { id, kind, content, expect, patience }, None, now);
        if let Some(entry) = self.under_way.get_mut(&DISCOVERY) {
            entry.for_whom = self.waiting.iter().map(|(request, _)| request.id).collect();
        }
        true
    }

    fn begin(&mut self, request: Request, token: Option<T>, now: Instant) {
        let Request { id, kind, content, expect, patience } = request;
        let is_tried = self.resends || self.compressed.is_trying(kind);
        let wait = if is_tried { patience.wait(1) } else { patience.whole() };
        let deadline = now + wait;
        self.deadlines.insert((deadline, id));
        let entry = UnderWay {
            kind,
            content,
            expect,
            patience,
            octets: Vec::new(),
            plain: None,
            message_ids: Vec::new(),
            token,
            for_whom: Vec::new(),
            first_sent: now,
            began: now,
            turn: 1,
            deadline,
            attempts: 1,
            failure: None,
            repeats: 0,
            losses: 0,
            doubt: None,
            ignored_before: self.ignored,
        };
        self.under_way.insert(id, entry);
    }

    /// Encodes a request to be sent. False if there is nothing to send: it is over, or ends at once.
    fn encode(&mut self, id: i32, now: Instant) -> bool {
        let Some(entry) = self.under_way.get_mut(&id) else { return false };
        let encoded = match (&mut self.speech, &mut entry.content) {
            (Speech::V3(talk), _) if id == DISCOVERY => talk.encode_discovery(id, &mut entry.message_ids),
            (Speech::V3(talk), Content::Pdu(pdu)) => talk.encode(id, pdu, now, &mut entry.message_ids),
            (_, Content::Octets(octets)) if entry.octets.is_empty() => {
                Ok(self.compressed.request(std::mem::take(octets), entry.kind, &mut entry.plain))
            }
            (_, Content::Octets(_)) => return true,
            (Speech::Community { .. }, Content::Pdu(_)) => Err(EncodeError::NotReady),
        };
        let found = encoded.as_ref().map_or(0, Vec::len);
        let failed = match encoded {
            Ok(_) if found > self.max_request => Error::RequestTooLong { found, limit: self.max_request },
            Ok(octets) => {
                entry.octets = octets;
                return true;
            }
            Err(error) => Error::Encode(error),
        };
        self.deadlines.remove(&(entry.deadline, id));
        (entry.deadline, entry.doubt) = (now, Some(Doubt::Failed(failed)));
        self.deadlines.insert((now, id));
        false
    }

    /// The tokens that the end of a request concerns: for a discovery all requests that wait for it, or with
    /// [`Endurance::Retries`] those that waited from its beginning, since the others have attempts left.
    fn ended(&mut self, entry: UnderWay<T>, error: &Error) -> Vec<(T, Error)> {
        if let Some(token) = entry.token {
            return vec![(token, error.clone())];
        }
        let waiting = std::mem::take(&mut self.waiting);
        let is_over = |id: i32| self.endurance != Endurance::Retries || entry.for_whom.contains(&id);
        let (over, left): (VecDeque<_>, VecDeque<_>) =
            waiting.into_iter().partition(|(request, _)| is_over(request.id));
        self.waiting = left;
        over.into_iter().map(|(_, token)| (token, error.clone())).collect()
    }

    fn remove(&mut self, id: i32) -> Option<UnderWay<T>> {
        let entry = self.under_way.remove(&id)?;
        self.deadlines.remove(&(entry.deadline, id));
        if let Speech::V3(talk) = &mut self.speech {
            talk.forget(&entry.message_ids);
        }
        Some(entry)
    }

    /// When [`Exchanges::handle_time`] must be called next.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Open requests, sent or not, and messages without an answer that are not sent yet.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + self.telling.len() + self.under_way.len()
    }

    /// Queues requests whose wait is over for another transmission, and gives up those without retries left.
    pub(crate) fn handle_time(&mut self, now: Instant) -> Vec<(T, Error)> {
        let mut given_up = Vec::new();
        while let Some(&(at, id)) = self.deadlines.first() {
            if at > now {
                break;
            }
            self.deadlines.pop_first();
            let Some(entry) = self.under_way.get_mut(&id) else { continue };
            entry.discover_again(&mut self.speech);
            // One lost datagram does not mean that the agent cannot read it.
            let may_be_lost = self.resends && entry.turn == 1 && entry.has_turns(self.resends);
            let plain = if may_be_lost { None } else { self.compressed.fall_back(&mut entry.plain) };
            if let Some(octets) = plain {
                entry.octets = octets;
                let patience = entry.patience;
                entry.deadline = now + if self.resends { patience.wait(1) } else { patience.whole() };
                self.deadlines.insert((entry.deadline, id));
                if !self.to_send.contains(&id) {
                    entry.attempts += 1;
                    self.to_send.push_back(id);
                }
            } else if entry.has_turns(self.resends) {
                entry.begin_turn(now, self.resends);
                self.deadlines.insert((entry.deadline, id));
                // While a connection is being made, a request waits in the queue only once.
                if !self.to_send.contains(&id) {
                    entry.attempts += 1;
                    self.to_send.push_back(id);
                }
            } else if let Some(entry) = self.remove(id) {
                let error = self.end_of(&entry, now);
                given_up.extend(self.ended(entry, &error));
            }
        }
        given_up
    }

    /// The error of a request whose time is over.
    fn end_of(&mut self, entry: &UnderWay<T>, now: Instant) -> Error {
        match &entry.doubt {
            Some(Doubt::Reported(report)) => {
                if let Speech::V3(talk) = &mut self.speech {
                    talk.ended_with(report, entry.began);
                }
                Error::Report { report: report.kind.clone() }
            }
            Some(Doubt::Failed(error)) => error.clone(),
            None => {
                let (attempts, ignored) = (entry.attempts, self.ignored - entry.ignored_before);
                let waited = now.saturating_duration_since(entry.first_sent);
                let silence = Error::Timeout { attempts, waited, ignored };
                entry.failure.as_ref().map_or(silence, |failure| failure.after(attempts))
            }
        }
    }

    /// Forgets requests whose callers are gone.
    pub(crate) fn forget(&mut self, gone: impl Fn(&T) -> bool) {
        self.waiting.retain(|(_, token)| !gone(token));
        let nobody_waits = self.waiting.is_empty();
        let is_gone = |entry: &UnderWay<T>| entry.token.as_ref().map_or(nobody_waits, &gone);
        let ids: Vec<i32> =
            self.under_way.iter().filter(|(_, entry)| is_gone(entry)).map(|(id, _)| *id).collect();
        for id in ids {
            self.remove(id);
        }
    }

    /// Matches a message to the request that it answers.
    pub(crate) fn handle_message(&mut self, now: Instant, octets: &[u8]) -> Handled<T> {
        self.refusals = 0;
        let handled = self.matched(now, octets);
        if matches!(handled, Handled::Ignored(_)) {
            self.ignored += 1;
        }
        handled
    }

    fn matched(&mut self, now: Instant, octets: &[u8]) -> Handled<T> {
        match &mut self.speech {
            Speech::Community { version, community } => {
                let (mut scratch, length) = (Vec::new(), octets.len());
                let octets = self.compressed.expand(octets, &mut scratch);
                let message = match generator::response(octets, *version, community) {
                    Ok(message) => message,
                    Err(generator::Stray::Malformed(_)) => return Handled::Ignored(Stray::Malformed),
                    Err(_) => return Handled::Ignored(Stray::Foreign),
                };
                let id = message.pdu.request_id;
                let Some(entry) = self.remove(id) else { return Handled::Ignored(Stray::Unmatched) };
                self.compressed.answered(&entry.plain);
                answered(entry, &message.pdu, length, self.max_message, now).0
            }
            Speech::V3(talk) => match talk.receive(octets, now) {
                Came::Stray(stray) => Handled::Ignored(stray),
                Came::Discovered => {
                    self.remove(DISCOVERY);
                    Handled::Noted
                }
                Came::Reported { id, report, verdict } => self.reported(id, report, verdict, now),
                Came::Response { id, pdu } => {
                    // The PDU borrows the decrypted buffer: the entry is removed beside it.
                    let Some(entry) = self.under_way.remove(&id) else {
                        return Handled::Ignored(Stray::Unmatched);
                    };
                    self.deadlines.remove(&(entry.deadline, id));
                    let (handled, message_ids) = answered(entry, &pdu, octets.len(), self.max_message, now);
                    talk.forget(&message_ids);
                    handled
                }
            },
        }
    }

    /// A Report arrived for a request.
    fn reported(&mut self, id: i32, report: Report, verdict: Verdict, now: Instant) -> Handled<T> {
        if id == DISCOVERY && verdict == Verdict::Again {
            self.remove(DISCOVERY);
            return Handled::Noted;
        }
        let Some(entry) = self.under_way.get_mut(&id) else { return Handled::Ignored(Stray::Unmatched) };
        entry.failure = None;
        match verdict {
            Verdict::Again if entry.repeats < MAX_REPEATS => {
                entry.repeats += 1;
                // A request that is already queued is not queued twice.
                if !self.to_send.contains(&id) {
                    self.to_send.push_back(id);
                }
                Handled::Noted
            }
            Verdict::Doubtful => {
                // Datagrams wait as long as for one transmission; a stream, whose wait covers all of them, too.
                let deadline = entry.deadline.min(now + entry.patience.timeout);
                self.deadlines.remove(&(entry.deadline, id));
                (entry.deadline, entry.doubt) = (deadline, Some(Doubt::Reported(report)));
                self.deadlines.insert((deadline, id));
                Handled::Noted
            }
            Verdict::Again | Verdict::Over => {
                let error = Error::Report { report: report.kind };
                match self.remove(id).and_then(|entry| entry.token) {
                    Some(token) => Handled::Answer(token, Err(error)),
                    None => Handled::Noted,
                }
            }
        }
    }
}

/// A matched, authentic answer; and the msgIDs that are now free.
fn answered<T>(
    entry: UnderWay<T>,
    pdu: &PduRef<'_>,
    octets: usize,
    max_message: usize,
    now: Instant,
) -> (Handled<T>, Vec<i32>) {
    let answer = if octets > max_message {
        Err(Error::AnswerTooLong { found: octets, limit: max_message })
    } else {
        response(pdu, octets, &entry, now)
    };
    let handled = match entry.token {
        Some(token) => Handled::Answer(token, answer),
        None => Handled::Noted,
    };
    (handled, entry.message_ids)
}

fn response<T>(
    pdu: &PduRef<'_>,
    response_octets: usize,
    entry: &UnderWay<T>,
    now: Instant,
) -> Result<Response, Error> {
    let mut bindings = Vec::new();
    for binding in pdu.bindings() {
        let binding = binding.map_err(Error::Malformed)?;
        bindings.push(VarBind { name: binding.name.to_oid(), value: binding.value.to_bound() });
    }
    if pdu.error_status == 0 {
        check(&entry.expect, &bindings)?;
    }
    Ok(Response {
        bindings,
        request_id: pdu.request_id,
        error_status: pdu.error_status,
        error_index: pdu.error_index,
        request_octets: entry.octets.len(),
        response_octets,
        delay: now.saturating_duration_since(entry.first_sent),
        attempts: entry.attempts,
    })
}

/// The request-id of discoveries, which [`Ids`] never returns.
const DISCOVERY: i32 = Ids::RESERVED;

/// How many times Reports may cause one request to be sent again: engine learned, clock learned, and one to spare.
const MAX_REPEATS: u32 = 3;

#[cfg(test)]
mod tests;

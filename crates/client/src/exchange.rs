//! Requests and their answers without I/O: the window, the time-outs and retries,
//! and which message answers what. The session's task feeds it messages and the
//! time, and carries what it says must be sent.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use trunkline_smi::Oid;
use trunkline_snmp::role::generator;
use trunkline_snmp::wire::{ErrorStatus, MAX_MESSAGE_SIZE, PduRef, VarBind, Version};

use crate::error::Error;

/// How long to wait for an answer, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The wait after the first sending.
    pub timeout: Duration,
    /// How often a request is sent again when no answer comes.
    pub retries: u32,
    /// How the wait grows.
    pub backoff: Backoff,
}

/// How the wait for an answer grows from one sending of a request to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    /// Not at all, as with Net-SNMP.
    #[default]
    Fixed,
    /// It doubles each time.
    Double,
}

impl Patience {
    pub(crate) fn wait(&self, attempt: u32) -> Duration {
        match self.backoff {
            Backoff::Fixed => self.timeout,
            Backoff::Double => self.timeout.saturating_mul(1 << attempt.saturating_sub(1).min(16)),
        }
    }

    /// The wait over all attempts.
    fn whole(&self) -> Duration {
        (1..=self.retries.saturating_add(1)).take(64).map(|attempt| self.wait(attempt)).sum()
    }
}

/// A request, encoded, with what its answer must look like.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) id: i32,
    pub(crate) octets: Vec<u8>,
    pub(crate) expect: Expect,
    pub(crate) patience: Patience,
}

/// What a good answer has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Exactly these names (Get and Set).
    Names(Vec<Oid>),
    /// So many bindings (GetNext).
    Count(usize),
    /// So many bindings at most (GetBulk).
    AtMost(usize),
}

/// An answer of the agent, be it a result or an error of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The bindings of the answer.
    pub bindings: Vec<VarBind>,
    /// error-status, 0 for none; [`Response::status`] has its name.
    pub error_status: i32,
    /// error-index, counted from 1; 0 for none.
    pub error_index: i32,
    /// Octets of the request message.
    pub request_octets: usize,
    /// Octets of the response message.
    pub response_octets: usize,
    /// From the first sending to the answer.
    pub delay: Duration,
    /// How often the request was sent, 1 or more.
    pub attempts: u32,
}

impl Response {
    /// Whether the agent answered noError.
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        self.error_status == 0
    }

    /// error-status by name; `None` for a number that no RFC knows.
    #[must_use]
    pub fn status(&self) -> Option<ErrorStatus> {
        ErrorStatus::from_code(self.error_status)
    }

    /// The bindings, or the agent's error as [`Error::Status`].
    ///
    /// # Errors
    /// [`Error::Status`] for any error-status but noError.
    pub fn into_bindings(self) -> Result<Vec<VarBind>, Error> {
        if self.is_ok() {
            return Ok(self.bindings);
        }
        let at = usize::try_from(self.error_index).ok().and_then(|index| index.checked_sub(1));
        let name = at.and_then(|at| self.bindings.get(at)).map(|binding| binding.name.clone());
        Err(Error::Status { status: self.error_status, index: self.error_index, name })
    }
}

/// Why a message answers nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stray {
    /// It cannot be decoded as far as its request-id.
    Malformed,
    /// No Response, or of another version or community.
    Foreign,
    /// Nobody waits for its request-id: late, twice, or made up.
    Unmatched,
}

/// What became of a message.
pub(crate) enum Handled<T> {
    Answer(T, Result<Response, Error>),
    Ignored(Stray),
}

/// The requests of one session.
pub(crate) struct Exchanges<T> {
    version: Version,
    community: Vec<u8>,
    window: usize,
    max_message: usize,
    /// Datagrams are sent again, octets of a stream never (RFC 3430 section 2.1).
    resends: bool,
    waiting: VecDeque<(Request, T)>,
    under_way: HashMap<i32, UnderWay<T>>,
    deadlines: BTreeSet<(Instant, i32)>,
    to_send: VecDeque<i32>,
    /// Refusals by the agent's host since the last sign of life.
    refusals: u32,
    ignored: u64,
}

struct UnderWay<T> {
    request: Request,
    token: T,
    first_sent: Instant,
    deadline: Instant,
    attempts: u32,
    ignored_before: u64,
}

impl<T> Exchanges<T> {
    pub(crate) fn new(version: Version, community: Vec<u8>, window: usize, resends: bool) -> Self {
        Self {
            version,
            community,
            window: window.max(1),
            max_message: MAX_MESSAGE_SIZE,
            resends,
            waiting: VecDeque::new(),
            under_way: HashMap::new(),
            deadlines: BTreeSet::new(),
            to_send: VecDeque::new(),
            refusals: 0,
            ignored: 0,
        }
    }

    pub(crate) fn with_max_message(mut self, octets: usize) -> Self {
        self.max_message = octets.min(MAX_MESSAGE_SIZE);
        self
    }

    /// Takes a request in; it is sent when the window has room. Its answer is
    /// told with `token`.
    pub(crate) fn submit(&mut self, request: Request, token: T) {
        self.waiting.push_back((request, token));
    }

    /// The request to send next, and its octets; call until there are none.
    pub(crate) fn poll_send(&mut self, now: Instant) -> Option<(i32, &[u8])> {
        while let Some(id) = self.to_send.pop_front() {
            if self.under_way.contains_key(&id) {
                return self.octets_of(id);
            }
        }
        if self.under_way.len() >= self.window {
            return None;
        }
        let (request, token) = self.waiting.pop_front()?;
        let patience = request.patience;
        let wait = if self.resends { patience.wait(1) } else { patience.whole() };
        let (id, deadline) = (request.id, now + wait);
        self.deadlines.insert((deadline, id));
        let entry =
            UnderWay { request, token, first_sent: now, deadline, attempts: 1, ignored_before: self.ignored };
        self.under_way.insert(id, entry);
        self.octets_of(id)
    }

    fn octets_of(&self, id: i32) -> Option<(i32, &[u8])> {
        self.under_way.get(&id).map(|entry| (id, entry.request.octets.as_slice()))
    }

    /// Ends one request that cannot be sent.
    pub(crate) fn fail(&mut self, id: i32) -> Option<T> {
        let entry = self.under_way.remove(&id)?;
        self.deadlines.remove(&(entry.deadline, id));
        Some(entry.token)
    }

    /// When [`Exchanges::handle_time`] must be called next.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Requests whose answer is still waited for, sent or not.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + self.under_way.len()
    }

    /// Has requests sent again whose time is over, and gives up those that were
    /// sent often enough.
    pub(crate) fn handle_time(&mut self, now: Instant) -> Vec<(T, Error)> {
        let mut given_up = Vec::new();
        while let Some(&(at, id)) = self.deadlines.first() {
            if at > now {
                break;
            }
            self.deadlines.pop_first();
            let Some(entry) = self.under_way.get_mut(&id) else { continue };
            if self.resends && entry.attempts <= entry.request.patience.retries {
                entry.attempts += 1;
                entry.deadline = now + entry.request.patience.wait(entry.attempts);
                self.deadlines.insert((entry.deadline, id));
                self.to_send.push_back(id);
            } else if let Some(entry) = self.under_way.remove(&id) {
                let error = Error::Timeout {
                    attempts: entry.attempts,
                    waited: now.duration_since(entry.first_sent),
                    ignored: self.ignored - entry.ignored_before,
                };
                given_up.push((entry.token, error));
            }
        }
        given_up
    }

    /// The agent's host refused a datagram. One refusal may be about an agent that
    /// is just starting; a second one in a row ends what waits.
    pub(crate) fn handle_refusal(&mut self) -> Vec<(T, Error)> {
        self.refusals += 1;
        if self.refusals < 2 {
            return Vec::new();
        }
        self.refusals = 0;
        self.fail_sent(|attempts| Error::Unreachable { attempts })
    }

    /// Ends every request that was sent, as when its connection broke. Those that
    /// were not sent yet stay.
    pub(crate) fn fail_sent(&mut self, error: impl Fn(u32) -> Error) -> Vec<(T, Error)> {
        self.deadlines.clear();
        self.to_send.clear();
        self.under_way.drain().map(|(_, entry)| (entry.token, error(entry.attempts))).collect()
    }

    /// Ends every request.
    pub(crate) fn fail_all(&mut self, error: &Error) -> Vec<(T, Error)> {
        let mut failed = self.fail_sent(|_| error.clone());
        failed.extend(self.waiting.drain(..).map(|(_, token)| (token, error.clone())));
        failed
    }

    /// Forgets the requests whose askers are gone.
    pub(crate) fn forget(&mut self, gone: impl Fn(&T) -> bool) {
        self.waiting.retain(|(_, token)| !gone(token));
        let deadlines = &mut self.deadlines;
        self.under_way.retain(|id, entry| {
            let keep = !gone(&entry.token);
            if !keep {
                deadlines.remove(&(entry.deadline, *id));
            }
            keep
        });
    }

    /// Finds out what a message answers.
    pub(crate) fn handle_message(&mut self, now: Instant, octets: &[u8]) -> Handled<T> {
        self.refusals = 0;
        let handled = self.matched(now, octets);
        if matches!(handled, Handled::Ignored(_)) {
            self.ignored += 1;
        }
        handled
    }

    fn matched(&mut self, now: Instant, octets: &[u8]) -> Handled<T> {
        let message = match generator::response(octets, self.version, &self.community) {
            Ok(message) => message,
            Err(generator::Stray::Malformed(_)) => return Handled::Ignored(Stray::Malformed),
            Err(_) => return Handled::Ignored(Stray::Foreign),
        };
        let Some(entry) = self.under_way.remove(&message.pdu.request_id) else {
            return Handled::Ignored(Stray::Unmatched);
        };
        self.deadlines.remove(&(entry.deadline, message.pdu.request_id));
        let answer = if octets.len() > self.max_message {
            Err(Error::AnswerTooLong { found: octets.len(), limit: self.max_message })
        } else {
            response(&message.pdu, octets.len(), &entry, now)
        };
        Handled::Answer(entry.token, answer)
    }
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
        check(&entry.request.expect, &bindings)?;
    }
    Ok(Response {
        bindings,
        error_status: pdu.error_status,
        error_index: pdu.error_index,
        request_octets: entry.request.octets.len(),
        response_octets,
        delay: now.saturating_duration_since(entry.first_sent),
        attempts: entry.attempts,
    })
}

/// Compares a result with what was asked. An agent's error needs no check: what
/// bindings come with it differs from version to version.
fn check(expect: &Expect, bindings: &[VarBind]) -> Result<(), Error> {
    let found = bindings.len();
    let (expected, fits) = match expect {
        Expect::Names(names) => (names.len(), found == names.len()),
        Expect::Count(count) => (*count, found == *count),
        Expect::AtMost(count) => (*count, found <= *count),
    };
    if !fits {
        return Err(Error::BindingCount { expected, found });
    }
    let Expect::Names(names) = expect else { return Ok(()) };
    match names.iter().zip(bindings).position(|(name, binding)| *name != binding.name) {
        None => Ok(()),
        Some(at) => Err(Error::WrongName {
            position: at + 1,
            expected: names[at].clone(),
            found: bindings[at].name.clone(),
        }),
    }
}

#[cfg(test)]
mod tests;

//! What happens to requests when an attempt fails before its time is over: depending on their [`Endurance`] it
//! ends them, or only that attempt.

use std::time::Instant;

use trunkline_snmp::role::manager::Need;

use super::{DISCOVERY, Doubt, Endurance, Exchanges, Speech, UnderWay};
use crate::error::Error;

impl<T> Exchanges<T> {
    /// Whether there is something to send or to wait for on a connection. With [`Endurance::Retries`] a failed
    /// request waits for its next attempt, and needs no connection.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        if !self.endures() {
            return self.len() > 0;
        }
        self.begin_due(now);
        let is_awaited = |entry: &UnderWay<T>| entry.failure.is_none() && entry.doubt.is_none();
        !self.telling.is_empty() || self.under_way.values().any(is_awaited)
    }

    /// Begins the requests that could be sent if there were a connection, so that their time runs while one is
    /// being made.
    fn begin_due(&mut self, now: Instant) {
        match self.need() {
            Need::Engine if !self.under_way.contains_key(&DISCOVERY) => {
                if self.begin_discovery(now) {
                    self.to_send.push_back(DISCOVERY);
                }
            }
            // Its keys are made while the connection is.
            Need::Nothing | Need::User(_) => {
                while self.under_way.len() < self.window
                    && let Some((request, token)) = self.waiting.pop_front()
                {
                    self.to_send.push_back(request.id);
                    self.begin(request, Some(token), now);
                }
            }
            Need::Engine => {}
        }
    }

    /// No connection could be made. Returns the tokens of the requests that this ends.
    pub(crate) fn handle_unreached(&mut self, now: Instant, error: &Error) -> Vec<(T, Error)> {
        if !self.endures() {
            return self.fail_all(error);
        }
        self.begin_due(now);
        let mut ended: Vec<_> = self.telling.drain(..).map(|(_, token)| (token, error.clone())).collect();
        let ids: Vec<i32> = self.to_send.drain(..).collect();
        for id in ids {
            ended.extend(self.handle_failure(id, now, error));
        }
        ended
    }

    /// An attempt to send a request, or to have it answered, has failed. Returns the tokens of the requests that
    /// this ends.
    pub(crate) fn handle_failure(&mut self, id: i32, now: Instant, error: &Error) -> Vec<(T, Error)> {
        let Some(entry) = self.under_way.get_mut(&id) else { return Vec::new() };
        let has_turns = entry.is_safe() && entry.turn <= entry.patience.retries;
        // Whoever is refused now is refused at the next attempt too.
        if self.endurance == Endurance::Retries && has_turns && !error.is_refusal() {
            entry.failure = Some(error.clone());
            self.deadlines.remove(&(entry.deadline, id));
            entry.deadline = now.max(entry.began + entry.patience.wait(entry.turn));
            self.deadlines.insert((entry.deadline, id));
            return Vec::new();
        }
        let Some(entry) = self.remove(id) else { return Vec::new() };
        let error = if self.endures() { error.after(entry.attempts) } else { error.clone() };
        self.ended(entry, &error)
    }

    /// The agent's host refused a datagram. One refusal may mean that the agent is just starting; a second one in
    /// a row ends the waiting requests, unless their endurance says otherwise.
    pub(crate) fn handle_refusal(&mut self) -> Vec<(T, Error)> {
        self.refusals += 1;
        if self.refusals >= 2 && self.endurance == Endurance::Quick {
            self.refusals = 0;
            return self.fail_sent(|attempts| Error::Unreachable { attempts });
        }
        // The refusal may be about an earlier datagram: an answer may arrive until the time is over.
        for (id, entry) in &mut self.under_way {
            if !self.to_send.contains(id) {
                entry.failure = Some(Error::Unreachable { attempts: entry.attempts });
            }
        }
        Vec::new()
    }

    /// Whether another attempt may follow a failed one.
    pub(crate) fn endures(&self) -> bool {
        self.endurance == Endurance::Retries
    }
}

impl<T> UnderWay<T> {
    /// An attempt that only a Report answered, of an engine with another ID, fails: the next one discovers the engine that
    /// is there now (RFC 3414 section 4).
    pub(super) fn discover_again(&mut self, speech: &mut Speech) {
        let Speech::V3(talk) = speech else { return };
        if let Some(Doubt::Reported(report)) = &self.doubt
            && self.turn <= self.patience.retries
            && talk.ended_with(report, self.began)
        {
            self.failure = Some(Error::Report { report: report.kind.clone() });
            self.doubt = None;
        }
    }

    /// Whether another attempt follows when the time of this one is over: over datagrams always, otherwise only
    /// after a failure.
    pub(super) fn has_turns(&self, resends: bool) -> bool {
        (resends || self.failure.is_some()) && self.doubt.is_none() && self.turn <= self.patience.retries
    }

    /// Begins the next attempt.
    pub(super) fn begin_turn(&mut self, now: Instant, resends: bool) {
        self.turn += 1;
        (self.began, self.failure) = (now, None);
        let patience = self.patience;
        self.deadline = now + if resends { patience.wait(self.turn) } else { patience.rest(self.turn) };
    }
}

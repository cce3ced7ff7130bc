//! What happens to requests when their connection breaks: those that only read are repeated once on the next one,
//! as are informs, which their receiver recognizes by the request-id (RFC 3416 section 4.2.7). A Set is not
//! repeated: whether the agent carried it out is unknown.

use std::time::Instant;

use trunkline_snmp::wire::PduKind;

use super::{Endurance, Exchanges, Speech, UnderWay};
use crate::error::Error;

impl<T> Exchanges<T> {
    /// The connection is lost. Requests that must not be repeated, or have been repeated before, end with `error`;
    /// the others are queued again, within their remaining patience. Requests not sent yet stay.
    pub(crate) fn lose(&mut self, now: Instant, error: &Error) -> Vec<(T, Error)> {
        let mut ids: Vec<(Instant, i32)> =
            self.under_way.iter().map(|(id, entry)| (entry.first_sent, *id)).collect();
        ids.sort_unstable();
        self.to_send.clear();
        // A fault between the two ends would recur on the next connection.
        let may_repeat = matches!(error, Error::ConnectionLost { .. });
        let mut failed = Vec::new();
        for (_, id) in ids {
            let Some(entry) = self.under_way.get_mut(&id) else { continue };
            if self.endurance == Endurance::Retries && (entry.failure.is_some() || entry.doubt.is_some()) {
                // It waits for its next attempt anyway.
                continue;
            }
            if may_repeat && entry.is_repeatable(now) {
                if let Some(octets) = self.compressed.fall_back(&mut entry.plain) {
                    entry.octets = octets;
                }
                entry.losses += 1;
                entry.attempts += 1;
                entry.turn += 1;
                entry.began = now;
                self.repeated += 1;
                self.to_send.push_back(id);
            } else if entry.is_safe() {
                failed.extend(self.handle_failure(id, now, error));
            } else if let Some(entry) = self.remove(id) {
                let error = entry.lost(error);
                failed.extend(self.ended(entry, &error));
            }
        }
        failed
    }

    /// The peer reported that no answer will come for this request: the time of this attempt, or of all, is over.
    pub(crate) fn hasten(&mut self, id: i32, now: Instant) {
        let endures = self.endures();
        if let Some(entry) = self.under_way.get_mut(&id) {
            self.deadlines.remove(&(entry.deadline, id));
            entry.deadline = now;
            if endures && entry.turn <= entry.patience.retries {
                let waited = now.saturating_duration_since(entry.first_sent);
                entry.failure = Some(Error::Timeout { attempts: entry.attempts, waited, ignored: 0 });
                entry.deadline = now.max(entry.began + entry.patience.wait(entry.turn));
            }
            self.deadlines.insert((entry.deadline, id));
        }
    }

    /// Whether a request may be sent twice: it only reads, or its receiver recognizes it.
    pub(crate) fn is_safe(&self, id: i32) -> bool {
        self.under_way.get(&id).is_some_and(UnderWay::is_safe)
    }

    /// How many requests were repeated on another connection.
    pub(crate) fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Ends every request that was sent. Requests not sent yet stay.
    pub(crate) fn fail_sent(&mut self, error: impl Fn(u32) -> Error) -> Vec<(T, Error)> {
        self.deadlines.clear();
        self.to_send.clear();
        let sent: Vec<_> = self.under_way.drain().collect();
        let mut failed = Vec::new();
        for (_, entry) in sent {
            if let Speech::V3(talk) = &mut self.speech {
                talk.forget(&entry.message_ids);
            }
            let error = error(entry.attempts);
            failed.extend(self.ended(entry, &error));
        }
        failed
    }

    /// Ends every request.
    pub(crate) fn fail_all(&mut self, error: &Error) -> Vec<(T, Error)> {
        let mut failed = self.fail_sent(|_| error.clone());
        failed.extend(self.waiting.drain(..).map(|(_, token)| (token, error.clone())));
        failed.extend(self.telling.drain(..).map(|(_, token)| (token, error.clone())));
        failed
    }
}

impl<T> UnderWay<T> {
    pub(super) fn is_safe(&self) -> bool {
        matches!(self.kind, PduKind::Get | PduKind::GetNext | PduKind::GetBulk | PduKind::Inform)
    }

    fn is_repeatable(&self, now: Instant) -> bool {
        self.is_safe() && self.losses < MAX_LOSSES && self.doubt.is_none() && self.deadline > now
    }

    /// The error of a request that ends with its connection.
    fn lost(&self, error: &Error) -> Error {
        match error {
            Error::ConnectionLost { kind } if self.kind == PduKind::Set => {
                Error::OutcomeUnknown { kind: *kind }
            }
            error => error.clone(),
        }
    }
}

/// How many times a request is repeated on another connection.
const MAX_LOSSES: u32 = 1;

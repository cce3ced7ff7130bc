//! One session of a subagent: requests to it within their time limits, and what it does wrong.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore};
use trunkline_agentx::wire::{ByteOrder, Packet, Pdu};
use trunkline_smi::Oid;
use trunkline_transport::LogLimit;

use super::link::{Answer, Link, Unsent};

/// The session.
pub(super) struct Session {
    pub number: u32,
    /// What the subagent calls itself, and where it is, fit for a log.
    pub name: String,
    link: Arc<Link>,
    order: ByteOrder,
    is_gone: AtomicBool,
    /// Wakes requests that wait when it ends.
    ended: Notify,
    /// Requests that wait at once: those of one subagent must not hold all places that the doors have.
    places: Semaphore,
    complaints: [LogLimit; Fault::COUNT],
    /// Over all sessions: new ones have complaints of their own.
    faults: Arc<LogLimit>,
}

/// What a subagent can do wrong. Each is logged at once, and then at most once a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It does not answer in time, or does not read.
    TimedOut,
    /// It answers with a name that is not behind the requested one ...
    Backwards,
    /// ... or before its subtree ...
    Before,
    /// ... or behind it.
    Behind,
    /// Too few variables.
    Few,
    /// Too many.
    Many,
    /// Something that is not a value.
    NoValue,
    /// An error.
    Refused,
    /// A packet that cannot be read.
    Unreadable,
    /// A response to nothing.
    Unknown,
    /// A packet that only a master sends, or one that says nothing.
    Unexpected,
}

impl Fault {
    const COUNT: usize = Fault::Unexpected as usize + 1;
}

/// Why there is no answer. The reason is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The session has ended.
    Gone,
    /// Anything else.
    Failed,
}

impl Session {
    pub fn new(number: u32, name: String, order: ByteOrder, link: Arc<Link>, faults: Arc<LogLimit>) -> Self {
        Session {
            number,
            name,
            link,
            order,
            is_gone: AtomicBool::new(false),
            ended: Notify::new(),
            places: Semaphore::new(MOST_AT_ONCE),
            complaints: [const { LogLimit::for_failures() }; Fault::COUNT],
            faults,
        }
    }

    /// Sends a request and waits for its response.
    /// `about` is what it is about, for the log.
    pub async fn request(
        &self,
        transaction: u32,
        context: &[u8],
        pdu: Pdu,
        (about, limit): (&Oid, Duration),
    ) -> Result<Answer, NoAnswer> {
        if self.is_gone() {
            return Err(NoAnswer::Gone);
        }
        // What was begun is ended also with one that was late.
        let ends = matches!(pdu, Pdu::CommitSet | Pdu::UndoSet);
        if !ends && self.link.is_paused(Instant::now()) {
            return Err(NoAnswer::Failed);
        }
        let Ok(_place) = self.places.try_acquire() else {
            self.complain(Fault::TimedOut, format_args!("{MOST_AT_ONCE} requests wait for it"));
            return Err(NoAnswer::Failed);
        };
        let name = pdu.name();
        let mut waiting = match self.link.request(self.packet(transaction, context, pdu)) {
            Ok(waiting) => waiting,
            Err(Unsent::Closed) => return Err(NoAnswer::Gone),
            Err(unsent) => {
                self.complain(Fault::TimedOut, unsent);
                return Err(NoAnswer::Failed);
            }
        };
        let ended = self.ended.notified();
        tokio::pin!(ended);
        ended.as_mut().enable();
        if self.is_gone() {
            return Err(NoAnswer::Gone);
        }
        let answered = tokio::select! {
            answered = tokio::time::timeout(limit, waiting.response()) => answered,
            () = ended => return Err(NoAnswer::Gone),
        };
        match answered {
            Ok(Some(Ok(answer))) => Ok(answer),
            Ok(Some(Err(fault))) => {
                self.complain(
                    Fault::Unreadable,
                    format_args!("its response to {name} of {about} cannot be read: {fault}"),
                );
                Err(NoAnswer::Failed)
            }
            Ok(None) => Err(NoAnswer::Gone),
            Err(_) => {
                self.link.was_late(Instant::now());
                self.complain(
                    Fault::TimedOut,
                    format_args!("no response to {name} of {about} within {limit:?}"),
                );
                Err(NoAnswer::Failed)
            }
        }
    }

    /// Sends what has no response.
    pub fn tell(&self, transaction: u32, pdu: Pdu) {
        if !self.is_gone() {
            // It cannot be told if it does not read.
            let _ = self.link.send(&self.packet(transaction, &[], pdu));
        }
    }

    fn packet(&self, transaction: u32, context: &[u8], pdu: Pdu) -> Packet {
        let context = (!context.is_empty() && pdu.has_context()).then(|| context.to_vec());
        Packet { order: self.order, session: self.number, transaction, packet: 0, context, pdu }
    }

    /// Logs what it does wrong.
    pub fn complain(&self, fault: Fault, what: impl Display) {
        if let Some(own) = self.complaints[fault as usize].admit()
            && let Some(others) = self.faults.admit()
        {
            tracing::warn!(subagent = self.name, %what, left_out = own + others, "a subagent fails");
        }
    }

    /// From now on nothing is sent to it.
    pub fn end(&self) {
        self.is_gone.store(true, Ordering::Release);
        self.ended.notify_waiters();
    }

    pub fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }
}

/// Numbers of transactions, over all sessions.
#[derive(Debug, Default)]
pub(super) struct Transactions(AtomicU32);

impl Transactions {
    pub fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// Requests to one session that wait for their responses.
const MOST_AT_ONCE: usize = 64;

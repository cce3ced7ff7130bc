//! A device that is read in cycles: which request is next, what an answer means, and when a cycle is over. It has neither
//! sockets nor a clock: moments are arguments, durations since any fixed moment.

mod breaker;
mod gathering;
mod pace;
mod piece;
mod uptime;
pub(crate) mod whole;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use trunkline_smi::{Oid, ValueKind};
use trunkline_snmp::wire::{Bound, VarBind};

use self::breaker::Breaker;
use self::gathering::Gathering;
use self::pace::{Repetitions, RoundTrip, Window};
use self::piece::{Fate, Piece};
use self::uptime::UpTime;
use crate::pool::{Account, Turn};
use crate::snapshot::{Missing, Snapshot};

/// What is read of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Instances.
    pub scalars: Vec<Oid>,
    /// Columns of tables: those of a table together, each the object identifier of a column without an index.
    pub tables: Vec<Vec<Oid>>,
    /// The types of instances and columns, where they are known. A value of another type is left out.
    pub kinds: BTreeMap<Oid, ValueKind>,
}

/// What a device may take: of its own time, of the network, and of this program's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The deadline of a cycle, from its beginning. Default 10 s.
    pub cycle: Duration,
    /// How often a request is sent. Default 3.
    pub tries: u32,
    /// Requests in flight at most. Default 4.
    pub window: u32,
    /// Rows that one request asks for at most. Default 40: more is known to be too much for some devices.
    pub repetitions: u32,
    /// Cells that one request asks for at most. Default 100.
    pub cells: u32,
    /// Columns that one request asks for at most. Default 10.
    pub columns: usize,
    /// Rows of a table that are kept. Default 20,000.
    pub rows: usize,
    /// Octets of a device that are kept. Default 8 MiB.
    pub octets: usize,
    /// Octets that the caller keeps beside each row. Default 0.
    pub beside: usize,
    /// The time-out before the first answer. Default 1 s.
    pub first_timeout: Duration,
    /// The shortest time-out. Default 200 ms.
    pub min_timeout: Duration,
    /// The longest. Default 5 s.
    pub max_timeout: Duration,
    /// Whether the protocol has GetBulk: SNMPv1 has not. Default true.
    pub has_bulk: bool,
    /// Whether a table that is built in is read whole, in one request: in sessions of protocols other than SNMP. There is one request
    /// in flight then. Default false.
    pub has_tables: bool,
    /// After so many failed cycles in a row the device is left alone for a while. Default 3.
    pub failures: u32,
    /// The first while. Default 60 s.
    pub pause: Duration,
    /// The longest, where each is twice the last. Default 10 minutes.
    pub longest_pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            cycle: Duration::from_secs(10),
            tries: 3,
            window: 4,
            repetitions: 40,
            cells: 100,
            columns: 10,
            rows: 20_000,
            octets: 8 << 20,
            beside: 0,
            first_timeout: Duration::from_secs(1),
            min_timeout: Duration::from_millis(200),
            max_timeout: Duration::from_secs(5),
            has_bulk: true,
            has_tables: false,
            failures: 3,
            pause: Duration::from_secs(60),
            longest_pause: Duration::from_secs(600),
        }
    }
}

/// What happened with a device since it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Cycles that began.
    pub cycles: u64,
    /// Those in which the device did not answer at all, or held up others.
    pub failed: u64,
    /// Those in which the device answered, and that their deadline ended.
    pub overruns: u64,
    /// Those that were left out, since the device was left alone.
    pub skipped: u64,
    /// Requests sent, repeated ones too.
    pub requests: u64,
    /// Answers that were used.
    pub answers: u64,
    /// Requests that were given up.
    pub timeouts: u64,
    /// Answers to a transmission that had been given up, which were used all the same.
    pub late: u64,
    /// Answers to requests that had been answered, or were over.
    pub doubled: u64,
    /// Answers to nothing that was sent.
    pub strays: u64,
    /// What came from another address, for another user, or could not be believed, and what was not an answer.
    pub foreign: u64,
    /// Answers that did not fit their request, and values that were not of their object's type.
    pub unfit: u64,
    /// Answers that said that they would be too big.
    pub too_big: u64,
    /// Restarts that were seen.
    pub restarts: u64,
}

/// What is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// These instances.
    Get(Vec<Oid>),
    /// What comes after these.
    Next(Vec<Oid>),
    /// What comes after these: once after the first so many, and up to so often after each other.
    Bulk {
        /// How many come first.
        non_repeaters: u32,
        /// How often.
        max_repetitions: u32,
        /// After which names.
        names: Vec<Oid>,
    },
    /// All rows of a table that is built in.
    Table {
        /// And what comes after this, when the rows have been read: sysUpTime would be old if it came before them.
        then: Option<Oid>,
        /// The columns, without an index.
        columns: Vec<Oid>,
    },
}

/// Rows by their indexes, with the cells of the columns that were requested.
pub type Rows = BTreeMap<Vec<u32>, Vec<Option<Bound>>>;

/// What came back to [`Ask::Table`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whole {
    /// What comes after `then`, if that was requested.
    pub then: Option<VarBind>,
    /// The rows.
    pub rows: Rows,
    /// Whether there are more, which were left out.
    pub is_cut: bool,
}

/// A request to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its number, by which the answer is known.
    pub id: i32,
    /// What is requested.
    pub ask: Ask,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The bindings.
    Bindings(Vec<VarBind>),
    /// A table.
    Table(Whole),
    /// An error-status, and the position of the binding that it is about, from 1; 0: of none.
    Error {
        /// error-status.
        status: i32,
        /// error-index.
        index: usize,
    },
    /// It is one, and its bindings cannot be read, as of a number with more than 64 bits.
    Unreadable,
    /// There is none and will be none, in words why: the session is lost.
    Failed(String),
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It was used.
    Used,
    /// It was used, though its transmission had been given up.
    Late,
    /// Its request was over.
    Doubled,
    /// There was no such request.
    Stray,
}

/// Whether a cycle has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It has.
    Cycle,
    /// It has not: the device is left alone until then.
    Paused(Duration),
    /// It has not: the last one is under way.
    Busy,
    /// It has not: others read so much that there is no memory for it just now.
    Full,
}

/// A device.
#[derive(Debug)]
pub struct Device {
    wanted: Arc<Wanted>,
    limits: Limits,
    times: RoundTrip,
    window: Window,
    repetitions: Repetitions,
    breaker: Breaker,
    uptime: UpTime,
    /// Whether requests ask for sysUpTime: not of a device that has none.
    asks_uptime: bool,
    cycle: Option<Cycle>,
    /// The numbers of requests that were over last.
    over: VecDeque<i32>,
    counts: Counts,
    failure: Option<String>,
    /// Its part in the memory of all devices.
    account: Option<Arc<Account>>,
    /// Its place among those that wait for memory.
    turn: Option<Turn>,
}

#[derive(Debug)]
struct Cycle {
    began: Duration,
    deadline: Duration,
    is_heard: bool,
    is_overrun: bool,
    has_held_up: bool,
    /// Since it began, or began anew.
    answers: u32,
    has_restarted: bool,
    pieces: Vec<Piece>,
    gathering: Gathering,
}

impl Device {
    /// A device of which nothing is known.
    #[must_use]
    pub fn new(wanted: Arc<Wanted>, limits: Limits) -> Self {
        Device {
            wanted,
            limits,
            times: RoundTrip::default(),
            window: Window::new(),
            repetitions: Repetitions::new(),
            breaker: Breaker::default(),
            uptime: UpTime::default(),
            asks_uptime: true,
            cycle: None,
            over: VecDeque::with_capacity(REMEMBERED),
            counts: Counts::default(),
            failure: None,
            account: None,
            turn: None,
        }
    }

    /// Its part in the memory of all devices.
    #[must_use]
    pub fn with_account(self, account: Option<Arc<Account>>) -> Self {
        Device { account, ..self }
    }

    /// Begins a cycle.
    pub fn begin(&mut self, now: Duration) -> Begun {
        if self.cycle.is_some() {
            return Begun::Busy;
        }
        if let Some(until) = self.breaker.until(now) {
            self.counts.skipped += 1;
            return Begun::Paused(until);
        }
        let reading = match &self.account {
            Some(account) => match account.begin(&mut self.turn) {
                Some(reading) => Some(reading),
                None => return Begun::Full,
            },
            None => None,
        };
        self.counts.cycles += 1;
        self.failure = None;
        self.cycle = Some(Cycle {
            began: now,
            deadline: now + self.limits.cycle,
            is_heard: false,
            is_overrun: false,
            has_held_up: false,
            answers: 0,
            has_restarted: false,
            pieces: piece::all(&self.wanted, &self.limits, self.breaker.is_probing()),
            gathering: Gathering::new(&self.wanted, reading),
        });
        Begun::Cycle
    }

    /// The next request that the device can take now. `id` gives numbers, each once; it is called if there is a request.
    pub fn request(&mut self, now: Duration, id: impl FnOnce() -> i32) -> Option<Request> {
        self.expire(now);
        let window = self.most();
        let asks_uptime = self.asks_uptime;
        let repetitions = self.repetitions.now(self.limits.repetitions);
        let cycle = self.cycle.as_mut()?;
        if cycle.pieces.iter().filter(|piece| piece.is_waiting()).count() >= window {
            return None;
        }
        let piece = cycle.pieces.iter_mut().find(|piece| piece.is_ready())?;
        let id = id();
        // A long table takes its time: whether the device is silent meanwhile its session sees.
        let expires = match piece.is_whole() {
            true => cycle.deadline,
            false => (now + self.times.timeout(&self.limits)).min(cycle.deadline),
        };
        let shape = piece.shape(&self.limits, repetitions, asks_uptime);
        piece.sent(id, now, expires, shape);
        self.counts.requests += 1;
        Some(Request { id, ask: piece.ask(&shape) })
    }

    /// The same request once more, whose number this is: something was missing in it that was not the device's matter.
    #[must_use]
    pub fn again(&self, id: i32) -> Option<Ask> {
        let cycle = self.cycle.as_ref()?;
        let piece = cycle.pieces.iter().find(|piece| piece.sending(id).is_some())?;
        Some(piece.ask(&piece.sending(id)?.shape))
    }

    /// The only request in flight waited so long before it was sent, for what is not the device's matter: its cycle has that much
    /// more time.
    pub fn waited(&mut self, time: Duration) {
        let Some(cycle) = &mut self.cycle else { return };
        cycle.deadline += time;
        cycle.pieces.iter_mut().for_each(|piece| piece.waited(time));
    }

    /// Takes an answer to the request of this number.
    pub fn answered(&mut self, id: i32, answer: Answer, now: Duration) -> Heard {
        self.expire(now);
        let known = self.cycle.as_mut().and_then(|cycle| {
            let is_its = |piece: &Piece| !piece.is_done() && piece.sending(id).is_some();
            let at = cycle.pieces.iter().position(is_its)?;
            Some((at, *cycle.pieces.get(at)?.sending(id)?))
        });
        let (Some((at, sending)), Some(cycle)) = (known, self.cycle.as_mut()) else {
            let is_over = self.knows(id);
            let count = if is_over { &mut self.counts.doubled } else { &mut self.counts.strays };
            *count += 1;
            return if is_over { Heard::Doubled } else { Heard::Stray };
        };
        if let Answer::Failed(reason) = answer {
            self.failure = Some(reason);
            if cycle.pieces[at].is_waiting() {
                self.given_up(at, now);
            }
            return Heard::Used;
        }
        let is_late = cycle.pieces[at].is_late(id);
        self.counts.answers += 1;
        self.counts.late += u64::from(is_late);
        self.times.sample(now.saturating_sub(sending.at));
        cycle.is_heard = true;
        cycle.answers += 1;
        self.over.extend(cycle.pieces[at].ids());
        while self.over.len() > REMEMBERED {
            self.over.pop_front();
        }
        let fate = cycle.pieces[at].answered(&sending, answer, now, &mut cycle.gathering, &self.limits);
        self.after(fate, now);
        if is_late { Heard::Late } else { Heard::Used }
    }

    /// The request of this number had memory for too long while others waited for that: it is not sent again in this cycle, which
    /// counts as failed.
    pub fn held_up(&mut self, id: i32, now: Duration) {
        let Some(cycle) = &mut self.cycle else { return };
        let is_its = |piece: &&mut Piece| piece.is_waiting() && piece.sending(id).is_some();
        let Some(piece) = cycle.pieces.iter_mut().find(is_its) else { return };
        piece.end(Missing::HeldUp, now, &mut cycle.gathering);
        cycle.has_held_up = true;
        self.counts.timeouts += 1;
    }

    /// Counts an answer to a request that was never sent, or so long ago that it is forgotten.
    pub fn strayed(&mut self) {
        self.counts.strays += 1;
    }

    /// Counts a datagram that could not be believed: from another address, for another user, with a wrong digest; or that is not an answer.
    pub fn disbelieved(&mut self) {
        self.counts.foreign += 1;
    }

    /// What may be the reason if no answer comes, in words.
    pub fn suspect(&mut self, reason: &str) {
        self.failure = Some(reason.to_owned());
    }

    /// The next moment at which [`Device::request`] or [`Device::take`] may have something. `None`: none until a cycle begins.
    #[must_use]
    pub fn next(&self) -> Option<Duration> {
        let cycle = self.cycle.as_ref()?;
        let waiting = cycle.pieces.iter().filter(|piece| piece.is_waiting()).count();
        let most = self.most();
        if cycle.pieces.iter().all(Piece::is_done)
            || (waiting < most && cycle.pieces.iter().any(Piece::is_ready))
        {
            return Some(Duration::ZERO);
        }
        let expiries = cycle.pieces.iter().filter_map(Piece::expires);
        Some(expiries.fold(cycle.deadline, Duration::min))
    }

    /// What the cycle has read, if it is over.
    pub fn take(&mut self, now: Duration) -> Option<Snapshot> {
        self.expire(now);
        let cycle = self.cycle.take_if(|cycle| cycle.pieces.iter().all(Piece::is_done))?;
        let Cycle { began, is_heard, is_overrun, has_held_up, gathering, pieces, .. } = cycle;
        self.over.extend(pieces.iter().flat_map(Piece::ids));
        while self.over.len() > REMEMBERED {
            self.over.pop_front();
        }
        if is_heard && !has_held_up {
            self.breaker.answered();
        } else {
            self.counts.failed += 1;
            self.breaker.failed(now, &self.limits);
        }
        self.counts.overruns += u64::from(is_overrun);
        self.counts.unfit += gathering.wrong() as u64;
        let (scalars, tables, held) = gathering.finish(now, is_heard);
        let (boots, failure, up_time) = (self.counts.restarts, self.failure.clone(), self.uptime.last());
        Some(Snapshot {
            began,
            ended: now,
            is_heard,
            is_overrun,
            boots,
            up_time,
            failure,
            scalars,
            tables,
            held,
        })
    }

    /// What happened so far.
    #[must_use]
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How long an answer takes, smoothed.
    #[must_use]
    pub const fn round_trip(&self) -> Option<Duration> {
        self.times.smoothed()
    }

    /// Cycles in a row that failed.
    #[must_use]
    pub const fn failures(&self) -> u32 {
        self.breaker.failures()
    }

    /// How many requests are in flight.
    #[must_use]
    pub fn outstanding(&self) -> usize {
        self.cycle.as_ref().map_or(0, |cycle| cycle.pieces.iter().filter(|piece| piece.is_waiting()).count())
    }

    /// Whether an answer with this number would be known: outstanding, or over not long ago.
    #[must_use]
    pub fn knows(&self, id: i32) -> bool {
        let is_sending = |cycle: &Cycle| cycle.pieces.iter().any(|piece| piece.sending(id).is_some());
        self.over.contains(&id) || self.cycle.as_ref().is_some_and(is_sending)
    }

    /// Requests that may be in flight now. A device that has said nothing yet in this cycle may be gone: it gets one at a time. So does
    /// one whose tables are read whole, as each of them may need much memory.
    fn most(&self) -> usize {
        let is_heard = self.cycle.as_ref().is_some_and(|cycle| cycle.is_heard);
        if is_heard && !self.limits.has_tables { self.window.now(self.limits.window) } else { 1 }
    }

    /// Gives up what is over.
    fn expire(&mut self, now: Duration) {
        let Some(cycle) = &mut self.cycle else { return };
        if now >= cycle.deadline && !cycle.pieces.iter().all(Piece::is_done) {
            // One that says nothing is not slow.
            cycle.is_overrun = cycle.is_heard;
            let missing = if cycle.is_heard { Missing::Deadline } else { Missing::NoAnswer };
            self.counts.timeouts += cycle.pieces.iter().filter(|piece| piece.is_waiting()).count() as u64;
            for piece in &mut cycle.pieces {
                piece.end(missing, now, &mut cycle.gathering);
            }
            return;
        }
        let expired = |piece: &Piece| piece.expires().is_some_and(|expires| expires <= now);
        while let Some(at) = self.cycle.as_ref().and_then(|cycle| cycle.pieces.iter().position(expired)) {
            self.given_up(at, now);
        }
    }

    /// No answer to a piece's last request.
    fn given_up(&mut self, at: usize, now: Duration) {
        let Some(cycle) = &mut self.cycle else { return };
        self.counts.timeouts += 1;
        self.times.timed_out();
        self.window.halve();
        let piece = &mut cycle.pieces[at];
        if piece.is_walk() {
            self.repetitions.halve();
        }
        let is_probe = !cycle.is_heard && self.breaker.is_probing();
        if piece.given_up() < self.limits.tries.max(1) && !is_probe {
            return;
        }
        piece.end(Missing::NoAnswer, now, &mut cycle.gathering);
        if !cycle.is_heard {
            for piece in &mut cycle.pieces {
                piece.end(Missing::NoAnswer, now, &mut cycle.gathering);
            }
        }
    }

    /// Draws the consequences of an answer.
    fn after(&mut self, fate: Fate, now: Duration) {
        let Some(cycle) = &mut self.cycle else { return };
        match fate.kind {
            piece::Kind::Good { is_full } => {
                self.window.answered(self.limits.window);
                if is_full {
                    self.repetitions.answered(self.limits.repetitions);
                }
            }
            piece::Kind::TooMuch => {
                self.counts.too_big += 1;
                self.repetitions.halve();
            }
            piece::Kind::Unreadable => {
                self.counts.unfit += 1;
                self.repetitions.halve();
            }
            piece::Kind::Unfit => self.counts.unfit += 1,
        }
        cycle.pieces.extend(fate.more);
        if fate.has_no_uptime {
            self.asks_uptime = false;
        }
        let Some(ticks) = fate.uptime else { return };
        if !self.uptime.saw(ticks, now) {
            return;
        }
        self.counts.restarts += 1;
        // What was read before belongs to another life of the device. The first answer of a cycle is of this one, alone.
        if cycle.answers == 1 {
            return;
        }
        if std::mem::replace(&mut cycle.has_restarted, true) {
            for piece in &mut cycle.pieces {
                piece.end(Missing::Restarted, now, &mut cycle.gathering);
            }
            return;
        }
        self.over.extend(cycle.pieces.iter().flat_map(Piece::ids));
        cycle.answers = 0;
        cycle.pieces = piece::all(&self.wanted, &self.limits, false);
        cycle.gathering.begin_again(&self.wanted);
    }
}

/// Numbers of requests that are over and are remembered.
pub(crate) const REMEMBERED: usize = 16;

#[cfg(test)]
mod tests;

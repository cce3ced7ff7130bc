//! A piece of a cycle: some scalars, or a walk of some columns of a table. It has one request at a time.

use std::time::Duration;

use trunkline_smi::{Oid, Value, ValueKind};
use trunkline_snmp::wire::{Bound, ErrorStatus, VarBind};

use super::gathering::Gathering;
use super::whole;
use super::{Answer, Ask, Limits, Wanted, Whole};
use crate::snapshot::Missing;

#[derive(Debug)]
pub(super) struct Piece {
    work: Work,
    state: State,
    /// Transmissions of the present request that were given up.
    tries: u32,
    /// Its transmissions.
    sendings: Vec<Sending>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Waiting { expires: Duration },
    Done,
}

#[derive(Debug)]
enum Work {
    /// Scalars: their positions among those that are wanted, and their names.
    Scalars(Vec<Wish>),
    /// A walk of columns that have not ended.
    Walk { table: usize, columns: Vec<Cursor> },
    /// All rows of columns, in one answer.
    Whole { table: usize, columns: Vec<Cursor> },
}

/// A scalar: its position, its name, and its type, if that is known.
type Wish = (usize, Oid, Option<ValueKind>);

/// How far a column has been walked. Each has its own place: rows may come and go meanwhile.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub column: usize,
    pub name: Oid,
    /// The type that its values have, if that is known.
    pub kind: Option<ValueKind>,
    after: Vec<u32>,
}

/// A transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub id: i32,
    pub at: Duration,
    pub shape: Shape,
}

/// How a piece is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Rows that it asks for; `None` without GetBulk.
    repetitions: Option<u32>,
    has_uptime: bool,
}

/// What an answer has led to.
#[derive(Debug)]
pub(super) struct Fate {
    pub kind: Kind,
    /// sysUpTime in the answer.
    pub uptime: Option<u32>,
    /// The device has no sysUpTime.
    pub has_no_uptime: bool,
    /// Pieces that this one was divided into.
    pub more: Vec<Piece>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It was used. `is_full`: it had as much as was asked for.
    Good { is_full: bool },
    /// The answer would have been too much.
    TooMuch,
    /// It could not be read: what is in the way is looked for in smaller requests.
    Unreadable,
    /// It did not fit.
    Unfit,
}

impl From<Kind> for Fate {
    fn from(kind: Kind) -> Self {
        Fate { kind, uptime: None, has_no_uptime: false, more: Vec::new() }
    }
}

/// SNMPv2-MIB::sysUpTime.
const SYS_UP_TIME: [u32; 8] = [1, 3, 6, 1, 2, 1, 1, 3];

/// Scalars in a request.
const SCALARS: usize = 24;

/// The pieces of a cycle. `is_probing`: the first is as small as can be.
pub(super) fn all(wanted: &Wanted, limits: &Limits, is_probing: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let kind = |name: &Oid| wanted.kinds.get(name).copied();
    let wish = |(at, name): (usize, &Oid)| (at, name.clone(), kind(name));
    let scalars: Vec<Wish> = wanted.scalars.iter().enumerate().map(wish).collect();
    // An empty one asks for sysUpTime alone: of a device that may be gone, before it has room for a whole table.
    let has_no_walk = limits.has_tables || wanted.tables.iter().all(Vec::is_empty);
    if is_probing || (scalars.is_empty() && has_no_walk) {
        pieces.push(Piece::new(Work::Scalars(Vec::new())));
    }
    pieces.extend(scalars.chunks(SCALARS).map(|chunk| Piece::new(Work::Scalars(chunk.to_vec()))));
    for (table, columns) in wanted.tables.iter().enumerate() {
        let cursor = |(column, name): (usize, &Oid)| Cursor {
            column,
            name: name.clone(),
            kind: kind(name),
            after: Vec::new(),
        };
        let cursors: Vec<Cursor> = columns.iter().enumerate().map(cursor).collect();
        if limits.has_tables && whole::schema_of(columns).is_some() {
            pieces.push(Piece::new(Work::Whole { table, columns: cursors }));
            continue;
        }
        let chunks = cursors.chunks(limits.columns.max(1));
        pieces.extend(chunks.map(|chunk| Piece::new(Work::Walk { table, columns: chunk.to_vec() })));
    }
    pieces
}

impl Piece {
    fn new(work: Work) -> Self {
        Piece { work, state: State::Ready, tries: 0, sendings: Vec::new() }
    }

    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    pub fn is_waiting(&self) -> bool {
        self.expires().is_some()
    }

    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    pub const fn is_walk(&self) -> bool {
        matches!(self.work, Work::Walk { .. })
    }

    /// Whether it takes as long as a whole table.
    pub const fn is_whole(&self) -> bool {
        matches!(self.work, Work::Whole { .. })
    }

    pub const fn expires(&self) -> Option<Duration> {
        match self.state {
            State::Waiting { expires } => Some(expires),
            State::Ready | State::Done => None,
        }
    }

    pub fn ids(&self) -> impl Iterator<Item = i32> {
        self.sendings.iter().map(|sending| sending.id)
    }

    pub fn sending(&self, id: i32) -> Option<&Sending> {
        self.sendings.iter().find(|sending| sending.id == id)
    }

    /// Whether a later transmission has taken the place of this one, or it was given up.
    pub fn is_late(&self, id: i32) -> bool {
        !self.is_waiting() || self.sendings.last().is_none_or(|last| last.id != id)
    }

    /// How the next request looks.
    pub fn shape(&self, limits: &Limits, repetitions: u32, has_uptime: bool) -> Shape {
        let repetitions = match &self.work {
            Work::Walk { columns, .. } if limits.has_bulk => {
                let columns = u32::try_from(columns.len()).unwrap_or(u32::MAX).max(1);
                Some(repetitions.min(limits.cells / columns).max(1))
            }
            _ => None,
        };
        // A request must ask for something.
        let is_empty = matches!(&self.work, Work::Scalars(which) if which.is_empty());
        Shape { repetitions, has_uptime: has_uptime || is_empty }
    }

    pub fn sent(&mut self, id: i32, at: Duration, expires: Duration, shape: Shape) {
        self.state = State::Waiting { expires };
        self.sendings.push(Sending { id, at, shape });
    }

    /// The present transmission was sent so much later.
    pub fn waited(&mut self, time: Duration) {
        if let (State::Waiting { expires }, Some(sending)) = (&mut self.state, self.sendings.last_mut()) {
            *expires += time;
            sending.at += time;
        }
    }

    /// The present transmission was given up; returns how many were.
    pub fn given_up(&mut self) -> u32 {
        self.state = State::Ready;
        self.tries += 1;
        self.tries
    }

    pub fn ask(&self, shape: &Shape) -> Ask {
        let first = |instance: &[u32]| shape.has_uptime.then(|| Oid::from(SYS_UP_TIME).child(instance));
        match &self.work {
            Work::Scalars(which) => {
                let names = which.iter().map(|(_, name, _)| name.clone());
                Ask::Get(first(&[0]).into_iter().chain(names).collect())
            }
            Work::Whole { columns, .. } => Ask::Table {
                then: first(&[]),
                columns: columns.iter().map(|cursor| cursor.name.clone()).collect(),
            },
            Work::Walk { columns, .. } => {
                let names = columns.iter().map(|cursor| cursor.name.child(&cursor.after));
                let names: Vec<Oid> = first(&[]).into_iter().chain(names).collect();
                match shape.repetitions {
                    None => Ask::Next(names),
                    Some(max_repetitions) => {
                        Ask::Bulk { non_repeaters: u32::from(shape.has_uptime), max_repetitions, names }
                    }
                }
            }
        }
    }

    /// Ends it; what it has not read is missing.
    pub fn end(&mut self, missing: Missing, now: Duration, into: &mut Gathering) {
        if std::mem::replace(&mut self.state, State::Done) == State::Done {
            return;
        }
        match &self.work {
            Work::Scalars(which) => which.iter().for_each(|(at, ..)| into.scalar(*at, Err(missing), now)),
            Work::Walk { table, columns } | Work::Whole { table, columns } => {
                columns.iter().for_each(|cursor| into.missing(*table, cursor.column, missing));
            }
        }
    }

    /// Takes an answer to one of its transmissions.
    pub fn answered(
        &mut self,
        sending: &Sending,
        answer: Answer,
        now: Duration,
        into: &mut Gathering,
        limits: &Limits,
    ) -> Fate {
        self.tries = 0;
        self.sendings.clear();
        self.state = State::Ready;
        match answer {
            Answer::Bindings(bindings) => self.read(sending, bindings, now, into, limits),
            Answer::Table(table) => self.read_table(sending, table, now, into, limits),
            Answer::Error { status, index } => self.refused(sending, (status, index), now, into),
            Answer::Unreadable => match self.smaller(sending) {
                Some(fate) => Fate { kind: Kind::Unreadable, ..fate },
                None => self.unfit(now, into),
            },
            // The caller has dealt with it.
            Answer::Failed(_) => Kind::Unfit.into(),
        }
    }

    fn read(
        &mut self,
        sending: &Sending,
        mut bindings: Vec<VarBind>,
        now: Duration,
        into: &mut Gathering,
        limits: &Limits,
    ) -> Fate {
        let (mut uptime, mut has_no_uptime) = (None, false);
        if sending.shape.has_uptime {
            if bindings.is_empty() {
                return self.unfit(now, into);
            }
            match self.uptime(bindings.remove(0), into, limits) {
                Some(found) => (uptime, has_no_uptime) = (found, found.is_none()),
                None => return self.unfit(now, into),
            }
        }
        let kind = match &mut self.work {
            Work::Scalars(which) => read_scalars(which, bindings, now, into, limits),
            Work::Walk { .. } => self.walk(sending, bindings, now, into, limits),
            Work::Whole { .. } => None,
        };
        match kind {
            None => self.unfit(now, into),
            Some(kind) => {
                if matches!(&self.work, Work::Scalars(which) if which.is_empty())
                    || matches!(&self.work, Work::Walk { columns, .. } if columns.is_empty())
                {
                    self.state = State::Done;
                }
                Fate { kind, uptime, has_no_uptime, more: Vec::new() }
            }
        }
    }

    /// sysUpTime in an answer, if the device has it; `None`: the answer does not fit.
    fn uptime(&self, binding: VarBind, into: &mut Gathering, limits: &Limits) -> Option<Option<u32>> {
        let VarBind { name, value } = binding;
        let is_uptime = name.strip_prefix(&SYS_UP_TIME) == Some(&[0]);
        match value {
            Bound::Value(Value::TimeTicks(ticks)) if is_uptime => Some(Some(ticks)),
            Bound::Value(_) if is_uptime => {
                into.is_wrong(limits);
                Some(None)
            }
            _ => (is_uptime || !matches!(self.work, Work::Scalars(_))).then_some(None),
        }
    }

    /// Takes all rows of its columns.
    fn read_table(
        &mut self,
        sending: &Sending,
        answer: Whole,
        now: Duration,
        into: &mut Gathering,
        limits: &Limits,
    ) -> Fate {
        let Whole { then, rows, is_cut } = answer;
        let uptime = match (sending.shape.has_uptime, then) {
            (true, Some(binding)) => self.uptime(binding, into, limits),
            (true, None) => None,
            (false, _) => Some(None),
        };
        let (Some(uptime), Work::Whole { table, columns }) = (uptime, &self.work) else {
            return self.unfit(now, into);
        };
        let is_fit = whole::take(*table, columns, rows, now, into, limits);
        if is_cut {
            columns.iter().for_each(|cursor| into.missing(*table, cursor.column, Missing::TooLong));
        }
        if !is_fit {
            return self.unfit(now, into);
        }
        self.state = State::Done;
        let has_no_uptime = sending.shape.has_uptime && uptime.is_none();
        Fate { uptime, has_no_uptime, ..Kind::Good { is_full: false }.into() }
    }

    fn unfit(&mut self, now: Duration, into: &mut Gathering) -> Fate {
        self.end(Missing::Unfit, now, into);
        Kind::Unfit.into()
    }

    /// Takes the cells of an answer; `None`: it does not fit.
    fn walk(
        &mut self,
        sending: &Sending,
        bindings: Vec<VarBind>,
        now: Duration,
        into: &mut Gathering,
        limits: &Limits,
    ) -> Option<Kind> {
        let Work::Walk { table, columns } = &mut self.work else { return None };
        let (table, open) = (*table, columns.len());
        let most = open * sending.shape.repetitions.unwrap_or(1) as usize;
        if bindings.is_empty() || bindings.len() > most {
            return None;
        }
        let is_full = bindings.len() == most;
        let mut is_over = vec![false; open];
        for (position, VarBind { name, value }) in bindings.into_iter().enumerate() {
            let at = position % open;
            let cursor = columns.get_mut(at)?;
            if is_over[at] {
                continue;
            }
            let Bound::Value(value) = value else {
                is_over[at] = true;
                continue;
            };
            // Also where it leaves the column: what comes next never comes before.
            if name <= cursor.name.child(&cursor.after) {
                is_over[at] = true;
                into.missing(table, cursor.column, Missing::NotIncreasing);
                continue;
            }
            let Some(index) = name.strip_prefix(&*cursor.name) else {
                is_over[at] = true;
                continue;
            };
            if cursor.kind.is_some_and(|kind| kind != value.kind()) {
                into.missing(table, cursor.column, Missing::WrongType);
                is_over[at] = into.is_wrong(limits);
                index.clone_into(&mut cursor.after);
                continue;
            }
            match into.cell((table, cursor.column), index, (value, now), limits) {
                Ok(()) => index.clone_into(&mut cursor.after),
                Err(missing) => {
                    is_over[at] = true;
                    into.missing(table, cursor.column, missing);
                }
            }
        }
        let mut is_over = is_over.into_iter();
        columns.retain(|_| !is_over.next().unwrap_or(true));
        Some(Kind::Good { is_full })
    }

    fn refused(
        &mut self,
        sending: &Sending,
        (status, index): (i32, usize),
        now: Duration,
        into: &mut Gathering,
    ) -> Fate {
        let known = ErrorStatus::from_code(status);
        let is_too_much = known == Some(ErrorStatus::TooBig)
            || (known == Some(ErrorStatus::GenErr)
                && (self.is_whole() || sending.shape.repetitions.is_some_and(|it| it > 1)));
        if is_too_much && let Some(fate) = self.smaller(sending) {
            return fate;
        }
        if known == Some(ErrorStatus::NoSuchName) && index > 0 {
            let at = index - 1;
            let at = if sending.shape.has_uptime {
                if at == 0 {
                    self.end_if_empty();
                    return Fate { has_no_uptime: true, ..Kind::Good { is_full: false }.into() };
                }
                at - 1
            } else {
                at
            };
            // SNMPv1: the end of a column, or no such instance.
            match &mut self.work {
                Work::Scalars(which) if at < which.len() => {
                    into.scalar(which.remove(at).0, Err(Missing::NotThere), now);
                    self.end_if_empty();
                    return Kind::Good { is_full: false }.into();
                }
                Work::Walk { columns, .. } if at < columns.len() => {
                    columns.remove(at);
                    self.end_if_empty();
                    return Kind::Good { is_full: false }.into();
                }
                _ => {}
            }
        }
        self.end(Missing::Refused(status), now, into);
        Kind::Good { is_full: false }.into()
    }

    fn end_if_empty(&mut self) {
        let is_empty = match &self.work {
            Work::Scalars(which) => which.is_empty(),
            Work::Walk { columns, .. } | Work::Whole { columns, .. } => columns.is_empty(),
        };
        if is_empty {
            self.state = State::Done;
        }
    }

    /// Asks for less: fewer rows, then fewer columns or scalars. `None`: it cannot be less.
    fn smaller(&mut self, sending: &Sending) -> Option<Fate> {
        if sending.shape.repetitions.is_some_and(|repetitions| repetitions > 1) {
            return Some(Kind::TooMuch.into());
        }
        let other = match &mut self.work {
            Work::Scalars(which) if which.len() > 1 => Work::Scalars(which.split_off(which.len() / 2)),
            Work::Walk { table, columns } if columns.len() > 1 => {
                Work::Walk { table: *table, columns: columns.split_off(columns.len() / 2) }
            }
            Work::Whole { table, columns } if columns.len() > 1 => {
                Work::Whole { table: *table, columns: columns.split_off(columns.len() / 2) }
            }
            _ => return None,
        };
        Some(Fate { more: vec![Piece::new(other)], ..Kind::TooMuch.into() })
    }
}

/// Takes scalars; `None`: they are not those that were requested.
fn read_scalars(
    which: &mut Vec<Wish>,
    bindings: Vec<VarBind>,
    now: Duration,
    into: &mut Gathering,
    limits: &Limits,
) -> Option<Kind> {
    let is_same = |((_, name, _), binding): (&Wish, &VarBind)| *name == binding.name;
    if bindings.len() != which.len() || !which.iter().zip(&bindings).all(is_same) {
        return None;
    }
    for ((at, _, kind), binding) in which.drain(..).zip(bindings) {
        let value = match binding.value {
            Bound::Value(value) if kind.is_some_and(|kind| kind != value.kind()) => {
                into.is_wrong(limits);
                Err(Missing::WrongType)
            }
            Bound::Value(value) => Ok(value),
            Bound::Exception(_) | Bound::Unspecified => Err(Missing::NotThere),
        };
        into.scalar(at, value, now);
    }
    Some(Kind::Good { is_full: false })
}

//! A device in a session of a client: any protocol.
//!
//! SNMP reads tables by GetBulk. Other protocols have no such operation, and what answers it in their sessions may be a whole column
//! of which a few rows are taken: there a table is requested as such, when there is room for what its answer may be. All other answers
//! are short, or are not taken.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout_at};
use trunkline_client::{Error, Gathered, Session, TableLimit, WalkOptions};
use trunkline_smi::Oid;
use trunkline_snmp::wire::{ErrorStatus, VarBind};

use crate::collector::{AGAIN, Health, Opener, Report, Setting, Sink, Unopened};
use crate::device::{Answer, Ask, Begun, Device, Limits, Request, Rows, Whole, whole};
use crate::pool::Account;
use crate::snapshot::Snapshot;
use crate::tables::{HOLD, Longest, Room};

/// Reads a device until the task is ended.
pub(crate) async fn run(setting: Setting, opener: Arc<dyn Opener>, start: Instant, sink: Sink) {
    let Setting { key, wanted, limits, interval, phase, account, .. } = setting;
    let (cycle, limit) = (limits.cycle, limit(&limits));
    let device = Device::new(wanted, limits).with_account(account.clone());
    let (lengths, session) = (Lengths::default(), None);
    let hold = HOLD.min(cycle / 4 * 3);
    let mut reader = Reader { device, account, limit, hold, lengths, session, opener, start, ids: 0 };
    let mut due = start.elapsed() + phase;
    loop {
        sleep_until((start + due).into()).await;
        let now = start.elapsed();
        // A machine that was asleep begins one cycle, not all that it has missed.
        let missed = now.saturating_sub(due).as_nanos() / interval.as_nanos().max(1);
        due += interval * (u32::try_from(missed).unwrap_or(u32::MAX - 1) + 1);
        let snapshot = match reader.device.begin(now) {
            Begun::Cycle => Some(reader.cycle(start + now + cycle).await),
            Begun::Busy => None,
            Begun::Paused(_) => {
                // It may be another one when it comes back.
                (reader.session, reader.lengths) = (None, Lengths::default());
                None
            }
            Begun::Full => {
                due = now + AGAIN;
                continue;
            }
        };
        let health = Health::of(&reader.device);
        sink(Report { key, snapshot, health });
    }
}

struct Reader {
    device: Device,
    account: Option<Arc<Account>>,
    /// Of a table that is read whole.
    limit: TableLimit,
    /// How long a request has room at most while others wait for it.
    hold: Duration,
    lengths: Lengths,
    /// One that takes answers of the first length. One that takes longer answers is there while it has room for them, and no longer:
    /// what a device sends unasked is in memory too.
    session: Option<Arc<dyn Session>>,
    opener: Arc<dyn Opener>,
    start: Instant,
    ids: i32,
}

/// How long the answers are that a device's sessions must take.
#[derive(Clone, Copy)]
struct Lengths {
    /// To those requests that open a session.
    opening: Longest,
    /// To those for whole tables.
    tables: Longest,
}

impl Default for Lengths {
    fn default() -> Self {
        Lengths { opening: Longest::FIRST, tables: Longest::FIRST }
    }
}

impl Lengths {
    fn of(&self, ask: &Ask) -> Longest {
        if is_table(ask) { self.tables.max(self.opening) } else { self.opening }
    }

    /// Answers to this had been too long for the last length.
    fn grow(&mut self, ask: &Ask, longer: Longest) {
        let length = if is_table(ask) { &mut self.tables } else { &mut self.opening };
        *length = longer.max(*length);
    }
}

impl Reader {
    /// Reads what is wanted. Requests that have not ended then are dropped with their set.
    async fn cycle(&mut self, mut deadline: Instant) -> Snapshot {
        let mut asking: JoinSet<Carried> = JoinSet::new();
        loop {
            while let Some(Request { id, ask }) = self.request() {
                self.send(id, ask, &mut asking, &mut deadline).await;
            }
            if let Some(snapshot) = self.device.take(self.start.elapsed()) {
                return snapshot;
            }
            let next = self.device.next().map_or(deadline, |next| self.start + next);
            tokio::select! {
                Some(over) = asking.join_next(), if !asking.is_empty() => {
                    let Ok(Carried { id, ask, came, room, is_kept }) = over else { continue };
                    if is_kept && !matches!(came, Came::Answer(_)) {
                        self.session = None;
                    }
                    let answer = match came {
                        Came::Answer(answer) => answer,
                        Came::Lost(reason) if room.as_ref().is_some_and(Room::is_wanted) => {
                            self.device.suspect(&reason);
                            self.device.held_up(id, self.start.elapsed());
                            continue;
                        }
                        Came::Lost(reason) => Answer::Failed(reason),
                        Came::TooBig => Answer::Error { status: ErrorStatus::TooBig.code(), index: 0 },
                        Came::HeldUp => {
                            self.device.held_up(id, self.start.elapsed());
                            continue;
                        }
                        Came::TooLong(longer) => {
                            self.lengths.grow(&ask, longer);
                            drop(room);
                            if let Some(ask) = self.device.again(id) {
                                self.send(id, ask, &mut asking, &mut deadline).await;
                            }
                            continue;
                        }
                    };
                    self.device.answered(id, answer, self.start.elapsed());
                    drop(room);
                }
                () = sleep_until(next.into()) => {}
            }
        }
    }

    fn request(&mut self) -> Option<Request> {
        let ids = &mut self.ids;
        self.device.request(self.start.elapsed(), || {
            *ids = ids.wrapping_add(1);
            *ids
        })
    }

    /// Sends a request. One whose answer, or that of what opens its session, may be long is sent when there is room for that, and the
    /// wait is not of the device's time.
    async fn send(&mut self, id: i32, ask: Ask, asking: &mut JoinSet<Carried>, deadline: &mut Instant) {
        let mut longest = self.lengths.of(&ask);
        let mut kept = None;
        if longest == Longest::FIRST {
            match self.session(*deadline).await {
                Ok(session) => kept = Some(session),
                Err(Unopened { reason, is_too_long }) => {
                    let Some(longer) = longest.longer().filter(|_| is_too_long) else {
                        self.device.answered(id, Answer::Failed(reason), self.start.elapsed());
                        return;
                    };
                    (self.lengths.opening, longest) = (longer, longer.max(self.lengths.of(&ask)));
                }
            }
        }
        let room = match &self.account {
            Some(account) if kept.is_none() => {
                let began = Instant::now();
                let room = account.room(longest).await;
                let waited = began.elapsed();
                self.device.waited(waited);
                *deadline += waited;
                room
            }
            _ => None,
        };
        let (limit, hold, opener) = (self.limit, self.hold, self.opener.clone());
        asking.spawn(async move {
            let is_kept = kept.is_some();
            let carried = async {
                match kept {
                    Some(session) => carry(&*session, &ask, limit, longest).await,
                    None => open_and_carry(&*opener, &ask, limit, longest).await,
                }
            };
            let came = match &room {
                Some(room) => tokio::select! {
                    came = carried => came,
                    () = room.is_overdue(hold) => Came::HeldUp,
                },
                None => carried.await,
            };
            Carried { id, ask, came, room, is_kept }
        });
    }

    /// The session that is kept, or another one.
    async fn session(&mut self, deadline: Instant) -> Result<Arc<dyn Session>, Unopened> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let opened = timeout_at(deadline.into(), self.opener.open(Longest::FIRST)).await;
        let session =
            opened.unwrap_or_else(|_| Err("no session within the time of the cycle".to_owned().into()))?;
        Ok(self.session.insert(session).clone())
    }
}

/// What came of a request, and the room that it has: until what came is kept.
struct Carried {
    id: i32,
    ask: Ask,
    came: Came,
    room: Option<Room>,
    /// Whether its session is the one that is kept.
    is_kept: bool,
}

enum Came {
    Answer(Answer),
    /// The session is of no more use.
    Lost(String),
    /// Nor is it here, and the answer to a smaller request may be short enough.
    TooBig,
    /// A session is needed that takes longer answers, up to this length.
    TooLong(Longest),
    /// Others wait for its room.
    HeldUp,
}

const fn is_table(ask: &Ask) -> bool {
    matches!(ask, Ask::Table { .. })
}

/// Carries a request in a session of its own.
async fn open_and_carry(opener: &dyn Opener, ask: &Ask, limit: TableLimit, longest: Longest) -> Came {
    match opener.open(longest).await {
        Ok(session) => carry(&*session, ask, limit, longest).await,
        Err(Unopened { reason, is_too_long }) => match longest.longer().filter(|_| is_too_long) {
            Some(longer) => Came::TooLong(longer),
            None => Came::Lost(reason),
        },
    }
}

/// Carries a request.
async fn carry(session: &dyn Session, ask: &Ask, limit: TableLimit, longest: Longest) -> Came {
    let longer = longest.longer();
    let limit = match longer {
        Some(_) => TableLimit { octets: limit.octets.min(longest.rows()), ..limit },
        None => limit,
    };
    let answer = match ask {
        Ask::Get(names) => session.get(names).await.map(|answer| Answer::Bindings(answer.bindings)),
        Ask::Next(names) => session.next(names).await.map(|answer| Answer::Bindings(answer.bindings)),
        Ask::Bulk { non_repeaters, max_repetitions, names } => {
            let answer = session.bulk(*non_repeaters, *max_repetitions, names).await;
            answer.map(|answer| Answer::Bindings(answer.bindings))
        }
        Ask::Table { then, columns } => {
            table(session, then.as_ref(), columns, limit, longer.is_none()).await.map(Answer::Table)
        }
    };
    match answer {
        Ok(answer) => Came::Answer(answer),
        Err(Error::Status { status, index, .. }) => {
            Came::Answer(Answer::Error { status, index: usize::try_from(index).unwrap_or(0) })
        }
        Err(error) if error.is_too_long() => match (ask, longer) {
            (Ask::Table { .. }, Some(longer)) => Came::TooLong(longer),
            (Ask::Bulk { .. }, _) => Came::TooBig,
            (Ask::Get(_), _) => {
                Came::Lost(format!("the answer to a request for scalars is too long: {error}"))
            }
            _ => Came::Lost(error.to_string()),
        },
        Err(error) => Came::Lost(error.to_string()),
    }
}

/// Reads a table in as few requests as the protocol can; one that is too long in any session column by column, as far as it is kept.
async fn table(
    session: &dyn Session,
    then: Option<&Oid>,
    columns: &[Oid],
    limit: TableLimit,
    is_longest: bool,
) -> Result<Whole, Error> {
    let read = match whole::schema_of(columns) {
        Some((schema, numbers)) => match session.table(schema, &numbers, limit).await {
            Ok(table) => Some(table.rows),
            Err(Error::TableTooLong { rows, read_rows, .. }) if read_rows > rows => None,
            Err(error) if error.is_too_long() && is_longest => None,
            Err(error) => return Err(error),
        },
        None => None,
    };
    let (rows, is_cut) = match read {
        Some(rows) => (rows, false),
        None => by_columns(session, columns, limit).await?,
    };
    Ok(Whole { then: next(session, then).await?, rows, is_cut })
}

async fn next(session: &dyn Session, name: Option<&Oid>) -> Result<Option<VarBind>, Error> {
    let Some(name) = name else { return Ok(None) };
    Ok(session.next(std::slice::from_ref(name)).await?.bindings.into_iter().next())
}

/// The first rows of a table, and whether it has more.
async fn by_columns(
    session: &dyn Session,
    columns: &[Oid],
    limit: TableLimit,
) -> Result<(Rows, bool), Error> {
    let (mut rows, mut is_cut) = (Rows::new(), false);
    let mut gathered = Gathered::within(limit).of_columns(columns.len());
    for (at, column) in columns.iter().enumerate() {
        let options = WalkOptions::default().with_get_root_if_empty(false);
        let mut walk = session.walk(column.clone(), options.with_max_bindings(Some(limit.rows + 1)));
        while let Some(binding) = walk.next().await {
            let VarBind { name, value } = match binding {
                Ok(binding) => binding,
                Err(error) if error.is_too_long() => {
                    is_cut = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            let Some(index) = name.strip_prefix(&**column) else { continue };
            let count = rows.len() + usize::from(!rows.contains_key(index));
            if gathered.add(count, index, &value).is_err() {
                is_cut = true;
                break;
            }
            let row = rows.entry(index.to_vec()).or_insert_with(|| vec![None; columns.len()]);
            row[at] = Some(value);
        }
    }
    Ok((rows, is_cut))
}

/// How much of a table is read at once. Rows take more until they are kept.
fn limit(limits: &Limits) -> TableLimit {
    TableLimit { rows: limits.rows, octets: limits.octets.saturating_mul(LOOSER) }
}

/// Octets of a table that was just read, for one of a table that is kept.
const LOOSER: usize = 4;

//! Tables in sessions of protocols that read a table as such: how often an agent with many rows is asked, and how much is in flight.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use trunkline_client::{
    Answer, Asking, Bound, Error, Exception, Session, Table, TableLimit, VarBind, Walk, WalkOptions,
};
use trunkline_polling::{
    Account, Collector, Limits, Longest, Missing, Opener, Opening, Pool, Report, Setting, Snapshot, Unopened,
    Way,
};
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{Oid, Value, ValueRef};

use crate::{column, setting, sink};

/// A session as those of NETCONF are: whatever is requested, whole columns are read.
#[derive(Clone)]
struct Toy {
    rows: u32,
    /// Octets of each in an answer.
    octets: usize,
    /// How long an answer the session takes.
    longest: usize,
    /// Octets of the answer that opens a session, and of one to a request for scalars.
    opening: usize,
    scalars: usize,
    /// It answers with no table that is longer than the shortest.
    is_stuck: bool,
    /// Columns that were read.
    read: Arc<AtomicUsize>,
    /// How many had been when sysUpTime was requested last.
    before_up_time: Arc<AtomicUsize>,
    in_flight: Arc<InFlight>,
}

/// What answers and their rows may take that are awaited, of all sessions: now, and at most so far.
#[derive(Default)]
struct InFlight {
    now: AtomicUsize,
    most: AtomicUsize,
    /// How many tables were too long for their session.
    too_long: AtomicUsize,
}

impl Toy {
    fn new(rows: u32, octets: usize) -> Self {
        let (read, before_up_time, in_flight) = Default::default();
        let (longest, opening, scalars, is_stuck) = Default::default();
        Toy { rows, octets, longest, opening, scalars, is_stuck, read, before_up_time, in_flight }
    }

    fn column(&self, of: &Oid) -> Vec<VarBind> {
        self.read.fetch_add(1, Ordering::Relaxed);
        (1..=self.rows).map(|row| VarBind::new(of.child(&[row]), Value::Integer(row as i32))).collect()
    }

    /// Something is in flight that takes so many octets.
    async fn fly(&self, need: usize) {
        let now = self.in_flight.now.fetch_add(need, Ordering::SeqCst) + need;
        self.in_flight.most.fetch_max(now, Ordering::SeqCst);
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        self.in_flight.now.fetch_sub(need, Ordering::SeqCst);
    }

    fn after(&self, name: &Oid) -> VarBind {
        if name.len() < 10 {
            self.before_up_time.store(self.read.load(Ordering::Relaxed), Ordering::Relaxed);
            return VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(5000));
        }
        let column = self.column(&Oid::new(&name[..10]).unwrap());
        let end = VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) };
        column.into_iter().find(|binding| binding.name > *name).unwrap_or(end)
    }
}

impl Session for Toy {
    fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        let (found, limit) = (self.scalars, self.longest);
        if found > limit {
            return Box::pin(std::future::ready(Err(Error::AnswerTooLong { found, limit })));
        }
        self.bulk(0, 1, names)
    }

    fn next<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
        self.bulk(0, 1, names)
    }

    fn bulk<'a>(&'a self, once: u32, count: u32, names: &'a [Oid]) -> Asking<'a, Answer> {
        let (first, often) = names.split_at(once as usize);
        let mut bindings: Vec<VarBind> = first.iter().map(|name| self.after(name)).collect();
        let mut names = often.to_vec();
        for _ in 0..count {
            for name in &mut names {
                let found = self.after(name);
                name.clone_from(&found.name);
                bindings.push(found);
            }
        }
        Box::pin(std::future::ready(Ok(Answer { bindings, ..Answer::default() })))
    }

    fn set<'a>(&'a self, _: &'a [VarBind]) -> Asking<'a, Answer> {
        Box::pin(std::future::ready(Err(Error::SessionClosed)))
    }

    fn walk(&self, root: Oid, options: WalkOptions) -> Walk {
        let (batches, received) = mpsc::channel(1);
        let mut found = self.column(&root);
        found.truncate(options.max_bindings.unwrap_or(usize::MAX));
        tokio::spawn(async move { batches.send(Ok(found)).await });
        Walk::of(received)
    }

    fn table<'a>(
        &'a self,
        schema: &'static Schema,
        columns: &'a [u32],
        limit: TableLimit,
    ) -> Asking<'a, Table> {
        let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
        let mut table = Table::default();
        for (at, id) in columns.iter().enumerate() {
            table.columns.push(entry.child(&[*id]));
            for VarBind { name, value } in self.column(&table.columns[at]) {
                let row = table.rows.entry(name[10..].to_vec()).or_insert(vec![None; columns.len()]);
                row[at] = Some(value);
            }
        }
        let (rows, octets, read) = (limit.rows, limit.octets, table.rows.len());
        let (found, limit) = (read * self.octets, self.longest);
        Box::pin(async move {
            if self.is_stuck && limit > Longest::FIRST.octets() {
                return std::future::pending().await;
            }
            self.fly(limit + octets.min(2 * limit)).await;
            self.in_flight.too_long.fetch_add(usize::from(found > limit), Ordering::SeqCst);
            match found > limit {
                true => Err(Error::AnswerTooLong { found, limit }),
                false if read > rows => {
                    Err(Error::TableTooLong { rows, octets, read_rows: read, read_values: read })
                }
                false => Ok(table),
            }
        })
    }

    fn close(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Opener for Toy {
    fn open(&self, longest: Longest) -> Opening<'_> {
        let session = Toy { longest: longest.octets(), ..self.clone() };
        Box::pin(async move {
            session.fly(longest.octets()).await;
            match session.opening > longest.octets() {
                true => Err(Unopened { reason: "the greeting is too long".into(), is_too_long: true }),
                false => Ok(Arc::new(session) as Arc<dyn Session>),
            }
        })
    }
}

/// A cycle, and how many columns were read in it.
async fn cycle(rows: u32, octets: usize, limits: Limits) -> (Snapshot, usize) {
    let toy = Toy::new(rows, octets);
    let limits = Limits { has_tables: true, cycle: Duration::from_secs(600), ..limits };
    let setting = Setting { limits, ..setting(1, Way::Session(Arc::new(toy.clone()))) };
    let (sink, reports) = sink();
    let collector = Collector::start(vec![setting], 1, Instant::now(), &sink).unwrap();
    let report = tokio::task::spawn_blocking(move || reports.recv().unwrap()).await.unwrap();
    drop(collector);
    let read = toy.read.load(Ordering::Relaxed);
    assert_eq!(toy.before_up_time.load(Ordering::Relaxed), read, "the device's time is that of the answer");
    (report.snapshot.unwrap(), read)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_column_of_a_long_table_is_read_once_in_a_cycle() {
    let (snapshot, read) = cycle(3000, 10, Limits::default()).await;
    let table = &snapshot.tables[0];
    assert_eq!((table.len(), read), (3000, 2));
    let values = (0..3000).map(|row| table.cell(row, 1).unwrap().0);
    assert!(values.eq((1..=3000).map(ValueRef::Integer)));
    assert!(table.columns.iter().all(|column| column.missing.is_none()));
    assert_eq!(snapshot.up_time.unwrap().0, 5000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_is_too_long_is_read_column_by_column_as_far_as_it_is_kept() {
    // It is too long for one answer of any session, of which there are four, and kept.
    let (snapshot, read) = cycle(3000, 10_000, Limits::default()).await;
    assert_eq!((snapshot.tables[0].len(), read), (3000, 10));
    assert!(snapshot.tables[0].columns.iter().all(|column| column.missing.is_none()));
    // It is too long to be kept.
    let (snapshot, read) = cycle(3000, 10, Limits { rows: 100, ..Limits::default() }).await;
    let table = &snapshot.tables[0];
    assert_eq!((table.len(), read), (100, 4));
    assert!((0..100).all(|row| table.cell(row, 0).is_some() && table.cell(row, 1).is_some()));
    assert!(table.columns.iter().all(|column| column.missing == Some(Missing::TooLong)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_is_not_built_in_is_walked() {
    let toy = Toy::new(30, 10);
    let mut setting = setting(1, Way::Session(Arc::new(toy)));
    setting.limits.has_tables = true;
    Arc::make_mut(&mut setting.wanted).tables = vec![vec![Oid::from([1, 3, 6, 1, 4, 1, 1, 1, 1, 7])]];
    assert_ne!(setting.wanted.tables[0][0], column(7));
    let (sink, reports) = sink();
    let _collector = Collector::start(vec![setting], 1, Instant::now(), &sink).unwrap();
    let report = tokio::task::spawn_blocking(move || reports.recv().unwrap()).await.unwrap();
    assert_eq!(report.snapshot.unwrap().tables[0].len(), 30);
}

/// Reports of so many cycles of devices that share a memory.
async fn cycles(toys: Vec<Toy>, interval: Duration, reports: usize) -> Vec<Report> {
    let pool = Arc::new(Pool::new(96 << 20));
    let of = |(key, toy): (u64, Toy)| {
        let limits = Limits { has_tables: true, cycle: Duration::from_secs(600), ..Limits::default() };
        let account = Some(Account::of(&pool));
        Setting { limits, account, interval, ..setting(key, Way::Session(Arc::new(toy))) }
    };
    let settings = (0..).zip(toys).map(of).collect();
    let (sink, received) = sink();
    let collector = Collector::start(settings, 1, Instant::now(), &sink).unwrap();
    let found = tokio::task::spawn_blocking(move || received.iter().take(reports).collect()).await.unwrap();
    drop(collector);
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_takes_longer_answers_when_one_was_too_long_and_the_next_cycle_begins_there() {
    let toy = Toy::new(1000, 1000);
    let in_flight = toy.in_flight.clone();
    let reports = cycles(vec![toy], Duration::from_millis(1), 2).await;
    for report in reports {
        let table = &report.snapshot.unwrap().tables[0];
        assert!(table.len() == 1000 && table.columns.iter().all(|column| column.missing.is_none()));
        assert_eq!(report.health.counts.timeouts, 0);
    }
    assert_eq!(in_flight.too_long.load(Ordering::SeqCst), 1, "for 256 KiB, and none for 1 MiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_in_flight_have_a_bound_and_all_get_their_turn() {
    for (rows, octets) in [(10, 100), (1000, 1000), (100, 150_000)] {
        let toy = Toy::new(rows, octets);
        let toys = (0..100).map(|_| Toy { read: Arc::default(), ..toy.clone() }).collect();
        let reports = cycles(toys, Duration::from_secs(3600), 100).await;
        for report in reports {
            let snapshot = report.snapshot.unwrap();
            assert!(snapshot.is_heard && !snapshot.is_overrun && snapshot.tables[0].len() == rows as usize);
            assert!(snapshot.tables[0].columns.iter().all(|column| column.missing.is_none()));
        }
        let most = toy.in_flight.most.load(Ordering::SeqCst);
        let short = 100 * 3 * Longest::FIRST.octets();
        let bound = (64 << 20) + short;
        assert!(most <= bound, "{most} octets with {rows} rows");
        assert!(most > 8 << 20, "{most} octets with {rows} rows: they did not wait");
    }
}

/// Devices with an account each, read again and again.
fn read_all(
    toys: Vec<Toy>,
    cycle: Duration,
) -> (Collector, std::sync::mpsc::Receiver<Report>, Vec<Arc<Account>>) {
    let pool = Arc::new(Pool::new(96 << 20));
    let accounts: Vec<_> = toys.iter().map(|_| Account::of(&pool)).collect();
    let of = |((key, toy), account): ((u64, Toy), &Arc<Account>)| {
        let limits = Limits { has_tables: true, cycle, ..Limits::default() };
        let (account, interval) = (Some(account.clone()), Duration::from_millis(1));
        Setting { limits, account, interval, ..setting(key, Way::Session(Arc::new(toy))) }
    };
    let settings = (0..).zip(toys).zip(&accounts).map(of).collect();
    let (sink, received) = sink();
    (Collector::start(settings, 1, Instant::now(), &sink).unwrap(), received, accounts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_opens_a_session_is_long_only_where_there_is_room() {
    let toy = Toy { opening: 15 << 20, ..Toy::new(10, 100) };
    let toys = (0..60).map(|_| Toy { read: Arc::default(), ..toy.clone() }).collect();
    for report in cycles(toys, Duration::from_secs(3600), 60).await {
        let snapshot = report.snapshot.unwrap();
        assert!(snapshot.is_heard && !snapshot.is_overrun && snapshot.tables[0].len() == 10);
    }
    let most = toy.in_flight.most.load(Ordering::SeqCst);
    let bound = (64 << 20) + 60 * 3 * Longest::FIRST.octets();
    assert!(most <= bound, "{most} octets");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_with_scalars_is_a_failure() {
    let toy = Toy { scalars: 300_000, ..Toy::new(10, 100) };
    let most = toy.in_flight.clone();
    let reports = cycles(vec![toy], Duration::from_secs(3600), 1).await;
    let snapshot = reports[0].snapshot.as_ref().unwrap();
    assert!(!snapshot.is_heard);
    let reason = snapshot.failure.as_ref().unwrap();
    assert!(reason.contains("scalars is too long") && reason.contains("262144"), "{reason}");
    assert_eq!(most.most.load(Ordering::SeqCst), Longest::FIRST.octets(), "there was no longer session");
}

/// Fifty that have all the room there is for their size, and never end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_needs_no_room_does_not_wait_for_those_who_have_it() {
    let slow = (0..50).map(|_| Toy { is_stuck: true, ..Toy::new(1000, 1000) });
    let small = (0..10).map(|_| Toy::new(3, 10));
    let (collector, received, accounts) = read_all(slow.chain(small).collect(), Duration::from_secs(600));
    let small = tokio::task::spawn_blocking(move || {
        let mut cycles = [0; 10];
        while cycles.iter().any(|count| *count < 20) {
            let report = received.recv_timeout(Duration::from_secs(20)).unwrap();
            let table = &report.snapshot.unwrap().tables[0];
            assert!(report.key >= 50 && table.len() == 3);
            cycles[report.key as usize - 50] += 1;
        }
    });
    small.await.unwrap();
    assert!(accounts[..50].iter().filter(|account| account.is_waiting()).count() >= 40);
    drop(collector);
    assert!(accounts[50..].iter().all(|account| !account.is_waiting()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_room_for_long_while_others_wait_fails_and_all_others_are_read() {
    let slow = (0..6).map(|_| Toy { is_stuck: true, ..Toy::new(100, 150_000) });
    let honest = (0..8).map(|_| Toy::new(100, 150_000));
    let (collector, received, _accounts) = read_all(slow.chain(honest).collect(), Duration::from_millis(400));
    let (failed, read) = tokio::task::spawn_blocking(move || {
        let (began, mut failed, mut read) = (Instant::now(), [0; 6], [0; 8]);
        while failed.contains(&0) || read.iter().any(|count| *count < 3) {
            assert!(began.elapsed() < Duration::from_secs(60), "{failed:?} {read:?}");
            let report = received.recv_timeout(Duration::from_secs(60)).unwrap();
            let Some(snapshot) = report.snapshot else { continue };
            let missing = snapshot.tables[0].columns[0].missing;
            match report.key.checked_sub(6) {
                Some(honest) => read[honest as usize] += usize::from(missing.is_none()),
                None if missing == Some(Missing::HeldUp) => {
                    assert!(snapshot.is_heard && report.health.failures > 0);
                    failed[report.key as usize] += 1;
                }
                None => {}
            }
        }
        (failed, read)
    })
    .await
    .unwrap();
    drop(collector);
    assert!(!failed.contains(&0) && !read.contains(&0), "{failed:?} {read:?}");
}

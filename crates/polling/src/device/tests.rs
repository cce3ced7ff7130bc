//! Devices over a simulated network, on virtual time.

use std::collections::BTreeMap;

use proptest::prelude::*;
use trunkline_smi::{Value, ValueRef};
use trunkline_snmp::wire::{Bound, Exception};

use super::*;
use crate::pool::Pool;
use crate::snapshot::Scalar;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn column(id: u32) -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, id])
}

const UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

/// What the network and the agent do.
#[derive(Clone, Debug)]
struct World {
    objects: BTreeMap<Oid, Value>,
    delay: Duration,
    /// Every so manieth request is lost.
    loss: u64,
    /// Answers come twice.
    doubles: bool,
    /// Bindings of the longest answer.
    most: usize,
    booted: Duration,
    /// Changes the bindings of an answer.
    lie: Lie,
    sent: u64,
    /// The same walk without end.
    endless: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    None,
    Backwards,
    OtherNames,
    Repeats,
    TooMany,
    Empty,
    /// The value of one cell cannot be read.
    Unreadable,
    /// There are more rows than it has.
    Cut,
}

impl World {
    fn new(rows: u32) -> Self {
        let mut objects = BTreeMap::new();
        for row in 1..=rows {
            objects.insert(column(2).child(&[row]), Value::text(format!("eth{row}")));
            objects.insert(column(10).child(&[row]), Value::Counter32(row * 100));
        }
        World {
            objects,
            delay: ms(5),
            loss: 0,
            doubles: false,
            most: 60,
            booted: Duration::ZERO,
            lie: Lie::None,
            sent: 0,
            endless: false,
        }
    }

    fn after(&self, name: &Oid, now: Duration) -> VarBind {
        let up_time = Oid::from(UP_TIME);
        if *name < up_time {
            return self.exactly(&up_time, now);
        }
        if self.endless && name.starts_with(&column(2)) {
            let last = name.get(10).copied().unwrap_or(0) + 1;
            return VarBind::new(column(2).child(&[last]), Value::Integer(1));
        }
        let next = self.objects.range(name.clone()..).find(|(found, _)| *found != name);
        match next {
            Some((name, value)) => VarBind::new(name.clone(), value.clone()),
            None => VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) },
        }
    }

    fn exactly(&self, name: &Oid, now: Duration) -> VarBind {
        if **name == UP_TIME {
            let ticks = (now.saturating_sub(self.booted).as_millis() / 10) as u32;
            return VarBind::new(name.clone(), Value::TimeTicks(ticks));
        }
        let none = Bound::Exception(Exception::NoSuchInstance);
        VarBind { name: name.clone(), value: self.objects.get(name).cloned().map_or(none, Bound::Value) }
    }

    fn answer(&self, ask: &Ask, now: Duration) -> Answer {
        let bindings: Vec<VarBind> = match ask {
            Ask::Get(names) => names.iter().map(|name| self.exactly(name, now)).collect(),
            Ask::Next(names) => names.iter().map(|name| self.after(name, now)).collect(),
            Ask::Bulk { non_repeaters, max_repetitions, names } => {
                let (first, rest) = names.split_at(*non_repeaters as usize);
                let mut bindings: Vec<VarBind> = first.iter().map(|name| self.after(name, now)).collect();
                let mut places = rest.to_vec();
                for _ in 0..*max_repetitions {
                    for place in &mut places {
                        let found = self.after(place, now);
                        *place = found.name.clone();
                        bindings.push(found);
                    }
                }
                bindings
            }
            Ask::Table { then, columns } => return self.table(then.as_ref(), columns, now),
        };
        if bindings.len() > self.most {
            return Answer::Error { status: 1, index: 0 };
        }
        let is_bad = |binding: &VarBind| binding.name == column(10).child(&[20]);
        if self.lie == Lie::Unreadable && bindings.iter().any(is_bad) {
            return Answer::Unreadable;
        }
        Answer::Bindings(self.lied(ask, bindings))
    }

    fn table(&self, then: Option<&Oid>, columns: &[Oid], now: Duration) -> Answer {
        let mut rows = Rows::new();
        for (at, column) in columns.iter().enumerate() {
            for (name, value) in self.objects.iter().filter(|(name, _)| name.starts_with(column)) {
                let row = rows.entry(name[column.len()..].to_vec()).or_insert(vec![None; columns.len()]);
                row[at] = Some(Bound::Value(value.clone()));
            }
        }
        if rows.len() * columns.len() > self.most {
            return Answer::Error { status: 1, index: 0 };
        }
        if self.lie == Lie::TooMany {
            rows.values_mut().for_each(|row| row.push(None));
        }
        let then = then.filter(|_| self.lie != Lie::Empty).map(|name| self.after(name, now));
        Answer::Table(Whole { then, rows, is_cut: self.lie == Lie::Cut })
    }

    fn lied(&self, ask: &Ask, mut bindings: Vec<VarBind>) -> Vec<VarBind> {
        match self.lie {
            Lie::None => {}
            Lie::Backwards => bindings.iter_mut().skip(1).for_each(|binding| {
                if binding.name.len() > 10 {
                    binding.name = Oid::new(&binding.name[..10]).unwrap().child(&[1]);
                }
            }),
            Lie::OtherNames => bindings.iter_mut().for_each(|binding| binding.name = Oid::from([1, 3, 9])),
            Lie::Repeats => {
                if let Ask::Bulk { names, .. } = ask {
                    bindings.iter_mut().zip(names).for_each(|(binding, name)| binding.name = name.clone());
                    bindings.truncate(names.len());
                }
            }
            Lie::TooMany => bindings.extend(bindings.clone()),
            Lie::Empty => bindings.clear(),
            Lie::Unreadable | Lie::Cut => {}
        }
        bindings
    }
}

/// A run: the device, the world, and answers under way by their moment.
struct Run {
    device: Device,
    world: World,
    now: Duration,
    flying: Vec<(Duration, i32, Answer)>,
    ids: i32,
    /// The most requests in flight at once, and the last moment at which one was sent.
    widest: usize,
    last_sent: Duration,
}

impl Run {
    fn new(world: World, limits: Limits) -> Self {
        let wanted = Wanted {
            scalars: vec![Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0])],
            tables: vec![vec![column(2), column(10)]],
            ..Wanted::default()
        };
        let device = Device::new(Arc::new(wanted), limits);
        let (now, last_sent) = (ms(1000), Duration::ZERO);
        Run { device, world, now, flying: Vec::new(), ids: 0, widest: 0, last_sent }
    }

    /// Runs a cycle; `at` is called at each step.
    fn cycle_with(&mut self, mut at: impl FnMut(&mut World, Duration)) -> Snapshot {
        assert_eq!(self.device.begin(self.now), Begun::Cycle);
        for _ in 0..100_000 {
            at(&mut self.world, self.now);
            while let Some(request) = {
                let ids = &mut self.ids;
                self.device.request(self.now, || {
                    *ids += 1;
                    *ids
                })
            } {
                self.world.sent += 1;
                self.last_sent = self.now;
                self.widest = self.widest.max(self.device.outstanding());
                if self.world.loss != 0 && self.world.sent.is_multiple_of(self.world.loss) {
                    continue;
                }
                let answer = self.world.answer(&request.ask, self.now);
                let arrives = self.now + self.world.delay;
                self.flying.push((arrives, request.id, answer.clone()));
                if self.world.doubles {
                    self.flying.push((arrives + ms(1), request.id, answer));
                }
            }
            if let Some(snapshot) = self.device.take(self.now) {
                return snapshot;
            }
            let arrival = self.flying.iter().map(|(at, ..)| *at).min();
            let next = self.device.next().unwrap();
            self.now = arrival.map_or(next, |at| at.min(next)).max(self.now);
            self.flying.sort_by_key(|(at, id, _)| (*at, *id));
            while self.flying.first().is_some_and(|(at, ..)| *at <= self.now) {
                let (_, id, answer) = self.flying.remove(0);
                self.device.answered(id, answer, self.now);
            }
        }
        panic!("the cycle does not end");
    }

    fn cycle(&mut self) -> Snapshot {
        self.cycle_with(|_, _| ())
    }
}

#[test]
fn a_cycle_reads_scalars_and_tables_with_several_columns_in_a_request() {
    let mut world = World { most: 1000, ..World::new(120) };
    world.objects.insert(Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]), Value::text("name"));
    let mut run = Run::new(world, Limits::default());
    let snapshot = run.cycle();
    assert_eq!(snapshot.scalars, [Scalar { value: Ok(Value::text("name")), at: ms(1005) }]);
    let table = &snapshot.tables[0];
    assert_eq!((table.len(), table.columns.len()), (120, 2));
    assert_eq!(table.index_of(119), [120]);
    assert_eq!(table.columns[1].cells.get(119), Some(ValueRef::Counter32(12_000)));
    assert!(table.columns.iter().all(|column| column.missing.is_none()));
    assert!(table.rows().all(|(_, at)| at > ms(1005) && at <= snapshot.ended));
    assert!(snapshot.is_heard && !snapshot.is_overrun && snapshot.failure.is_none());
    // 120 rows of two columns: without several columns and rows in a request there would be 240.
    assert!(run.device.counts().requests <= 12, "{:?}", run.device.counts());
    let next = run.cycle();
    assert!(next.ended - next.began < ms(40), "more rows at once by now: {:?}", next.ended - next.began);
}

#[test]
fn too_big_answers_make_requests_smaller_and_the_table_is_whole() {
    for most in [1, 2, 3, 5, 9] {
        let mut run = Run::new(World { most, ..World::new(30) }, Limits::default());
        let snapshot = run.cycle();
        let whole = &snapshot.tables[0];
        if most > 1 {
            assert_eq!(whole.len(), 30, "{most}");
            assert!((0..30).all(|row| whole.cell(row, 0).is_some() && whole.cell(row, 1).is_some()));
        } else {
            // Not even sysUpTime and one cell.
            assert!(whole.columns.iter().all(|column| column.missing == Some(Missing::Refused(1))));
        }
        assert!(run.device.counts().too_big > 0);
    }
}

#[test]
fn lost_answers_are_requested_again_and_doubled_ones_change_nothing() {
    let mut run = Run::new(World { loss: 4, doubles: true, ..World::new(200) }, Limits::default());
    for _ in 0..3 {
        let snapshot = run.cycle();
        assert_eq!(snapshot.tables[0].len(), 200);
    }
    let counts = *run.device.counts();
    assert!(counts.timeouts > 0 && counts.doubled > 0 && counts.unfit == 0, "{counts:?}");
    assert!(run.device.round_trip().unwrap() < ms(6));
}

#[test]
fn a_late_answer_is_used_and_teaches_the_time_out() {
    let limits = Limits { first_timeout: ms(100), min_timeout: ms(50), ..Limits::default() };
    let mut run = Run::new(World { delay: ms(150), ..World::new(3) }, limits);
    let snapshot = run.cycle();
    assert_eq!(snapshot.tables[0].len(), 3);
    assert!(run.device.counts().late >= 1);
    let before = *run.device.counts();
    run.cycle();
    assert_eq!(run.device.counts().timeouts, before.timeouts, "it is known by now how long answers take");
}

#[test]
fn a_dead_device_costs_its_tries_then_a_probe_and_is_left_alone() {
    let limits = Limits { failures: 2, pause: ms(60_000), cycle: ms(60_000), ..Limits::default() };
    let mut run = Run::new(World { loss: 1, ..World::new(3) }, limits);
    for requests in [3, 6] {
        let snapshot = run.cycle();
        assert!(!snapshot.is_heard);
        assert_eq!(snapshot.scalars[0].value, Err(Missing::NoAnswer));
        assert_eq!(snapshot.tables[0].columns[0].missing, Some(Missing::NoAnswer));
        assert_eq!(run.device.counts().requests, requests);
    }
    let ended = run.now;
    assert_eq!(run.device.begin(ended + ms(1)), Begun::Paused(ended + ms(60_000)));
    run.now = ended + ms(60_000);
    run.cycle();
    assert_eq!((run.device.counts().requests, run.device.counts().skipped), (7, 1));
    assert_eq!(run.device.begin(run.now + ms(60_000)), Begun::Paused(run.now + ms(120_000)));
    // It comes back.
    run.now += ms(120_000);
    run.world.loss = 0;
    assert!(run.cycle().is_heard);
    assert_eq!(run.device.failures(), 0);
}

#[test]
fn liars_are_found_out_and_cost_one_cycle() {
    for (lie, missing) in [
        (Lie::Backwards, Missing::NotIncreasing),
        (Lie::Repeats, Missing::NotIncreasing),
        (Lie::TooMany, Missing::Unfit),
        (Lie::Empty, Missing::Unfit),
    ] {
        let mut run = Run::new(World { lie, ..World::new(30) }, Limits::default());
        let snapshot = run.cycle();
        let columns = &snapshot.tables[0].columns;
        assert!(columns.iter().all(|column| column.missing == Some(missing)), "{lie:?}: {columns:?}");
        assert!(run.device.counts().requests < 10, "{lie:?}");
    }
    // The names of others are nothing of the table, and not the scalars that were requested.
    let mut run = Run::new(World { lie: Lie::OtherNames, ..World::new(30) }, Limits::default());
    let snapshot = run.cycle();
    assert_eq!(snapshot.scalars[0].value, Err(Missing::Unfit));
    assert!(snapshot.tables[0].is_empty());
}

#[test]
fn a_value_that_cannot_be_read_costs_its_column_and_no_more() {
    let mut run = Run::new(World { lie: Lie::Unreadable, ..World::new(30) }, Limits::default());
    for _ in 0..2 {
        let snapshot = run.cycle();
        let table = &snapshot.tables[0];
        assert!(snapshot.is_heard && table.len() == 30);
        assert_eq!(
            table.columns.iter().map(|it| it.missing).collect::<Vec<_>>(),
            [None, Some(Missing::Unfit)]
        );
        let found = (0..30).filter(|row| table.cell(*row, 1).is_some());
        assert_eq!(found.count(), 19, "those before it");
    }
    assert!(run.device.counts().unfit > 0 && run.device.failures() == 0);
}

#[test]
fn values_of_wrong_types_are_left_out_and_counted() {
    let mut world = World::new(30);
    world.objects.insert(column(10).child(&[7]), Value::Integer(-5));
    let kinds = [(column(2), ValueKind::OctetString), (column(10), ValueKind::Counter32)];
    let name = Oid::from([1, 3, 6, 1, 2, 1, 1, 5, 0]);
    world.objects.insert(name.clone(), Value::Integer(1));
    let mut run = Run::new(world, Limits::default());
    let kinds = kinds.into_iter().chain([(name.clone(), ValueKind::OctetString)]).collect();
    let wanted = Wanted { scalars: vec![name], tables: vec![vec![column(2), column(10)]], kinds };
    run.device = Device::new(Arc::new(wanted), Limits::default());
    let snapshot = run.cycle();
    let table = &snapshot.tables[0];
    assert_eq!(snapshot.scalars[0].value, Err(Missing::WrongType));
    assert_eq!((table.len(), table.cell(6, 1).is_some(), table.cell(7, 1).is_some()), (30, false, true));
    assert_eq!(
        table.columns.iter().map(|it| it.missing).collect::<Vec<_>>(),
        [None, Some(Missing::WrongType)]
    );
    assert_eq!(run.device.counts().unfit, 2);
}

#[test]
fn an_endless_walk_ends_at_the_limits() {
    let limits = Limits { rows: 500, ..Limits::default() };
    let mut run = Run::new(World { endless: true, ..World::new(1) }, limits.clone());
    let snapshot = run.cycle();
    assert_eq!(snapshot.tables[0].columns[0].missing, Some(Missing::TooLong));
    assert_eq!(snapshot.tables[0].len(), 500);
    let slow = Limits { rows: usize::MAX, cycle: ms(500), ..limits };
    let mut run = Run::new(World { endless: true, ..World::new(1) }, slow);
    let snapshot = run.cycle();
    assert!(snapshot.is_overrun);
    assert_eq!(snapshot.tables[0].columns[0].missing, Some(Missing::Deadline));
    assert_eq!(snapshot.ended, ms(1500));
}

#[test]
fn a_restart_is_seen_and_what_was_read_before_is_read_again() {
    let mut run = Run::new(World::new(300), Limits::default());
    run.now = ms(1_000_000);
    assert_eq!(run.cycle().boots, 0);
    // Between two cycles.
    run.now += ms(60_000);
    run.world.booted = run.now - ms(10_000);
    let snapshot = run.cycle();
    assert_eq!((snapshot.boots, run.device.counts().restarts), (1, 1));
    // In the middle of one: counters begin anew.
    run.now += ms(60_000);
    let begins = run.now;
    let snapshot = run.cycle_with(|world, now| {
        if now >= begins + ms(20) && world.booted < begins {
            world.booted = now;
            for (name, value) in &mut world.objects {
                if name.starts_with(&column(10)) {
                    *value = Value::Counter32(7);
                }
            }
        }
    });
    assert_eq!(snapshot.boots, 2);
    let table = &snapshot.tables[0];
    assert_eq!(table.len(), 300);
    let mut cells = (0..300).map(|row| table.columns[1].cells.get(row));
    assert!(cells.all(|cell| cell == Some(ValueRef::Counter32(7))), "none of the life before");
}

#[test]
fn rows_that_come_and_go_during_a_walk_leave_holes_and_no_more() {
    let mut run = Run::new(World::new(200), Limits::default());
    let mut step = 0;
    let snapshot = run.cycle_with(|world, _| {
        step += 1;
        world.objects.remove(&column(10).child(&[190]));
        world.objects.insert(column(2).child(&[1000 + step]), Value::text("new"));
        world.objects.remove(&column(2).child(&[step]));
    });
    let table = &snapshot.tables[0];
    assert!((1..table.len()).all(|row| table.index_of(row - 1) < table.index_of(row)));
    assert!(table.columns.iter().all(|column| column.missing.is_none()));
    let at = table.find(&[190]);
    assert_eq!((table.index_of(at), table.cell(at, 1)), (&[190][..], None));
    for (row, (index, _)) in table.rows().enumerate() {
        let counter = table.cell(row, 1).map(|(value, _)| value);
        assert!(counter.is_none_or(|counter| counter == ValueRef::Counter32(index[0] * 100)));
        let name = if index[0] > 1000 { "new".into() } else { format!("eth{}", index[0]) };
        let found = table.cell(row, 0).map(|(value, _)| value);
        assert!(found.is_none_or(|found| found == ValueRef::OctetString(name.as_bytes())));
    }
}

#[test]
fn devices_have_one_memory_and_each_goes_on_when_it_is_full() {
    let pool = Arc::new(Pool::new(1 << 16));
    let run = |rows| {
        let mut run = Run::new(World::new(rows), Limits::default());
        run.device = run.device.with_account(Some(Account::of(&pool)));
        run
    };
    let (mut large, mut small, mut late) = (run(700), run(100), run(700));
    let read = |run: &mut Run| {
        let snapshot = run.cycle();
        let missing = snapshot.tables[0].columns.iter().find_map(|column| column.missing);
        assert!(snapshot.is_heard && snapshot.scalars[0].at > ms(0));
        (snapshot.tables[0].len(), missing)
    };
    for _ in 0..2 {
        assert_eq!(read(&mut large), (700, None), "what it has it has again");
        assert_eq!(read(&mut small), (100, None), "each has a share");
        let (rows, missing) = read(&mut late);
        assert!((100..700).contains(&rows) && missing == Some(Missing::NoMemory), "{rows} {missing:?}");
    }
    // The memory is free again when the others have gone.
    drop(large);
    assert_eq!(read(&mut late), (700, None));
    // A cycle waits while others have the memory for what is being read.
    let mut another = run(700);
    assert_eq!(read(&mut another).1, Some(Missing::NoMemory));
    let now = late.now.max(another.now) + ms(100_000);
    assert_eq!(late.device.begin(now), Begun::Cycle);
    assert_eq!(another.device.begin(now), Begun::Full);
    while late.device.take(now + ms(20_000)).is_none() {}
    assert_eq!(another.device.begin(now), Begun::Cycle);
}

#[test]
fn snmpv1_ends_columns_one_by_one() {
    let limits = Limits { has_bulk: false, ..Limits::default() };
    let mut run = Run::new(World::new(4), limits);
    assert_eq!(run.cycle().tables[0].len(), 4);
    // noSuchName of the second column, of sysUpTime, and of a scalar.
    let wanted = Wanted { scalars: vec![column(7), column(8)], ..Wanted::default() };
    let mut device = Device::new(Arc::new(wanted), Limits { has_bulk: false, ..Limits::default() });
    device.begin(ms(0));
    let ask = |device: &mut Device, id| match device.request(ms(0), || id) {
        Some(Request { ask: Ask::Get(names), .. }) => names.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(ask(&mut device, 1), 3);
    device.answered(1, Answer::Error { status: 2, index: 1 }, ms(1));
    assert_eq!(ask(&mut device, 2), 2, "without sysUpTime");
    device.answered(2, Answer::Error { status: 2, index: 2 }, ms(2));
    assert_eq!(ask(&mut device, 3), 1);
    device.answered(3, Answer::Bindings(vec![VarBind::new(column(7), Value::Integer(1))]), ms(3));
    let snapshot = device.take(ms(3)).unwrap();
    assert_eq!(snapshot.scalars[0].value, Ok(Value::Integer(1)));
    assert_eq!(snapshot.scalars[1].value, Err(Missing::NotThere));
}

#[test]
fn strangers_answers_and_lost_sessions_are_counted() {
    let mut device = Device::new(Arc::default(), Limits { tries: 1, ..Limits::default() });
    assert_eq!(device.answered(5, Answer::Bindings(vec![]), ms(0)), Heard::Stray);
    device.begin(ms(0));
    device.request(ms(0), || 1).unwrap();
    assert_eq!(device.answered(7, Answer::Bindings(vec![]), ms(1)), Heard::Stray);
    device.disbelieved();
    device.answered(1, Answer::Failed("the session is closed".into()), ms(2));
    let snapshot = device.take(ms(2)).unwrap();
    assert_eq!((snapshot.is_heard, snapshot.failure.as_deref()), (false, Some("the session is closed")));
    let Counts { strays, foreign, failed, .. } = *device.counts();
    assert_eq!((strays, foreign, failed), (2, 1, 1));
    assert_eq!(device.answered(1, Answer::Bindings(vec![]), ms(3)), Heard::Doubled);
}

proptest! {
    #[test]
    fn whatever_the_network_does_the_limits_hold(
        rows in 0..300_u32,
        delay in 1..3000_u64,
        loss in 0..6_u64,
        doubles: bool,
        most in 1..80_usize,
        window in 1..6_u32,
        endless: bool,
        kept in 10..200_usize,
    ) {
        let world = World { delay: ms(delay), loss, doubles, most, endless, ..World::new(rows) };
        let limits = Limits { window, rows: kept, cycle: ms(8000), ..Limits::default() };
        let mut run = Run::new(world, limits);
        for _ in 0..3 {
            if let Some(until) = run.device.breaker.until(run.now) {
                run.now = until;
            }
            let began = run.now;
            let snapshot = run.cycle();
            prop_assert!(snapshot.ended <= began + ms(8000), "one deadline");
            prop_assert!(run.last_sent < began + ms(8000), "no request after it");
            prop_assert!(run.widest <= window as usize, "the window");
            for table in &snapshot.tables {
                prop_assert!(table.len() <= kept, "memory");
                prop_assert!((1..table.len()).all(|row| table.index_of(row - 1) < table.index_of(row)));
            }
            prop_assert!(run.device.over.len() <= REMEMBERED);
            prop_assert!(run.device.cycle.is_none());
            run.now += ms(1000);
        }
    }
}

/// Tables are read whole.
fn of_tables() -> Limits {
    Limits { has_tables: true, ..Limits::default() }
}

#[test]
fn a_table_that_can_be_read_whole_is_one_request_whatever_its_rows() {
    // One that takes as long as a cycle may is not requested again meanwhile.
    let world = World { most: 100_000, delay: ms(4000), ..World::new(3000) };
    let mut run = Run::new(world, Limits { max_timeout: ms(4500), ..of_tables() });
    let snapshot = run.cycle();
    let table = &snapshot.tables[0];
    assert_eq!((table.len(), table.index_of(2999)), (3000, &[3000][..]));
    assert_eq!(table.cell(2999, 1), Some((ValueRef::Counter32(300_000), snapshot.ended)));
    assert!(table.columns.iter().all(|column| column.missing.is_none()));
    assert!(snapshot.is_heard && snapshot.up_time.is_some());
    // The scalar, again since it took longer than the first time-out, and the table.
    assert!(run.device.counts().requests <= 4, "{:?}", run.device.counts());
    let before = run.device.counts().requests;
    run.cycle();
    assert_eq!(run.device.counts().requests - before, 2);
}

#[test]
fn a_table_that_is_too_much_at_once_is_read_in_parts() {
    let mut run = Run::new(World { most: 1500, ..World::new(1000) }, of_tables());
    let snapshot = run.cycle();
    let table = &snapshot.tables[0];
    assert!((0..1000).all(|row| table.cell(row, 0).is_some() && table.cell(row, 1).is_some()));
    assert_eq!(run.device.counts().requests, 4, "the scalar, both columns, each of them");
    let mut run = Run::new(World { most: 500, ..World::new(1000) }, of_tables());
    let columns = &run.cycle().tables[0].columns;
    assert!(columns.iter().all(|column| column.missing == Some(Missing::Refused(1))));
}

#[test]
fn of_a_whole_table_no_more_is_kept_than_of_another() {
    for (limits, rows) in
        [(Limits { rows: 10, ..of_tables() }, 10), (Limits { octets: 1000, ..of_tables() }, 1)]
    {
        let mut run = Run::new(World { most: 1000, ..World::new(100) }, limits);
        let snapshot = run.cycle();
        let table = &snapshot.tables[0];
        assert!(table.len() >= rows && table.len() < 100);
        assert!(table.columns.iter().all(|column| column.missing == Some(Missing::TooLong)));
    }
    let pool = Pool::new(4000);
    let mut run = Run::new(World { most: 1000, ..World::new(1000 / 2) }, of_tables());
    run.device = run.device.with_account(Some(Account::of(&pool.into())));
    let snapshot = run.cycle();
    assert!(snapshot.tables[0].columns.iter().all(|column| column.missing == Some(Missing::NoMemory)));
    for (lie, missing) in
        [(Lie::Cut, Missing::TooLong), (Lie::TooMany, Missing::Unfit), (Lie::Empty, Missing::Unfit)]
    {
        let mut run = Run::new(World { lie, ..World::new(10) }, of_tables());
        let snapshot = run.cycle();
        assert_eq!(snapshot.tables[0].len(), if lie == Lie::Cut { 10 } else { 0 });
        assert!(snapshot.tables[0].columns.iter().all(|column| column.missing == Some(missing)), "{lie:?}");
    }
}

#[test]
fn the_wait_for_room_is_not_of_the_devices_time() {
    let mut run = Run::new(World { most: 1000, ..World::new(100) }, of_tables());
    assert_eq!(run.device.begin(ms(0)), Begun::Cycle);
    for (id, at) in [(1, 0), (2, 100)] {
        let Request { ask, .. } = run.device.request(ms(at), || id).unwrap();
        assert_eq!(run.device.request(ms(at), || 9), None, "one at a time");
        assert_eq!(matches!(ask, Ask::Table { .. }), id == 2);
        let waited = if id == 2 { 600_000 } else { 0 };
        run.device.waited(ms(waited));
        let arrives = ms(at + waited + 100);
        assert_eq!(run.device.answered(id, run.world.answer(&ask, arrives), arrives), Heard::Used);
    }
    let snapshot = run.device.take(ms(600_200)).unwrap();
    assert_eq!((snapshot.tables[0].len(), snapshot.is_overrun), (100, false));
    assert_eq!((run.device.round_trip(), run.device.counts().timeouts), (Some(ms(100)), 0));
    // What comes too late after the wait is too late.
    assert_eq!(run.device.begin(ms(700_000)), Begun::Cycle);
    let Request { ask, .. } = run.device.request(ms(700_000), || 3).unwrap();
    run.device.answered(3, run.world.answer(&ask, ms(700_000)), ms(700_000));
    run.device.request(ms(700_000), || 4).unwrap();
    run.device.waited(ms(600_000));
    assert!(run.device.take(ms(1_309_999)).is_none());
    assert!(run.device.take(ms(1_310_000)).unwrap().is_overrun);
}

#[test]
fn a_device_that_may_be_gone_is_not_asked_for_a_whole_table_first() {
    let wanted = Wanted { tables: vec![vec![column(2)]], ..Wanted::default() };
    let mut device = Device::new(Arc::new(wanted), of_tables());
    device.begin(ms(0));
    let first = device.request(ms(0), || 1).unwrap();
    assert_eq!(first.ask, Ask::Get(vec![Oid::from(UP_TIME)]));
}

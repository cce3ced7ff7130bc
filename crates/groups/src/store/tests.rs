//! Members that answer, fall silent and start again, and what is computed of them.

use trunkline_config::{Credentials, FilterPlan, FunctionPlan, MemberPlan, MemberWay, PeerAddress, PeerRole};
use trunkline_polling::{Health, Held, Missing, Scalar, Table};

use trunkline_smi::ValueKind;

use super::*;

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

const IN: &str = "1.3.6.1.2.1.2.2.1.10";
const KIND: &str = "1.3.6.1.2.1.2.2.1.3";
const NAME: &str = "1.3.6.1.2.1.1.5.0";

pub(crate) fn member_plan(name: &str) -> MemberPlan {
    MemberPlan {
        name: name.into(),
        way: MemberWay::Snmp {
            address: PeerAddress::parse("udp://192.0.2.1", PeerRole::Agent).unwrap(),
            server: None,
            credentials: Credentials::V2c { community: b"public".to_vec() },
        },
        context: String::new(),
        is_manager: false,
        with_values: false,
    }
}

pub(crate) fn aggregate_plan(name: &str, function: FunctionPlan) -> AggregatePlan {
    AggregatePlan {
        name: name.into(),
        object: oid(IN),
        function,
        over: OverPlan::Instances,
        rate: false,
        units: "octets".into(),
        filter: None,
    }
}

pub(crate) fn group_plan(name: &str, members: &[&str]) -> GroupPlan {
    GroupPlan {
        name: name.into(),
        importance: 1,
        interval: seconds(10),
        deadline: seconds(5),
        max_age: seconds(30),
        objects: vec![oid(NAME)],
        tables: vec![vec![oid(KIND), oid(IN)]],
        members_file: None,
        members: members.iter().map(|name| member_plan(name)).collect(),
        groups: Vec::new(),
        aggregates: Vec::new(),
        peer: None,
    }
}

/// What was read of a member at a moment: rows of index, ifType, ifInOctets.
pub(crate) fn report(at: Duration, rows: &[(u32, i32, u32)]) -> Report {
    let mut table = Table::of(2);
    for (index, kind, counter) in rows {
        table.push(&[*index], at, [Some(Value::Integer(*kind)), Some(Value::Counter32(*counter))]);
    }
    let snapshot = Snapshot {
        began: at.saturating_sub(seconds(1)),
        ended: at,
        is_heard: true,
        is_overrun: false,
        boots: 0,
        up_time: None,
        failure: None,
        scalars: vec![Scalar { value: Ok(Value::text("name")), at }],
        tables: vec![table],
        held: Held::default(),
    };
    Report { key: 0, snapshot: Some(snapshot), health: Health::default() }
}

/// No answer, for the so manieth time.
pub(crate) fn silence(at: Duration, failures: u32) -> Report {
    let mut report = report(at, &[]);
    report.health.failures = failures;
    if let Some(snapshot) = &mut report.snapshot {
        (snapshot.is_heard, snapshot.failure) = (false, None);
    }
    report
}

fn value(store: &Store, group: &str, now: Duration) -> Vec<(Option<f64>, u32, u32)> {
    let group = &store.groups[group];
    let outcome = |aggregate| store.aggregate(group, aggregate, now);
    let outcomes = group.plan.aggregates.iter().map(outcome);
    let real = |number: Number| number.real();
    outcomes.map(|outcome| (outcome.value.map(real), outcome.counted, outcome.missing)).collect()
}

#[test]
fn values_of_members_are_added_and_what_is_missing_is_counted() {
    let mut plan = group_plan("edge", &["a", "b", "c"]);
    let ethernet = FilterPlan { object: oid(KIND), equals: FilterEquals::Number(6) };
    plan.aggregates = vec![
        aggregate_plan("sum", FunctionPlan::Sum),
        AggregatePlan { filter: Some(ethernet), ..aggregate_plan("of ethernet", FunctionPlan::Sum) },
        AggregatePlan { over: OverPlan::Members, ..aggregate_plan("most", FunctionPlan::Maximum) },
        AggregatePlan { object: oid(NAME), ..aggregate_plan("of text", FunctionPlan::Sum) },
    ];
    let mut store = Store::new(&[plan]);
    assert!(store.take("edge", "a", report(seconds(1), &[])).is_none(), "the peer reads it");
    store.turn("edge", true);
    store.take("edge", "a", report(seconds(10), &[(1, 24, 5), (2, 6, 100)]));
    store.take("edge", "b", report(seconds(20), &[(7, 6, 50)]));
    let found = value(&store, "edge", seconds(21));
    // c has never answered.
    assert_eq!(found[0], (Some(155.0), 3, 1));
    assert_eq!(found[1], (Some(150.0), 2, 1));
    assert_eq!(found[2], (Some(105.0), 2, 1));
    assert_eq!(found[3], (None, 0, 3), "texts have no sum");
    // What is older than may be is missing, not old.
    assert_eq!(value(&store, "edge", seconds(45))[0], (Some(50.0), 1, 3));
    assert_eq!(value(&store, "edge", seconds(99))[0], (None, 0, 4));
}

#[test]
fn rates_are_per_second_and_unknown_across_a_restart() {
    let mut plan = group_plan("edge", &["a"]);
    plan.aggregates = vec![AggregatePlan { rate: true, ..aggregate_plan("rate", FunctionPlan::Sum) }];
    let mut store = Store::new(&[plan]);
    store.turn("edge", true);
    let mut at = |at, counter, boots| {
        let mut report = report(seconds(at), &[(1, 6, counter)]);
        report.snapshot.iter_mut().for_each(|snapshot| snapshot.boots = boots);
        store.take("edge", "a", report);
        value(&store, "edge", seconds(at))[0]
    };
    assert_eq!(at(10, u32::MAX - 499, 0), (None, 0, 1), "one sample is not a rate");
    assert_eq!(at(20, 500, 0), (Some(100.0), 1, 0), "wrapped");
    assert_eq!(at(30, 700, 1), (None, 0, 1), "restarted");
    assert_eq!(at(40, 900, 1), (Some(20.0), 1, 0));
}

#[test]
fn a_member_is_reported_down_once_after_two_cycles() {
    let mut store = Store::new(&[group_plan("edge", &["a"])]);
    store.turn("edge", true);
    assert_eq!(store.take("edge", "a", report(seconds(1), &[])), None, "that it is there is not news");
    assert_eq!(store.take("edge", "a", silence(seconds(2), 1)), None);
    assert_eq!(store.groups["edge"].members["a"].state, State::Down);
    assert_eq!(store.take("edge", "a", silence(seconds(3), 2)), Some((Turn::Down, "no answer".into())));
    assert_eq!(store.take("edge", "a", silence(seconds(4), 3)), None);
    assert_eq!(store.take("edge", "a", report(seconds(5), &[])), Some((Turn::Up, String::new())));
    for at in 6..20 {
        // It flaps.
        assert_eq!(store.take("edge", "a", silence(seconds(2 * at), 1)), None);
        assert_eq!(store.take("edge", "a", report(seconds(2 * at + 1), &[])), None);
    }
    let mut partly = report(seconds(50), &[(1, 6, 3)]);
    partly.snapshot.iter_mut().for_each(|it| it.tables[0].columns[1].missing = Some(Missing::TooLong));
    store.take("edge", "a", partly);
    let member = &store.groups["edge"].members["a"];
    let reason = "more than is kept of a device: 20000 rows of a table and 8 MiB";
    assert_eq!((member.state, member.reason.as_str()), (State::Partial, reason));
    let mut cut = report(seconds(55), &[(1, 6, 3)]);
    cut.snapshot.iter_mut().for_each(|it| {
        it.tables[0].columns[1].missing = Some(Missing::NoAnswer);
        it.failure = Some("its answer was cut".into());
    });
    store.take("edge", "a", cut);
    let member = &store.groups["edge"].members["a"];
    assert_eq!((member.state, member.reason.as_str()), (State::Partial, "its answer was cut"));
    let mut without_memory = report(seconds(60), &[(1, 6, 3)]);
    without_memory
        .snapshot
        .iter_mut()
        .for_each(|it| it.tables[0].columns[1].missing = Some(Missing::NoMemory));
    store.take("edge", "a", without_memory);
    let member = &store.groups["edge"].members["a"];
    assert!(member.state == State::Partial && member.reason.contains("`memory` in [groups]"));
}

#[test]
fn a_member_that_answers_and_has_nothing_is_partial_with_a_reason() {
    let mut store = Store::new(&[group_plan("edge", &["a"])]);
    store.turn("edge", true);
    let mut take = |change: &dyn Fn(&mut Snapshot)| {
        let mut report = report(seconds(10), &[]);
        change(report.snapshot.as_mut().unwrap());
        store.take("edge", "a", report);
        let member = &store.groups["edge"].members["a"];
        (member.state, !member.reason.is_empty())
    };
    let without_name = |snapshot: &mut Snapshot| snapshot.scalars[0].value = Err(Missing::NotThere);
    assert_eq!(take(&without_name), (State::Partial, true));
    // One with a sysUpTime is an agent, whose tables may have no rows.
    let agent = |snapshot: &mut Snapshot| {
        without_name(snapshot);
        snapshot.up_time = Some((1, seconds(10)));
    };
    assert_eq!(take(&agent), (State::Up, false));
    assert_eq!(take(&|_| ()), (State::Up, false));
}

#[test]
fn a_group_within_a_group_is_read_once_and_counts_in_both() {
    let mut outer = group_plan("all", &["x"]);
    outer.groups = vec!["edge".into()];
    outer.objects.clear();
    outer.tables = vec![vec![oid("1.3.6.1.2.1.31.1.1.1.6")]];
    outer.aggregates = vec![AggregatePlan { rate: true, ..aggregate_plan("rate", FunctionPlan::Sum) }];
    let mut inner = group_plan("edge", &["a"]);
    inner.aggregates = vec![aggregate_plan("sum", FunctionPlan::Sum)];
    let mut store = Store::new(&[outer, inner]);
    let wanted = &store.groups["edge"].wanted;
    assert_eq!(wanted.tables.len(), 2, "what the outer group wants is read of the inner one");
    for group in ["all", "edge"] {
        store.turn(group, true);
    }
    for at in [10, 20] {
        let mut report = report(seconds(at), &[(1, 6, at as u32 * 10)]);
        report.snapshot.iter_mut().for_each(|it| it.tables.push(Table::default()));
        store.take("edge", "a", report);
    }
    assert_eq!(value(&store, "edge", seconds(20))[0].0, Some(200.0));
    assert_eq!(value(&store, "all", seconds(20))[0], (Some(10.0), 1, 1));
}

#[test]
fn what_is_left_to_the_peer_is_forgotten() {
    let mut plan = group_plan("edge", &["a"]);
    plan.aggregates = vec![aggregate_plan("sum", FunctionPlan::Sum)];
    let mut store = Store::new(&[plan]);
    store.turn("edge", true);
    store.take("edge", "a", report(seconds(1), &[(1, 6, 5)]));
    store.turn("edge", false);
    assert_eq!(store.groups["edge"].members["a"].state, State::NotRead);
    assert_eq!(value(&store, "edge", seconds(2))[0], (None, 0, 1));
    assert!(store.take("edge", "a", report(seconds(3), &[(1, 6, 5)])).is_none());
    assert_eq!(value(&store, "edge", seconds(4))[0].0, None, "a late report of the time before");
}

#[test]
fn the_types_of_built_in_objects_are_known() {
    let store = Store::new(&[group_plan("edge", &["a"])]);
    let kinds = &store.groups["edge"].wanted.kinds;
    let kind = |name: &str| kinds.get(&oid(name)).copied();
    assert_eq!(kind(IN), Some(ValueKind::Counter32));
    assert_eq!(kind(NAME), Some(ValueKind::OctetString));
    assert_eq!(kinds.len(), 3);
}

//! When the tree requests a load, which snapshot a request sees, and that the answer does not depend on where in
//! a request a load happens.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use trunkline_smi::{OidList, Value};
use trunkline_testkit::fixture::Fixture;
use trunkline_testkit::fixture::schema::{FACTS, HOST_TABLE, PORT_TABLE, PORTS};
use trunkline_testkit::recording::Recording;
use trunkline_testkit::synthetic::{Log, Synthetic, column_oid};
use trunkline_tree::{
    Freshness, Group, Loaded, Progress, Provider, Query, Snapshot, SourceError, TreeBuilder, View, Walker,
};

const POLICIES: [Freshness; 4] = [
    Freshness::PerObject,
    Freshness::PerRequest,
    Freshness::MaxAge(Duration::ZERO),
    Freshness::MaxAge(Duration::from_secs(1)),
];

const NANOSECOND: Duration = Duration::from_nanos(1);

fn loads(fixture: &Fixture) -> [usize; 3] {
    [&fixture.facts, &fixture.ports, &fixture.peers].map(|provider| provider.loads())
}

/// How often one request loads facts, ports and peers, when nothing has been loaded before.
fn check(policy: Freshness, question: &str, expected: [usize; 3]) {
    let fixture = Fixture::new(policy);
    fixture.asker().text(question);
    assert_eq!(loads(&fixture), expected, "{policy:?}: {question}");
}

#[test]
fn per_object_loads_for_each_object() {
    let check = |question, expected| check(Freshness::PerObject, question, expected);
    check("get portName.1 portName.2 portIn.1", [0, 3, 0]);
    check("get factNumber.0 portName.1 factNumber.0", [2, 1, 0]);
    check("get portName.4 2.999", [0, 1, 0]);
    check("next portName portIn", [0, 2, 0]);
    check("bulk 0 5 portIn", [0, 5, 0]);
    check("bulk 1 2 factNumber portIn portName", [1, 4, 0]);
    // Searching on in the next group loads that one too, for this object.
    check("next factGauge.0", [1, 1, 0]);
    check("bulk 0 2 portHigh.2147483647", [2, 1, 1]);
}

#[test]
fn the_other_policies_load_once_for_a_request() {
    for policy in &POLICIES[1..] {
        let check = |question, expected| check(*policy, question, expected);
        check("get portName.1 portName.2 portIn.1", [0, 1, 0]);
        check("get factNumber.0 portName.1 factNumber.0", [1, 1, 0]);
        check("get 2.999", [0, 0, 0]);
        check("bulk 0 5 portIn", [0, 1, 0]);
        check("bulk 0 99 factNumber portIn", [1, 1, 1]);
        check("next factGauge.0", [1, 1, 0]);
    }
}

/// With leave to end early: the names answered, and what was loaded for it.
#[track_caller]
fn check_early(policy: Freshness, question: &str, answers: usize, expected: [usize; 3]) {
    let fixture = Fixture::new(policy);
    let text = fixture.asker().may_end_early().text(question);
    assert_eq!(text.split(' ').count(), answers, "{policy:?}: {question}: {text}");
    assert_eq!(loads(&fixture), expected, "{policy:?}: {question}");
}

#[test]
fn a_bulk_may_end_where_another_group_must_be_loaded() {
    let all_of_ports = {
        let fixture = Fixture::new(Freshness::PerRequest);
        fixture.asker().may_end_early().text("bulk 0 99 portIn").split(' ').count()
    };
    for policy in POLICIES {
        // Per object, one more load finds that the group has nothing after the last one.
        let loads_of_ports = if policy == Freshness::PerObject { all_of_ports + 1 } else { 1 };
        check_early(policy, "bulk 0 99 portIn", all_of_ports, [0, loads_of_ports, 0]);
        // What the first repetition needs is loaded, always.
        check_early(policy, "bulk 0 1 factGauge.0", 1, [1, 1, 0]);
        // Only a single repeated name ends early: the others keep whole rows.
        check_early(policy, "next factGauge.0", 1, [1, 1, 0]);
    }
    // A group that is fresh is gone through.
    let fixture = Fixture::new(Freshness::MaxAge(Duration::from_secs(1)));
    let whole = fixture.asker().text("bulk 0 999 factNumber");
    assert_eq!(fixture.asker().may_end_early().text("bulk 0 999 factNumber"), whole);
}

#[test]
fn a_new_request_loads_by_policy() {
    for (policy, expected) in POLICIES.iter().zip([[2, 3], [2, 3], [2, 3], [1, 1]]) {
        let fixture = Fixture::new(*policy);
        fixture.asker().text("get portIn.1");
        for loads in expected {
            fixture.pass(NANOSECOND);
            fixture.asker().text("get portIn.1");
            assert_eq!(fixture.ports.loads(), loads, "{policy:?}");
        }
    }
}

#[test]
fn max_age_is_counted_from_the_beginning_of_the_load() {
    let second = Duration::from_secs(1);
    let fixture = Fixture::new(Freshness::MaxAge(second));
    fixture.asker().text("get portIn.1");
    fixture.pass(second);
    fixture.asker().text("get portIn.1");
    assert_eq!(fixture.ports.loads(), 1);
    fixture.pass(NANOSECOND);
    fixture.asker().text("get portIn.1");
    assert_eq!(fixture.ports.loads(), 2);
}

#[test]
fn an_invalidated_snapshot_is_read_anew_once() {
    for policy in [Freshness::MaxAge(Duration::MAX), Freshness::MaxAge(Duration::from_secs(9))] {
        let fixture = Fixture::new(policy);
        let group = fixture.tree.group("ports").unwrap();
        fixture.asker().text("get portIn.1");
        fixture.pass(NANOSECOND);
        fixture.tree.invalidate(group, fixture.now());
        for _ in 0..3 {
            fixture.pass(NANOSECOND);
            fixture.asker().text("get portIn.1 factNumber.0");
            assert_eq!(loads(&fixture), [1, 2, 0]);
        }
    }
}

#[test]
fn the_policy_can_be_changed_at_any_time() {
    let fixture = Fixture::new(Freshness::MaxAge(Duration::MAX));
    let group = fixture.tree.group("ports").unwrap();
    let ask = |expected| {
        fixture.pass(NANOSECOND);
        fixture.asker().text("get portIn.1 portIn.2");
        assert_eq!(fixture.ports.loads(), expected);
    };
    ask(1);
    for (policy, expected) in [
        (Freshness::PerRequest, 2),
        (Freshness::PerObject, 4),
        (Freshness::MaxAge(Duration::from_secs(1)), 4),
    ] {
        fixture.tree.set_freshness(group, policy);
        assert_eq!(fixture.tree.freshness(group), policy);
        ask(expected);
    }
}

#[test]
fn a_provider_may_report_that_nothing_changed() {
    let fixture = Fixture::new(Freshness::PerRequest);
    fixture.ports.claim_unchanged(true);
    assert_eq!(fixture.asker().text("get portIn.1"), "portIn.1=100");
    fixture.ports.put_cell(&PORT_TABLE, &[1], 3, Value::Counter32(101));
    fixture.pass(NANOSECOND);
    assert_eq!(fixture.asker().text("get portIn.1"), "portIn.1=100");
    assert_eq!(fixture.ports.loads(), 2);
    fixture.ports.claim_unchanged(false);
    fixture.pass(NANOSECOND);
    assert_eq!(fixture.asker().text("get portIn.1"), "portIn.1=101");
}

#[test]
fn a_failed_load_leaves_the_snapshot_to_requests_it_is_fresh_enough_for() {
    let fixture = Fixture::new(Freshness::MaxAge(Duration::from_secs(1)));
    fixture.asker().text("get portIn.1");
    let early = fixture.asker();
    fixture.pass(Duration::from_secs(2));
    fixture.ports.fail_loads(true);
    assert_eq!(fixture.asker().text("get portIn.1"), "!error@0");
    assert_eq!(early.text("get portIn.1"), "portIn.1=100");
    fixture.ports.fail_loads(false);
    assert_eq!(fixture.asker().text("get portIn.1"), "portIn.1=100");
}

/// Whatever the policy: the same answers, also when a sink was full in between.
#[test]
fn loads_in_between_change_no_answer() {
    let questions = [
        "get factNumber.0 portName.1 peerState.9 portName.10 2.999 factMiddle.0 factAbsent.0",
        "next factNumber factGauge.0 portHigh.10 portHigh.2147483647 hostRaw.1 hostOctets.193",
        "bulk 0 99 factNumber",
        "bulk 0 99 portSpeed",
        "bulk 2 99 factGauge hostOctets.193 portIndex factGauge hostRaw peerState",
        "bulk 0 9 portSpeed portSpeed portIn",
    ];
    for question in questions {
        let (operation, names) = Fixture::default().asker().parse(question);
        let expected = Fixture::default().asker().ask(operation, &names);
        for policy in POLICIES {
            for capacity in 0..=expected.answers.len() {
                let reply = Fixture::new(policy).asker().capacity(capacity).ask(operation, &names);
                assert_eq!(reply.answers, expected.answers[..capacity], "{policy:?}: {question}");
            }
        }
    }
}

/// One request, load by load.
struct Slow<'f> {
    fixture: &'f Fixture,
    walker: Walker,
    sink: Recording,
}

impl Slow<'_> {
    /// Goes on until the end, or to the next group that must be loaded.
    fn advance(&mut self, question: &str) -> Option<&'static str> {
        let asker = self.fixture.asker();
        let (operation, names) = asker.parse(question);
        let names: OidList = names.iter().map(|name| &**name).collect();
        let access = self.fixture.tree.access(View::everything(), View::NOTHING);
        let query = Query {
            operation,
            names: &names,
            access: &access,
            without_counter64: false,
            arrived: self.fixture.now(),
            max_bindings: usize::MAX,
            may_end_early: false,
        };
        match self.walker.advance(&self.fixture.tree, &query, &mut self.sink) {
            Progress::Load(group) => self.fixture.tree.group_names().nth(group.position()),
            Progress::Done => None,
            Progress::Full { .. } => unreachable!("the sink is never full"),
            Progress::Ask(_) => unreachable!("there is no region"),
        }
    }

    fn load(&self, group: &str) {
        let group = self.fixture.tree.group(group).unwrap();
        self.fixture.tree.load(group, self.fixture.now(), || self.fixture.now()).unwrap();
    }
}

fn slow(fixture: &Fixture) -> Slow<'_> {
    Slow { fixture, walker: Walker::new(), sink: Recording::new(usize::MAX) }
}

#[test]
fn a_request_sees_one_snapshot_throughout() {
    let fixture = Fixture::default();
    let question = "get portIn.1 factNumber.0 portIn.1";
    let mut request = slow(&fixture);
    assert_eq!(request.advance(question), Some("ports"));
    request.load("ports");
    assert_eq!(request.advance(question), Some("facts"));
    // Meanwhile the source changes, and somebody else sees it.
    fixture.ports.put_cell(&PORT_TABLE, &[1], 3, Value::Counter32(101));
    let before = fixture.now();
    fixture.pass(NANOSECOND);
    fixture.tree.invalidate(fixture.tree.group("ports").unwrap(), fixture.now());
    assert_eq!(fixture.asker().text("get portIn.1"), "portIn.1=101");
    let facts = fixture.tree.group("facts").unwrap();
    fixture.tree.load(facts, before, || fixture.now()).unwrap();
    assert_eq!(request.advance(question), None);
    let values: Vec<_> =
        request.sink.into_answers().into_iter().map(|answer| answer.outcome.unwrap()).collect();
    assert_eq!(values, [Value::Counter32(100), Value::Integer(-7), Value::Counter32(100)]);
}

/// A source that changes faster than it can be read must not keep a request waiting for ever:
/// what was read after the request arrived is good enough for it.
#[test]
fn invalidation_during_a_load_does_not_cause_another() {
    for policy in POLICIES {
        let fixture = Fixture::new(policy);
        let question = "get portIn.1";
        let mut request = slow(&fixture);
        assert_eq!(request.advance(question), Some("ports"));
        request.load("ports");
        let later = fixture.now() + NANOSECOND;
        fixture.tree.invalidate(fixture.tree.group("ports").unwrap(), later);
        assert_eq!(request.advance(question), None, "{policy:?}");
        fixture.pass(NANOSECOND + NANOSECOND);
        fixture.asker().text(question);
        assert_eq!(fixture.ports.loads(), 2, "{policy:?}: a later request reads anew");
    }
}

/// With `per-object` rows appear and disappear between two steps of one binding: names keep ascending, rows that
/// stay are all seen, once.
#[test]
fn per_object_goes_on_by_name_not_by_position() {
    let check = |at: usize, change: fn(&Synthetic), question: &str, expected: &str| {
        let fixture = Fixture::new(Freshness::PerObject);
        let changed = Synthetic::new(&PORTS, Log::default());
        change(&changed);
        let rows = changed.values();
        fixture.ports.on_load(move |load, values| {
            if load == at {
                values.retain(|name, _| !name.starts_with(PORT_TABLE.oid));
                values.extend(rows.clone());
            }
        });
        assert_eq!(fixture.asker().text(question), expected);
    };
    check(
        3,
        |p| rows(p, &[2, 3, 10]),
        "bulk 0 4 portIn",
        "portIn.1=100 portIn.2=200 portIn.3=3 portIn.10=10",
    );
    check(3, |p| rows(p, &[0, 1, 2, 3]), "bulk 0 3 portIn", "portIn.1=100 portIn.2=200 portIn.3=3");
    check(2, |p| rows(p, &[]), "bulk 0 2 portIn", "portIn.1=100 factMiddle.0=2147483647");
    check(
        2,
        |p| rows(p, &[7]),
        "bulk 0 2 portIn portIn.2",
        "portIn.1=100 portIn.7=7 portIn.7=7 factMiddle.0=2147483647",
    );
}

fn rows(provider: &Synthetic, rows: &[u32]) {
    rows.iter().for_each(|row| provider.put_cell(&PORT_TABLE, &[*row], 3, Value::Counter32(*row)));
}

#[test]
fn per_object_remembers_the_last_name_of_a_row_that_is_gone() {
    let fixture = Fixture::new(Freshness::PerObject);
    fixture.peers.on_load(|load, values| {
        if load == 3 {
            values.retain(|name, _| !name.starts_with(HOST_TABLE.oid));
        }
    });
    assert_eq!(
        fixture.asker().text("bulk 0 9 hostOctets"),
        "hostOctets.192.0.2.1.0.255=1 hostOctets.192.0.2.2.0.255=2 hostOctets.192.0.2.2.0.255:endOfMibView"
    );
    assert!(!fixture.peers.values().contains_key(&column_oid(&HOST_TABLE, 4).child(&[192, 0, 2, 2, 0, 255])));
}

#[test]
fn concurrent_requests_for_a_snapshot_load_it_once() {
    for (policy, expected) in [
        (Freshness::MaxAge(Duration::from_secs(1)), 1),
        (Freshness::PerRequest, 1),
        (Freshness::PerObject, 8),
    ] {
        let fixture = Fixture::new(policy);
        let everybody = Barrier::new(8);
        let answers: Vec<String> = std::thread::scope(|scope| {
            let ask = || {
                everybody.wait();
                fixture.asker().text("get portIn.1")
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(answers, ["portIn.1=100"; 8]);
        assert_eq!(fixture.ports.loads(), expected, "{policy:?}");
    }
}

#[test]
fn a_provider_that_panics_can_be_loaded_again() {
    let fixture = Fixture::default();
    fixture.ports.on_load(|_, _| panic!("told to panic"));
    assert!(catch_unwind(AssertUnwindSafe(|| fixture.asker().text("get portIn.1"))).is_err());
    assert_eq!(fixture.asker().text("get portIn.1"), "portIn.1=100");
}

/// Returns what it is set to return.
struct Odd(fn() -> Loaded);

impl Provider for Odd {
    fn group(&self) -> &'static Group {
        &PORTS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        Ok((self.0)())
    }
}

#[test]
fn providers_are_not_trusted() {
    let fixture = Fixture::default();
    let load = |loaded: fn() -> Loaded| {
        let mut builder = TreeBuilder::default();
        builder.provider(Arc::new(Odd(loaded)), Freshness::default());
        let tree = builder.build(fixture.now()).unwrap();
        let group = tree.group("ports").unwrap();
        let outcome = tree.load(group, fixture.now(), || fixture.now());
        outcome.map(|()| tree.fresh_snapshot(group, fixture.now()).unwrap().table(&PORT_TABLE).unwrap().len())
    };
    // Unchanged without anything before: empty.
    assert_eq!(load(|| Loaded::Unchanged).unwrap(), 0);
    // A snapshot of another group is an error, not a panic in some request later.
    let error = load(|| Loaded::Snapshot(Snapshot::builder(&FACTS).finish())).unwrap_err();
    assert_eq!(error.to_string(), "cannot read ports: the provider returned a snapshot of another group");
}

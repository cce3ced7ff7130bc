//! RFC 3416 section 4.2.5 as data: what is set, and the outcome, on one line each. After every refusal the
//! providers must hold what they held before.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use trunkline_smi::{Oid, Value};
use trunkline_testkit::fixture::Fixture;
use trunkline_testkit::fixture::schema::PORTS;
use trunkline_testkit::synthetic::Fault;
use trunkline_tree::{
    Freshness, Group, Loaded, Provider, SetBinding, SetCheck, SetError, SetItem, SetStatus, SetTransaction,
    Snapshot, SourceError, TreeBuilder, View,
};

/// Sets `bindings` on a fresh fixture, with access to everything; see [`set`] for their notation.
fn check(bindings: &str, expected: &str) {
    check_with(|_| (), View::everything(), bindings, expected);
}

fn check_with(prepare: impl Fn(&Fixture), write: View, bindings: &str, expected: &str) {
    let fixture = Fixture::default();
    prepare(&fixture);
    let before = values(&fixture);
    let outcome = set(&fixture, write, bindings);
    assert_eq!(outcome, expected, "{bindings}");
    if outcome != "ok" {
        assert_eq!(values(&fixture), before, "{bindings}: refused, and yet something changed");
    }
}

/// `factText.0='hi' portAdmin.1=2 a.1=u:7 b.0=null`: an OCTET STRING, an INTEGER, an Unsigned32, no value.
/// The outcome is `ok`, or what failed at which binding, counted from 0.
fn set(fixture: &Fixture, write: View, bindings: &str) -> String {
    let access = fixture.tree.access(View::everything(), write);
    let bindings: Vec<SetBinding> = bindings.split_whitespace().map(|text| parse(fixture, text)).collect();
    match fixture.tree.set(&access, &bindings, || fixture.now()) {
        Ok(()) => "ok".into(),
        Err(failure) => format!("{:?}@{}", failure.status, failure.binding),
    }
}

fn parse(fixture: &Fixture, text: &str) -> SetBinding {
    let (name, value) = text.split_once('=').unwrap();
    let name = fixture.asker().name(name);
    let value = match value {
        "null" => None,
        text if text.starts_with('\'') => Some(Value::text(text.trim_matches('\''))),
        number => Some(match number.strip_prefix("u:") {
            Some(number) => Value::Unsigned32(number.parse().unwrap()),
            None => Value::Integer(number.parse().unwrap()),
        }),
    };
    SetBinding { name, value }
}

fn values(fixture: &Fixture) -> [BTreeMap<Oid, Value>; 3] {
    [fixture.facts.values(), fixture.ports.values(), fixture.peers.values()]
}

#[test]
fn set_values_are_read_back() {
    let fixture = Fixture::new(Freshness::MaxAge(Duration::MAX));
    let question = "get factText.0 factSerial.0 portName.1 portAdmin.10 peerState.1.4.10.0.0.1.80";
    fixture.asker().text(question);
    fixture.pass(Duration::from_nanos(1));
    let bindings =
        "factText.0='new' portName.1='' factSerial.0=41 portAdmin.10=3 peerState.1.4.10.0.0.1.80=2";
    assert_eq!(set(&fixture, View::everything(), bindings), "ok");
    // Each group is asked once, with all its items, and both phases are complete one after the other.
    assert_eq!(
        fixture.log.take(),
        [
            "facts prepare 2 items",
            "ports prepare 2 items",
            "peers prepare 1 items",
            "facts commit",
            "ports commit",
            "peers commit",
        ]
    );
    fixture.pass(Duration::from_nanos(1));
    assert_eq!(
        fixture.asker().text(question),
        "factText.0='new' factSerial.0=42 portName.1='' portAdmin.10=3 peerState.1.4.10.0.0.1.80=2"
    );
}

#[test]
fn each_check_has_its_failure() {
    check("", "ok");
    // Not writable, or no object at all.
    check("factNumber.0=1", "NotWritable@0");
    check("portIndex.1=1", "NotWritable@0");
    check("1.3.6.1.4.1.32473.3.1.1.1.7=1", "NotWritable@0");
    check("1.3.6.1.4.1.32473=1", "NotWritable@0");
    check("2.999=1", "NotWritable@0");
    // Type, length, value: by the schema.
    check("factText.0=null", "WrongType@0");
    check("factText.0=1", "WrongType@0");
    check("portAdmin.1=u:1", "WrongType@0");
    check("portAdmin.1='x'", "WrongType@0");
    check("factText.0='123456789'", "WrongLength@0");
    check("factText.0='12345678'", "ok");
    check("portAdmin.1=4", "WrongValue@0");
    check("portAdmin.1=0", "WrongValue@0");
    check("factSerial.0=-1", "WrongValue@0");
    // Instances that can never be.
    check("factText.1='x'", "NoCreation@0");
    check("factText='x'", "NoCreation@0");
    check("factText.0.0='x'", "NoCreation@0");
    check("portName='x'", "NoCreation@0");
    check("portName.1.1='x'", "NoCreation@0");
    check("portName.4='x'", "NoCreation@0");
    check("peerState.1.4.127.0.0.1=1", "NoCreation@0");
    check("peerState.1.4.127.0.0.256.80=1", "NoCreation@0");
    check("peerState.1.4.127.0.0.2.80=1", "ok");
    check("factSerial.0=40", "InconsistentValue@0");
}

#[test]
fn the_checks_have_an_order() {
    let nothing = |bindings, expected| check_with(|_| (), View::NOTHING, bindings, expected);
    nothing("2.999=1", "NoAccess@0");
    nothing("factNumber.0=1", "NoAccess@0");
    nothing("factText.1=1", "NoAccess@0");
    check("factNumber.0='x'", "NotWritable@0");
    check("factText.1=1", "WrongType@0");
    check("factText.1='123456789'", "WrongLength@0");
    check("factSerial.1=-1", "WrongValue@0");
}

#[test]
fn the_first_wrong_binding_is_reported() {
    check("factText.0='ok' factNumber.0=1 portAdmin.1=9", "NotWritable@1");
    check("factText.0='ok' portAdmin.1=1 portAdmin.2=9", "WrongValue@2");
    check("factText.0='ok' portName.1='ok' portName.77='no'", "NoCreation@2");
    check("factText.0='ok' portName.1='ok' factSerial.0=7", "InconsistentValue@2");
}

#[test]
fn the_view_guards_instances() {
    let fixture = Fixture::default();
    let ports = fixture.asker().name("portName");
    let view = View::NOTHING.include(ports.clone()).exclude(ports.child(&[2]));
    let check = |bindings, expected| check_with(|_| (), view.clone(), bindings, expected);
    check("portName.1='x'", "ok");
    check("portName.2='x'", "NoAccess@0");
    check("portName.1='x' portName.3='y' portAdmin.1=1", "NoAccess@2");
    // Reading is another view.
    check("factText.0='x'", "NoAccess@0");
}

#[test]
fn one_instance_cannot_be_set_twice_at_once() {
    check("factText.0='a' factText.0='b'", "InconsistentValue@1");
    check("factText.0='a' portName.1='b' factText.0='a'", "InconsistentValue@2");
    check("factSerial.0=41 factSerial.0=41", "InconsistentValue@1");
    check("portName.1='a' portName.2='a'", "ok");
}

#[test]
fn a_provider_refuses_with_its_own_check() {
    for (check, expected) in [
        (SetCheck::WrongValue, "WrongValue@1"),
        (SetCheck::WrongLength, "WrongLength@1"),
        (SetCheck::NoCreation, "NoCreation@1"),
        (SetCheck::InconsistentName, "InconsistentName@1"),
        (SetCheck::NotWritable, "NotWritable@1"),
        (SetCheck::InconsistentValue, "InconsistentValue@1"),
        (SetCheck::ResourceUnavailable, "ResourceUnavailable@1"),
        (SetCheck::CommitFailed, "CommitFailed@1"),
    ] {
        let prepare = |fixture: &Fixture| fixture.ports.fail_sets(Some(Fault::Prepare(check)));
        check_with(prepare, View::everything(), "factText.0='x' portName.1='y' portAdmin.1=2", expected);
    }
}

#[test]
fn a_refusal_in_the_first_phase_commits_nothing() {
    let fixture = Fixture::default();
    fixture.ports.fail_sets(Some(Fault::Prepare(SetCheck::ResourceUnavailable)));
    set(&fixture, View::everything(), "factText.0='x' portName.1='y' peerState.1.4.127.0.0.1.80=2");
    assert_eq!(fixture.log.take(), ["facts prepare 1 items", "ports prepare 1 items"]);
}

/// Three groups, of which `ports` comes second, with one binding, then another of `ports`.
const THREE_GROUPS: &str = "factText.0='x' portName.1='y' peerState.1.4.127.0.0.1.80=2 portName.2='z'";

#[test]
fn a_failed_commit_is_undone_backwards() {
    for fault in [Fault::Commit, Fault::HalfCommit] {
        let fixture = Fixture::default();
        let before = values(&fixture);
        fixture.ports.fail_sets(Some(fault));
        let guilty = if fault == Fault::Commit { 1 } else { 3 };
        assert_eq!(set(&fixture, View::everything(), THREE_GROUPS), format!("CommitFailed@{guilty}"));
        assert_eq!(fixture.log.take()[3..], ["facts commit", "ports commit", "ports undo", "facts undo"]);
        assert_eq!(values(&fixture), before, "{fault:?}");
    }
}

#[test]
fn a_failed_undo_is_reported_and_does_not_stop_the_others() {
    let fixture = Fixture::default();
    let before = values(&fixture);
    fixture.ports.fail_sets(Some(Fault::CommitAndUndo));
    assert_eq!(set(&fixture, View::everything(), THREE_GROUPS), "UndoFailed@1");
    assert_eq!(fixture.log.take()[3..], ["facts commit", "ports commit", "ports undo", "facts undo"]);
    assert_eq!(values(&fixture), before);

    let fixture = Fixture::default();
    fixture.facts.fail_sets(Some(Fault::Undo));
    fixture.peers.fail_sets(Some(Fault::Commit));
    assert_eq!(set(&fixture, View::everything(), THREE_GROUPS), "UndoFailed@0");
    assert_eq!(fixture.log.take()[5..], ["peers commit", "peers undo", "ports undo", "facts undo"]);
    assert_eq!(fixture.asker().text("get factText.0 portName.1"), "factText.0='x' portName.1='lo'");
}

/// A half-finished set must not be visible: a group is read again even if its set failed.
#[test]
fn groups_are_read_anew_after_a_failed_commit_too() {
    let fixture = Fixture::new(Freshness::MaxAge(Duration::MAX));
    fixture.asker().text("get portName.1 factText.0 peerState.1");
    fixture.pass(Duration::from_nanos(1));
    fixture.ports.fail_sets(Some(Fault::CommitAndUndo));
    set(&fixture, View::everything(), THREE_GROUPS);
    fixture.pass(Duration::from_nanos(1));
    fixture.asker().text("get portName.1 factText.0 peerState.1");
    assert_eq!([fixture.facts.loads(), fixture.ports.loads(), fixture.peers.loads()], [2, 2, 2]);
}

/// snmpSetSerialNo's promise: of all who set the same number at once, one succeeds.
#[test]
fn test_and_incr_lets_one_through() {
    let fixture = Fixture::default();
    let everybody = Barrier::new(8);
    let outcomes: Vec<String> = std::thread::scope(|scope| {
        let attempt = || {
            everybody.wait();
            set(&fixture, View::everything(), "factSerial.0=41 portAdmin.1=2")
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(attempt)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == "ok").count(), 1, "{outcomes:?}");
    assert_eq!(
        outcomes.iter().filter(|outcome| *outcome == "InconsistentValue@0").count(),
        7,
        "{outcomes:?}"
    );
    assert_eq!(fixture.asker().text("get factSerial.0"), "factSerial.0=42");
}

#[test]
fn of_those_who_saw_one_value_one_sets_it() {
    let fixture = Fixture::default();
    let access = fixture.tree.access(View::everything(), View::everything());
    let (seen, text) = (values(&fixture), fixture.asker().text("get portAdmin.1"));
    let everybody = Barrier::new(8);
    let outcomes: Vec<bool> = std::thread::scope(|scope| {
        let attempt = || {
            let other = if text.ends_with('1') { 2 } else { 1 };
            let bindings = [parse(&fixture, &format!("portAdmin.1={other}"))];
            everybody.wait();
            let is_still = || values(&fixture) == seen;
            fixture.tree.set_if(None, &access, &bindings, is_still, || fixture.now()).unwrap()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(attempt)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|is_set| **is_set).count(), 1, "{outcomes:?}");
    assert_ne!(values(&fixture), seen);
}

/// A name that can never be an instance is refused before any provider is asked.
#[test]
fn providers_only_see_possible_instances() {
    for bindings in [
        "factText.1='x'",
        "factText.0='x' peerState.1.4.9=1",
        "portName='x'",
        "factText.0='x' factText.0='y'",
    ] {
        let fixture = Fixture::default();
        assert_ne!(set(&fixture, View::everything(), bindings), "ok");
        assert_eq!(fixture.log.take(), [""; 0], "{bindings}");
    }
}

/// Counts the sets between first phase and end, and gives others every opportunity to interleave.
#[derive(Default)]
struct Turnstile {
    inside: Arc<AtomicUsize>,
}

impl Provider for Turnstile {
    fn group(&self) -> &'static Group {
        &PORTS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        Ok(Loaded::Snapshot(Snapshot::builder(&PORTS).finish()))
    }

    fn prepare_set(&self, _items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        assert_eq!(self.inside.fetch_add(1, Ordering::AcqRel), 0, "two sets at once");
        (0..100).for_each(|_| std::thread::yield_now());
        Ok(Box::new(Inside(self.inside.clone())))
    }
}

struct Inside(Arc<AtomicUsize>);

impl SetTransaction for Inside {
    fn commit(&mut self) -> Result<(), SetError> {
        self.0.fetch_sub(1, Ordering::AcqRel);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SetError> {
        Ok(())
    }
}

#[test]
fn sets_come_one_at_a_time() {
    let fixture = Fixture::default();
    let mut builder = TreeBuilder::default();
    builder.provider(Arc::new(Turnstile::default()), Freshness::default());
    let tree = builder.build(fixture.now()).unwrap();
    let access = tree.access(View::NOTHING, View::everything());
    let binding = [parse(&fixture, "portName.1='x'")];
    std::thread::scope(|scope| {
        let attempt = || (0..20).for_each(|_| tree.set(&access, &binding, || fixture.now()).unwrap());
        (0..4).for_each(|_| _ = scope.spawn(attempt));
    });
}

/// Refuses, and blames a binding that the request does not have; or does not care about sets at all.
struct Odd {
    blames: Option<usize>,
}

impl Provider for Odd {
    fn group(&self) -> &'static Group {
        &PORTS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        Ok(Loaded::Snapshot(Snapshot::builder(&PORTS).finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let binding = self.blames.unwrap_or(items[0].binding);
        Err(SetError { binding, check: SetCheck::WrongValue, reason: "odd".into() })
    }
}

#[test]
fn a_provider_can_only_blame_what_it_was_given() {
    let fixture = Fixture::default();
    for (blames, expected) in [(None, 1), (Some(2), 2), (Some(0), 1), (Some(99), 1)] {
        let mut builder = TreeBuilder::default();
        builder.provider(fixture.facts.clone(), Freshness::default());
        builder.provider(Arc::new(Odd { blames }), Freshness::default());
        let tree = builder.build(fixture.now()).unwrap();
        let access = tree.access(View::NOTHING, View::everything());
        let bindings =
            ["factText.0='x'", "portName.1='x'", "portName.2='x'"].map(|text| parse(&fixture, text));
        let failure = tree.set(&access, &bindings, || fixture.now()).unwrap_err();
        assert_eq!((failure.binding, failure.status), (expected, SetStatus::WrongValue), "{blames:?}");
    }
}

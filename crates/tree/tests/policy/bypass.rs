//! Attempts to bypass the policy: with next and bulk into and over excluded objects, with names of maximum
//! length, with contexts and principals that are almost right, with several bindings in one set.

use std::sync::Arc;

use trunkline_smi::{MAX_SUB_IDS, Oid, Value};
use trunkline_testkit::asker::Asker;
use trunkline_testkit::fixture::Fixture;
use trunkline_testkit::recording::Answer;
use trunkline_tree::policy::{self, Denied, Guard, Policy, SecurityLevel, SecurityModel, ViewType};
use trunkline_tree::{Access, Operation, SetBinding, SetStatus};

use crate::policy::rows::policy;

/// portTable is 1.3.6.1.4.1.32473.2.2, portIn its column 3; peerTable and more are 1.3.6.1.4.1.32473.3.
const ROWS: &str = "
    context lab
    group   usm ann operator
    group   v2c public monitor
    group   usm eve deep
    access  operator -   usm authPriv read=most write=ports
    access  operator -   usm noAuthNoPriv read=one
    access  operator lab any noAuthNoPriv read=column
    access  monitor  -   any noAuthNoPriv read=row
    access  deep     -   any noAuthNoPriv read=deep
    view    most   1 -1.3.6.1.4.1.32473.2.2.1.*.2 -1.3.6.1.4.1.32473.2.2.1.3 1.3.6.1.4.1.32473.2.2.1.3.10 -1.3.6.1.4.1.32473.1
    view    one    1.3.6.1.4.1.32473.1.1
    view    column 1.3.6.1.4.1.32473.2.2.1.3
    view    row    1.3.6.1.4.1.32473.2.2.1.*.3
    view    ports  1.3.6.1.4.1.32473.2.2 -1.3.6.1.4.1.32473.2.2.1.*.3";

struct World {
    fixture: Fixture,
    policy: Arc<Policy>,
    guard: Guard,
}

/// The principal: its name, security and context.
type Asking = (SecurityModel, &'static str, SecurityLevel, &'static str);

const PRINCIPALS: [Asking; 5] = [
    (SecurityModel::USM, "ann", SecurityLevel::AuthPriv, ""),
    (SecurityModel::USM, "ann", SecurityLevel::AuthNoPriv, ""),
    (SecurityModel::USM, "ann", SecurityLevel::AuthPriv, "lab"),
    (SecurityModel::V2C, "public", SecurityLevel::NoAuthNoPriv, ""),
    (SecurityModel::USM, "eve", SecurityLevel::NoAuthNoPriv, ""),
];

impl World {
    fn new() -> Self {
        let fixture = Fixture::default();
        // The longest families that there can be, side by side.
        let deepest = |last: &str| format!("1.3.6.1.4.1.32473.2.2.1.3.2{}.{last}", ".4294967295".repeat(115));
        let deep = format!("\n view deep 1.3.6.1.4.1.32473.2.2.1.*.1 -{} {}", deepest("*"), deepest("7"));
        let policy = Arc::new(policy(&(ROWS.to_owned() + &deep)));
        let guard = Guard::new(&fixture.tree, policy.clone());
        World { fixture, policy, guard }
    }

    fn access(&self, (model, name, level, context): Asking, view_type: ViewType) -> Result<Access, Denied> {
        let access = self.guard.access(
            &policy::Principal::new(model, name.as_bytes(), level),
            context.as_bytes(),
            view_type,
        );
        access.map(|access| (**access).clone())
    }

    fn asker(&self, principal: Asking) -> Asker<'_> {
        self.fixture.asker().with_access(self.access(principal, ViewType::Read).unwrap())
    }

    fn may_read(&self, (model, name, level, context): Asking, object: &Oid) -> bool {
        let (name, context) = (name.as_bytes(), context.as_bytes());
        self.policy
            .is_access_allowed(&policy::Principal::new(model, name, level), context, ViewType::Read, object)
            .is_ok()
    }
}

/// Every instance that is there.
fn all(fixture: &Fixture) -> Vec<Answer> {
    let bulk = Operation::Bulk { non_repeaters: 0, max_repetitions: 1000 };
    let mut answers = fixture.asker().ask(bulk, &[Oid::EMPTY]).answers;
    answers.retain(|answer| answer.outcome.is_ok());
    answers
}

/// Each instance, each of its prefixes, the names just before and after it, and the longest names below it.
fn names(instances: &[Answer]) -> Vec<Oid> {
    let mut names = vec![Oid::EMPTY];
    for Answer { name, .. } in instances {
        names.extend((1..name.len()).map(|len| Oid::EMPTY.child(&name[..len])));
        names.push(name.clone());
        names.push(name.child(&[0]));
        names.push(name.child(&[u32::MAX; MAX_SUB_IDS]));
        if let Some((last, front)) = name.split_last() {
            let front = Oid::EMPTY.child(front);
            names
                .extend(last.checked_sub(1).map(|last| front.child(&[last]).child(&[u32::MAX; MAX_SUB_IDS])));
            names.push(front.child(&[last.saturating_add(1)]));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn no_operation_shows_objects_outside_the_view() {
    let world = World::new();
    let instances = all(&world.fixture);
    let names = names(&instances);
    assert!(names.len() > 200);
    for principal in PRINCIPALS {
        let asker = world.asker(principal);
        let seen: Vec<&Answer> =
            instances.iter().filter(|instance| world.may_read(principal, &instance.name)).collect();
        assert!(!seen.is_empty(), "{principal:?} tests nothing");
        assert!(seen.len() < instances.len(), "{principal:?} tests nothing");
        for name in &names {
            let one = std::slice::from_ref(name);
            let expected: Vec<&Answer> = seen.iter().copied().filter(|seen| seen.name > *name).collect();
            let found = |operation| -> Vec<Answer> {
                let answers = asker.ask(operation, one).answers;
                answers.into_iter().filter(|answer| answer.outcome.is_ok()).collect()
            };
            let got = found(Operation::Get);
            assert!(got.iter().all(|got| seen.contains(&got)), "{principal:?} get {name}");
            assert_eq!(
                got.len(),
                seen.iter().filter(|seen| seen.name == *name).count(),
                "{principal:?} get {name}"
            );
            assert_eq!(
                found(Operation::Next).first(),
                expected.first().copied(),
                "{principal:?} next {name}"
            );
            let bulk = Operation::Bulk { non_repeaters: 0, max_repetitions: 1000 };
            assert!(found(bulk).iter().eq(expected.iter().copied()), "{principal:?} bulk {name}");
        }
        by_several_names_at_once(&asker, &names, &seen, principal);
    }
}

/// The same with repeaters and non-repeaters at different places.
fn by_several_names_at_once(asker: &Asker<'_>, names: &[Oid], seen: &[&Answer], principal: Asking) {
    for some in names.chunks(7) {
        let bulk = Operation::Bulk { non_repeaters: 2, max_repetitions: 5 };
        for answer in asker.ask(bulk, some).answers {
            assert!(
                answer.outcome.is_err() || seen.contains(&&answer),
                "{principal:?} bulk {some:?}: {answer:?}"
            );
        }
    }
}

/// An excluded region is skipped, however deep inside it a name starts.
#[test]
fn a_search_continues_after_excluded_objects() {
    let world = World::new();
    let asker = world.asker(PRINCIPALS[0]);
    for (question, answer) in [
        // factTable's objects are excluded: after them comes portCount.
        ("next 0.0", "portCount.0=5"),
        ("next 1.3.6.1.4.1.32473.1.4294967295", "portCount.0=5"),
        ("bulk 0 3 factNumber.0", "portCount.0=5 portIndex.1=1 portIndex.3=3"),
        // Of portIn row 10 alone is there; row 2 is in no column.
        ("next portIn", "portIn.10=1000"),
        ("next portIn.10", "portSpeed.1=10"),
        ("bulk 0 4 portName.1", "portName.3='' portName.10='wlan0' portName.2147483647='tun' portIn.10=1000"),
        (
            "get portIn.10 portIn.1 portName.2 portName.1",
            "portIn.10=1000 portIn.1:noSuchInstance portName.2:noSuchInstance portName.1='lo'",
        ),
        ("get factNumber.0", "factNumber.0:noSuchObject"),
    ] {
        assert_eq!(asker.text(question), answer, "{question}");
    }
    let row = world.asker(PRINCIPALS[3]);
    assert_eq!(
        row.text("bulk 0 9 0.0"),
        "portIndex.3=3 portName.3='' portIn.3=300 portSpeed.3=1000 portAdmin.3=1 portHigh.3=1099511627776 \
         portHigh.3:endOfMibView"
    );
    assert_eq!(row.text("get portCount.0 portIn.2"), "portCount.0:noSuchObject portIn.2:noSuchInstance");
}

/// Names of 128 sub-identifiers below an instance that is hidden, and families of as many.
#[test]
fn names_as_long_as_they_can_be() {
    let world = World::new();
    let asker = world.asker(PRINCIPALS[0]);
    let longest = |front: &str| asker.name(front).child(&[u32::MAX; MAX_SUB_IDS]);
    for (front, next) in [
        ("portIn.1", "portIn.10=1000"),
        ("portIn.9", "portIn.10=1000"),
        ("portIn.10", "portSpeed.1=10"),
        ("portName.1", "portName.3=''"),
        ("factNumber.0", "portCount.0=5"),
    ] {
        let name = longest(front);
        assert_eq!(name.len(), MAX_SUB_IDS);
        assert_eq!(asker.print(&asker.ask(Operation::Next, std::slice::from_ref(&name))), next, "{front}");
        let get = asker.ask(Operation::Get, &[name]);
        assert!(get.answers[0].outcome.is_err(), "{front}");
    }
    // The deepest families say nothing of what is there.
    let eve = world.asker(PRINCIPALS[4]);
    assert_eq!(eve.text("next portIn.1 portIn"), "portSpeed.1=10 portIn.1=100");
    let deepest = Oid::from([1, 3, 6, 1, 4, 1, 32473, 2, 2, 1, 3, 2]).child(&[u32::MAX; 115]).child(&[7]);
    assert_eq!(deepest.len(), MAX_SUB_IDS);
    assert!(world.access(PRINCIPALS[4], ViewType::Read).unwrap().may_read_name(&deepest));
    let beside = Oid::EMPTY.child(&deepest[..MAX_SUB_IDS - 1]).child(&[8]);
    assert!(!world.access(PRINCIPALS[4], ViewType::Read).unwrap().may_read_name(&beside));
}

#[test]
fn principals_and_contexts_that_are_nearly_right() {
    use SecurityLevel::{AuthPriv, NoAuthNoPriv};
    let world = World::new();
    for (principal, denied) in [
        ((SecurityModel::USM, "ann", AuthPriv, "la"), Denied::NoSuchContext),
        ((SecurityModel::USM, "ann", AuthPriv, "labor"), Denied::NoSuchContext),
        ((SecurityModel::USM, "ann", AuthPriv, "lab\0"), Denied::NoSuchContext),
        ((SecurityModel::USM, "ann", AuthPriv, "LAB"), Denied::NoSuchContext),
        ((SecurityModel::USM, "mallory", AuthPriv, "LAB"), Denied::NoSuchContext),
        ((SecurityModel::USM, "an", AuthPriv, ""), Denied::NoGroupName),
        ((SecurityModel::USM, "ann\0", AuthPriv, ""), Denied::NoGroupName),
        ((SecurityModel::USM, "", AuthPriv, ""), Denied::NoGroupName),
        ((SecurityModel::V2C, "ann", NoAuthNoPriv, ""), Denied::NoGroupName),
        ((SecurityModel::V1, "public", NoAuthNoPriv, ""), Denied::NoGroupName),
        ((SecurityModel::ANY, "ann", AuthPriv, ""), Denied::NoGroupName),
        ((SecurityModel::V2C, "public", NoAuthNoPriv, "lab"), Denied::NoAccessEntry),
    ] {
        assert_eq!(world.access(principal, ViewType::Read).unwrap_err(), denied, "{principal:?}");
    }
    // Without privacy ann has no write view, in lab neither.
    for principal in &PRINCIPALS[1..3] {
        assert_eq!(
            world.access(*principal, ViewType::Write).unwrap_err(),
            Denied::NoSuchView,
            "{principal:?}"
        );
    }
    assert_eq!(world.access(PRINCIPALS[0], ViewType::Notify).unwrap_err(), Denied::NoSuchView);
    // In lab even the one who sees most elsewhere sees one column.
    assert_eq!(
        world.asker(PRINCIPALS[2]).text("next 0.0 portIn.2147483647"),
        "portIn.1=100 portIn.2147483647:endOfMibView"
    );
}

/// One binding that may be written does not carry another.
#[test]
fn a_set_needs_the_right_to_every_binding() {
    let world = World::new();
    let access = world.access(PRINCIPALS[0], ViewType::Write).unwrap();
    let binding =
        |name: &str, value: Value| SetBinding { name: world.fixture.asker().name(name), value: Some(value) };
    let admin = |row: u32| binding(&format!("portAdmin.{row}"), Value::Integer(2));
    let set = |bindings: &[SetBinding]| {
        let outcome = world.fixture.tree.set(&access, bindings, || world.fixture.now());
        outcome.map_err(|failure| (failure.binding, failure.status))
    };
    let before = world.fixture.ports.values();
    assert_eq!(set(&[admin(1), admin(3)]), Err((1, SetStatus::NoAccess)));
    assert_eq!(set(&[binding("factText.0", Value::text("x")), admin(1)]), Err((0, SetStatus::NoAccess)));
    let long = SetBinding { name: world.fixture.asker().name("portAdmin.3").child(&[0; 128]), ..admin(3) };
    assert_eq!(set(&[admin(1), long]), Err((1, SetStatus::NoAccess)));
    assert_eq!(world.fixture.ports.values(), before);
    assert_eq!(set(&[admin(1), admin(2)]), Ok(()));
}

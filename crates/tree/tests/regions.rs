//! Regions: what they are asked, which answers are trusted, and sets. That they answer as leaves do is in
//! `against_model.rs`.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::{Oid, OidList, Value};
use trunkline_testkit::asker::Asker;
use trunkline_testkit::asker::End;
use trunkline_testkit::fixture;
use trunkline_testkit::fixture::schema::{FACT_TEXT, PORT_TABLE, ROOT};
use trunkline_testkit::recording::Recording;
use trunkline_testkit::synthetic::{Fault, Log, Synthetic};
use trunkline_tree::{
    Aim, Claim, Exception, Freshness, Operation, Progress, Query, Region, RegionAnswer, RegisterError,
    SetBinding, SetCheck, SetError, SetItem, SetTransaction, Tree, TreeBuilder, View, Walker,
};

/// Accepts every set, and records it; refuses and fails on demand.
#[derive(Clone, Default)]
struct Told {
    log: Log,
    name: &'static str,
    refuse: Option<SetCheck>,
    fail: Option<SetCheck>,
}

impl Region for Told {
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let names: Vec<String> = items
            .iter()
            .map(|item| {
                format!("{}|{}={}", Oid::EMPTY.child(item.object), Oid::EMPTY.child(item.index), item.value)
            })
            .collect();
        self.log.note(format!("{} prepare {}", self.name, names.join(" ")));
        match self.refuse {
            Some(check) => Err(SetError { binding: items[0].binding, check, reason: String::new() }),
            None => Ok(Box::new(self.clone())),
        }
    }
}

impl SetTransaction for Told {
    fn commit(&mut self) -> Result<(), SetError> {
        self.log.note(format!("{} commit", self.name));
        match self.fail {
            Some(check) => Err(SetError { binding: 99, check, reason: "told to".into() }),
            None => Ok(()),
        }
    }

    fn undo(&mut self) -> Result<(), SetError> {
        self.log.note(format!("{} undo", self.name));
        Ok(())
    }
}

/// The fixture's facts and ports with regions at these roots, which note their sets.
struct World {
    tree: Tree,
    facts: Arc<Synthetic>,
    log: Log,
    start: Instant,
}

impl World {
    fn new(regions: &[(&[u32], u8, Told)]) -> Self {
        World::build(regions).unwrap()
    }

    fn build(regions: &[(&[u32], u8, Told)]) -> Result<Self, RegisterError> {
        let fixture::Providers { facts, ports, log, .. } = fixture::providers();
        let start = Instant::now();
        let mut builder = TreeBuilder::default();
        builder.provider(facts.clone(), Freshness::default()).provider(ports, Freshness::default());
        for (root, priority, told) in regions {
            let told = Told { log: log.clone(), ..told.clone() };
            builder.region(Oid::new(root).unwrap(), *priority, Arc::new(told));
        }
        Ok(World { tree: builder.build(start)?, facts, log, start })
    }

    fn set(&self, write: View, bindings: &[(&[u32], Value)]) -> String {
        let access = self.tree.access(View::everything(), write);
        let binding = |(name, value): &(&[u32], Value)| SetBinding {
            name: Oid::new(name).unwrap(),
            value: Some(value.clone()),
        };
        let bindings: Vec<SetBinding> = bindings.iter().map(binding).collect();
        match self.tree.set(&access, &bindings, || self.start) {
            Ok(()) => "ok".into(),
            Err(failure) => format!("{:?}@{}", failure.status, failure.binding),
        }
    }

    /// Requests one name; `answer` is every region's answer to every question. Returns the questions, and the
    /// result.
    fn talk(
        &self,
        operation: Operation,
        name: &[u32],
        answer: impl Fn(Aim, &[u32]) -> RegionAnswer,
    ) -> (Vec<(usize, Aim, Oid)>, Recording) {
        self.talk_as(View::everything(), operation, name, answer)
    }

    /// The same for somebody with this view.
    fn talk_as(
        &self,
        view: View,
        operation: Operation,
        name: &[u32],
        answer: impl Fn(Aim, &[u32]) -> RegionAnswer,
    ) -> (Vec<(usize, Aim, Oid)>, Recording) {
        let names: OidList = [name].into_iter().collect();
        let access = self.tree.access(view, View::NOTHING);
        let query = Query {
            operation,
            names: &names,
            access: &access,
            without_counter64: false,
            arrived: self.start,
            max_bindings: 100,
            may_end_early: true,
        };
        let (mut walker, mut sink, mut asked) = (Walker::new(), Recording::new(100), Vec::new());
        loop {
            match walker.advance(&self.tree, &query, &mut sink) {
                Progress::Load(group) => self.tree.load(group, self.start, || self.start).unwrap(),
                Progress::Ask(region) => {
                    let question = walker.question().unwrap();
                    assert_eq!(question.region, region);
                    asked.push((region.position(), question.aim, Oid::new(question.name).unwrap()));
                    let answer = answer(question.aim, question.name);
                    walker.answered(answer);
                    assert!(walker.question().is_none());
                }
                Progress::Done => return (asked, sink),
                Progress::Full { .. } => unreachable!("the sink has room"),
            }
        }
    }
}

fn told(name: &'static str) -> Told {
    Told { name, ..Told::default() }
}

const FAR: [u32; 3] = [1, 5, 1];

#[test]
fn the_longer_root_answers_then_the_lower_priority_then_the_first() {
    let regions = [
        (&[1, 5][..], 1, told("outer")),
        (&[1, 5, 1], 127, told("second")),
        (&[1, 5, 1], 126, told("first")),
        (&[1, 5, 1], 126, told("late")),
        (&[1, 5, 1, 7], 200, told("inner")),
    ];
    let world = World::new(&regions);
    assert_eq!(world.tree.region_count(), 5);
    for (name, region, set) in [
        (&[1, 5, 0, 3][..], 0, "outer prepare 1.5|0.3=1"),
        (&[1, 5, 1, 6], 2, "first prepare 1.5|1.6=1"),
        (&[1, 5, 1, 7, 0], 4, "inner prepare 1.5|1.7.0=1"),
        (&[1, 5, 1, 8], 2, "first prepare 1.5|1.8=1"),
        (&[1, 5, 2], 0, "outer prepare 1.5|2=1"),
    ] {
        let found = RegionAnswer::Instance(Oid::new(name).unwrap(), Value::Integer(4));
        let (asked, sink) = world.talk(Operation::Get, name, |_, _| found.clone());
        assert_eq!(asked, [(region, Aim::Exactly, Oid::new(name).unwrap())]);
        assert_eq!(sink.into_answers()[0].outcome, Ok(Value::Integer(4)));
        assert_eq!(world.set(View::everything(), &[(name, Value::Integer(1))]), "ok");
        let owner = set.split(' ').next().unwrap();
        assert_eq!(world.log.take(), [set.to_owned(), format!("{owner} commit")]);
    }
    // A search goes through all of them in order, and then to the leaves after them.
    let (asked, sink) = world.talk(Operation::Next, &[1, 4], |_, _| RegionAnswer::Nothing);
    let asked: Vec<(usize, Aim, String)> = asked.into_iter().map(|(r, a, n)| (r, a, n.to_string())).collect();
    let expected = [(0, "1.5"), (2, "1.5.1"), (4, "1.5.1.7"), (2, "1.5.1.8"), (0, "1.5.2")];
    assert_eq!(asked, expected.map(|(region, name)| (region, Aim::AtOrBehind, name.to_owned())));
    assert_eq!(sink.into_answers()[0].outcome, Err(Exception::EndOfMibView));
}

#[test]
fn a_regions_answers_are_checked() {
    let world = World::new(&[(&[1, 2, 1], 127, told("far"))]);
    let instance = |name: &[u32]| RegionAnswer::Instance(Oid::new(name).unwrap(), Value::Integer(4));
    let asked = [1, 2, 1, 3];
    // Get: exactly the name or nothing.
    for (answer, exception) in [
        (RegionAnswer::Nothing, Exception::NoSuchInstance),
        (RegionAnswer::NoSuchObject, Exception::NoSuchObject),
        (instance(&[1, 2, 1, 3, 0]), Exception::NoSuchInstance),
        (instance(&[1, 2, 1]), Exception::NoSuchInstance),
    ] {
        let (_, sink) = world.talk(Operation::Get, &asked, |_, _| answer.clone());
        assert_eq!(sink.into_answers()[0].outcome, Err(exception), "{answer:?}");
    }
    // GetNext: greater, and inside.
    for wrong in [&[1, 2, 1, 3][..], &[1, 2, 1, 2], &[1, 2, 1], &[1, 2, 2], &[1, 1], &[], &[9]] {
        let (asked, sink) = world.talk(Operation::Next, &asked, |_, _| instance(wrong));
        assert_eq!(asked.len(), 1, "{wrong:?}");
        let answers = sink.into_answers();
        assert_eq!(answers[0].outcome, Ok(Value::Integer(-7)), "{wrong:?}: behind it come the leaves");
    }
}

/// Excluded instances are not asked for one by one.
#[test]
fn a_search_goes_on_where_the_view_does() {
    let inner = Oid::from(FAR).child(&[700]);
    let world = World::new(&[(&FAR, 127, told("far")), (&inner, 127, told("inner"))]);
    let far = |rest: &[u32]| Oid::from(FAR).child(rest);
    let view = View::everything().exclude(far(&[])).include(far(&[500])).include(far(&[700, 3]));
    let bulk = Operation::Bulk { non_repeaters: 0, max_repetitions: 10 };
    let (asked, sink) = world.talk_as(view, bulk, &FAR, |aim, name| match (aim, name.strip_prefix(&FAR)) {
        (Aim::AtOrBehind, Some(_)) => RegionAnswer::Instance(Oid::new(name).unwrap(), Value::Integer(0)),
        (Aim::Behind, Some([700, ..])) => RegionAnswer::Nothing,
        (Aim::Behind, Some(rest)) => {
            let next = rest.first().map_or(1, |last| last + 1);
            RegionAnswer::Instance(far(&[next]), Value::Integer(0))
        }
        other => panic!("{other:?}"),
    });
    let expected = [
        (0, Aim::Behind, far(&[])),
        (0, Aim::AtOrBehind, far(&[500])),
        (0, Aim::Behind, far(&[500])),
        (1, Aim::AtOrBehind, far(&[700, 3])),
        (1, Aim::Behind, far(&[700, 3])),
        // Behind the inner region, where nothing may be seen any more.
        (0, Aim::AtOrBehind, far(&[701])),
    ];
    assert_eq!(asked, expected);
    let names: Vec<Oid> =
        sink.into_answers().into_iter().filter(|a| a.outcome.is_ok()).map(|a| a.name).collect();
    assert_eq!(names[..2], [far(&[500]), far(&[700, 3])]);
}

#[test]
fn a_search_skips_types_unknown_to_the_version_and_counts_them() {
    let world = World::new(&[(&FAR, 127, told("far"))]);
    let names: OidList = [&FAR[..]].into_iter().collect();
    let access = world.tree.access(View::everything(), View::NOTHING);
    let query = Query {
        operation: Operation::Next,
        names: &names,
        access: &access,
        without_counter64: true,
        arrived: world.start,
        max_bindings: 100,
        may_end_early: true,
    };
    let (mut walker, mut sink) = (Walker::new(), Recording::new(1));
    for passed_over in 0..500 {
        assert!(matches!(walker.advance(&world.tree, &query, &mut sink), Progress::Ask(_)));
        let question = walker.question().unwrap();
        assert_eq!(question.passed_over, passed_over);
        let next = passed_over as u32 + 1;
        let value = if next < 500 { Value::Counter64(0) } else { Value::Integer(0) };
        walker.answered(Some((Oid::from([1, 5, 1, next]), value)));
    }
    assert_eq!(walker.advance(&world.tree, &query, &mut sink), Progress::Done);
    assert_eq!(sink.into_answers()[0].name, Oid::from([1, 5, 1, 500]));
}

#[test]
fn a_bulk_may_end_where_a_region_begins() {
    // Between portTable and what follows it.
    let root = [&ROOT[..], &[2, 2, 2]].concat();
    let world = World::new(&[(&root, 127, told("far"))]);
    let bulk = Operation::Bulk { non_repeaters: 0, max_repetitions: 50 };
    let last = [PORT_TABLE.oid, &[1, 6, 3]].concat();
    let (asked, sink) = world.talk(bulk, &last, |_, _| RegionAnswer::Nothing);
    assert_eq!((asked.len(), sink.into_answers().len()), (0, 2));
    // Within a region it continues.
    let (asked, sink) = world.talk(bulk, &root, |_, name| {
        let next = name.get(root.len()).map_or(1, |last| last + 1);
        if next > 7 {
            return RegionAnswer::Nothing;
        }
        RegionAnswer::Instance(Oid::new(&[&root[..], &[next]].concat()).unwrap(), Value::Integer(next as i32))
    });
    let answers = sink.into_answers();
    assert_eq!(asked.len(), 8);
    assert!(answers.len() == 7 && answers.iter().all(|answer| answer.name.starts_with(&root)));
}

#[test]
fn a_region_takes_the_place_of_what_it_covers() {
    let text = [FACT_TEXT.oid, &[0]].concat();
    let world = World::new(&[(&text, 127, told("text")), (PORT_TABLE.oid, 127, told("ports"))]);
    let regions = [
        BTreeMap::from([(Oid::new(&text).unwrap(), Value::Integer(5))]),
        BTreeMap::from([(Oid::new(PORT_TABLE.oid).unwrap().child(&[77]), Value::Integer(6))]),
    ];
    let asker = Asker::new(&world.tree, View::everything(), world.start, || world.start).regions(&regions);
    let all = Operation::Bulk { non_repeaters: 0, max_repetitions: 100 };
    let reply = asker.ask(all, &[Oid::EMPTY]);
    assert_eq!(reply.end, End::Done);
    let names: Vec<&Oid> = reply.answers.iter().map(|answer| &answer.name).collect();
    assert!(names.is_sorted());
    assert!(regions.iter().flat_map(BTreeMap::keys).all(|name| names.contains(&name)));
    let in_table = names.iter().filter(|name| name.starts_with(PORT_TABLE.oid));
    assert_eq!(in_table.count(), 1);

    let column = [PORT_TABLE.oid, &[1, 2, 3]].concat();
    let error = World::build(&[(&column, 127, told("row"))]).err().unwrap();
    assert_eq!(error, RegisterError::RegionInObject { root: Oid::new(&column).unwrap(), name: "portName" });
}

#[test]
fn a_set_of_groups_and_regions_is_made_in_this_order() {
    let write = || View::everything().exclude(Oid::from([1, 5, 1, 9]));
    let set = |far: Told, fault: Option<Fault>| {
        let world = World::new(&[(&FAR, 127, Told { name: "far", ..far })]);
        world.facts.fail_sets(fault);
        let bindings = [
            (&[1, 5, 1, 2][..], Value::Counter64(7)),
            (&[FACT_TEXT.oid, &[0]].concat(), Value::text("new")),
            (&[1, 5, 1, 3], Value::Integer(8)),
        ];
        let outcome = world.set(write(), &bindings);
        let text = world.facts.values()[&*[FACT_TEXT.oid, &[0]].concat()].clone();
        (outcome, world.log.take(), text == Value::text("new"))
    };
    let prepared = ["facts prepare 1 items", "far prepare 1.5.1|2=7 1.5.1|3=8"];
    let log = |more: &[&str]| prepared.iter().chain(more).map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let plain = Told::default;
    let refuse = Told { refuse: Some(SetCheck::WrongType), ..plain() };
    let fail = |check| Told { fail: Some(check), ..plain() };
    assert_eq!(set(plain(), None), ("ok".into(), log(&["facts commit", "far commit"]), true));
    assert_eq!(set(refuse, None), ("WrongType@0".into(), log(&[]), false));
    // A refusal at the commit is the region's own; the group takes its part back.
    let undone = log(&["facts commit", "far commit", "far undo", "facts undo"]);
    assert_eq!(set(fail(SetCheck::NoAccess), None), ("NoAccess@0".into(), undone.clone(), false));
    assert_eq!(set(fail(SetCheck::CommitFailed), None), ("CommitFailed@0".into(), undone, false));
    let failed = log(&["facts commit", "facts undo"]);
    assert_eq!(set(plain(), Some(Fault::Commit)), ("CommitFailed@1".into(), failed, false));

    let world = World::new(&[(&FAR, 127, told("far"))]);
    assert_eq!(world.set(write(), &[(&[1, 5, 1, 9, 1], Value::Integer(1))]), "NoAccess@0");
    assert_eq!(world.log.take(), [""; 0]);
}

/// The fixture with one region beside objects at its root, and one inside of that.
#[test]
fn a_region_beside_objects_answers_between_them() {
    let mut world = World::new(&[]);
    let mut builder = world.tree.without_regions();
    let region = |name| Arc::new(Told { log: world.log.clone(), ..told(name) });
    let inner = Oid::from(ROOT).child(&[1, 3, 9]);
    let between = Oid::from(ROOT).child(&[1, 20]);
    builder.region_beside(Oid::from(ROOT), 127, region("wide"));
    builder.region_beside(between.clone(), 127, region("narrow"));
    assert_eq!(builder.build(world.start).err(), None);

    let mut builder = world.tree.without_regions();
    builder.region_beside(inner.clone(), 127, region("wide"));
    let error = builder.build(world.start).err().unwrap();
    assert_eq!(error, RegisterError::RegionInObject { root: inner, name: "factAbsent" });

    let mut builder = world.tree.without_regions();
    builder.region_beside(Oid::from(ROOT), 127, region("wide"));
    builder.region_beside(between.clone(), 127, region("narrow"));
    world.tree = builder.build(world.start).unwrap();

    // An object that stays is not asked for, nor hidden, and what is next to it is.
    let text = [FACT_TEXT.oid, &[0]].concat();
    let (asked, sink) = world.talk(Operation::Get, &text, |_, _| RegionAnswer::Nothing);
    assert!(asked.is_empty() && sink.into_answers()[0].outcome.is_ok());
    for (name, region) in [(&[1][..], 0), (&[1, 20, 4], 1), (&[1, 21], 0), (&[2, 2], 0), (&[99, 1], 0)] {
        let name = Oid::from(ROOT).child(name);
        let found = RegionAnswer::Instance(name.clone(), Value::Integer(4));
        let (asked, sink) = world.talk(Operation::Get, &name, |_, _| found.clone());
        assert_eq!(asked, [(region, Aim::Exactly, name.clone())]);
        assert_eq!(sink.into_answers()[0].outcome, Ok(Value::Integer(4)), "{name}");
    }
    // An answer behind the next object does not hide that.
    let late = RegionAnswer::Instance(Oid::from(ROOT).child(&[99]), Value::Integer(4));
    let (asked, sink) = world.talk(Operation::Next, &ROOT, |_, _| late.clone());
    assert_eq!(asked, [(0, Aim::Behind, Oid::from(ROOT))]);
    assert_eq!(sink.into_answers()[0].name, Oid::from(ROOT).child(&[1, 1, 0]));
    let everything = [(between.child(&[1]), "narrow prepare"), (Oid::from(ROOT).child(&[7]), "wide prepare")];
    for (name, prepared) in everything {
        assert_eq!(world.set(View::everything(), &[(&name, Value::Integer(1))]), "ok");
        assert!(world.log.take()[0].starts_with(prepared));
    }
}

#[test]
fn what_a_region_would_meet() {
    let world = World::new(&[(&FAR, 127, told("far"))]);
    let text = FACT_TEXT.oid;
    let column = [PORT_TABLE.oid, &[1, 2]].concat();
    for (root, claim) in [
        (&ROOT[..], Claim::Free),
        (&[1, 3, 6, 1, 9], Claim::Free),
        (&[1, 5, 1, 3], Claim::Free),
        (PORT_TABLE.oid, Claim::Free),
        (text, Claim::Object),
        (&[text, &[0]].concat(), Claim::Object),
        (&[text, &[0, 1]].concat(), Claim::Inside),
        (&column, Claim::Object),
        (&[&column[..], &[0]].concat(), Claim::Inside),
    ] {
        assert_eq!(world.tree.claim(root), claim, "{root:?}");
    }
}

/// A tree with other regions has the same snapshots.
#[test]
fn groups_are_shared_with_a_tree_of_other_regions() {
    let mut world = World::new(&[]);
    let text = [FACT_TEXT.oid, &[0]].concat();
    let (_, sink) = world.talk(Operation::Get, &text, |_, _| RegionAnswer::Nothing);
    assert_eq!(sink.into_answers().len(), 1);
    let facts = world.tree.leaf_of(&text).unwrap().group();
    let before = world.tree.fresh_snapshot(facts, world.start).unwrap();
    let mut builder = world.tree.without_regions();
    builder.region(Oid::from(FAR), 127, Arc::new(told("far")));
    world.tree = builder.build(world.start + std::time::Duration::from_secs(5)).unwrap();
    let after = world.tree.fresh_snapshot(facts, world.start).unwrap();
    assert!(Arc::ptr_eq(&before, &after));
    assert_eq!(world.tree.region_count(), 1);
}

/// Several subtrees of one region are written in one transaction.
#[test]
fn a_region_with_two_roots_gets_one_set() {
    let mut world = World::new(&[]);
    let one: Arc<dyn Region> = Arc::new(Told { log: world.log.clone(), ..told("one") });
    let other = Arc::new(Told { log: world.log.clone(), ..told("other") });
    let mut builder = world.tree.without_regions();
    builder.region(Oid::from([1, 5]), 127, one.clone());
    builder.region(Oid::from([1, 6]), 127, other);
    builder.region(Oid::from([1, 7]), 127, one);
    world.tree = builder.build(world.start).unwrap();
    let value = || Value::Integer(1);
    let bindings = [(&[1, 7, 1][..], value()), (&[1, 6, 1], value()), (&[1, 5, 1], value())];
    assert_eq!(world.set(View::everything(), &bindings), "ok");
    let expected = ["one prepare 1.7|1=1 1.5|1=1", "other prepare 1.6|1=1", "one commit", "other commit"];
    assert_eq!(world.log.take(), expected);
}

/// A run is used as far as it is in order, and not asked for again.
#[test]
fn a_run_saves_questions() {
    let world = World::new(&[(&FAR, 127, told("far"))]);
    let run = |rest: &[u32], is_all: bool| RegionAnswer::Run {
        found: rest.iter().map(|last| (Oid::from(FAR).child(&[*last]), Value::Integer(1))).collect(),
        is_all,
    };
    let bulk = Operation::Bulk { non_repeaters: 0, max_repetitions: 10 };
    let view = || View::everything().exclude(Oid::from(FAR).child(&[2]));
    let found = |sink: Recording| {
        let answers = sink.into_answers().into_iter().filter(|answer| answer.outcome.is_ok());
        answers.filter_map(|answer| answer.name.last().copied()).collect::<Vec<u32>>()
    };
    // The excluded one is skipped without a question; after the disorder the region is asked again.
    let (asked, sink) = world.talk_as(view(), bulk, &FAR, |_, name| match name.get(FAR.len()) {
        None => run(&[1, 2, 3, 3, 4], true),
        Some(3) => run(&[5, 6], true),
        other => panic!("{other:?}"),
    });
    assert_eq!(asked.len(), 2);
    assert_eq!(found(sink), [1, 3, 5, 6]);
    // Not all: the region is asked again where the run ends.
    let (asked, sink) = world.talk_as(view(), bulk, &FAR, |_, name| match name.get(FAR.len()) {
        None => run(&[1], false),
        Some(1) => run(&[2], false),
        Some(3) => RegionAnswer::Nothing,
        other => panic!("{other:?}"),
    });
    assert_eq!((asked.len(), found(sink)), (3, vec![1]));
}

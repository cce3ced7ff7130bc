//! Random trees, views and requests: the tree must answer what the naive model answers,
//! whatever the policy, wherever the sink is full.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use trunkline_smi::schema::{Column, MaxAccess, Scalar, Syntax, Table};
use trunkline_smi::{Oid, Value, ValueKind};
use trunkline_testkit::asker::{Asker, End};
use trunkline_testkit::model::Model;
use trunkline_testkit::recording::Answer;
use trunkline_testkit::synthetic::{Log, Synthetic};
use trunkline_tree::{
    Family, Freshness, Group, Mask, Operation, Region, SetCheck, SetError, SetItem, SetTransaction, Tree,
    TreeBuilder, View,
};

const SYNTAXES: [Syntax; 4] =
    [Syntax::INTEGER32, Syntax::OCTET_STRING, Syntax::COUNTER64, Syntax::TIME_TICKS];

const ACCESSES: [MaxAccess; 3] = [MaxAccess::ReadOnly, MaxAccess::ReadCreate, MaxAccess::NotAccessible];

const POLICIES: [Freshness; 4] = [
    Freshness::PerObject,
    Freshness::PerRequest,
    Freshness::MaxAge(Duration::ZERO),
    Freshness::MaxAge(Duration::from_secs(1)),
];

/// The object at `1.9.N`, and its group.
#[derive(Clone, Debug)]
struct Place {
    group: usize,
    policy: Freshness,
    object: Object,
}

#[derive(Clone, Debug)]
enum Object {
    Scalar(Kind, Option<u8>),
    Table { columns: BTreeMap<u32, Kind>, rows: BTreeMap<Vec<u32>, Vec<u32>>, absent: BTreeSet<(u32, usize)> },
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    syntax: Syntax,
    access: MaxAccess,
}

/// A name, made from an existing one: as it is, truncated, with sub-identifiers appended, or its last one
/// changed.
#[derive(Clone, Debug)]
struct Near {
    name: Index,
    cut: usize,
    more: Vec<u32>,
    step: i64,
}

/// Where a region is put: at a place, above all of them, or at a part of one.
#[derive(Clone, Debug)]
struct Root {
    at: usize,
    depth: usize,
    column: u32,
    priority: u8,
    /// Whether objects stay in their places.
    is_beside: bool,
}

#[derive(Clone, Debug)]
struct Request {
    operation: Operation,
    names: Vec<Near>,
    /// Whether the view begins with everything.
    all: bool,
    rules: Vec<(Near, bool, Vec<u8>)>,
    without_counter64: bool,
    max_bindings: usize,
    capacity: usize,
}

fn kind() -> impl Strategy<Value = Kind> {
    (select(&SYNTAXES), select(&ACCESSES)).prop_map(|(syntax, access)| Kind { syntax, access })
}

fn sub_id() -> impl Strategy<Value = u32> {
    select(&[0, 1, 2, 3, 300, u32::MAX])
}

fn object() -> impl Strategy<Value = Object> {
    let columns = btree_map(1u32..6, kind(), 0..5);
    let rows = btree_map(vec(sub_id(), 0..4), vec(0u32..9, 1), 0..8);
    let absent = btree_set((1u32..6, 0usize..8), 0..12);
    prop_oneof![
        (kind(), any::<Option<u8>>()).prop_map(|(kind, value)| Object::Scalar(kind, value)),
        (columns, rows, absent).prop_map(|(columns, rows, absent)| Object::Table { columns, rows, absent }),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    (0usize..3, select(&POLICIES), object()).prop_map(|(group, policy, object)| Place {
        group,
        policy,
        object,
    })
}

fn root() -> impl Strategy<Value = Root> {
    (0usize..7, 1usize..6, 1u32..6, 126u8..128, any::<bool>())
        .prop_map(|(at, depth, column, priority, is_beside)| Root { at, depth, column, priority, is_beside })
}

fn near() -> impl Strategy<Value = Near> {
    (any::<Index>(), 0usize..5, vec(sub_id(), 0..2), -1i64..2).prop_map(|(name, cut, more, step)| Near {
        name,
        cut: cut.saturating_sub(1),
        more,
        step,
    })
}

fn request() -> impl Strategy<Value = Request> {
    let bulk = (0usize..4, 0usize..12)
        .prop_map(|(non_repeaters, max_repetitions)| Operation::Bulk { non_repeaters, max_repetitions });
    let operation = prop_oneof![Just(Operation::Get), Just(Operation::Next), bulk];
    let bound = || prop_oneof![Just(usize::MAX), 0usize..30];
    let rules = vec((near(), any::<bool>(), mask()), 0..5);
    let flags = (any::<bool>(), any::<bool>());
    (operation, vec(near(), 0..5), rules, flags, bound(), bound()).prop_map(
        |(operation, names, rules, (all, without_counter64), max_bindings, capacity)| Request {
            operation,
            names,
            all,
            rules,
            without_counter64,
            max_bindings,
            capacity,
        },
    )
}

/// Mostly ones: the third sub-identifier of a name is the place, the fifth the column, then comes the index.
fn mask() -> impl Strategy<Value = Vec<u8>> {
    let first = select(&[0xff, 0xff, 0xdf, 0xf7, 0xfb, 0xfd, 0xf3, 0xd0]);
    prop_oneof![
        Just(vec![]),
        (first, vec(any::<u8>(), 0..2)).prop_map(|(first, more)| [vec![first], more].concat())
    ]
}

/// A rule of a view, for the model.
struct Rule {
    subtree: Oid,
    included: bool,
    mask: Vec<u8>,
}

impl Rule {
    /// RFC 3415, vacmViewTreeFamilyMask, bit by bit.
    fn is_open(&self, at: usize) -> bool {
        self.mask.get(at / 8).is_some_and(|octet| (octet >> (7 - at % 8)) & 1 == 0)
    }

    /// Whether the rule and the name agree as far as both go.
    fn meets(&self, name: &Oid) -> bool {
        (0..self.subtree.len().min(name.len())).all(|at| self.is_open(at) || self.subtree[at] == name[at])
    }

    /// A name below `object` that only this rule, and those that leave as much open, can match.
    fn witness(&self, object: &Oid) -> Oid {
        let rest = object.len()..self.subtree.len();
        let rest: Vec<u32> = rest.map(|at| if self.is_open(at) { 77 } else { self.subtree[at] }).collect();
        object.child(&rest)
    }
}

/// A tree and the same data as a map.
struct World {
    tree: Tree,
    start: Instant,
    values: BTreeMap<Oid, Value>,
    leaves: Vec<(Oid, Kind)>,
    /// The roots of regions that shadow objects ...
    shadowing: Vec<Oid>,
    /// ... and of those beside objects.
    beside: Vec<Oid>,
    /// What each region answers from: more than it may answer with.
    regions: Vec<BTreeMap<Oid, Value>>,
}

impl World {
    /// Schemas are leaked: the tree needs constants, and a test process is short.
    fn new(places: &[Place], roots: &[Root]) -> Self {
        let start = Instant::now();
        let mut world = World {
            tree: empty_tree(start),
            start,
            values: BTreeMap::new(),
            leaves: Vec::new(),
            shadowing: Vec::new(),
            beside: Vec::new(),
            regions: Vec::new(),
        };
        let mut builder = TreeBuilder::default();
        for group in 0..3 {
            let ours = || places.iter().enumerate().filter(|(_, place)| place.group == group);
            let scalars: Vec<_> = ours().filter_map(|(at, place)| scalar(at, place)).collect();
            let tables: Vec<_> = ours().filter_map(|(at, place)| table(at, place)).collect();
            let schema: &'static Group =
                Box::leak(Box::new(Group { name: "random", scalars: scalars.leak(), tables: tables.leak() }));
            let provider = Synthetic::new(schema, Log::default());
            ours().for_each(|(at, place)| world.fill(&provider, at, place));
            let policy = ours().next().map_or(Freshness::default(), |(_, place)| place.policy);
            builder.provider(provider as Arc<_>, policy);
        }
        let mut known = world.values.clone();
        let outside = [Oid::from([0]), Oid::from([1, 8]), Oid::from([1, 9, 9, 9]), Oid::from([2, 1])];
        known.extend(outside.map(|name| (name, Value::Integer(-1))));
        for root in roots {
            let oid = root.oid(places);
            match root.is_beside {
                true => builder.region_beside(oid, root.priority, Arc::new(ReadOnly)),
                false => builder.region(oid, root.priority, Arc::new(ReadOnly)),
            };
            world.regions.push(known.clone());
        }
        world.settle(places, roots);
        // Below a root, but not in an object that stays, what the regions know is there.
        let is_there = |name: &Oid| {
            let is_below = |roots: &[Oid]| roots.iter().any(|root| name.starts_with(root));
            let is_in_object = |(object, kind): &(Oid, Kind)| is_leaf(kind) && name.starts_with(object);
            is_below(&world.shadowing) || is_below(&world.beside) && !world.leaves.iter().any(is_in_object)
        };
        let there: Vec<_> = known.into_iter().filter(|(name, _)| is_there(name)).collect();
        world.values.extend(there);
        world.tree = builder.build(start).unwrap();
        world
    }

    /// Who of the regions with one root decides; and none leaves objects in their places within one that does not.
    fn settle(&mut self, places: &[Place], roots: &[Root]) {
        let mut roots: Vec<(Oid, u8, bool)> =
            roots.iter().map(|root| (root.oid(places), root.priority, root.is_beside)).collect();
        roots.sort();
        roots.dedup_by(|later, first| later.0 == first.0);
        let (beside, shadowing): (Vec<_>, Vec<_>) =
            roots.into_iter().partition(|(_, _, is_beside)| *is_beside);
        self.shadowing = shadowing.into_iter().map(|(root, ..)| root).collect();
        let beside = beside.into_iter().map(|(root, ..)| root);
        self.beside =
            beside.filter(|root| !self.shadowing.iter().any(|outer| root.starts_with(outer))).collect();
    }

    fn fill(&mut self, provider: &Synthetic, at: usize, place: &Place) {
        match &place.object {
            Object::Scalar(kind, value) => {
                let object = Oid::from([1, 9, at as u32]);
                if let Some(value) = value {
                    self.put(provider, &object, &[0], *kind, u32::from(*value));
                }
                self.leaves.push((object, *kind));
            }
            Object::Table { columns, rows, absent } => {
                for (id, kind) in columns {
                    let object = Oid::from([1, 9, at as u32, 1, *id]);
                    for (row, (index, seed)) in rows.iter().enumerate() {
                        if !absent.contains(&(*id, row)) {
                            self.put(provider, &object, index, *kind, seed[0]);
                        }
                    }
                    self.leaves.push((object, *kind));
                }
            }
        }
    }

    fn put(&mut self, provider: &Synthetic, object: &Oid, index: &[u32], kind: Kind, seed: u32) {
        let value = match kind.syntax.kind {
            ValueKind::Integer => Value::Integer(seed as i32),
            ValueKind::Counter64 => Value::Counter64(u64::from(seed) << 32),
            ValueKind::TimeTicks => Value::TimeTicks(seed),
            _ => Value::OctetString(vec![7; seed as usize % 5]),
        };
        provider.put(object, index, value.clone());
        if kind.access.is_readable() {
            self.values.insert(object.child(index), value);
        }
    }

    fn name(&self, near: &Near) -> Oid {
        let known: Vec<&Oid> = self.values.keys().chain(self.leaves.iter().map(|(oid, _)| oid)).collect();
        if known.is_empty() {
            return Oid::from([1, 9]);
        }
        let mut sub_ids = near.name.get(&known).to_vec();
        sub_ids.truncate(sub_ids.len().saturating_sub(near.cut));
        if let Some(last) = sub_ids.last_mut() {
            *last = (i64::from(*last) + near.step).clamp(0, u32::MAX.into()) as u32;
        }
        Oid::EMPTY.child(&sub_ids).child(&near.more)
    }

    /// The same view in its simplest form: of the matching rules the longest, of equally long ones the greatest.
    fn model(&self, rules: &[Rule], without_counter64: bool) -> Model {
        let is_in = |name: &Oid| {
            let matching = rules.iter().filter(|rule| rule.subtree.len() <= name.len() && rule.meets(name));
            matching
                .max_by(|a, b| (a.subtree.len(), &a.subtree).cmp(&(b.subtree.len(), &b.subtree)))
                .is_some_and(|rule| rule.included)
        };
        let may_have_instances = |object: &Oid| {
            let below = |rule: &&Rule| rule.subtree.len() > object.len() && rule.meets(object);
            is_in(object) || rules.iter().filter(below).any(|rule| is_in(&rule.witness(object)))
        };
        let known = |kind: &Kind| {
            kind.access.is_readable() && !(without_counter64 && kind.syntax.kind == ValueKind::Counter64)
        };
        let seen = self.values.iter().filter(|(name, value)| {
            is_in(name) && !(without_counter64 && value.kind() == ValueKind::Counter64)
        });
        let shadowed = |object: &Oid| {
            self.shadowing.iter().any(|root| root.starts_with(object) || object.starts_with(root))
        };
        let stays = |(object, kind): &&(Oid, Kind)| is_leaf(kind) && !shadowed(object);
        let (objects, unknown): (Vec<_>, Vec<_>) =
            self.leaves.iter().filter(stays).partition(|(_, kind)| known(kind));
        let objects = objects.into_iter().map(|(object, _)| object).chain(outermost(&self.shadowing));
        let (objects, hidden): (Vec<&Oid>, Vec<&Oid>) =
            objects.partition(|object| may_have_instances(object));
        let beside = outermost(&self.beside).filter(|root| may_have_instances(root));
        let unknown = unknown.into_iter().map(|(object, _)| object);
        Model {
            objects: objects.into_iter().chain(beside).cloned().collect(),
            hidden: hidden.into_iter().chain(unknown).cloned().collect(),
            instances: seen.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }

    fn check(&self, request: &Request) {
        let names: Vec<Oid> = request.names.iter().map(|near| self.name(near)).collect();
        let mut rules = vec![Rule { subtree: Oid::EMPTY, included: request.all, mask: vec![] }];
        for (near, included, mask) in &request.rules {
            let rule = Rule { subtree: self.name(near), included: *included, mask: mask.clone() };
            rules.retain(|known| known.subtree != rule.subtree);
            rules.push(rule);
        }
        let whole = self.model(&rules, request.without_counter64).ask(request.operation, &names);
        let expected = expected(whole, request, names.len());

        let view = rules.into_iter().fold(View::NOTHING, |view, Rule { subtree, included, mask }| {
            view.with(Family { subtree, included, mask: Mask::new(&mask).unwrap() })
        });
        let asker = Asker::new(&self.tree, view, self.start, || self.start)
            .regions(&self.regions)
            .max_bindings(request.max_bindings)
            .capacity(request.capacity);
        let asker = if request.without_counter64 { asker.without_counter64() } else { asker };
        let reply = asker.ask(request.operation, &names);
        let ahead = asker.looks_ahead().ask(request.operation, &names);
        assert_eq!((ahead.answers, ahead.end), expected);
        assert_eq!((reply.answers, reply.end), expected);
    }
}

fn expected(mut whole: Vec<Answer>, request: &Request, names: usize) -> (Vec<Answer>, End) {
    let (bound, non_repeaters) = match request.operation {
        Operation::Bulk { non_repeaters, .. } => (request.max_bindings.min(request.capacity), non_repeaters),
        _ => (request.capacity, names),
    };
    if whole.len() <= bound {
        return (whole, End::Done);
    }
    whole.truncate(bound);
    let binding = match bound.checked_sub(non_repeaters) {
        Some(position) => non_repeaters + position % (names - non_repeaters),
        None => bound,
    };
    (whole, End::Full(binding))
}

/// Whether an object has a place in the tree.
fn is_leaf(kind: &Kind) -> bool {
    kind.access.is_readable() || kind.access.is_writable()
}

/// Those within no other one.
fn outermost(roots: &[Oid]) -> impl Iterator<Item = &Oid> {
    let is_outermost =
        |root: &&Oid| !roots.iter().any(|other| root.len() > other.len() && root.starts_with(other));
    roots.iter().filter(is_outermost)
}

fn empty_tree(now: Instant) -> Tree {
    TreeBuilder::default().build(now).unwrap()
}

struct ReadOnly;

impl Region for ReadOnly {
    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        Err(SetError { binding: items[0].binding, check: SetCheck::NotWritable, reason: String::new() })
    }
}

impl Root {
    /// A region cannot be inside an object, nor beside its own root's object.
    fn oid(&self, places: &[Place]) -> Oid {
        let is_scalar = places.get(self.at).is_some_and(|place| matches!(place.object, Object::Scalar(..)));
        let at = self.at as u32;
        let most = match (self.is_beside, is_scalar) {
            (false, _) => usize::MAX,
            (true, true) => 2,
            (true, false) => 4,
        };
        match self.depth.min(most) {
            4.. if is_scalar => Oid::from([1, 9, at, 0]),
            5.. => Oid::from([1, 9, at, 1, self.column]),
            depth => Oid::EMPTY.child(&[1, 9, at, 1][..depth]),
        }
    }
}

fn scalar(at: usize, place: &Place) -> Option<&'static Scalar> {
    let Object::Scalar(kind, _) = &place.object else { return None };
    let oid = vec![1, 9, at as u32].leak();
    Some(Box::leak(Box::new(Scalar::new("random", oid, kind.access, kind.syntax))))
}

fn table(at: usize, place: &Place) -> Option<&'static Table> {
    let Object::Table { columns, .. } = &place.object else { return None };
    let columns: Vec<_> =
        columns.iter().map(|(id, kind)| Column::new(*id, "random", kind.access, kind.syntax)).collect();
    let oid = vec![1, 9, at as u32].leak();
    let table = Table { name: "random", entry: "random", oid, index: &[], columns: columns.leak() };
    Some(Box::leak(Box::new(table)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn the_tree_answers_as_the_model(
        places in vec(place(), 0..6),
        roots in prop_oneof![Just(vec![]), vec(root(), 1..4)],
        requests in vec(request(), 1..20),
    ) {
        let world = World::new(&places, &roots);
        requests.iter().for_each(|request| world.check(request));
    }

    /// GetBulk is GetNext, repeated; Get finds what GetNext found.
    #[test]
    fn bulk_is_next_repeated(
        places in vec(place(), 0..6),
        roots in prop_oneof![Just(vec![]), vec(root(), 1..4)],
        repetitions in 1usize..60,
    ) {
        let world = World::new(&places, &roots);
        let asker = Asker::new(&world.tree, View::everything(), world.start, || world.start).regions(&world.regions);
        let bulk = Operation::Bulk { non_repeaters: 0, max_repetitions: repetitions };
        let at_once = asker.ask(bulk, &[Oid::EMPTY]).answers;
        let mut name = Oid::EMPTY;
        for answer in &at_once {
            prop_assert_eq!(&asker.ask(Operation::Next, std::slice::from_ref(&name)).answers[0], answer);
            name = answer.name.clone();
            if answer.outcome.is_ok() {
                prop_assert_eq!(&asker.ask(Operation::Get, std::slice::from_ref(&name)).answers[0], answer);
            }
        }
        let walked: Vec<Oid> = at_once.iter().filter(|a| a.outcome.is_ok()).map(|a| a.name.clone()).collect();
        let expected: Vec<Oid> = world.values.keys().take(repetitions).cloned().collect();
        prop_assert_eq!(walked, expected);
    }
}

//! Plans against in-memory agents, on a virtual clock: every request takes one round trip; loss and the agent's
//! quirks are parameters.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::*;
use crate::walk::Repetitions;
use trunkline_smi::Value;

const ROUND_TRIP: Duration = Duration::from_millis(10);
const TIMEOUT: Duration = Duration::from_secs(1);

/// An agent with its quirks.
#[derive(Clone)]
struct Agent {
    tree: BTreeMap<Oid, Value>,
    version: Version,
    /// Maximum number of bindings in one answer.
    most: usize,
    /// A request for more bindings than this gets tooBig.
    too_big_above: usize,
    /// Answers with more bindings than this never arrive.
    lost_above: usize,
    /// The share of answers that are lost.
    loss: f64,
    /// After the first name it goes back to the second.
    jumps: Option<(Oid, Oid)>,
    /// The delay of its answers.
    delay: Duration,
    /// An instance that it only answers with an error.
    broken: Option<Oid>,
}

impl Agent {
    fn with(names: impl IntoIterator<Item = Oid>) -> Self {
        let tree = names.into_iter().enumerate().map(|(i, name)| (name, Value::Integer(i as i32))).collect();
        Self {
            tree,
            version: Version::V2c,
            most: usize::MAX,
            too_big_above: usize::MAX,
            lost_above: usize::MAX,
            loss: 0.0,
            jumps: None,
            delay: ROUND_TRIP,
            broken: None,
        }
    }

    fn after(&self, name: &Oid) -> Option<(Oid, Value)> {
        if let Some((from, to)) = &self.jumps
            && name == from
        {
            return Some((to.clone(), Value::Integer(0)));
        }
        let next =
            self.tree.range((std::ops::Bound::Excluded(name.clone()), std::ops::Bound::Unbounded)).next();
        next.map(|(name, value)| (name.clone(), value.clone()))
    }

    /// The answer, or `None` when it does not arrive.
    fn answer(&self, ask: &Ask, random: &mut impl FnMut() -> f64) -> Option<Response> {
        let repetitions = match ask.operation {
            Operation::Get => return Some(self.get(&ask.names[0])),
            Operation::Next => 1,
            Operation::Bulk(repetitions) => repetitions as usize,
        };
        assert!(self.version == Version::V2c || ask.operation == Operation::Next, "GetBulk in v1");
        if ask.names.len() * repetitions > self.too_big_above {
            return Some(response(Vec::new(), ErrorStatus::TooBig, 0));
        }
        let mut bindings = Vec::new();
        let mut cursors = ask.names.clone();
        'rows: for _ in 0..repetitions {
            for (at, cursor) in cursors.iter_mut().enumerate() {
                if bindings.len() == self.most {
                    break 'rows;
                }
                match self.after(cursor) {
                    Some((name, _)) if Some(&name) == self.broken.as_ref() => {
                        return Some(response(Vec::new(), ErrorStatus::GenErr, at as i32 + 1));
                    }
                    Some((name, value)) => {
                        *cursor = name.clone();
                        bindings.push(VarBind::new(name, value));
                    }
                    None if self.version == Version::V1 => {
                        return Some(response(Vec::new(), ErrorStatus::NoSuchName, at as i32 + 1));
                    }
                    None => bindings.push(VarBind {
                        name: cursor.clone(),
                        value: Bound::Exception(Exception::EndOfMibView),
                    }),
                }
            }
        }
        let lost = bindings.len() > self.lost_above || random() < self.loss;
        (!lost).then(|| response(bindings, ErrorStatus::NoError, 0))
    }

    fn get(&self, name: &Oid) -> Response {
        let value = self
            .tree
            .get(name)
            .map_or(Bound::Exception(Exception::NoSuchObject), |value| Bound::Value(value.clone()));
        response(vec![VarBind { name: name.clone(), value }], ErrorStatus::NoError, 0)
    }
}

fn response(bindings: Vec<VarBind>, status: ErrorStatus, index: i32) -> Response {
    Response {
        request_octets: 40,
        response_octets: 30 + 20 * bindings.len(),
        bindings,
        request_id: 1,
        error_status: status.code(),
        error_index: index,
        delay: ROUND_TRIP,
        attempts: 1,
    }
}

/// What a simulated walk did.
struct Walked {
    found: Vec<Oid>,
    error: Option<Error>,
    time: Duration,
    asks: usize,
    /// Bindings that the agent sent.
    sent: usize,
    largest: usize,
}

fn chance(seed: u64) -> impl FnMut() -> f64 {
    let mut random = fastrand::Rng::with_seed(seed);
    move || random.f64()
}

fn simulate(agent: &Agent, roots: &[Oid], options: WalkOptions, seed: u64) -> Walked {
    let concurrency = options.concurrency;
    let mut plan = Plan::new(roots.to_vec(), options, agent.version, TIMEOUT, 5);
    let mut random = chance(seed);
    // Ordered by time of arrival, earliest first.
    let mut arriving: BTreeMap<(Duration, u64), Result<Response, Error>> = BTreeMap::new();
    let mut walked =
        Walked { found: Vec::new(), error: None, time: Duration::ZERO, asks: 0, sent: 0, largest: 0 };
    loop {
        while let Some(ready) = plan.take_ready() {
            match ready {
                Ok(bindings) => walked.found.extend(bindings.into_iter().map(|binding| binding.name)),
                Err(error) => walked.error = Some(error),
            }
        }
        if plan.is_finished() {
            return walked;
        }
        while arriving.len() < concurrency
            && let Some(ask) = plan.next_ask()
        {
            walked.asks += 1;
            assert!(walked.asks < 100_000, "the walk does not end");
            let answer = agent.answer(&ask, &mut random);
            let size = answer.as_ref().map_or(0, |answer| answer.bindings.len());
            walked.sent += size;
            walked.largest = walked.largest.max(size);
            let jitter = Duration::from_micros((random() * 5_000.0) as u64);
            let (wait, answer) = match answer {
                Some(answer) => (agent.delay + jitter, Ok(Response { delay: agent.delay, ..answer })),
                None => (TIMEOUT, Err(Error::Timeout { attempts: 1, waited: TIMEOUT, ignored: 0 })),
            };
            arriving.insert((walked.time + wait, ask.ticket), answer);
        }
        let ((time, ticket), answer) = arriving.pop_first().expect("something to wait for");
        walked.time = time;
        plan.handle(ticket, answer);
    }
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

/// A table below `1.3.6.1.2.1.2.2` with this many columns and rows.
fn table(columns: u32, rows: u32) -> impl Iterator<Item = Oid> {
    let entry = oid("1.3.6.1.2.1.2.2.1");
    (1..=columns).flat_map(move |column| {
        let entry = entry.clone();
        (1..=rows).map(move |row| entry.child(&[column, row]))
    })
}

/// A MIB of scalars, tables of several shapes, and something behind.
fn mib() -> Vec<Oid> {
    let mut names: Vec<Oid> = (1..=9).map(|i| oid("1.3.6.1.2.1.1").child(&[i, 0])).collect();
    names.push(oid("1.3.6.1.2.1.2.1.0"));
    names.extend(table(22, 84));
    let tcp = oid("1.3.6.1.2.1.6.13.1");
    for column in 1..=5 {
        for i in 0..150u32 {
            names.push(tcp.child(&[column, 127, 0, 0, 1, i / 50 + 1, 10, 0, 0, i % 50, 1024 + i]));
        }
    }
    names.extend((1..=300).map(|i| oid("1.3.6.1.2.1.25.4.2.1.1").child(&[i * 37])));
    names.push(oid("1.3.6.1.4.1.1.0"));
    names
}

fn expected(agent: &Agent, root: &Oid) -> Vec<Oid> {
    agent.tree.keys().filter(|name| name.starts_with(root) && *name != root).cloned().collect()
}

#[track_caller]
fn check(agent: &Agent, root: &str, options: WalkOptions) -> Walked {
    let root = oid(root);
    let walked = simulate(agent, std::slice::from_ref(&root), options, 1);
    assert!(walked.error.is_none(), "{:?}", walked.error);
    assert!(walked.found == expected(agent, &root), "{} found", walked.found.len());
    walked
}

#[test]
fn every_subtree_is_walked_in_full_and_in_order() {
    let agent = Agent::with(mib());
    let prefixes: BTreeSet<Oid> = agent
        .tree
        .keys()
        .flat_map(|name| (3..=name.len()).map(|len| Oid::new(&name[..len]).unwrap()))
        .collect();
    let options = WalkOptions { get_root_if_empty: false, ..WalkOptions::default() };
    for (i, root) in prefixes.iter().enumerate().filter(|(i, root)| root.len() < 11 || i % 17 == 0) {
        let walked = simulate(&agent, std::slice::from_ref(root), options.clone(), i as u64);
        assert!(walked.error.is_none(), "{root}: {:?}", walked.error);
        assert!(walked.found == expected(&agent, root), "{root}");
    }
}

#[test]
fn the_columns_of_a_large_table_are_walked_side_by_side() {
    let agent = Agent::with(table(22, 1000));
    let alone = WalkOptions { concurrency: 1, ..WalkOptions::default() };
    let alone = check(&agent, "1.3.6.1.2.1.2.2", alone);
    let together = check(&agent, "1.3.6.1.2.1.2.2", WalkOptions::default());
    assert!(together.time * 2 < alone.time, "{:?} against {:?}", together.time, alone.time);
    assert!(together.sent < 22_000 * 13 / 10, "{} bindings for 22000", together.sent);
}

#[test]
fn a_small_table_costs_a_few_messages() {
    let agent = Agent::with(table(22, 5).chain([oid("1.3.6.1.2.1.2.3.0")]));
    let mut near = agent.clone();
    near.delay = Duration::from_micros(80);
    assert_eq!(check(&near, "1.3.6.1.2.1.2.2", WalkOptions::default()).asks, 3);
    let walked = check(&agent, "1.3.6.1.2.1.2.2", WalkOptions::default());
    assert!(walked.asks <= 5, "{} requests", walked.asks);
}

#[test]
fn a_near_agent_gets_no_requests_beyond_the_end() {
    let mut agent = Agent::with(table(22, 1000).chain([oid("1.3.6.1.2.1.2.3.0")]));
    agent.delay = Duration::from_micros(80);
    let walked = check(&agent, "1.3.6.1.2.1.2.2", WalkOptions::default());
    assert!(walked.sent < 23_000, "{} bindings for 22000", walked.sent);
}

#[test]
fn known_columns_are_used() {
    let agent = Agent::with(table(22, 84));
    let split_at = (1..=22).map(|column| oid("1.3.6.1.2.1.2.2.1").child(&[column])).collect();
    let walked = check(&agent, "1.3.6.1.2.1.2.2", WalkOptions { split_at, ..WalkOptions::default() });
    assert!(walked.time < ROUND_TRIP * 14, "{:?}", walked.time);
}

#[test]
fn columns_of_a_table_alone() {
    let agent = Agent::with(table(22, 84));
    let entry = oid("1.3.6.1.2.1.2.2.1");
    let roots = [2, 10, 16].map(|column| entry.child(&[column]));
    let walked = simulate(&agent, &roots, WalkOptions::default(), 1);
    let wanted: Vec<Oid> = roots.iter().flat_map(|root| expected(&agent, root)).collect();
    assert!(walked.found == wanted);
    assert!(walked.sent < 400, "{} bindings for 252", walked.sent);
}

#[test]
fn a_small_table_by_columns_costs_few_messages() {
    let agent = Agent::with(table(22, 3));
    let entry = oid("1.3.6.1.2.1.2.2.1");
    let roots: Vec<Oid> = (1..=22).map(|column| entry.child(&[column])).collect();
    let walked = simulate(&agent, &roots, WalkOptions::default(), 1);
    assert_eq!(walked.found.len(), 66);
    assert!(walked.asks <= 5, "{} requests", walked.asks);
}

#[test]
fn version_1_walks_with_get_next() {
    let mut agent = Agent::with(mib());
    agent.version = Version::V1;
    check(&agent, "1.3.6.1.2.1.2", WalkOptions::default());
    let last = check(&agent, "1.3.6.1.4", WalkOptions::default());
    assert_eq!(last.found.len(), 1);
    let entry = oid("1.3.6.1.2.1.2.2.1");
    let roots: Vec<Oid> = (1..=10).map(|column| entry.child(&[column])).collect();
    let walked = simulate(&agent, &roots, WalkOptions::default(), 1);
    assert_eq!(walked.found.len(), 840);
    assert!(walked.asks < 100, "a row at a time: {} requests", walked.asks);
}

#[test]
fn requests_are_repeated_for_lost_answers() {
    for seed in 0..20 {
        let mut agent = Agent::with(mib());
        agent.loss = 0.1;
        let root = oid("1.3.6.1.2.1");
        let walked = simulate(&agent, std::slice::from_ref(&root), WalkOptions::default(), seed);
        assert!(walked.error.is_none(), "{:?}", walked.error);
        assert!(walked.found == expected(&agent, &root));
    }
}

#[test]
fn a_path_that_loses_large_answers_gets_small_ones() {
    let mut agent = Agent::with(table(22, 500));
    agent.lost_above = 66;
    let walked = check(&agent, "1.3.6.1.2.1.2.2", WalkOptions::default());
    assert!(walked.time < TIMEOUT * 4, "{:?}", walked.time);
}

#[test]
fn requests_adapt_to_an_agent_that_truncates() {
    let mut agent = Agent::with(table(22, 500));
    agent.most = 17;
    let walked = check(&agent, "1.3.6.1.2.1.2.2", WalkOptions::default());
    assert_eq!(walked.largest, 17);
    assert!(walked.asks < 22 * 500 / 17 * 12 / 10, "{} requests", walked.asks);
}

#[test]
fn requests_shrink_when_the_agent_answers_too_big() {
    for limit in [1, 7, 60] {
        let mut agent = Agent::with(table(5, 200));
        agent.too_big_above = limit;
        check(&agent, "1.3.6.1.2.1.2.2", WalkOptions::default());
    }
}

#[test]
fn a_looping_agent_is_reported_and_stopped() {
    let mut agent = Agent::with(table(3, 40));
    let (from, to) = (oid("1.3.6.1.2.1.2.2.1.2.7"), oid("1.3.6.1.2.1.2.2.1.1.1"));
    agent.jumps = Some((from.clone(), to.clone()));
    let root = oid("1.3.6.1.2.1.2.2");
    for concurrency in [1, 8] {
        let options = WalkOptions { concurrency, ..WalkOptions::default() };
        let walked = simulate(&agent, std::slice::from_ref(&root), options, 1);
        let Some(Error::NotIncreasing { previous, found }) = walked.error else {
            panic!("{:?}", walked.error)
        };
        assert_eq!((&previous, &found), (&from, &to));
        assert_eq!(walked.found.last(), Some(&from), "what came before is handed on");
    }
    agent.jumps = Some((from.clone(), from));
    let options = WalkOptions { check_order: false, max_bindings: Some(500), ..WalkOptions::default() };
    let walked = simulate(&agent, &[root], options, 1);
    assert_eq!((walked.found.len(), walked.error.is_none()), (500, true));
}

#[test]
fn an_unordered_agent_can_be_walked_without_the_check() {
    let mut agent = Agent::with(table(2, 10));
    agent.jumps = Some((oid("1.3.6.1.2.1.2.2.1.2.10"), oid("1.3.6.1.2.1.1.9.0")));
    let options = WalkOptions { check_order: false, ..WalkOptions::default() };
    assert_eq!(check(&agent, "1.3.6.1.2.1.2.2", options).found.len(), 20);
}

#[test]
fn a_broken_instance_ends_the_walk_with_its_name() {
    let mut agent = Agent::with(table(3, 40));
    agent.broken = Some(oid("1.3.6.1.2.1.2.2.1.2.7"));
    let walked = simulate(&agent, &[oid("1.3.6.1.2.1.2.2")], WalkOptions::default(), 1);
    let Some(Error::Status { status: 5, name: Some(name), .. }) = walked.error else {
        panic!("{:?}", walked.error)
    };
    assert_eq!((name, walked.found.len()), (oid("1.3.6.1.2.1.2.2.1.2.6"), 46));
}

#[test]
fn silence_ends_the_walk_after_all_attempts() {
    let mut agent = Agent::with(table(1, 10));
    agent.loss = 1.0;
    let walked = simulate(&agent, &[oid("1.3.6.1")], WalkOptions::default(), 1);
    assert!(
        matches!(walked.error, Some(Error::Timeout { attempts: 6, waited, .. }) if waited == TIMEOUT * 6),
        "{:?}",
        walked.error
    );
    assert_eq!(walked.asks, 6);
}

#[test]
fn an_instance_as_root_is_fetched() {
    let agent = Agent::with(mib());
    let root = oid("1.3.6.1.2.1.1.3.0");
    let walked = simulate(&agent, std::slice::from_ref(&root), WalkOptions::default(), 1);
    assert_eq!(walked.found, std::slice::from_ref(&root));
    let options = WalkOptions { get_root_if_empty: false, ..WalkOptions::default() };
    assert!(simulate(&agent, &[root], options, 1).found.is_empty());
    let nothing = simulate(&agent, &[oid("1.3.6.1.2.1.99")], WalkOptions::default(), 1);
    assert!(nothing.found.is_empty() && nothing.error.is_none());
}

#[test]
fn a_walk_can_be_bounded() {
    let agent = Agent::with(table(22, 1000));
    let options = WalkOptions { max_bindings: Some(1234), ..WalkOptions::default() };
    let walked = simulate(&agent, &[oid("1.3.6.1.2.1.2.2")], options, 1);
    assert!(walked.found.len() == 1234 && walked.error.is_none());
    assert!(walked.found == expected(&agent, &oid("1.3.6.1.2.1.2.2"))[..1234]);
}

#[test]
fn the_buffer_of_early_results_is_bounded() {
    let agent = Agent::with(table(22, 2000));
    let root = oid("1.3.6.1.2.1.2.2");
    let options = WalkOptions { buffer: 1000, ..WalkOptions::default() };
    let mut plan = Plan::new(vec![root], options, Version::V2c, TIMEOUT, 5);
    let mut asked: BinaryHeap<(u64, usize)> = BinaryHeap::new();
    let mut answers = Vec::new();
    let mut most = 0;
    // The newest request is answered first, so that the front arrives last.
    loop {
        while plan.take_ready().is_some() {}
        if plan.is_finished() {
            break;
        }
        while asked.len() < 8
            && let Some(ask) = plan.next_ask()
        {
            asked.push((ask.ticket, answers.len()));
            answers.push(agent.answer(&ask, &mut || 1.0));
        }
        most = most.max(plan.buffered);
        let (ticket, at) = asked.pop().unwrap();
        plan.handle(ticket, Ok(answers[at].take().unwrap()));
    }
    assert!(most > 1000 && most < 1000 + 8 * 850, "{most}");
}

#[test]
fn random_trees_with_random_quirks() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let names = (0..random.usize(1..600)).map(|_| {
            let len = random.usize(1..6);
            oid("1.3.6.1").child(&(0..len).map(|_| random.u32(1..5)).collect::<Vec<_>>())
        });
        let mut agent = Agent::with(names.collect::<Vec<_>>());
        agent.most = random.usize(1..80);
        agent.too_big_above = random.usize(1..200);
        agent.loss = random.f64() * 0.05;
        agent.version = if random.f64() < 0.2 { Version::V1 } else { Version::V2c };
        let options = WalkOptions {
            repetitions: Repetitions::Tuned { first: random.u32(1..30), most: 200 },
            concurrency: random.usize(1..10),
            buffer: random.usize(0..100),
            get_root_if_empty: false,
            ..WalkOptions::default()
        };
        let root = oid("1.3.6.1").child(&[random.u32(1..5)]);
        let walked = simulate(&agent, std::slice::from_ref(&root), options, seed);
        assert!(walked.error.is_none(), "seed {seed}: {:?}", walked.error);
        assert!(walked.found == expected(&agent, &root), "seed {seed}");
    }
}

/// An agent that invents its answers: any names, any number, any status.
#[test]
fn whatever_an_agent_invents_results_stay_in_order_and_the_walk_ends() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let root = oid("1.3.6.1");
        let mut plan = Plan::new(vec![root.clone()], WalkOptions::default(), Version::V2c, TIMEOUT, 2);
        let mut found: Vec<Oid> = Vec::new();
        let mut asks = 0;
        while !plan.is_finished() {
            while let Some(ready) = plan.take_ready() {
                found.extend(ready.into_iter().flatten().map(|binding| binding.name));
            }
            let Some(ask) = plan.next_ask() else { continue };
            asks += 1;
            assert!(asks < 10_000, "seed {seed}");
            let bindings = (0..random.usize(0..40)).map(|_| {
                let suffix: Vec<u32> = (0..random.usize(0..4)).map(|_| random.u32(0..4)).collect();
                let base = if random.f64() < 0.9 { &ask.names[0] } else { &root };
                match random.u32(0..60) {
                    0 => VarBind::unspecified(base.child(&suffix)),
                    1 => VarBind {
                        name: base.child(&suffix),
                        value: Bound::Exception(Exception::EndOfMibView),
                    },
                    _ => VarBind::new(base.child(&suffix), Value::Integer(0)),
                }
            });
            let bindings = match ask.operation {
                // The session checks the names of a Get's answer.
                Operation::Get => vec![VarBind::new(root.clone(), Value::Integer(0))],
                _ => bindings.collect(),
            };
            let status = match random.u32(0..10) {
                0 => ErrorStatus::ALL[random.usize(0..19)],
                _ => ErrorStatus::NoError,
            };
            let answer = match random.u32(0..20) {
                0 => Err(Error::Timeout { attempts: 1, waited: TIMEOUT, ignored: 0 }),
                1 => Err(Error::BindingCount { expected: 1, found: 9 }),
                _ => Ok(response(bindings, status, random.i32(-2..5))),
            };
            plan.handle(ask.ticket, answer);
        }
        assert!(found.is_sorted_by(|a, b| a < b), "seed {seed} {found:?}");
        assert!(found.iter().all(|name| name.starts_with(&root)), "seed {seed}");
    }
}

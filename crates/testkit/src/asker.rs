//! Queries a tree, loads what it needs, and writes requests and answers as one line of text:
//!
//! ```text
//! get factNumber.0 portName.7          factNumber.0=-7 portName.7:noSuchInstance
//! bulk 0 2 portSpeed                   portSpeed.1=10 portSpeed.3=1000
//! ```
//! A name is a descriptor followed by sub-identifiers, or dotted numbers. Text is in quotes,
//! other octets are `0x..`. `!full@1` ends an answer that the sink could not hold at binding 1, counted
//! from 0; `!error@1` one whose group could not be loaded.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::time::Instant;

use trunkline_smi::{Oid, OidList, Value};
use trunkline_tree::{
    Access, Aim, Exception, Operation, Progress, Query, Question, RegionAnswer, Tree, View, Walker,
};

use crate::recording::{Answer, Recording};

/// Asks on behalf of one principal.
pub struct Asker<'t> {
    tree: &'t Tree,
    clock: Box<dyn Fn() -> Instant + 't>,
    access: Access,
    arrived: Instant,
    without_counter64: bool,
    max_bindings: usize,
    may_end_early: bool,
    capacity: usize,
    regions: &'t [BTreeMap<Oid, Value>],
    looks_ahead: bool,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What the sink took.
    pub answers: Vec<Answer>,
    /// How it ended.
    pub end: End,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything is answered.
    Done,
    /// The sink was full, or the bound of bindings reached, at this binding of the request.
    Full(usize),
    /// A group could not be loaded for this binding of the request.
    Failed(usize),
}

impl<'t> Asker<'t> {
    /// Asks at the moment `arrived` and loads by `clock`.
    pub fn new(tree: &'t Tree, view: View, arrived: Instant, clock: impl Fn() -> Instant + 't) -> Self {
        Asker {
            tree,
            clock: Box::new(clock),
            access: tree.access(view, View::NOTHING),
            arrived,
            without_counter64: false,
            max_bindings: usize::MAX,
            may_end_early: false,
            capacity: usize::MAX,
            regions: &[],
            looks_ahead: false,
        }
    }

    /// With another principal's access.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// As an SNMPv1 manager, which does not know Counter64.
    #[must_use]
    pub fn without_counter64(mut self) -> Self {
        self.without_counter64 = true;
        self
    }

    /// With a bound for GetBulk.
    #[must_use]
    pub fn max_bindings(mut self, max_bindings: usize) -> Self {
        self.max_bindings = max_bindings;
        self
    }

    /// With leave to end a GetBulk where another group would have to be loaded.
    #[must_use]
    pub fn may_end_early(mut self) -> Self {
        self.may_end_early = true;
        self
    }

    /// With a sink for this many bindings.
    #[must_use]
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    /// With what each of the tree's regions answers from.
    #[must_use]
    pub fn regions(mut self, regions: &'t [BTreeMap<Oid, Value>]) -> Self {
        self.regions = regions;
        self
    }

    /// With answers of regions to all questions that can be foreseen.
    #[must_use]
    pub fn looks_ahead(mut self) -> Self {
        self.looks_ahead = true;
        self
    }

    /// Asks once.
    pub fn ask(&self, operation: Operation, names: &[Oid]) -> Reply {
        let names: OidList = names.iter().map(|name| &**name).collect();
        let query = Query {
            operation,
            names: &names,
            access: &self.access,
            without_counter64: self.without_counter64,
            arrived: self.arrived,
            max_bindings: self.max_bindings,
            may_end_early: self.may_end_early,
        };
        let mut sink = Recording::new(self.capacity);
        let mut walker = Walker::new();
        let end = loop {
            match walker.advance(self.tree, &query, &mut sink) {
                Progress::Done => break End::Done,
                Progress::Full { binding } => break End::Full(binding),
                Progress::Load(group) => {
                    if self.tree.load(group, self.arrived, &self.clock).is_err() {
                        break End::Failed(walker.binding());
                    }
                }
                Progress::Ask(region) => {
                    let question = walker.question().expect("a region is to be asked");
                    assert_eq!(question.region, region);
                    let answer = answer(&self.regions[region.position()], question);
                    walker.answered(answer);
                    let upcoming = if self.looks_ahead { usize::MAX } else { 0 };
                    for upcoming in walker.upcoming(self.tree, &query, upcoming) {
                        let region = upcoming.question().region.position();
                        let answer = self::answer(&self.regions[region], upcoming.question());
                        walker.answered_early(upcoming, answer);
                    }
                }
            }
        };
        Reply { answers: sink.into_answers(), end }
    }

    /// Asks in text, answers in text.
    pub fn text(&self, question: &str) -> String {
        let (operation, names) = self.parse(question);
        self.print(&self.ask(operation, &names))
    }

    /// A question in text as operation and names.
    pub fn parse(&self, question: &str) -> (Operation, Vec<Oid>) {
        let mut words = question.split_whitespace();
        let number = |words: &mut std::str::SplitWhitespace<'_>| words.next().unwrap().parse().unwrap();
        let operation = match words.next() {
            Some("get") => Operation::Get,
            Some("next") => Operation::Next,
            Some("bulk") => {
                Operation::Bulk { non_repeaters: number(&mut words), max_repetitions: number(&mut words) }
            }
            other => panic!("{other:?} is not an operation"),
        };
        (operation, words.map(|word| self.name(word)).collect())
    }

    /// A name in text as numbers.
    pub fn name(&self, text: &str) -> Oid {
        let (head, rest) = text.split_once('.').unwrap_or((text, ""));
        let leaf = self.tree.leaves().iter().find(|leaf| leaf.name() == head);
        match leaf {
            None => text.parse().unwrap_or_else(|error| panic!("{text}: {error}")),
            Some(leaf) if rest.is_empty() => Oid::EMPTY.child(leaf.oid()),
            Some(leaf) => Oid::EMPTY.child(leaf.oid()).child(&rest.parse::<Oid>().unwrap()),
        }
    }

    /// A reply in text.
    pub fn print(&self, reply: &Reply) -> String {
        let mut words: Vec<String> = reply.answers.iter().map(|answer| self.print_answer(answer)).collect();
        match reply.end {
            End::Done => {}
            End::Full(binding) => words.push(format!("!full@{binding}")),
            End::Failed(binding) => words.push(format!("!error@{binding}")),
        }
        words.join(" ")
    }

    fn print_answer(&self, answer: &Answer) -> String {
        let name = match self.tree.leaf_of(&answer.name) {
            Some(leaf) if answer.name.len() > leaf.oid().len() => {
                format!("{}.{}", leaf.name(), Oid::EMPTY.child(&answer.name[leaf.oid().len()..]))
            }
            Some(leaf) => leaf.name().to_owned(),
            None => answer.name.to_string(),
        };
        match &answer.outcome {
            Ok(value) => format!("{name}={}", print_value(value)),
            Err(Exception::NoSuchObject) => format!("{name}:noSuchObject"),
            Err(Exception::NoSuchInstance) => format!("{name}:noSuchInstance"),
            Err(Exception::EndOfMibView) => format!("{name}:endOfMibView"),
        }
    }
}

/// In runs of up to three where several are wanted.
fn answer(instances: &BTreeMap<Oid, Value>, question: Question<'_>) -> RegionAnswer {
    let name = Oid::new(question.name).unwrap();
    let from = match question.aim {
        Aim::Exactly => return instances.get(&name).map(|value| (name, value.clone())).into(),
        Aim::Behind => Bound::Excluded(name),
        Aim::AtOrBehind => Bound::Included(name),
    };
    let found = instances.range((from, Bound::Unbounded)).map(|(name, value)| (name.clone(), value.clone()));
    let mut found = found.take_while(|(name, _)| question.end.is_none_or(|end| **name < *end));
    if question.wanted == 1 {
        return found.next().into();
    }
    let most = question.wanted.min(3);
    let found: VecDeque<(Oid, Value)> = found.take(most).collect();
    RegionAnswer::Run { is_all: found.len() < most, found }
}

fn print_value(value: &Value) -> String {
    match value {
        Value::OctetString(octets) if octets.iter().all(u8::is_ascii_graphic) => {
            format!("'{}'", String::from_utf8_lossy(octets))
        }
        Value::OctetString(_) | Value::Opaque(_) => format!("0x{}", value.as_value_ref()),
        _ => value.as_value_ref().to_string(),
    }
}

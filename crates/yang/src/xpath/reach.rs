//! What data an expression can look at: it is evaluated on the forest instead of on instances. The result is at least what
//! is needed, so that the evaluation on it gives what it would give on everything.
//!
//! Tests of leaves at the beginning of a step's predicates become tests of the selection: a list's keys are then looked up. One behind a
//! predicate that counts would change what that counts.

use std::collections::HashMap;

use super::evaluate::{EvaluationError, Namespaces, meant};
use super::{Axis, Expr, Name, NodeTest, Operator, Path, Step};
use crate::forest::{Forest, NodeId};
use crate::lexical;
use crate::selection::{Alternative, Selection, Test, Wanted, Within};

/// The data that an expression needs, for its value and for the nodes that are its value, where it is evaluated at this node, or at
/// the root.
///
/// # Errors
/// A prefix that is not declared, or an expression that leads to too many nodes.
pub fn reach(
    expression: &Expr,
    forest: &Forest,
    namespaces: &dyn Namespaces,
    at: Option<NodeId>,
) -> Result<Selection, EvaluationError> {
    let start = Spot { node: at, tests: Vec::new() };
    let needed = Selection::default();
    let mut reach =
        Reach { forest, namespaces, needed, start: start.clone(), left: MOST, only_canonical: false };
    let found = reach.expression(expression, &[start])?;
    reach.need_all(&found)?;
    Ok(reach.needed)
}

/// The nodes that an expression selects, if it only names them: paths from the root downwards, whose entries of lists are selected
/// by the values of their leaves. Nothing need be evaluated then.
pub fn exact(expression: &Expr, forest: &Forest, namespaces: &dyn Namespaces) -> Option<Selection> {
    let (needed, start) = (Selection::default(), Spot::default());
    let mut reach = Reach { forest, namespaces, needed, start, left: MOST, only_canonical: true };
    let found = reach.named(expression)?;
    reach.need_all(&found).ok()?;
    Some(reach.needed)
}

/// Nodes of the forest that may be looked at.
const MOST: usize = 300_000;

/// A node of the forest, or the root, and the tests that its lists' entries passed on the way there.
#[derive(Debug, Clone, Default, PartialEq)]
struct Spot {
    node: Option<NodeId>,
    tests: Vec<(NodeId, Vec<Test>)>,
}

struct Reach<'r> {
    forest: &'r Forest,
    namespaces: &'r dyn Namespaces,
    needed: Selection,
    start: Spot,
    left: usize,
    /// Whether a literal must be as the value it stands for is written: only then are equal values equal texts.
    only_canonical: bool,
}

type Outcome<T> = Result<T, EvaluationError>;

impl Reach<'_> {
    /// What an expression selects that only names nodes; `None`: it does more.
    fn named(&mut self, expression: &Expr) -> Option<Vec<Spot>> {
        let steps = match expression {
            Expr::Union(left, right) => {
                let mut all = self.named(left)?;
                all.extend(self.named(right)?);
                return Some(all);
            }
            Expr::Path(Path { is_absolute: true, steps }) => steps,
            _ => return None,
        };
        let mut spots = vec![Spot::default()];
        for step in steps {
            let is_plain = match step.axis {
                Axis::Child => matches!(step.test, NodeTest::Name(_) | NodeTest::Any | NodeTest::AnyOf(_)),
                Axis::DescendantOrSelf => step.test == NodeTest::Node && step.predicates.is_empty(),
                _ => false,
            };
            if !is_plain {
                return None;
            }
            let mut found = Vec::new();
            for spot in spots {
                found.extend(self.axis(&spot, step).ok()?);
            }
            if step.predicates.iter().any(is_never) {
                found.clear();
            }
            let needed: usize = step.predicates.iter().map(comparisons).sum();
            for spot in found.iter_mut().filter(|_| needed > 0) {
                self.narrow(spot, step).ok()?;
                let tests = spot.tests.iter().find(|(list, _)| spot.node == Some(*list));
                if tests.map_or(0, |(_, tests)| tests.len()) != needed {
                    return None;
                }
            }
            spots = found;
        }
        Some(spots)
    }

    /// The nodes that are the expression's value; what it looks at otherwise is needed.
    fn expression(&mut self, expression: &Expr, context: &[Spot]) -> Outcome<Vec<Spot>> {
        match expression {
            Expr::Number(_) | Expr::Literal(_) | Expr::Variable(_) => Ok(Vec::new()),
            Expr::Negate(of) => self.value(of, context),
            Expr::Binary(_, left, right) => {
                self.value(left, context)?;
                self.value(right, context)
            }
            Expr::Union(left, right) => {
                let mut all = self.expression(left, context)?;
                all.extend(self.expression(right, context)?);
                Ok(all)
            }
            Expr::Call(name, arguments) => {
                arguments.iter().try_for_each(|it| self.value(it, context).map(drop))?;
                if arguments.is_empty() {
                    match name.local.as_str() {
                        "string" | "string-length" | "normalize-space" | "number" => {
                            self.need_all(context)?
                        }
                        "current" => return Ok(vec![self.start.clone()]),
                        _ => {}
                    }
                }
                Ok(Vec::new())
            }
            Expr::Path(Path { is_absolute, steps }) => {
                let start = if *is_absolute { vec![Spot::default()] } else { context.to_vec() };
                self.steps(start, steps)
            }
            Expr::Filter { of, predicates, steps } => {
                let found = self.expression(of, context)?;
                for predicate in predicates {
                    self.value(predicate, &found)?;
                }
                if predicates.iter().any(counts) {
                    self.need_all(&found)?;
                }
                self.steps(found, steps)
            }
        }
    }

    /// The same of an expression whose value is used.
    fn value(&mut self, expression: &Expr, context: &[Spot]) -> Outcome<Vec<Spot>> {
        let found = self.expression(expression, context)?;
        self.need_all(&found)?;
        Ok(Vec::new())
    }

    fn steps(&mut self, mut spots: Vec<Spot>, steps: &[Step]) -> Outcome<Vec<Spot>> {
        for step in steps {
            let mut found: Vec<Spot> = Vec::new();
            let mut places: HashMap<Option<NodeId>, Vec<usize>> = HashMap::new();
            // Sideways every spot leads to all nodes.
            let is_sideways = matches!(
                step.axis,
                Axis::Following | Axis::Preceding | Axis::FollowingSibling | Axis::PrecedingSibling
            );
            if is_sideways {
                // What is beside a node is there only if the node is.
                self.need_all(&spots)?;
            }
            for spot in &spots[..if is_sideways { spots.len().min(1) } else { spots.len() }] {
                for mut next in self.axis(spot, step)? {
                    self.narrow(&mut next, step)?;
                    let same = places.entry(next.node).or_default();
                    self.work(same.len())?;
                    if !same.iter().any(|at| found[*at] == next) {
                        same.push(found.len());
                        found.push(next);
                    }
                }
            }
            for predicate in &step.predicates {
                self.value(predicate, &found)?;
            }
            if step.predicates.iter().any(counts) {
                for spot in &found {
                    match spot.node.map(|node| self.forest[node].place) {
                        // An entry is there even if nothing else of it is needed.
                        Some(place) if place.is_list() => {
                            let mut keys = Selection::default();
                            spot.node.into_iter().for_each(|list| keys.add_keys(self.forest, list));
                            self.need(spot, Wanted::nodes(keys));
                        }
                        Some(_) => self.need(spot, Wanted::All),
                        None => {}
                    }
                }
            }
            spots = found;
        }
        Ok(spots)
    }

    fn axis(&mut self, from: &Spot, step: &Step) -> Outcome<Vec<Spot>> {
        let forest = self.forest;
        let namespace = match &step.test {
            NodeTest::Name(Name { prefix: Some(prefix), .. }) | NodeTest::AnyOf(prefix) => {
                let found = self.namespaces.resolve(prefix);
                Some(found.ok_or_else(|| EvaluationError::Prefix(prefix.clone()))?)
            }
            _ => None,
        };
        let is_of = |node: NodeId| namespace.is_none_or(|it| it == forest.module(node).namespace);
        let passes = |node: Option<NodeId>| match (&step.test, node) {
            (NodeTest::Node, _) => true,
            (NodeTest::Text, node) => node.is_some_and(|node| forest[node].place.syntax().is_some()),
            (NodeTest::Comment | NodeTest::Instruction(_), _) | (_, None) => false,
            (NodeTest::Any, Some(_)) => true,
            (NodeTest::AnyOf(_), Some(node)) => is_of(node),
            (NodeTest::Name(name), Some(node)) => forest[node].name == name.local && is_of(node),
        };
        let down = |node: NodeId| Spot { node: Some(node), tests: from.tests.clone() };
        let mut spots = match step.axis {
            Axis::Attribute | Axis::Namespace => vec![],
            Axis::Self_ => vec![from.clone()],
            Axis::Child => {
                let children = forest.children(from.node).iter().copied();
                children.filter(|node| passes(Some(*node))).map(down).collect()
            }
            Axis::Descendant => self.below(from.node)?.into_iter().map(down).collect(),
            Axis::DescendantOrSelf => {
                let below = self.below(from.node)?.into_iter().map(down);
                std::iter::once(from.clone()).chain(below).collect()
            }
            // What is a leaf here may stand for the text in it.
            Axis::Parent => {
                let leaf = self.is_leaf(from).then(|| from.clone());
                leaf.into_iter().chain(self.above(from).into_iter().take(1)).collect()
            }
            Axis::Ancestor => {
                let leaf = self.is_leaf(from).then(|| from.clone());
                leaf.into_iter().chain(self.above(from)).collect()
            }
            Axis::AncestorOrSelf => std::iter::once(from.clone()).chain(self.above(from)).collect(),
            // Entries of lists are siblings of each other, and the whole may be of other entries.
            Axis::Following | Axis::Preceding | Axis::FollowingSibling | Axis::PrecedingSibling => {
                let all = self.below(None)?;
                all.into_iter().map(|node| Spot { node: Some(node), tests: Vec::new() }).collect()
            }
        };
        // The text of a leaf belongs to the leaf.
        if matches!(step.test, NodeTest::Text | NodeTest::Node)
            && self.is_leaf(from)
            && matches!(step.axis, Axis::Child | Axis::Descendant)
        {
            spots.push(from.clone());
        }
        self.work(spots.len())?;
        spots.retain(|spot| passes(spot.node));
        Ok(spots)
    }

    fn is_leaf(&self, spot: &Spot) -> bool {
        spot.node.is_some_and(|node| self.forest[node].place.syntax().is_some())
    }

    /// All nodes in one.
    fn below(&mut self, of: Option<NodeId>) -> Outcome<Vec<NodeId>> {
        let mut found = Vec::new();
        let mut open: Vec<NodeId> = self.forest.children(of).iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            found.push(node);
            open.extend(self.forest[node].children.iter().rev());
        }
        self.work(found.len())?;
        Ok(found)
    }

    /// What a node is in, the nearest first and the root last.
    fn above(&self, of: &Spot) -> Vec<Spot> {
        let mut found = Vec::new();
        let mut spot = of.clone();
        while let Some(node) = spot.node {
            // The entry of a list that is left is no longer known by its tests.
            spot.tests.retain(|(list, _)| *list != node);
            spot.node = self.forest[node].parent;
            found.push(spot.clone());
        }
        found
    }

    /// Notes the tests of leaves that a step's predicates begin with.
    fn narrow(&mut self, spot: &mut Spot, step: &Step) -> Outcome<()> {
        let Some(list) = spot.node.filter(|node| self.forest[*node].place.is_list()) else {
            return Ok(());
        };
        let is_downwards = matches!(step.axis, Axis::Child | Axis::Descendant | Axis::DescendantOrSelf);
        let mut tests = Vec::new();
        for predicate in step.predicates.iter().filter(|_| is_downwards) {
            let before = tests.len();
            self.tests_of(predicate, list, &mut tests);
            if tests.len() == before {
                break;
            }
        }
        match spot.tests.iter_mut().find(|(of, _)| *of == list) {
            // The same entry, which has passed tests before.
            Some((_, before)) => before.extend(tests),
            None if tests.is_empty() => {}
            None => spot.tests.push((list, tests)),
        }
        Ok(())
    }

    /// `leaf = 'value'`, and several of them with `and`.
    fn tests_of(&self, predicate: &Expr, list: NodeId, tests: &mut Vec<Test>) {
        let Expr::Binary(operator, left, right) = predicate else { return };
        match operator {
            Operator::And => {
                let mut both = Vec::new();
                self.tests_of(left, list, &mut both);
                let of_left = both.len();
                self.tests_of(right, list, &mut both);
                // Of one alone the other may count.
                if of_left > 0 && both.len() > of_left {
                    tests.extend(both);
                }
            }
            Operator::Equal => {
                let test = self.test(left, right, list).or_else(|| self.test(right, left, list));
                tests.extend(test);
            }
            _ => {}
        }
    }

    fn test(&self, leaf: &Expr, value: &Expr, list: NodeId) -> Option<Test> {
        let Expr::Path(Path { is_absolute: false, steps }) = leaf else { return None };
        let [Step { axis: Axis::Child, test: NodeTest::Name(name), predicates }] = &steps[..] else {
            return None;
        };
        let namespace = name.prefix.as_ref().map(|prefix| self.namespaces.resolve(prefix));
        let is_it = |node: &&NodeId| {
            self.forest[**node].name == name.local
                && match namespace {
                    None => true,
                    Some(found) => found == Some(self.forest.module(**node).namespace.as_str()),
                }
        };
        let mut leaves = self.forest[list].children.iter().filter(is_it);
        let (Some(&leaf), None) = (leaves.next(), leaves.next()) else { return None };
        let syntax = self.forest[leaf].place.syntax()?;
        let text = match value {
            Expr::Literal(text) => meant(self.forest, leaf, text, self.namespaces)?.into_owned(),
            // Of other leaves several texts are one number.
            Expr::Number(number) if syntax.is_number() && number.abs() <= EXACT => {
                super::value::text_of_number(*number)
            }
            _ => return None,
        };
        let value = lexical::read(&text, syntax)?;
        if self.only_canonical {
            let mut written = String::new();
            lexical::write(value.as_value_ref(), syntax, &mut written);
            if written != text {
                return None;
            }
        }
        predicates.is_empty().then_some(Test { leaf, value })
    }

    fn need_all(&mut self, spots: &[Spot]) -> Outcome<()> {
        for spot in spots {
            self.work(8)?;
            match spot.node {
                Some(_) => self.need(spot, Wanted::All),
                None => self.needed = Selection::everything(self.forest),
            }
        }
        Ok(())
    }

    /// Adds a node, and what it is in.
    fn need(&mut self, spot: &Spot, mut wanted: Wanted) {
        let Some(mut node) = spot.node else { return };
        let tests_of = |node: NodeId| {
            let found = spot.tests.iter().find(|(list, _)| *list == node);
            found.map(|(_, tests)| tests.clone()).unwrap_or_default()
        };
        let own = tests_of(node);
        if !own.is_empty() {
            wanted = Wanted::Some(vec![Alternative { tests: own, within: wanted.within() }]);
        }
        while let Some(parent) = self.forest[node].parent {
            let mut nodes = Selection::default();
            nodes.add(node, wanted);
            let (tests, within) = (tests_of(parent), Within::Nodes(nodes));
            wanted = Wanted::Some(vec![Alternative { tests, within }]);
            node = parent;
        }
        self.needed.add(node, wanted);
    }

    fn work(&mut self, nodes: usize) -> Outcome<()> {
        self.left = self.left.checked_sub(nodes + 1).ok_or(EvaluationError::TooMuch)?;
        Ok(())
    }
}

/// From here on several integers are one number of XPath.
const EXACT: f64 = 9_007_199_254_740_991.0;

/// How many tests a predicate is if it is nothing else.
fn comparisons(predicate: &Expr) -> usize {
    match predicate {
        Expr::Binary(Operator::And, left, right) => comparisons(left) + comparisons(right),
        _ => 1,
    }
}

/// Whether a predicate compares an attribute, of which data has none.
fn is_never(predicate: &Expr) -> bool {
    let is_attribute = |it: &Expr| match it {
        Expr::Path(Path { is_absolute: false, steps }) => {
            steps.first().is_some_and(|step| step.axis == Axis::Attribute)
        }
        _ => false,
    };
    let is_constant = |it: &Expr| matches!(it, Expr::Literal(_) | Expr::Number(_));
    match predicate {
        Expr::Binary(Operator::Equal, left, right) => {
            is_attribute(left) && is_constant(right) || is_attribute(right) && is_constant(left)
        }
        _ => false,
    }
}

/// Whether a predicate may depend on how many nodes there are.
fn counts(predicate: &Expr) -> bool {
    let is_number = match predicate {
        Expr::Number(_) | Expr::Negate(_) | Expr::Variable(_) => true,
        Expr::Binary(operator, ..) => matches!(
            operator,
            Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo
        ),
        Expr::Call(name, _) => matches!(
            name.local.as_str(),
            "count" | "sum" | "number" | "floor" | "ceiling" | "round" | "string-length"
        ),
        _ => false,
    };
    is_number || asks_for_position(predicate)
}

/// Whether `position` or `last` is called anywhere in it.
fn asks_for_position(expression: &Expr) -> bool {
    let any = |all: &[Expr]| all.iter().any(asks_for_position);
    let in_steps = |steps: &[Step]| steps.iter().any(|step| any(&step.predicates));
    match expression {
        Expr::Call(name, arguments) => matches!(name.local.as_str(), "position" | "last") || any(arguments),
        Expr::Binary(_, left, right) | Expr::Union(left, right) => {
            asks_for_position(left) || asks_for_position(right)
        }
        Expr::Negate(of) => asks_for_position(of),
        Expr::Path(path) => in_steps(&path.steps),
        Expr::Filter { of, predicates, steps } => asks_for_position(of) || any(predicates) || in_steps(steps),
        Expr::Number(_) | Expr::Literal(_) | Expr::Variable(_) => false,
    }
}

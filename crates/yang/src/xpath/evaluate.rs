//! Evaluation on instances, within a limit of work.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::value::{Value, boolean_of_number, number_of_text, text_of_number};
use super::{Axis, Expr, Name, NodeTest, Operator, Path, Step};
use crate::forest::{Forest, NodeId};
use crate::identity::Identity;
use crate::instances::{InstanceId, Instances};

/// A node of XPath's model: an instance, or the text in a leaf. In document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct XNode {
    /// The instance.
    pub instance: InstanceId,
    /// Whether it is the text in it.
    pub is_text: bool,
}

/// What prefixes mean where an expression stands.
pub trait Namespaces {
    /// The namespace of a prefix.
    fn resolve(&self, prefix: &str) -> Option<&str>;
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvaluationError {
    /// A prefix that is not declared.
    Prefix(String),
    /// A function that is not there.
    Function(String),
    /// A function with other arguments than it takes.
    Arguments(String),
    /// A variable: there are none.
    Variable(String),
    /// What must be nodes is something else.
    NotNodes,
    /// More work than allowed.
    TooMuch,
}

impl std::fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Prefix(prefix) => {
                write!(f, "the prefix {prefix} is not declared where the expression stands")
            }
            Self::Function(name) => write!(f, "there is no function {name}"),
            Self::Arguments(name) => write!(f, "the function {name} takes other arguments"),
            Self::Variable(name) => write!(f, "there is no variable ${name}"),
            Self::NotNodes => f.write_str("expected nodes, found a string, a number or a boolean"),
            Self::TooMuch => f.write_str("the expression looks at more nodes than are allowed"),
        }
    }
}

impl std::error::Error for EvaluationError {}

/// Evaluates expressions on one document.
pub struct Evaluator<'e> {
    pub(super) forest: &'e Forest,
    pub(super) instances: &'e Instances,
    pub(super) namespaces: &'e dyn Namespaces,
    /// Where the whole expression is evaluated.
    pub(super) current: XNode,
    /// Nodes that may still be looked at.
    left: u64,
}

/// Where an expression is evaluated (section 1).
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub node: XNode,
    pub position: usize,
    pub size: usize,
}

type Outcome<T> = Result<T, EvaluationError>;

impl<'e> Evaluator<'e> {
    /// At most so many nodes are looked at.
    pub fn new(
        forest: &'e Forest,
        instances: &'e Instances,
        namespaces: &'e dyn Namespaces,
        most: u64,
    ) -> Self {
        let current = XNode { instance: Instances::ROOT, is_text: false };
        Evaluator { forest, instances, namespaces, current, left: most }
    }

    /// The value of an expression at an instance: usually [`Instances::ROOT`].
    ///
    /// # Errors
    /// [`EvaluationError`]
    pub fn evaluate(&mut self, expression: &Expr, at: InstanceId) -> Outcome<Value> {
        self.current = XNode { instance: at, is_text: false };
        self.value(expression, Context { node: self.current, position: 1, size: 1 })
    }

    pub(super) fn value(&mut self, expression: &Expr, context: Context) -> Outcome<Value> {
        Ok(match expression {
            Expr::Number(number) => Value::Number(*number),
            Expr::Literal(text) => Value::Text(text.clone()),
            Expr::Variable(name) => return Err(EvaluationError::Variable(name.to_string())),
            Expr::Negate(of) => Value::Number(-self.number(of, context)?),
            Expr::Call(name, arguments) => self.call(name, arguments, context)?,
            Expr::Union(left, right) => {
                let mut all = self.nodes(left, context)?;
                all.extend(self.nodes(right, context)?);
                self.work(all.len())?;
                Value::Nodes(in_order(all))
            }
            Expr::Path(path) => Value::Nodes(self.path(path, context)?),
            Expr::Filter { of, predicates, steps } => {
                if predicates.is_empty() && steps.is_empty() {
                    return self.value(of, context);
                }
                let mut nodes = self.nodes(of, context)?;
                for predicate in predicates {
                    nodes = self.satisfying(nodes, predicate)?;
                }
                Value::Nodes(self.steps(nodes, steps)?)
            }
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right, context)?,
        })
    }

    fn binary(&mut self, operator: Operator, left: &Expr, right: &Expr, context: Context) -> Outcome<Value> {
        Ok(match operator {
            Operator::Or => Value::Boolean(self.boolean(left, context)? || self.boolean(right, context)?),
            Operator::And => Value::Boolean(self.boolean(left, context)? && self.boolean(right, context)?),
            Operator::Plus => Value::Number(self.number(left, context)? + self.number(right, context)?),
            Operator::Minus => Value::Number(self.number(left, context)? - self.number(right, context)?),
            Operator::Multiply => Value::Number(self.number(left, context)? * self.number(right, context)?),
            Operator::Divide => Value::Number(self.number(left, context)? / self.number(right, context)?),
            Operator::Modulo => Value::Number(self.number(left, context)? % self.number(right, context)?),
            _ => {
                let (left, right) = (self.value(left, context)?, self.value(right, context)?);
                Value::Boolean(self.compare(operator, &left, &right)?)
            }
        })
    }

    /// Section 3.4.
    fn compare(&mut self, operator: Operator, left: &Value, right: &Value) -> Outcome<bool> {
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        Ok(match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => {
                let right: Vec<String> =
                    right.iter().map(|node| self.string_value(*node)).collect::<Outcome<_>>()?;
                for node in left {
                    let value = self.string_value(*node)?;
                    self.work(right.len())?;
                    let holds = right.iter().any(|other| match is_equality {
                        true => (value == *other) == (operator == Operator::Equal),
                        false => holds(operator, number_of_text(&value), number_of_text(other)),
                    });
                    if holds {
                        return Ok(true);
                    }
                }
                false
            }
            (Value::Nodes(nodes), Value::Boolean(other)) if is_equality => {
                (nodes.is_empty() != *other) == (operator == Operator::Equal)
            }
            (Value::Boolean(other), Value::Nodes(nodes)) if is_equality => {
                (nodes.is_empty() != *other) == (operator == Operator::Equal)
            }
            (Value::Nodes(nodes), other) => self.any(nodes, other, operator)?,
            (other, Value::Nodes(nodes)) => self.any(nodes, other, mirrored(operator))?,
            _ if !is_equality => holds(operator, self.as_number(left)?, self.as_number(right)?),
            (Value::Boolean(_), _) | (_, Value::Boolean(_)) => {
                (as_boolean(left) == as_boolean(right)) == (operator == Operator::Equal)
            }
            (Value::Number(_), _) | (_, Value::Number(_)) => {
                holds(operator, self.as_number(left)?, self.as_number(right)?)
            }
            _ => (self.as_text(left)? == self.as_text(right)?) == (operator == Operator::Equal),
        })
    }

    /// Whether it holds of any node and a value that is none.
    fn any(&mut self, nodes: &[XNode], other: &Value, operator: Operator) -> Outcome<bool> {
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        if let Value::Boolean(other) = other {
            // As a number, the set is what it is as a boolean.
            return Ok(holds(operator, f64::from(u8::from(!nodes.is_empty())), f64::from(u8::from(*other))));
        }
        for node in nodes {
            let value = self.string_value(*node)?;
            let holds = match other {
                Value::Text(text) if is_equality => {
                    self.is_value(*node, &value, text) == (operator == Operator::Equal)
                }
                Value::Text(text) => holds(operator, number_of_text(&value), number_of_text(text)),
                Value::Number(number) => holds(operator, number_of_text(&value), *number),
                Value::Boolean(_) | Value::Nodes(_) => false,
            };
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the value of a node is what a text stands for: identities are the same with any prefix of their module.
    fn is_value(&self, node: XNode, value: &str, text: &str) -> bool {
        match self.instances.node(node.instance) {
            Some(leaf) => meant(self.forest, leaf, text, self.namespaces).is_some_and(|meant| meant == value),
            None => text == value,
        }
    }

    fn path(&mut self, path: &Path, context: Context) -> Outcome<Vec<XNode>> {
        let start = match path.is_absolute {
            true => XNode { instance: Instances::ROOT, is_text: false },
            false => context.node,
        };
        self.steps(vec![start], &path.steps)
    }

    fn steps(&mut self, mut nodes: Vec<XNode>, steps: &[Step]) -> Outcome<Vec<XNode>> {
        for step in steps {
            let mut found = Vec::new();
            for node in nodes {
                let mut those = self.axis(node, step)?;
                for predicate in &step.predicates {
                    those = self.satisfying(those, predicate)?;
                }
                found.extend(those);
            }
            nodes = in_order(found);
        }
        Ok(nodes)
    }

    /// The nodes that satisfy a predicate, in whose order they are counted (section 2.4).
    fn satisfying(&mut self, nodes: Vec<XNode>, predicate: &Expr) -> Outcome<Vec<XNode>> {
        let size = nodes.len();
        if let Expr::Number(number) = predicate {
            self.work(1)?;
            let wanted = nodes.into_iter().enumerate().filter(|(at, _)| (*at + 1) as f64 == *number);
            return Ok(wanted.map(|(_, node)| node).collect());
        }
        let mut kept = Vec::new();
        for (at, node) in nodes.into_iter().enumerate() {
            let context = Context { node, position: at + 1, size };
            let is_kept = match self.value(predicate, context)? {
                Value::Number(number) => number == context.position as f64,
                other => as_boolean(&other),
            };
            if is_kept {
                kept.push(node);
            }
        }
        Ok(kept)
    }

    /// The nodes of an axis that pass its test, in the axis' order.
    fn axis(&mut self, from: XNode, step: &Step) -> Outcome<Vec<XNode>> {
        let instances = self.instances;
        let of = |instance| XNode { instance, is_text: false };
        let text = |instance| XNode { instance, is_text: true };
        let has_text = |instance: InstanceId| !instances.value(instance).is_empty();
        let with_text = |instance: InstanceId| {
            std::iter::once(of(instance)).chain(has_text(instance).then(|| text(instance)))
        };
        let at = from.instance;
        let ancestors = |include: bool| {
            let first = if from.is_text { Some(at) } else { instances.parent(at) };
            let own = include.then_some(from);
            own.into_iter().chain(std::iter::successors(first, |it| instances.parent(*it)).map(of))
        };
        // Behind it and all that is in it.
        let behind = instances.end(at).0;
        let all = instances.len() as u32;
        let nodes: Vec<XNode> = match step.axis {
            Axis::Self_ => vec![from],
            Axis::Attribute | Axis::Namespace => vec![],
            Axis::Parent if from.is_text => vec![of(at)],
            Axis::Parent => instances.parent(at).map(of).into_iter().collect(),
            Axis::Ancestor => ancestors(false).collect(),
            Axis::AncestorOrSelf => ancestors(true).collect(),
            Axis::Child | Axis::Descendant if from.is_text => vec![],
            Axis::DescendantOrSelf if from.is_text => vec![from],
            Axis::Child if has_text(at) => vec![text(at)],
            Axis::Child => {
                self.work(1)?;
                instances.children(at).map(of).collect()
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                let own = (step.axis == Axis::DescendantOrSelf).then_some(from);
                let own_text = has_text(at).then(|| text(at));
                let below = instances.below(at).flat_map(with_text);
                own.into_iter().chain(own_text).chain(below).collect()
            }
            Axis::Following => (behind..all).map(InstanceId).flat_map(with_text).collect(),
            Axis::Preceding => {
                let mut above: Vec<InstanceId> = ancestors(false).map(|it| it.instance).collect();
                above.reverse();
                let before = (1..at.0).map(InstanceId).filter(|it| above.binary_search(it).is_err());
                let mut nodes: Vec<XNode> = before.flat_map(with_text).collect();
                nodes.reverse();
                nodes
            }
            // The text of a leaf is alone in it, and the root is alone.
            Axis::FollowingSibling | Axis::PrecedingSibling if from.is_text => vec![],
            Axis::FollowingSibling => {
                let parent = instances.parent(at);
                parent
                    .into_iter()
                    .flat_map(|it| instances.children(it))
                    .filter(|it| *it > at)
                    .map(of)
                    .collect()
            }
            Axis::PrecedingSibling => {
                let parent = instances.parent(at);
                let mut nodes: Vec<XNode> = parent
                    .into_iter()
                    .flat_map(|it| instances.children(it))
                    .take_while(|it| *it < at)
                    .map(of)
                    .collect();
                nodes.reverse();
                nodes
            }
        };
        self.work(nodes.len())?;
        let mut passed = Vec::new();
        let namespace = self.namespace_of(&step.test)?;
        for node in nodes {
            if self.passes(node, &step.test, namespace) {
                passed.push(node);
            }
        }
        Ok(passed)
    }

    /// The namespace that a test asks for; `None`: any.
    fn namespace_of(&self, test: &NodeTest) -> Outcome<Option<&'e str>> {
        let prefix = match test {
            NodeTest::Name(Name { prefix: Some(prefix), .. }) | NodeTest::AnyOf(prefix) => prefix,
            _ => return Ok(None),
        };
        let namespaces: &'e dyn Namespaces = self.namespaces;
        let found = namespaces.resolve(prefix);
        found.map(Some).ok_or_else(|| EvaluationError::Prefix(prefix.clone()))
    }

    fn passes(&self, node: XNode, test: &NodeTest, namespace: Option<&str>) -> bool {
        let schema = self.instances.node(node.instance).filter(|_| !node.is_text);
        match test {
            NodeTest::Node => true,
            NodeTest::Text => node.is_text,
            NodeTest::Comment | NodeTest::Instruction(_) => false,
            NodeTest::Any => schema.is_some(),
            NodeTest::AnyOf(_) => {
                schema.is_some_and(|id| namespace.is_none_or(|it| it == self.forest.module(id).namespace))
            }
            // Without a prefix the name counts in every namespace.
            NodeTest::Name(name) => schema.is_some_and(|id| {
                self.forest[id].name == name.local
                    && namespace.is_none_or(|it| it == self.forest.module(id).namespace)
            }),
        }
    }

    /// Counts what is looked at.
    pub(super) fn work(&mut self, nodes: usize) -> Outcome<()> {
        self.left = self.left.checked_sub(nodes as u64 + 1).ok_or(EvaluationError::TooMuch)?;
        Ok(())
    }

    /// The text of all that is in a node (section 5).
    pub(super) fn string_value(&mut self, node: XNode) -> Outcome<String> {
        let instances = self.instances;
        let own = instances.value(node.instance);
        if node.is_text || !own.is_empty() {
            return Ok(own.to_owned());
        }
        let below = instances.below(node.instance);
        self.work((instances.end(node.instance).0 - node.instance.0) as usize)?;
        Ok(below.map(|it| instances.value(it)).collect())
    }

    pub(super) fn nodes(&mut self, expression: &Expr, context: Context) -> Outcome<Vec<XNode>> {
        match self.value(expression, context)? {
            Value::Nodes(nodes) => Ok(nodes),
            _ => Err(EvaluationError::NotNodes),
        }
    }

    pub(super) fn number(&mut self, expression: &Expr, context: Context) -> Outcome<f64> {
        let value = self.value(expression, context)?;
        self.as_number(&value)
    }

    pub(super) fn text(&mut self, expression: &Expr, context: Context) -> Outcome<String> {
        let value = self.value(expression, context)?;
        let text = match value {
            Value::Text(text) => text,
            other => self.as_text(&other)?,
        };
        // A function reads all of it, for each node again.
        self.work(text.len() / OCTETS_OF_WORK)?;
        Ok(text)
    }

    pub(super) fn boolean(&mut self, expression: &Expr, context: Context) -> Outcome<bool> {
        Ok(as_boolean(&self.value(expression, context)?))
    }

    fn as_number(&mut self, value: &Value) -> Outcome<f64> {
        Ok(match value {
            Value::Number(number) => *number,
            Value::Boolean(boolean) => f64::from(u8::from(*boolean)),
            Value::Text(text) => number_of_text(text),
            Value::Nodes(_) => number_of_text(&self.as_text(value)?),
        })
    }

    pub(super) fn as_text(&mut self, value: &Value) -> Outcome<String> {
        Ok(match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => text_of_number(*number),
            Value::Boolean(boolean) => boolean.to_string(),
            Value::Nodes(nodes) => match nodes.first() {
                Some(first) => self.string_value(*first)?,
                None => String::new(),
            },
        })
    }
}

/// The value of a leaf, as it is kept, that a text stands for where an expression stands; `None`: the leaf has no such value.
pub(super) fn meant<'t>(
    forest: &Forest,
    leaf: NodeId,
    text: &'t str,
    namespaces: &dyn Namespaces,
) -> Option<Cow<'t, str>> {
    if !forest[leaf].place.has_identities() {
        return Some(Cow::Borrowed(text));
    }
    let (namespace, name) = match text.split_once(':') {
        Some((prefix, name)) => match namespaces.resolve(prefix) {
            Some(namespace) => (Some(namespace), name),
            // A prefix that is not declared can only be our own.
            None => return Some(Cow::Borrowed(text)),
        },
        None => (None, text),
    };
    forest.identity_value(leaf, Identity { namespace, name }).map(Cow::Owned)
}

pub(super) fn as_boolean(value: &Value) -> bool {
    match value {
        Value::Boolean(boolean) => *boolean,
        Value::Number(number) => boolean_of_number(*number),
        Value::Text(text) => !text.is_empty(),
        Value::Nodes(nodes) => !nodes.is_empty(),
    }
}

fn holds(operator: Operator, left: f64, right: f64) -> bool {
    let ordering = left.partial_cmp(&right);
    match operator {
        Operator::Equal => ordering == Some(Ordering::Equal),
        Operator::NotEqual => ordering != Some(Ordering::Equal),
        Operator::Less => ordering == Some(Ordering::Less),
        Operator::LessOrEqual => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        Operator::Greater => ordering == Some(Ordering::Greater),
        Operator::GreaterOrEqual => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        _ => false,
    }
}

/// The operator with its operands exchanged.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessOrEqual => Operator::GreaterOrEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterOrEqual => Operator::LessOrEqual,
        same => same,
    }
}

/// Each once, in document order.
fn in_order(mut nodes: Vec<XNode>) -> Vec<XNode> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Octets of a text that take as much work as a node.
const OCTETS_OF_WORK: usize = 16;

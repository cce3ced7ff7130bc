//! XPath 1.0 expressions (W3C Recommendation of 16 November 1999) as a tree: parsed within limits, and printed in full.
//!
//! What an abbreviation stands for is what the tree has: `//a` is `/descendant-or-self::node()/child::a`. Prefixes stay as they were written;
//! what they mean depends on where the expression stands.

mod evaluate;
mod functions;
mod lexer;
mod parser;
mod reach;
mod value;

use std::fmt;

pub use evaluate::{EvaluationError, Evaluator, Namespaces, XNode};
pub use parser::{XPathError, parse};
pub use reach::{exact, reach};
pub use value::Value;

/// An expression (section 3).
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Two operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `-`.
    Negate(Box<Expr>),
    /// Nodes of both (section 3.3).
    Union(Box<Expr>, Box<Expr>),
    /// A number.
    Number(f64),
    /// A string.
    Literal(String),
    /// `$name`.
    Variable(Name),
    /// A function and its arguments.
    Call(Name, Vec<Expr>),
    /// A location path.
    Path(Path),
    /// An expression with predicates, and a path that starts at its nodes (section 3.3).
    Filter {
        /// The expression.
        of: Box<Expr>,
        /// What its nodes must satisfy.
        predicates: Vec<Expr>,
        /// The steps from them.
        steps: Vec<Step>,
    },
}

/// An operator with two operands.
#[allow(missing_docs, reason = "they are the specification's")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Multiply,
    Divide,
    Modulo,
}

/// A location path (section 2).
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Whether it starts at the root.
    pub is_absolute: bool,
    /// Its steps; none only of `/`.
    pub steps: Vec<Step>,
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The direction.
    pub axis: Axis,
    /// Which nodes.
    pub test: NodeTest,
    /// What they must satisfy.
    pub predicates: Vec<Expr>,
}

/// An axis (section 2.2).
#[allow(missing_docs, reason = "they are the specification's")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Self_,
}

/// A node test (section 2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeTest {
    /// A name.
    Name(Name),
    /// `*`.
    Any,
    /// `prefix:*`.
    AnyOf(String),
    /// `node()`.
    Node,
    /// `text()`.
    Text,
    /// `comment()`.
    Comment,
    /// `processing-instruction()`, perhaps of a name.
    Instruction(Option<String>),
}

/// A name with its prefix, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As it was written.
    pub prefix: Option<String>,
    /// The part behind it.
    pub local: String,
}

impl Axis {
    const ALL: [Axis; 13] = [
        Axis::Ancestor,
        Axis::AncestorOrSelf,
        Axis::Attribute,
        Axis::Child,
        Axis::Descendant,
        Axis::DescendantOrSelf,
        Axis::Following,
        Axis::FollowingSibling,
        Axis::Namespace,
        Axis::Parent,
        Axis::Preceding,
        Axis::PrecedingSibling,
        Axis::Self_,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Axis::Ancestor => "ancestor",
            Axis::AncestorOrSelf => "ancestor-or-self",
            Axis::Attribute => "attribute",
            Axis::Child => "child",
            Axis::Descendant => "descendant",
            Axis::DescendantOrSelf => "descendant-or-self",
            Axis::Following => "following",
            Axis::FollowingSibling => "following-sibling",
            Axis::Namespace => "namespace",
            Axis::Parent => "parent",
            Axis::Preceding => "preceding",
            Axis::PrecedingSibling => "preceding-sibling",
            Axis::Self_ => "self",
        }
    }

    /// The axis of a name.
    pub fn of_name(name: &str) -> Option<Axis> {
        Axis::ALL.into_iter().find(|axis| axis.name() == name)
    }
}

impl Operator {
    /// How it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            Operator::Or => "or",
            Operator::And => "and",
            Operator::Equal => "=",
            Operator::NotEqual => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Multiply => "*",
            Operator::Divide => "div",
            Operator::Modulo => "mod",
        }
    }
}

impl Expr {
    /// The same with other prefixes; those that have no other stay.
    #[must_use]
    pub fn with_prefixes<'p>(&self, other: &dyn Fn(&str) -> Option<&'p str>) -> Expr {
        let boxed = |of: &Expr| Box::new(of.with_prefixes(other));
        let all = |of: &[Expr]| of.iter().map(|it| it.with_prefixes(other)).collect();
        let steps = |of: &[Step]| of.iter().map(|it| it.with_prefixes(other)).collect();
        match self {
            Expr::Binary(operator, left, right) => Expr::Binary(*operator, boxed(left), boxed(right)),
            Expr::Negate(of) => Expr::Negate(boxed(of)),
            Expr::Union(left, right) => Expr::Union(boxed(left), boxed(right)),
            Expr::Number(_) | Expr::Literal(_) | Expr::Variable(_) => self.clone(),
            Expr::Call(name, arguments) => Expr::Call(name.clone(), all(arguments)),
            Expr::Path(path) => Expr::Path(Path { is_absolute: path.is_absolute, steps: steps(&path.steps) }),
            Expr::Filter { of, predicates, steps: then } => {
                Expr::Filter { of: boxed(of), predicates: all(predicates), steps: steps(then) }
            }
        }
    }

    /// Whether it is `/` alone.
    fn is_root(&self) -> bool {
        matches!(self, Expr::Path(path) if path.is_absolute && path.steps.is_empty())
    }

    /// The first function that there is not, wherever it stands: where there is no data it would never be called, and never be missed.
    #[must_use]
    pub fn unknown_function(&self) -> Option<&Name> {
        match self {
            Expr::Binary(_, left, right) | Expr::Union(left, right) => {
                left.unknown_function().or_else(|| right.unknown_function())
            }
            Expr::Negate(of) => of.unknown_function(),
            Expr::Number(_) | Expr::Literal(_) | Expr::Variable(_) => None,
            Expr::Call(name, arguments) => match functions::is_known(name) {
                true => unknown_in(arguments),
                false => Some(name),
            },
            Expr::Path(path) => unknown_in_steps(&path.steps),
            Expr::Filter { of, predicates, steps } => {
                of.unknown_function().or_else(|| unknown_in(predicates)).or_else(|| unknown_in_steps(steps))
            }
        }
    }
}

fn unknown_in(all: &[Expr]) -> Option<&Name> {
    all.iter().find_map(Expr::unknown_function)
}

fn unknown_in_steps(steps: &[Step]) -> Option<&Name> {
    steps.iter().find_map(|step| unknown_in(&step.predicates))
}

impl Step {
    fn with_prefixes<'p>(&self, other: &dyn Fn(&str) -> Option<&'p str>) -> Step {
        let new = |prefix: &String| other(prefix).unwrap_or(prefix).to_owned();
        let test = match &self.test {
            NodeTest::Name(Name { prefix: Some(prefix), local }) => {
                NodeTest::Name(Name { prefix: Some(new(prefix)), local: local.clone() })
            }
            NodeTest::AnyOf(prefix) => NodeTest::AnyOf(new(prefix)),
            test => test.clone(),
        };
        let predicates = self.predicates.iter().map(|it| it.with_prefixes(other)).collect();
        Step { axis: self.axis, test, predicates }
    }
}

impl fmt::Display for Expr {
    /// With every parenthesis that could matter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Behind a bare `/` a name or `*` would be a step of it (section 3.7).
            Expr::Binary(operator, left, right) if left.is_root() => {
                write!(f, "(({left}) {} {right})", operator.symbol())
            }
            Expr::Binary(operator, left, right) => write!(f, "({left} {} {right})", operator.symbol()),
            Expr::Negate(of) => write!(f, "(-{of})"),
            Expr::Union(left, right) => write!(f, "({left} | {right})"),
            // There are no exponents in XPath; Rust writes none either.
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Literal(text) if text.contains('"') => write!(f, "'{text}'"),
            Expr::Literal(text) => write!(f, "\"{text}\""),
            Expr::Variable(name) => write!(f, "${name}"),
            Expr::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (at, argument) in arguments.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{argument}")?;
                }
                f.write_str(")")
            }
            Expr::Path(path) => path.fmt(f),
            Expr::Filter { of, predicates, steps } => {
                write!(f, "({of})")?;
                predicates.iter().try_for_each(|it| write!(f, "[{it}]"))?;
                steps.iter().try_for_each(|step| write!(f, "/{step}"))
            }
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_absolute {
            f.write_str("/")?;
        }
        for (at, step) in self.steps.iter().enumerate() {
            let slash = if at == 0 { "" } else { "/" };
            write!(f, "{slash}{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.axis.name(), self.test)?;
        self.predicates.iter().try_for_each(|it| write!(f, "[{it}]"))
    }
}

impl fmt::Display for NodeTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeTest::Name(name) => name.fmt(f),
            NodeTest::Any => f.write_str("*"),
            NodeTest::AnyOf(prefix) => write!(f, "{prefix}:*"),
            NodeTest::Node => f.write_str("node()"),
            NodeTest::Text => f.write_str("text()"),
            NodeTest::Comment => f.write_str("comment()"),
            NodeTest::Instruction(None) => f.write_str("processing-instruction()"),
            NodeTest::Instruction(Some(of)) => {
                write!(f, "processing-instruction({})", Expr::Literal(of.clone()))
            }
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.prefix {
            Some(prefix) => write!(f, "{prefix}:{}", self.local),
            None => f.write_str(&self.local),
        }
    }
}

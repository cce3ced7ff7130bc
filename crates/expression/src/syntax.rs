//! The parts of an expression, and their text.

use std::fmt;

use crate::function::Function;
use crate::number::{Kind, Number};

/// A part of an expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where its text, or that of its operator, begins: an offset from 0. It does not count when nodes are compared.
    pub at: usize,
    /// What it is.
    pub kind: NodeKind,
}

/// What a part of an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A constant.
    Constant(Constant),
    /// `$n`: the object with this expObjectIndex.
    Object(u32),
    /// An operator with one operand.
    Unary(Sign, Box<Node>),
    /// An operator with two.
    Binary(Operator, Box<Node>, Box<Node>),
    /// A function and its arguments.
    Call(Function, Vec<Node>),
}

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// int, long, unsigned int, unsigned long and characters.
    Integer(Number),
    /// The digits behind 0x, which are an integer, or octets where those are wanted.
    Hexadecimal(String),
    /// A string.
    Octets(Vec<u8>),
    /// An object identifier.
    Oid(Vec<u32>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// `-`
    Negative,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    And,
    /// `^`
    ExclusiveOr,
    /// `|`
    Or,
    /// `&&`
    BothTrue,
    /// `||`
    EitherTrue,
}

impl Node {
    /// Calls for this node and all below it.
    pub(crate) fn visit(&self, call: &mut impl FnMut(&Node)) {
        call(self);
        match &self.kind {
            NodeKind::Constant(_) | NodeKind::Object(_) => {}
            NodeKind::Unary(_, operand) => operand.visit(call),
            NodeKind::Binary(_, left, right) => {
                left.visit(call);
                right.visit(call);
            }
            NodeKind::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(call)),
        }
    }

    /// The same for each object, with whether all its instances are used together.
    pub(crate) fn visit_objects(&self, is_aggregated: bool, call: &mut impl FnMut(u32, bool)) {
        match &self.kind {
            NodeKind::Constant(_) => {}
            NodeKind::Object(object) => call(*object, is_aggregated),
            NodeKind::Unary(_, operand) => operand.visit_objects(is_aggregated, call),
            NodeKind::Binary(_, left, right) => {
                left.visit_objects(is_aggregated, call);
                right.visit_objects(is_aggregated, call);
            }
            NodeKind::Call(function, arguments) => {
                for (position, argument) in arguments.iter().enumerate() {
                    let is_swept = position == 0 && function.is_aggregate();
                    argument.visit_objects(is_aggregated || is_swept, call);
                }
            }
        }
    }

    /// How tightly its text holds together: that of a binary operator, or more.
    fn precedence(&self) -> u8 {
        match &self.kind {
            NodeKind::Binary(operator, ..) => operator.precedence(),
            NodeKind::Unary(..) => Operator::HIGHEST + 1,
            _ => Operator::HIGHEST + 2,
        }
    }

    /// Its text, in parentheses if it holds together less than that.
    pub(crate) fn write(&self, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs_parentheses = self.precedence() < least;
        if needs_parentheses {
            f.write_str("(")?;
        }
        match &self.kind {
            NodeKind::Constant(constant) => write!(f, "{constant}")?,
            NodeKind::Object(object) => write!(f, "${object}")?,
            NodeKind::Unary(sign, operand) => {
                f.write_str(sign.symbol())?;
                operand.write(Operator::HIGHEST + 1, f)?;
            }
            NodeKind::Binary(operator, left, right) => {
                left.write(operator.precedence(), f)?;
                write!(f, " {} ", operator.symbol())?;
                right.write(operator.precedence() + 1, f)?;
            }
            NodeKind::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (position, argument) in arguments.iter().enumerate() {
                    if position > 0 {
                        f.write_str(", ")?;
                    }
                    argument.write(0, f)?;
                }
                f.write_str(")")?;
            }
        }
        if needs_parentheses {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Node {}

impl Constant {
    /// The octets of a hexadecimal constant with an even number of digits.
    pub(crate) fn hexadecimal_octets(digits: &str) -> Option<Vec<u8>> {
        let pairs = digits.as_bytes().chunks(2);
        pairs
            .map(|pair| match pair {
                [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
                _ => None,
            })
            .collect()
    }

    /// Its integer, if it has at most 16 digits: the first of int, unsigned int, long and unsigned long that has it.
    pub(crate) fn hexadecimal_number(digits: &str) -> Option<Number> {
        let value = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 16)?;
        let fitting = [Kind::Integer32, Kind::Unsigned32, Kind::Integer64, Kind::Unsigned64];
        let mut numbers = fitting.into_iter().map(|kind| Number::new(kind, value.into()));
        numbers.find(|number| number.value() == i128::from(value))
    }
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

impl Sign {
    /// Its text.
    pub const fn symbol(self) -> &'static str {
        match self {
            Sign::Negative => "-",
            Sign::Complement => "~",
            Sign::Not => "!",
        }
    }
}

impl Operator {
    /// The precedence of those that bind most tightly.
    const HIGHEST: u8 = 10;

    /// All of them, longer texts first.
    pub const ALL: [Operator; 18] = [
        Operator::ShiftLeft,
        Operator::ShiftRight,
        Operator::LessOrEqual,
        Operator::GreaterOrEqual,
        Operator::Equal,
        Operator::NotEqual,
        Operator::BothTrue,
        Operator::EitherTrue,
        Operator::Multiply,
        Operator::Divide,
        Operator::Remainder,
        Operator::Add,
        Operator::Subtract,
        Operator::Less,
        Operator::Greater,
        Operator::And,
        Operator::ExclusiveOr,
        Operator::Or,
    ];

    /// Its text.
    pub const fn symbol(self) -> &'static str {
        match self {
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::ShiftLeft => "<<",
            Operator::ShiftRight => ">>",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Equal => "==",
            Operator::NotEqual => "!=",
            Operator::And => "&",
            Operator::ExclusiveOr => "^",
            Operator::Or => "|",
            Operator::BothTrue => "&&",
            Operator::EitherTrue => "||",
        }
    }

    /// C's precedence, from 1 to 10.
    pub const fn precedence(self) -> u8 {
        match self {
            Operator::Multiply | Operator::Divide | Operator::Remainder => Self::HIGHEST,
            Operator::Add | Operator::Subtract => 9,
            Operator::ShiftLeft | Operator::ShiftRight => 8,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => 7,
            Operator::Equal | Operator::NotEqual => 6,
            Operator::And => 5,
            Operator::ExclusiveOr => 4,
            Operator::Or => 3,
            Operator::BothTrue => 2,
            Operator::EitherTrue => 1,
        }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Integer(number) => {
                let suffix = match (number.kind().bits(), number.kind().is_signed()) {
                    (32, true) => "",
                    (32, false) => "U",
                    (_, true) => "L",
                    (_, false) => "UL",
                };
                write!(f, "{}{suffix}", number.value())
            }
            Constant::Hexadecimal(digits) => write!(f, "0x{digits}"),
            Constant::Octets(octets) => {
                f.write_str("\"")?;
                for octet in octets {
                    match octet {
                        b'"' | b'\\' => write!(f, "\\{}", char::from(*octet))?,
                        b' '..=b'~' => write!(f, "{}", char::from(*octet))?,
                        _ => write!(f, "\\{octet:03o}")?,
                    }
                }
                f.write_str("\"")
            }
            Constant::Oid(sub_ids) => match sub_ids.as_slice() {
                [only] => write!(f, "{only}."),
                several => write!(f, "{}", trunkline_smi::display_oid(several)),
            },
        }
    }
}

//! The language of DISMAN-EXPRESSION-MIB (RFC 2982, expExpression): C's operators over integers, octet strings and
//! object identifiers, with functions over time and over the instances of an object.
//!
//! [`Expression::parse`] reads a text, [`Expression::evaluate`] computes one value from the values of [`Objects`].
//! There is neither a clock nor a tree here. What a text may cost is bounded: its length and nesting when it is
//! read, its steps when it is evaluated ([`Budget`]).
//!
//! Beyond the RFC there are `count`, `mean`, `lowest`, `highest` and `quantile` over the instances of an object, and
//! `==` and `!=` between two TimeTicks, IpAddresses, octet strings or object identifiers.

mod budget;
mod error;
mod evaluate;
mod expression;
mod function;
mod functions;
mod lexer;
mod limits;
mod number;
mod operators;
mod parser;
mod syntax;
mod value;

pub use budget::{Budget, Sweep};
pub use error::{ErrorCode, Fault};
pub use evaluate::{Memory, Objects, Undefined};
pub use expression::Expression;
pub use function::Function;
pub use limits::{MAX_DEPTH, MAX_LENGTH, MAX_OCTETS, MAX_SUBIDENTIFIERS};
pub use number::{Kind, Number};
pub use syntax::{Constant, Node, NodeKind, Operator, Sign};
pub use value::{Operand, ValueType};

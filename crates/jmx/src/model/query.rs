//! Queries (`javax.management.Query`).

use super::{ObjectName, TextPattern};

/// A condition on an MBean.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {
    /// Both.
    And(Box<Query>, Box<Query>),
    /// One or both.
    Or(Box<Query>, Box<Query>),
    /// Not that.
    Not(Box<Query>),
    /// Two values compared.
    Relation(Relation, Operand, Operand),
    /// A value between two others, or equal to one of them.
    Between(Operand, Operand, Operand),
    /// A value in a list.
    In(Operand, Vec<Operand>),
    /// A text of this form.
    Match(Operand, TextPattern),
    /// An MBean of a class.
    InstanceOf(String),
    /// An MBean of this name, or of a name that this pattern stands for.
    Name(ObjectName),
}

/// A comparison, with the number that it has in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each has the name of its constant")]
pub enum Relation {
    Greater = 0,
    Less = 1,
    GreaterOrEqual = 2,
    LessOrEqual = 3,
    Equal = 4,
}

/// An operation, with the number that it has in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each has the name of its constant")]
pub enum Arithmetic {
    Plus = 0,
    Minus = 1,
    Times = 2,
    Divide = 3,
}

/// A value in a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// An attribute.
    Attribute(String),
    /// An attribute of MBeans of one class.
    Qualified {
        /// The name of the class.
        class: String,
        /// The attribute.
        attribute: String,
    },
    /// The name of the MBean's class.
    Class,
    /// A text.
    String(String),
    /// A truth.
    Boolean(bool),
    /// A whole number.
    Whole(i64),
    /// Another number.
    Fraction(f64),
    /// Two values together.
    Operation(Arithmetic, Box<Operand>, Box<Operand>),
}

impl TryFrom<i32> for Relation {
    type Error = ();

    fn try_from(number: i32) -> Result<Self, ()> {
        use Relation::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        let all = [Greater, Less, GreaterOrEqual, LessOrEqual, Equal];
        usize::try_from(number).ok().and_then(|index| all.get(index).copied()).ok_or(())
    }
}

impl TryFrom<i32> for Arithmetic {
    type Error = ();

    fn try_from(number: i32) -> Result<Self, ()> {
        let all = [Arithmetic::Plus, Arithmetic::Minus, Arithmetic::Times, Arithmetic::Divide];
        usize::try_from(number).ok().and_then(|index| all.get(index).copied()).ok_or(())
    }
}

//! A condition as a front end has read it: names and literals, nothing resolved.

use trunkline_smi::Oid;

/// Which rows are wanted, in the client's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All of these; an empty list matches every row.
    And(Vec<Condition>),
    /// At least one of these; an empty list matches no row.
    Or(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// A column compared with a literal.
    Compare {
        /// Where it is in the text that was parsed; errors about it repeat this.
        at: usize,
        /// The descriptor of the column, such as `ifSpeed`.
        column: String,
        /// How they are compared.
        comparison: Comparison,
        /// The literal.
        literal: Literal,
    },
    /// A column that the row has and that the principal may read.
    Present {
        /// See [`Condition::Compare`].
        at: usize,
        /// The descriptor of the column.
        column: String,
    },
}

/// The six comparisons. Numbers are compared as numbers, octets and identifiers lexicographically.
///
/// Of a cell that is not there nothing holds, [`Comparison::NotEqual`] included; the negation of that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// The other operand of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A number.
    Integer(i128),
    /// A text in quotes: octets, the name of an enumerated value, an address or an identifier, as the column is.
    Text(String),
    /// Octets.
    Octets(Vec<u8>),
    /// An object identifier.
    Oid(Oid),
    /// Characters whose type the source does not give, as in an XML element: parsed as the column's type.
    Bare(String),
}

impl Condition {
    /// A comparison whose position is unknown.
    pub fn compare(column: impl Into<String>, comparison: Comparison, literal: Literal) -> Self {
        Condition::Compare { at: 0, column: column.into(), comparison, literal }
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Condition) -> Self {
        match self {
            Condition::And(mut all) => {
                all.push(other);
                Condition::And(all)
            }
            one => Condition::And(vec![one, other]),
        }
    }
}

impl Comparison {
    /// Whether it holds of two things that are ordered so.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => ordering.is_eq(),
            Comparison::NotEqual => ordering.is_ne(),
            Comparison::Less => ordering.is_lt(),
            Comparison::LessOrEqual => ordering.is_le(),
            Comparison::Greater => ordering.is_gt(),
            Comparison::GreaterOrEqual => ordering.is_ge(),
        }
    }

    /// As it is written: `<=`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

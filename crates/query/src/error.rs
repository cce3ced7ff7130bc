//! Why a query has no answer: what was wrong, where, and what could have been meant.

use trunkline_smi::ValueKind;

/// A condition or a selection that cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{mistake}")]
pub struct QueryError {
    /// Where, as counted by the front end ([`Condition::Compare`](crate::Condition::Compare)); for a requested
    /// column, its position in the list.
    pub at: usize,
    /// What.
    pub mistake: Mistake,
}

/// What can be wrong in a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mistake {
    /// No such column.
    #[error("{scope} has no column {name:?}{}", meant(nearest))]
    UnknownColumn {
        /// The table.
        scope: String,
        /// What was requested.
        name: String,
        /// Columns with names like it, the nearest first.
        nearest: Vec<&'static str>,
    },
    /// The column is not for reading, and no part of the index.
    #[error("{name} cannot be read: it only exists in notifications, or as an index of another table")]
    NotReadable {
        /// The column.
        name: &'static str,
    },
    /// A literal of another type than the column's.
    #[error("{column} is of type {}: {found} cannot be compared with it; {}", kind.name(), wanted(*kind))]
    WrongType {
        /// The column.
        column: &'static str,
        /// Its type.
        kind: ValueKind,
        /// The literal.
        found: String,
    },
    /// A number that no value of the column's type can be.
    #[error("{column} is {min} to {max}: {found} is out of range")]
    OutOfRange {
        /// The column.
        column: &'static str,
        /// The least.
        min: i128,
        /// The greatest.
        max: i128,
        /// The literal.
        found: i128,
    },
    /// A name that the column's enumeration does not have.
    #[error("{column} has no value named {found:?}{}", meant(nearest))]
    UnknownValueName {
        /// The column.
        column: &'static str,
        /// What was requested.
        found: String,
        /// Names like it, the nearest first.
        nearest: Vec<&'static str>,
    },
    /// Too many comparisons in one condition.
    #[error("a condition has at most {max} comparisons: use several requests")]
    TooManyTerms {
        /// How many there may be.
        max: usize,
    },
    /// Conditions within conditions too deep.
    #[error("conditions can be nested at most {max} deep")]
    TooDeep {
        /// How deep they may.
        max: usize,
    },
}

fn meant(nearest: &[&str]) -> String {
    match nearest {
        [] => String::new(),
        names => format!(": did you mean {}?", names.join(" or ")),
    }
}

fn wanted(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::OctetString => "write a text or octets",
        ValueKind::Opaque => "write octets",
        ValueKind::ObjectIdentifier => "write an identifier such as 1.3.6.1",
        ValueKind::IpAddress => "write an address such as 192.0.2.1",
        _ => "write a number",
    }
}

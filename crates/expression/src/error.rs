//! What is wrong with an expression: the code of expErrorCode, where, and why.

use std::fmt;

/// expErrorCode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorCode {
    /// The text is not an expression.
    InvalidSyntax = 1,
    /// `$n` has no active row in expObjectTable.
    UndefinedObjectIndex = 2,
    /// An operator that the language does not have.
    UnrecognizedOperator = 3,
    /// A function that the language does not have.
    UnrecognizedFunction = 4,
    /// An operand or the result has the wrong type.
    InvalidOperandType = 5,
    /// A parenthesis has no counterpart.
    UnmatchedParenthesis = 6,
    /// More instances than may be held.
    TooManyWildcardValues = 7,
    /// The expression depends on its own value.
    Recursion = 8,
    /// A sample was not finished when the next was due.
    DeltaTooShort = 9,
    /// A limit of time or memory.
    ResourceUnavailable = 10,
    /// A division by zero.
    DivideByZero = 11,
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub code: ErrorCode,
    /// The position in the expression, from 1, in octets; 0: not at one place (expErrorIndex).
    pub at: usize,
    /// What was found and expected.
    pub message: String,
}

impl ErrorCode {
    /// All codes, in the order of their numbers.
    pub const ALL: [ErrorCode; 11] = [
        ErrorCode::InvalidSyntax,
        ErrorCode::UndefinedObjectIndex,
        ErrorCode::UnrecognizedOperator,
        ErrorCode::UnrecognizedFunction,
        ErrorCode::InvalidOperandType,
        ErrorCode::UnmatchedParenthesis,
        ErrorCode::TooManyWildcardValues,
        ErrorCode::Recursion,
        ErrorCode::DeltaTooShort,
        ErrorCode::ResourceUnavailable,
        ErrorCode::DivideByZero,
    ];

    /// The name of the enumeration's value.
    pub fn name(self) -> &'static str {
        match self {
            ErrorCode::InvalidSyntax => "invalidSyntax",
            ErrorCode::UndefinedObjectIndex => "undefinedObjectIndex",
            ErrorCode::UnrecognizedOperator => "unrecognizedOperator",
            ErrorCode::UnrecognizedFunction => "unrecognizedFunction",
            ErrorCode::InvalidOperandType => "invalidOperandType",
            ErrorCode::UnmatchedParenthesis => "unmatchedParenthesis",
            ErrorCode::TooManyWildcardValues => "tooManyWildcardValues",
            ErrorCode::Recursion => "recursion",
            ErrorCode::DeltaTooShort => "deltaTooShort",
            ErrorCode::ResourceUnavailable => "resourceUnavailable",
            ErrorCode::DivideByZero => "divideByZero",
        }
    }
}

impl Fault {
    /// A fault at an offset from 0.
    pub(crate) fn at(code: ErrorCode, offset: usize, message: impl Into<String>) -> Self {
        Fault { code, at: offset + 1, message: message.into() }
    }

    /// A fault of the whole expression.
    pub fn whole(code: ErrorCode, message: impl Into<String>) -> Self {
        Fault { code, at: 0, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            0 => write!(f, "{}: {}", self.code.name(), self.message),
            at => write!(f, "{} at octet {at}: {}", self.code.name(), self.message),
        }
    }
}

impl std::error::Error for Fault {}

//! What an expression may not exceed.

/// The longest text of an expression, in octets (expExpression).
pub const MAX_LENGTH: usize = 1024;

/// The deepest nesting: parentheses, signs, arguments and operands on the right of an operator of less precedence.
pub const MAX_DEPTH: usize = 64;

/// The longest octet string that an expression makes.
pub const MAX_OCTETS: usize = 65_535;

/// The longest object identifier that an expression makes (RFC 2578 section 3.5).
pub const MAX_SUBIDENTIFIERS: usize = 128;

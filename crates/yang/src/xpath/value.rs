//! Values, and how one type becomes another (section 4).

use super::evaluate::XNode;

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nodes, each once, in document order.
    Nodes(Vec<XNode>),
    /// A boolean.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
}

/// A number as a string (section 4.2).
pub(super) fn text_of_number(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.into()
    } else if number == 0.0 {
        "0".into()
    } else {
        number.to_string()
    }
}

/// A string as a number (section 4.4).
pub(super) fn number_of_text(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = digits.chars().all(|it| it.is_ascii_digit() || it == '.')
        && digits.chars().any(|it| it.is_ascii_digit());
    if is_number { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// A number is true unless it is zero or none.
pub(super) fn boolean_of_number(number: f64) -> bool {
    number != 0.0 && !number.is_nan()
}

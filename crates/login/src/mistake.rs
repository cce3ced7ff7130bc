//! Errors, in words.

/// What is wrong with the options, a variable or a file, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub String);

impl Mistake {
    /// The words of another error.
    pub fn of(fault: &dyn std::fmt::Display) -> Mistake {
        Mistake(fault.to_string())
    }
}

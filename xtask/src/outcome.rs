//! The result of every task.

/// The result of every task; an error is a sentence for the person at the terminal.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;

//! What every task gives back.

/// What every task gives back; an error is a sentence for the person at the terminal.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;

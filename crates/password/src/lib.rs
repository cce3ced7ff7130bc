//! Passwords: how they are stored, and how often they may be guessed. One [`PasswordGate`] serves all listeners
//! that accept passwords, over HTTP and SSH, so that its limits of memory, work and attempts apply to all of them
//! together.
//!
//! ```text
//! HTTP basic --+                    attempts of each network    two places
//!              +--> PasswordGate -> (ledger) ----- queue -----> hash in separate pages -> right: remembered
//! SSH password +
//! ```

mod gate;
mod hash;
mod ledger;
mod pages;

pub use gate::{PasswordGate, Question, Unproved};
pub use hash::{PasswordHash, PasswordHashError, Secret};

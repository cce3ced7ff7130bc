//! Passwords: how they are kept, and how often somebody may guess them. One [`PasswordGate`] serves all listeners that
//! take passwords, over HTTP and SSH, so that its bounds of memory, work and attempts hold for all of them together.
//!
//! ```text
//! HTTP basic --+                    attempts of each network    two places
//!              +--> PasswordGate -> (ledger) ----- queue -----> hash in pages of its own -> right: remembered
//! SSH password +
//! ```

mod gate;
mod hash;
mod ledger;
mod pages;

pub use gate::{PasswordGate, Unproved};
pub use hash::{PasswordHash, PasswordHashError, Secret};

pub(crate) use gate::Question;

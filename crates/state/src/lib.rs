//! State of the agent by the IETF's models, made of rows of its tree as far as somebody may read them.

mod interfaces;

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};

pub use interfaces::{Interfaces, Places};

/// `yang:date-and-time`.
#[must_use]
pub fn date(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Secs, true)
}

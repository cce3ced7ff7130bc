//! The laboratory: what does it cost to fetch management data in one way or another?
//!
//! It measures agents from outside, as they ship: it starts them as child processes ([`kit::subject`]) in a
//! separate place ([`kit::place`]), meters octets, packets, CPU time, memory and delay ([`kit::meter`]), writes
//! every raw sample to disk ([`kit::trial`]) and only then analyses what it reads back ([`kit::statistics`]),
//! beside the papers' figures, into [`kit::findings`] and a [`kit::report`]. Doubts are typed ([`kit::doubt`]) and
//! are part of that report. The questions are the [`experiments`]. The laboratory depends on the client and never
//! on the agent's code.
//!
//! ```text
//! options of an experiment -> place, subjects -> measure -> samples.jsonl -> findings -> report
//! ```

mod command;
pub mod experiments;

pub use command::LabArguments;
pub use kit::error::Error;
pub use kit::run::Outcome;
pub use kit::{
    block, claims, conversation, doubt, fetch, findings, meter, place, protocol, schedule, stage, statistics,
    subject, transport, trial,
};
pub use trunkline_labkit as kit;

//! The laboratory: what does it cost to fetch management data in one way or another?
//!
//! It measures agents from outside, as they ship: it starts them as child processes ([`trunkline_labkit::subject`]) in a
//! separate place ([`trunkline_labkit::place`]), meters octets, packets, CPU time, memory and delay ([`trunkline_labkit::meter`]), writes
//! every raw sample to disk ([`trunkline_labkit::trial`]) and only then analyses what it reads back ([`trunkline_labkit::statistics`]),
//! beside the papers' figures, into [`trunkline_labkit::findings`] and a [`trunkline_labkit::report`]. Doubts are typed ([`trunkline_labkit::doubt`]) and
//! are part of that report. The questions are the [`experiments`]. The laboratory depends on the client and never
//! on the agent's code.
//!
//! ```text
//! options of an experiment -> place, subjects -> measure -> samples.jsonl -> findings -> report
//! ```

mod command;
pub mod experiments;

pub use command::LabArguments;
pub use trunkline_labkit::error::Error;
pub use trunkline_labkit::run::Outcome;
pub use trunkline_labkit::{
    block, claims, conversation, doubt, estimate, fetch, findings, keyring, meter, place, processors,
    protocol, reading, schedule, stage, statistics, subject, transport, trial,
};

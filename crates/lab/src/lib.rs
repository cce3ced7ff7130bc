//! The laboratory: what does it cost to fetch management data in one way instead of another?
//!
//! It measures agents from outside, as they ship: it starts them as child processes ([`kit::subject`]) in a place of its own
//! ([`kit::place`]), meters octets, packets, CPU time, memory and delay ([`kit::meter`]), writes every raw sample to disk
//! ([`samples`]) and only then analyses what it reads back ([`analysis`], [`kit::statistics`]) beside what the papers printed
//! ([`experiments`]) into a [`report`](kit::report). Doubts are typed [`warning`]s in that report. It depends on the client and never on the
//! agent's code.
//!
//! ```text
//! LabOptions -> Plan -> Place, Subjects -> experiment -> samples.jsonl -> Analysis -> report
//! ```

pub mod analysis;
mod command;
pub mod experiments;
pub mod kit;
mod options;
mod run;
pub mod samples;
pub mod warning;

pub use command::LabArguments;
pub use kit::error::Error;
pub use kit::run::Outcome;
pub use kit::{
    conversation, doubt, findings, meter, place, protocol, schedule, stage, statistics, subject, transport,
};
pub use options::{LabOptions, Plan};
pub use run::{Outcome as OlderOutcome, run};

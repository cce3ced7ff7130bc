//! The laboratory: what does it cost to fetch management data in one way instead of another?
//!
//! It measures agents from outside, as they ship: it starts them as child processes ([`subject`]) in a place of its own
//! ([`place`]), meters octets, packets, CPU time, memory and delay ([`meter`]), writes every raw sample to disk
//! ([`samples`]) and only then analyses what it reads back ([`analysis`], [`statistics`]) beside what the papers printed
//! ([`paper`]) into a [`report`]. Doubts are typed [`warning`]s in that report. It depends on the client and never on the
//! agent's code.
//!
//! ```text
//! LabOptions -> Plan -> Place, Subjects -> experiment -> samples.jsonl -> Analysis -> report
//! ```

pub mod analysis;
pub mod conversation;
pub mod doubt;
mod error;
pub mod experiment;
pub mod findings;
pub mod keyring;
pub mod machine;
pub mod meter;
mod options;
pub mod paper;
pub mod picked;
pub mod place;
pub mod protocol;
pub mod reading;
pub mod report;
mod run;
mod run_trial;
pub mod samples;
pub mod schedule;
pub mod slow;
pub mod stage;
pub mod statistics;
pub mod subject;
pub mod transport;
mod trial;
pub mod warning;

pub use error::Error;
pub use experiment::Experiment;
pub use options::{
    Choice, CompareOptions, ExperimentCommand, LabArguments, LabOptions, PaperOptions, Plan, Programs,
    TrialOptions,
};
pub use run::{Outcome, run};
pub use run_trial::{TrialOutcome, run_experiment};

//! Why a run of the lab cannot go on. What merely makes a figure doubtful or leaves one out is a
//! [`Doubt`](crate::kit::doubt::Doubt) in the report instead.

use std::path::PathBuf;

/// Why a run of the lab ended without a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option's value makes no sense.
    #[error("--{option}: expected {expected}, found {found}")]
    Option {
        /// The option's name without dashes.
        option: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// A table or figure that the experiment does not have.
    #[error("there is no `{found}` in this experiment: expected {expected}")]
    UnknownTable {
        /// What was given.
        found: String,
        /// What there is.
        expected: String,
    },
    /// An option of tables that were not asked for.
    #[error("--{option} is used only by {tables}, not by the requested tables")]
    Unused {
        /// The option's name without dashes.
        option: &'static str,
        /// The tables that use it.
        tables: String,
    },
    /// Two options that exclude each other.
    #[error("--{option} and --{other} exclude each other: {reason}")]
    Conflict {
        /// One option.
        option: &'static str,
        /// The other.
        other: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// An agent whose program was named could not be started.
    #[error("--{option}: {source}")]
    Start {
        /// The option that names it.
        option: &'static str,
        /// Why.
        source: crate::kit::subject::StartError,
    },
    /// No agent could be measured.
    #[error(
        "there is no agent to measure: {reasons}; install snmpd, build trunklined, or name one with --subject URL"
    )]
    NoSubject {
        /// Why each was left out.
        reasons: String,
    },
    /// The private network namespace that was asked for could not be made.
    #[error("the network namespace that --rows {rows} asks for could not be made: {reason}")]
    Place {
        /// How many rows were asked for.
        rows: u32,
        /// What failed.
        reason: String,
    },
    /// The certificates and keys of a run could not be made.
    #[error(transparent)]
    Keyring(#[from] crate::kit::keyring::KeyringError),
    /// Nothing that was asked for could be measured.
    #[error("nothing could be measured; {reasons}")]
    NothingMeasured {
        /// Why.
        reasons: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A stored sample is not what it should be.
    #[error("{}, line {line}: {reason}", path.display())]
    Sample {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The system refused something that every run needs.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The user ended the run; all that it started is ended.
    #[error("interrupted; the samples taken so far are in {}", samples.display())]
    Interrupted {
        /// The file of samples.
        samples: PathBuf,
    },
    /// The thread that measures panicked: a fault of this program.
    #[error("the measuring thread panicked: {message}")]
    Panicked {
        /// What it said.
        message: String,
    },
}

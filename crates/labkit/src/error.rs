//! Why a run of the lab cannot continue. What merely makes a figure doubtful or missing is a
//! [`Doubt`](crate::doubt::Doubt) in the report instead.

use std::path::PathBuf;

/// Why a run of the lab ended without a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid option value.
    #[error("--{option}: expected {expected}, found {found}")]
    Option {
        /// The option's name without dashes.
        option: &'static str,
        /// The expected value.
        expected: &'static str,
        /// The given value.
        found: String,
    },
    /// An agent that an option names, or its credentials.
    #[error("--{option}: {reason}")]
    Remote {
        /// The option's name without dashes.
        option: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Two runs with one directory.
    #[error("another run writes to {}: wait for its end, or name another directory with --out", path.display())]
    InUse {
        /// The file of samples.
        path: PathBuf,
    },
    /// A number outside the range of its option.
    #[error("--{option}: {found} is not between {least} and {most}")]
    Range {
        /// The option's name without dashes.
        option: &'static str,
        /// The given number.
        found: u32,
        /// The least that it may be.
        least: u32,
        /// The most.
        most: u32,
    },
    /// A number that would take the machine's memory or far too long.
    #[error("--{option}: {found} is more than {most}: {reason}")]
    TooMany {
        /// The option's name without dashes.
        option: &'static str,
        /// The given number.
        found: u32,
        /// The most that it may be.
        most: u32,
        /// Why no more.
        reason: &'static str,
    },
    /// A table or figure that the experiment does not have.
    #[error("there is no `{found}` in this experiment: expected {expected}")]
    UnknownTable {
        /// The given name.
        found: String,
        /// The known names.
        expected: String,
    },
    /// An option of tables that were not requested.
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
        /// The reason.
        reason: &'static str,
    },
    /// An agent whose program an option names could not be started.
    #[error("--{option}: {source}")]
    Start {
        /// The option that names it.
        option: &'static str,
        /// The reason.
        source: crate::subject::StartError,
    },
    /// No agent could be measured.
    #[error(
        "there is no agent to measure: {reasons}; install snmpd, build trunklined, or name one with --subject URL"
    )]
    NoSubject {
        /// Why each was left out.
        reasons: String,
    },
    /// The requested private network namespace could not be created.
    #[error("the network namespace that --rows {rows} asks for could not be made: {reason}")]
    Place {
        /// The requested number of rows.
        rows: u32,
        /// What failed.
        reason: String,
    },
    /// The certificates and keys of a run could not be made.
    #[error(transparent)]
    Keyring(#[from] crate::keyring::KeyringError),
    /// Nothing that was requested could be measured.
    #[error("nothing could be measured; {reasons}")]
    NothingMeasured {
        /// The reasons.
        reasons: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The samples of the run are no longer there.
    #[error("{} was removed or replaced while the run wrote to it: there is no report", path.display())]
    Replaced {
        /// The file.
        path: PathBuf,
    },
    /// A stored sample is malformed.
    #[error("{}, line {line}: {reason}", path.display())]
    Sample {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A file or a text of delays cannot be used.
    #[error("{}: {reason}", path.display())]
    Delays {
        /// The file; `-` for standard input.
        path: PathBuf,
        /// What is wrong with it, where, and what to do.
        reason: String,
    },
    /// The samples are those of another experiment.
    #[error("these are samples of {found}: trunkline lab {found} --analyse {}", directory.display())]
    OtherExperiment {
        /// Its name.
        found: String,
        /// Where they are.
        directory: PathBuf,
    },
    /// The results could not be written to the standard output.
    #[error("cannot write the output: {source}")]
    Output {
        /// The reason.
        source: std::io::Error,
    },
    /// The system refused something that every run needs.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The program may open fewer files than a run needs.
    #[error(transparent)]
    Descriptors(#[from] trunkline_client::TooFewDescriptors),
    /// There is no room for the files of agents, and for keys.
    #[error("cannot write to the folder for temporary files, {}: {source}; TMPDIR names another", path.display())]
    Temporary {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The user interrupted the run; everything that it started has been stopped.
    #[error("interrupted; the samples taken so far are in {}", samples.display())]
    Interrupted {
        /// The file of samples.
        samples: PathBuf,
    },
    /// An agent of the lab's own ended while it was being measured.
    #[error(
        "{agent} ended during the run ({status}), so that its figures cannot be compared: measure again; the samples stay"
    )]
    AgentEnded {
        /// The agent.
        agent: String,
        /// How it ended.
        status: String,
    },
    /// The user interrupted the run, and what was being started or measured ended; everything has been stopped.
    #[error("interrupted")]
    Stopped,
    /// The measuring thread panicked: a bug in this program.
    #[error("the measuring thread panicked: {message}")]
    Panicked {
        /// The panic message.
        message: String,
    },
}

impl Error {
    /// The exit status of a program that ends with it: 2 for a mistake on the command line, 130 after Ctrl-C (128 and the
    /// number of SIGINT, as shells have it), 1 for anything else.
    pub fn exit_status(&self) -> u8 {
        match self {
            Error::Option { .. }
            | Error::Remote { .. }
            | Error::Range { .. }
            | Error::TooMany { .. }
            | Error::Unused { .. }
            | Error::Conflict { .. }
            | Error::UnknownTable { .. } => 2,
            Error::Interrupted { .. } | Error::Stopped => 130,
            _ => 1,
        }
    }
}

//! `trunkline lab` and `trunkline sim`: this process becomes the laboratory's program.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::arguments::LabArgs;

/// Why the laboratory does not run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// It is not installed.
    #[error(
        "the laboratory is a separate program, {PROGRAM}, which is neither beside this one nor in PATH; in the source tree, build \
         it with `cargo build --release -p {PROGRAM}`"
    )]
    NotFound,
    /// The system did not start it.
    #[error("the laboratory's program, {program}, cannot be started: {source}")]
    Start {
        /// Its path, or its name if it was found in PATH.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// Starts it in place of this program: from the directory of this one, else from PATH. It returns only to report a failure.
/// `command` is that of the laboratory's commands that has a name of its own here.
pub fn run(command: Option<&str>, arguments: &LabArgs) -> LabError {
    let beside = std::env::current_exe().map(|us| us.with_file_name(PROGRAM)).ok().filter(|it| it.is_file());
    let program = beside.unwrap_or_else(|| PROGRAM.into());
    let source = Command::new(&program).args(command).args(&arguments.words).exec();
    match source.kind() {
        // A program beside this one was found: then its interpreter is missing.
        io::ErrorKind::NotFound if !program.is_absolute() => LabError::NotFound,
        _ => LabError::Start { program: program.display().to_string(), source },
    }
}

const PROGRAM: &str = "trunkline-lab";

//! Commands that are another program's: `lab` and `sim` of the laboratory, `serve` of the agent. This process becomes that program.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::arguments::WordsArgs;

/// Another program of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// The laboratory.
    Lab,
    /// The agent.
    Agent,
}

/// Why a program does not run.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It is not installed.
    #[error(
        "this command is of a separate program, {0}, which is neither beside this one nor in PATH; in the source tree, build \
         it with `cargo build --release -p {0}`"
    )]
    NotFound(&'static str),
    /// The system did not start it.
    #[error("{program} cannot be started: {source}")]
    Start {
        /// Its path, or its name if it was found in PATH.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl Program {
    const fn name(self) -> &'static str {
        match self {
            Program::Lab => "trunkline-lab",
            Program::Agent => "trunklined",
        }
    }

    /// Starts it in place of this program: from the directory of this one, else from PATH. It returns only to report a failure.
    /// `command` is that of its commands that has a name of its own here.
    pub fn run(self, command: Option<&str>, arguments: &WordsArgs) -> ProgramError {
        let name = self.name();
        let beside = std::env::current_exe().map(|us| us.with_file_name(name)).ok().filter(|it| it.is_file());
        let program = beside.unwrap_or_else(|| name.into());
        let source = Command::new(&program).args(command).args(&arguments.words).exec();
        match source.kind() {
            // A program beside this one was found: then its interpreter is missing.
            io::ErrorKind::NotFound if !program.is_absolute() => ProgramError::NotFound(name),
            _ => ProgramError::Start { program: program.display().to_string(), source },
        }
    }
}

//! `cargo xtask bench fleet`: builds the example `bench-fleet` for release, and runs it.

use std::ffi::OsString;
use std::process::Command;

use super::agent::build;
use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// The options of `bench fleet`, which are passed to the example.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Options {
    /// Arguments of the benchmark; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Builds and measures.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    build(workspace, &["-p", "xtask", "--example", "bench-fleet"])?;
    let mut bench = Command::new(workspace.path("target/release/examples/bench-fleet"));
    Ok(command::run(bench.args(&options.arguments))?)
}

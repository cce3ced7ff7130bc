//! `cargo xtask bench jmx`: builds the agent and what measures it (the example `bench-jmx`) for release, and runs that.

use std::ffi::OsString;
use std::process::Command;

use super::agent::build;
use crate::outcome::Outcome;
use crate::workspace::Workspace;
use crate::{command, setup};

/// The options of `bench jmx`, which are passed to the example.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Options {
    /// Arguments of the benchmark; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Builds and measures.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    setup::run(workspace, &setup::Options::default())?;
    build(workspace, &["-p", "trunklined", "--bin", "trunklined"])?;
    build(workspace, &["-p", "xtask", "--example", "bench-jmx"])?;
    let mut bench = Command::new(workspace.path("target/release/examples/bench-jmx"));
    bench.arg("--agent").arg(workspace.path("target/release/trunklined"));
    bench.arg("--programs").arg(workspace.path("peers/jmx"));
    bench.arg("--folder").arg(workspace.path("target/bench"));
    Ok(command::run(bench.args(&options.arguments).env("PATH", command::path()))?)
}

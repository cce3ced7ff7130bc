//! `cargo xtask bench agent`: builds what is measured and what measures it (the
//! example `bench-agent`) for release, and runs that.

use std::ffi::OsString;
use std::io;
use std::process::Command;

use crate::outcome::Outcome;
use crate::workspace::Workspace;
use crate::{command, setup};

/// The options of `bench agent`, which are passed to the example.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Options {
    /// Arguments of the benchmark; `--help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Builds and measures; `cases` are the arguments that name them, none for all of the agent's.
pub fn run(workspace: &Workspace, options: &Options, cases: &[&str]) -> Outcome {
    setup::run(workspace, &setup::Options::default())?;
    build(workspace, &["-p", "trunklined", "--bin", "trunklined"])?;
    build(workspace, &["-p", "xtask", "--example", "bench-agent"])?;

    let mut bench = Command::new(workspace.path("target/release/examples/bench-agent"));
    bench.arg("--agent").arg(workspace.path("target/release/trunklined"));
    bench.arg("--folder").arg(workspace.path("target/bench")).args(cases);
    if let Some(snmpd) = command::which("snmpd") {
        bench.arg("--snmpd").arg(snmpd);
    }
    Ok(command::run(bench.args(&options.arguments).env("PATH", command::path()))?)
}

/// The load generator must not be what limits, so it is built for speed as the agent is.
pub(super) fn build(workspace: &Workspace, what: &[&str]) -> io::Result<()> {
    command::run(command::cargo(workspace).args(["build", "--quiet", "--release"]).args(what))
}

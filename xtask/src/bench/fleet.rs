//! `cargo xtask bench fleet`: builds the example `bench-fleet` for release, and runs it.

use std::process::Command;

use super::agent::build;
use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// Builds and measures.
pub fn run(workspace: &Workspace) -> Outcome {
    build(workspace, &["-p", "xtask", "--example", "bench-fleet"])?;
    Ok(command::run(&mut Command::new(workspace.path("target/release/examples/bench-fleet")))?)
}

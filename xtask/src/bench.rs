//! `cargo xtask bench`: measured claims.

use crate::Outcome;
use crate::workspace::Workspace;

/// What can be measured.
#[derive(clap::Subcommand)]
pub enum Bench {}

/// Runs one benchmark.
pub fn run(_workspace: &Workspace, bench: &Bench) -> Outcome {
    match *bench {}
}

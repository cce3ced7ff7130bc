//! All automation of the workspace: `cargo xtask COMMAND`.
//!
//! `ci` is what CI and `make test` run; the other commands are its steps and
//! the benchmarks. Everything that a developer runs is what CI runs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "xtask is a program: it talks to a person")]

mod bench;
mod ci;
mod command;
mod fuzz;
mod left_out;
mod libraries;
mod outcome;
mod package;
mod packaging;
mod setup;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use workspace::Workspace;

/// Automation of the trunkline workspace.
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Everything that CI checks, in order, with a table of durations.
    Ci(ci::Options),
    /// The same as `ci`: what `make test` calls.
    Test(ci::Options),
    /// Is the house as ARCHITECTURE.md says, and are the rules of style kept?
    Tidy,
    /// Install the Debian packages that tests and laboratory need, when possible.
    Setup(setup::Options),
    /// Fuzz each decoder for a while.
    Fuzz(fuzz::Options),
    /// Make packages: .deb, .rpm, static programs, an OCI image, a bill of materials.
    Package(package::Options),
    /// Measure the agent or the codec.
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Workspace::find().map_err(Into::into).and_then(|workspace| match arguments.task {
        Task::Ci(options) | Task::Test(options) => ci::run(&workspace, &options),
        Task::Tidy => tidy::run(&workspace),
        Task::Setup(options) => setup::run(&workspace, &options),
        Task::Fuzz(options) => fuzz::run(&workspace, &options),
        Task::Package(options) => package::run(&workspace, &options),
        Task::Bench(bench) => bench::run(&workspace, &bench),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

//! `cargo xtask bench agent`: builds what is measured, enters a private network
//! namespace for each group of cases, and prints what came out.
//!
//! The namespaces live as long as this program's child in them, so that none is
//! left behind however a run ends.

use std::fs;
use std::io;
use std::process::{Command, Stdio};

use clap::ValueEnum;
use serde_json::Value;

use super::report::Report;
use super::{fast, place, slow};
use crate::workspace::Workspace;
use crate::{Outcome, command, setup};

/// What `bench agent` may be told.
#[derive(Clone, clap::Args)]
pub struct Options {
    /// Rounds in which the subjects take turns.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..1000))]
    pub rounds: u32,
    /// Seconds of load for each subject in each round.
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    pub seconds: f64,
    /// Only these cases; may be given several times.
    #[arg(long, value_name = "CASE")]
    pub only: Vec<Case>,
    /// Interfaces for the case `walk`.
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub interfaces: usize,
    /// Varbinds asked for in each request of the case `walk`.
    #[arg(long, value_name = "N", default_value_t = 66, value_parser = clap::value_parser!(i32).range(1..))]
    pub repetitions: i32,
    /// Fail when a bar is missed.
    #[arg(long)]
    pub strict: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// One claim that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Case {
    /// Get of one object, 32 outstanding.
    Get,
    /// GetBulk of 66 objects of ifTable, 8 outstanding.
    Bulk,
    /// Memory and CPU of the idle agent.
    Idle,
    /// CPU for each varbind of a walk over ifTable with thousands of rows.
    Walk,
}

impl Options {
    /// Is this case wanted?
    pub fn wants(&self, case: Case) -> bool {
        self.only.is_empty() || self.only.contains(&case)
    }
}

/// Builds, measures in namespaces, prints, and keeps the raw rounds.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    setup::run(&setup::Options::default())?;
    // The load generator must not be what limits, so xtask is built for speed as well.
    let mut cargo = command::cargo(workspace);
    command::run(cargo.args(["build", "--quiet", "--release", "-p", "trunklined", "-p", "xtask", "--bins"]))?;

    let mut report = Report::default();
    if let Some(load) = busy()? {
        report.note(format!(
            "The machine was busy at the start (load average {load}): rates and ratios come out low."
        ));
    }
    for group in [&[Case::Get, Case::Bulk, Case::Idle][..], &[Case::Walk]] {
        let wanted: Vec<Case> = group.iter().copied().filter(|case| options.wants(*case)).collect();
        if !wanted.is_empty() {
            let part = in_namespace(workspace, &Options { only: wanted, ..options.clone() })?;
            report.join(part);
        }
    }
    let folder = workspace.path("target/bench");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("agent.json"), serde_json::to_vec_pretty(&report.to_json())?)?;
    if options.json {
        println!("{:#}", report.summary());
    } else {
        println!("{}", report.table());
        println!("raw rounds: target/bench/agent.json");
    }
    if options.strict && report.misses() > 0 {
        return Err(format!("{} bars missed", report.misses()).into());
    }
    Ok(())
}

/// The load average of the last minute, if others want more than half a processor.
fn busy() -> io::Result<Option<f64>> {
    let text = fs::read_to_string("/proc/loadavg")?;
    let load = text.split_whitespace().next().and_then(|first| first.parse().ok());
    Ok(load.filter(|load| *load > 0.5))
}

/// Runs the wanted cases in a namespace of their own; what they found comes back as JSON.
fn in_namespace(workspace: &Workspace, options: &Options) -> io::Result<Report> {
    let program = workspace.path("target/release/xtask");
    let mut inside: Command = place::enter(&program);
    inside.args(["bench", "agent-inside"]);
    inside.args(["--rounds", &options.rounds.to_string(), "--seconds", &options.seconds.to_string()]);
    inside.args(["--interfaces", &options.interfaces.to_string()]);
    inside.args(["--repetitions", &options.repetitions.to_string()]);
    for case in options.only.iter().filter_map(ValueEnum::to_possible_value) {
        inside.args(["--only", case.get_name()]);
    }
    let output =
        inside.current_dir(workspace.root()).stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!(
            "the measurement in a private namespace ended with {}",
            output.status
        )));
    }
    let value: Value = serde_json::from_slice(&output.stdout)?;
    Ok(Report::from_json(&value))
}

/// The other half of [`in_namespace`]: measures here and writes JSON to standard output.
pub fn inside(workspace: &Workspace, options: &Options) -> Outcome {
    place::prepare()?;
    let mut report = Report::default();
    if options.wants(Case::Walk) {
        place::fill_with_bridges(options.interfaces)?;
        slow::walk(workspace, options, &mut report)?;
    } else {
        place::fill_with_pairs(fast::INTERFACES)?;
        fast::measure(workspace, options, &mut report)?;
    }
    println!("{}", report.to_json());
    Ok(())
}

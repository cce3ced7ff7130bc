//! NETCONF: the agent compared with what its SSH stack alone can do, with Debian's `netconfd`, and with itself.
//! `cargo xtask bench netconf` builds what it needs for release and runs it.
//!
//! Each case runs in a network namespace of its own, where this program starts itself again.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people to read")]

mod access;
mod echo;
mod keys;
mod pairs;
#[allow(dead_code, reason = "shared with bench-agent: this one fills no places with pairs")]
#[path = "../shared/place.rs"]
mod place;
mod protected;
#[allow(dead_code, reason = "shared with all benchmarks: this one words no figure")]
#[path = "../shared/report.rs"]
mod report;
mod rows;
mod servers;
mod session;
mod sessions;
mod small;
mod transactions;

use std::error::Error;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use clap::{Parser, ValueEnum};
use report::Report;
use serde_json::Value;

/// Measures NETCONF.
#[derive(Clone, Parser)]
#[command(name = "bench netconf", bin_name = "cargo xtask bench netconf")]
struct Options {
    /// Rounds in which the subjects take turns.
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
    /// Only these cases; may be given several times.
    #[arg(long, value_name = "CASE")]
    only: Vec<Case>,
    /// Routes of the case `rows`.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    routes: u32,
    /// Interfaces of the case `keys`.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    interfaces: usize,
    /// Transactions with our agent; a tenth of them with netconfd.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=65_000))]
    transactions: u32,
    /// Idle sessions.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    sessions: u32,
    /// The result as JSON too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The agent, built for release; set by xtask.
    #[arg(long, value_name = "FILE", hide = true, default_value = "target/release/trunklined")]
    agent: PathBuf,
    /// Measure one case here, and print JSON: the protocol between this program and its copy in a namespace.
    #[arg(long, hide = true)]
    inside: bool,
    /// Be the SSH server that answers with so many octets.
    #[arg(long, value_name = "OCTETS", hide = true)]
    echo: Option<usize>,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Small requests, over SSH compared with an echo, and on pipes compared with netconfd.
    Small,
    /// A table of many rows, compared with its octets through the same SSH stack, and the memory that it takes.
    Rows,
    /// A key among many rows.
    Keys,
    /// Requests that select the same by subtree and by XPath.
    Pairs,
    /// Transactions that add an entry each, compared with netconfd.
    Transactions,
    /// What a policy of many parts costs.
    Access,
    /// What protection of messages costs.
    Protected,
    /// Memory of idle sessions.
    Sessions,
}

impl Case {
    const fn name(self) -> &'static str {
        match self {
            Case::Small => "small",
            Case::Rows => "rows",
            Case::Keys => "keys",
            Case::Pairs => "pairs",
            Case::Transactions => "transactions",
            Case::Access => "access",
            Case::Protected => "protected",
            Case::Sessions => "sessions",
        }
    }
}

const ALL: [Case; 8] = [
    Case::Small,
    Case::Rows,
    Case::Keys,
    Case::Pairs,
    Case::Transactions,
    Case::Access,
    Case::Protected,
    Case::Sessions,
];

/// Why there is no figure.
type Failure = Box<dyn Error>;

/// What a case gives.
type Measured = Result<(), Failure>;

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match (options.echo, options.inside) {
        (Some(octets), _) => echo::run(octets),
        (None, true) => inside(&options),
        (None, false) => measure(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench netconf: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures each case in a namespace, and prints.
fn measure(options: &Options) -> Measured {
    let mut report = Report::begin();
    let cases = if options.only.is_empty() { ALL.to_vec() } else { options.only.clone() };
    for case in cases {
        report.attempt(case.name(), |report| in_namespace(options, case).map(|part| report.join(part)));
    }
    println!("{}", report.table());
    if let Some(path) = &options.json {
        let text = format!("{:#}\n", report.to_json());
        std::fs::write(path, text)
            .map_err(|error| format!("cannot write the result to {}: {error}", path.display()))?;
    }
    report.complete()?;
    match report.misses() {
        0 => Ok(()),
        misses => Err(format!("bars missed: {misses}").into()),
    }
}

/// Runs a case in a new namespace; its results come back as JSON.
fn in_namespace(options: &Options, case: Case) -> Result<Report, Failure> {
    let mut inside = place::enter(&std::env::current_exe()?, false);
    inside.arg("--inside").arg("--agent").arg(&options.agent);
    for (name, value) in [
        ("--rounds", options.rounds),
        ("--routes", options.routes),
        ("--transactions", options.transactions),
        ("--sessions", options.sessions),
    ] {
        inside.args([name, &value.to_string()]);
    }
    inside.args(["--interfaces", &options.interfaces.to_string()]);
    inside.args(["--only", case.name()]);
    let output = inside.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("its process ended with {}", output.status).into());
    }
    let value: Value = serde_json::from_slice(&output.stdout)?;
    Ok(Report::from_json(&value))
}

/// The other half of [`in_namespace`]: measures here and writes JSON to standard output.
fn inside(options: &Options) -> Measured {
    place::prepare()?;
    let mut report = Report::begin();
    for case in &options.only {
        report.attempt(case.name(), |report| match case {
            Case::Small => small::measure(options, report),
            Case::Rows => rows::measure(options, report),
            Case::Keys => keys::measure(options, report),
            Case::Pairs => pairs::measure(options, report),
            Case::Transactions => transactions::measure(options, report),
            Case::Access => access::measure(options, report),
            Case::Protected => protected::measure(options, report),
            Case::Sessions => sessions::measure(options, report),
        });
    }
    println!("{}", report.to_json());
    Ok(())
}

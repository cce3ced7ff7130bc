//! What security costs: SNMP over TLS, DTLS and SSH compared with plain transports, with the User-based Security
//! Model, and with OpenSSH. `cargo xtask bench secure` builds what it needs for release and runs it.
//!
//! The laboratory makes the place, the keys and the agents; each figure is a ratio of turns that alternate, or a count.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people to read")]

#[allow(dead_code, reason = "shared with bench-agent, which shows its rounds")]
#[path = "../bench-agent/report.rs"]
mod report;

mod break_even;
mod conversations;
mod memory;
mod packets;
mod set_up;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use report::Report;
use tokio::runtime::{Builder, Runtime};
use trunkline_lab::stage::{Role, Stage, StageOptions};

/// Measures secure sessions.
#[derive(Parser)]
struct Options {
    /// The agent, built for release.
    #[arg(long)]
    agent: PathBuf,
    /// Rounds of each comparison.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Sessions that are open at the same time for the memory figures.
    #[arg(long, default_value_t = 10_000)]
    sessions: u32,
    /// Some cases alone.
    #[arg(long, value_enum)]
    only: Vec<Case>,
    /// The result as JSON too.
    #[arg(long)]
    json: Option<PathBuf>,
}

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Case {
    /// A session of 500 messages over a link of 1 ms.
    Session,
    /// A walk by GetBulk in a session that is open.
    Bulk,
    /// Setting up sessions.
    SetUp,
    /// From how many interactions on a session costs less than the User-based Security Model.
    BreakEven,
    /// Packets over SSH.
    Packets,
    /// Memory of open sessions.
    Memory,
}

const ALL: [Case; 6] = [Case::Session, Case::Bulk, Case::SetUp, Case::BreakEven, Case::Packets, Case::Memory];

/// What a case gives.
type Measured = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(report) => {
            print(&report.table());
            if let Some(path) = &options.json {
                let text = format!("{:#}\n", report.to_json());
                if let Err(error) = std::fs::write(path, text) {
                    say(&format!("cannot write {}: {error}", path.display()));
                    return ExitCode::FAILURE;
                }
            }
            if report.misses() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            say(&format!("bench-secure: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Report, Box<dyn Error>> {
    let mut report = Report::default();
    let cases = if options.only.is_empty() { ALL.to_vec() } else { options.only.clone() };
    for case in cases {
        // Each case has a separate stage: an agent that held ten thousand sessions is not one that just started.
        let stage = stage(options, &mut report)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let bench = Bench { options, stage: &stage, runtime: &runtime };
        match case {
            Case::Session => conversations::session(&bench, &mut report)?,
            Case::Bulk => conversations::bulk(&bench, &mut report)?,
            Case::SetUp => set_up::measure(&bench, &mut report)?,
            Case::BreakEven => break_even::measure(&bench, &mut report)?,
            Case::Packets => packets::measure(&bench, &mut report)?,
            Case::Memory => memory::measure(&bench, &mut report)?,
        }
    }
    Ok(report)
}

/// What all cases share.
struct Bench<'b> {
    options: &'b Options,
    stage: &'b Stage,
    runtime: &'b Runtime,
}

fn stage(options: &Options, report: &mut Report) -> Result<Stage, Box<dyn Error>> {
    let mut doubts = Vec::new();
    let wanted = StageOptions {
        trunklined: Some(options.agent.clone()),
        trunklined_lab: None,
        rows: 84,
        sessions: options.sessions + 100,
        seed: 1,
        roles: vec![Role::Shipped],
        capture: None,
    };
    let stage = Stage::make(&wanted, &mut doubts)?;
    doubts.iter().for_each(|doubt| report.note(doubt.to_string()));
    Ok(stage)
}

/// The middle one.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        many if many % 2 == 1 => sorted[many / 2],
        many => (sorted[many / 2 - 1] + sorted[many / 2]) / 2.0,
    }
}

fn print(text: &str) {
    println!("{text}");
}

fn say(text: &str) {
    eprintln!("{text}");
}

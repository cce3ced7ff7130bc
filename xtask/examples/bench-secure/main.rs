//! What security costs: SNMP over TLS, DTLS and SSH compared with plain transports, with the User-based Security
//! Model, and with OpenSSH. `cargo xtask bench secure` builds what it needs for release and runs it.
//!
//! The laboratory makes the place, the keys and the agents; each figure is a ratio of turns that alternate, or a count.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people to read")]

#[allow(dead_code, reason = "shared by all benchmarks: this one joins no reports")]
#[path = "../shared/report.rs"]
mod report;

mod break_even;
mod conversations;
mod memory;
mod packets;
mod resumption;
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
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Case {
    /// A session of 500 messages over a link of 1 ms.
    Session,
    /// A walk by GetBulk in a session that is open.
    Bulk,
    /// Setting up sessions over SSH, compared with OpenSSH's programs.
    SetUp,
    /// Setting up sessions over TLS, resumed compared with anew.
    Resumption,
    /// From how many interactions on a session costs less than the User-based Security Model.
    BreakEven,
    /// Packets over SSH.
    Packets,
    /// Memory of open sessions.
    Memory,
}

const ALL: [Case; 7] =
    [Case::Session, Case::Bulk, Case::SetUp, Case::Resumption, Case::BreakEven, Case::Packets, Case::Memory];

/// Why there is no figure.
type Failure = Box<dyn Error>;

/// What a case gives.
type Measured = Result<(), Failure>;

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
            if let Err(error) = report.complete() {
                say(&format!("bench-secure: {error}"));
                return ExitCode::FAILURE;
            }
            if report.misses() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            say(&format!("bench-secure: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Report, Failure> {
    let mut report = Report::begin();
    let cases = if options.only.is_empty() { ALL.to_vec() } else { options.only.clone() };
    for case in cases {
        report.attempt(&format!("{case:?}").to_lowercase(), |report| {
            // Each case has a separate stage: an agent that held ten thousand sessions is not one that just started.
            let stage = stage(options, report)?;
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let bench = Bench { options, stage: &stage, runtime: &runtime };
            match case {
                Case::Session => conversations::session(&bench, report),
                Case::Bulk => conversations::bulk(&bench, report),
                Case::SetUp => set_up::measure(&bench, report),
                Case::Resumption => resumption::measure(&bench, report),
                Case::BreakEven => break_even::measure(&bench, report),
                Case::Packets => packets::measure(&bench, report),
                Case::Memory => memory::measure(&bench, report),
            }
        });
    }
    Ok(report)
}

/// What all cases share.
struct Bench<'b> {
    options: &'b Options,
    stage: &'b Stage,
    runtime: &'b Runtime,
}

impl Bench<'_> {
    /// The agent's processor time so far, nanoseconds.
    fn agent_cpu(&self) -> Result<u64, Failure> {
        let meter = self.stage.cpu(Role::Shipped).ok_or("the agent's processor time cannot be read")?;
        Ok(meter.read()?)
    }
}

fn stage(options: &Options, report: &mut Report) -> Result<Stage, Failure> {
    let mut doubts = Vec::new();
    let wanted = StageOptions {
        trunklined: Some(options.agent.clone()),
        trunklined_lab: None,
        rows: 84,
        sessions: options.sessions + 100,
        seed: 1,
        roles: vec![Role::Shipped],
        capture: None,
        apart: false,
        more: Vec::new(),
        schemas: Vec::new(),
        brief: Vec::new(),
        users: Vec::new(),
    };
    let stage = Stage::make(&wanted, &mut doubts)?;
    doubts.iter().for_each(|doubt| report.note(doubt.to_string()));
    Ok(stage)
}

fn print(text: &str) {
    println!("{text}");
}

fn say(text: &str) {
    eprintln!("{text}");
}

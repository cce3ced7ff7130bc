//! The measuring half of `cargo xtask bench agent`, which builds this and the
//! agent for release and passes its arguments on.
//!
//! It is an example of xtask, not part of it, because it needs rooms of the workspace and xtask must not. It runs
//! itself again in a private network namespace for each group of cases, and prints the results. The namespaces
//! live as long as the program in them, so that none is left behind however a run ends.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program: it talks to a person")]

mod agentx;
mod exchange;
mod fast;
#[path = "../shared/place.rs"]
mod place;
mod relay;
#[path = "../shared/report.rs"]
mod report;
mod secure;
mod server;
mod slow;
mod subagent;
mod subject;
mod turns;

use std::error::Error;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use clap::{Parser, ValueEnum};
use serde_json::Value;

use report::Report;

/// Measures the agent compared with an echo server and Net-SNMP's agent.
#[derive(Clone, Parser)]
#[command(name = "bench agent", bin_name = "cargo xtask bench agent")]
struct Options {
    /// Rounds in which the subjects take turns.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
    /// Seconds of load for each subject in each round.
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    seconds: f64,
    /// Only these cases; may be given several times.
    #[arg(long, value_name = "CASE")]
    only: Vec<Case>,
    /// Interfaces for the case `walk`.
    #[arg(long, value_name = "N", default_value_t = 3000)]
    interfaces: usize,
    /// Varbinds in each request of the case `walk` (besides 66).
    #[arg(long, value_name = "N", default_value_t = 250, value_parser = clap::value_parser!(i32).range(1..))]
    repetitions: i32,
    /// Minutes of the case `polls`.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..1000))]
    minutes: u32,
    /// Seconds from one poll to the next in the case `polls`.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    minute: f64,
    /// Another build of trunklined, which is measured in turns with this one.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Fail when a bar is missed.
    #[arg(long)]
    strict: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// The agent's program; set by xtask.
    #[arg(long, value_name = "FILE", hide = true, default_value = "target/release/trunklined")]
    agent: PathBuf,
    /// Net-SNMP's agent, if it is installed; set by xtask.
    #[arg(long, value_name = "FILE", hide = true)]
    snmpd: Option<PathBuf>,
    /// Where raw rounds and the subjects' files go; set by xtask.
    #[arg(long, value_name = "FOLDER", hide = true, default_value = "target/bench")]
    folder: PathBuf,
    /// Measure here, and print JSON: the protocol between this program and its copy in a namespace.
    #[arg(long, hide = true)]
    inside: bool,
    /// Be the echo server, with replies of this many octets.
    #[arg(long, value_name = "OCTETS", hide = true)]
    echo: Option<usize>,
    /// Be a relay to the subagent on this socket, with replies of as many octets as `--echo` says.
    #[arg(long, value_name = "SOCKET", hide = true, requires = "echo")]
    relay: Option<PathBuf>,
    /// Be the subagent of the case `agentx`, of the master on this socket.
    #[arg(long, value_name = "SOCKET", hide = true)]
    subagent: Option<PathBuf>,
}

/// One claim that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Case {
    /// Get of one object, 32 outstanding.
    Get,
    /// GetBulk of 66 objects of ifTable, 8 outstanding.
    Bulk,
    /// Memory and CPU of the idle agent.
    Idle,
    /// CPU for each varbind of a walk over ifTable with thousands of rows.
    Walk,
    /// SNMPv3: Get at authPriv, 32 outstanding. Only when it is named.
    V3Get,
    /// SNMPv3: GetBulk of 66 objects at authPriv, 8 outstanding. Only when it is named.
    V3Bulk,
    /// GetBulk of a subagent's table through our AgentX master. Only when it is named.
    Agentx,
    /// A whole walk of a server with many processes, sockets and mounts. Only when it is named.
    Server,
    /// CPU on that server with one poll a minute. Only when it is named.
    Polls,
}

impl Options {
    /// Is this case wanted?
    fn wants(&self, case: Case) -> bool {
        let by_default = matches!(case, Case::Get | Case::Bulk | Case::Idle | Case::Walk);
        self.only.contains(&case) || by_default && self.only.is_empty()
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match (options.echo, &options.relay, &options.subagent, options.inside) {
        (Some(reply_len), Some(socket), ..) => relay::serve(socket, agentx::REPETITIONS as u16, reply_len),
        (Some(reply_len), None, ..) => subject::echo(reply_len),
        (None, _, Some(socket), _) => subagent::serve(socket).map_err(Into::into),
        (None, _, None, true) => inside(&options).map_err(Into::into),
        (None, _, None, false) => measure(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench agent: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures in namespaces, prints, and keeps the raw rounds.
fn measure(options: &Options) -> Result<(), Box<dyn Error>> {
    let mut report = Report::begin();
    let groups = [
        &[Case::Get, Case::Bulk, Case::Idle][..],
        &[Case::Walk],
        &[Case::V3Get, Case::V3Bulk],
        &[Case::Agentx],
        &[Case::Server, Case::Polls],
    ];
    for group in groups {
        let wanted: Vec<Case> = group.iter().copied().filter(|case| options.wants(*case)).collect();
        if !wanted.is_empty() {
            let name = format!("{wanted:?}").to_lowercase();
            let inside = Options { only: wanted, ..options.clone() };
            report.attempt(&name, |report| in_namespace(&inside).map(|part| report.join(part)));
        }
    }
    let raw = match options.only.first() {
        Some(Case::V3Get | Case::V3Bulk) => "v3.json",
        Some(Case::Agentx) => "agentx.json",
        Some(Case::Server | Case::Polls) => "server.json",
        _ => "agent.json",
    };
    let raw = options.folder.join(raw);
    fs::create_dir_all(&options.folder)?;
    fs::write(&raw, serde_json::to_vec_pretty(&report.to_json())?)?;
    if options.json {
        println!("{:#}", report.summary());
    } else {
        println!("{}", report.table());
        println!("raw rounds: {}", raw.display());
    }
    report.complete()?;
    if options.strict && report.misses() > 0 {
        return Err(format!("{} bars missed", report.misses()).into());
    }
    Ok(())
}

/// Runs the wanted cases in a new namespace; their results come back as JSON.
fn in_namespace(options: &Options) -> io::Result<Report> {
    let is_server = options.wants(Case::Server) || options.wants(Case::Polls);
    let mut inside = place::enter(&std::env::current_exe()?, is_server);
    inside.arg("--inside").arg("--agent").arg(&options.agent).arg("--folder").arg(&options.folder);
    if let Some(snmpd) = &options.snmpd {
        inside.arg("--snmpd").arg(snmpd);
    }
    if let Some(other) = &options.against {
        inside.arg("--against").arg(other);
    }
    inside.args(["--rounds", &options.rounds.to_string(), "--seconds", &options.seconds.to_string()]);
    inside.args(["--minutes", &options.minutes.to_string(), "--minute", &options.minute.to_string()]);
    inside.args(["--interfaces", &options.interfaces.to_string()]);
    inside.args(["--repetitions", &options.repetitions.to_string()]);
    for case in options.only.iter().filter_map(ValueEnum::to_possible_value) {
        inside.args(["--only", case.get_name()]);
    }
    let output = inside.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
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
fn inside(options: &Options) -> io::Result<()> {
    place::prepare()?;
    let mut report = Report::begin();
    if options.wants(Case::Walk) {
        place::fill_with_bridges(options.interfaces)?;
        slow::walk(options, &mut report)?;
    } else if options.wants(Case::V3Get) || options.wants(Case::V3Bulk) {
        place::fill_with_pairs(fast::INTERFACES)?;
        secure::measure(options, &mut report)?;
    } else if options.wants(Case::Agentx) {
        place::fill_with_pairs(fast::INTERFACES)?;
        agentx::measure(options, &mut report)?;
    } else if options.wants(Case::Server) || options.wants(Case::Polls) {
        server::measure(options, &mut report)?;
    } else {
        place::fill_with_pairs(fast::INTERFACES)?;
        fast::measure(options, &mut report)?;
    }
    println!("{}", report.to_json());
    Ok(())
}

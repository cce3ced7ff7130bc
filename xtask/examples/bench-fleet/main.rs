//! How large a group of agents can be that are each asked once a second: our engine and the simulated fleet, beside plain
//! sockets in the same run. `cargo xtask bench fleet` builds it for release and runs it.
//!
//! The monitoring error in three readings: the share of agents whose mean delay from the due time is above the period, the share
//! of single answers that are later than it, and the share of rounds whose longest delay is; what is lost counts as late.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "a program for people to read")]

mod measured;
mod ours;
mod plain;
#[allow(dead_code, reason = "shared with all benchmarks: this one measures no part elsewhere")]
#[path = "../shared/report.rs"]
mod report;

use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use measured::Measured;
use report::{Bar, Report, ratio};
use serde_json::json;

/// Measures a fleet.
#[derive(Clone, Parser)]
#[command(name = "bench fleet", bin_name = "cargo xtask bench fleet")]
struct Options {
    /// Rounds in which both take turns.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
    /// Agents of the group that must be without an error.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1000..1_000_000))]
    agents: u32,
    /// Searches for the largest groups without an error, which take about a minute each; 0 leaves that out.
    #[arg(long, value_name = "N", default_value_t = 1)]
    searches: u32,
    /// The result as JSON too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Each agent is asked so often.
const PERIOD: Duration = Duration::from_secs(1);
/// After the last request, answers have this time.
const SETTLE: Duration = Duration::from_secs(2);
/// Requests that are due within this time go out together, in both programs.
const GATHER: Duration = Duration::from_micros(200);
/// Periods of each measurement.
const PERIODS: u64 = 3;

fn fail(doing: &str, error: &dyn Display) -> ! {
    eprintln!("bench fleet: cannot {doing}: {error}");
    std::process::exit(1);
}

/// The address of an agent: 127.64.0.0/10 has four million.
fn address(agent: u32, port: u16) -> SocketAddr {
    (Ipv4Addr::from_bits(Ipv4Addr::new(127, 64, 0, 0).to_bits() + agent), port).into()
}

fn cpu_of_thread() -> Duration {
    cpu(rustix::time::ClockId::ThreadCPUTime)
}

fn cpu(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut report = Report::begin();
    one_size(&options, &mut report);
    largest_groups(&options, &mut report);
    println!("{}", report.table());
    if let Some(path) = &options.json {
        let text = format!("{:#}\n", report.to_json());
        std::fs::write(path, text).unwrap_or_else(|error| fail("write the result", &error));
    }
    if report.misses() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The group that must be without an error, and what an exchange costs, of what it costs plain sockets.
fn one_size(options: &Options, report: &mut Report) {
    let Options { agents, rounds, .. } = *options;
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Who begins alternates, so that what else the machine does falls on both.
        let begins = round % 2 == 0;
        if begins {
            plain.push(plain::measure(agents, PERIODS));
        }
        ours.push(ours::measure(agents, PERIODS));
        if !begins {
            plain.push(plain::measure(agents, PERIODS));
        }
        report.progress("fleet", round + 1, rounds);
    }
    for (at, reading) in ["agents, by their means", "answers", "rounds"].into_iter().enumerate() {
        // The worst of all.
        let error = ours.iter().map(|it| it.errors()[at]).fold(0.0, f64::max);
        report.count(format!("{agents} agents, monitoring error of {reading}"), "", Bar::AtMost(0.0), error);
    }
    let both =
        |of: &dyn Fn(&Measured) -> f64| [&ours, &plain].map(|all| all.iter().map(of).collect::<Vec<f64>>());
    for (name, bar, of) in [
        ("processor time of an exchange, both ends", 1.3, &Measured::exchange as &dyn Fn(&Measured) -> f64),
        ("the asking end's", 1.5, &Measured::request),
        ("the answering end's", 1.5, &Measured::answer),
    ] {
        let [ours, plain] = both(of);
        report.add(format!("{name}, of plain sockets'"), Bar::AtMost(bar), &ratio(&ours, &plain));
        report.note(format!(
            "{name}: ours {:.2} us, plain sockets {:.2} us (medians)",
            report::median(&ours),
            report::median(&plain)
        ));
    }
    for (name, all) in [("ours", &ours), ("plain sockets", &plain)] {
        let errors: Vec<f64> = all.iter().map(|it| it.errors()[2]).collect();
        report.note(format!(
            "{name}: 99th percentile from the due time {:.0} us, longest {:.0} us (medians of {}); rounds with an error in {}",
            report::median(&all.iter().map(|it| f64::from(it.quantile(0.99))).collect::<Vec<_>>()),
            report::median(&all.iter().map(|it| f64::from(it.longest())).collect::<Vec<_>>()),
            all.len(),
            errors.iter().filter(|error| **error > 0.0).count(),
        ));
        report.keep(name, json!(all.iter().map(Measured::to_json).collect::<Vec<_>>()));
    }
    report.note(format!(
        "resident at most, engine and simulator in one process, with the samples: {}",
        resident()
    ));
}

/// The largest groups without an error.
fn largest_groups(options: &Options, report: &mut Report) {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for search in 0..options.searches {
        let found = largest(report, "plain sockets", &|agents| plain::measure(agents, PERIODS));
        plain.push(f64::from(found));
        let found = largest(report, "ours", &|agents| ours::measure(agents, PERIODS));
        ours.push(f64::from(found));
        report.progress("largest groups", search + 1, options.searches);
    }
    let name = "largest group with error 0, of plain sockets'";
    match (&ours[..], &plain[..]) {
        ([], _) | (_, []) => {}
        ([ours], [plain]) => report.count(name, "", Bar::AtLeast(0.6), ours / plain.max(1.0)),
        (ours, plain) => report.add(name, Bar::AtLeast(0.6), &ratio(ours, plain)),
    }
    report.keep("largest", json!({ "ours": ours, "plain": plain }));
}

/// The largest group without an error, by halving the steps, and what the next larger one lacks.
fn largest(report: &mut Report, name: &str, measure: &dyn Fn(u32) -> Measured) -> u32 {
    let (mut good, mut bad) = (0, MOST);
    let (mut agents, mut failed) = (FIRST, None);
    let until = Instant::now() + LONGEST_SEARCH;
    while bad - good > STEP && Instant::now() < until {
        let measured = measure(agents);
        eprintln!("{name}: {}", measured.line());
        if measured.is_without_error() {
            good = agents;
        } else {
            bad = agents;
            failed = Some(measured);
        }
        agents = good.midpoint(bad).next_multiple_of(STEP / 2);
    }
    let limit = failed.map_or_else(|| "no larger group was tried".to_owned(), |it| it.limit());
    report.note(format!("{name}: error 0 up to {good} agents; {limit}"));
    good
}

const FIRST: u32 = 200_000;
const MOST: u32 = 600_000;
const STEP: u32 = 20_000;
const LONGEST_SEARCH: Duration = Duration::from_secs(60);

fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_owned()
}

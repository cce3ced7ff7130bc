//! What web services cost compared with SNMP, and with a server made with gSOAP. `cargo xtask bench soap` builds
//! what it needs for release and runs it.
//!
//! The laboratory makes the place and the agents; each figure is a ratio of turns that alternate, or a count.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people to read")]

#[allow(dead_code, reason = "shared by all benchmarks: this one joins no reports")]
#[path = "../shared/report.rs"]
mod report;

mod coding;
mod floor;
#[path = "../../../crates/soap/benches/if_table/mod.rs"]
mod if_table;
mod load;
mod memory;
mod octets;
mod place;
mod requests;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use report::Report;

/// Measures web services.
#[derive(Parser)]
#[command(name = "bench soap", bin_name = "cargo xtask bench soap")]
struct Options {
    /// Rounds in which what is compared takes turns.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
    /// Seconds of load for each server in each round.
    #[arg(long, value_name = "S", default_value_t = 0.5)]
    seconds: f64,
    /// Only these cases; may be given several times.
    #[arg(long, value_name = "CASE")]
    only: Vec<Case>,
    /// Fail when a bar is missed.
    #[arg(long)]
    strict: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// The agent's program; set by xtask.
    #[arg(long, value_name = "FILE", hide = true, default_value = "target/release/trunklined")]
    agent: PathBuf,
    /// The laboratory's agent; set by xtask.
    #[arg(long, value_name = "FILE", hide = true, default_value = "target/release/trunklined-lab")]
    agent_lab: PathBuf,
    /// The server made with gSOAP; set by xtask.
    #[arg(long, value_name = "FILE", hide = true, default_value = "target/peers/gsoap/server")]
    gsoap: PathBuf,
    /// Where raw rounds go; set by xtask.
    #[arg(long, value_name = "FOLDER", hide = true, default_value = "target/bench")]
    folder: PathBuf,
    /// Repeat one way of coding, for profilers: `--way "XML typed" --objects 270 --times 1000`.
    #[arg(long, value_name = "WAY", hide = true)]
    way: Option<String>,
    #[arg(long, hide = true, default_value_t = 270)]
    objects: usize,
    #[arg(long, hide = true, default_value_t = 1000)]
    times: u32,
}

/// One claim that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Case {
    /// A request decoded and its answer encoded, compared with BER.
    Coding,
    /// Whole tables over kept-alive HTTP, compared with gSOAP.
    Requests,
    /// Memory of a request, for tables of 10 to 5000 rows.
    Memory,
    /// Octets of 500 interfaces, compared with GetBulk.
    Octets,
}

const ALL: [Case; 4] = [Case::Coding, Case::Requests, Case::Memory, Case::Octets];

/// What a case gives.
type Measured = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench soap: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Measured {
    if let Some(way) = &options.way {
        return coding::repeat(way, options.objects, options.times);
    }
    let mut report = Report::begin();
    let cases = if options.only.is_empty() { ALL.to_vec() } else { options.only.clone() };
    for case in cases {
        report.attempt(&format!("{case:?}").to_lowercase(), |report| match case {
            Case::Coding => coding::measure(options, report),
            Case::Requests => requests::measure(options, report),
            Case::Memory => memory::measure(options, report),
            Case::Octets => octets::measure(options, report),
        });
    }
    std::fs::create_dir_all(&options.folder)?;
    let raw = options.folder.join("soap.json");
    std::fs::write(&raw, format!("{:#}\n", report.to_json()))?;
    if options.json {
        println!("{:#}", report.summary());
    } else {
        println!("{}\nraw rounds: {}", report.table(), raw.display());
    }
    report.complete()?;
    if options.strict && report.misses() > 0 {
        return Err(format!("{} bars missed", report.misses()).into());
    }
    Ok(())
}

fn print(text: &str) {
    println!("{text}");
}

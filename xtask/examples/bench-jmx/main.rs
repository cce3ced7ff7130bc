//! JMX of the agent beside the JDK's own server, whose client asks both. `cargo xtask bench jmx` builds what it needs for release and
//! runs it.
//!
//! ```text
//! BenchClient (a JVM) -> trunklined, over TCP and over TLS     the same calls in turns, after all of them have been made
//!                     -> BenchServer (a JVM), over both        often enough that nothing is compiled any more
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people to read")]

mod calls;
mod floor;
mod group;
mod java;
#[path = "../bench-fleet/measured.rs"]
#[allow(dead_code, reason = "shared with `bench fleet`, which also searches the largest group")]
mod measured;
mod memory;
mod place;
#[allow(dead_code, reason = "shared by all benchmarks: this one joins no reports")]
#[path = "../shared/report.rs"]
mod report;
mod table;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use java::Jdk;
use report::Report;

/// Measures JMX.
#[derive(Parser)]
#[command(name = "bench jmx", bin_name = "cargo xtask bench jmx")]
struct Options {
    /// Rounds in which what is compared takes turns.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..1000))]
    rounds: u32,
    /// Calls of each server in each round.
    #[arg(long, value_name = "N", default_value_t = 3000, value_parser = clap::value_parser!(u32).range(10..1_000_000))]
    calls: u32,
    /// Interfaces.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..10_000))]
    rows: u32,
    /// Agents of the group.
    #[arg(long, value_name = "N", default_value_t = 700, value_parser = clap::value_parser!(u32).range(1..10_000))]
    agents: u32,
    /// Only these cases; may be given several times.
    #[arg(long, value_name = "CASE")]
    only: Vec<Case>,
    /// The JDK; by default one of version 17 below /usr/lib/jvm, or else any.
    #[arg(long, value_name = "FOLDER")]
    java: Option<PathBuf>,
    /// Fail when a bar is missed.
    #[arg(long)]
    strict: bool,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// The agent's program; set by xtask.
    #[arg(long, value_name = "FILE", hide = true, default_value = "target/release/trunklined")]
    agent: PathBuf,
    /// Where the programs of Java are; set by xtask.
    #[arg(long, value_name = "FOLDER", hide = true, default_value = "peers/jmx")]
    programs: PathBuf,
    /// Where raw rounds go; set by xtask.
    #[arg(long, value_name = "FOLDER", hide = true, default_value = "target/bench")]
    folder: PathBuf,
}

/// One claim that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Case {
    /// Round trips of getAttribute, over TCP and TLS.
    Calls,
    /// A whole table as arrays.
    Table,
    /// A group of agents that are each asked once a second.
    Group,
    /// Resident memory after load.
    Memory,
}

const ALL: [Case; 4] = [Case::Calls, Case::Table, Case::Group, Case::Memory];

/// In the group, each agent is asked so often.
const PERIOD: Duration = Duration::from_secs(1);
/// After the last request, answers have this time.
const SETTLE: Duration = Duration::from_secs(2);

/// What a case gives.
type Measured = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench jmx: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Measured {
    let mut report = Report::begin();
    let jdk = Jdk::find(options.java.as_deref(), &options.programs)?;
    report.note(format!("the JVMs: {}", jdk.version));
    let cases = if options.only.is_empty() { ALL.to_vec() } else { options.only.clone() };
    for case in cases {
        let measure = |report: &mut Report| match case {
            Case::Calls => calls::measure(options, &jdk, report),
            Case::Table => table::measure(options, &jdk, report),
            Case::Group => group::measure(options, report),
            Case::Memory => memory::measure(options, &jdk, report),
        };
        // A thread keeps its processor and its namespace.
        report.attempt(&format!("{case:?}").to_lowercase(), |report| {
            let run = || measure(report).map_err(|error| error.to_string());
            let done = std::thread::scope(|scope| scope.spawn(run).join());
            done.unwrap_or_else(|_| Err("the thread of the case has panicked".to_owned()))
        });
    }
    std::fs::create_dir_all(&options.folder)?;
    let raw = options.folder.join("jmx.json");
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

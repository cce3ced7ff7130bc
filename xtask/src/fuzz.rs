//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/`, without `cargo-fuzz`.
//!
//! What that tool adds is a sanitizer, which needs a nightly compiler and finds
//! little in code without `unsafe`. Coverage itself comes from code generation
//! options that every toolchain has, so the compiler at hand will do.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::workspace::Workspace;
use crate::{Outcome, command};

/// What `fuzz` may be told.
#[derive(clap::Args)]
pub struct Options {
    /// Only this target.
    target: Option<String>,
    /// Seconds for each target.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
}

impl Options {
    /// Each target for so many seconds.
    pub fn all(seconds: u64) -> Self {
        Self { target: None, seconds }
    }
}

/// Builds the targets and runs them, one on each processor.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    if command::which("c++").is_none() {
        println!("no C++ compiler, which libFuzzer needs: fuzzing is left out (`apt-get install g++`)");
        return Ok(());
    }
    let all = targets(workspace)?;
    let chosen: Vec<&String> =
        all.iter().filter(|name| options.target.as_ref().is_none_or(|wanted| wanted == *name)).collect();
    if chosen.is_empty() {
        return Err(format!("no such fuzz target; there are: {}", all.join(" ")).into());
    }
    let programs = build(workspace)?;
    let failed = at_once(&chosen, |target| {
        let outcome = fuzz(workspace, &programs.join(target), target, options.seconds);
        outcome.inspect_err(|error| println!("fuzz {target}: {error}")).is_ok()
    });
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("fuzz targets with findings: {}", failed.join(" ")).into())
    }
}

/// Runs targets, one on each processor, and gives those that failed.
fn at_once<'t>(targets: &[&'t String], run: impl Fn(&str) -> bool + Sync) -> Vec<&'t str> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Relaxed)) {
                    if !run(target) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(target.as_str());
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The programs of `fuzz/Cargo.toml`.
fn targets(workspace: &Workspace) -> io::Result<Vec<String>> {
    let mut cargo = command::cargo(workspace);
    cargo.args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path", "fuzz/Cargo.toml"]);
    let metadata: Value = serde_json::from_slice(&command::output(&mut cargo)?).map_err(io::Error::other)?;
    let targets = metadata["packages"][0]["targets"].as_array().map_or(&[][..], Vec::as_slice);
    let programs = targets.iter().filter(|target| target["kind"][0] == "bin");
    Ok(programs.filter_map(|target| Some(target["name"].as_str()?.to_owned())).collect())
}

/// Options that make the compiler count edges and comparisons for libFuzzer.
const COVERAGE: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Counters are named by their section alone, which a linker would otherwise drop.
    "-Clink-arg=-Wl,-z,nostart-stop-gc",
    "-Ccodegen-units=1",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// Builds all targets and gives the folder of their programs.
fn build(workspace: &Workspace) -> io::Result<PathBuf> {
    let triple = host_triple(workspace)?;
    let mut cargo = command::cargo(workspace);
    // Naming the target keeps these options away from build scripts and procedural macros.
    cargo.args(["build", "--quiet", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &triple]);
    cargo.args(["--target-dir", "target/fuzz"]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}"));
    if command::is_ci() {
        cargo.arg("--locked");
    }
    command::run(&mut cargo)?;
    Ok(workspace.path("target/fuzz").join(triple).join("release"))
}

fn host_triple(workspace: &Workspace) -> io::Result<String> {
    let words = command::output(command::cargo(workspace).args(["--version", "--verbose"]))?;
    let words = String::from_utf8_lossy(&words).into_owned();
    let host = words.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("cargo does not name its host"))
}

/// The folder of a target's seeds: its own, or the messages that all targets of SNMP share.
fn seeds(workspace: &Workspace, target: &str) -> PathBuf {
    let own = workspace.path("fuzz/seeds").join(target);
    if own.is_dir() { own } else { workspace.path("fuzz/seeds/snmp") }
}

/// Runs one target: new inputs go to `fuzz/corpus`, seeds come from `fuzz/seeds`.
fn fuzz(workspace: &Workspace, program: &Path, target: &str, seconds: u64) -> io::Result<()> {
    let corpus = workspace.path("fuzz/corpus").join(target);
    let artifacts = workspace.path("fuzz/artifacts").join(target);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let log = workspace.path("target/fuzz").join(format!("{target}.log"));

    let mut fuzzer = Command::new(program);
    fuzzer.arg(format!("-max_total_time={seconds}"));
    fuzzer.args(["-timeout=10", "-rss_limit_mb=1024", "-max_len=4096", "-print_final_stats=1"]);
    fuzzer.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(&corpus);
    fuzzer.arg(seeds(workspace, target));
    let status = fuzzer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?).status()?;
    let words = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    let summary = Summary::read(&words);
    if !status.success() {
        return Err(io::Error::other(format!("a finding, see {}\n{}", log.display(), tail(&words, 25))));
    }
    println!("fuzz {target}: {} runs in {seconds} s, {} edges, no finding", summary.runs, summary.edges);
    if summary.edges == 0 {
        Err(io::Error::other("no edge was counted: the build lacks coverage"))
    } else {
        Ok(())
    }
}

/// What libFuzzer said at its end.
#[derive(Debug, PartialEq)]
struct Summary {
    runs: u64,
    edges: u64,
}

impl Summary {
    fn read(words: &str) -> Self {
        let number =
            |text: &str| text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let runs = words.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
        let edges = words.lines().rev().find_map(|line| line.split_once(" cov: "));
        Self { runs: runs.map_or(0, number), edges: edges.map_or(0, |(_, rest)| number(rest)) }
    }
}

fn tail(words: &str, lines: usize) -> String {
    let all: Vec<&str> = words.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuzzers_own_figures_are_read() {
        let words = "#2\tINITED cov: 12 ft: 13 corp: 1/1b\n#99\tDONE   cov: 345 ft: 1 corp: 9/1b\n\
                     stat::number_of_executed_units: 99\nstat::peak_rss_mb:              44\n";
        assert_eq!(Summary::read(words), Summary { runs: 99, edges: 345 });
        assert_eq!(Summary::read("Segmentation fault"), Summary { runs: 0, edges: 0 });
    }

    #[test]
    fn every_target_runs_once_and_those_that_fail_are_named() {
        let names: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        let ran = Mutex::new(Vec::new());
        let mut failed = at_once(&names.iter().collect::<Vec<_>>(), |target| {
            ran.lock().unwrap().push(target.to_owned());
            target != "3" && target != "7"
        });
        failed.sort_unstable();
        assert_eq!(failed, ["3", "7"]);
        let mut ran = ran.into_inner().unwrap();
        ran.sort_unstable();
        assert_eq!(ran, names);
    }

    #[test]
    fn the_tail_is_the_end() {
        assert_eq!(tail("a\nb\nc", 2), "b\nc");
        assert_eq!(tail("a", 2), "a");
    }
}

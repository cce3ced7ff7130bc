//! `cargo xtask fuzz`: runs the fuzz targets of `fuzz/`, without `cargo-fuzz`.
//!
//! What that tool adds is a sanitizer, which needs a nightly compiler and finds
//! little in code that hardly uses `unsafe`. Coverage itself comes from code generation
//! options that every toolchain has, so the compiler at hand will do.
//!
//! Each target starts from its seeds (`fuzz/seeds`, made by hand) and its corpus
//! (`fuzz/corpus`, found by earlier runs, minimised, committed). What it finds goes to
//! `target/fuzz/corpus`; a long run (`--minutes`) merges that into the corpus.

mod corpus;

use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// The options of `fuzz`.
#[derive(clap::Args)]
pub struct Options {
    /// Only this target.
    target: Option<String>,
    /// Seconds for each target.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Minutes for all targets together, divided equally; then their finds are merged into `fuzz/corpus`.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    minutes: Option<u64>,
}

impl Options {
    /// Each target for this many seconds.
    pub fn all(seconds: u64) -> Self {
        Self { target: None, seconds, minutes: None }
    }

    /// How long each of this many targets may run.
    fn seconds_each(&self, targets: usize, processors: usize) -> u64 {
        let Some(minutes) = self.minutes else { return self.seconds };
        let (targets, processors) = (targets.max(1) as u64, processors as u64);
        (minutes * 60 * processors.min(targets) / targets).max(1)
    }
}

/// Builds the targets and runs them, one on each processor.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    if command::which("c++").is_none() {
        println!("no C++ compiler, which libFuzzer needs: fuzzing is left out (`apt-get install g++`)");
        return Ok(());
    }
    let all = targets(workspace)?;
    let chosen: Vec<&Target> =
        all.iter().filter(|target| options.target.as_ref().is_none_or(|name| *name == target.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = all.iter().map(|target| target.name.as_str()).collect();
        return Err(format!("no such fuzz target; there are: {}", names.join(" ")).into());
    }
    let seconds = options.seconds_each(chosen.len(), processors());
    let programs = if seconds < BRIEF { build_briefly(workspace)? } else { build(workspace)? };
    let failed = at_once(&chosen, |target| {
        let run = Run { workspace, program: programs.join(&target.name), target };
        let outcome = run.fuzz(seconds).and_then(|()| match options.minutes {
            Some(_) => corpus::merge(&run),
            None => Ok(()),
        });
        outcome.inspect_err(|error| println!("fuzz {}: {error}", target.name)).is_ok()
    });
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("fuzz targets with findings: {}", failed.join(" ")).into())
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Runs targets, one on each processor, and returns those that failed.
fn at_once<'t>(targets: &[&'t Target], run: impl Fn(&Target) -> bool + Sync) -> Vec<&'t str> {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..processors() {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Relaxed)) {
                    if !run(target) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(target.name.as_str());
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// A program of `fuzz/Cargo.toml`.
#[derive(Debug, PartialEq)]
struct Target {
    name: String,
    /// Octets of its longest input.
    longest: u64,
}

/// The programs of `fuzz/Cargo.toml`.
fn targets(workspace: &Workspace) -> io::Result<Vec<Target>> {
    let mut cargo = command::cargo(workspace);
    cargo.args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path", "fuzz/Cargo.toml"]);
    let metadata: Value = serde_json::from_slice(&command::output(&mut cargo)?).map_err(io::Error::other)?;
    targets_of(&metadata["packages"][0])
}

fn targets_of(package: &Value) -> io::Result<Vec<Target>> {
    let targets = package["targets"].as_array().map_or(&[][..], Vec::as_slice);
    let programs = targets.iter().filter(|target| target["kind"][0] == "bin");
    let names: Vec<&str> = programs.filter_map(|target| target["name"].as_str()).collect();
    let longest = &package["metadata"]["longest"];
    for (name, octets) in longest.as_object().into_iter().flatten() {
        if !names.contains(&name.as_str()) || octets.as_u64().is_none() {
            let words = format!("fuzz/Cargo.toml: `{name}` under `longest` is not a target with a number");
            return Err(io::Error::other(words));
        }
    }
    let target = |name: &&str| Target {
        name: (*name).to_owned(),
        longest: longest[*name].as_u64().unwrap_or(USUAL_LONGEST),
    };
    Ok(names.iter().map(target).collect())
}

/// Octets of the longest input of a target for which `fuzz/Cargo.toml` names none.
const USUAL_LONGEST: u64 = 4096;

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
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// Runs of fewer seconds have programs that are built in a fraction of the time: see [`build_briefly`].
const BRIEF: u64 = 30;

/// Builds all targets for long runs, everything in them optimised and with coverage, and returns the folder of their programs.
fn build(workspace: &Workspace) -> io::Result<PathBuf> {
    let triple = host_triple(workspace)?;
    let mut cargo = cargo_build(workspace);
    // Naming the target keeps these options away from build scripts and procedural macros.
    cargo.args(["--release", "--target", &triple, "--target-dir", "target/fuzz"]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1f}"));
    command::run(&mut cargo)?;
    Ok(workspace.path("target/fuzz").join(triple).join("release"))
}

/// Builds all targets for runs of seconds, with coverage of the crates of this repository alone: `fuzz/rustc.sh` adds the options
/// for these. All others are those that the tests have been built with (docs/decisions/0132).
fn build_briefly(workspace: &Workspace) -> io::Result<PathBuf> {
    let mut cargo = cargo_build(workspace);
    cargo.args(["--target-dir", "target"]).env("RUSTC_WRAPPER", workspace.path("fuzz/rustc.sh"));
    cargo.env("TRUNKLINE_COVERED", workspace.root()).env("TRUNKLINE_COVERAGE", COVERAGE.join(" "));
    command::run(&mut cargo)?;
    Ok(workspace.path("target/debug"))
}

fn cargo_build(workspace: &Workspace) -> Command {
    let mut cargo = command::cargo(workspace);
    cargo.args(["build", "--quiet", "--manifest-path", "fuzz/Cargo.toml"]).args(command::locked());
    cargo
}

fn host_triple(workspace: &Workspace) -> io::Result<String> {
    let words = command::output(command::cargo(workspace).args(["--version", "--verbose"]))?;
    let words = String::from_utf8_lossy(&words).into_owned();
    let host = words.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| io::Error::other("cargo does not name its host"))
}

/// A target that is run.
struct Run<'a> {
    workspace: &'a Workspace,
    program: PathBuf,
    target: &'a Target,
}

impl Run<'_> {
    /// The target's own seeds, or the messages that all targets of SNMP share.
    fn seeds(&self) -> PathBuf {
        let own = self.workspace.path("fuzz/seeds").join(&self.target.name);
        if own.is_dir() { own } else { self.workspace.path("fuzz/seeds/snmp") }
    }

    /// What earlier runs found: minimised and committed.
    fn corpus(&self) -> PathBuf {
        self.workspace.path("fuzz/corpus").join(&self.target.name)
    }

    /// What this machine's runs found.
    fn finds(&self) -> PathBuf {
        self.workspace.path("target/fuzz/corpus").join(&self.target.name)
    }

    /// Runs the target: it starts from seeds, corpus and finds, and adds to the finds.
    fn fuzz(&self, seconds: u64) -> io::Result<()> {
        let (name, finds) = (&self.target.name, self.finds());
        let artifacts = self.workspace.path("fuzz/artifacts").join(name);
        fs::create_dir_all(&finds)?;
        fs::create_dir_all(&artifacts)?;
        let mut fuzzer = self.fuzzer();
        fuzzer.args([format!("-max_total_time={seconds}"), "-print_final_stats=1".to_owned()]);
        fuzzer.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(&finds);
        fuzzer.args([self.corpus(), self.seeds()].iter().filter(|folder| folder.is_dir()));
        let words = self.heed(&mut fuzzer)?;
        let summary = Summary::read(&words);
        println!("fuzz {name}: {} runs in {seconds} s, {} edges, no finding", summary.runs, summary.edges);
        if summary.edges == 0 {
            return Err(io::Error::other("no edge was counted: the build lacks coverage"));
        }
        Ok(())
    }

    /// The target's program under its limits.
    fn fuzzer(&self) -> Command {
        let mut fuzzer = Command::new(&self.program);
        fuzzer.args(["-timeout=10", "-rss_limit_mb=1024"]);
        fuzzer.arg(format!("-max_len={}", self.target.longest));
        fuzzer
    }

    /// Runs the program to its end and returns its output, which is kept in a file as well.
    fn heed(&self, fuzzer: &mut Command) -> io::Result<String> {
        let log = self.workspace.path("target/fuzz").join(format!("{}.log", self.target.name));
        fuzzer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let status = fuzzer.status()?;
        let words = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        if status.success() {
            return Ok(words);
        }
        Err(io::Error::other(format!("a finding, see {}\n{}", log.display(), tail(&words, 25))))
    }
}

/// libFuzzer's final output.
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
    fn every_target_runs_once_and_failures_are_listed() {
        let target = |number: u64| Target { name: number.to_string(), longest: number };
        let targets: Vec<Target> = (0..9).map(target).collect();
        let ran = Mutex::new(Vec::new());
        let mut failed = at_once(&targets.iter().collect::<Vec<_>>(), |target| {
            ran.lock().unwrap().push(target.longest);
            target.name != "3" && target.name != "7"
        });
        failed.sort_unstable();
        assert_eq!(failed, ["3", "7"]);
        let mut ran = ran.into_inner().unwrap();
        ran.sort_unstable();
        assert_eq!(ran, (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn a_target_has_its_own_longest_input_or_the_usual_one() {
        let package = |longest: &str| {
            let text = format!(
                r#"{{"metadata": {{"longest": {longest}}}, "targets": [
                {{"name": "lib", "kind": ["lib"]}}, {{"name": "pdu", "kind": ["bin"]}},
                {{"name": "message", "kind": ["bin"]}}]}}"#
            );
            targets_of(&serde_json::from_str(&text).unwrap())
        };
        let target = |name: &str, longest| Target { name: name.into(), longest };
        let found = package(r#"{"message": 65507}"#).unwrap();
        assert_eq!(found, [target("pdu", USUAL_LONGEST), target("message", 65_507)]);
        for wrong in [r#"{"massage": 65507}"#, r#"{"lib": 1}"#, r#"{"pdu": "long"}"#] {
            assert!(package(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn minutes_are_split_over_targets_and_processors() {
        let options = |minutes| Options { target: None, seconds: 60, minutes };
        assert_eq!(options(None).seconds_each(34, 2), 60);
        assert_eq!(options(Some(17)).seconds_each(34, 2), 60);
        assert_eq!(options(Some(5)).seconds_each(1, 2), 300);
        assert_eq!(options(Some(0)).seconds_each(34, 2), 1);
    }

    #[test]
    fn the_tail_is_the_end() {
        assert_eq!(tail("a\nb\nc", 2), "b\nc");
        assert_eq!(tail("a", 2), "a");
    }
}

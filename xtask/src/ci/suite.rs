//! All test programs of the workspace, several at a time.
//!
//! Most of a test's time goes by in waiting for agents and peers, which `cargo test` does with one program after
//! another. Here two more programs than there are processors run at a time. A program that fails beside others
//! runs again alone at the end: if it passes then, the run passes, but names it, because a test must not depend on an idle machine.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::{self, locked};
use crate::left_out;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// Builds and runs all tests, and ends with one line for all of them.
///
/// `alone` gets a line for each program that passed only alone, with what had failed in it before and why.
pub fn run(workspace: &Workspace, alone: &Mutex<Vec<String>>) -> Outcome {
    let programs = order(programs(&build(workspace)?));
    let at_once = thread::available_parallelism().map_or(3, |count| count.get() + 2);
    println!("{} test programs, {at_once} at a time", programs.len());
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    let mut slowest = Vec::new();
    let (ran, documented) = thread::scope(|scope| {
        let documented = scope.spawn(|| documented(workspace));
        let ran = all(workspace, programs, at_once);
        let documented =
            documented.join().unwrap_or_else(|_| Err(io::Error::other("a runner of tests panicked")));
        (ran, documented)
    });
    for ran in ran? {
        slowest.push((ran.took, ran.program.title()));
        if ran.output.status.success() {
            tally.add(&ran.output.stdout);
        } else {
            failed.push((ran.program, ran.output.stdout));
        }
    }
    let mut only_alone = Vec::new();
    let mut broken = Vec::new();
    for (program, before) in failed {
        println!("\nagain, alone: {}", program.title());
        let ran = one(workspace, program)?;
        print(&ran)?;
        tally.add(&ran.output.stdout);
        if ran.output.status.success() {
            let why = [failures(&before), reasons(&before)].concat().join("\n  ");
            only_alone.push(format!("passed only alone, mend it: {}\n  {why}", ran.program.title()));
        } else {
            broken.push(ran.program.title());
        }
    }
    let documented = documented?;
    io::stdout().write_all(&documented.stdout)?;
    tally.add(&documented.stdout);
    slowest.sort_unstable_by(|one, other| other.cmp(one));
    let times: Vec<String> =
        slowest.iter().take(12).map(|(took, title)| format!("{title} {:.0} s", took.as_secs_f64())).collect();
    println!("\nthe slowest: {}", times.join(", "));
    alone.lock().unwrap_or_else(PoisonError::into_inner).extend(only_alone);
    println!("\n{} passed, {} failed", tally.passed, tally.failed);
    if !broken.is_empty() {
        return Err(format!("test programs failed: {}", broken.join(", ")).into());
    }
    if !documented.status.success() {
        return Err(format!("examples in the documentation failed: {}", documented.status).into());
    }
    if tally.passed == 0 { Err("no test ran".into()) } else { Ok(()) }
}

/// A built test program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Program {
    /// The folder of its package, in which it runs.
    folder: PathBuf,
    /// `lib`, `bin`, `test`, `example`.
    kind: String,
    name: String,
    file: PathBuf,
}

impl Program {
    fn title(&self) -> String {
        let package = self.folder.file_name().unwrap_or_default().to_string_lossy();
        format!("{package} {} {}", self.kind, self.name)
    }
}

/// Builds all tests, and the programs that they start; returns cargo's messages about what it built.
pub fn build(workspace: &Workspace) -> io::Result<Vec<u8>> {
    let mut cargo = command::cargo(workspace);
    cargo.args(["test", "--workspace", "--no-run", "--message-format", "json-render-diagnostics"]);
    cargo.args(locked()).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = cargo.output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(io::Error::other(format!("{} ended with {}", command::line(&cargo), output.status)))
}

/// The test programs that the messages name.
fn programs(messages: &[u8]) -> Vec<Program> {
    let lines = messages.split(|octet| *octet == b'\n');
    let program = |line: &[u8]| {
        let message: Value = serde_json::from_slice(line).ok()?;
        let target = &message["target"];
        (message["profile"]["test"] == true).then_some(())?;
        Some(Program {
            folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
            kind: target["kind"][0].as_str()?.to_owned(),
            name: target["name"].as_str()?.to_owned(),
            file: message["executable"].as_str()?.into(),
        })
    };
    lines.filter_map(program).collect()
}

/// Those that take longest first, so that none of them is left when all others have ended; then those that start other programs.
fn order(mut programs: Vec<Program>) -> VecDeque<Program> {
    let rank = |program: &Program| {
        let title = program.title();
        LONGEST.iter().position(|long| *long == title).unwrap_or(LONGEST.len())
    };
    programs.sort_by_key(|program| (rank(program), program.kind != "test"));
    programs.into()
}

/// The programs that take longest, as their last run has shown ("the slowest").
const LONGEST: [&str; 14] = [
    "lab test reports",
    "agent test compare",
    "agent test netconf",
    "agent test all",
    "lab test compare",
    "cli test all",
    "cli test netsnmp",
    "agent test agentx_peers",
    "agent test jmx",
    "jmxclient test jvm_sessions",
    "cli test jmx",
    "agent test hostile",
    "agent test peers_secure",
    "agent test allocations",
];

/// A program that has run.
struct Ran {
    program: Program,
    output: Output,
    took: Duration,
}

/// Runs all, so many at a time, and prints the output of each as it ends.
fn all(workspace: &Workspace, programs: VecDeque<Program>, at_once: usize) -> io::Result<Vec<Ran>> {
    let waiting = Mutex::new(programs);
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let printing = Mutex::new(());
    let worker = || -> io::Result<Vec<Ran>> {
        let mut done = Vec::new();
        while let Some(program) = next() {
            let ran = one(workspace, program)?;
            let _whole = printing.lock().unwrap_or_else(PoisonError::into_inner);
            print(&ran)?;
            done.push(ran);
        }
        Ok(done)
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        let mut ran = Vec::new();
        for worker in workers {
            let done = worker.join().unwrap_or_else(|_| Err(io::Error::other("a runner of tests panicked")));
            ran.extend(done?);
        }
        Ok(ran)
    })
}

fn one(workspace: &Workspace, program: Program) -> io::Result<Ran> {
    let start = Instant::now();
    let mut command = Command::new(&program.file);
    command.current_dir(&program.folder).env("CARGO_MANIFEST_DIR", &program.folder);
    command.env(left_out::VARIABLE, left_out::file(workspace)).stdin(Stdio::null());
    let output = command.output()?;
    Ok(Ran { program, output, took: start.elapsed() })
}

fn print(ran: &Ran) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "\n     Running {} ({})", ran.program.title(), ran.program.file.display())?;
    out.write_all(&ran.output.stdout)?;
    out.write_all(&ran.output.stderr)?;
    if !ran.output.status.success() {
        writeln!(out, "{} ended with {}", ran.program.title(), ran.output.status)?;
    }
    out.flush()
}

/// The examples in the documentation: one crate after another, so beside the programs.
fn documented(workspace: &Workspace) -> io::Result<Output> {
    let mut cargo = command::cargo(workspace);
    cargo.args(["test", "--workspace", "--doc", "--no-fail-fast"]).args(locked());
    cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output()
}

/// The tests that a program's output calls failed.
fn failures(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let failed = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?.to_owned());
    text.lines().filter_map(failed).collect()
}

/// Where and why the first tests failed: what their panics say, cut where it is long.
fn reasons(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let mut lines = text.lines();
    let mut reasons = Vec::new();
    while let (Some(line), true) = (lines.next(), reasons.len() < MOST_REASONS) {
        if let Some((_, place)) = line.split_once(" panicked at ") {
            let reason = format!("{place} {}", lines.next().unwrap_or_default());
            reasons.push(reason.chars().take(LONGEST_REASON).collect());
        }
    }
    reasons
}

const MOST_REASONS: usize = 4;
const LONGEST_REASON: usize = 400;

/// The test programs' output, summed up.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    fn add(&mut self, output: &[u8]) {
        String::from_utf8_lossy(output).lines().for_each(|line| self.read(line));
    }

    /// Adds a line such as `test result: ok. 3 passed; 0 failed; 0 ignored; ...`.
    fn read(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<u64>().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse::<u64>().unwrap_or(0),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_test_programs_are_summed() {
        let mut tally = Tally::default();
        tally.add(
            b"test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
              test result: FAILED. 40 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
              test a::passed ... ok\n",
        );
        assert_eq!((tally.passed, tally.failed), (43, 2));
    }

    #[test]
    fn reasons_are_those_of_panics() {
        let output = b"test a ... FAILED\n\n---- a stdout ----\n\nthread 'a' (7) panicked at src/a.rs:3:5:\nso it was\nstack\n";
        assert_eq!(
            (failures(output), reasons(output)),
            (vec!["a".into()], vec!["src/a.rs:3:5: so it was".into()])
        );
        let long =
            [b"thread 'b' panicked at b.rs:1:1:\n".as_slice(), &[b'x'; 9000], b"\n"].concat().repeat(9);
        assert_eq!(
            reasons(&long).iter().map(String::len).collect::<Vec<_>>(),
            [LONGEST_REASON; MOST_REASONS]
        );
    }

    #[test]
    fn programs_are_those_of_tests_and_the_long_ones_come_first() {
        let message = |kind: &str, name: &str, test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact",
                "manifest_path": format!("/w/crates/{}/Cargo.toml", if name == "reports" { "lab" } else { "room" }),
                "target": { "kind": [kind], "name": name },
                "profile": { "test": test },
                "executable": format!("/w/target/{name}"),
            })
            .to_string()
        };
        let lines = [
            message("lib", "unit", true),
            message("bin", "program", false),
            r#"{"reason":"build-finished","success":true}"#.into(),
            message("test", "whole", true),
            message("test", "reports", true),
        ];
        let found = order(programs(lines.join("\n").as_bytes()));
        let titles: Vec<String> = found.iter().map(Program::title).collect();
        assert_eq!(titles, ["lab test reports", "room test whole", "room lib unit"]);
        assert_eq!(found[1].folder, Path::new("/w/crates/room"));
    }

    #[test]
    fn the_longest_programs_are_there() {
        let workspace = Workspace::find().unwrap();
        for title in LONGEST {
            let [room, "test", name] = title.split(' ').collect::<Vec<_>>()[..] else { panic!("{title}") };
            let file = |rest: &str| workspace.path(&format!("crates/{room}/tests/{name}{rest}")).is_file();
            assert!(file(".rs") || file("/main.rs"), "{title}");
        }
    }

    #[test]
    fn failed_tests_are_named() {
        let output = b"test a::b ... ok\ntest c::d ... FAILED\ntest e ... FAILED\n";
        assert_eq!(failures(output), ["c::d", "e"]);
    }
}

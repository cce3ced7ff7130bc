//! `cargo xtask ci`: everything that CI checks, in order, each step timed
//! against its budget.
//!
//! A step that fails does not stop the ones after it: one run reports everything that is wrong. What waits for the network runs
//! beside the others. Budgets are for a clean clone on two cores; a step over its budget is marked, not failed, because machines
//! differ.

mod suite;

use std::fs::{self, DirEntry};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::command::{cargo_home, locked};
use crate::outcome::Outcome;
use crate::workspace::Workspace;
use crate::{command, fuzz, left_out, libraries, package, packaging, setup, tidy};

/// The options of `ci`.
#[derive(clap::Args)]
pub struct Options {
    /// Only these steps; may be given several times.
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
    /// Seconds for each fuzz target.
    #[arg(long, value_name = "N", default_value_t = 5)]
    fuzz_seconds: u64,
}

/// A step of the run.
struct Step<'a> {
    name: &'static str,
    /// In seconds.
    budget: u64,
    when: When,
    run: Box<dyn Fn() -> Outcome + Sync + 'a>,
}

/// When a step runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// After the one before it.
    InTurn,
    /// Beside those after it: it waits for the network most of its time.
    Beside,
    /// After the one before it and all that run beside.
    Last,
}

/// The time budget of all steps together, in seconds.
const TOTAL_BUDGET: u64 = 30 * 60;

/// The steps that run tests.
const TESTS: [&str; 2] = ["test", "libs"];

/// Runs the steps and prints the table.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    let alone = Mutex::default();
    let steps = steps(workspace, options, &alone);
    for wanted in &options.only {
        if !steps.iter().any(|step| step.name == wanted) {
            let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
            return Err(format!("no step `{wanted}`; there are: {}", names.join(" ")).into());
        }
    }
    left_out::forget(workspace)?;
    let is_wanted =
        |step: &&Step<'_>| options.only.is_empty() || options.only.iter().any(|it| it == step.name);
    let start = Instant::now();
    let rows = in_order(&steps.iter().filter(is_wanted).collect::<Vec<_>>());
    println!("{}", table(&rows, start.elapsed()));
    if rows.iter().any(|row| TESTS.contains(&row.name)) {
        println!("{}", left_out::summary(workspace)?);
    }
    for program in alone.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        println!("{program}");
    }
    let failed: Vec<&str> = rows.iter().filter(|row| row.failed).map(|row| row.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(" ")).into()) }
}

/// Runs the steps, each at its time.
fn in_order(steps: &[&Step<'_>]) -> Vec<Row> {
    thread::scope(|scope| {
        let mut rows = Vec::new();
        let mut beside = Vec::new();
        for step in steps {
            match step.when {
                When::Beside => beside.push(scope.spawn(|| step.take())),
                When::Last => rows.extend(beside.drain(..).map(ended)),
                When::InTurn => {}
            }
            if step.when != When::Beside {
                rows.push(step.take());
            }
        }
        rows.extend(beside.into_iter().map(ended));
        rows
    })
}

fn ended(step: ScopedJoinHandle<'_, Row>) -> Row {
    step.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn step<'a>(name: &'static str, budget: u64, when: When, run: impl Fn() -> Outcome + Sync + 'a) -> Step<'a> {
    Step { name, budget, when, run: Box::new(run) }
}

impl Step<'_> {
    /// Runs the step.
    fn take(&self) -> Row {
        println!("== {}", self.name);
        let (start, before) = (Instant::now(), command::processor_time());
        let outcome = (self.run)();
        if let Err(error) = &outcome {
            println!("xtask: {}: {error}", self.name);
        }
        Row {
            name: self.name,
            budget: self.budget,
            when: self.when,
            took: start.elapsed(),
            processor: command::processor_time().saturating_sub(before),
            failed: outcome.is_err(),
        }
    }
}

fn steps<'a>(workspace: &'a Workspace, options: &'a Options, alone: &'a Mutex<Vec<String>>) -> Vec<Step<'a>> {
    use When::{Beside, InTurn, Last};
    vec![
        step("setup", 30, InTurn, || setup::run(workspace, &setup::Options::default())),
        step("peers", 240, Beside, || {
            setup::peers(workspace);
            package::installed::prepare(workspace)
        }),
        step("fmt", 10, InTurn, || format(workspace)),
        step("tidy", 40, InTurn, || tidy::run(workspace)),
        step("clippy", 210, InTurn, || Ok(command::run(&mut clippy(workspace))?)),
        // The programs too: tests of programs other than a package's own, and the two steps after this, find them built.
        step("build", 360, InTurn, || Ok(suite::build(workspace).map(drop)?)),
        step("packages", 10, InTurn, || packaging::check(workspace)),
        step("install", 60, Last, || package::installed::check(workspace)),
        step("test", 480, Last, || suite::run(workspace, alone)),
        step("libs", 120, InTurn, || libraries::check(workspace)),
        step("doc", 120, InTurn, || doc(workspace)),
        step("deny", 15, InTurn, || deny(workspace)),
        step("fuzz", 195, InTurn, || fuzz::run(workspace, &fuzz::Options::all(options.fuzz_seconds))),
    ]
}

fn format(workspace: &Workspace) -> Outcome {
    command::run(command::cargo(workspace).args(["fmt", "--all", "--check"]))?;
    if workspace.path("fuzz/Cargo.toml").is_file() {
        command::run(command::cargo(workspace).args([
            "fmt",
            "--manifest-path",
            "fuzz/Cargo.toml",
            "--check",
        ]))?;
    }
    Ok(())
}

fn clippy(workspace: &Workspace) -> Command {
    let mut cargo = command::cargo(workspace);
    cargo.args(["clippy", "--workspace", "--all-targets"]).args(locked()).args(["--", "-D", "warnings"]);
    cargo
}

/// The documentation, and the programs with the features that they ship with: tests switch on some of their own.
fn doc(workspace: &Workspace) -> Outcome {
    let mut programs = command::cargo(workspace);
    command::run(programs.args(["check", "--workspace", "--bins"]).args(locked()))?;
    let mut cargo = command::cargo(workspace);
    cargo.args(["doc", "--workspace", "--no-deps"]).args(locked()).env("RUSTDOCFLAGS", "-D warnings");
    Ok(command::run(&mut cargo)?)
}

fn deny(workspace: &Workspace) -> Outcome {
    if command::which("cargo-deny").is_none() {
        println!(
            "cargo-deny is not installed (`cargo install cargo-deny --locked`): advisories are left out; \
             `tidy` has checked licences and sources against deny.toml"
        );
        return Ok(());
    }
    let checks = ["deny", "check", "bans", "licenses", "sources"];
    command::run(command::cargo(workspace).args(checks))?;
    let databases = cargo_home().join("advisory-dbs");
    if !has_database(&databases) {
        println!(
            "there is no database of advisories in {} (`cargo deny fetch db`): advisories are left out",
            databases.display()
        );
        return Ok(());
    }
    // The database is used as it is: whether the network has a newer one does not concern the tree.
    Ok(command::run(command::cargo(workspace).args(["deny", "--offline", "check", "advisories"]))?)
}

/// Whether cargo-deny has fetched a database of advisories: a folder `advisory-db-...`.
fn has_database(databases: &Path) -> bool {
    let is_one = |entry: DirEntry| entry.file_name().to_string_lossy().starts_with("advisory-db-");
    fs::read_dir(databases).is_ok_and(|found| found.flatten().any(is_one))
}

/// A step that has run.
struct Row {
    name: &'static str,
    budget: u64,
    when: When,
    took: Duration,
    /// The time of processors, also of what ran beside it.
    processor: Duration,
    failed: bool,
}

/// The final table: each step's time, that of processors and its budget, in seconds.
fn table(rows: &[Row], took: Duration) -> String {
    let mut lines = vec![format!("\n{:<8} {:>7} {:>7} {:>7}", "step", "took s", "cpu s", "budget")];
    for row in rows {
        let over = row.took > Duration::from_secs(row.budget);
        let remark = match (row.failed, over, row.when) {
            (true, ..) => "  FAILED",
            (false, true, _) => "  over its budget",
            (false, false, When::Beside) => "  beside the others",
            (false, false, _) => "",
        };
        let (took, processor) = (row.took.as_secs_f64(), row.processor.as_secs_f64());
        lines.push(format!("{:<8} {took:>7.1} {processor:>7.0} {:>7}{remark}", row.name, row.budget));
    }
    let in_turn = rows.iter().filter(|row| row.when != When::Beside);
    let processor: Duration = in_turn.map(|row| row.processor).sum();
    let (took, processor) = (took.as_secs_f64(), processor.as_secs_f64());
    lines.push(format!("{:<8} {took:>7.1} {processor:>7.0} {TOTAL_BUDGET:>7}", "all"));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, mpsc};

    use super::*;

    #[test]
    fn the_table_marks_failed_and_slow_steps() {
        let row = |name, took, failed| Row {
            name,
            budget: 10,
            when: if name == "peers" { When::Beside } else { When::InTurn },
            took: Duration::from_secs(took),
            processor: Duration::from_secs(2 * took),
            failed,
        };
        let rows =
            [row("fmt", 1, false), row("peers", 7, false), row("test", 11, false), row("doc", 2, true)];
        let text = table(&rows, Duration::from_secs(14));
        let remarks: Vec<&str> =
            text.lines().skip(2).map(|line| line.get(32..).unwrap_or_default()).collect();
        assert_eq!(remarks, ["", "  beside the others", "  over its budget", "  FAILED", ""]);
        // What ran beside the others is in their time of processors.
        assert!(text.ends_with("14.0      28    1800"), "{text}");
    }

    #[test]
    fn a_step_beside_others_ends_before_those_that_want_it() {
        let (asked, told) = mpsc::channel();
        let told = Mutex::new(told);
        let done = Mutex::new(Vec::new());
        let note = |name| done.lock().unwrap().push(name);
        let steps = [
            step("beside", 1, When::Beside, || {
                told.lock().unwrap().recv()?;
                note("beside");
                Ok(())
            }),
            // The first one ends only when this one has run.
            step("next", 1, When::InTurn, || {
                note("next");
                Ok(asked.send(())?)
            }),
            step("last", 1, When::Last, || {
                note("last");
                Err("wrong".into())
            }),
        ];
        let rows = in_order(&steps.iter().collect::<Vec<_>>());
        assert_eq!(*done.lock().unwrap(), ["next", "beside", "last"]);
        let rows: Vec<(&str, bool)> = rows.iter().map(|row| (row.name, row.failed)).collect();
        assert_eq!(rows, [("next", false), ("beside", false), ("last", true)]);
    }

    #[test]
    fn advisories_are_checked_where_their_database_is() {
        let folder = tempfile::tempdir().unwrap();
        let databases = folder.path().join("advisory-dbs");
        assert!(!has_database(&databases));
        fs::create_dir(&databases).unwrap();
        fs::write(databases.join("db.lock"), "").unwrap();
        assert!(!has_database(&databases));
        fs::create_dir(databases.join("advisory-db-3157b0e258782691")).unwrap();
        assert!(has_database(&databases));
    }

    #[test]
    fn the_budgets_fit_the_total() {
        let workspace = Workspace::find().unwrap();
        let options = Options { only: Vec::new(), fuzz_seconds: 1 };
        let alone = Mutex::default();
        let steps = steps(&workspace, &options, &alone);
        let in_turn = steps.iter().filter(|step| step.when != When::Beside);
        let sum: u64 = in_turn.map(|step| step.budget).sum();
        assert!(sum <= TOTAL_BUDGET, "{sum} s");
    }
}

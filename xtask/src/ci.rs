//! `cargo xtask ci`: everything that CI checks, in order, each step timed
//! against its budget.
//!
//! A step that fails does not stop the ones after it: one run reports everything that is wrong. Budgets are for a
//! clean clone on two cores; a step over its budget is marked, not failed, because machines differ.

mod suite;

use std::fs::{self, DirEntry};
use std::path::Path;
use std::process::Command;
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
    #[arg(long, value_name = "N", default_value_t = 10)]
    fuzz_seconds: u64,
}

/// A step: its name, its budget in seconds and what it does.
type Step<'a> = (&'static str, u64, Box<dyn Fn() -> Outcome + 'a>);

/// The time budget of all steps together, in seconds.
const TOTAL_BUDGET: u64 = 30 * 60;

/// The steps that run tests.
const TESTS: [&str; 2] = ["test", "libs"];

/// Runs the steps and prints the table.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    let steps = steps(workspace, options);
    for wanted in &options.only {
        if !steps.iter().any(|(name, ..)| name == wanted) {
            let names: Vec<&str> = steps.iter().map(|(name, ..)| *name).collect();
            return Err(format!("no step `{wanted}`; there are: {}", names.join(" ")).into());
        }
    }
    left_out::forget(workspace)?;
    let mut rows = Vec::new();
    for (name, budget, step) in &steps {
        if !options.only.is_empty() && !options.only.iter().any(|wanted| wanted == name) {
            continue;
        }
        println!("== {name}");
        let start = Instant::now();
        let outcome = step();
        if let Err(error) = &outcome {
            println!("xtask: {name}: {error}");
        }
        rows.push(Row { name, budget: *budget, took: start.elapsed(), failed: outcome.is_err() });
    }
    println!("{}", table(&rows));
    if rows.iter().any(|row| TESTS.contains(&row.name)) {
        println!("{}", left_out::summary(workspace)?);
    }
    let failed: Vec<&str> = rows.iter().filter(|row| row.failed).map(|row| row.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(" ")).into()) }
}

fn steps<'a>(workspace: &'a Workspace, options: &'a Options) -> Vec<Step<'a>> {
    let cargo = |arguments: &'static [&'static str]| {
        move || Ok(command::run(command::cargo(workspace).args(arguments).args(locked()))?)
    };
    vec![
        ("setup", 120, Box::new(|| setup::run(workspace, &setup::Options::for_tests()))),
        ("fmt", 10, Box::new(|| format(workspace))),
        ("tidy", 60, Box::new(|| tidy::run(workspace))),
        ("clippy", 240, Box::new(move || Ok(command::run(&mut clippy(workspace))?))),
        // Tests of programs other than a package's own find them built.
        ("build", 180, Box::new(cargo(&["build", "--workspace", "--bins"]))),
        ("packages", 10, Box::new(|| packaging::check(workspace))),
        ("install", 120, Box::new(|| package::installed::check(workspace))),
        ("test", 480, Box::new(|| suite::run(workspace))),
        ("libs", 160, Box::new(|| libraries::check(workspace))),
        ("doc", 120, Box::new(|| doc(workspace))),
        ("deny", 30, Box::new(|| deny(workspace))),
        ("fuzz", 270, Box::new(|| fuzz::run(workspace, &fuzz::Options::all(options.fuzz_seconds)))),
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

fn doc(workspace: &Workspace) -> Outcome {
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
    took: Duration,
    failed: bool,
}

/// The final table: each step's time and budget, in seconds.
fn table(rows: &[Row]) -> String {
    let mut lines = vec![format!("\n{:<8} {:>7} {:>7}", "step", "took s", "budget")];
    for row in rows {
        let over = row.took > Duration::from_secs(row.budget);
        let remark = match (row.failed, over) {
            (true, _) => "  FAILED",
            (false, true) => "  over its budget",
            (false, false) => "",
        };
        lines.push(format!("{:<8} {:>7.1} {:>7}{remark}", row.name, row.took.as_secs_f64(), row.budget));
    }
    let total: Duration = rows.iter().map(|row| row.took).sum();
    lines.push(format!("{:<8} {:>7.1} {TOTAL_BUDGET:>7}", "all", total.as_secs_f64()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_marks_failed_and_slow_steps() {
        let row = |name, took, failed| Row { name, budget: 10, took: Duration::from_secs(took), failed };
        let text = table(&[row("fmt", 1, false), row("test", 11, false), row("doc", 2, true)]);
        let remarks: Vec<&str> =
            text.lines().skip(2).map(|line| line.get(24..).unwrap_or_default()).collect();
        assert_eq!(remarks, ["", "  over its budget", "  FAILED", ""]);
        assert!(text.ends_with("14.0    1800"), "{text}");
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
        let sum: u64 = steps(&workspace, &options).iter().map(|(_, budget, _)| budget).sum();
        assert!(sum <= TOTAL_BUDGET, "{sum} s");
    }
}

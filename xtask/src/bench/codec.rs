//! `cargo xtask bench codec`: how many instructions the codec needs, and the manager from its start to its end,
//! counted under callgrind, compared with the counts that are kept in git.
//!
//! Counts hardly depend on the machine, so a regression shows where times
//! would hide it. They do depend on the compiler; its version is kept with them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// The options of `bench codec`.
#[derive(clap::Args)]
pub struct Options {
    /// Keep what was counted as the new baseline.
    #[arg(long)]
    bless: bool,
    /// Fail when a count is more than this above its baseline, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    tolerance: f64,
    /// Also run the timed benches (criterion).
    #[arg(long)]
    time: bool,
}

/// The baseline, in git.
const BASELINE: &str = "xtask/src/bench/instructions.json";

/// What one run of a case repeats it; a second run repeats it twice as often.
const TIMES: u64 = 500;

/// Instructions of one repetition, by the name of the case.
type Counts = BTreeMap<String, u64>;

/// Counts, compares, prints.
pub fn run(workspace: &Workspace, options: &Options) -> Outcome {
    if command::which("valgrind").is_none() {
        return Err("no valgrind to count with: `apt-get install valgrind`".into());
    }
    let program = build(
        workspace,
        &["bench", "-p", "trunkline-snmp", "--bench", "callgrind", "--no-run"],
        "callgrind",
    )?;
    // All programs, as `make lab` builds them: with one alone the libraries would be built again.
    let programs =
        ["build", "--release", "--bins", "-p", "trunkline", "-p", "trunkline-lab", "-p", "trunklined"];
    let manager = build(workspace, &programs, "trunkline")?;
    let compiler = compiler()?;
    let mut counts = Counts::new();
    for case in cases(&program)? {
        let count = |times: u64| instructions(&program, &[&case, &times.to_string()]);
        let (once, twice) = (count(TIMES)?, count(2 * TIMES)?);
        // The difference leaves out what a program does before and after its work.
        counts.insert(case, twice.saturating_sub(once).div_ceil(TIMES));
    }
    // Names, options and the loader: what every command does before its own work. It doubled once, over five changes, and nobody saw it.
    counts.insert("manager_translate".into(), instructions(&manager, &["translate", "sysName.0"])?);
    let baseline = workspace.read(BASELINE).ok().map(|text| serde_json::from_str(&text)).transpose()?;
    let (kept, kept_compiler) = read(&baseline.unwrap_or(Value::Null));
    if options.bless {
        let text = format!("{:#}\n", json!({ "compiler": compiler, "instructions": counts }));
        fs::write(workspace.path(BASELINE), text)?;
    }
    let rows = compare(&kept, &counts, options.tolerance);
    rows.iter().for_each(|row| println!("{}", row.line));
    if !kept.is_empty() && kept_compiler != compiler {
        println!("the baseline is from {kept_compiler}, this is {compiler}: expect small differences");
    }
    if options.time {
        command::run(command::cargo(workspace).args(["bench", "-p", "trunkline-snmp", "--bench", "codec"]))?;
    }
    let worse = rows.iter().filter(|row| row.is_worse).count();
    if options.bless {
        println!("kept in {BASELINE}");
        Ok(())
    } else if worse == 0 {
        Ok(())
    } else {
        Err(format!("{worse} of {} counts differ from {BASELINE}; --bless keeps the new ones", rows.len())
            .into())
    }
}

/// Builds a program and returns its file.
fn build(workspace: &Workspace, words: &[&str], target: &str) -> io::Result<PathBuf> {
    let mut cargo = command::cargo(workspace);
    cargo.args(words).args(["--quiet", "--message-format", "json"]).stderr(Stdio::inherit());
    let messages = String::from_utf8_lossy(&command::output(&mut cargo)?).into_owned();
    let executable = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_target = message["target"]["name"] == target;
        message["executable"].as_str().filter(|_| is_target).map(PathBuf::from)
    });
    executable.ok_or_else(|| io::Error::other(format!("cargo built no program `{target}`")))
}

fn compiler() -> io::Result<String> {
    let version = command::output(Command::new("rustc").arg("--version"))?;
    Ok(String::from_utf8_lossy(&version).trim().to_owned())
}

/// The program names its cases when called without arguments.
fn cases(program: &Path) -> io::Result<Vec<String>> {
    let names = command::output(&mut Command::new(program))?;
    Ok(String::from_utf8_lossy(&names).lines().map(str::to_owned).collect())
}

fn instructions(program: &Path, words: &[&str]) -> io::Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let output = valgrind.args(words).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match collected(&said) {
        Some(count) if output.status.success() => Ok(count),
        _ => {
            let case = words.join(" ");
            Err(io::Error::other(format!("{case} under valgrind ended with {}: {said}", output.status)))
        }
    }
}

/// The sum at the end of callgrind's output: `==1== Collected : 123`.
fn collected(words: &str) -> Option<u64> {
    words.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

fn read(baseline: &Value) -> (Counts, String) {
    let counts = baseline["instructions"].as_object().into_iter().flatten();
    let counts = counts.filter_map(|(case, count)| Some((case.clone(), count.as_u64()?))).collect();
    (counts, baseline["compiler"].as_str().unwrap_or("nobody").to_owned())
}

/// One case with its baseline.
struct Row {
    line: String,
    is_worse: bool,
}

fn compare(kept: &Counts, counts: &Counts, tolerance: f64) -> Vec<Row> {
    let gone = kept.keys().filter(|case| !counts.contains_key(*case));
    let gone = gone
        .map(|case| Row { line: format!("{case:<32} is gone; its baseline is still kept"), is_worse: true });
    let rows = counts.iter().map(|(case, now)| match kept.get(case) {
        None => Row { line: format!("{case:<32} {now:>9} instructions, no baseline"), is_worse: true },
        Some(before) => {
            let change = 100.0 * (*now as f64 - *before as f64) / (*before as f64).max(1.0);
            let is_worse = change > tolerance;
            let remark = if is_worse { "  WORSE" } else { "" };
            let line = format!("{case:<32} {now:>9} instructions, was {before:>9} ({change:+.1} %){remark}");
            Row { line, is_worse }
        }
    });
    rows.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrinds_sum_is_read() {
        let words = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 4711\n==7== \n";
        assert_eq!(collected(words), Some(4711));
        assert_eq!(collected("==7== Events    : Ir"), None);
    }

    #[test]
    fn only_worse_new_or_missing_figures_are_marked() {
        let counts =
            |pairs: &[(&str, u64)]| -> Counts { pairs.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect() };
        let kept = counts(&[("better", 100), ("gone", 5), ("same", 100), ("within", 100), ("worse", 100)]);
        let now = counts(&[("better", 50), ("new", 7), ("same", 100), ("within", 102), ("worse", 103)]);
        let marked: Vec<String> = compare(&kept, &now, 2.0)
            .into_iter()
            .filter(|row| row.is_worse)
            .map(|row| row.line.split_whitespace().next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(marked, ["new", "worse", "gone"]);
    }

    #[test]
    fn a_baseline_is_read_back() {
        let value = json!({ "compiler": "rustc 1", "instructions": { "a": 3 } });
        assert_eq!(read(&value), (Counts::from([("a".to_owned(), 3)]), "rustc 1".to_owned()));
        assert_eq!(read(&Value::Null), (Counts::new(), "nobody".to_owned()));
    }
}

//! Every experiment once, as small as fills all its sheets; then the reports are checked from outside: no sheet is
//! without figures, and a program in Python (`recompute/`, with numpy and scipy) computes each figure again from the
//! samples alone.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use trunkline_lab::experiments::ALL;
use trunkline_testkit::leave_out;

/// The options of each experiment, in two lanes that run side by side: the first one waits most of its time. Six
/// repetitions are the fewest with intervals; those with callgrind, and of every way of `compare`, would take too long.
const LANES: [&[&str]; 2] = [
    &["marinov2006 --quick --repeat 6 --messages 2,22 --sessions 0,3,6,9"],
    &[
        "iftable --repeat 6 --objects 1,22,66",
        "du2001 --quick --repeat 6 --messages 2,5,20 --idle 0.01",
        "pras2005 --quick --repeat 6 --objects 1,22,66",
        "ma2005 --quick --repeat 1",
        "netconf --quick --repeat 6 --rows 1,3",
        "emanics2006 --quick --repeat 6 --permissions 1,10,100 --groups 6,20 --interval 100 --nodes 2,3,1 --period 1 --sampling 1",
        "compare --quick --repeat 2 --link 10M,1ms --devices 10 --objects 22 --every 10s",
    ],
];

/// One test: the checks share the runs.
#[test]
fn reports_are_complete_and_their_figures_those_of_the_samples() {
    let directory = tempfile::tempdir().unwrap();
    let Some(runs) = all_experiments(directory.path()) else { return };
    let missing: Vec<String> = runs.iter().flat_map(|run| sheets_without_figures(run)).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    let Some(python) = python() else { return };
    let right = check(&python, &[], &runs);
    assert!(right.status.success(), "{}", words(&right));
    // And it finds what is wrong: a thousandth in any figure, an interval that is half as wide.
    let wrong = check(&python, &["--spoil"], &runs);
    assert!(wrong.status.success(), "{}", words(&wrong));
}

/// What the project claims: the pages that are committed say what their samples say. Runs of a test are too small for
/// some claims.
#[test]
fn published_figures_are_those_of_their_samples() {
    let Some(python) = python() else { return };
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results");
    let pages: Vec<PathBuf> = ALL.iter().map(|it| results.join(it.name)).collect();
    let checked = check(&python, &[], &pages);
    assert!(checked.status.success(), "{}", words(&checked));
}

/// The reports' directories; `None` if there is no agent. Agents and the other programs are next to the laboratory's.
fn all_experiments(directory: &Path) -> Option<Vec<PathBuf>> {
    if experiment::agent("trunklined").is_none() {
        leave_out("trunklined is not built");
        return None;
    }
    let run_lane = |lane: &[&str]| lane.iter().map(|words| run(words, directory)).collect::<Vec<PathBuf>>();
    let runs: Vec<PathBuf> = std::thread::scope(|scope| {
        let lanes = LANES.map(|lane| scope.spawn(move || run_lane(lane)));
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect()
    });
    let known = |name: &str| runs.iter().any(|run| run.ends_with(name));
    assert!(ALL.iter().all(|it| known(it.name)), "an experiment is in no lane");
    Some(runs)
}

/// Runs the program; returns the report's directory.
fn run(words: &str, directory: &Path) -> PathBuf {
    let words: Vec<&str> = words.split(' ').collect();
    let out = directory.join(words[0]);
    let mut program = Command::new(env!("CARGO_BIN_EXE_trunkline-lab"));
    let output = program.args(&words).arg("--out").arg(&out).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", self::words(&output));
    out
}

/// What is absent from a report: a sheet that the experiment lists, or every figure of a row of ours. What the machine
/// lacks is a warning that names the sheet.
fn sheets_without_figures(run: &Path) -> Vec<String> {
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("report.json")).unwrap()).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let (sheets, warnings) = (list(&report["tables"]), list(&report["warnings"]));
    let name = run.file_name().unwrap().to_str().unwrap();
    let listed = ALL.iter().find(|it| it.name == name).unwrap().tables.iter();
    let listed = listed.map(|table| format!("{name}/{table}"));
    let mut missing: Vec<String> = listed
        .filter(|id| !sheets.iter().any(|sheet| sheet["id"] == **id))
        .map(|id| format!("{id} is not in the report"))
        .collect();
    for sheet in sheets {
        let is_explained = warnings.iter().any(|it| it["table"] == sheet["id"]);
        let has_figures = |row: &Value| list(&row["ours"]).iter().any(Value::is_number);
        let rows = list(&sheet["rows"]);
        let empty = rows.iter().filter(|row| !has_figures(row) && !may_be_empty(&sheet["id"], row));
        let empty: Vec<String> =
            empty.map(|row| format!("{} has no figure in {}", sheet["id"], row["label"])).collect();
        if !rows.iter().any(has_figures) && !is_explained {
            missing.push(format!("{} has no figures, and no warning says why", sheet["id"]));
        } else if !is_explained {
            missing.extend(empty);
        }
    }
    missing
}

/// Rows of the paper's alone; and lines that need not cross.
fn may_be_empty(sheet: &Value, row: &Value) -> bool {
    *sheet == "pras2005/crossings" || row["label"].as_str().unwrap().starts_with("paper: ")
}

/// Python with numpy and scipy, as `cargo xtask setup --peers` installs it.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/statistics");
    if !folder.join("built-from").is_file() {
        leave_out("numpy and scipy are not installed (cargo xtask setup --peers)");
        return None;
    }
    Some(folder.join("bin/python"))
}

fn check(python: &Path, options: &[&str], runs: &[PathBuf]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recompute/check.py");
    // No compiled files beside the sources.
    let mut command = Command::new(python);
    command.arg("-B").arg(script).args(options).args(runs).output().unwrap()
}

fn words(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it)).join("\n")
}

//! Runs an experiment as the program does, and checks what holds for each: the machine-readable form, that
//! analysis is a function of the samples, that nothing is left running.

#![allow(dead_code, reason = "each test uses a part")]

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::Value;
use trunkline_lab::doubt::Doubt;
use trunkline_lab::findings::{Findings, Sheet};
use trunkline_lab::{Error, LabArguments};
use trunkline_testkit::leave_out;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    lab: LabArguments,
}

/// Our agent, if this build includes it: next to this test's directory of programs.
#[allow(dead_code, reason = "as below")]
pub fn agent(name: &str) -> Option<PathBuf> {
    let us = std::env::current_exe().unwrap();
    let agent = us.parent()?.parent()?.join(name);
    agent.is_file().then_some(agent)
}

/// Runs the laboratory as the program does; returns its findings and its output.
pub fn run(words: &str) -> (Result<Findings, Error>, String) {
    let words = std::iter::once("lab").chain(words.split_whitespace());
    let lab = Program::try_parse_from(words).unwrap().lab;
    let (mut data, mut told) = (Vec::new(), Vec::new());
    let outcomes = lab.run(&mut data, &mut told);
    let findings = outcomes.map(|mut outcomes| outcomes.remove(0).findings);
    (findings, String::from_utf8(data).unwrap())
}

/// What `trunkline lab analyze` prints.
pub fn analyze(words: &str) -> String {
    of_stored("analyze", words)
}

/// What `trunkline lab plan` prints.
pub fn plan(words: &str) -> String {
    of_stored("plan", words)
}

fn of_stored(command: &str, words: &str) -> String {
    let words = ["lab", command].into_iter().chain(words.split_whitespace());
    let lab = Program::try_parse_from(words).unwrap().lab;
    let (mut data, mut told) = (Vec::new(), Vec::new());
    lab.run(&mut data, &mut told).unwrap();
    String::from_utf8(data).unwrap()
}

/// Runs `words` with the agents of this build into a temporary directory, and checks what holds for every
/// experiment. `None` if there is no agent.
pub fn checked(words: &str) -> Option<Findings> {
    let directory = tempfile::tempdir().unwrap();
    checked_in(words, &directory.path().join("report"))
}

/// The same into this directory.
pub fn checked_in(words: &str, out: &Path) -> Option<Findings> {
    let Some(trunklined) = agent("trunklined") else {
        leave_out("trunklined is not built");
        return None;
    };
    let mut words = format!("{words} --json --out {} --trunklined {}", out.display(), trunklined.display());
    // Those that start the laboratory's own agent and measure more than computed figures.
    let experiment = words.split_whitespace().next().unwrap().to_owned();
    let known = trunkline_lab::experiments::ALL.iter().find(|it| it.name == experiment).unwrap().command();
    let takes_it = known.get_arguments().any(|it| it.get_long() == Some("trunklined-lab"));
    if let Some(lab) = agent("trunklined-lab").filter(|_| takes_it && !words.contains("--only")) {
        words += &format!(" --trunklined-lab {}", lab.display());
    }
    let (findings, json) = run(&words);
    let findings = findings.unwrap();
    check_json(&json);
    for name in ["index.html", "report.md", "report.json", "tables.csv", "samples.jsonl"] {
        assert!(fs::metadata(out.join(name)).unwrap().len() > 100, "{name}");
    }
    // Analysis is a function of the stored samples: a second one gives the same.
    let (_, again) = run(&format!("{experiment} --analyse {} --json", out.display()));
    assert_eq!(again, json);
    assert_eq!(fs::read_to_string(out.join("report.json")).unwrap(), json);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    for sheet in &findings.sheets {
        let parts = [format!("<a href=\"#{}\">", sheet.id), format!(" id=\"{}\">", sheet.id)];
        assert!(parts.iter().all(|part| page.matches(part).count() == 1), "{}: {parts:?}", sheet.id);
    }
    for panel in page.split("<g class=\"plot\">").skip(1) {
        let panel = panel.split("</svg>").next().unwrap();
        let names = panel.split("<title>").skip(1).filter_map(|it| it.split_once("</title>"));
        let drawn =
            names.filter(|(_, drawing)| drawing.starts_with("<path d=") && !drawing.contains("opacity"));
        // The paper's own, and what stands behind the others in one grey without a name, are no series of this run.
        let is_ours = |name: &&str| {
            !(name.is_empty()
                || *name == "all others"
                || name.starts_with("the paper")
                || name.ends_with(", paper"))
        };
        let mut series: Vec<&str> = drawn.map(|(name, _)| name).filter(is_ours).collect();
        series.sort_unstable();
        series.dedup();
        assert!(series.len() <= 6, "{series:?}");
    }
    assert_eq!(children(), Vec::<String>::new());
    Some(findings)
}

/// The form according to docs/json.md.
fn check_json(text: &str) {
    let json: Value = serde_json::from_str(text).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in keys(&json) {
        match key.as_str() {
            "answer" => assert!(json[&key].as_array().unwrap().iter().all(Value::is_string), "{json}"),
            "then_and_now" => check_claims(&json[&key]),
            _ => assert!(["tables", "warnings"].contains(&key.as_str()), "{key}"),
        }
    }
    for table in json["tables"].as_array().unwrap() {
        assert_eq!(keys(table), ["columns", "id", "rows"], "{table}");
        let columns = table["columns"].as_array().unwrap().len();
        for row in table["rows"].as_array().unwrap() {
            assert_eq!(
                keys(row),
                ["interval", "label", "noisy", "ours", "paper", "ratio", "samples"],
                "{row}"
            );
            assert!(row["label"].is_string() && row["samples"].is_u64(), "{row}");
            for list in ["paper", "ours", "ratio"] {
                let list = row[list].as_array().unwrap();
                assert_eq!(list.len(), columns, "{row}");
                assert!(list.iter().all(|it| it.is_null() || it.is_number()), "{row}");
            }
            check_ratios(row);
        }
    }
    for warning in json["warnings"].as_array().unwrap() {
        assert!(warning["kind"].is_string() && warning["text"].is_string(), "{warning}");
    }
}

/// The claims of a paper: a verdict only where there is an interval.
fn check_claims(both: &Value) {
    let text = |name: &str| both[name].as_str().unwrap().len();
    assert!(["id", "asked", "found", "today"].map(text).iter().all(|length| *length > 5), "{both}");
    for claim in both["claims"].as_array().unwrap() {
        let verdicts = ["holds", "direction_holds", "weaker", "stronger", "reversed", "not_resolved"];
        assert!(verdicts.contains(&claim["verdict"].as_str().unwrap()), "{claim}");
        assert!(!claim["interval"].is_null() || claim["verdict"] == "not_resolved", "{claim}");
    }
}

/// The ratio of ours to the paper's, at most where both exist.
fn check_ratios(row: &Value) {
    let list = |name: &str| row[name].as_array().unwrap().iter().map(Value::as_f64).collect::<Vec<_>>();
    for ((paper, ours), ratio) in list("paper").into_iter().zip(list("ours")).zip(list("ratio")) {
        match (paper, ours) {
            // Tables of milliseconds have none.
            (Some(paper), Some(ours)) => {
                assert!(ratio.is_none_or(|it| (it - ours / paper).abs() < 1e-9), "{row}");
            }
            _ => assert_eq!(ratio, None, "{row}"),
        }
    }
}

/// The figures of a row.
pub fn ours(sheet: &Sheet, label: &str) -> Vec<Option<f64>> {
    let row = sheet.find(label);
    row.unwrap_or_else(|| panic!("{}: no row {label}", sheet.id)).ours.clone()
}

/// Whether there was an emulated link; without one the test is left out.
pub fn had_link(findings: &Findings) -> bool {
    let none = findings.doubts.iter().find(|doubt| matches!(doubt, Doubt::NoLink { .. }));
    if let Some(doubt) = none {
        leave_out(doubt);
    }
    none.is_none()
}

/// Whether a protocol's transport could be measured: the agent of this build listens on it.
pub fn was_left_out(findings: &Findings, protocol: &str) -> bool {
    findings.doubts.iter().any(|doubt| match doubt {
        Doubt::ProtocolLeftOut { protocol: found, .. } => found.to_string() == protocol,
        _ => false,
    })
}

/// The children of this process that are still running: there must be none after a run.
pub fn children() -> Vec<String> {
    let us = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new("/proc")).unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((name, rest)) = stat.rsplit_once(')') else { continue };
        if rest.split_whitespace().nth(1) == Some(&us) {
            found.push(name.to_owned());
        }
    }
    found
}

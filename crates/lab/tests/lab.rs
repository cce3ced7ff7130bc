//! Whole runs of the lab, from options to report: their structure, never their times.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test's helpers fail and speak as tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};

use clap::Parser;
use trunkline_lab::samples::{self, Operation, PlaceRecord, Record, RequestRecord, SubjectKind, Transport};
use trunkline_lab::subject::{StartError, Subject};
use trunkline_lab::warning::Warning;
use trunkline_lab::{Error, LabOptions, OlderOutcome as Outcome};

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    lab: LabOptions,
}

fn run(words: &str, out: &Path) -> (Result<Outcome, Error>, String) {
    let fixed = ["lab".to_owned(), "--out".to_owned(), out.display().to_string()];
    let given = words.split_whitespace().map(String::from);
    let options = Program::try_parse_from(fixed.into_iter().chain(given)).unwrap().lab;
    let (mut data, mut words) = (Vec::new(), Vec::new());
    let outcome = trunkline_lab::run(&options, &mut data, &mut words);
    (outcome, String::from_utf8(data).unwrap())
}

/// Our agent, if this build made it: beside this test's directory of programs.
fn our_agent() -> Option<PathBuf> {
    let us = std::env::current_exe().unwrap();
    let agent = us.parent()?.parent()?.join("trunklined");
    agent.is_file().then_some(agent)
}

/// Whether Net-SNMP's agent is here; CI must have it.
fn has_snmpd() -> bool {
    match Subject::snmpd(None) {
        Ok(_) => true,
        Err(StartError::NotFound { .. }) if std::env::var_os("CI").is_none() => {
            eprintln!("left out: snmpd is not installed");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

fn requests(records: &[Record]) -> Vec<&RequestRecord> {
    let all = records.iter().filter_map(|record| match record {
        Record::Request(request) if request.round > 0 => Some(request),
        _ => None,
    });
    all.collect()
}

/// What must hold of any run with these columns and rounds.
fn check_run(directory: &Path, outcome: &Outcome, objects: &[u32], rounds: u32) {
    let records = samples::read(directory).unwrap();
    let analysis = &outcome.analysis;
    assert_eq!(analysis.run.objects, objects);
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for request in requests(&records) {
        *counts.entry(request.cell.clone()).or_default() += 1;
        assert_eq!(request.bindings, request.cell.objects, "{}", request.cell);
        // Section IV.H of the paper, where nothing is cut: the loopback's MTU is 65536.
        if request.cell.transport == Transport::Udp {
            assert_eq!(request.ip_octets, Some(request.sent + request.received + 56), "{}", request.cell);
            assert_eq!(request.ip_packets, Some(2));
        }
    }
    assert!(counts.values().all(|count| *count == rounds as usize * 10), "{counts:?}");
    assert_eq!(counts.len(), analysis.cells.len());
    for point in &analysis.octets {
        assert_eq!((point.measured.sent, point.measured.received), point.measured.exact, "{point:?}");
        // As the paper: outside only where long values pull an average up.
        assert!(point.is_inside() || point.measured.longest_value > 6, "{point:?}");
    }
    for name in ["index.html", "report.md", "report.json", "tables.csv", "samples.jsonl"] {
        assert!(fs::metadata(directory.join(name)).unwrap().len() > 100, "{name}");
    }
    assert!(matches!(records.last(), Some(Record::End(end)) if end.rounds == rounds));
    // Analysis is a function of the stored samples: once more gives the same.
    let before = fs::read(directory.join("report.json")).unwrap();
    let words = format!("--analyse {} --json", directory.display());
    let (again, json) = run(&words, Path::new("/nowhere"));
    assert_eq!(&again.unwrap().analysis, analysis);
    assert_eq!(json.as_bytes(), before);
}

/// The subjects of this process that still run: none may, after a run.
fn children() -> Vec<String> {
    let us = std::process::id().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((name, rest)) = stat.rsplit_once(')') else { continue };
        if rest.split_whitespace().nth(1) == Some(&us) {
            found.push(name.to_owned());
        }
    }
    found
}

/// One test, one run after the other: each run ends its children, which is looked at, and two runs at once would only
/// disturb each other.
#[test]
fn runs_from_options_to_report() {
    let directory = tempfile::tempdir().unwrap();
    let ours = our_agent();
    let program = ours.as_ref().map_or(String::new(), |path| format!("--trunklined {}", path.display()));
    if !has_snmpd() && ours.is_none() {
        return;
    }
    local_agents(&directory.path().join("local"), &program, ours.is_some());
    rows_in_a_namespace(&directory.path().join("rows"), &program);
    an_agent_by_url(&directory.path().join("url"));
    nobody_there(&directory.path().join("nobody"));
    assert_eq!(children(), Vec::<String>::new());
}

fn local_agents(directory: &Path, program: &str, ours: bool) {
    let (outcome, text) = run(&format!("--objects 1,22 --repeat 2 {program}"), directory);
    let outcome = outcome.unwrap();
    check_run(directory, &outcome, &[1, 22], 2);
    let kinds: Vec<SubjectKind> = outcome.analysis.subjects.iter().map(|subject| subject.kind).collect();
    assert_eq!(kinds.contains(&SubjectKind::Trunklined), ours, "{:?}", outcome.analysis.warnings);
    assert_eq!(outcome.analysis.cells.len(), kinds.len() * 3 * 2 * 2, "{:?}", outcome.analysis.warnings);
    for result in &outcome.analysis.cells {
        assert!(result.cpu_ns.is_some() && result.ip_octets.is_some(), "{}", result.cell);
        // A request and a response, at least.
        assert!(result.ip_packets.unwrap() >= 1.9, "{}", result.cell);
    }
    assert_eq!(outcome.analysis.memory.len(), 2 * kinds.len());
    assert!(text.contains("Round trip delay") && text.lines().all(|line| line.chars().count() <= 120));
}

fn rows_in_a_namespace(directory: &Path, program: &str) {
    let (outcome, _) = run(&format!("--objects 22,100 --rows 6 --repeat 1 {program}"), directory);
    let outcome = match outcome {
        Err(Error::Place { reason, .. }) if std::env::var_os("CI").is_none() => {
            eprintln!("left out: no network namespace here ({reason})");
            return;
        }
        outcome => outcome.unwrap(),
    };
    check_run(directory, &outcome, &[22, 100], 1);
    assert!(matches!(outcome.analysis.run.place, PlaceRecord::Namespace { interfaces: 6, datagrams: 100.. }));
    for table in &outcome.analysis.tables {
        assert_eq!(table.rows, 6, "{table:?}");
        // What Linux counts is not zero: it has no count for ifInUnknownProtos and ifOutNUcastPkts.
        assert_eq!(table.zero_columns, [15, 18], "{table:?}");
    }
}

fn an_agent_by_url(directory: &Path) {
    let Ok(agent) = Subject::snmpd(None) else { return };
    let url = format!("snmp://public@{}", agent.targets[0].1.authority());
    let (outcome, _) = run(&format!("--objects 1,4,5000 --repeat 1 --no-local --subject {url}"), directory);
    let outcome = outcome.unwrap();
    let analysis = &outcome.analysis;
    assert_eq!(analysis.subjects.len(), 1);
    assert_eq!(analysis.subjects[0].kind, SubjectKind::Remote);
    assert!(!analysis.subjects[0].subject.contains("public"), "the community is shown");
    // UDP as the URL says, no meters inside a process that is not ours, no column that the table is too small for.
    assert_eq!(analysis.cells.len(), 3 * 2);
    assert!(analysis.cells.iter().all(|it| it.cpu_ns.is_none() && it.cell.transport == Transport::Udp));
    assert!(analysis.cell(&analysis.subjects[0].subject, Operation::GetNext, Transport::Udp, 4).is_some());
    assert!(analysis.memory.is_empty());
    let small = |it: &Warning| matches!(it, Warning::TooFewInstances { objects: 5000, .. });
    assert!(analysis.warnings.iter().any(small), "{:?}", analysis.warnings);
    // What this host has is no matter when only others are measured.
    let about_us = |it: &Warning| matches!(it, Warning::NoNamespace { .. });
    assert!(!analysis.warnings.iter().any(about_us), "{:?}", analysis.warnings);
}

fn nobody_there(directory: &Path) {
    // Bound and never read: an agent that stays silent would take its time-outs, a closed port is told at once.
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (outcome, _) = run(&format!("--no-local --subject snmp://127.0.0.1:{port}"), directory);
    match outcome {
        Err(Error::NothingMeasured { reasons }) => assert!(reasons.contains("left out"), "{reasons}"),
        other => panic!("{other:?}"),
    }
    let missing = run("--trunklined /nowhere/trunklined", directory).0;
    assert!(matches!(missing, Err(Error::Start { option: "trunklined", .. })), "{missing:?}");
    let unwritable = run("--quick", Path::new("/proc/nowhere")).0;
    assert!(matches!(unwritable, Err(Error::Write { .. })), "{unwritable:?}");
}

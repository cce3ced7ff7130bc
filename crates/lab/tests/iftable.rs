//! Whole runs of the experiment `iftable`, from options to report: their structure, never their times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use std::collections::BTreeMap;
use std::fs;
use std::net::UdpSocket;
use std::path::Path;

use experiment::{checked_in, children, ours, run};
use trunkline_lab::Error;
use trunkline_lab::block::{BlockRecord, Cell};
use trunkline_lab::findings::Findings;
use trunkline_lab::subject::{Subject, SubjectKind};
use trunkline_lab::transport::Transport;
use trunkline_lab::trial::{self, Entry, Trials};
use trunkline_testkit::{has, leave_out};

const BLOCKS: &str = "iftable/delay";

/// One test, one run after another: each run must stop its children, which is checked, and two runs at once would
/// disturb each other.
#[test]
fn runs_from_options_to_report() {
    let directory = tempfile::tempdir().unwrap();
    let are_local = local_agents(&directory.path().join("local"));
    nobody_there(&directory.path().join("nobody"));
    if are_local {
        another_experiments_samples(&directory.path().join("local"));
        rows_in_a_namespace(&directory.path().join("rows"));
        an_agent_by_url(&directory.path().join("url"));
        an_agent_that_dies(&directory.path().join("dies"));
    }
    assert_eq!(children(), Vec::<String>::new());
}

/// An agent that ends meanwhile: the run says so, whatever else is left of it.
fn an_agent_that_dies(out: &Path) {
    fs::create_dir(out).unwrap();
    let program = experiment::agent("trunklined").unwrap();
    let (script, samples) = (out.join("dying"), out.join(trial::FILE_NAME));
    let (program, samples) = (program.display(), samples.display());
    let text = format!(
        "#!/bin/sh\n[ $1 = --version ] && exec {program} $1\n{program} \"$@\" & agent=$!\n\
         until grep -qs '\"round\":2,' {samples}; do sleep 0.01; done\nkill -9 $agent\nwait $agent\n"
    );
    trunkline_testkit::write_program(&script, &text);
    let words =
        format!("iftable --objects 1 --repeat 500 --trunklined {} --out {}", script.display(), out.display());
    match run(&words).0 {
        Err(error @ Error::AgentEnded { .. }) => {
            assert!(
                error.to_string().contains("trunklined ended during the run (exit status 137)"),
                "{error}"
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(trial::read(out).unwrap().blocks(BLOCKS).count() > 0);
}

/// What must hold for any run with this many rounds.
fn check_run(directory: &Path, findings: &Findings, rounds: u32) -> Trials {
    let trials = trial::read(directory).unwrap();
    let mut counts: BTreeMap<&Cell, u32> = BTreeMap::new();
    for BlockRecord { cell, requests, .. } in trials.blocks(BLOCKS) {
        *counts.entry(cell).or_default() += 1;
        assert_eq!(requests.len(), 10, "{cell}");
        for request in requests {
            assert_eq!(request.bindings, cell.objects, "{cell}");
            // Section IV.H of the paper, without fragmentation: the loopback's MTU is 65536.
            if cell.transport == Transport::Udp {
                assert_eq!(request.ip_octets, Some(request.sent + request.received + 56), "{cell}");
                assert_eq!(request.ip_packets, Some(2));
            }
        }
    }
    assert!(counts.values().all(|count| *count == rounds), "{counts:?}");
    assert_eq!(counts.len(), findings.sheet("iftable/cells").unwrap().rows.len());
    assert!(matches!(trials.entries.last(), Some(Entry::End(_))));
    // Messages have their exact length, and are outside figure 6's bounds only if long values raise the average.
    for doubt in &findings.doubts {
        let json = serde_json::to_value(doubt).unwrap();
        assert_ne!(json["kind"], "not_as_exact", "{doubt}");
        assert!(json["kind"] != "outside_bounds" || json["longest_value"].as_u64().unwrap() > 6, "{doubt}");
    }
    drop(counts);
    trials
}

fn local_agents(directory: &Path) -> bool {
    let Some(findings) = checked_in("iftable --objects 1,22 --repeat 2", directory) else { return false };
    let trials = check_run(directory, &findings, 2);
    let kinds: Vec<SubjectKind> = trials.subjects().map(|subject| subject.kind).collect();
    assert_eq!(kinds[0], SubjectKind::Trunklined);
    assert_eq!(kinds.len(), if has("snmpd", "snmpd") { 2 } else { 1 }, "{:?}", findings.doubts);
    assert_eq!(findings.sheet("iftable/cells").unwrap().rows.len(), kinds.len() * 3 * 2 * 2);
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    let tables = ["delay", "first", "cpu", "octets", "table-2", "ip-level", "memory", "cells"];
    assert_eq!(ids, tables.map(|table| format!("iftable/{table}")));
    for id in ["iftable/delay", "iftable/first", "iftable/cpu", "iftable/ip-level"] {
        let sheet = findings.sheet(id).unwrap();
        assert!(sheet.rows.iter().all(|row| row.ours.iter().all(|it| it.unwrap() > 0.0)), "{id}");
        // Two rounds have no interval.
        assert!(sheet.rows.iter().all(|row| row.interval.iter().all(Option::is_none)), "{id}");
    }
    // At least a request and a response.
    let packets = ours(findings.sheet("iftable/ip-level").unwrap(), "Get TCP: trunklined, packets");
    assert!(packets.iter().all(|it| it.unwrap() >= 1.9), "{packets:?}");
    let memory = findings.sheet("iftable/memory").unwrap();
    assert!(memory.find("trunklined, idle").is_some() && memory.find("trunklined, after").is_some());
    assert_eq!(
        findings.sheet("iftable/table-2").unwrap().find("paper: SNMP-22").unwrap().paper[0],
        Some(11.3)
    );
    // Without a name it is this experiment; the terminal's width is respected.
    let (again, text) = run(&format!("--analyse {}", directory.display()));
    assert_eq!(again.unwrap().sheets.len(), findings.sheets.len());
    assert!(text.contains("Round trip delay") && !text.contains("iftable/cells: "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    true
}

fn rows_in_a_namespace(directory: &Path) {
    let out = directory.display();
    if let (Err(Error::Place { reason, .. }), _) =
        run(&format!("--objects 1 --rows 1 --repeat 1 --out {out}"))
    {
        return leave_out(format_args!("no network namespace here ({reason})"));
    }
    let words = "iftable --objects 22,100 --rows 6 --repeat 1";
    let Some(findings) = checked_in(words, directory) else { return };
    let trials = check_run(directory, &findings, 1);
    let place = &trials.trial.place;
    assert!(place.contains("namespace with 6 interfaces") && !place.contains(" 0 datagrams"), "{place}");
    // Linux's own counters are not zero: it has none for ifInUnknownProtos and ifOutNUcastPkts.
    let zero: Vec<String> = findings.doubts.iter().map(ToString::to_string).collect();
    assert!(zero.iter().any(|it| it.contains("ifInUnknownProtos, ifOutNUcastPkts; Linux")), "{zero:?}");
    assert!(!zero.iter().any(|it| it.contains("zero in every row") && !it.contains("; Linux")), "{zero:?}");
}

fn an_agent_by_url(directory: &Path) {
    let Ok(agent) = Subject::snmpd(None) else { return };
    let (host, port) = agent.targets[0].1.place();
    let url = format!("snmp://public@{host}:{port}");
    let words =
        format!("--objects 1,4,5000 --repeat 1 --no-local --subject {url} --out {}", directory.display());
    let findings = run(&words).0.unwrap();
    let trials = check_run(directory, &findings, 1);
    let subjects: Vec<_> = trials.subjects().collect();
    assert_eq!((subjects.len(), subjects[0].kind), (1, SubjectKind::Remote));
    assert!(!subjects[0].subject.contains("public"), "the community is shown");
    assert!(!trials.trial.command.contains("public"), "{}", trials.trial.command);
    // UDP as in the URL, no meters within a foreign process, no column that the table is too small for.
    assert!(trials.blocks(BLOCKS).all(|it| it.cpu_ns.is_none() && it.cell.transport == Transport::Udp));
    assert_eq!(findings.sheet("iftable/cells").unwrap().rows.len(), 3 * 2);
    assert!(findings.sheet("iftable/memory").is_none() && findings.sheet("iftable/cpu").is_none());
    let doubts: Vec<String> = findings.doubts.iter().map(ToString::to_string).collect();
    assert!(doubts.iter().any(|it| it.contains("the column of 5000 objects")), "{doubts:?}");
    // The number of interfaces of this host does not matter if only others are measured.
    assert!(!doubts.iter().any(|it| it.contains("this host has")), "{doubts:?}");
}

fn nobody_there(directory: &Path) {
    let out = directory.display();
    // Bound but never read: a silent agent would cost time-outs, a closed port is reported at once.
    let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = format!("--no-local --subject snmp://127.0.0.1:{port} --out {out}");
    match run(&words).0 {
        Err(Error::NothingMeasured { reasons }) => assert!(reasons.contains("left out"), "{reasons}"),
        other => panic!("{other:?}"),
    }
    let missing = run(&format!("--trunklined /nowhere/trunklined --out {out}")).0;
    assert!(matches!(missing, Err(Error::Start { option: "trunklined", .. })), "{missing:?}");
    let unwritable = run("--quick --out /proc/nowhere").0;
    assert!(matches!(unwritable, Err(Error::Write { .. })), "{unwritable:?}");
    // A run without a sample leaves nothing, and takes nothing away.
    assert!(!directory.join("samples.jsonl").exists());
}

fn another_experiments_samples(directory: &Path) {
    let foreign = fs::read_to_string(directory.join("samples.jsonl")).unwrap();
    assert!(foreign.starts_with("{\"record\":\"trial\""), "{foreign}");
    let out = directory.display();
    let other = run(&format!("du2001 --analyse {out}")).0.unwrap_err();
    assert!(other.to_string().starts_with("these are samples of iftable: trunkline lab iftable"), "{other}");
}

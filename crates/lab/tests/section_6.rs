//! Section 6 of emanics2006 with small groups. A program of its own: tests of one program share their child processes.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use trunkline_lab::findings::{Findings, Sheet};

fn sheet<'a>(findings: &'a Findings, name: &str) -> &'a Sheet {
    findings.sheet(&format!("emanics2006/{name}")).unwrap()
}

#[test]
fn groups_are_asked_in_every_protocol_and_every_delay_is_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let tables = "figure-6.1,table-6.1,figure-6.2,figure-6.3,figure-6.4,figure-6.5,figure-6.6,table-6.2,group-delay,notification,saturation";
    let words = format!("emanics2006 --only {tables} --groups 3,5 --interval 40 --repeat 2");
    let Some(findings) = experiment::checked_in(&words, &out) else { return };
    let lines = [
        "v2c/UDP",
        "v3/USM authPriv/UDP",
        "v3/TSM/TLS",
        "v3/TSM/SSH",
        "soap/HTTP",
        "netconf/TCP",
        "netconf/SSH",
        "jmx/RMI, trunklined",
    ];
    let table = sheet(&findings, "table-6.1");
    for line in lines {
        for agents in [3, 5] {
            assert!(
                table.find(&format!("{agents} agents: {line}")).is_some(),
                "{line}: {:?}",
                findings.doubts
            );
        }
        let serial = sheet(&findings, "group-delay").find(&format!("5 agents, serial: {line}"));
        assert!(serial.is_some(), "{line}");
        // A line may end before its last rate, where the machine is slow.
        assert!(sheet(&findings, "saturation").rows.iter().any(|row| row.label.ends_with(line)), "{line}");
        assert!(sheet(&findings, "figure-6.1").find(line).is_some(), "{line}");
    }
    // Each request of each round is there, however it ended; what waited, waited.
    let trials = trunkline_lab::trial::read(&out).unwrap();
    let mut groups = 0;
    for table in ["table-6.1", "figure-6.1", "group-delay", "notification", "saturation"] {
        for group in trials.groups(&format!("emanics2006/{table}")) {
            groups += 1;
            assert_eq!(group.ended.all() % u64::from(group.agents), 0, "{group:?}");
            assert!(
                group.ended.all() >= 2 * u64::from(group.agents) && group.manager_cpu_ns > 0,
                "{group:?}"
            );
            assert!(out.join(&group.file).is_file(), "{}", group.file);
        }
    }
    assert!(groups >= 8 * (2 + 1 + 2 + 1) + 2, "{groups}");
    // With a JDK, the collections of its JVMs are known by their logs.
    if table.find("5 agents: jmx/RMI").is_some() {
        let sheet = sheet(&findings, "collections");
        for collector in ["serial", "Z"] {
            let ours = experiment::ours(sheet, &format!("jmx/RMI, {collector} collector"));
            assert!(ours[0] >= Some(2.0) && ours[2] > Some(0.0), "{collector}: {ours:?}");
        }
    }
    // What a run leaves foretells another group, in each protocol.
    let planned = experiment::plan(&format!("{} --agents 4 --every 40ms --json", out.display()));
    let json: serde_json::Value = serde_json::from_str(&planned).unwrap();
    let rows = json["tables"][0]["rows"].as_array().unwrap();
    for line in lines {
        assert!(rows.iter().any(|row| row["label"] == line), "{line}: {json}");
    }
    // Others read the same file.
    let group = trials.groups("emanics2006/table-6.1").find(|it| it.agents == 5).unwrap();
    let file = out.join(&group.file);
    let analysis = directory.path().join("analysis");
    let analysed = experiment::analyze(&format!("{} --json --out {}", file.display(), analysis.display()));
    let json: serde_json::Value = serde_json::from_str(&analysed).unwrap();
    let requests = json["tables"][0]["rows"][0]["ours"][0].as_f64();
    assert_eq!(requests, Some(group.ended.all() as f64), "{json}");
}

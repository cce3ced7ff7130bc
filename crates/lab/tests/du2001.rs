//! A small experiment of Du 2001: its structure and what is exact, never its times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked, checked_in, ours, was_left_out};
use trunkline_lab::claims::Verdict;

/// One test, one run after another: each run must stop its children, which is checked.
#[test]
fn every_table_of_the_paper_stands_beside_ours() {
    a_table_runs_alone();
    let Some(findings) = checked("du2001 --quick --repeat 2 --messages 2,5 --idle 0.01") else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    let expected = ["table-1", "table-2", "model", "table-3", "table-4", "table-5", "table-6"];
    assert_eq!(ids, expected.map(|table| format!("du2001/{table}")));
    // Two sizes were requested, and the paper has one of them.
    let table_2 = findings.sheet("du2001/table-2").unwrap();
    assert_eq!(table_2.columns, ["2 messages", "5 messages"]);
    let udp = table_2.find("UDP session time (ms)").unwrap();
    assert_eq!((udp.paper[0], udp.paper[1], udp.samples), (None, Some(535.0), 2));
    assert!(udp.ours.iter().all(|it| it.unwrap() > 0.0));
    // Each message of the walk.
    let table_5 = findings.sheet("du2001/table-5").unwrap();
    assert_eq!(table_5.rows.len(), 34);
    assert!(table_5.rows.iter().all(|row| row.ours[1].unwrap() > 0.0));
    // USM has all three levels, a community only one; no current cipher suite matches the paper's (a).
    let table_6 = findings.sheet("du2001/table-6").unwrap();
    assert!(ours(table_6, "Snmpget-v3/TCP (USM) (ms)").iter().all(Option::is_some));
    assert_eq!(ours(table_6, "Snmpwalk-v1/UDP (ms)").iter().filter(|it| it.is_some()).count(), 1);
    assert_eq!(ours(table_6, "Snmpget-v1/TLS/TCP (ms)")[0], None);
    assert!(ours(table_6, "Snmpwalk-v3/UDP (USM), keys made before (ms)").iter().all(Option::is_some));
    // Milliseconds of machines that are twenty years apart have no ratio.
    assert!(
        findings.sheets.iter().flat_map(|sheet| &sheet.rows).all(|row| row.ratio.iter().all(Option::is_none))
    );
    if !was_left_out(&findings, "v1/TLS") {
        let set_up = ours(table_2, "Secure TLS 1.3 setup time (ms)");
        // A difference of medians: of two repetitions on a busy machine it may be anything.
        assert!(set_up.iter().all(Option::is_some));
        let both = findings.then_and_now.as_ref().unwrap();
        let judged: Vec<&str> = both.judged().map(|(claim, ..)| claim.text.as_str()).collect();
        assert!(
            judged.contains(&"a session of 5 messages takes longer over TLS 1.3 than over UDP"),
            "{judged:?}"
        );
        // Two repetitions decide nothing; silence that was cut short says nothing of silence.
        assert!(both.judged().all(|(.., verdict)| verdict == Verdict::NotResolved), "{both:?}");
        assert!(judged.iter().all(|text| !text.contains("silence")), "{judged:?}");
        assert!(both.today.starts_with("A session of "), "{}", both.today);
    }
    // Encryption and integrity alone: one program, one version, one handshake.
    if !was_left_out(&findings, "v1/TLS NULL-SHA") && !was_left_out(&findings, "v1/TLS 1.2 AES-GCM") {
        let table_1 = findings.sheet("du2001/table-1").unwrap();
        assert!([1, 5].iter().all(|at| ours(table_1, "Snmpget")[*at].unwrap() > 0.0));
        let privacy = ours(table_1, "Snmpget");
        assert_eq!(privacy[6], Some(privacy[5].unwrap() - privacy[1].unwrap()));
        assert!(ours(table_1, "Snmpget, TLS 1.3 as shipped")[5].unwrap() > 0.0);
    }
}

fn a_table_runs_alone() {
    let directory = tempfile::tempdir().unwrap();
    let words = "du2001 table-3 --quick --repeat 2 --idle 0.01";
    let Some(findings) = checked_in(words, directory.path()) else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    assert_eq!(ids, ["du2001/table-3"]);
    assert!(findings.sheets[0].rows.iter().all(|row| row.ours[2].is_some()));
    // In light traffic the protocols alternate, in heavy traffic each is on its own.
    let samples = std::fs::read_to_string(directory.path().join("samples.jsonl")).unwrap();
    let samples = samples.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let sessions: Vec<String> = samples
        .filter(|it| it["what"].is_string() && it["open_ns"].is_u64())
        .map(|it| {
            format!("{} {}", it["what"].as_str().unwrap(), it["protocol"]["transport"].as_str().unwrap())
        })
        .collect();
    let tls = !was_left_out(&findings, "v1/TLS NULL-SHA");
    let expected = [
        "heavy tls",
        "heavy tls",
        "heavy udp",
        "heavy udp",
        "light tls",
        "light udp",
        "light tls",
        "light udp",
    ];
    let expected: Vec<&str> = expected.into_iter().filter(|it| tls || it.ends_with("udp")).collect();
    assert_eq!(sessions, expected);
}

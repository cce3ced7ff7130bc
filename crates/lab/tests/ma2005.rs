//! A small experiment of Ma 2005: its structure and what is exact, never its times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked, had_link, ours, was_left_out};
use trunkline_labkit::findings::Findings;
use trunkline_testkit::leave_out;

/// One test, one run after another: each run must stop its children, which is checked.
#[test]
fn every_table_and_figure_of_the_paper_stands_beside_ours() {
    a_table_runs_alone();
    let Some(findings) = checked("ma2005 --quick --repeat 2 --trunkline /bin/true") else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    let expected = [
        "table-1", "table-2", "table-3", "figure-3", "figure-4", "figure-5", "figure-6", "figure-7",
        "jitter", "size",
    ];
    assert_eq!(ids, expected.map(|table| format!("ma2005/{table}")));
    let sheet = |id: &str| findings.sheet(&format!("ma2005/{id}")).unwrap();
    if had_link(&findings) {
        // A request and a response, two packets every time.
        assert_eq!(ours(sheet("table-1"), "UDP packets")[..3], [Some(2.0); 3]);
        // As many octets as the paper: sysContact is as long.
        let udp = sheet("table-1").find("UDP octets").unwrap();
        assert!(udp.ours[0] >= udp.paper[0] && udp.ours[1] <= udp.paper[1], "{udp:?}");
        let packets = |domain: &str| ours(sheet("table-1"), &format!("{domain} packets"))[3].unwrap();
        assert!((8.0..=12.0).contains(&packets("TCP")), "{}", packets("TCP"));
        if !was_left_out(&findings, "v2c/HTTP") && !was_left_out(&findings, "v2c/HTTPS") {
            let octets = |domain: &str| ours(sheet("table-1"), &format!("{domain} octets"))[3].unwrap();
            assert!(octets("TCP") < octets("HTTP") && octets("HTTP") < octets("HTTPS"));
        }
    }
    in_a_browser(&findings);
    assert_eq!(sheet("table-1").find("HTTPS latency (ms)").unwrap().paper[1], Some(585.253));
    assert_eq!(sheet("figure-4").rows.len(), 2);
    let growth = sheet("size").find("growth (%)").unwrap();
    assert!((growth.paper[1].unwrap() - 34.67).abs() < 0.01);
    // The agent's; `/bin/true` stands in for `trunkline`, whose instructions would take long to count.
    assert!(ours(sheet("size"), "all instructions")[1].unwrap() > 1e6);
}

/// Table 3, as far as there is a browser.
fn in_a_browser(findings: &Findings) {
    let sheet = findings.sheet("ma2005/table-3").unwrap();
    assert_eq!(sheet.find("SOAP, HTTP: packets").unwrap().paper[2], Some(452.0));
    assert_eq!(sheet.find("the server's side, as stripped files (MB)").unwrap().paper[2], Some(160.0));
    if !had_link(findings) || was_left_out(findings, "the browser") {
        return leave_out("no browser on the link");
    }
    for transport in ["HTTP", "HTTPS"] {
        // After each round.
        let row = sheet.find(&format!("the server's side, resident after {transport} (MB)")).unwrap();
        assert!(row.samples == 2 && row.ours.iter().all(Option::is_some), "{row:?}");
    }
    let median = |row: &str| ours(sheet, row)[3].unwrap();
    for transport in ["HTTP", "HTTPS"] {
        let [load, soap, restconf] =
            ["initial load", "SOAP", "RESTCONF"].map(|way| median(&format!("{way}, {transport}: octets")));
        // The page, by the bar that its own tests have too, and a value.
        assert!(soap < load && load < 70_000.0, "{transport}: {soap} of {load}");
        assert!(restconf < soap, "{transport}: {restconf} and {soap}");
        for way in ["initial load", "SOAP", "RESTCONF"] {
            let [wire, whole, http] = ["latency", "page's clock", "HTTP alone"]
                .map(|it| median(&format!("{way}, {transport}: {it} (ms)")));
            assert!(0.0 < http && http <= whole, "{way}, {transport}: {http} of {whole}");
            // The packets of a transaction are between its call and its value; the clock of the page has steps of 0.1 ms.
            assert!(
                0.0 < wire && (way == "initial load" || wire <= whole + 0.2),
                "{way}, {transport}: {wire}, {whole}"
            );
        }
    }
}

fn a_table_runs_alone() {
    let Some(findings) = checked("ma2005 --only figure-3 --quick --repeat 1") else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    assert_eq!(ids, ["ma2005/figure-3"]);
    assert!(findings.sheets[0].find("UDP").unwrap().ours[0].unwrap() > 0.0);
}

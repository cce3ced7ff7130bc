//! A small experiment of Pras 2005: its structure and what is exact, never its times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked, ours};
use trunkline_lab::doubt::Doubt;
use trunkline_lab::findings::{Findings, Sheet};
use trunkline_testkit::leave_out;

/// One test, one run after another: each run must stop its children, which is checked.
#[test]
fn every_table_and_figure_of_the_paper_stands_beside_ours() {
    a_figure_runs_alone();
    let Some(findings) = checked("pras2005 --quick --repeat 2 --objects 1,18,54") else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    let expected = [
        "figure-4",
        "figure-5",
        "figure-6",
        "figure-7",
        "snmpv3",
        "figure-11",
        "messages",
        "granularity",
        "figure-12",
        "ip-level",
        "crossings",
        "figure-13",
        "coding-factors",
        "figure-14",
        "table-1",
        "table-2",
        "first",
    ];
    assert_eq!(ids, expected.map(|table| format!("pras2005/{table}")));
    let sheet = |id: &str| findings.sheet(&format!("pras2005/{id}")).unwrap();
    distributions(sheet("figure-4"), sheet("figure-5"));
    messages(sheet("figure-6"), sheet("figure-7"));
    assert!(ours(sheet("figure-13"), "BER, GetBulk").iter().all(|it| it.unwrap() > 0.0));
    // All of the paper's agents are there, as printed.
    assert_eq!(sheet("table-2").find("paper: SNMP-22").unwrap().paper[2], Some(727.6));
    let ours_in_memory = sheet("table-1").find("SNMP: trunklined").unwrap();
    assert_eq!(ours_in_memory.paper[0], Some(1972.0));
    assert!(ours_in_memory.ours[1].unwrap() > 100.0);
    if !left_out(&findings, "web services") {
        web_services(&findings);
    }
}

fn a_figure_runs_alone() {
    let Some(findings) = checked("pras2005 --only figure-6") else { return };
    assert_eq!(findings.sheets.len(), 1);
    let row = findings.sheets[0].find("Get, (13), values of 6 octets").unwrap();
    assert_eq!(row.paper[0], Some(92.0));
}

/// Shares add up to the whole.
fn distributions(lengths: &Sheet, sizes: &Sheet) {
    for sheet in [lengths, sizes] {
        let is_share = |label: &str| !label.starts_with("mean") && label != "1 to 6 octets";
        let all: f64 =
            sheet.rows.iter().filter(|row| is_share(&row.label)).map(|row| row.ours[0].unwrap()).sum();
        assert!((all - 100.0).abs() < 1e-6, "{}: {all}", sheet.id);
    }
    assert!(ours(lengths, "mean length (sub-identifiers)")[0].unwrap() > 8.0);
    assert_eq!(sizes.find("1 to 6 octets").unwrap().paper[0], Some(90.0));
}

/// The formula with the measured sizes matches the measurement, except for lengths of more than 127 octets.
fn messages(theory: &Sheet, measured: &Sheet) {
    let bulk = theory.find("GetBulk, (14), values of 1 octet").unwrap();
    assert_eq!((bulk.paper[0], theory.columns.len()), (Some(87.0), 3));
    for label in ["trunklined, Get", "trunklined, GetNext", "trunklined, GetBulk"] {
        let row = measured.find(label).unwrap();
        assert!(row.ratio.iter().all(|it| (it.unwrap() - 1.0).abs() < 0.1), "{row:?}");
    }
}

fn web_services(findings: &Findings) {
    let sheet = |id: &str| findings.sheet(&format!("pras2005/{id}")).unwrap();
    for form in ["as-in-paper", "typed", "lean"] {
        let plain = ours(sheet("figure-11"), &format!("WS {form}"));
        let packed = ours(sheet("figure-12"), &format!("WS {form}, zlib"));
        assert!(plain.iter().zip(&packed).all(|(plain, packed)| plain.unwrap() > packed.unwrap()), "{form}");
        // Four ways to the same objects: the fewer interactions, the fewer octets.
        let of = |grain: &str| ours(sheet("granularity"), &format!("WS {form}, {grain}"));
        let (table, single) = (of("whole table"), of("object by object"));
        assert_eq!(table[0], Some(1.0));
        assert!(table[4].unwrap() < single[4].unwrap() / 5.0, "{table:?} {single:?}");
    }
    // The lean one is lean, and the request is like the paper's.
    let parts = ours(sheet("messages"), "one ifEntry");
    assert!(parts[2] < parts[1] && parts[2] < parts[0], "{parts:?}");
    let request = sheet("messages").find("request").unwrap();
    assert_eq!(request.paper[0], Some(500.0));
    assert!(ours(sheet("figure-13"), "XML typed").iter().all(|it| it.unwrap() > 0.0));
    // Both levels of zlib, and what the client asked of the agent for SNMP.
    let figure = sheet("figure-12");
    let level = |level: &str| ours(figure, &format!("WS as-in-paper, zlib{level}"))[2].unwrap();
    assert!(level(" level 6") < level(""));
    for operation in ["Get", "GetBulk"] {
        let of = |how: &str| ours(figure, &format!("SNMP {operation}{how}"))[2].unwrap();
        assert!(of(", OPC") < 0.9 * of("") && of(", ODC") < 0.9 * of(""), "{operation}");
    }
    // Values of rows and of columns are nearly the same.
    let values = |of: &str| ours(sheet("figure-11"), &format!("values, {of}"))[2].unwrap();
    assert!((values("WS") / values("SNMP") - 1.0).abs() < 0.8, "{} {}", values("WS"), values("SNMP"));
    assert_eq!(figure.find("WS typed, factor of zlib").unwrap().paper, [None; 3]);
    gsoap(findings);
    memory(sheet("table-1"));
    header(sheet("snmpv3"));
    assert!(ours(sheet("table-2"), "WS typed").iter().any(Option::is_some));
    assert!(ours(sheet("table-2"), "WS as-in-paper (paper: WS)").iter().any(Option::is_some));
    assert!(ours(sheet("first"), "trunklined").iter().all(|it| it.unwrap() > 0.0));
}

/// The foreign server has whole rows of 18 columns: none at one object.
fn gsoap(findings: &Findings) {
    if left_out(findings, "gSOAP's server") {
        leave_out("gSOAP's server is not built: cargo xtask setup --peers");
        return;
    }
    let row = |id: &str, label: &str| ours(findings.sheet(&format!("pras2005/{id}")).unwrap(), label);
    let (plain, packed) = (row("figure-11", "gSOAP"), row("figure-12", "gSOAP, zlib"));
    assert_eq!((plain[0], packed[0]), (None, None));
    for at in [1, 2] {
        assert!(plain[at].unwrap() > 2.0 * packed[at].unwrap(), "{plain:?} {packed:?}");
        for series in ["gSOAP", "gSOAP, zlib", "trunklined, WS as-in-paper"] {
            assert!(row("figure-14", &format!("{series}: whole request"))[at].unwrap() > 0.0, "{series}");
        }
    }
}

/// What compression adds stands beside the paper's figure; nothing is held that was not given out.
fn memory(table: &Sheet) {
    let row = table.find("WS as-in-paper, zlib: what compression adds").unwrap();
    assert_eq!(
        (row.paper[3], table.find("WS typed, zlib: trunklined").unwrap().paper[3]),
        (Some(300.0), None)
    );
    assert_eq!(table.find("WS as-in-paper, zlib: trunklined").unwrap().paper[3], Some(304.0));
    let whole = ours(table, "WS as-in-paper: trunklined");
    if let (Some(most), Some(kept)) = (whole[4], whole[5]) {
        assert!(most >= kept && most > 10.0, "{whole:?}");
    }
}

/// The higher the level, the longer the header; time is synchronized before the first request of SNMPv3 only.
fn header(sheet: &Sheet) {
    let headers: Vec<f64> = sheet.rows.iter().filter_map(|row| row.ours[0]).collect();
    let [v2c, least, auth, private, ..] = headers[..] else { panic!("{headers:?}") };
    assert!(v2c < 30.0 && v2c < least && least < auth && auth < private, "{headers:?}");
    let messages: Vec<f64> = sheet.rows.iter().filter_map(|row| row.ours[2]).collect();
    assert!(
        messages.iter().enumerate().all(|(at, count)| *count == if at == 0 { 0.0 } else { 2.0 }),
        "{messages:?}"
    );
}

fn left_out(findings: &Findings, wanted: &str) -> bool {
    findings.doubts.iter().any(|doubt| matches!(doubt, Doubt::LeftOut { what, .. } if what == wanted))
}

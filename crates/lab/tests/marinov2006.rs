//! A small experiment of Marinov 2006: its structure, and its packets where they are exact. Never its times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked, had_link, ours, was_left_out};
use trunkline_lab::claims::Verdict;

#[test]
fn every_table_and_figure_of_the_paper_stands_beside_ours() {
    let Some(findings) = checked("marinov2006 --quick --repeat 1 --messages 22,45 --sessions 0,3") else {
        return;
    };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    let expected = [
        "table-2",
        "section-4",
        "figure-3",
        "break-even",
        "figure-4",
        "table-3",
        "figure-5",
        "overhead",
        "break-even-octets",
        "figure-6",
    ];
    assert_eq!(ids, expected.map(|table| format!("marinov2006/{table}")));
    let table_2 = findings.sheet("marinov2006/table-2").unwrap();
    assert!(ours(table_2, "SNMPv3/USM/UDP")[0].unwrap() > 0.0);
    let figure_3 = findings.sheet("marinov2006/figure-3").unwrap();
    assert!(ours(figure_3, "SNMPv2c/TCP, fast agent").iter().all(|it| it.unwrap() > 0.0));
    if !was_left_out(&findings, "v2c/SSH") {
        assert!(ours(table_2, "SNMPv2c/SSH")[0].unwrap() > 0.0);
        let figure_6 = findings.sheet("marinov2006/figure-6").unwrap();
        assert!(figure_6.rows.iter().any(|row| row.label == "v2c/SSH, resident" && row.samples == 2));
    }
    let in_ms = |column: &str| column.ends_with("(ms)");
    for sheet in &findings.sheets {
        let ratios = sheet.rows.iter().flat_map(|row| sheet.columns.iter().zip(&row.ratio));
        assert!(ratios.filter(|(column, _)| in_ms(column)).all(|(_, ratio)| ratio.is_none()), "{}", sheet.id);
    }
    if !had_link(&findings) {
        return;
    }
    // A request and a response each; discovery is one more exchange.
    let packets = |label: &str| ours(table_2, label)[3];
    assert_eq!((packets("SNMPv2c/UDP"), packets("SNMPv3/USM/UDP")), (Some(2.0), Some(4.0)));
    // Set-up and close of a connection take at least three packets each.
    assert!(packets("SNMPv2c/TCP").unwrap() >= 8.0, "{:?}", packets("SNMPv2c/TCP"));
    let table_3 = findings.sheet("marinov2006/table-3").unwrap();
    let total = |label: &str| ours(table_3, label)[3];
    assert_eq!((total("SNMPv2c/UDP"), total("SNMPv3/USM/UDP")), (Some(90.0), Some(92.0)));
    // All packets of a range are packets.
    for row in table_3.rows.iter().filter(|row| row.ours[3].is_some()) {
        assert!(row.ours[2].unwrap() <= row.ours[3].unwrap(), "{row:?}");
    }
    // Longer walks take more octets, and encrypted ones more than plain ones.
    let figure_5 = findings.sheet("marinov2006/figure-5").unwrap();
    let (clear, users) = (ours(figure_5, "SNMPv2c/UDP"), ours(figure_5, "SNMPv3/USM/UDP"));
    assert!(clear[0] < clear[1] && clear[1] < users[1], "{clear:?} {users:?}");
    // What USM adds to a packet is its header and padding: near the paper's 90 octets, whatever the machine.
    let overhead = findings.sheet("marinov2006/overhead").unwrap();
    let added = ours(overhead, "SNMPv3/USM/UDP")[2].unwrap();
    assert!((80.0..=110.0).contains(&added), "{added}");
    let both = findings.then_and_now.as_ref().unwrap();
    let claim = |text: &str| both.claims.iter().find(|it| it.text.starts_with(text)).unwrap();
    let one_get = claim("one get takes more packets over TCP").now.unwrap();
    assert_eq!((one_get.value, claim("one get takes more packets over TCP").then), (5.0, Some(5.0)));
    // One repetition decides nothing.
    assert!(both.judged().all(|(.., verdict)| verdict == Verdict::NotResolved), "{both:?}");
}

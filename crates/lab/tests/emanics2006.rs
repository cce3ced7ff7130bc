//! A small experiment of emanics2006: its structure, and what does not depend on the machine. Never its times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked, ours};
use trunkline_lab::findings::{Findings, Sheet};

/// Without `trunklined-lab` in this build nothing is measured within the agent.
fn measured(words: &str) -> Option<Findings> {
    let findings = checked(words)?;
    if experiment::agent("trunklined-lab").is_none() {
        trunkline_testkit::leave_out("trunklined-lab is not built");
        return None;
    }
    Some(findings)
}

fn sheet<'a>(findings: &'a Findings, name: &str) -> &'a Sheet {
    findings.sheet(&format!("emanics2006/{name}")).unwrap()
}

#[test]
fn pairs_select_the_same_places_too_and_roles_read_the_same() {
    let words = "emanics2006 table-3.3 figure-3.3 section-5 --quick --repeat 1 --permissions 1,6";
    let Some(findings) = measured(words) else { return };
    each_pair_of_filters_selects_the_same_data_by_a_shorter_request(&findings);
    every_place_selects_the_same_rows_of_a_table_that_grows(&findings);
    roles_differ_in_permissions_and_depth_and_read_the_same(&findings);
    all_claims_with_a_number_are_there(&findings);
}

fn each_pair_of_filters_selects_the_same_data_by_a_shorter_request(findings: &Findings) {
    let table = sheet(findings, "table-3.3");
    assert!(table.note.contains("//iface/name | //iface/status"), "the texts of the requests");
    let mean = &table.rows[12];
    let pairs = table.rows[..12].iter().filter(|row| !row.label.ends_with('*'));
    let (count, sum) = pairs.fold((0, 0.0), |(count, sum), row| (count + 1, sum + row.ours[1].unwrap()));
    assert!(count == 10 && (mean.ours[1].unwrap() - sum / 10.0).abs() < 1e-6, "{mean:?}");
    // Twelve pairs and the mean. A pair whose answers differ would have left the table out.
    assert_eq!(table.rows.len(), 13, "{:?}", findings.doubts);
    for row in &table.rows[..12] {
        let octets: Vec<f64> = row.ours[2..].iter().map(|it| it.unwrap()).collect();
        let [subtree, xpath, all, chosen] = octets[..] else { panic!("{row:?}") };
        assert!(xpath < subtree, "{row:?}");
        match row.label.split_once(' ').unwrap() {
            // What a subtree filter cannot say: the manager has to choose.
            (_, what) if what.ends_with('*') => assert!(chosen < all, "{row:?}"),
            // Counters have more and fewer digits.
            ("7", _) => assert!((chosen / all - 1.0).abs() < 0.1, "{row:?}"),
            _ => assert_eq!(all, chosen, "{row:?}"),
        }
        assert!(row.ours[0].unwrap() > 0.0 && row.ours[1].unwrap() > 0.0, "{row:?}");
    }
}

fn every_place_selects_the_same_rows_of_a_table_that_grows(findings: &Findings) {
    for name in ["section-5", "selected-octets", "selected-cpu", "selected-memory"] {
        let table = sheet(findings, name);
        assert_eq!((table.rows.len(), table.columns.len()), (7, 2), "{:?}", table.columns);
        // 10 and 100 static routes, and as many others at both sizes: those of the place.
        let rows: Vec<u32> =
            table.columns.iter().map(|it| it.strip_suffix(" rows").unwrap().parse().unwrap()).collect();
        assert!(rows[1] == rows[0] + 90 && rows[0] > 10, "{rows:?}");
    }
    // A place that found other rows would have been left out.
    let delays = sheet(findings, "section-5");
    assert!(delays.rows.iter().all(|row| row.ours.iter().all(Option::is_some)), "{:?}", findings.doubts);
}

fn roles_differ_in_permissions_and_depth_and_read_the_same(findings: &Findings) {
    let figure = sheet(findings, "figure-3.3");
    assert!(ours(figure, "depth 1: access").iter().all(|it| it.unwrap() > 0.0), "{:?}", findings.doubts);
    // One permission has no six levels.
    for depth in ["depth 3: access", "depth 6: access"] {
        let [one, six] = ours(figure, depth)[..] else { panic!("{figure:?}") };
        assert!(one.is_none() && six.unwrap() > 0.0, "{figure:?}");
    }
}

fn all_claims_with_a_number_are_there(findings: &Findings) {
    let both = findings.then_and_now.as_ref().unwrap();
    let judged = both.judged().map(|(claim, ..)| claim);
    let numbers: Vec<&str> = judged.chain(both.not_measured()).map(|claim| claim.number.0).collect();
    let expected = ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"];
    assert!(expected.iter().all(|it| numbers.contains(it)), "{numbers:?}");
}

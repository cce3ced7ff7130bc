//! Section 2 of emanics2006 with few devices: its structure, and what is exact. Never its times. A program of its own: tests of one program
//! share their child processes.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked_in, had_link, ours};
use trunkline_lab::findings::{Findings, Sheet};
use trunkline_lab::reading::Quantity;

const TABLE: &str = "emanics2006/section-2";
const WAYS: [&str; 4] = [
    "(a) central, a Get per statistic",
    "(b) central, a table per device",
    "(c) three mid-level managers",
    "(d) delegated monitors, a tenth polled",
];

fn sheet<'a>(findings: &'a Findings, name: &str) -> &'a Sheet {
    findings.sheet(&format!("emanics2006/{name}")).unwrap()
}

#[test]
fn four_ways_ask_what_they_have_to_and_hear_of_crossings() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let words = "emanics2006 --only section-2 --nodes 4,6,3 --period 2 --sampling 1 --repeat 1 --seed 7";
    let Some(findings) = checked_in(words, &out) else { return };
    if !had_link(&findings) {
        return;
    }
    // 114, 145 and 103 statistics; a request and an answer each. A tenth of 3, 4 and 6 devices is one, of 13 two.
    let trials = trunkline_lab::trial::read(&out).unwrap();
    let packets = |way: &str| {
        [3, 4, 6, 13].map(|nodes| {
            let found = trials.read(TABLE, way, nodes, Quantity::Packets);
            assert_eq!(found.count(), 2, "{way}, {nodes} devices: {:?}", findings.doubts);
            assert_eq!(found.least(), found.greatest(), "{way}, {nodes} devices");
            found.least().unwrap() as u32
        })
    };
    assert_eq!(packets(WAYS[0]), [103, 114, 145, 362].map(|it| 2 * it));
    assert_eq!(packets(WAYS[1]), [3, 4, 6, 13].map(|it| 2 * it));
    assert_eq!(packets(WAYS[2]), [1, 1, 1, 3].map(|it| 2 * it));
    assert_eq!(packets(WAYS[3]), [1, 1, 1, 2].map(|it| 2 * it));

    let octets = sheet(&findings, "round-octets");
    let of = |way: &str| ours(octets, way).into_iter().map(Option::unwrap).collect::<Vec<f64>>();
    // A Get and its answer have 28 octets of IP and UDP each, and at least 40 of SNMP.
    assert!(of(WAYS[0]).iter().zip([103.0, 114.0, 145.0, 362.0]).all(|(it, gets)| *it > 136.0 * gets));
    assert!(of(WAYS[1]).iter().zip(of(WAYS[0])).all(|(table, gets)| *table < gets / 3.0));
    assert!(of(WAYS[3]).iter().zip(of(WAYS[1])).all(|(tenth, all)| *tenth < all));

    let ways = sheet(&findings, "section-2");
    assert_eq!((ways.rows.len(), ways.find(WAYS[0]).unwrap().paper[2]), (5, None));
    for way in WAYS {
        let row = ways.find(way).unwrap();
        // Everything was measured, the managers' processor time of (c) alone.
        let is_there: Vec<bool> = row.ours.iter().map(Option::is_some).collect();
        let mut expected = vec![true; 9];
        expected[6] = way == WAYS[2];
        assert_eq!(is_there, expected, "{way}: {:?}", findings.doubts);
    }
    // The deliverable's 12 kbit/s are those of other devices. The moments of a run's crossings are drawn one by one: their places in the
    // period differ.
    for way in WAYS {
        let moments = trials.read(TABLE, way, 0, Quantity::MomentNs).0;
        let [first, second] = moments[..] else { panic!("{way}: {moments:?}") };
        let apart = (second - first) / 2e9 % 1.0;
        assert!((0.01..0.99).contains(&apart), "{way}: {moments:?}");
    }
    // Two triggers at each device, by three Sets each, with their answers.
    let setting_up = ours(sheet(&findings, "crossings"), WAYS[3])[3];
    assert_eq!(setting_up, Some(2.0 * 3.0 * 2.0 * 13.0));
    let claims = findings.then_and_now.as_ref().unwrap();
    let judged = claims.judged().filter(|(claim, ..)| claim.number.1 == "section-2");
    let mut numbers: Vec<&str> = judged.map(|(claim, ..)| claim.number.0).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["R2", "R2", "R3", "R3", "R3", "R8"]);
}

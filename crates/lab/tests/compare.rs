//! The comparison, made small: its structure and what is exact, never its times.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use experiment::{checked, had_link, ours, was_left_out};
use trunkline_lab::protocol::Protocol;

#[test]
fn every_protocol_is_ranked() {
    let words = "compare --quick --repeat 1 --link 10M,2ms --devices 10 --objects 22 --every 10s";
    let Some(findings) = checked(words) else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    assert_eq!(ids, ["compare/ranks", "compare/measured", "compare/computed"]);
    if !had_link(&findings) {
        return;
    }
    let [ranks, measured, computed] = &findings.sheets[..] else { panic!() };
    for protocol in Protocol::all().iter().filter(|it| !was_left_out(&findings, &it.to_string())) {
        for kind in ["cold", "kept"] {
            let way = format!("{protocol}, {kind}");
            // CPU time is a difference of small numbers where a session is kept, and may be lost in the noise.
            let [place, by_octets, by_time, _, by_memory] = ours(ranks, &way)[..] else { panic!() };
            assert!([place, by_octets, by_time, by_memory].iter().all(Option::is_some), "{way}");
            let [to_agent, to_manager, packets, ..] = ours(measured, &way)[..] else { panic!() };
            let (to_agent, packets) = (to_agent.unwrap(), packets.unwrap());
            assert!(to_manager.unwrap() > 200.0, "{way}");
            // Of a session that is kept these are differences, from which an acknowledgement more or less takes its part.
            assert!(kind == "kept" || (to_agent > 50.0 && packets >= 2.0), "{way}: {to_agent} in {packets}");
        }
    }
    // One GetBulk and its answer.
    let udp = ours(measured, "v2c/UDP, cold");
    assert_eq!(udp[2], Some(2.0));
    // 10 devices, 8640 rounds a day
    let day = ours(computed, "v2c/UDP, cold")[0].unwrap();
    assert!((day - (udp[0].unwrap() + udp[1].unwrap()) * 86_400.0 / 1e6).abs() < 1e-6);
    // The ranks are places, each once.
    let places: Vec<f64> = ranks.rows.iter().map(|row| row.ours[0].unwrap()).collect();
    assert_eq!(places, (1..=ranks.rows.len()).map(|place| place as f64).collect::<Vec<_>>());
}

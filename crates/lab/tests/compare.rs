//! A small comparison: its structure and what is exact, never its times.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use std::sync::Mutex;

use experiment::{agent, checked, had_link, ours, run, was_left_out};
use trunkline_lab::protocol::Protocol;
use trunkline_lab::subject::Subject;
use trunkline_lab::transport::Transport;
use trunkline_labkit::packing::Packing;
use trunkline_testkit::leave_out;

/// A run must leave no process behind; those of another test would be taken for its own.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn every_protocol_has_a_plan_and_one_is_recommended() {
    let _alone = ONE_AT_A_TIME.lock();
    let words =
        "compare --quick --repeat 1 --link 10M,2ms --devices 10 --objects 22 --every 10s --security authPriv";
    let Some(findings) = checked(words) else { return };
    let ids: Vec<&str> = findings.sheets.iter().map(|sheet| sheet.id.as_str()).collect();
    let sheets = ["compare/plan", "compare/sensitivity", "compare/measured", "compare/computed"];
    if !had_link(&findings) {
        return;
    }
    assert_eq!(ids, sheets);
    let [plan, _, measured, computed] = &findings.sheets[..] else { panic!() };
    for protocol in Protocol::all().iter().filter(|it| !was_left_out(&findings, &it.to_string())) {
        let kinds: &[&str] = if protocol.has_session() { &[", cold", ", kept"] } else { &[""] };
        for (packing, kind) in
            Packing::of(*protocol).iter().flat_map(|it| kinds.iter().map(move |kind| (it, kind)))
        {
            let way = format!("{protocol}{packing}{kind}");
            assert!(ours(plan, &way)[..5].iter().all(Option::is_some), "{way}");
            let [to_agent, to_manager, packets, _, objects, ..] = ours(measured, &way)[..] else { panic!() };
            let (to_agent, packets) = (to_agent.unwrap(), packets.unwrap());
            assert!(
                to_manager.unwrap() > 150.0 && objects == Some(22.0),
                "{way}: {to_manager:?}, {objects:?}"
            );
            assert!(to_agent > 50.0 && packets >= 2.0, "{way}: {to_agent} in {packets}");
        }
    }
    // What is compressed is shorter, and each compression is another.
    let octets = |way: &str| ours(measured, way)[1].unwrap();
    let udp = ["", " opc", " odc", " zlib"].map(|packing| octets(&format!("v2c/UDP{packing}")));
    assert!(udp[1..].iter().all(|packed| *packed < 0.8 * udp[0]), "{udp:?}");
    assert!(octets("soap/HTTP gzip, kept") < octets("soap/HTTP, kept"));
    // One GetBulk and its answer.
    let udp = ours(measured, "v2c/UDP");
    assert_eq!(udp[2], Some(2.0));
    // 10 devices, 8640 rounds a day
    let day = ours(computed, "v2c/UDP")[0].unwrap();
    assert!((day - (udp[0].unwrap() + udp[1].unwrap()) * 86_400.0 / 1e6).abs() < 1e-6);
    // The answer is the first row, which protects its messages; those that do not come last.
    let first = &plan.rows[0].label;
    assert!(findings.answer[0].contains(&format!("use {first} (")), "{first}: {:?}", findings.answer);
    let last = &plan.rows.last().unwrap().label;
    let is_private = |label: &str| {
        let marks = [" authPriv/", "/TLS", "/DTLS", "/SSH", "/HTTPS"];
        marks.iter().any(|mark| label.contains(mark))
    };
    assert!(is_private(first) && !is_private(last), "{first} is first, {last} last");
}

#[test]
fn columns_are_fetched_alike_by_every_protocol() {
    let _alone = ONE_AT_A_TIME.lock();
    let words = "compare --quick --repeat 1 --link 10M,2ms --devices 10 --columns ifInOctets,ifOutOctets,ifOperStatus \
                 --rows 4 --timeout 2s --retries 2";
    let Some(findings) = checked(words) else { return };
    if !had_link(&findings) {
        return;
    }
    let measured = findings.sheet("compare/measured").unwrap();
    assert!(measured.rows.len() > 60, "{}", measured.rows.len());
    for row in &measured.rows {
        assert_eq!(row.ours[4], Some(12.0), "{}", row.label);
    }
    let conditions: Vec<String> = findings.doubts.iter().map(ToString::to_string).collect();
    assert!(conditions.iter().any(|it| it.contains("after 2 s, 2 times")), "{conditions:?}");
}

#[test]
fn an_agent_that_is_already_running_is_measured_over_the_real_network() {
    let _alone = ONE_AT_A_TIME.lock();
    let Some(program) = agent("trunklined") else { return leave_out("trunklined is not built") };
    let subject = Subject::trunklined(Some(&program)).unwrap();
    let port = |transport| subject.targets.iter().find(|it| it.0 == transport).unwrap().1.place().1;
    let (udp, tcp) = (port(Transport::Udp), port(Transport::Tcp));
    let out = tempfile::tempdir().unwrap();
    let (findings, _) = run(&format!(
        "compare --subject snmp://public@127.0.0.1:{udp} --subject snmp+tcp://public@127.0.0.1:{tcp} --link 1M,5ms \
         --columns ifIndex,ifType --rows 1 --repeat 7 --out {}",
        out.path().display()
    ));
    let findings = findings.unwrap();
    let measured = findings.sheet("compare/measured").unwrap();
    assert_eq!(measured.rows.len(), 2);
    let udp = measured.find(&format!("snmp://127.0.0.1:{udp}, v2c/UDP")).unwrap();
    // A datagram there and one back, two objects, each time the same octets; nothing is known of the agent.
    assert_eq!((udp.ours[2], udp.ours[4], udp.samples), (Some(2.0), Some(2.0), 7));
    assert_eq!(udp.interval[0], Some([udp.ours[0].unwrap(); 2]));
    assert_eq!(udp.ours[7..10], [None, None, None]);
    let tcp = measured.find(&format!("snmp+tcp://127.0.0.1:{tcp}, v2c/TCP, kept")).unwrap();
    // The same messages with TCP's headers, and acknowledgements.
    let octets = |row: &trunkline_lab::findings::SheetRow| row.ours[0].unwrap() + row.ours[1].unwrap();
    assert!(octets(tcp) > octets(udp) + 40.0, "{tcp:?} {udp:?}");
    assert!(findings.answer[0].contains("use snmp"), "{:?}", findings.answer);
    let (refused, _) = run("compare --subject snmp+tls://public@router?version=1");
    assert!(refused.is_err());
}

//! Agents that are named by URL, over every protocol and security that the client speaks.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

mod experiment;

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use experiment::{agent, run};
use trunkline_lab::doubt::Doubt;
use trunkline_lab::findings::Findings;
use trunkline_lab::protocol::Suite;
use trunkline_lab::subject::Equipment;
use trunkline_lab::transport::{self, Transport};
use trunkline_lab::trial::{self, Trials};
use trunkline_labkit::keyring::{Keyring, PASSWORD, USER, usm_user};
use trunkline_testkit::leave_out;

/// Measures the agent at this URL, and checks that no secret is in what is written.
fn measured(url: &str, options: &str, out: &Path) -> (Findings, Trials) {
    let place = out.display();
    let words =
        format!("iftable --objects 1,4 --repeat 1 --no-local --subject {url} {options} --out {place} --json");
    let (findings, json) = run(&words);
    let findings = findings.unwrap_or_else(|error| panic!("{url}: {error}"));
    for name in ["index.html", "report.md", "report.json", "tables.csv", "samples.jsonl"] {
        let text = fs::read_to_string(out.join(name)).unwrap();
        // The user of SSH is not a secret: the command that repeats the run needs it.
        let shown = if url.starts_with("snmp+ssh:") { "public@" } else { "lab@" };
        for secret in [PASSWORD, "public@", shown] {
            assert!(!text.contains(secret) && !json.contains(secret), "{secret} is in {name} of {url}");
        }
    }
    (findings, trial::read(out).unwrap())
}

#[test]
fn every_protocol_is_measured() {
    let Some(program) = agent("trunklined") else { return leave_out("trunklined is not built") };
    let keyring = Keyring::make(&[IpAddr::V4(Ipv4Addr::LOCALHOST)]).unwrap();
    let equipment = Equipment::new(&keyring, IpAddr::V4(Ipv4Addr::LOCALHOST), &transport::ALL);
    let served = Equipment { program: Some(program), ..equipment }.start().unwrap();
    let path = |name: &str| keyring.path(name).display().to_string();
    let user = format!("-u {} -l authPriv -A {PASSWORD} -X {PASSWORD}", usm_user(Suite::Modern));
    let tls = format!(
        "--certificate {} --key {} --authorities {}",
        path("manager.pem"),
        path("manager.key"),
        path("ca.pem")
    );
    let ssh = format!("--ssh-key {} --fingerprint {}", path("lab.key"), keyring.host_fingerprint());
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        ("snmp://", Transport::Udp, &user),
        ("snmp+tcp://", Transport::Tcp, &user),
        ("snmp+tls://", Transport::Tls, &tls),
        ("snmp+dtls://", Transport::Dtls, &tls),
        (&format!("snmp+ssh://{USER}@"), Transport::Ssh, &ssh),
        ("snmp+http://public@", Transport::Http, &String::new()),
        ("snmp+https://", Transport::Https, &tls),
        ("soap+http://public@", Transport::Http, &"--no-compression".to_owned()),
        ("soap+https://", Transport::Https, &tls),
    ];
    for (number, (scheme, transport, options)) in cases.into_iter().enumerate() {
        let url = format!("{scheme}127.0.0.1:{}", served.port(transport).unwrap());
        let (findings, trials) = measured(&url, options, &directory.path().join(number.to_string()));
        // Each operation, of each number of objects.
        assert_eq!(
            findings.sheet("iftable/cells").unwrap().rows.len(),
            3 * 2,
            "{url}: {:?}",
            findings.doubts
        );
        assert!(
            findings
                .sheet("iftable/octets")
                .unwrap()
                .find("paper: Get, formula (13), values of 1 octet")
                .is_some()
        );
        // The formulas are for messages with communities.
        let bounded =
            |doubt: &&Doubt| matches!(doubt, Doubt::NotAsExact { .. } | Doubt::OutsideBounds { .. });
        assert_eq!(findings.doubts.iter().find(bounded), None, "{url}");
        for block in trials.blocks("iftable/delay") {
            assert_eq!(block.cell.transport, transport);
            let sum = |of: fn(&trunkline_lab::block::RequestRecord) -> u64| {
                block.requests.iter().map(of).sum::<u64>()
            };
            let (sent, received) = (sum(|it| it.sent), sum(|it| it.received));
            let Some(tcp) = block.tcp else {
                assert!(matches!(transport, Transport::Udp | Transport::Dtls), "{url}");
                continue;
            };
            if transport.is_secure() {
                assert!(tcp.payload_out > sent && tcp.payload_in > received, "{url}: {tcp:?}");
            } else {
                // What the kernel counted is what the table says, HTTP's heads included.
                assert_eq!((tcp.payload_out, tcp.payload_in), (sent, received), "{url}");
            }
        }
    }
}

#[test]
fn a_user_taken_for_a_community_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    // Nobody listens there.
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let out = directory.path().display();
    let words = format!("--no-local --subject snmp://modern@127.0.0.1:{port} --out {out}");
    let error = run(&words).0.unwrap_err().to_string();
    assert!(error.contains("if its URL names a user of SNMPv3 and not a community, give -v3"), "{error}");
    assert!(!error.contains("modern"), "{error}");
}

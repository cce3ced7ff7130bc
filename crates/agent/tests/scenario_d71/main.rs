//! The usage scenario of D7.1 section 5.4: figure 5.9's five routers and six networks in namespaces, real connections of TCP
//! that congest a link, a monitor that the Central Management System activates on R1 at run time, by SOAP, and whose notification
//! it gets as a message of SOAP. It then finds who did it with the expressions (20) and (21).
//!
//! The figure is missing from the surviving text of the paper; this is how the text describes it:
//!
//! ```text
//!   CMS --+                                  +-- HTTP server (port 80, at most 8 Mbit/s)
//!         |                                  |
//!        N1 ==== R1 ====================== N2 +-- R3 -- N3 -- FTP server (port 22)
//!         |  (to N1: 40 Mbit/s)              |
//!         +-- R4 -- N4 -- the user           +-- R2 -- N6 -- somebody else's host
//!         +-- R5 -- N5 -- readers of the web
//! ```
//! It needs root (or namespaces for users), iproute2 and the kernel's tbf; where they are missing it is left out.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it found"
)]

#[path = "../support/mod.rs"]
mod support;

mod cms;
mod network;
mod traffic;

use std::process::Command;

use network::Network;
use support::Agent;
use traffic::Traffic;

#[test]
fn the_culprit_is_found() {
    if traffic::is_part() {
        return;
    }
    let can = Command::new("unshare").args(["--net", "--mount", "--map-root-user", "tc", "-V"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        return trunkline_testkit::leave_out("no network namespace can be made here, or no iproute2");
    }
    trunkline_testkit::namespace::isolated("the_culprit_is_found", scenario);
}

/// What plays a part of the scenario is this program again, in one of its namespaces.
#[test]
fn traffic_part() {
    traffic::play();
}

fn scenario() {
    let network = Network::build();
    let watched = network.index_of("r1", "n2");
    // The CMS delegates to R1 at run time.
    let router = agent("r1", "[[snmp.community]]\nname = \"private\"\naccess = \"write\"\n");
    let (web, files, bystander) = (agent("web", ""), agent("files", ""), agent("other", ""));

    // Every host has connections that are idle, or busy on ports that nobody queries.
    let mut traffic = Traffic::default();
    for (host, address) in [("web", network::WEB), ("files", network::FILES), ("other", network::OTHER)] {
        for port in [22, 80, 9000] {
            traffic.serve(host, port);
        }
        traffic.fetch("readers", address, 22, traffic::IDLE, 10);
        traffic.fetch("readers", address, 80, traffic::IDLE, 10);
        traffic.fetch("readers", address, 9000, traffic::IDLE, 20);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut cms = cms::Cms::start(network::R1, u32::try_from(watched).unwrap()).await;
        traffic.fetch("readers", network::WEB, 80, traffic::BULK, 2);
        cms.wait_until_it_flows(network::WEB, 2).await;
        assert!(cms.heard().is_none(), "both N2 and R1 are able to cope with this traffic");

        traffic.fetch("user", network::FILES, 22, traffic::BULK, 1);
        let rate = cms.wait_for_congestion().await;
        eprintln!("R1 told: {rate} Mbit/s from N2, more than {THRESHOLD}");
        cms.find_culprits(&[network::WEB, network::FILES, network::OTHER]).await;
        cms.finish().await;
    });
    drop((router, web, files, bystander, traffic));
}

/// An agent in this namespace, which everybody may read over HTTP, and which sends its notifications.
fn agent(host: &str, more: &str) -> Agent {
    let config = format!(
        "[http]\nlisten = [\"http://0.0.0.0:{}\"]\n[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
         [freshness]\ndefault = \"per-request\"\n{more}",
        cms::AGENT_PORT
    );
    let folder = tempfile::tempdir().unwrap();
    let mut agent = Agent::spawn(folder, &config, &["ip", "netns", "exec", host]);
    agent.wait_for_listeners(1);
    agent
}

/// Of N2's interface of R1, in Mbit/s: the web's traffic is below it, with the user's traffic it is above.
const THRESHOLD: i32 = 20;

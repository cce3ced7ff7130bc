//! `trunkline subscribe` with a running `trunklined`: what it prints when something happens, and how it ends.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value as Json;
use support::{Trunklined, run, trunkline};

const CONFIG: &str = r#"
[agent]
state = "STATE"
[snmp]
listen = ["udp://127.0.0.1:0"]
authentication-traps = true
[http]
listen = ["http://127.0.0.1:0"]
"#;

/// A subscriber that the agent knows of.
struct Subscriber {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Subscriber {
    fn start(agent: &Trunklined, more: &[&str]) -> Self {
        let target = format!("soap+http://public@{}", agent.address(1));
        let arguments = [&["subscribe", &target, "authenticationFailure"], more].concat();
        let mut child = trunkline(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It prints its address once the agent has accepted the subscription.
        let mut words = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        words.read_line(&mut line).unwrap();
        assert!(line.contains("receiving at http://"), "{line:?}");
        std::thread::spawn(move || words.read_to_string(&mut String::new()));
        let out = BufReader::new(child.stdout.take().unwrap());
        Subscriber { child, out }
    }

    /// Everything that it prints to its end, which must be a good one.
    fn rest(mut self) -> String {
        let mut text = String::new();
        self.out.read_to_string(&mut text).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0), "{text}");
        text
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        // It has ended, or shall.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody asks with a community that nobody has.
fn knock(agent: &Trunklined) {
    let target = format!("snmp://nobody@{}", agent.address(0));
    run(&["get", "-r", "0", "-t", "0.2", &target, "sysUpTime.0"], 1);
}

#[test]
fn events_are_printed_in_every_form() {
    let Some(agent) = Trunklined::start(CONFIG, &["udp", "http"]) else { return };
    let all = [&["--count", "1"][..], &["--count", "1", "--json"], &["--count", "1", "--csv"]];
    let subscribers = all.map(|more| Subscriber::start(&agent, more));
    knock(&agent);
    let [text, json, csv] = subscribers.map(Subscriber::rest);
    assert!(text.contains("SNMPv2-MIB::authenticationFailure"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    let document: Json = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert!(document.to_string().contains("authenticationFailure"), "{json}");
    assert_eq!(document["source"], format!("http://{}/soap/events", agent.address(1)), "{json}");
    let mut rows = csv.lines();
    let header = rows.next().unwrap().split(',').count();
    let row = rows.next().unwrap();
    assert!(header > 2 && row.contains("authenticationFailure"), "{csv}");
}

#[test]
fn a_principal_without_access_may_not_subscribe() {
    let Some(agent) = Trunklined::start(CONFIG, &["udp", "http"]) else { return };
    let (_, err) = run(&["subscribe", &format!("soap+http://nobody@{}", agent.address(1))], 1);
    assert!(err.contains("unauthorized: unknown community") && !err.contains("receiving at"), "{err}");
}

/// A path is a service of the agent, which is the source then.
#[test]
fn a_service_is_subscribed_at_by_its_name() {
    let Some(agent) = Trunklined::start(CONFIG, &["udp", "http"]) else { return };
    let (_, err) = run(&["subscribe", &format!("soap+http://public@{}/Nothing", agent.address(1))], 1);
    assert!(err.contains("no service has this URI") && !err.contains("receiving at"), "{err}");

    let target = format!("soap+http://public@{}/Interface-1", agent.address(1));
    let mut child =
        trunkline(&["subscribe", &target]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("receiving at http://"), "{line:?}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn other_targets_are_refused_with_the_expected_form() {
    for (target, found) in [("public@127.0.0.1", ""), ("snmp://public@127.0.0.1", ", found `snmp://`")] {
        let (_, err) = run(&["subscribe", target], 2);
        assert!(err.trim_end().ends_with(&format!("soap+http or soap+https{found}")), "{err}");
    }
}

//! The agent's shutdown: requests from before SIGTERM are answered, within `grace`.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use support::{Agent, connect, get, message, read_message, receive, socket_to};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Version};

const ANSWERED: &str = "1.3.6.1.4.1.99999.7.1";

/// A program that records in the file `asked` that it was asked, and answers when the file `go` exists. It does
/// not outlive the folder.
fn program(folder: &Path) -> String {
    let path = folder.join("slow.sh");
    let script = format!(
        "#!/bin/sh\necho \"$2\" >> {0}/asked\nwhile [ -d {0} ] && [ ! -e {0}/go ]; do /bin/sleep 0.02; done\nprintf '%s\\ninteger\\n7\\n' \"$2\"\n",
        folder.display()
    );
    trunkline_testkit::write_program(&path, &script);
    path.display().to_string()
}

/// An agent with such a program, which listens by `listeners`.
fn agent(grace: &str, snmp: &str, http: &str) -> Agent {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path());
    let config = format!(
        "[agent]\ngrace = {grace:?}\n[snmp]\nlisten = [{snmp}]\n[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
         {http}[[pass]]\noid = \"1.3.6.1.4.1.99999.7\"\ncommand = [{program:?}]\ntimeout = \"60s\"\n"
    );
    Agent::start_in(folder, &config)
}

/// Waits until the program has been asked this often.
fn wait_until_asked(agent: &Agent, times: usize) {
    let asked = agent.folder.path().join("asked");
    let begin = std::time::Instant::now();
    while std::fs::read_to_string(&asked).unwrap_or_default().lines().count() < times {
        assert!(begin.elapsed() < support::PATIENCE, "the program was not asked");
        std::thread::yield_now();
    }
}

fn question() -> Vec<u8> {
    message(Version::V2c, "public", get(&[ANSWERED])).encode()
}

/// The same inside SOAP.
const IN_SOAP: &str = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
    <Message xmlns='urn:trunkline:snmp'><version>v2c</version><community>public</community><data><get-request>\
    <request-id>7</request-id><error-status>noError</error-status><error-index>0</error-index>\
    <variable-bindings><VarBind><name>1.3.6.1.4.1.99999.7.1</name><unSpecified/></VarBind></variable-bindings>\
    </get-request></data></Message></e:Body></e:Envelope>";

#[test]
fn earlier_requests_are_answered_over_udp_and_tcp() {
    let agent = agent("60s", "\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"", "");
    let (datagrams, mut stream) = (socket_to(agent.udp()), connect(agent.tcp()));
    let idle = connect(agent.tcp());
    datagrams.send(&question()).unwrap();
    stream.write_all(&question()).unwrap();
    wait_until_asked(&agent, 2);
    agent.signal("TERM");
    agent.wait_for("shutting down");
    // A connection without an outstanding request is closed at once, and no new one is accepted.
    assert_eq!((&idle).read(&mut [0]).unwrap(), 0);
    let begin = std::time::Instant::now();
    while std::net::TcpStream::connect(agent.tcp()).is_ok() {
        assert!(begin.elapsed() < support::PATIENCE, "the listener stays");
    }
    std::fs::write(agent.folder.path().join("go"), "").unwrap();
    for answer in [receive(&datagrams).unwrap(), read_message(&mut stream).unwrap()] {
        assert_eq!(answer.pdu.bindings[0].value, Bound::Value(Value::Integer(7)));
    }
    agent.into_folder();
}

#[test]
fn a_program_that_hangs_does_not_hold_up_the_end() {
    let agent = agent("100ms", "\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"", "");
    let (datagrams, mut stream) = (socket_to(agent.udp()), connect(agent.tcp()));
    datagrams.send(&question()).unwrap();
    stream.write_all(&question()).unwrap();
    wait_until_asked(&agent, 2);
    let begin = std::time::Instant::now();
    agent.signal("TERM");
    agent.wait_for("get no answer");
    let folder = agent.into_folder();
    assert!(begin.elapsed() < Duration::from_secs(30), "the program would take 60 s");
    // Nor does it outlive the agent.
    let program = folder.path().display().to_string();
    let runs = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        all.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
            .any(|words| String::from_utf8_lossy(&words).contains(&program))
    };
    while runs() {
        assert!(begin.elapsed() < support::PATIENCE, "the program lives on");
        std::thread::yield_now();
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let agent = agent("60s", "\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"", "");
    let datagrams = socket_to(agent.udp());
    datagrams.send(&question()).unwrap();
    wait_until_asked(&agent, 1);
    agent.signal("TERM");
    agent.wait_for("shutting down");
    agent.signal("TERM");
    agent.wait_for("second signal");
    agent.into_folder();
}

#[test]
fn an_http_connection_ends_with_its_last_answer() {
    let agent = agent("60s", "\"udp://127.0.0.1:0\"", "[http]\nlisten = [\"http://127.0.0.1:0\"]\n");
    let mut stream = connect(agent.address("http"));
    let request = format!(
        "POST /snmp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/xml\r\nSOAPAction: \"\"\r\nContent-Length: {}\r\n\r\n{IN_SOAP}",
        IN_SOAP.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    wait_until_asked(&agent, 1);
    agent.signal("TERM");
    agent.wait_for("shutting down");
    std::fs::write(agent.folder.path().join("go"), "").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    agent.into_folder();
}

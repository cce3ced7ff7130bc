//! A forged source address sends the answer to somebody else: it is limited, unless the request is authenticated,
//! or the transport proves the address. In a network namespace with an address beyond loopback.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use trunkline_snmp::wire::Message;
use trunkline_testkit::namespace::{ip, isolated};

use crate::support::talk::parse;
use crate::support::{Agent, net_snmp, read_message, socket_to};

/// The address beyond loopback.
const OUTSIDE: [u8; 4] = [192, 0, 2, 1];

const CONFIG: &str = r#"
[snmp]
listen = ["udp://0.0.0.0:0", "tcp://0.0.0.0:0", "udp://192.0.2.1:0"]
[[snmp.community]]
name = "public"
access = "read"
[[snmp.community]]
name = "private"
access = "write"
[[snmp.user]]
name = "ann"
auth = "SHA-256"
password = "maplesyrup"
role = "all"
[[role]]
name = "all"
read = ["1.3.6.1"]
[system]
description = "DESCRIPTION"
[freshness]
default = "1h"
"#;

fn config(more: &str) -> String {
    CONFIG.replace("DESCRIPTION", &"d".repeat(240)).replacen("[[snmp", &format!("{more}\n[[snmp"), 1)
}

/// In a namespace: [`OUTSIDE`] is this machine's from now on.
fn reach_beyond_loopback() {
    ip("address add 192.0.2.1/32 dev lo");
}

/// Where a listener is reached at an address.
fn at(address: [u8; 4], listener: SocketAddr) -> SocketAddr {
    SocketAddr::from((address, listener.port()))
}

/// The answer over UDP, in octets.
fn answer(to: SocketAddr, request: &str) -> Vec<u8> {
    let socket = socket_to(to);
    socket.send(&parse(request).encode()).unwrap();
    let mut buffer = vec![0; 70_000];
    let length = socket.recv(&mut buffer).unwrap();
    buffer.truncate(length);
    buffer
}

fn status(octets: &[u8]) -> &'static str {
    Message::decode(octets).unwrap().pdu.status().unwrap().name()
}

const BULK: &str = "2c public bulk 0 10000 1.3.6.1.2.1";

/// So much of [`BULK`] that a GetBulk does not end where a group must be loaded.
fn read_everything(to: SocketAddr) {
    let mut request = parse(BULK);
    while let Some(last) = {
        let socket = socket_to(to);
        socket.send(&request.encode()).unwrap();
        crate::support::receive(&socket).unwrap().pdu.bindings.pop()
    } {
        if last.value.value().is_none() {
            return;
        }
        request.pdu.bindings = vec![trunkline_snmp::wire::VarBind::unspecified(last.name)];
    }
}

#[test]
fn an_answer_to_a_forged_address_is_bounded() {
    isolated("pitfalls::amplification::an_answer_to_a_forged_address_is_bounded", || {
        reach_beyond_loopback();
        let agent = Agent::start(&config(""));
        let udp = agent.udp();
        let (outside, loopback) = (at(OUTSIDE, udp), at([127, 0, 0, 1], udp));
        read_everything(loopback);
        let bound = agent.listening.iter().rfind(|url| url.starts_with("udp://192.0.2.1:")).unwrap();
        let bound: SocketAddr = bound.trim_start_matches("udp://").parse().unwrap();
        for to in [outside, bound] {
            let bounded = answer(to, BULK);
            assert!((1300..=1472).contains(&bounded.len()), "{to}: {}", bounded.len());
            assert_eq!(status(&bounded), "noError");
            let many = format!("2c public get{}", " sysDescr.0".repeat(7));
            assert_eq!(status(&answer(to, &many)), "tooBig");
            assert_eq!(status(&answer(to, &many.replace("2c", "1"))), "tooBig");
            assert_eq!(status(&answer(loopback, &many)), "noError");
        }
        assert!(answer(loopback, BULK).len() > 10_000);
        // The handshake has shown that answers arrive.
        let mut stream = TcpStream::connect(at(OUTSIDE, agent.tcp())).unwrap();
        stream.write_all(&parse(BULK).encode()).unwrap();
        assert!(read_message(&mut stream).unwrap().encode().len() > 10_000);
    });
}

#[test]
fn a_single_value_that_is_too_long_is_logged() {
    isolated("pitfalls::amplification::a_single_value_that_is_too_long_is_logged", || {
        reach_beyond_loopback();
        let extend = "[[extend]]\nname = \"long\"\ncommand = [\"/usr/bin/printf\", \"%02000d\", \"7\"]\n";
        let agent = Agent::start(&format!("{}\n{extend}", config("")));
        let outside = at(OUTSIDE, agent.udp());
        let whole = "1.3.6.1.4.1.8072.1.3.2.3.1.2.4.108.111.110.103";
        for request in [format!("2c public get {whole}"), format!("2c public bulk 0 9 {whole}")] {
            let first = request.replace(".103", ".102").replace(" get ", " next ");
            assert_eq!(status(&answer(outside, &first)), "tooBig", "{first}");
        }
        agent.wait_for("raise max-unproved-answer");
    });
}

#[test]
fn an_unauthenticated_set_is_answered_at_most_at_its_own_length() {
    isolated("pitfalls::amplification::an_unauthenticated_set_is_answered_at_most_at_its_own_length", || {
        reach_beyond_loopback();
        let agent = Agent::start(&config("max-unproved-answer = 484"));
        let outside = at(OUTSIDE, agent.udp());
        let long = "x".repeat(250);
        let set = format!("2c private set sysContact.0=s:{long} sysName.0=s:{long} sysLocation.0=s:{long}");
        let answered = answer(outside, &set);
        assert_eq!(status(&answered), "noError");
        assert!(answered.len() > 484, "as long as the request, which gains nobody anything");
        assert_eq!(status(&answer(outside, "2c public get sysContact.0 sysName.0")), "tooBig");
        assert_eq!(status(&answer(outside, "2c public get sysContact.0")), "noError");
        let bounded = answer(outside, BULK);
        assert!(bounded.len() <= 484, "{}", bounded.len());
    });
}

#[test]
fn authenticated_peers_get_full_answers() {
    isolated("pitfalls::amplification::authenticated_peers_get_full_answers", || {
        reach_beyond_loopback();
        let agent = Agent::start(&config("").replace("read = [", "level = \"noAuthNoPriv\"\nread = ["));
        let (outside, loopback) = (at(OUTSIDE, agent.udp()), at([127, 0, 0, 1], agent.udp()));
        read_everything(loopback);
        let lines = |to: SocketAddr, identity: &[&str]| {
            let to = to.to_string();
            let more = ["-Onq", "-Cr1000", to.as_str(), "1.3.6.1.2.1"];
            let output = net_snmp("snmpbulkget", &[&["-v3", "-u", "ann"], identity, &more[..]].concat())?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(output.stdout.iter().filter(|octet| **octet == b'\n').count())
        };
        let signed = ["-l", "authNoPriv", "-a", "SHA-256", "-A", "maplesyrup"];
        let Some(unsigned) = lines(outside, &["-l", "noAuthNoPriv"]) else { return };
        assert!((5..100).contains(&unsigned), "{unsigned}");
        assert!(lines(outside, &signed).unwrap() > 5 * unsigned);
        assert!(lines(loopback, &["-l", "noAuthNoPriv"]).unwrap() > 5 * unsigned);
    });
}

#[test]
fn a_walk_from_beyond_loopback_is_complete() {
    isolated("pitfalls::amplification::a_walk_from_beyond_loopback_is_complete", || {
        reach_beyond_loopback();
        let agent = Agent::start(&config(""));
        let walk = |address: [u8; 4], root: &str| {
            let to = at(address, agent.udp()).to_string();
            let output = net_snmp("snmpbulkwalk", &["-v2c", "-c", "public", "-On", &to, root])?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some(text.lines().map(|line| line.split(" = ").next().unwrap().to_owned()).collect::<Vec<_>>())
        };
        let Some(names) = walk(OUTSIDE, ".1.3.6.1.2.1.25.4") else { return };
        assert!(names.len() > 20);
        assert_eq!(Some(names), walk([127, 0, 0, 1], ".1.3.6.1.2.1.25.4"));
        let whole = walk(OUTSIDE, ".1.3.6.1").unwrap();
        assert!(whole.last().unwrap().starts_with(".1.3.6.1.6.3."), "{:?}", whole.last());
    });
}

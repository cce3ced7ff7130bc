//! Net-SNMP's tools against our agent: v1 and v2c, UDP and TCP, IPv4 and IPv6,
//! every operation.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use support::{Agent, BOTH, net_snmp};

/// Runs a tool and returns its exit code, stdout and stderr.
fn run(tool: &str, arguments: &[&str]) -> Option<(i32, String, String)> {
    let output = net_snmp(tool, arguments)?;
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    Some((output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr)))
}

#[test]
fn every_tool_works_over_both_transports_and_versions() {
    let agent = Agent::start(BOTH);
    for (version, peer) in ["1", "2c"].iter().flat_map(|version| {
        let (udp, tcp) = (format!("udp:{}", agent.udp()), format!("tcp:{}", agent.tcp()));
        [(version, udp), (version, tcp)]
    }) {
        let common = ["-v", version, "-c", "public", "-On", &peer];
        let with = |more: &[&'static str]| [&common[..], more].concat();
        let Some((code, stdout, stderr)) = run("snmpget", &with(&[".1.3.6.1.2.1.1.3.0"])) else { return };
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.starts_with(".1.3.6.1.2.1.1.3.0 = Timeticks: ("), "{stdout}");

        let (code, stdout, _) = run("snmpgetnext", &with(&[".1.3.6.1.2.1.2.2"])).unwrap();
        assert_eq!((code, stdout.starts_with(".1.3.6.1.2.1.2.2.1.1.1 = INTEGER: 1")), (0, true), "{stdout}");

        let (code, stdout, _) = run("snmpwalk", &with(&[".1.3.6.1.2.1.2.2.1.2"])).unwrap();
        assert_eq!(code, 0);
        assert!(stdout.contains("STRING: \"lo\""), "{stdout}");
    }
}

#[test]
fn bulk_and_walks_end_where_they_should() {
    let agent = Agent::start(BOTH);
    let peer = agent.udp().to_string();
    let with = |more: &[&'static str]| [&["-v", "2c", "-c", "public", "-On"], more].concat();
    let mut arguments = with(&["-Cn1", "-Cr5"]);
    arguments.extend([peer.as_str(), ".1.3.6.1.2.1.1.3", ".1.3.6.1.2.1.2.2.1.1"]);
    let Some((code, stdout, stderr)) = run("snmpbulkget", &arguments) else { return };
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout.lines().count(), 6, "one non-repeater and five repetitions:\n{stdout}");

    // The whole tree, by GetNext and by GetBulk: the same names, ascending, to the end.
    let whole = |tool: &str| {
        let mut arguments = with(&[]);
        arguments.extend([peer.as_str(), ".1"]);
        let (code, stdout, stderr) = run(tool, &arguments).unwrap();
        assert_eq!(code, 0, "{tool}: {stderr}");
        assert!(stdout.contains("No more variables left in this MIB View"), "{tool}: {}", tail(&stdout));
        stdout
    };
    let (by_next, by_bulk) = (whole("snmpwalk"), whole("snmpbulkwalk"));
    assert!(by_next.lines().count() > 300, "{}", by_next.lines().count());
    let columns = |text: &str| -> std::collections::BTreeSet<String> {
        // Processes and sockets come and go between two walks; what must stay is the set of objects.
        let stays = |line: &&str| !line.contains(".1.3.6.1.2.1.25.4") && !line.contains(".1.3.6.1.2.1.25.5");
        let name = |line: &str| line.split(" = ").next().unwrap_or("").to_string();
        let system =
            |name: &String| name.starts_with(".1.3.6.1.2.1.1.") || name.starts_with(".1.3.6.1.2.1.2.");
        text.lines().filter(stays).map(name).filter(system).collect()
    };
    assert_eq!(columns(&by_next), columns(&by_bulk));
}

fn tail(text: &str) -> String {
    text.lines().rev().take(3).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_set_shows_and_errors_are_those_of_the_rfc() {
    let agent = Agent::start(BOTH);
    let peer = agent.udp().to_string();
    let set = |version: &str, community: &str, more: &[&str]| {
        let arguments = [&["-v", version, "-c", community, "-On", &peer], more].concat();
        run("snmpset", &arguments)
    };
    let contact = ".1.3.6.1.2.1.1.4.0";
    let Some((code, stdout, stderr)) = set("2c", "private", &[contact, "s", "me"]) else { return };
    assert_eq!((code, stdout.trim()), (0, ".1.3.6.1.2.1.1.4.0 = STRING: \"me\""), "{stderr}");

    for (version, community, arguments, word) in [
        ("2c", "public", [contact, "s", "you"], "noAccess"),
        ("1", "public", [contact, "s", "you"], "noSuchName"),
        ("2c", "private", [contact, "i", "5"], "wrongType"),
        ("1", "private", [contact, "i", "5"], "badValue"),
        ("2c", "private", [".1.3.6.1.2.1.1.1.0", "s", "x"], "notWritable"),
        ("1", "private", [".1.3.6.1.2.1.1.1.0", "s", "x"], "noSuchName"),
        ("2c", "private", [".1.3.6.1.2.1.11.30.0", "i", "7"], "wrongValue"),
        ("2c", "private", [".1.3.6.1.6.3.1.1.6.1.0", "i", "0"], "inconsistentValue"),
    ] {
        let (code, _, stderr) = set(version, community, &arguments).unwrap();
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(word), "{version} {community} {arguments:?}: {stderr}");
    }
    // All or nothing: the second binding fails, so the first is not written.
    let (code, _, stderr) =
        set("2c", "private", &[contact, "s", "half", ".1.3.6.1.2.1.1.1.0", "s", "x"]).unwrap();
    assert_eq!(code, 2, "{stderr}");
    let (_, stdout, _) = run("snmpget", &["-v", "2c", "-c", "public", "-Ov", &peer, contact]).unwrap();
    assert_eq!(stdout.trim(), "STRING: \"me\"");
}

#[test]
fn counter64_is_not_there_for_v1() {
    let agent = Agent::start(BOTH);
    let peer = agent.udp().to_string();
    let with = |version: &'static str, oid: &'static str| ["-v", version, "-c", "public", "-On", &peer, oid];
    let in_octets = ".1.3.6.1.2.1.31.1.1.1.6.1";
    let Some((_, stdout, _)) = run("snmpget", &with("2c", in_octets)) else { return };
    assert!(stdout.contains("Counter64"), "{stdout}");
    let (code, _, stderr) = run("snmpget", &with("1", in_octets)).unwrap();
    assert_eq!(code, 2);
    assert!(stderr.contains("noSuchName"), "{stderr}");
    let (code, stdout, _) = run("snmpwalk", &with("1", ".1.3.6.1.2.1.31.1.1")).unwrap();
    assert_eq!(code, 0);
    assert!(!stdout.contains("Counter64") && stdout.contains(".1.3.6.1.2.1.31.1.1.1.15."), "{stdout}");
}

#[test]
fn ipv6_and_the_requested_address() {
    let config = BOTH.replace(
        "listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]",
        "listen = [\"udp://0.0.0.0:0\", \"udp://[::1]:0\", \"tcp://[::1]:0\"]",
    );
    let agent = Agent::start(&config);
    let port_of = |prefix: &str| {
        let url = agent.listening.iter().find(|url| url.starts_with(prefix)).unwrap();
        url.rsplit(':').next().unwrap().to_string()
    };
    let system = ".1.3.6.1.2.1.1.3.0";
    // The request goes to 127.0.0.2, so 127.0.0.2 must answer: the tool's socket is connected and accepts no
    // other.
    let any = format!("udp:127.0.0.2:{}", port_of("udp://0.0.0.0"));
    for peer in [
        any,
        format!("udp6:[::1]:{}", port_of("udp://[::1]")),
        format!("tcp6:[::1]:{}", port_of("tcp://[::1]")),
    ] {
        let Some((code, _, stderr)) = run("snmpget", &["-v", "2c", "-c", "public", &peer, system]) else {
            return;
        };
        assert_eq!(code, 0, "{peer}: {stderr}");
    }
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(support::PATIENCE)).unwrap();
    let question =
        support::message(trunkline_snmp::wire::Version::V2c, "public", support::get(&["1.3.6.1.2.1.1.3.0"]));
    let port: u16 = port_of("udp://0.0.0.0").parse().unwrap();
    socket.send_to(&question.encode(), ("127.0.0.3", port)).unwrap();
    let (_, from) = socket.recv_from(&mut [0; 1500]).unwrap();
    assert_eq!(from.to_string(), format!("127.0.0.3:{port}"));
}

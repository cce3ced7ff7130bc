//! Our output compared with that of Net-SNMP's commands, from the same agent. Without Debian's `snmp` and `snmpd`
//! the tests are left out.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::path::Path;
use std::process::Command;

use trunkline_testkit::has;

use support::{Snmpd, run, texts};

/// Values that try the printing, at instances that are theirs alone. TimeTicks, Counter64 and
/// IpAddress cannot be made this way; the agent's own objects have them.
const OVERRIDES: &str = r#"
override .1.3.6.1.2.1.2.2.1.2.77 octet_str "eth 77"
override .1.3.6.1.2.1.2.2.1.3.77 integer 24
override .1.3.6.1.2.1.2.2.1.3.78 integer 9999
override .1.3.6.1.2.1.2.2.1.4.77 integer 1500
override .1.3.6.1.2.1.2.2.1.5.77 uinteger 4294967295
override .1.3.6.1.2.1.2.2.1.6.77 octet_str ""
override .1.3.6.1.2.1.2.2.1.7.77 integer 2
override .1.3.6.1.2.1.2.2.1.8.77 octet_str "wrong"
override .1.3.6.1.2.1.2.2.1.10.77 counter 4294967295
override .1.3.6.1.2.1.2.2.1.22.77 object_id .1.3.6.1.2.1.2.2.1.2.77
override .1.3.6.1.2.1.25.2.2.0 integer 2048
override .1.3.6.1.4.1.99999.1.0 octet_str "plain"
override .1.3.6.1.4.1.99999.2.0 octet_str ""
override .1.3.6.1.4.1.99999.3.0 octet_str "say hi \\ there"
override .1.3.6.1.4.1.99999.4.0 octet_str "a	tab"
override .1.3.6.1.4.1.99999.5.0 octet_str "Grüße"
override .1.3.6.1.4.1.99999.6.0 object_id .0.0
override .1.3.6.1.4.1.99999.8.0 octet_str "Größe in twenty octets"
override .1.3.6.1.4.1.99999.7.0 integer -2147483648
"#;

const INSTANCES: &[&str] = &[
    ".1.3.6.1.2.1.1.1.0",
    ".1.3.6.1.2.1.1.2.0",
    ".1.3.6.1.2.1.1.7.0",
    ".1.3.6.1.2.1.2.2.1.2.1",
    ".1.3.6.1.2.1.2.2.1.2.77",
    ".1.3.6.1.2.1.2.2.1.3.77",
    ".1.3.6.1.2.1.2.2.1.3.78",
    ".1.3.6.1.2.1.2.2.1.4.77",
    ".1.3.6.1.2.1.2.2.1.5.77",
    ".1.3.6.1.2.1.2.2.1.6.1",
    ".1.3.6.1.2.1.2.2.1.6.77",
    ".1.3.6.1.2.1.2.2.1.7.77",
    ".1.3.6.1.2.1.2.2.1.8.77",
    ".1.3.6.1.2.1.2.2.1.9.1",
    ".1.3.6.1.2.1.2.2.1.10.77",
    ".1.3.6.1.2.1.2.2.1.22.77",
    ".1.3.6.1.2.1.2.2.1.99.77",
    ".1.3.6.1.2.1.25.2.2.0",
    ".1.3.6.1.4.1.99999.1.0",
    ".1.3.6.1.4.1.99999.2.0",
    ".1.3.6.1.4.1.99999.3.0",
    ".1.3.6.1.4.1.99999.4.0",
    ".1.3.6.1.4.1.99999.5.0",
    ".1.3.6.1.4.1.99999.6.0",
    ".1.3.6.1.4.1.99999.7.0",
    ".1.3.6.1.4.1.99999.8.0",
    ".1.3.6.1.4.1.99999.9.0",
];

fn net_snmp(tool: &str, folder: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(tool).args(arguments).env("MIBS", "").env("SNMPCONFPATH", folder).output().unwrap();
    let (out, err) = texts(&output);
    // The first of its tools on a machine creates their folders and reports it.
    let is_quiet = err.lines().all(|line| line.is_empty() || line.starts_with("Created directory: "));
    assert!(is_quiet, "{tool} {arguments:?}: {err}");
    out
}

/// All built-in modules as texts, for Net-SNMP.
fn write_texts(folder: &Path) {
    for (name, text) in trunkline_mib::render_all() {
        std::fs::write(folder.join(format!("{name}.txt")), text).unwrap();
    }
    let probe = "PROBE DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI DisplayString FROM SNMPv2-TC \
                 OBJECT-GROUP FROM SNMPv2-CONF; END";
    let mib = mib_rs::Loader::new().source(mib_rs::source::memory("PROBE", probe)).load().unwrap();
    for name in ["SNMPv2-SMI", "SNMPv2-TC", "SNMPv2-CONF"] {
        let source = mib.module(name).and_then(|module| module.source()).unwrap();
        std::fs::write(folder.join(format!("{name}.txt")), source.bytes()).unwrap();
    }
}

#[track_caller]
fn equal(ours: &str, theirs: &str, what: &str) {
    let differing: Vec<_> =
        ours.lines().zip(theirs.lines()).filter(|(ours, theirs)| ours != theirs).take(20).collect();
    assert!(
        ours == theirs,
        "{what}: {} and {} lines\n{differing:#?}",
        ours.lines().count(),
        theirs.lines().count()
    );
}

/// Net-SNMP's lines with a tab as we show it: an escape in a text, a dot next to hexadecimal digits.
fn seen(theirs: &str) -> String {
    let line = |line: &str| {
        let is_hexadecimal = line.ends_with(']') && line.contains("  [");
        line.replace('\t', if is_hexadecimal { "." } else { "\\t" }) + "\n"
    };
    theirs.lines().map(line).collect()
}

/// Makes Net-SNMP print hexadecimal digits on one line, as we do.
const ONE_LINE: &str = "--hexOutputLength=0";

#[test]
fn values_are_written_as_net_snmp_writes_them() {
    let Some(agent) = Snmpd::start(OVERRIDES).filter(|_| has("snmpget", "snmp")) else { return };
    let mibs = tempfile::tempdir().unwrap();
    write_texts(mibs.path());
    let dir = mibs.path().to_str().unwrap();
    for letters in
        ["S", "n", "f", "s", "q", "Q", "v", "e", "U", "t", "x", "a", "T", "qv", "Qn", "xT", "ex", "X", "b"]
    {
        let letters = format!("-O{letters}");
        // With -OX Net-SNMP puts brackets around the index of a column that does not exist.
        let is_asked = |instance: &&&str| letters != "-OX" || !instance.contains(".99.77");
        let instances: Vec<&str> = INSTANCES.iter().filter(is_asked).copied().collect();
        let common =
            [&["-v2c", "-c", "public", "-t", "20", &letters, &agent.address][..], &instances].concat();
        let theirs = [&["-M", dir, "-m", "ALL", ONE_LINE][..], &common].concat();
        let theirs = seen(&net_snmp("snmpget", agent.folder(), &theirs));
        let (ours, _) = run(&[&["get", "-M", "/nonexistent"][..], &common].concat(), 0);
        equal(&ours, &theirs, &letters);
    }
}

#[test]
fn a_walk_without_modules_is_that_of_net_snmp() {
    let Some(agent) = Snmpd::start("").filter(|_| has("snmpwalk", "snmp")) else { return };
    // Values that do not change from one second to the next, and not the end of the tree, where snmpwalk adds a
    // line.
    for root in [
        ".1.3.6.1.2.1.1.9",
        ".1.3.6.1.2.1.2.2.1.2",
        ".1.3.6.1.2.1.2.2.1.6",
        ".1.3.6.1.2.1.4.20",
        ".1.3.6.1.2.1.4.34",
        ".1.3.6.1.2.1.25.2.3.1.3",
        ".1.3.6.1.4.1.2021.10.1.2",
        ".1.3.6.1.6.3.10.2.1.1",
    ] {
        for letters in ["-OS", "-On", "-Oq", "-Ov"] {
            let common = ["-v2c", "-c", "public", "-t", "20", "-m", "", letters, &agent.address, root];
            let theirs = net_snmp("snmpwalk", agent.folder(), &[&[ONE_LINE], &common[..]].concat());
            let (ours, _) = run(&[&["walk"][..], &common].concat(), 0);
            equal(&ours, &theirs, &format!("{letters} {root}"));
            let common = common.map(|word| if word == "-v2c" { "-v1" } else { word });
            let theirs = net_snmp("snmpwalk", agent.folder(), &[&[ONE_LINE], &common[..]].concat());
            let (ours, _) = run(&[&["walk"][..], &common].concat(), 0);
            equal(&ours, &theirs, &format!("-v1 {letters} {root}"));
        }
    }
}

#[test]
fn a_walk_with_names_is_that_of_net_snmp() {
    let Some(agent) = Snmpd::start("").filter(|_| has("snmpwalk", "snmp")) else { return };
    let mibs = tempfile::tempdir().unwrap();
    write_texts(mibs.path());
    let dir = mibs.path().to_str().unwrap();
    for root in [
        "sysORTable",
        "ifDescr",
        "ifType",
        "ifMtu",
        "ifPhysAddress",
        "ifXTable",
        "ipAddressIfIndex",
        "ipAddressPrefix",
        "ipAdEntNetMask",
        "hrStorageDescr",
        "hrStorageType",
        "hrDeviceDescr",
        "tcpListenerProcess",
        "udpLocalPort",
    ] {
        for letters in ["-OS", "-Os", "-Of", "-OQ"] {
            let common = ["-v2c", "-c", "public", "-t", "20", letters, &agent.address, root];
            let walk = |common: &[&str]| {
                let theirs =
                    net_snmp("snmpwalk", agent.folder(), &[&["-M", dir, "-m", "ALL"][..], common].concat());
                let (ours, _) = run(&[&["walk", "-M", "/nonexistent"][..], common].concat(), 0);
                (ours, theirs)
            };
            // Sockets and counters change under our feet: what differs once must not differ thrice.
            let (ours, theirs) = (0..3)
                .map(|_| walk(&common))
                .find(|(ours, theirs)| ours == theirs)
                .unwrap_or_else(|| walk(&common));
            equal(&ours, &theirs, &format!("{letters} {root}"));
        }
    }
}

#[test]
fn tcp_gives_the_same_as_udp() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let Some(agent) = Snmpd::start(&format!("agentAddress tcp:127.0.0.1:{port}")) else { return };
    let (udp, _) = run(&["walk", &agent.address, "sysORTable"], 0);
    for target in [format!("tcp:127.0.0.1:{port}"), format!("snmp+tcp://127.0.0.1:{port}/")] {
        assert_eq!(run(&["walk", &target, "sysORTable"], 0).0, udp);
    }
}

#[test]
fn set_writes_and_refusals_name_the_object() {
    let Some(agent) = Snmpd::start("") else { return };
    let target = &agent.address;
    let (out, _) =
        run(&["set", "-c", "private", target, "sysContact.0=ops", "sysLocation.0", "s", "rack 7"], 0);
    assert_eq!(out, "SNMPv2-MIB::sysContact.0 = STRING: ops\nSNMPv2-MIB::sysLocation.0 = STRING: rack 7\n");
    let (out, _) = run(&["get", target, "sysLocation.0", "-Ov"], 0);
    assert_eq!(out, "STRING: rack 7\n");
    let (out, err) = run(&["set", "-c", "public", target, "sysContact.0=x"], 1);
    assert!(
        out.is_empty() && err.contains("noAccess at SNMPv2-MIB::sysContact.0") && !err.contains("public"),
        "{err}"
    );
    let (_, err) = run(&["set", "-c", "private", target, "sysContact.0", "i", "5"], 1);
    assert!(err.contains("wrongType at SNMPv2-MIB::sysContact.0"), "{err}");
}

#[test]
fn tables_are_read_in_every_form() {
    let Some(agent) = Snmpd::start("") else { return };
    let (out, _) = run(&["table", "--json", &agent.address, "ifTable"], 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let row = &document[0]["rows"][0];
    assert_eq!((&row["index"]["ifIndex"], &row["columns"]["ifDescr"]["text"]), (&"1".into(), &"lo".into()));
    let (out, _) = run(&["table", "--csv", &agent.address, "ifTable", "--columns", "ifDescr,ifType"], 0);
    assert!(out.starts_with("ifIndex,ifDescr,ifType\n1,lo,softwareLoopback\n"), "{out}");
    for width in [80, 120] {
        let (out, _) = run(&["table", "--width", &width.to_string(), &agent.address, "ifTable"], 0);
        assert!(out.lines().all(|line| line.chars().count() <= width), "{out}");
        assert!(out.starts_with("ifIndex  ifDescr  ifType"), "{out}");
    }
    let (_, err) = run(&["table", &agent.address, "ifTable", "--columns", "ifNam"], 2);
    assert!(err.contains("ifTable has no column ifNam"), "{err}");
}

#[test]
fn watching_the_loopback_interface_sees_our_own_requests() {
    let Some(agent) = Snmpd::start("") else { return };
    let (out, _) = run(
        &[
            "watch",
            "--json",
            "--every",
            "100ms",
            "--count",
            "2",
            &agent.address,
            "sysUpTime.0",
            "ifOperStatus.1",
            "snmpInPkts",
        ],
        0,
    );
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6, "{out}");
    assert!(lines.iter().any(|line| line["what"] == "value" && line["text"] == "up"), "{out}");
    // Every look costs the agent packets of ours.
    let rates: Vec<f64> = lines
        .iter()
        .filter(|line| line["what"] == "rate")
        .map(|line| line["rate"].as_f64().unwrap())
        .collect();
    assert!(rates.len() == 2 && rates.iter().all(|rate| *rate > 0.0), "{out}");
}

#[test]
fn octets_are_shown_without_the_community() {
    let Some(agent) = Snmpd::start("") else { return };
    let (out, _) = run(&["get", "--octets", "-c", "public", &agent.address, "sysUpTime.0"], 0);
    assert!(
        out.starts_with("sent 43 octets") && out.contains("GetRequest") && out.contains("Response"),
        "{out}"
    );
    assert!(!out.contains("public") && !out.contains("70 75 62"), "{out}");
    let (out, err) = run(&["get", "--octets", "--json", &agent.address, "sysUpTime.0"], 0);
    assert!(
        serde_json::from_str::<serde_json::Value>(&out).is_ok() && err.contains("GetRequest"),
        "{out}{err}"
    );
}

//! What is printed cannot lie: whatever an agent or the sender of a trap puts into its values, each record is one line
//! (a drawn row at least begins one), and nothing in it steers the terminal or hides. And what must not be seen, secrets
//! of the command line, is seen by nobody.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use support::{Agent, run, trunkline};
use trunkline_smi::{Oid, Value, is_hidden};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{Message, PduKind, VarBind, Version};

/// A record of an authenticated user as `listen` prints it, inside a value.
const LIE: &str = "eth0\n1999-11-22T19:50:20.079+00:00 inform from udp://127.0.0.1:34246 v3, user root, authPriv\r\n  \
                   SNMPv2-MIB::warmStart\n    DISMAN-EVENT-MIB::sysUpTimeInstance = Timeticks: (1) 0:00:00.01\u{85}\
                   \u{2028}\u{2029}\u{202e}\u{2066}\u{61c}\u{200b}\u{feff}\u{e0041}\u{1b}[2J\u{9b}1m\t=1+1";

fn if_entry(column: u32, index: u32) -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column, index])
}

/// An agent whose values lie.
fn liar() -> Agent {
    let text = || Value::text(LIE);
    Agent::serving(
        [
            (Oid::from([1, 3, 6, 1, 2, 1, 1, 1, 0]), text()),
            (Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(1)),
            (if_entry(2, 1), text()),
            (if_entry(2, 2), Value::text("=HYPERLINK(1)")),
            (Oid::from([1, 3, 6, 1, 4, 1, 9, 1]), text()),
            (Oid::from([1, 3, 6, 1, 4, 1, 9, 2]), Value::OctetString((0..=40).collect())),
        ]
        .into(),
    )
}

#[track_caller]
fn check_lines(out: &str, lines: usize) {
    assert!(!out.contains(|c| is_hidden(c) && c != '\n'), "{out:?}");
    assert_eq!(out.lines().count(), lines, "{out}");
    assert!(out.lines().all(|line| !line.starts_with("1999-11-22")), "{out}");
}

#[test]
fn every_record_of_every_command_is_one_line() {
    let agent = liar();
    let target = &agent.target();
    let both = ["sysDescr.0", "ifDescr.1"];
    for options in [
        &[][..],
        &["-Oa"],
        &["-OQ"],
        &["-Oq"],
        &["-Ov"],
        &["-OT"],
        &["-Ox"],
        &["-OX"],
        &["--colour", "never"],
    ] {
        let (out, _) = run(&[&["get"], options, &[target], &both[..]].concat(), 0);
        check_lines(&out, 2);
        let (out, _) = run(&[&["walk"], options, &[target, "1.3.6.1.4.1.9"]].concat(), 0);
        check_lines(&out, 2);
    }
    for (words, lines) in [
        (&["get", "--csv", target, "sysDescr.0", "ifDescr.2"][..], 3),
        (&["next", target, "sysDescr"], 1),
        (&["bulk", "-Cr2", target, "ifDescr"], 2),
        (&["table", "--csv", target, "ifTable"], 3),
        (&["table", target, "ifTable", "--width", "4000"], 8),
        (&["watch", "--every", "20ms", "--count", "1", target, "ifDescr.1"], 1),
        (&["watch", "--every", "20ms", "--count", "1", "--csv", target, "ifDescr.1"], 2),
        (&["as", "snmpget", "-v2c", "-cx", target, "sysDescr.0"], 1),
        (&["as", "snmpget", "-v2c", "-cx", "-Ov", target, "sysDescr.0", "ifDescr.1"], 2),
        (&["as", "snmpwalk", "-v2c", "-cx", "-Ov", target, "ifDescr"], 2),
        (&["as", "snmpbulkget", "-v2c", "-cx", "-Cr1", target, "ifDescr"], 1),
    ] {
        let (out, err) = run(words, 0);
        if words[0] == "table" && words[1] != "--csv" {
            // Long cells are broken into lines of their own column.
            assert!(!out.contains(|c| is_hidden(c) && c != '\n'), "{out:?}");
            assert!(out.lines().all(|line| !line.starts_with("1999-11-22")), "{out}");
        } else {
            check_lines(&out, lines);
        }
        assert!(!err.contains(|c| is_hidden(c) && c != '\n'), "{err:?}");
    }
    let (out, _) = run(&["get", "--csv", target, "ifDescr.2"], 0);
    assert!(out.contains(",'=HYPERLINK(1),"), "{out}");
    let (out, _) = run(&["get", "--json", target, "sysDescr.0"], 0);
    let data: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(data[0]["text"].as_str().unwrap().contains("eth0\n1999"), "JSON has its own escapes: {out}");
}

#[test]
fn one_value_alone_keeps_its_lines_under_net_snmps_names() {
    let instance = Oid::from([1, 3, 6, 1, 2, 1, 1, 1, 0]);
    let agent = Agent::serving([(instance, Value::text("one\n\ttwo\r\u{1b}[2J"))].into());
    let (out, _) = run(&["as", "snmpget", "-v2c", "-cx", "-Oqv", &agent.target(), "sysDescr.0"], 0);
    assert_eq!(out, "one\n\ttwo\\r\\x1B[2J\n");
    let (out, _) = run(&["as", "snmpget", "-v2c", "-cx", &agent.target(), "sysDescr.0"], 0);
    assert_eq!(out, "SNMPv2-MIB::sysDescr.0 = STRING: one\\n\\ttwo\\r\\x1B[2J\n");
}

/// `trunkline listen` with these options on its own UDP port.
fn listener(options: &[&str], out: Stdio) -> (Child, BufReader<std::process::ChildStderr>, String) {
    let state = tempfile::tempdir().unwrap();
    let mut child = trunkline(&[&["listen"], options, &["udp:127.0.0.1:0"]].concat())
        .env("XDG_STATE_HOME", state.path())
        .stdout(out)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut place = None;
    while place.is_none() {
        let mut line = String::new();
        assert_ne!(err.read_line(&mut line).unwrap(), 0, "it does not listen");
        place = line.trim().rsplit_once("udp://").map(|(_, place)| place.to_owned());
    }
    let place = place.unwrap();
    (child, err, place)
}

fn send(community: &str, text: &str, to: &str) {
    let name = if_entry(2, 1);
    let bindings = vec![VarBind::new(name, Value::text(text))];
    let notification =
        Notification { uptime: 1, trap_oid: Oid::from([1, 3, 6, 1, 6, 3, 1, 1, 5, 4]), bindings };
    let pdu = notification.to_pdu(PduKind::TrapV2, 1);
    let octets = Message { version: Version::V2c, community: community.as_bytes().to_vec(), pdu }.encode();
    UdpSocket::bind("127.0.0.1:0").unwrap().send_to(&octets, to).unwrap();
}

#[test]
fn a_record_of_listen_cannot_be_forged() {
    for (options, lines) in [(&[][..], 4), (&["--show-community"], 4), (&["--csv"], 2)] {
        let (child, _err, place) = listener(&[options, &["--count", "1"]].concat(), Stdio::piped());
        send("x, authPriv\n", LIE, &place);
        let ended = child.wait_with_output().unwrap();
        let out = String::from_utf8(ended.stdout).unwrap();
        check_lines(&out, lines);
        if options != ["--csv"] {
            let head = out.lines().next().unwrap();
            assert!(head.contains("NOT AUTHENTICATED") && !head.contains(" x, authPriv"), "{out}");
        }
    }
}

#[test]
fn listen_prints_why_it_refuses_a_message() {
    let (mut child, mut err, place) = listener(&["-c", "right"], Stdio::null());
    send("wrong\n", "x", &place);
    let mut line = String::new();
    err.read_line(&mut line).unwrap();
    assert!(
        line.contains("refused a message from udp://127.0.0.1:") && line.contains("unknown community"),
        "{line}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Waits until this holds; fails after long.
#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

fn interrupt(child: &Child) {
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn ctrl_c_ends_listen_though_nobody_reads_its_output() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    // Full, so that the first record has no room.
    theirs.set_nonblocking(true).unwrap();
    while (&theirs).write(&[0; 4096]).is_ok() {}
    while (&theirs).write(&[0]).is_ok() {}
    theirs.set_nonblocking(false).unwrap();
    let (mut child, _err, place) = listener(&[], Stdio::from(OwnedFd::from(theirs)));
    send("public", "x", &place);
    // Its main thread has the process's number, and waits in the kernel for room.
    let waits_in = format!("/proc/{}/wchan", child.id());
    until("the listener does not write", || {
        fs::read_to_string(&waits_in).unwrap().contains("sock_alloc_send") || {
            let syscall = fs::read_to_string(format!("/proc/{}/syscall", child.id())).unwrap_or_default();
            ["1 0x1 ", "64 0x1 "].iter().any(|write| syscall.starts_with(write))
        }
    });
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(ours);
}

/// The command line of a process as everybody sees it.
fn command_line(child: &Child) -> String {
    fs::read_to_string(format!("/proc/{}/cmdline", child.id())).unwrap().replace('\0', " ")
}

#[test]
fn secrets_of_the_command_line_are_not_seen_once_it_runs() {
    let words =
        ["-c", "hush1", "--community=hush2", "-u", "ann", "-Ahush3 hush3", "-X", "hush4hush4", "-a", "SHA"];
    let (mut child, _err, _) = listener(&words, Stdio::null());
    let seen = command_line(&child);
    assert!(!seen.contains("hush"), "{seen}");
    assert!(
        seen.contains("listen -c xxxxx --community=xxxxx -u ann -A") && seen.contains("udp:127.0.0.1:0"),
        "{seen}"
    );
    child.kill().unwrap();
    child.wait().unwrap();

    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let place = silent.local_addr().unwrap();
    let url = format!("snmp://hush5@{place}/sysName.0");
    let host = place.to_string();
    let mut octets = [0; 2000];
    for words in [
        &["watch", "-t", "60", &url][..],
        &["as", "snmpget", "-v2c", "-chush6", "-t60", "--defAuthPassphrase=hush7", &host, "sysName.0"],
    ] {
        let mut child = trunkline(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // It has sent a request: its command line has been read.
        silent.recv_from(&mut octets).unwrap();
        let seen = command_line(&child);
        assert!(!seen.contains("hush"), "{seen}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn an_endless_table_ends_with_an_error() {
    let agent = Agent::new(|request| {
        Some(support::answer_next(&request, |asked| {
            let last = asked.last().copied().unwrap_or(0);
            let next = if asked.len() < 11 { 1 } else { last + 1 };
            let (column, value) = if asked.starts_with(&[1, 3, 6, 1, 4]) {
                (Oid::from([1, 3, 6, 1, 4, 1, 9, 9, 1, 1]), Value::text("x"))
            } else {
                (Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2]), Value::text("x".repeat(200)))
            };
            VarBind::new(column.child(&[next]), value)
        }))
    });
    let target = &agent.target();
    for (words, limit) in [
        (&["ifTable", "--columns", "ifDescr", "--max-rows", "500"][..], "more than 500 rows"),
        (&["ifTable", "--columns", "ifDescr", "--max-memory", "1"], "1 MiB"),
        (&["1.3.6.1.4.1.9.9", "--max-memory", "1"], "1 MiB"),
    ] {
        let (out, err) = run(&[&["table", target], words].concat(), 1);
        assert!(out.is_empty() && err.contains(limit) && err.contains("--max-rows"), "{err}");
    }
}

#[test]
fn mistakes_are_reported_plainly() {
    let agent = liar();
    let target = &agent.target();
    let (out, err) = run(&["table", target, "sysDescr"], 2);
    assert!(out.is_empty() && err.contains("SNMPv2-MIB::sysDescr is a scalar"), "{err}");
    let (out, err) = run(&["walk", target, "ifXTable"], 0);
    assert!(out.is_empty() && err.contains("IF-MIB::ifXTable: the agent has nothing there"), "{err}");
    let (_, err) = run(&["as", "snmpps", target], 2);
    assert!(err.contains("snmpps is one of Net-SNMP's tools, but not yet provided"), "{err}");
    let (_, err) = run(&["get", "http://x/sysName.0"], 2);
    assert!(
        err.contains(
            "soap+http, soap+https, netconf, netconf+tls, netconf+tcp, restconf+http or restconf+https"
        ),
        "{err}"
    );
    for url in ["snmp+http://127.0.0.1:1/sysName.0", "soap+http://127.0.0.1:1/sysName.0"] {
        let (_, err) = run(&["get", "--compress", "opc", url], 2);
        assert!(err.contains("--compress is for SNMP over UDP"), "{err}");
    }
    let (out, err) = run(&["translate", "sysDescr", "nonsense", "sysName"], 2);
    assert_eq!(out, ".1.3.6.1.2.1.1.1\n.1.3.6.1.2.1.1.5\n");
    assert!(err.contains("nonsense"), "{err}");
    let output = trunkline(&["translate", "noSuchThing"]).env("MIBS", "").output().unwrap();
    let (_, err) = support::texts(&output);
    assert!(err.contains("the variable MIBS is set and empty"), "{err}");
}

/// Without the descriptors that it needs a library would panic.
#[test]
fn too_few_descriptors_are_a_clear_error() {
    let link = tempfile::tempdir().unwrap();
    let tool = link.path().join("snmpget");
    std::os::unix::fs::symlink(trunkline(&[]).get_program(), &tool).unwrap();
    let ours: &[&str] = &["get", "snmp://public@127.0.0.1:1/sysName.0"];
    let theirs: &[&str] = &["-v2c", "-cpublic", "127.0.0.1:1", "sysName.0"];
    for descriptors in [6, 7, 9, 16] {
        for (program, words) in [(trunkline(&[]).get_program(), ours), (tool.as_os_str(), theirs)] {
            let script = format!("ulimit -n {descriptors}; exec \"$@\"");
            let mut limited = std::process::Command::new("sh");
            let ended = limited.args(["-c", &script, "sh"]).arg(program).args(words).output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert_eq!(ended.status.code(), Some(1), "{descriptors}: {said}");
            assert!(said.contains("more files can be opened, and at least"), "{descriptors}: {said}");
        }
    }
}

/// What is wrong with the command line is reported before an agent is waited for.
#[test]
fn a_missing_value_is_reported_at_once() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let agent = silent.local_addr().unwrap().to_string();
    let words = ["set", "-v3", "-u", "ann", "-t", "60", &agent, "sysName.0"];
    let ended = trunkline(&words).stdin(Stdio::null()).output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    assert!(String::from_utf8_lossy(&ended.stderr).contains("sysName.0: a value is missing"), "{ended:?}");
    silent.set_nonblocking(true).unwrap();
    assert!(silent.recv(&mut [0; 1500]).is_err(), "nothing was sent");
}

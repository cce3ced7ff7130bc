//! `trunkline listen --rules`: what programs read is compared with what Net-SNMP's `snmptrapd` gives its handlers; programs
//! that hang or fail, forwarding, files and mistakes.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::{run, texts, trunkline};
use tempfile::TempDir;
use trunkline_client::PduKind;
use trunkline_client::snmp::wire::{Message, TrapV1Message};
use trunkline_testkit::has;

const PATIENCE: Duration = Duration::from_secs(60);

/// A listener with rules, on a port of its own.
struct Listening {
    child: Child,
    folder: TempDir,
    said: Receiver<String>,
    target: String,
}

impl Listening {
    /// `{folder}` in the rules is the test's folder.
    fn start(rules: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = write_rules(folder.path(), &rules.replace("{folder}", folder.path().to_str().unwrap()));
        let words = ["listen", "--rules", file.to_str().unwrap(), "udp:127.0.0.1:0"];
        let mut child = trunkline(&[&words[..], options].concat())
            .env("XDG_STATE_HOME", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let err = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, said) = channel();
        std::thread::spawn(move || err.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let line = wait_for(&said, "listening on udp://");
        let target = line.split_once("udp://").unwrap().1.to_owned();
        Listening { child, folder, said, target }
    }

    fn trap(&self, words: &[&str]) {
        let words = [&["trap", "-c", "public", &self.target], words].concat();
        let output = trunkline(&words).output().unwrap();
        assert!(output.status.success(), "{}", texts(&output).1);
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// The counters of an action, on request.
    fn counted(&self, action: &str) -> String {
        self.signal("-USR1");
        wait_for(&self.said, action)
    }

    /// Ends it in order; standard output.
    fn end(mut self) -> String {
        self.signal("-TERM");
        let mut out = String::new();
        std::io::Read::read_to_string(&mut self.child.stdout.take().unwrap(), &mut out).unwrap();
        assert!(self.child.wait().unwrap().success());
        out
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next line with these words.
#[track_caller]
fn wait_for(said: &Receiver<String>, words: &str) -> String {
    let mut before = Vec::new();
    loop {
        match said.recv_timeout(PATIENCE) {
            Ok(line) if line.contains(words) => return line,
            Ok(line) => before.push(line),
            Err(fault) => panic!("{words} is missing ({fault}): {before:#?}"),
        }
    }
}

fn write_rules(folder: &Path, text: &str) -> PathBuf {
    let file = folder.join("rules.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    file
}

/// Net-SNMP's receiver with a handler for everything.
struct Snmptrapd {
    child: Child,
    folder: TempDir,
    said: Receiver<String>,
    target: String,
}

impl Snmptrapd {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The file appears at once with all of its lines.
        let (out, script) = (folder.path().display(), folder.path().join("handler"));
        std::fs::write(&script, format!("#!/bin/sh\ncat > {out}/new\nmv {out}/new {out}/input\n")).unwrap();
        std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        let conf = format!("authCommunity execute public\ntraphandle default {}\n", script.display());
        std::fs::write(folder.path().join("snmptrapd.conf"), conf).unwrap();
        let program =
            if Path::new("/usr/sbin/snmptrapd").exists() { "/usr/sbin/snmptrapd" } else { "snmptrapd" };
        for _ in 0..5 {
            let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let target = format!("127.0.0.1:{port}");
            let mut child = Command::new(program)
                .args(["-f", "-Le", "-C", "-m", "", "-c"])
                .arg(folder.path().join("snmptrapd.conf"))
                .arg(format!("udp:{target}"))
                .env("SNMP_PERSISTENT_DIR", folder.path())
                .env("SNMPCONFPATH", folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let err = BufReader::new(child.stderr.take().unwrap()).lines();
            let (sender, said) = channel();
            std::thread::spawn(move || err.map_while(Result::ok).try_for_each(|line| sender.send(line)));
            // It says its version once it listens; if the port was taken it says why and ends.
            while let Ok(line) = said.recv_timeout(PATIENCE) {
                if line.contains("NET-SNMP version") {
                    return Snmptrapd { child, folder, said, target };
                }
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        panic!("snmptrapd does not start");
    }
}

impl Drop for Snmptrapd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same traps to both: the handlers read the same, but for the sender's port and our own.
#[test]
fn programs_read_what_handlers_of_snmptrapd_read() {
    if !has("snmptrapd", "snmptrapd") || !has("snmptrap", "snmp") {
        return;
    }
    let theirs = Snmptrapd::start();
    let rules = "[[rule]]\nrun = ['/bin/sh', '-c', 'cat > {folder}/new; mv {folder}/new {folder}/input; echo handled']\n";
    let ours = Listening::start(rules, &["-m", ""]);
    let link_down = ".1.3.6.1.6.3.1.1.5.3";
    let cases: [&[&str]; 6] = [
        &[
            "-v2c",
            "",
            "99",
            link_down,
            ".1.3.6.1.2.1.2.2.1.1.2",
            "i",
            "2",
            ".1.3.6.1.2.1.2.2.1.2.2",
            "s",
            "eth \"1\"",
        ],
        &[
            "-v2c",
            "",
            "12345678",
            ".1.3.6.1.4.1.8072.4.0.2",
            ".1.3.6.1.2.1.2.2.1.6.2",
            "x",
            "00ff61",
            ".1.3.6.1.4.1.9.1.0",
            "o",
            link_down,
        ],
        &[
            "-v2c",
            "",
            "1",
            link_down,
            ".1.3.6.1.4.1.9.2.0",
            "c",
            "4294967295",
            ".1.3.6.1.4.1.9.3.0",
            "a",
            "192.0.2.1",
            ".1.3.6.1.4.1.9.4.0",
            "t",
            "8640001",
        ],
        &["-v1", "", ".1.3.6.1.4.1.8072.9", "192.0.2.7", "6", "17", "999", ".1.3.6.1.2.1.1.5.0", "s", "name"],
        &["-v1", "", ".1.3.6.1.4.1.8072.9", "192.0.2.7", "2", "0", "7"],
        &["-v2c", "inform", "5", ".1.3.6.1.6.3.1.1.5.1"],
    ];
    for case in cases {
        let [version, kind, words @ ..] = case else { panic!() };
        let send = |target: &str, folder: &Path| {
            let tool = if *kind == "inform" { "snmpinform" } else { "snmptrap" };
            let output = Command::new(tool)
                .args([version, "-c", "public", target])
                .args(words)
                .env("MIBS", "")
                .env("SNMPCONFPATH", folder)
                .env("SNMP_PERSISTENT_DIR", folder)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", texts(&output).1);
        };
        let input = |folder: &Path| {
            let file = folder.join("input");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::remove_file(&file).unwrap();
            text
        };
        send(&ours.target, ours.folder.path());
        wait_for(&ours.said, "handled");
        let ours_read = input(ours.folder.path());
        send(&theirs.target, theirs.folder.path());
        let file = theirs.folder.path().join("input");
        let deadline = std::time::Instant::now() + PATIENCE;
        while !file.exists() && std::time::Instant::now() < deadline {
            // What it says is the waiting; it says nothing of a handler that succeeds.
            let _ = theirs.said.recv_timeout(Duration::from_millis(20));
        }
        let theirs_read = input(theirs.folder.path());
        assert_eq!(without_ports(&ours_read), without_ports(&theirs_read), "{case:?}");
    }
    ours.end();
}

/// The second line has ports: they differ.
fn without_ports(text: &str) -> String {
    let ports = regex::Regex::new(r"\]:\d+").unwrap();
    let line = |(at, line): (usize, &str)| match at {
        1 => ports.replace_all(line, "]").into_owned() + "\n",
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(line).collect()
}

#[test]
fn rules_select_and_a_hanging_program_delays_nothing() {
    let rules = "
[limits]
programs = 1
waiting = 1
timeout = '1s'
[[rule]]
name = 'noise'
notification = ['authenticationFailure']
then = 'drop'
[[rule]]
name = 'hang'
notification = ['coldStart']
run = ['/bin/sh', '-c', 'sleep 1000 & sleep 1000']
[[rule]]
name = 'interface 2'
notification = ['linkDown', 'linkUp']
where = [{ object = 'ifIndex', equals = 2 }, { object = 'ifDescr', matches = '^eth' }]
file = { path = '{folder}/two.log', form = 'json' }
then = 'stop'
[[rule]]
name = 'none'
source = ['192.0.2.0/24']
print = true
[[rule]]
name = 'all'
file = { path = '{folder}/all.log' }
print = true
";
    let listening = Listening::start(rules, &["--json"]);
    for _ in 0..4 {
        listening.trap(&["1", "coldStart"]);
    }
    listening.trap(&["2", "authenticationFailure"]);
    listening.trap(&["3", "linkDown", "ifIndex.2=2", "ifDescr.2=eth0"]);
    listening.trap(&["4", "linkDown", "ifIndex.3=3", "ifDescr.3=eth1"]);
    // Of four, one runs, perhaps another has left the queue for a place, and one waits.
    wait_for(&listening.said, "its queue is full");
    wait_for(&listening.said, "did not end within 1 s and was killed");
    while !listening.counted("rule all: file").ends_with("5 done, 0 failed, 0 dropped") {}
    let counted = listening.counted("rule interface 2: file");
    assert!(counted.ends_with("1 done, 0 failed, 0 dropped"), "{counted}");
    let (all, renamed) = (listening.folder.path().join("all.log"), listening.folder.path().join("renamed"));
    std::fs::rename(&all, &renamed).unwrap();
    listening.signal("-HUP");
    while !all.exists() {
        listening.counted("rule all: file");
    }
    let two: serde_json::Value = serde_json::from_str(listening.read("two.log").trim()).unwrap();
    assert_eq!((&two["uptime"], &two["name"]), (&3.into(), &"IF-MIB::linkDown".into()));
    assert_eq!(listening.read("all.log"), "", "the new file");
    let before = std::fs::read_to_string(&renamed).unwrap();
    assert_eq!(before.matches("coldStart").count(), 4, "{before}");
    assert_eq!(before.matches("IF-MIB::ifIndex.3 = INTEGER: 3").count(), 1, "{before}");
    let out = listening.end();
    let printed: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(printed.len(), 5, "neither what is dropped nor what is stopped: {out}");
}

#[test]
fn what_programs_say_and_how_they_end_is_logged() {
    let rules = "
[[rule]]
name = 'words'
notification = ['linkUp']
run = ['/bin/sh', '-c', 'test -z \"$TRUNKLINE_AUTH_PASSWORD\" && echo no secrets; echo broken >&2; exit 3']
[[rule]]
name = 'missing'
notification = ['linkDown']
run = ['/nonexistent/program']
";
    let listening = Listening::start(rules, &[]);
    listening.trap(&["1", "linkUp"]);
    wait_for(&listening.said, "rule words: /bin/sh ended with exit status: 3");
    wait_for(&listening.said, "rule words: no secrets");
    wait_for(&listening.said, "rule words: broken");
    listening.trap(&["1", "linkDown"]);
    wait_for(&listening.said, "rule missing: /nonexistent/program cannot be started");
    listening.trap(&["1", "coldStart"]);
    let out = listening.end();
    assert!(out.contains("coldStart") && !out.contains("link"), "what no rule is for is printed: {out}");
}

#[test]
fn notifications_are_forwarded_in_other_versions() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let place = socket.local_addr().unwrap();
    let rules = format!(
        "[[rule]]\nnotification = ['linkDown']\nforward = {{ to = 'udp:{place}' }}\n\
         [[rule]]\nnotification = ['linkUp']\nforward = {{ to = 'udp:{place}', version = 'v1', community = 'old' }}\n\
         [[rule]]\nnotification = ['coldStart']\nforward = {{ to = 'udp:{place}', version = 'v2c', community = 'new', kind = 'inform' }}\n"
    );
    let listening = Listening::start(&rules, &[]);
    let receive = || {
        let mut octets = [0; 1500];
        let (length, peer) = socket.recv_from(&mut octets).unwrap();
        (octets[..length].to_vec(), peer)
    };
    // As it came: version and community are the sender's.
    listening.trap(&["99", "linkDown", "ifIndex.2=2"]);
    let message = Message::decode(&receive().0).unwrap();
    assert_eq!((message.community.as_slice(), message.pdu.bindings.len()), (&b"public"[..], 3));
    let v1 =
        ["trap", "-v1", "-c", "other", "--agent-address", "192.0.2.7", &listening.target, "98", "linkDown"];
    assert!(trunkline(&v1).output().unwrap().status.success());
    let message = TrapV1Message::decode(&receive().0).unwrap();
    assert_eq!((message.community.as_slice(), message.trap.agent_addr), (&b"other"[..], [192, 0, 2, 7]));
    // Translated, RFC 3584 section 3.2.
    listening.trap(&["97", "linkUp", "ifIndex.2=2"]);
    let message = TrapV1Message::decode(&receive().0).unwrap();
    assert_eq!(
        (message.community.as_slice(), message.trap.generic, message.trap.time_stamp),
        (&b"old"[..], 3, 97)
    );
    // As an inform, and with the origin of a trap of version 1 among its objects (RFC 3584 section 3.1).
    let v1 = ["trap", "-v1", "-c", "c", "--agent-address", "192.0.2.8", &listening.target, "96", "coldStart"];
    assert!(trunkline(&v1).output().unwrap().status.success());
    let (octets, peer) = receive();
    let mut message = Message::decode(&octets).unwrap();
    assert_eq!((message.pdu.kind, message.pdu.bindings.len()), (PduKind::Inform, 5));
    message.pdu.kind = PduKind::Response;
    socket.send_to(&message.encode(), peer).unwrap();
    listening.signal("-TERM");
    let counted = wait_for(&listening.said, "rule 3: forward");
    assert!(counted.ends_with("1 done, 0 failed, 0 dropped"), "{counted}");
}

#[test]
fn mistakes_in_rules_are_reported_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    for (text, words) in [
        ("[[rule]]\nprint = true\nnotification = ['linkSideways']", "line 1: rule 1: "),
        ("\n\n[[rule]]\nname = 'x'", "line 3: rule x: it does nothing"),
        ("[[rule]]\nrun = ['page']", "is not an absolute path"),
        ("[[rule]]\nprint = true\nsource = ['192.0.2.0/33']", "not in 0 to 32"),
        ("[[rule]]\nprint = true\nwhere = [{ object = 'ifIndex' }]", "exactly one of present"),
        ("[[rule]]\nprint = true\nwhere = [{ object = 'ifIndex', matches = '(' }]", "matches"),
        ("[[rule]]\nforward = { to = 'udp:192.0.2.1', user = 'ann' }", "no user \"ann\" in --users"),
        ("[[rule]]\nforward = { to = 'udp:192.0.2.1', version = 'v3' }", "SNMPv3 needs `user`"),
        ("[[rule]]\nforward = { to = 'foo://192.0.2.1' }", "foo"),
        ("[[rule]]\nprint = true\nthen = 'drop'", "remove its actions"),
        ("[[rule]]\nfile = { path = 'traps.log' }", "not an absolute path"),
        ("[[rule]]\nfile = { path = '/tmp/x', rotate = '3' }", "not a size"),
        ("[[rule]]\nrun = ['/bin/true']\ntimeout = '3 days'", "is not a time"),
        ("[limits]\nprograms = 0", "not in 1 to 256"),
        ("[[rule]]\nprint = true\nlevle = 'x'", "line 3: unknown field"),
    ] {
        let file = write_rules(folder.path(), text);
        let (_, said) = run(&["listen", "--check", "--rules", file.to_str().unwrap()], 2);
        assert!(said.contains(words), "{text}\n{said}");
    }
    // A community is a secret.
    let secret = "[[rule]]\nprint = true\ncommunity = ['hidden']\n";
    let file = write_rules(folder.path(), secret);
    run(&["listen", "--check", "--rules", file.to_str().unwrap()], 0);
    std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let (_, said) = run(&["listen", "--check", "--rules", file.to_str().unwrap()], 2);
    assert!(said.contains("chmod 600") && !said.contains("hidden"), "{said}");
}

#[test]
fn a_file_that_is_a_pipe_is_refused_and_what_it_should_have_is_printed() {
    let rules = "[[rule]]\nnotification = ['linkUp']\nfile = { path = '{folder}/traps' }\n";
    let listening = Listening::start(rules, &["--json"]);
    listening.trap(&["1", "linkUp"]);
    while !listening.counted("rule 1: file").ends_with("1 done, 0 failed, 0 dropped") {}
    let traps = listening.folder.path().join("traps");
    std::fs::remove_file(&traps).unwrap();
    assert!(Command::new("mkfifo").arg(&traps).status().unwrap().success());
    listening.signal("-HUP");
    wait_for(&listening.said, "traps: it is a pipe");
    listening.trap(&["2", "linkUp"]);
    while !listening.counted("rule 1: file").ends_with("1 done, 1 failed, 0 dropped") {}
    // Neither a start nor a check waits for somebody who reads it.
    let file = listening.folder.path().join("rules.toml");
    for options in [&["--check"][..], &["udp:127.0.0.1:0"]] {
        let (_, said) = run(&[&["listen", "--rules", file.to_str().unwrap()], options].concat(), 2);
        assert!(said.contains("rule 1: file: ") && said.contains("traps: it is a pipe"), "{said}");
    }
    let out = listening.end();
    assert_eq!((out.lines().count(), out.contains("\"uptime\":2")), (1, true), "{out}");
}

#[test]
fn sigterm_ends_a_listener_whose_output_takes_nothing() {
    let mut listening = Listening::start("unmatched = 'print'\n", &[]);
    // More than fits into the pipe, which nobody reads.
    let long = "x".repeat(30_000);
    for uptime in ["1", "2", "3", "4"] {
        listening.trap(&[uptime, "linkUp", "1.3.6.1.4.1.32473.1.0", "s", &long]);
    }
    listening.signal("-TERM");
    let status = listening.child.wait().unwrap();
    assert!(matches!(status.code(), Some(0 | 143)), "{status}");
}

#[test]
fn files_have_what_handlers_read_with_the_senders_address_as_its_name() {
    let rules = "[[rule]]\nfile = { path = '{folder}/traps', form = 'traphandle' }\n";
    let listening = Listening::start(rules, &["--count", "2"]);
    listening.trap(&["1", "linkUp", "ifIndex.2=2"]);
    listening.trap(&["2", "linkUp"]);
    wait_for(&listening.said, "rule 1: file: 2 done, 0 failed, 0 dropped");
    let text = listening.read("traps");
    let records: Vec<Vec<&str>> =
        text.split_terminator("\n\n").map(|record| record.lines().collect()).collect();
    assert_eq!(records.iter().map(Vec::len).collect::<Vec<_>>(), [5, 4], "{text}");
    for record in &records {
        assert_eq!(record[0], "127.0.0.1");
        assert!(record[1].starts_with("UDP: [127.0.0.1]:"), "{text}");
    }
}

#[test]
fn an_expression_looks_at_so_much_of_a_value() {
    let rules = "
[[rule]]
where = [{ object = '1.3.6.1.4.1.32473.1', matches = 'needle' }]
file = { path = '{folder}/found', form = 'json' }
";
    let listening = Listening::start(rules, &[]);
    for (uptime, before) in [("1", 4090), ("2", 4091), ("3", 30_000)] {
        let value = "x".repeat(before) + "needle";
        listening.trap(&[uptime, "linkUp", "1.3.6.1.4.1.32473.1.0", "s", &value]);
    }
    let folder = listening.folder.path().to_owned();
    while !listening.counted("notifications received").contains("3 notifications received") {}
    let read = || std::fs::read_to_string(folder.join("found")).unwrap();
    listening.signal("-TERM");
    wait_for(&listening.said, "rule 1: file: 1 done");
    assert!(read().contains("\"uptime\":1,"), "{}", read());
}

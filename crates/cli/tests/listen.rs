//! `trunkline listen` receives what Net-SNMP's tools and our own send, in every version, and reports how each
//! sender is authenticated; `trap` and `inform` are accepted by `snmptrapd`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Lines};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use support::{run, texts, trunkline};
use tempfile::TempDir;
use trunkline_testkit::{ClosedPort, has};

const USERS: &str = "
communities = ['public']
[[user]]
name = 'ann'
auth = 'SHA-256'
priv = 'AES'
auth-password = 'authentic words'
priv-password = 'private words'
[[user]]
name = 'eve'
";

/// Net-SNMP's options for ann.
const ANN: [&str; 13] = [
    "-v3",
    "-u",
    "ann",
    "-l",
    "authPriv",
    "-a",
    "SHA-256",
    "-A",
    "authentic words",
    "-x",
    "AES",
    "-X",
    "private words",
];

/// The engine of those who send traps.
const SENDER: &str = "0x80001f8804746573742d6d6772";

/// A listener on its own ports, UDP and TCP, ended when dropped.
struct Listener {
    child: Child,
    home: TempDir,
    out: Receiver<String>,
    /// Kept open: what it says later must have somewhere to go.
    _err: Lines<BufReader<ChildStderr>>,
    udp: String,
    tcp: String,
}

impl Listener {
    fn start(options: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let users = home.path().join("users.toml");
        std::fs::write(&users, USERS).unwrap();
        std::fs::set_permissions(&users, Permissions::from_mode(0o600)).unwrap();
        let users = users.to_str().unwrap();
        let words = ["listen", "--json", "--users", users, "udp:127.0.0.1:0", "tcp:127.0.0.1:0"];
        let mut child = trunkline(&[&words[..], options].concat())
            .env("XDG_STATE_HOME", home.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = lines_of(child.stdout.take().unwrap());
        let mut err = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut place = |scheme: &str| {
            let words = format!("listening on {scheme}://");
            let mut lines = err.by_ref().map(Result::unwrap);
            lines.find_map(|line| Some(line.split_once(&words)?.1.to_owned())).unwrap()
        };
        let (udp, tcp) = (place("udp"), place("tcp"));
        let said = err.next().unwrap().unwrap();
        assert!(said.contains("our engine ID is 0x80001f88"), "{said}");
        Listener { child, home, out, _err: err, udp, tcp: format!("tcp:{tcp}") }
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.out.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    /// The result of `trunkline` with these arguments; the state is the listener's.
    fn ours(&self, words: &[&str]) -> (i32, String) {
        let output = trunkline(words).env("XDG_STATE_HOME", self.home.path()).output().unwrap();
        (output.status.code().unwrap(), texts(&output).1)
    }
}

/// The lines as they come, so that one that does not come ends the test.
fn lines_of(out: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        let out = BufReader::new(out).lines();
        out.map_while(Result::ok).try_for_each(|line| sender.send(line))
    });
    lines
}

const PATIENCE: Duration = Duration::from_secs(30);

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs one of Net-SNMP's tools with its own state directory; returns whether it succeeded.
fn tool(name: &str, home: &Path, words: &[&str]) -> bool {
    let mut command = Command::new(name);
    command.args(words).env("MIBS", "").env("SNMPCONFPATH", home).env("SNMP_PERSISTENT_DIR", home);
    command.output().unwrap().status.success()
}

const LINK_DOWN: &str = ".1.3.6.1.6.3.1.1.5.3";
const DESCR: [&str; 3] = [".1.3.6.1.2.1.2.2.1.2.2", "s", "eth0"];

#[track_caller]
fn check(came: &Value, version: &str, kind: &str, authenticated: bool, level: &str) {
    assert_eq!(came["version"], version, "{came}");
    assert_eq!(came["kind"], kind, "{came}");
    assert_eq!(came["authenticated"], authenticated, "{came}");
    assert_eq!(came["level"], level, "{came}");
    assert_eq!(came["name"], "IF-MIB::linkDown", "{came}");
    assert_eq!(came["uptime"], 99, "{came}");
    assert_eq!(came["bindings"][0]["text"], "eth0", "{came}");
    assert_eq!(came["bindings"][0]["name"], "IF-MIB::ifDescr.2", "{came}");
}

#[test]
fn net_snmps_notifications_are_understood() {
    if !has("snmptrap", "snmp") {
        return;
    }
    let mut listener = Listener::start(&[]);
    let home = tempfile::tempdir().unwrap();
    for target in [listener.udp.clone(), listener.tcp.clone()] {
        let send = |name: &str, options: &[&str], place: &[&str]| {
            tool(name, home.path(), &[options, &[&target], place, &DESCR].concat())
        };
        let transport = if target.starts_with("tcp") { "tcp" } else { "udp" };
        let v2 = ["99", LINK_DOWN];
        let v1 = [".1.3.6.1.4.1.8072.9999", "192.0.2.7", "2", "0", "99"];
        assert!(send("snmptrap", &["-v1", "-c", "public"], &v1));
        let came = listener.next();
        check(&came, "v1", "trap", false, "noAuthNoPriv");
        assert_eq!(
            (&came["transport"], &came["v1"]["agent_address"]),
            (&transport.into(), &"192.0.2.7".into())
        );
        assert!(came.get("community").is_none(), "the community is a secret");

        assert!(send("snmptrap", &["-v2c", "-c", "public"], &v2));
        check(&listener.next(), "v2c", "trap", false, "noAuthNoPriv");
        assert!(send("snmpinform", &["-v2c", "-c", "public"], &v2), "confirmed");
        check(&listener.next(), "v2c", "inform", false, "noAuthNoPriv");

        assert!(send("snmptrap", &[&ANN[..], &["-e", SENDER]].concat(), &v2));
        let came = listener.next();
        check(&came, "v3", "trap", true, "authPriv");
        assert_eq!((&came["user"], &came["engine"]), (&"ann".into(), &SENDER[2..].into()));
        assert!(send("snmpinform", &[&ANN[..], &["-n", "lab"]].concat(), &v2), "confirmed");
        let came = listener.next();
        check(&came, "v3", "inform", true, "authPriv");
        assert_eq!(came["context"], "lab");
        assert!(send("snmpinform", &["-v3", "-u", "eve", "-l", "noAuthNoPriv"], &v2), "confirmed");
        check(&listener.next(), "v3", "inform", false, "noAuthNoPriv");
    }
}

#[test]
fn our_notifications_arrive_in_every_version() {
    let mut listener = Listener::start(&["--count", "12"]);
    let ann = ["-v3", "-u", "ann", "-A", "authentic words", "-X", "private words"];
    let sent = ["99", "linkDown", "ifDescr.2=eth0"];
    for target in [listener.udp.clone(), listener.tcp.clone()] {
        let target = [target.as_str()];
        for (command, options, version, level) in [
            ("trap", &["-v1", "-c", "public"][..], "v1", "noAuthNoPriv"),
            ("trap", &["-v2c", "-c", "public"], "v2c", "noAuthNoPriv"),
            ("inform", &["-c", "public"], "v2c", "noAuthNoPriv"),
            ("trap", &ann, "v3", "authPriv"),
            ("inform", &ann, "v3", "authPriv"),
            ("inform", &["-u", "eve"], "v3", "noAuthNoPriv"),
        ] {
            let (status, said) = listener.ours(&[&[command], options, &target, &sent].concat());
            assert_eq!((status, said.as_str()), (0, ""), "{command} {options:?}");
            check(&listener.next(), version, command, level == "authPriv", level);
        }
    }
    assert!(listener.child.wait().unwrap().success(), "ended after what was counted");
}

/// Messages below the required level, from strangers, or forged are neither printed nor confirmed.
#[test]
fn unauthenticated_notifications_are_refused() {
    let mut listener = Listener::start(&["--require", "authPriv"]);
    let target = listener.udp.clone();
    let sent = [target.as_str(), "99", "linkDown", "ifDescr.2=eth0"];
    let inform = |options: &[&str]| listener.ours(&[&["inform", "-r", "1"], options, &sent].concat());
    for (options, words) in [
        (&["-v2c", "-c", "public", "-t", "0.2"][..], "no answer"),
        (&["-v2c", "-c", "other", "-t", "0.2"], "no answer"),
        (&["-u", "eve", "-t", "0.2"], "no answer"),
        (&["-u", "ann", "-A", "authentic words", "-t", "0.2"], "no answer"),
        (&["-u", "ann", "-A", "another word"], "WrongDigests"),
        (&["-u", "nobody", "-A", "authentic words"], "UnknownUserNames"),
    ] {
        let (status, said) = inform(options);
        assert_eq!(status, 1, "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: {said}");
    }
    let (status, _) = listener.ours(&[&["trap", "-v1", "-c", "public"], &sent[..]].concat());
    assert_eq!(status, 0, "nobody knows whether a trap is taken");
    // Noise, and a datagram from nobody.
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for noise in [&[][..], &[0x30], &[0xff; 2000], b"\x30\x03\x02\x01\x03"] {
        socket.send_to(noise, &target).unwrap();
    }
    let (status, said) = inform(&["-u", "ann", "-A", "authentic words", "-X", "private words"]);
    assert_eq!((status, said.as_str()), (0, ""));
    check(&listener.next(), "v3", "inform", true, "authPriv");
    assert!(listener.child.try_wait().unwrap().is_none(), "it goes on");
}

/// The same trap once more, later, by another: out of its time it is not taken again.
#[test]
fn a_trap_of_an_earlier_boot_is_refused() {
    let mut listener = Listener::start(&[]);
    let target = listener.udp.clone();
    let trap = |boots: &str| {
        let ann =
            ["-v3", "-u", "ann", "-A", "authentic words", "-X", "private words", "-e", SENDER, "-Z", boots];
        listener.ours(&[&["trap"], &ann[..], &[&target, "99", "linkDown", "ifDescr.2=eth0"]].concat()).0
    };
    assert_eq!(trap("5,1000"), 0);
    assert_eq!(trap("5,700"), 0); // 300 seconds before: too late
    assert_eq!(trap("4,9000"), 0);
    assert_eq!(trap("6,1"), 0);
    check(&listener.next(), "v3", "trap", true, "authPriv");
    check(&listener.next(), "v3", "trap", true, "authPriv");
    assert_eq!(listener.ours(&["inform", "-c", "public", &target, "7", "coldStart"]).0, 0);
    assert_eq!(listener.next()["name"], "SNMPv2-MIB::coldStart", "of four traps two were in time");
}

#[test]
fn text_marks_what_is_not_authenticated() {
    // Without users it keeps nothing, and needs no place for it.
    let mut child = trunkline(&["listen", "--count", "1", "udp:127.0.0.1:0"])
        .env_remove("XDG_STATE_HOME")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let target = err.find_map(|line| Some(line.split_once("listening on udp://")?.1.to_owned())).unwrap();
    let sent =
        trunkline(&["trap", "-c", "secret", &target, "99", "linkDown", "ifIndex.2=2"]).output().unwrap();
    assert!(sent.status.success(), "{}", texts(&sent).1);
    let output = child.wait_with_output().unwrap();
    let out = texts(&output).0;
    assert!(out.contains("NOT AUTHENTICATED") && !out.contains("secret"), "{out}");
    assert!(out.contains("IF-MIB::linkDown") && out.contains("IF-MIB::ifIndex.2 = INTEGER: 2"), "{out}");
}

#[test]
fn mistakes_of_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let users = home.path().join("users.toml");
    std::fs::write(&users, USERS).unwrap();
    std::fs::set_permissions(&users, Permissions::from_mode(0o644)).unwrap();
    let users = users.to_str().unwrap();
    for (words, said) in [
        (&["listen", "--users", users][..], "chmod 600"),
        (&["listen", "udp:name:1"], "name"),
        (&["trap", "127.0.0.1", "soon", "linkDown"], "uptime"),
        (&["trap", "127.0.0.1", "", "linkSideways"], "linkSideways"),
        (&["trap", "127.0.0.1", "", "linkDown", "ifIndex.2"], "a value is missing"),
        (&["inform", "-v1", "127.0.0.1", "", "linkDown"], "does not exist in SNMPv1"),
    ] {
        let output = trunkline(words).env("XDG_STATE_HOME", home.path()).output().unwrap();
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {err}");
        assert!(out.is_empty() && err.contains(said), "{words:?}: {err}");
    }
}

#[test]
fn an_inform_is_tried_as_often_as_requested() {
    let closed = ClosedPort::take();
    let port = closed.port();
    for (transport, said) in [("udp", "the port is closed (after 3 attempts)"), ("tcp", "(after 3 attempts)")]
    {
        let target = format!("{transport}:127.0.0.1:{port}");
        let words = ["inform", "-v2c", "-c", "public", "-t", "0.1", "-r", "2", &target, "", "linkDown"];
        let (_, err) = run(&words, 1);
        assert!(err.contains(said), "{transport}: {err}");
        let words = [
            "as",
            "snmpinform",
            "-v2c",
            "-c",
            "public",
            "-t",
            "1",
            "-r",
            "1",
            "-d",
            &target,
            "",
            ".1.3.6.1.6.3.1.1.5.3",
        ];
        let (_, err) = run(&words, 1);
        let sent = err.matches("Sending ").count();
        assert_eq!(sent, if transport == "udp" { 2 } else { 0 }, "{err}");
    }
}

#[test]
fn an_inform_reaches_a_receiver_that_starts_late() {
    for command in [&["inform", "-t", "0.2"][..], &["as", "snmpinform", "-t", "1"]] {
        // Kept until the first message has come: then nobody listens there any more.
        let first = UdpSocket::bind("127.0.0.1:0").unwrap();
        let target = first.local_addr().unwrap().to_string();
        let words = [command, &["-v2c", "-c", "public", "-r", "200", &target, "", LINK_DOWN]].concat();
        let mut child = trunkline(&words).spawn().unwrap();
        first.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut octets = [0; 1500];
        first.recv(&mut octets).unwrap();
        drop(first);
        let late = UdpSocket::bind(&target).unwrap();
        late.set_read_timeout(Some(PATIENCE)).unwrap();
        let (length, peer) = late.recv_from(&mut octets).unwrap();
        // Confirmed: the Response has the same bindings.
        let mut inform = trunkline_snmp::wire::Message::decode(&octets[..length]).unwrap();
        inform.pdu.kind = trunkline_snmp::wire::PduKind::Response;
        late.send_to(&inform.encode(), peer).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{command:?}");
    }
}

#[test]
fn a_get_that_is_sent_once_reports_that_the_port_is_closed() {
    let closed = ClosedPort::take();
    let target = format!("127.0.0.1:{}", closed.port());
    let (_, err) = run(&["get", "-t", "0.2", "-r", "0", &target, "sysUpTime.0"], 1);
    assert!(err.contains("the port is closed (after 1 attempt)"), "{err}");
}

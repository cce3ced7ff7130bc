//! Notifications between our own programs over TLS, DTLS and SSH, and how it reads when one end does not believe the
//! other. (Requests to agents are tested where the agent is.)

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::agents;
use crate::support;

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use agents::Snmpd;
use support::{texts, trunkline};
use tempfile::TempDir;
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};

/// A home with the folder of `trunkline pki`.
struct Home {
    folder: TempDir,
    pki: Directory,
}

impl Home {
    fn new(authority: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let pki = Directory::at(folder.path().join("pki"));
        pki.init(&AuthorityOptions::named(Name::new(authority).unwrap()), false).unwrap();
        let home = Home { folder, pki };
        home.issue(Role::Agent, "localhost");
        home.issue(Role::Manager, "ann");
        home.pki.ssh_key(&Name::new("ann").unwrap(), false).unwrap();
        home
    }

    fn issue(&self, role: Role, name: &str) {
        let storing = Storing::default();
        self.pki.issue(role, &Name::new(name).unwrap(), &LeafOptions::default(), storing).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn pki(&self) -> String {
        self.pki.path().display().to_string()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = trunkline(arguments);
        command.env("HOME", self.folder.path()).env_remove("XDG_STATE_HOME").env_remove("SSH_AUTH_SOCK");
        command
    }

    /// Sends a notification, and returns the exit status and the messages.
    fn notify(&self, how: &str, target: &str, options: &[&str]) -> (Option<i32>, String) {
        let pki = self.pki();
        let words = [&[how, "--pki", &pki], options, &[target, "5", "linkDown", "ifIndex.2=2"]].concat();
        let output = self.command(&words).output().unwrap();
        (output.status.code(), texts(&output).1)
    }
}

/// A running `trunkline listen`, ended when dropped.
struct Listening {
    child: Child,
    /// `tls`, `dtls`, `ssh`.
    ports: [u16; 3],
    lines: Lines<BufReader<ChildStdout>>,
    said: Lines<BufReader<ChildStderr>>,
}

impl Listening {
    fn start(home: &Home) -> Self {
        let (pki, host_key) = (home.pki(), home.path("host_key"));
        let places = ["tls", "dtls", "ssh"].map(|scheme| format!("{scheme}://127.0.0.1:0"));
        let mut words = vec!["listen", "--json", "--pki", &pki, "--ssh-host-key", &host_key];
        words.extend(["--require", "authPriv"]);
        words.extend(places.iter().map(String::as_str));
        let mut child = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let ports = [(); 3].map(|()| {
            let line = said.next().unwrap().unwrap();
            line.rsplit_once(':').unwrap().1.parse().unwrap_or_else(|_| panic!("{line}"))
        });
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Listening { child, ports, lines, said }
    }

    /// Its next message.
    fn says(&mut self) -> String {
        self.said.next().unwrap().unwrap()
    }

    fn next(&mut self) -> serde_json::Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn targets(&self) -> [String; 3] {
        let [tls, dtls, ssh] = self.ports;
        [
            format!("snmp+tls://localhost:{tls}"),
            format!("snmp+dtls://localhost:{dtls}"),
            format!("snmp+ssh://ann@localhost:{ssh}"),
        ]
    }
}

/// What a relay carried.
struct Carried {
    /// What the client sent.
    sent: Vec<u8>,
    /// The client's connection: an error of it shows that the server's last octets met a closed socket, which answers with a
    /// reset.
    client: TcpStream,
    /// Whether the client was still there while its alert was held back.
    waited: bool,
}

/// Carries one connection to a port, until both ends have closed. An alert of the client is held back for a while, or until
/// `gone` says that the client has ended.
fn relay(port: u16, gone: Receiver<()>) -> (u16, JoinHandle<Carried>) {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = door.local_addr().unwrap().port();
    let carried = spawn(move || {
        let (mut client, _) = door.accept().unwrap();
        let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
        let back = spawn(move || {
            let _ = std::io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Write);
        });
        let (mut sent, mut piece, mut waited) = (Vec::new(), [0; 4096], true);
        while let Ok(octets @ 1..) = client.read(&mut piece) {
            sent.extend_from_slice(&piece[..octets]);
            if octets == ALERT_RECORD {
                waited = gone.recv_timeout(HELD) == Err(RecvTimeoutError::Timeout);
            }
            server.write_all(&piece[..octets]).unwrap();
        }
        let _ = server.shutdown(Shutdown::Write);
        back.join().unwrap();
        Carried { sent, client, waited }
    });
    (at, carried)
}

/// Carries the datagrams of one client to a port and back, until the server's last one, a close_notify, has come. Returns
/// where, and the client's path: an error of it shows that the last one met a closed port.
fn datagram_relay(port: u16) -> (u16, JoinHandle<UdpSocket>) {
    let door = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = door.local_addr().unwrap().port();
    let carried = spawn(move || {
        let mut datagram = [0; 4096];
        let (_, client) = door.peek_from(&mut datagram).unwrap();
        door.connect(client).unwrap();
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        server.connect(("127.0.0.1", port)).unwrap();
        let (from, to) = (server.try_clone().unwrap(), door.try_clone().unwrap());
        let back = spawn(move || {
            let mut datagram = [0; 4096];
            loop {
                let octets = from.recv(&mut datagram).unwrap();
                to.send(&datagram[..octets]).unwrap();
                if datagram[0] == ALERT {
                    return;
                }
            }
        });
        loop {
            let octets = door.recv(&mut datagram).unwrap();
            server.send(&datagram[..octets]).unwrap();
            if datagram[0] == ALERT {
                break;
            }
        }
        back.join().unwrap();
        door
    });
    (at, carried)
}

/// The content type of an alert (RFC 5246 section 6.2.1); close_notify is one.
const ALERT: u8 = 21;
/// The octets of an alert's record in TLS 1.3: its header, two octets, the type of the content, the tag of AES-GCM.
const ALERT_RECORD: usize = 5 + 2 + 1 + 16;
/// A command that does not wait ends at once.
const HELD: Duration = Duration::from_millis(300);

/// The lengths of the TLS records in a stream, without their headers.
fn records(mut octets: &[u8]) -> Vec<usize> {
    let mut lengths = Vec::new();
    while let [_, _, _, high, low, rest @ ..] = octets {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        lengths.push(length);
        octets = rest.get(length..).unwrap();
    }
    lengths
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_command_ends_its_session_before_it_ends() {
    let home = Home::new("example");
    let mut listening = Listening::start(&home);
    let (ended, gone) = channel();
    let (port, carried) = relay(listening.ports[0], gone);
    let (status, words) = home.notify("trap", &format!("snmp+tls://localhost:{port}"), &[]);
    drop(ended);
    assert_eq!(status, Some(0), "{words}");
    listening.next();
    let Carried { sent, client, waited } = carried.join().unwrap();
    let records = records(&sent);
    assert_eq!(records.last(), Some(&(ALERT_RECORD - 5)), "{records:?}");
    assert!(waited, "the command did not wait for the answer to its close_notify");
    assert!(client.take_error().unwrap().is_none(), "the answer to the close_notify met a closed socket");
}

#[test]
fn a_session_over_ssh_ends_in_order() {
    let home = Home::new("example");
    let mut listening = Listening::start(&home);
    let (_ended, gone) = channel();
    let (port, carried) = relay(listening.ports[2], gone);
    let target = format!("snmp+ssh://ann@localhost:{port}");
    let (status, words) = home.notify("trap", &target, &["--accept-new-host"]);
    assert_eq!(status, Some(0), "{words}");
    listening.next();
    let client = carried.join().unwrap().client;
    assert!(client.take_error().unwrap().is_none(), "the end of the channel met a closed socket");
}

#[test]
fn the_answer_to_a_close_notify_of_dtls_meets_no_closed_port() {
    let home = Home::new("example");
    let mut listening = Listening::start(&home);
    let (port, carried) = datagram_relay(listening.ports[1]);
    let (status, words) = home.notify("trap", &format!("snmp+dtls://localhost:{port}"), &[]);
    assert_eq!(status, Some(0), "{words}");
    listening.next();
    assert!(carried.join().unwrap().take_error().unwrap().is_none(), "ICMP port unreachable");
}

#[test]
fn notifications_have_the_sessions_principal() {
    let home = Home::new("One");
    let mut listening = Listening::start(&home);
    for (target, transport) in listening.targets().iter().zip(["tls", "dtls", "ssh"]) {
        for (how, more) in [("inform", &[][..]), ("trap", &[]), ("inform", &["-v2c"])] {
            let (status, said) = home.notify(how, target, &[&["--accept-new-host"], more].concat());
            assert_eq!(status, Some(0), "{how} {target}: {said}");
            let record = listening.next();
            let version = if more.is_empty() { "v3" } else { "v2c" };
            for (field, expected) in
                [("transport", transport), ("user", "ann"), ("level", "authPriv"), ("kind", how)]
            {
                assert_eq!(record[field], expected, "{field} of {record}");
            }
            assert_eq!((&record["version"], &record["authenticated"]), (&version.into(), &true.into()));
            assert!(record.get("community").is_none(), "{record}");
        }
    }
    assert!(Path::new(&home.path(".ssh/known_hosts")).exists());
}

#[test]
fn an_untrusted_peer_reads_why() {
    let (home, other) = (Home::new("One"), Home::new("Other"));
    let listening = Listening::start(&home);
    let [tls, dtls, ssh] = listening.targets();
    let check = |who: &Home, target: &str, options: &[&str], expected: &[&str]| {
        let (status, said) = who.notify("inform", target, options);
        assert_eq!(status, Some(1), "{target} {options:?}: {said}");
        for words in expected {
            assert!(said.contains(words), "{target} {options:?}: {words:?} is not in {said}");
        }
    };
    let trusted = home.pki.authority_certificate().display().to_string();
    for target in [&tls, &dtls] {
        check(&other, target, &[], &["no authority that is trusted here", "--authorities"]);
        let elsewhere = ["--server-name", "other.example"];
        check(&home, target, &elsewhere, &["not for `other.example` but for localhost", "--server-name"]);
        check(
            &other,
            target,
            &["--authorities", &trusted],
            &["the peer refuses us", "unknown_ca", "its log says more"],
        );
        let wrong = format!("sha256:{}", "AB".repeat(32));
        check(&home, target, &["--fingerprint", &wrong], &["its fingerprint is sha256:", "is expected"]);
    }
    check(&home, &ssh, &[], &["is not known: SHA256:", "add this line to", "--accept-new-host"]);
    let stranger = other.path("pki/ssh/ann");
    let options = ["--accept-new-host", "--ssh-key", &stranger];
    check(&home, &ssh, &options, &["does not let user `ann` in", "--ssh-key"]);
    let port = listening.ports[0];
    // It may be another server tomorrow: one attempt shows it.
    let elsewhere = format!("snmp+ssh://ann@localhost:{port}");
    check(&home, &elsewhere, &["--accept-new-host", "-r0"], &["no session with ssh://"]);
    home.pki.revoke("agents/localhost").unwrap();
    check(&home, &tls, &[], &["it is revoked"]);
    check(&home, &dtls, &[], &["it is revoked"]);
}

/// Over TLS 1.3 the refusal arrives after the sender's handshake has ended.
#[test]
fn a_trap_that_is_refused_has_failed() {
    let (home, other) = (Home::new("One"), Home::new("Other"));
    let listening = Listening::start(&home);
    let trusted = home.pki.authority_certificate().display().to_string();
    for target in &listening.targets()[..2] {
        let (status, said) = other.notify("trap", target, &["--authorities", &trusted]);
        assert_eq!(status, Some(1), "{target}: {said}");
        assert!(said.contains("unknown_ca"), "{target}: {said}");
    }
}

#[test]
fn a_receiver_says_whom_it_refuses_and_who_refuses_it() {
    let (home, other) = (Home::new("One"), Home::new("Other"));
    let trusted = home.pki.authority_certificate().display().to_string();
    let stranger = other.path("pki/ssh/ann");
    let untrusted = ["no authority that is trusted here", "the sender needs a valid certificate"];
    let refuses = ["the peer refuses us", "the sender must trust the authority of our certificate"];
    let unknown = ["is not one of user `ann`", "--ssh-users"];
    for (at, options, expected) in [
        (0, &["--authorities", &trusted][..], &untrusted),
        (0, &[], &refuses),
        (1, &["--authorities", &trusted], &untrusted),
        (1, &[], &refuses),
        (2, &["--accept-new-host", "--ssh-key", &stranger], &unknown),
    ] {
        // At most one line a second: each has a receiver of its own.
        let mut listening = Listening::start(&home);
        let target = &listening.targets()[at];
        let (status, said) = other.notify("inform", target, options);
        assert_eq!(status, Some(1), "{target} {options:?}: {said}");
        let line = listening.says();
        for words in ["no session with ", "://127.0.0.1:"].iter().chain(expected) {
            assert!(line.contains(*words), "{target} {options:?}: {words:?} is not in {line}");
        }
    }
}

/// A refusal is final: an inform ends with it at its first attempt.
#[test]
fn a_receiver_over_https_that_refuses_a_certificate_is_asked_once() {
    let (home, other) = (Home::new("One"), Home::new("Other"));
    let mut listening = Posted::start(&home, &["snmp+https://127.0.0.1:0"]);
    let target = format!("snmp+https://localhost:{}", listening.ports[0]);
    let trusted = home.pki.authority_certificate().display().to_string();
    let (status, said) = other.notify("inform", &target, &["--authorities", &trusted]);
    assert_eq!(status, Some(1), "{said}");
    for words in ["the peer refuses us", "unknown_ca", "1 attempt"] {
        assert!(said.contains(words), "{words:?} is not in {said}");
    }
    let line = listening.said.next().unwrap().unwrap();
    assert!(line.contains("no session with https://127.0.0.1:"), "{line}");
}

/// The client answers the server's close_notify, and reads it before its socket closes.
#[test]
fn a_session_over_https_ends_in_order() {
    let home = Home::new("example");
    let mut listening = Posted::start(&home, &["snmp+https://127.0.0.1:0"]);
    let (ended, gone) = channel();
    let (port, carried) = relay(listening.ports[0], gone);
    let (status, words) = home.notify("inform", &format!("snmp+https://localhost:{port}"), &[]);
    drop(ended);
    assert_eq!(status, Some(0), "{words}");
    listening.next();
    let Carried { sent, client, waited } = carried.join().unwrap();
    let records = records(&sent);
    assert_eq!(records.last(), Some(&(ALERT_RECORD - 5)), "{records:?}");
    assert!(waited, "the command did not wait for the answer to its close_notify");
    assert!(client.take_error().unwrap().is_none(), "the answer to the close_notify met a closed socket");
}

#[test]
fn missing_options_are_reported_with_advice() {
    let empty = TempDir::new().unwrap();
    let folder = empty.path().display().to_string();
    let said = |arguments: &[&str]| {
        let mut command = trunkline(arguments);
        let output = command.env_remove("SSH_AUTH_SOCK").env("USER", "ann").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        texts(&output).1
    };
    let words = said(&["get", "--pki", &folder, "snmp+tls://localhost/sysName.0"]);
    assert!(words.contains("--authorities or --fingerprint"), "{words}");
    let certificates = said(&["listen", "--pki", &folder, "tls:0"]);
    assert!(certificates.contains("--authorities"), "{certificates}");
    let words = said(&["get", "--pki", &folder, "snmp+ssh://localhost/sysName.0"]);
    assert!(words.contains("`trunkline pki ssh-key ann`"), "{words}");
    let words = said(&["get", "snmp+tls://ann@localhost/sysName.0"]);
    assert!(words.contains("the certificate authenticates"), "{words}");
    let words = said(&["get", "--fingerprint", "xyz", "--pki", &folder, "snmp+tls://localhost/sysName.0"]);
    assert!(words.contains("--fingerprint xyz"), "{words}");
}

#[test]
fn net_snmps_names_take_its_words_for_certificates() {
    let home = Home::new("One");
    let mut listening = Listening::start(&home);
    let [tls, dtls, _] = listening.ports;
    let ours = home.path("pki/managers/ann.pem");
    let theirs = home.path("pki/agents/localhost.pem");
    let trust = home.path("pki/ca.pem");
    let identities = format!("our_identity={ours},their_identity={theirs}");
    let trusting = format!("our_identity={ours},trust_cert={trust},their_hostname=localhost");
    for (transport, port, options) in [("dtlsudp", dtls, identities), ("tlstcp", tls, trusting)] {
        let target = format!("{transport}:127.0.0.1:{port}");
        let words = ["as", "snmpinform", "-v3", "-T", &options, &target, "5", "IF-MIB::linkDown"];
        let output = home.command(&words).output().unwrap();
        assert!(output.status.success(), "{:?}", texts(&output));
        assert_eq!(listening.next()["user"], "ann");
    }
    let words = ["as", "snmpinform", "-v3", "-T", "our_identity=nobody", "tlstcp:h", "5", "IF-MIB::linkDown"];
    let output = home.command(&words).output().unwrap();
    assert!(texts(&output).1.contains("unknown our_identity nobody"), "{:?}", texts(&output));
}

/// Net-SNMP's store with the home's certificates, of which this one is its own.
fn net_snmps_store(home: &Home, own: &str) -> PathBuf {
    let store = home.folder.path().join("netsnmp");
    for (from, folder, to) in [
        (&*format!("pki/{own}.pem"), "certs", "own.crt"),
        (&*format!("pki/{own}.key"), "private", "own.key"),
        ("pki/ca.pem", "ca-certs", "authority.crt"),
    ] {
        let folder = store.join(".snmp/tls").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(home.path(from), folder.join(to)).unwrap();
    }
    store
}

/// It requests snmpEngineID.0 of the receiver first (RFC 5343).
#[test]
fn net_snmps_informs_over_dtls_are_confirmed() {
    if !trunkline_testkit::has("snmpinform", "snmp") {
        return;
    }
    let home = Home::new("One");
    let mut listening = Listening::start(&home);
    let store = net_snmps_store(&home, "managers/ann");
    for tool in ["snmpinform", "snmptrap"] {
        let mut command = Command::new(tool);
        command.args(["-v3", "--defSecurityModel=tsm", "-u", "ann", "-l", "authPriv", "-t", "5", "-r", "1"]);
        for word in ["our_identity=own", "trust_cert=authority", "their_hostname=localhost"] {
            command.args(["-T", word]);
        }
        command.arg(format!("dtlsudp:127.0.0.1:{}", listening.ports[1]));
        command.args(["5", "1.3.6.1.6.3.1.1.5.3"]);
        command.env("HOME", &store).env("SNMP_PERSISTENT_DIR", store.join("persistent")).env("MIBS", "");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{tool}: {:?}", texts(&output));
        let record = listening.next();
        assert_eq!((&record["user"], &record["kind"]), (&"ann".into(), &tool["snmp".len()..].into()));
    }
    let _ = listening.child.kill();
    let said: Vec<String> = listening.said.by_ref().map_while(Result::ok).collect();
    assert!(!said.iter().any(|line| line.contains("refused")), "{said:?}");
}

/// Debian's agent over DTLS, with the home's certificates in its store.
fn snmpd(home: &Home) -> Option<Snmpd> {
    let store = net_snmps_store(home, "agents/localhost");
    let configuration = "[snmp] localCert own\n[snmp] trustCert authority\ncertSecName 10 authority --cn\n\
                         rouser -s tsm ann authPriv\nsysName over DTLS\n";
    Snmpd::start_secure(configuration, &store)
}

#[test]
fn debians_agent_answers_over_dtls() {
    let home = Home::new("authority");
    let Some(agent) = snmpd(&home) else { return };
    let (pki, target) = (home.pki(), format!("snmp+dtls://localhost:{}", agent.port));
    for (command, object, expected) in [
        ("get", "sysName.0", "over DTLS"),
        ("walk", "system", "sysLocation.0"),
        ("table", "sysORTable", "sysORID"),
    ] {
        let output = home.command(&[command, "--pki", &pki, &target, object]).output().unwrap();
        let (said, wrong) = texts(&output);
        assert!(output.status.success() && said.contains(expected), "{command}: {said}{wrong}");
    }
    // A peer without a name there gets nothing.
    home.issue(Role::Manager, "eve");
    let files = home.pki.files(Role::Manager, &Name::new("eve").unwrap());
    let certificate = files.certificate.display().to_string();
    let words = ["get", "--pki", &pki, "--certificate", &certificate, "-t1", "-r0", &target, "sysLocation.0"];
    let output = home.command(&words).output().unwrap();
    assert!(!output.status.success(), "{:?}", texts(&output));
}

/// SNMP inside SOAP, both ways: HTTP alone authenticates nothing, HTTPS what a certificate says.
#[test]
fn notifications_are_posted_over_http_and_https() {
    let home = Home::new("One");
    let mut listening = Posted::start(&home, &["snmp+http://127.0.0.1:0", "snmp+https://127.0.0.1:0"]);
    let [http, https] = listening.ports[..] else { panic!("two ports") };
    let (http, https) = (format!("snmp+http://localhost:{http}"), format!("snmp+https://localhost:{https}"));
    for (how, target, more, transport, version, level) in [
        ("trap", &http, &["-v1"][..], "http", "v1", "noAuthNoPriv"),
        ("trap", &http, &["-v2c"], "http", "v2c", "noAuthNoPriv"),
        ("inform", &http, &["-v2c"], "http", "v2c", "noAuthNoPriv"),
        ("trap", &https, &[], "https", "v3", "authPriv"),
        ("inform", &https, &[], "https", "v3", "authPriv"),
    ] {
        let (status, said) = home.notify(how, target, more);
        assert_eq!(status, Some(0), "{how} {target}: {said}");
        let record = listening.next();
        for (field, expected) in
            [("transport", transport), ("version", version), ("level", level), ("kind", how)]
        {
            assert_eq!(record[field], expected, "{field} of {record}");
        }
        let user = if level == "authPriv" { serde_json::Value::from("ann") } else { serde_json::Value::Null };
        assert_eq!(record.get("user").cloned().unwrap_or_default(), user, "{record}");
    }
}

/// A running `trunkline listen` to which notifications are posted, ended when dropped.
struct Posted {
    child: Child,
    ports: Vec<u16>,
    lines: Lines<BufReader<ChildStdout>>,
    said: Lines<BufReader<ChildStderr>>,
}

impl Posted {
    fn start(home: &Home, places: &[&str]) -> Self {
        let pki = home.pki();
        let words = [&["listen", "--json", "--pki", &pki][..], places].concat();
        let mut child = home.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let port = |_: &&str| {
            let line = said.next().unwrap().unwrap();
            line.rsplit_once(':').unwrap().1.parse().unwrap_or_else(|_| panic!("{line}"))
        };
        let ports = places.iter().map(port).collect();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Posted { child, ports, lines, said }
    }

    fn next(&mut self) -> serde_json::Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! The program under the name `snmptrapd` beside Net-SNMP's: with the same file and the same notifications both log the same
//! lines, run the same programs with the same input, and confirm the same informs. Without Debian's `snmptrapd` the
//! comparisons are left out.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs;
use std::net::UdpSocket;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use regex::Regex;
use support::Agent;
use tempfile::TempDir;
use trunkline_snmp::wire::{Pdu, PduKind, VarBind};
use trunkline_testkit::has;

const PATIENCE: Duration = Duration::from_secs(120);

/// A running receiver.
struct Receiver {
    child: Child,
    folder: TempDir,
    target: String,
}

/// What a receiver has done.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    out: String,
    /// What its programs read.
    handled: String,
    /// The exit status of each sender.
    sent: Vec<Option<i32>>,
}

/// What each file has besides the test's lines: whoever asks whether it listens is confirmed, and not logged.
const READY: &str = "authCommunity net ready\n";

fn theirs() -> Option<&'static Path> {
    has("snmptrapd", "snmptrapd").then(|| {
        let places = ["/usr/sbin/snmptrapd", "/usr/bin/snmptrapd"].map(Path::new);
        places.into_iter().find(|place| place.exists()).unwrap_or(Path::new("snmptrapd"))
    })
}

fn ours() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_trunkline"))
}

impl Receiver {
    /// Starts it, and returns when it confirms. `@` in the file and the options is its folder.
    fn start(program: &Path, conf: &str, options: &[&str]) -> Self {
        // A free port is tried; should another program take it meanwhile, the next one is.
        let mut said = String::new();
        for _ in 0..5 {
            let mut receiver = Receiver::begin(program, conf, options);
            if receiver.is_ready() {
                return receiver;
            }
            said = receiver.read("out") + &receiver.read("err");
        }
        panic!("it does not start: {said}");
    }

    fn begin(program: &Path, conf: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let placed = |text: &str| text.replace('@', folder.path().to_str().unwrap());
        fs::write(folder.path().join("conf"), placed(conf) + READY).unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let target = format!("127.0.0.1:{port}");
        let mut command = Command::new(program);
        command.arg0("snmptrapd").args(["-f", "-X", "-C", "-c"]).arg(folder.path().join("conf"));
        command.args(options.iter().map(|option| placed(option))).arg(format!("udp:{target}"));
        let out = fs::File::create(folder.path().join("out")).unwrap();
        let err = fs::File::create(folder.path().join("err")).unwrap();
        let child = environment(&mut command, folder.path()).stdout(out).stderr(err).spawn().unwrap();
        Receiver { child, folder, target }
    }

    /// Asking again is the waiting: until it listens the port is closed, and the question ends at once.
    fn is_ready(&mut self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline && self.child.try_wait().unwrap().is_none() {
            if self.confirms() {
                return true;
            }
        }
        false
    }

    fn confirms(&self) -> bool {
        self.send("inform -t 0.5 -r 60 -v2c -c ready @ 1 1.3.6.1.4.1.99999") == Some(0)
    }

    /// Sends a notification; `@` is the receiver.
    fn send(&self, line: &str) -> Option<i32> {
        let mut words = split(line).into_iter();
        let tool = format!("snmp{}", words.next().unwrap());
        let mut command = Command::new(ours());
        command.args(["as", &tool]);
        command.args(words.map(|word| if word == "@" { self.target.clone() } else { word }));
        environment(&mut command, self.folder.path()).output().unwrap().status.code()
    }

    fn signal(&self, name: &str) {
        let killed = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// Waits until a file has this text.
    #[track_caller]
    fn wait_for(&self, file: &str, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.read(file).contains(text) {
            assert!(Instant::now() < deadline, "{text:?} is not in {file}: {}", self.read(file));
            std::thread::yield_now();
        }
    }

    /// Ends it, and returns its standard output once everything that was confirmed is done.
    fn finish(mut self) -> (String, String) {
        // Notifications are handled in their order: what came before this one has been received.
        assert!(self.confirms());
        self.signal("-TERM");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        (normal(&self.read("out")), normal(&self.read("handled")))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn environment<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    let kept = folder.join("kept");
    let _ = fs::create_dir_all(kept.join("cert_indexes"));
    command
        .env("MIBS", "")
        .env("HOME", "/nonexistent")
        .env("XDG_STATE_HOME", &kept)
        .env("SNMPCONFPATH", folder)
        .env("SNMP_PERSISTENT_DIR", &kept)
        .stdin(Stdio::null())
}

/// Without times, ports, and the lines about the programs themselves.
fn normal(text: &str) -> String {
    let time = Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
    let port = Regex::new(r"127\.0\.0\.1\]:\d+").unwrap();
    let own =
        ["NET-SNMP version", "Stopping snmptrapd", "Trunkline", "read /", "refused: ", "Created directory"];
    let lines = text.split_inclusive('\n').filter(|line| !own.iter().any(|own| line.contains(own)));
    let text: String = lines.collect();
    port.replace_all(&time.replace_all(&text, "TIME"), "127.0.0.1]:PORT").into_owned()
}

/// Words separated by white space; text in single quotes is one word.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

fn run(program: &Path, conf: &str, options: &[&str], lines: &[&str]) -> Ran {
    let receiver = Receiver::start(program, conf, options);
    let sent = lines.iter().map(|line| receiver.send(line)).collect();
    let (out, handled) = receiver.finish();
    Ran { out, handled, sent }
}

/// Both do the same; returns what.
#[track_caller]
fn equal(conf: &str, options: &[&str], lines: &[&str]) -> Ran {
    let ours = run(ours(), conf, options, lines);
    if let Some(program) = theirs() {
        assert_eq!(ours, run(program, conf, options, lines), "ours (left) beside Net-SNMP's: {conf}");
    }
    ours
}

/// Notifications of both kinds, and from where an enterprise's and a standard trap differ.
const SOME: [&str; 6] = [
    "trap -v1 -c public @ 1.3.6.1.4.1.9 192.0.2.7 6 17 123456 1.3.6.1.2.1.1.5.0 s 'hi there' 1.3.6.1.2.1.2.2.1.8.3 i 2",
    "trap -v1 -c public @ 1.3.6.1.4.1.9 127.0.0.1 2 0 55 1.3.6.1.2.1.2.2.1.1.3 i 3",
    "trap -v1 -c public @ 1.3.6.1.4.1.9 192.0.2.7 4 0 55",
    "trap -v2c -c public @ 98765432 1.3.6.1.6.3.1.1.5.4 1.3.6.1.2.1.2.2.1.1.3 i 3 1.3.6.1.2.1.1.5.0 x 00ff0a41",
    "trap -v2c -c public @ 1 1.3.6.1.6.3.1.1.5.5",
    "inform -v2c -c public @ 7 1.3.6.1.4.1.9.0.5 1.3.6.1.2.1.1.4.0 s me 1.3.6.1.2.1.1.2.0 o 1.3.6.1.4 1.3.6.1.2.1.4.20.1.1.0 a 1.2.3.4",
];

#[test]
fn lines_are_those_of_snmptrapd() {
    let ran = equal("authCommunity log public\n", &["-Lo"], &SOME);
    let expected = "TIME 192.0.2.7 [192.0.2.7] (via UDP: [127.0.0.1]:PORT->[127.0.0.1]:PORT) TRAP, SNMP v1, community public\n\
                    \tiso.3.6.1.4.1.9 Enterprise Specific Trap (17) Uptime: 0:20:34.56\n\
                    \tiso.3.6.1.2.1.1.5.0 = STRING: \"hi there\"\tiso.3.6.1.2.1.2.2.1.8.3 = INTEGER: 2\n";
    assert!(ran.out.starts_with(expected), "{}", ran.out);
    assert_eq!(ran.sent, [Some(0); 6]);
    equal("authCommunity log public\n", &["-Lo", "-On", "-n"], &[SOME[0], SOME[3], SOME[5]]);
    equal("authCommunity log public\noutputOption qs\n", &["-LOi"], &SOME);
    assert_eq!(equal("authCommunity log public\n", &["-LOw"], &SOME).out, "");
    // Net-SNMP's still logs authenticationFailure of SNMPv2.
    let of_v1 = [SOME[0], SOME[2], SOME[3]];
    equal("authCommunity log public\n", &["-Lo", "-a"], &of_v1);
    equal("authCommunity log public\nignoreAuthFailure yes\n", &["-Lo", "-t"], &of_v1);
    assert_eq!(run(ours(), "authCommunity log public\n", &["-Lo", "-a"], &[SOME[2], SOME[4]]).out, "");
    assert_eq!(run(ours(), "authCommunity log public\ndoNotLogTraps yes\n", &["-Lo"], &SOME).out, "");
    equal("authCommunity log public\n", &["-Lo", "-m", "", "-Ox"], &SOME);
}

#[test]
fn formats_are_read_as_snmptrapd_reads_them() {
    let conf = "authCommunity log public\n";
    let all = "%%%a|A=%A|b=%b|B=%B|E=%E|P=%P|s=%s|S=%S|u=%u|v=%v|#v=%#v|%.4y|%z|\\t\\x\\\\|%V;%v|%V, %v|\\n";
    equal(conf, &["-Lo", "-On", "-F", all], &SOME);
    let of_v1 = "N=%N|q=%q|T=%T|w=%w|W=%W|#T=%#T|%.3N\\n";
    equal(conf, &["-Lo", "-On", "-F", of_v1], &SOME[..3]);
    let files = format!("{conf}format1 one %W %N\\n\nformat2 \"two\" %v\\n\n");
    let ran = equal(&files, &["-Lo", "-On"], &SOME);
    assert!(
        ran.out.contains("one Link Down .1.3.6.1.4.1.9\n") && ran.out.contains("\"two\" .1.3.6"),
        "{ran:?}"
    );
    equal(&format!("{conf}format print p %P\\n\nformat print2 q %P\\n\n"), &["-Lo"], &SOME);
    // Of SNMPv2, snmptrapd knows no generic-trap: each is a cold start.
    let ran = run(ours(), conf, &["-Lo", "-F", of_v1], &[SOME[3], SOME[5]]);
    assert!(
        ran.out.starts_with("N=iso.3.6.1.6.3.1.1.5|q=0|T=98765432|w=3|W=Link Up|#T=11 days, 10:20:54.32|"),
        "{ran:?}"
    );
    assert!(ran.out.contains("\nN=iso.3.6.1.4.1.9|q=.5|T=7|w=6|W=Enterprise Specific|"), "{ran:?}");
    // Columns, and the time.
    let ran = run(
        ours(),
        conf,
        &["-Lo", "-F", "[%8s][%-8s][%08s][%.3t]%H:%J %Y-%M-%L|%h:%j %y-%m-%l\\n"],
        &[SOME[4]],
    );
    assert!(ran.out.starts_with("[       1][1       ][00000001]["), "{ran:?}");
    let (with_capitals, with_small) = ran.out.trim().rsplit_once(']').unwrap().1.split_once('|').unwrap();
    assert_eq!(with_capitals, with_small);
}

#[test]
fn programs_read_what_those_of_snmptrapd_read() {
    let handler = "/bin/sh -c '{ echo \"$0 $*\"; cat; } >> @/handled'";
    let lines = [
        format!("traphandle 1.3.6.1.6.3.1.1.5.3 {handler} linkDown \"a b\" $((6*7))"),
        format!("traphandle 1.3.6.1.6.3.1.1.5* {handler} five"),
        format!("traphandle .1.3.6.1.4.1.9.* {handler} nine"),
        format!("traphandle .1.3.6.1.4.1.9.0.5 {handler} exact"),
        format!("traphandle .1.3.6.1.4.1.9.0.5 {handler} exact-too"),
        format!("traphandle default {handler} rest"),
        format!("traphandle default {handler} rest-first"),
    ];
    let conf = format!("authCommunity execute public\nauthCommunity log logged\n{}\n", lines.join("\n"));
    let mut sent = SOME.to_vec();
    sent.extend([
        "trap -v2c -c public @ 5 1.3.6.1.4.1.10",
        "trap -v2c -c public @ 5 1.3.6.1.4.1.9",
        "trap -v2c -c public @ 5 1.3.6.1.6.3.1.1.5",
        "trap -v2c -c logged @ 5 1.3.6.1.4.1.10",
    ]);
    let ran = equal(&conf, &["-Lo"], &sent);
    assert!(
        ran.handled.contains("linkDown a b 42\nlocalhost\nUDP: [127.0.0.1]:PORT->[127.0.0.1]:PORT\n"),
        "{ran:?}"
    );
    assert_eq!(ran.out.lines().count(), 2, "{ran:?}");
    let format = "format execute %B %P\\n%v\\n";
    equal(&format!("authCommunity execute public\n{format}\n{}\n", lines[5]), &["-Lo", "-On"], &SOME);
    // A program that never ends is not waited for, and the next notification is received.
    let conf = format!("authCommunity log,execute public\ntraphandle default {handler}; exit 3\n");
    let receiver = Receiver::start(ours(), &conf, &["-Lo"]);
    assert_eq!(receiver.send(SOME[5]), Some(0));
    receiver.wait_for("out", "ended with exit status: 3");
    receiver.finish();
}

#[test]
fn rights_are_those_of_snmptrapd() {
    let conf = "authCommunity log public\nauthCommunity execute private\nauthCommunity log far 10.0.0.0/8\n\
                authCommunity log near 127.0.0.0/8\nauthCommunity log some 127.0.0.1 .1.3.6.1.6.3.1.1.5.3\n\
                createUser ann SHA-256 maplesyrup AES sugarmaple\ncreateUser bob SHA-256 maplesyrup\ncreateUser cat\n\
                createUser grp SHA-256 maplesyrup\ncreateUser nil SHA-256 maplesyrup\n\
                authUser log ann priv\nauthUser log bob\nauthUser log cat noauth\n\
                view v included .1.3.6.1.6.3.1.1.5\nview v excluded .1.3.6.1.6.3.1.1.5.4\n\
                group g usm grp\ngroup g v2c sec\ncom2sec sec default ofgroup\nauthAccess log g v\n";
    let auth = "-a SHA-256 -A maplesyrup";
    let privacy = "-x AES -X sugarmaple";
    // Who, and whether linkDown and linkUp are confirmed.
    let senders = [
        ("-v2c -c public".to_owned(), [true, true]),
        ("-v2c -c private".to_owned(), [true, true]),
        ("-v2c -c far".to_owned(), [false, false]),
        ("-v2c -c near".to_owned(), [true, true]),
        ("-v2c -c some".to_owned(), [true, false]),
        ("-v2c -c ofgroup".to_owned(), [false, false]),
        ("-v2c -c unknown".to_owned(), [false, false]),
        (format!("-v3 -u ann -l authPriv {auth} {privacy}"), [true, true]),
        (format!("-v3 -u ann -l authNoPriv {auth}"), [false, false]),
        (format!("-v3 -u bob -l authNoPriv {auth}"), [true, true]),
        ("-v3 -u bob -l noAuthNoPriv".to_owned(), [false, false]),
        ("-v3 -u cat -l noAuthNoPriv -n context".to_owned(), [true, true]),
        (format!("-v3 -u grp -l authNoPriv {auth}"), [true, false]),
        (format!("-v3 -u nil -l authNoPriv {auth}"), [false, false]),
        ("-v3 -u dan -l noAuthNoPriv".to_owned(), [false, false]),
    ];
    let (mut lines, mut expected) = (Vec::new(), Vec::new());
    for (sender, are_confirmed) in &senders {
        for (is_confirmed, last) in are_confirmed.iter().zip([3, 4]) {
            // Silence has no event that could be waited for.
            let patience = if *is_confirmed { "-t 5 -r 20" } else { "-t 0.3 -r 0" };
            lines.push(format!("inform {patience} {sender} @ 7 1.3.6.1.6.3.1.1.5.{last}"));
            expected.push(Some(i32::from(!is_confirmed)));
        }
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let ran = equal(conf, &["-Lo", "-On", "-F", "%P %v\\n"], &lines);
    assert!(ran.out.contains("INFORM, SNMP v3, user cat, context context "), "{ran:?}");
    assert_eq!(ran.sent, expected, "{ran:?}");
}

#[test]
fn traps_of_users_come_from_their_engines() {
    let conf = "createUser -e 0x8000000001020304 ann SHA-256 maplesyrup AES sugarmaple\nauthUser log ann\n";
    let user = "-u ann -l authPriv -a SHA-256 -A maplesyrup -x AES -X sugarmaple";
    let receiver = Receiver::start(ours(), conf, &["-Lo", "-F", "%P %S\\n"]);
    assert_eq!(
        receiver.send(&format!("trap -v3 -e 0x8000000001020304 {user} @ 7 1.3.6.1.6.3.1.1.5.3")),
        Some(0)
    );
    assert_eq!(
        receiver.send(&format!("trap -v3 -e 0x8000000001020305 {user} @ 7 1.3.6.1.6.3.1.1.5.3")),
        Some(0)
    );
    receiver.wait_for("out", "refused: a message from udp://");
    let (out, _) = receiver.finish();
    assert_eq!(out, "TRAP2, SNMP v3, user ann, context  3\n");
    // Without -e its traps may come from every engine: more than in snmptrapd, where it can only send informs.
    let anywhere = conf.replace("-e 0x8000000001020304 ", "");
    let trap = format!("trap -v3 -e 0x8000000001020305 {user} @ 7 1.3.6.1.6.3.1.1.5.3");
    let ran = run(ours(), &anywhere, &["-Lo", "-F", "%u\\n"], &[&trap]);
    assert_eq!(ran.out, "ann\n");
}

/// A community, and what came with it.
type Heard = (Vec<u8>, PduKind, Vec<VarBind>);

#[test]
fn what_is_forwarded_arrives_as_it_came() {
    let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
    let kept = Arc::clone(&heard);
    let other = Agent::new(move |message| {
        let Pdu { kind, bindings, .. } = message.pdu;
        kept.lock().unwrap().push((message.community, kind, bindings.clone()));
        (kind == PduKind::Inform).then(|| Pdu::new(PduKind::Response, 0, bindings))
    });
    let conf = format!(
        "authCommunity net public\nauthCommunity log,execute private\nforward 1.3.6.1.4.1.9.0.5 udp:{0}\n\
         forward 1.3.6.1.6.3.1.1.5* {0}\n",
        other.target()
    );
    let private = SOME[5].replace("public", "private");
    let lines = [SOME[3], SOME[5], &private];
    let of = |program: &Path| {
        let ran = run(program, &conf, &["-Lo", "-F", "%u\\n"], &lines);
        assert_eq!(ran.out, "private\n");
        // An inform may be repeated before it is confirmed.
        let mut heard = std::mem::take(&mut *heard.lock().unwrap());
        heard.dedup();
        heard
    };
    let ours = of(ours());
    assert_eq!(ours.iter().map(|(_, kind, _)| *kind).collect::<Vec<_>>(), [PduKind::TrapV2, PduKind::Inform]);
    if let Some(program) = theirs() {
        assert_eq!(ours, of(program));
    }
}

#[test]
fn sighup_reads_the_files_again_and_opens_logs_again() {
    let receiver = Receiver::start(ours(), "authCommunity log public\n", &["-Lf", "@/log", "-F", "%u\\n"]);
    let at = |name: &str| receiver.folder.path().join(name);
    receiver.send("trap -v2c -c public @ 7 1.3.6.1.6.3.1.1.5.4");
    receiver.wait_for("log", "public\n");
    fs::rename(at("log"), at("old")).unwrap();
    fs::write(at("conf"), format!("{READY}authCommunity log private\n")).unwrap();
    receiver.signal("-HUP");
    receiver.wait_for("log", "has read its files again");
    receiver.send("trap -v2c -c public @ 7 1.3.6.1.6.3.1.1.5.4");
    receiver.send("trap -v2c -c private @ 7 1.3.6.1.6.3.1.1.5.4");
    receiver.wait_for("log", "private\n");
    assert!(!receiver.read("log").contains("public"), "{}", receiver.read("log"));
    // A file that is gone leaves everything as it was.
    fs::remove_file(at("conf")).unwrap();
    receiver.signal("-HUP");
    receiver.wait_for("log", "the configuration stays as it was: cannot read ");
    receiver.finish();
}

#[test]
fn the_background_is_entered_once_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("conf"), format!("{READY}pidFile {}\n", at("pid"))).unwrap();
    let started = |place: &str| {
        let mut command = Command::new(ours());
        command.arg0("snmptrapd").args(["-C", "-c", &at("conf"), "-Lf", &at("log"), place]);
        environment(&mut command, folder.path()).output().unwrap()
    };
    let out = started("udp:127.0.0.1:0");
    assert!(out.status.success(), "{out:?}");
    let pid = fs::read_to_string(at("pid")).unwrap();
    assert!(fs::read_to_string(at("log")).unwrap().contains("listening on udp://127.0.0.1:"));
    let killed = Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    let deadline = Instant::now() + PATIENCE;
    while Path::new(&at("pid")).exists() {
        assert!(Instant::now() < deadline, "the pid file stays");
        std::thread::yield_now();
    }
    // An address that nobody has.
    let out = started("udp:192.0.2.1:1162");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("snmptrapd: cannot listen on udp://192.0.2.1:1162"),
        "{out:?}"
    );
}

#[test]
fn what_is_not_done_is_reported_at_the_start() {
    let conf = "foo bar\nauthCommunity read public\ntraphandle default\ntraphandle nothing /bin/true\nforward default\n\
                createUser dan SHA secretsecret ROT13\nagentXSocket /x\nperl x\nsqlMaxQueue 1\nview a b c\nformat x y\n\
                usmUser 1 3 0x80 0x646f7200 0x646f7200 NULL .1 0x .1 0x \"\"\nsetAccess a b c\nauthGroup log g\nauthCommunity log c default -v nix\n\
                doNotRetainNotificationLogs yes\nengineBoots 3\n";
    let receiver = Receiver::start(ours(), conf, &["-Lo", "-d", "-x", "/x", "-OQ"]);
    let out = receiver.read("out");
    for (line, words) in [
        (1, "foo: unknown directive"),
        (2, "authCommunity: \"read\" is not a type of processing: expected log, execute or net"),
        (3, "traphandle: lacks its command"),
        (4, "traphandle: \"nothing\" is not a known notification"),
        (5, "forward: lacks its destination"),
        (6, "createUser: \"ROT13\" is not a known privacy protocol"),
        (7, "agentXSocket: notifications are not kept for NOTIFICATION-LOG-MIB"),
        (8, "perl: Perl is not embedded: use traphandle"),
        (9, "sqlMaxQueue: there is no database: use traphandle"),
        (10, "view: \"b\": expected included or excluded"),
        (11, "format: \"x\" is not print, syslog or execute"),
        (12, "usmUser: the user \"dor\" is not taken, its keys are for the engine ID of snmptrapd"),
        (13, "setAccess: gives no rights here"),
        (14, "authGroup: the group \"g\" has no members here"),
    ] {
        assert!(out.contains(&format!("/conf:{line}: {words}")), "{words} {out}");
    }
    for words in ["there is no view \"nix\"", "-d: messages are not dumped", "-x: notifications are not kept"]
    {
        assert!(out.contains(words), "{words} {out}");
    }
    assert!(!out.contains("secretsecret") && !out.contains(":16:") && !out.contains(":17:"), "{out}");
    drop(receiver);
    for (options, status, words) in [
        (&["-h"][..], 0, "Usage: snmptrapd [OPTIONS]"),
        (&["-v"], 0, "called as snmptrapd"),
        (&["-H"], 0, "    traphandle "),
        (&["-Z"], 1, "snmptrapd: -Z is not an option"),
        (&["-f", "-C", "tlstcp:10162"], 1, "TLS and DTLS are not listened on under this name"),
        (&["-f", "-C", "udp:nowhere.invalid"], 1, "udp:nowhere.invalid: no IPv4 address"),
        (&["-f", "-C", "-c", "/nonexistent/x"], 1, "snmptrapd: cannot read /nonexistent/x: "),
        (&["-f", "-C", "-OZ"], 1, "Unknown output option passed to -O: Z."),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(ours());
        let out =
            environment(command.args(["as", "snmptrapd"]).args(options), folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(status) && text.contains(words), "{options:?} {text}");
    }
}

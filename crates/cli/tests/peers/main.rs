//! The program and other engines, SNMP4J and pysnmp: it queries their agents, receives their notifications, and
//! they receive ours.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic")]

use crate::support;

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use support::{texts, trunkline};
use tempfile::TempDir;
use trunkline_testkit::peer::{Kind, Peer};

/// A user whose name contains its protocols.
#[derive(Clone, Copy)]
struct Who {
    auth: &'static str,
    privacy: &'static str,
}

const AUTH_PASSWORD: &str = "authentic-words";
const PRIV_PASSWORD: &str = "private-words";

/// Each level, the weakest and the strongest, and both ways to extend keys.
const USERS: [Who; 8] = [
    Who { auth: "-", privacy: "-" },
    Who { auth: "MD5", privacy: "DES" },
    Who { auth: "SHA", privacy: "AES" },
    Who { auth: "SHA-256", privacy: "-" },
    Who { auth: "SHA-224", privacy: "AES-192" },
    Who { auth: "SHA-384", privacy: "AES-256" },
    Who { auth: "SHA", privacy: "AES-256-C" },
    Who { auth: "SHA-512", privacy: "AES-192-C" },
];

impl Who {
    fn name(&self) -> String {
        format!("{}_{}", self.auth, self.privacy).replace('-', "")
    }

    fn level(&self) -> u8 {
        1 + u8::from(self.auth != "-") + u8::from(self.privacy != "-")
    }

    /// As the peers' commands say it.
    fn word(&self) -> String {
        format!("{}:{}", self.level(), self.name())
    }

    fn introduce(&self, peer: &mut Peer) {
        let word = |protocol: &str, password: &'static str| if protocol == "-" { "-" } else { password };
        let auth = (self.auth, word(self.auth, AUTH_PASSWORD));
        peer.user(&self.name(), auth, (self.privacy, word(self.privacy, PRIV_PASSWORD)));
    }

    /// Our options; the passwords are in the variables.
    fn options(&self) -> Vec<String> {
        let level = ["noAuthNoPriv", "authNoPriv", "authPriv"][usize::from(self.level()) - 1];
        let mut options =
            vec!["-v3".to_owned(), "-u".to_owned(), self.name(), "-l".to_owned(), level.to_owned()];
        for (letter, protocol) in [("-a", self.auth), ("-x", self.privacy)] {
            if protocol != "-" {
                options.extend([letter.to_owned(), protocol.to_owned()]);
            }
        }
        options
    }

    /// A user of the file that `listen` reads.
    fn toml(&self) -> String {
        let mut text = format!("[[user]]\nname = '{}'\n", self.name());
        if self.auth != "-" {
            text += &format!("auth = '{}'\nauth-password = '{AUTH_PASSWORD}'\n", self.auth);
        }
        if self.privacy != "-" {
            text += &format!("priv = '{}'\npriv-password = '{PRIV_PASSWORD}'\n", self.privacy);
        }
        text
    }
}

/// `trunkline` with the passwords in its variables; its output, or its error message.
fn ours(home: &TempDir, words: &[&str]) -> Result<String, String> {
    let mut command = trunkline(words);
    command.env("XDG_STATE_HOME", home.path());
    command.env("TRUNKLINE_AUTH_PASSWORD", AUTH_PASSWORD).env("TRUNKLINE_PRIV_PASSWORD", PRIV_PASSWORD);
    let output = command.output().unwrap();
    let (out, err) = texts(&output);
    if output.status.success() { Ok(out) } else { Err(err) }
}

fn strings(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

const SYS_NAME: &str = ".1.3.6.1.2.1.1.5.0";

fn agents_are_asked(kind: Kind) {
    let Some(mut peer) = Peer::start(kind) else { return };
    USERS.iter().for_each(|who| who.introduce(&mut peer));
    let target = format!("127.0.0.1:{}", peer.agent());
    let home = tempfile::tempdir().unwrap();
    let communities = [&["-v1", "-c", "public"][..], &["-v2c", "-c", "public"]];
    let communities = communities.map(|words| words.iter().map(|&word| word.to_owned()).collect());
    for options in communities.into_iter().chain(USERS.iter().map(Who::options)) {
        let asked = |words: &[&str], more: &[&str]| {
            let words = [words, &["-m", "", "-On"], &strings(&options), &[&target], more].concat();
            ours(&home, &words).unwrap_or_else(|fault| panic!("{kind:?} {options:?}: {fault}"))
        };
        let name = options.concat().replace('-', "_");
        let named = format!("{SYS_NAME} = STRING: \"{name}\"\n");
        assert_eq!(asked(&["set"], &[SYS_NAME, "s", &name]), named, "{kind:?}");
        assert_eq!(asked(&["get"], &[SYS_NAME]), named, "{kind:?}");
        // What it does not serve cannot be set, and its refusal is understood.
        let words = [&["set", "-m", ""], &strings(&options)[..], &[&target, ".1.3.6.1.2.1.1.9.9", "i", "1"]];
        let refused = ours(&home, &words.concat()).unwrap_err();
        let word = if name == "_v1_cpublic" { "noSuchName" } else { "notWritable" };
        assert!(refused.contains(word), "{kind:?} {options:?}: {refused}");
        assert_eq!(asked(&["walk"], &[".1.3.6.1.2.1.1"]).lines().count(), 4, "{kind:?} {options:?}");
    }
    // A wrong password is reported; but SNMP4J signs and encrypts that Report, with the keys that we do not have.
    let words =
        if kind == Kind::Snmp4j { "messages came that answer nothing" } else { "usmStatsWrongDigests" };
    let mut command = trunkline(&["get", "-v3", "-u", "SHA_AES", "-l", "authPriv", "-a", "SHA", "-t", "0.3"]);
    command.args([&target, SYS_NAME]).env("TRUNKLINE_AUTH_PASSWORD", "another word");
    let output = command.env("TRUNKLINE_PRIV_PASSWORD", PRIV_PASSWORD).output().unwrap();
    assert!(texts(&output).1.contains(words), "{kind:?}: {}", texts(&output).1);
}

#[test]
fn snmp4js_agent_is_queried() {
    agents_are_asked(Kind::Snmp4j);
}

#[test]
fn pysnmps_agent_is_queried() {
    agents_are_asked(Kind::Pysnmp);
}

/// The engine that our traps come from.
const ENGINE: &str = "80001f8804746573742d6f757273";

fn they_receive(kind: Kind) {
    let Some(mut peer) = Peer::start(kind) else { return };
    USERS.iter().for_each(|who| who.introduce(&mut peer));
    let target = format!("127.0.0.1:{}", peer.listen());
    let home = tempfile::tempdir().unwrap();
    let what = [".1.3.6.1.6.3.1.1.5.3", ".1.3.6.1.2.1.2.2.1.2.2", "s", "eth0"];
    let mut sent = |words: &[&str], expected: &str| {
        let words = [words, &["-m", ""], &[&target, "99"], &what].concat();
        ours(&home, &words).unwrap_or_else(|fault| panic!("{kind:?} {words:?}: {fault}"));
        let came = peer.notification();
        assert!(came.starts_with(expected), "{kind:?} {words:?}: {came}");
        assert!(came.contains("1.3.6.1.2.1.2.2.1.2.2=eth0"), "{kind:?} {words:?}: {came}");
    };
    // One calls a trap of SNMPv1 what it is, the other translates it.
    let v1 = if kind == Kind::Snmp4j { "V1TRAP 0 1:public" } else { "TRAP 0 1:public" };
    sent(&["trap", "-v1", "-c", "public"], v1);
    sent(&["trap", "-v2c", "-c", "public"], "TRAP 1 1:public");
    sent(&["inform", "-v2c", "-c", "public"], "INFORM 1 1:public");
    for who in USERS {
        let options = who.options();
        let expected = format!("INFORM 3 {}", who.word());
        sent(&[&["inform"], &strings(&options)[..]].concat(), &expected);
    }
    for who in USERS {
        peer.ask(&format!("sender {} {ENGINE}", who.name()));
        let options = who.options();
        let words =
            [&["trap"], &strings(&options)[..], &["-m", "", "-e", ENGINE, &target, "99"], &what].concat();
        ours(&home, &words).unwrap_or_else(|fault| panic!("{kind:?} {words:?}: {fault}"));
        let came = peer.notification();
        assert!(came.starts_with(&format!("TRAP 3 {}", who.word())), "{kind:?} {words:?}: {came}");
        assert!(came.contains("1.3.6.1.2.1.2.2.1.2.2=eth0"), "{kind:?} {words:?}: {came}");
    }
}

#[test]
fn snmp4j_receives_ours() {
    they_receive(Kind::Snmp4j);
}

#[test]
fn pysnmp_receives_ours() {
    they_receive(Kind::Pysnmp);
}

/// `trunkline listen` with all users.
struct Listener {
    child: Child,
    out: Receiver<String>,
    _err: Lines<BufReader<ChildStderr>>,
    _home: TempDir,
    address: String,
}

impl Listener {
    fn start() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let users = home.path().join("users.toml");
        std::fs::write(&users, USERS.iter().map(Who::toml).collect::<String>()).unwrap();
        std::fs::set_permissions(&users, std::fs::Permissions::from_mode(0o600)).unwrap();
        let mut child =
            trunkline(&["listen", "--json", "--users", users.to_str().unwrap(), "udp:127.0.0.1:0"])
                .env("XDG_STATE_HOME", home.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut err = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = err.by_ref().map(Result::unwrap);
        let address = said.find_map(|line| Some(line.split_once("listening on udp://")?.1.replace(':', "/")));
        let (send, lines) = channel();
        std::thread::spawn(move || out.map(|line| send.send(line)).all(|sent| sent.is_ok()));
        Listener { child, out: lines, _err: err, _home: home, address: address.unwrap() }
    }

    fn next(&self) -> Value {
        let line = self.out.recv_timeout(Duration::from_secs(20)).expect("a notification");
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn we_receive(kind: Kind) {
    let Some(mut peer) = Peer::start(kind) else { return };
    USERS.iter().for_each(|who| who.introduce(&mut peer));
    let listener = Listener::start();
    let address = listener.address.clone();
    let communities = [("v1:public", "v1", 1), ("v2c:public", "v2c", 1)];
    let communities = communities.map(|(word, version, level)| (word.to_owned(), version, level));
    let users = USERS.iter().map(|who| (who.word(), "v3", who.level()));
    for (word, version, level) in communities.into_iter().chain(users) {
        for command in ["trap", "inform"] {
            if version == "v1" && command == "inform" {
                continue;
            }
            let what = "1.3.6.1.6.3.1.1.5.3 1.3.6.1.2.1.2.2.1.2.2 s eth0";
            peer.ask(&format!("{command} {address} {word} {what}"));
            let came = listener.next();
            assert_eq!(
                (&came["version"], &came["kind"]),
                (&version.into(), &command.into()),
                "{kind:?}: {came}"
            );
            assert_eq!(came["authenticated"], level > 1, "{kind:?} {word}: {came}");
            let expected = ["noAuthNoPriv", "authNoPriv", "authPriv"][usize::from(level) - 1];
            assert_eq!(came["level"], expected, "{kind:?} {word}: {came}");
            assert_eq!(came["oid"], "1.3.6.1.6.3.1.1.5.3", "{kind:?} {word}: {came}");
            assert_eq!(came["bindings"][0]["text"], "eth0", "{kind:?} {word}: {came}");
        }
    }
}

#[test]
fn we_receive_snmp4js() {
    we_receive(Kind::Snmp4j);
}

#[test]
fn we_receive_pysnmps() {
    we_receive(Kind::Pysnmp);
}

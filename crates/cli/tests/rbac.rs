//! `trunkline rbac` with running agents: keys are deployed, tokens open sessions, a revocation ends them, and what a device could not be
//! sent it gets later.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

mod support;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value as Json;
use support::{Trunklined, texts, trunkline};
use trunkline_client::netconf::{NetconfOptions, NetconfSession};
use trunkline_client::{Defaults, NetconfTarget};
use trunkline_login::token::RoleToken;
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};

/// A folder with certificates and an authority of roles.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let world = World { folder: tempfile::tempdir().unwrap() };
        let directory = Directory::at(world.path("pki"));
        let name = |text: &str| Name::new(text).unwrap();
        directory.init(&AuthorityOptions::named(name("Test CA")), false).unwrap();
        for (role, of) in [(Role::Agent, "localhost"), (Role::Manager, "max")] {
            directory.issue(role, &name(of), &LeafOptions::default(), Storing::default()).unwrap();
        }
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// An agent that max configures over TLS at this port, and that takes protected messages over TCP.
    fn agent(&self, port: u16) -> Option<Trunklined> {
        let config = format!(
            "[agent]\nstate = \"STATE\"\n[netconf]\ndevice = \"router-1\"\nlisten = [\"tls://127.0.0.1:{port}\", \"tcp://127.0.0.1:0\"]\ncommunity = \"public\"\n\
             [snmp]\nlisten = []\n[snmp.tls]\ndirectory = \"{}\"\n[[snmp.community]]\nname = \"public\"\nrole = \"some\"\n\
             sources = [\"192.0.2.0/24\"]\n[[role]]\nname = \"some\"\nread = [\"1.3.6.1.2.1.1\"]\n\
             [[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n[[snmp.principal]]\nname = \"max\"\nrole = \"writer\"\n",
            self.path("pki").display()
        );
        Trunklined::start(&config, &["tls", "tcp"])
    }

    /// Runs a command of `rbac`; what it printed.
    #[track_caller]
    fn run(&self, words: &[&str], status: i32) -> (String, String) {
        let output = self.command(words).output().unwrap();
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(status), "{words:?}\n{out}\n{err}");
        self.check_secrets(&(out.clone() + &err));
        (out, err)
    }

    fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = trunkline(&["rbac", "--dir"]);
        command.arg(self.path("rbac")).args(words);
        if matches!(words[0], "deploy" | "revoke") {
            command.arg("--pki").arg(self.path("pki")).arg("-t").arg("5");
        }
        command
    }

    /// No secret of the authority is in a text.
    #[track_caller]
    fn check_secrets(&self, text: &str) {
        let all = std::fs::read_to_string(self.path("rbac/authority.toml")).unwrap_or_default();
        for secret in all.split('"').filter(|word| word.len() == 64) {
            assert!(!text.contains(secret), "{text}");
        }
    }

    fn json(&self, words: &[&str], status: i32) -> Json {
        serde_json::from_str(&self.run(words, status).0).unwrap()
    }

    /// An authority whose role `some` ann and bob have.
    fn authority(&self) {
        self.run(&["init"], 0);
        self.run(&["role", "add", "some"], 0);
        self.run(&["assign", "ann", "some"], 0);
        self.run(&["assign", "bob", "some"], 0);
    }

    fn add(&self, name: &str, port: &str) {
        self.run(&["device", "add", &format!("netconf+tls://localhost:{port}"), "--name", name], 0);
    }
}

fn port(address: &str) -> &str {
    address.rsplit(':').next().unwrap()
}

async fn open(agent: &Trunklined, token: &Path) -> Result<NetconfSession, String> {
    let target = format!("netconf+tcp://{}", agent.address(1));
    let target = NetconfTarget::parse(&target, &Defaults::default()).unwrap();
    let keys = RoleToken::read(token).map_err(|fault| fault.to_string())?.into_keys();
    let options = NetconfOptions::default().with_keys(Some(keys));
    let session = NetconfSession::open(&target, options).await.map_err(|fault| fault.to_string())?;
    reads(&session).await.map(|()| session)
}

async fn reads(session: &NetconfSession) -> Result<(), String> {
    let get = b"<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system><sysName/></system></SNMPv2-MIB></filter></get>";
    session.data(get).await.map(drop).map_err(|fault| fault.to_string())
}

#[test]
fn a_revocation_ends_sessions_and_reaches_a_device_that_was_away() {
    let world = World::new();
    let Some(here) = world.agent(0) else { return };
    world.authority();
    // The port of an agent that is not there yet.
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    world.add("here", port(here.address(0)));
    world.add("there", &away.to_string());
    let (out, err) = world.run(&["deploy"], 1);
    assert!(out.contains("here  acknowledged after ") && out.contains("there  pending: "), "{out}");
    assert!(out.contains("1 device acknowledged") && out.contains(": 2 messages, "), "{out}");
    assert!(err.contains("1 device behind"), "{err}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    let session = runtime.block_on(open(&here, &ann)).unwrap();

    let report = world.json(&["revoke", "ann", "some", "--json"], 1);
    assert_eq!(
        (&report["epoch"], &report["acknowledged"], &report["pending"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert!(
        report["seconds"].as_f64().unwrap() > 0.0 && report["octets"].as_u64().unwrap() > 500,
        "{report}"
    );
    let refused = runtime.block_on(reads(&session)).unwrap_err();
    assert!(refused.contains("not valid") || refused.contains("valid now"), "{refused}");
    assert!(runtime.block_on(open(&here, &ann)).is_err());
    let (bob, _) = world.run(&["token", "bob", "some"], 0);
    assert!(runtime.block_on(open(&here, Path::new(bob.trim()))).is_ok());
    let (_, err) = world.run(&["token", "ann", "some"], 2);
    assert!(err.contains("ann does not have the role some"), "{err}");

    let there = world.agent(away).unwrap();
    let status = world.json(&["status", "--json"], 0);
    assert_eq!(status["devices"][1]["state"], "pending", "{status}");
    // The same command again serves who is behind.
    let (out, err) = world.run(&["revoke", "ann", "some"], 0);
    assert!(out.contains("there  acknowledged") && out.contains("1 had everything"), "{out}");
    assert!(err.contains("nothing is revoked"), "{err}");
    assert!(runtime.block_on(open(&there, &ann)).is_err());
    assert!(runtime.block_on(open(&there, Path::new(bob.trim()))).is_ok());
    assert!(world.run(&["deploy"], 0).0.contains("2 had everything"));
    let (out, _) = world.run(&["deploy", "--all", "here"], 0);
    assert!(out.contains("1 device acknowledged"), "{out}");
    let (out, _) = world.run(&["status"], 0);
    assert!(out.contains("some  2      bob") && out.contains("0 of 2 devices behind"), "{out}");
}

/// A message for a device in files: sealed by a token, relayed without it, opened by it; and errors say what is wrong.
#[test]
fn a_message_for_a_device_passes_through_files() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    world.run(&["deploy", "a"], 0);
    let file = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let (ann, bob) = (file("ann.toml"), file("bob.toml"));
    world.run(&["token", "ann", "some", "--output", &ann], 0);
    world.run(&["token", "bob", "some", "--output", &bob], 0);
    let operation = file("operation.xml");
    let netconf = |words: &[&str], status| {
        let words = [&["netconf"], words].concat();
        let (out, err) = support::run(&words, status);
        world.check_secrets(&(out.clone() + &err));
        (out, err)
    };
    let get = "<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system><sysName/></system></SNMPv2-MIB></filter></get>";
    std::fs::write(&operation, get).unwrap();
    let (request, reply) = (file("request.xml"), file("reply.xml"));
    let router = format!("netconf+tcp://{}", agent.address(1));
    let seal = ["seal", "--keys", &ann, "--device", "router-1", "--output", &request, &operation];
    netconf(&seal, 0);
    let relay = ["relay", "--output", &reply, &router, &request];
    netconf(&relay, 0);
    let (out, _) = netconf(&["open", "--keys", &ann, &request, &reply], 0);
    assert!(out.contains("<sysName>"), "{out}");
    // Others have no use for it.
    let (_, err) = netconf(&["open", "--keys", &bob, &request, &reply], 1);
    assert!(err.contains("not a message that these keys have sealed"), "{err}");
    netconf(&relay, 0);
    let (_, err) = netconf(&["open", "--keys", &ann, &request, &reply], 1);
    assert!(err.contains("was accepted before"), "{err}");
    // The reply is to another message now.
    netconf(&seal, 0);
    let (_, err) = netconf(&["open", "--keys", &ann, &request, &reply], 1);
    assert!(err.contains("to another message"), "{err}");
    let (_, err) = netconf(&["open", "--keys", &ann, &request, &operation], 1);
    assert!(err.contains("without protection"), "{err}");
    let (_, err) = netconf(&["relay", &router, &operation], 1);
    assert!(err.contains("not a protected message"), "{err}");
    let (_, err) = netconf(&["relay", "--keys", &ann, &router, &request], 2);
    assert!(err.contains("without --keys"), "{err}");
    let other = ["seal", "--keys", &ann, "--device", "router-2", "--output", &request, &operation];
    netconf(&other, 0);
    let (_, err) = netconf(&["relay", &router, &request], 1);
    assert!(err.contains("for the device router-2, and this one is called router-1"), "{err}");
    for (words, expected) in [
        (["--expires", "31d", "--device", "a"], "1d to 30d"),
        (["--expires", "1h", "--device", "a b"], "cannot be part of a name"),
    ] {
        let words = [&["seal", "--keys", ann.as_str()], words.as_slice(), &[operation.as_str()]].concat();
        let (_, err) = netconf(&words, 2);
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn the_old_epoch_has_a_grace() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    world.run(&["deploy", "a"], 0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    world.run(&["revoke", "ann", "some", "--grace", "1h"], 0);
    assert!(runtime.block_on(open(&agent, &ann)).is_ok());
    let (out, _) = world.run(&["role", "list"], 0);
    assert!(out.contains("1      until 2"), "{out}");
    // A second revocation without a grace ends both.
    world.run(&["revoke", "bob", "some"], 0);
    assert!(runtime.block_on(open(&agent, &ann)).is_err());
    assert_eq!(world.json(&["role", "list", "--json"], 0)[0]["expiring"], Json::Array(Vec::new()));
}

/// A policy that is refused keeps no keys from a device.
#[test]
fn a_refused_policy_leaves_the_keys() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    let file = world.path("policy.xml");
    std::fs::write(&file, "<rbac xmlns=\"urn:trunkline:yang:rbac\"><nonsense/></rbac>").unwrap();
    world.run(&["policy", file.to_str().unwrap()], 0);
    let report = world.json(&["deploy", "--json"], 1);
    assert_eq!((&report["pending"], &report["messages"]), (&1.into(), &2.into()), "{report}");
    assert!(report["devices"][0]["error"].as_str().unwrap().starts_with("the policy: "), "{report}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (bob, _) = world.run(&["token", "bob", "some"], 0);
    assert!(runtime.block_on(open(&agent, Path::new(bob.trim()))).is_ok());
    assert_eq!(world.json(&["status", "--json"], 0)["devices"][0]["behind"], 1);
}

/// Killed between two devices, it has lost nothing: the next deployment serves only the other one.
#[test]
fn a_killed_deployment_is_completed_by_the_next() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = silent.local_addr().unwrap().port();
    world.add("a", port(agent.address(0)));
    world.add("b", &away.to_string());
    let mut command = world.command(&["deploy", "--parallel", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let first = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    assert!(first.starts_with("a  acknowledged"), "{first}");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(silent);
    let _there = world.agent(away).unwrap();
    let (out, _) = world.run(&["deploy"], 0);
    assert!(
        out.contains("b  acknowledged") && out.contains("1 had everything") && !out.contains("a  "),
        "{out}"
    );
}

#[test]
fn mistakes_of_the_command_line_are_named() {
    let world = World::new();
    let (_, err) = world.run(&["status"], 1);
    assert!(err.contains("has no authority") && err.contains("rbac init"), "{err}");
    world.authority();
    for (words, status, said) in [
        (&["init"][..], 1, "has an authority already"),
        (&["role", "add", "user"], 2, "cannot be a role"),
        (&["role", "add", "some"], 2, "already a role called some"),
        (&["role", "add", "a/b"], 2, "is not a name"),
        (&["assign", "ann", "none"], 2, "no role called none"),
        (&["device", "add", "netconf+tcp://h"], 2, "over SSH or TLS"),
        (&["device", "add", "snmp://h"], 2, "netconf"),
        (&["device", "remove", "none"], 2, "no device called none"),
        (&["deploy", "none"], 2, "no device called none"),
        (&["revoke", "eve", "some"], 2, "no user called eve"),
        (&["revoke", "ann", "some", "--grace", "x"], 2, "grace"),
        (&["policy", "/nonexistent"], 2, "No such file"),
        (&["public-key", "ann", "/nonexistent"], 2, "No such file"),
    ] {
        let (_, err) = world.run(words, status);
        assert!(err.contains(said), "{words:?}: {err}");
    }
}

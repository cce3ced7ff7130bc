//! SSH and OpenSSH: its client queries our agent; our manager queries our agent through its server, with the
//! subsystem's socket.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;

use trunkline_client::{Secure, SnmpSession, Transport, WalkOptions, ssh, walk};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, ErrorStatus, Message, Version};
use trunkline_testkit::has;
use trunkline_transport::ssh::{HostTrust, PasswordHash, SshClient, SshOptions, SshPrivateKey, UnknownHost};

use super::manager::{get as ask, options, proved, run};
use super::s_client::read_message;
use super::support::{Agent, get, message, oid};
use super::world::{COMMUNITIES, World};

const NAME: &str = "1.3.6.1.2.1.1.5.0";
const PASSWORD: &str = "maplesyrup";

/// A key without a passphrase, made by `ssh-keygen`; `NAME.pub` is next to it.
fn key(world: &World, kind: &str, name: &str) -> std::path::PathBuf {
    let path = world.path(name);
    let mut keygen = Command::new("ssh-keygen");
    keygen.args(["-q", "-t", kind, "-N", "", "-f"]).arg(&path);
    assert!(keygen.status().unwrap().success());
    path
}

/// An agent with a user of the same name for each of these keys; and one with a password.
fn agent(world: &World, users: &[&str]) -> Agent {
    let keys = |name: &&str| {
        let keys = world.path(&format!("{name}.pub"));
        format!("[[snmp.principal]]\nname = {name:?}\nrole = \"reader\"\nauthorized-keys = {keys:?}\n")
    };
    let users: String = users.iter().map(keys).collect();
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let more = format!(
        "[[role]]\nname = \"reader\"\nread = [\"1\"]\n{users}\
         [[snmp.principal]]\nname = \"pat\"\nrole = \"reader\"\npassword-hash = {hash:?}\n\
         [snmp.ssh]\nsubsystem-socket = {:?}\n",
        world.path("subsystem"),
    );
    let agent = Agent::start(&world.config(COMMUNITIES, &more));
    let host_key = agent.folder.path().join("state/ssh_host_key");
    let public = Command::new("ssh-keygen").arg("-y").arg("-f").arg(host_key).output().unwrap();
    let line = String::from_utf8(public.stdout).unwrap();
    let known = format!("[127.0.0.1]:{} {line}", agent.address("ssh").port());
    std::fs::write(world.path("known_hosts"), known).unwrap();
    agent
}

/// `ssh -s USER@HOST snmp` with this input.
fn openssh(world: &World, agent: SocketAddr, user: &str, more: &[&str], input: Vec<u8>) -> Output {
    let mut command = Command::new("ssh");
    command.args(["-F", "none", "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=yes"]);
    command.arg("-o").arg(format!("UserKnownHostsFile={}", world.path("known_hosts").display()));
    command.args(["-p", &agent.port().to_string()]).args(more);
    command.args(["-s", &format!("{user}@127.0.0.1"), "snmp"]);
    // This program answers the prompt for a password.
    let answers = world.path("answers");
    trunkline_testkit::write_program(&answers, &format!("#!/bin/sh\necho {PASSWORD}\n"));
    command.env("SSH_ASKPASS", answers).env("SSH_ASKPASS_REQUIRE", "force").env_remove("SSH_AUTH_SOCK");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("ssh");
    let mut stdin = child.stdin.take().unwrap();
    // It is at its end when it has answered all.
    let writing = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    output
}

/// All messages that came.
fn messages(output: &Output) -> Vec<Message> {
    let mut octets = &output.stdout[..];
    std::iter::from_fn(|| read_message(&mut octets)).collect()
}

#[test]
fn openssh_queries_our_agent() {
    if !has("ssh", "openssh-client") {
        return;
    }
    let world = World::usual();
    let kinds = ["ed25519", "ecdsa", "rsa"];
    kinds.iter().for_each(|kind| drop(key(&world, kind, kind)));
    let agent = agent(&world, &kinds);
    let question = message(Version::V2c, "whatever", get(&[NAME])).encode();
    let input = question.repeat(3);
    for kind in kinds {
        let identity = world.path(kind).display().to_string();
        let with_key = ["-o", "BatchMode=yes", "-i", &identity];
        let output = openssh(&world, agent.address("ssh"), kind, &with_key, input.clone());
        let answers = messages(&output);
        assert_eq!(answers.len(), 3, "{kind}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(answers.iter().all(|answer| answer.pdu.error_status == 0), "{kind}: {answers:?}");
        assert!(
            matches!(answers[0].pdu.bindings[0].value, Bound::Value(Value::OctetString(_))),
            "{answers:?}"
        );
        // The same key is not another user's.
        let other = openssh(&world, agent.address("ssh"), "pat", &with_key, input.clone());
        assert!(!other.status.success() && other.stdout.is_empty(), "{kind}");
        agent.wait_for("the keys of user `pat` cannot be read");
    }
    let by_password = ["-o", "PreferredAuthentications=password", "-o", "NumberOfPasswordPrompts=1"];
    let output = openssh(&world, agent.address("ssh"), "pat", &by_password, input.clone());
    assert_eq!(messages(&output).len(), 3, "{}", String::from_utf8_lossy(&output.stderr));
    let refused = openssh(&world, agent.address("ssh"), "rsa", &by_password, input);
    assert!(!refused.status.success() && refused.stdout.is_empty());
}

#[test]
fn a_bad_session_of_openssh_ends_alone() {
    if !has("ssh", "openssh-client") {
        return;
    }
    let world = World::usual();
    key(&world, "ed25519", "ann");
    let agent = agent(&world, &["ann"]);
    let question = message(Version::V2c, "whatever", get(&[NAME])).encode();
    let identity = world.path("ann").display().to_string();
    let with_key = ["-o", "BatchMode=yes", "-i", &identity];
    let secure = manager(&world, "ann", "ann");
    run(async {
        let target = proved(Transport::Ssh, agent.address("ssh").port(), secure);
        let good = SnmpSession::open(&target, options()).await.unwrap();
        good.get(&[oid(NAME)]).await.unwrap();
        let half = &question[..question.len() / 2];
        for bad in [&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff][..], b"GET / HTTP/1.1\r\n\r\n", half] {
            let input = [&question[..], bad].concat();
            let output = openssh(&world, agent.address("ssh"), "ann", &with_key, input);
            assert_eq!(messages(&output).len(), 1, "{bad:02x?}");
            good.get(&[oid(NAME)]).await.unwrap();
        }
        assert_eq!(good.counts().connections, 1);
    });
}

/// OpenSSH's server for one connection, as from inetd; it ends with this.
struct Sshd {
    address: SocketAddr,
    serving: Option<JoinHandle<()>>,
}

impl Sshd {
    /// `None` if it is not installed.
    fn start(world: &World, socket: &Path) -> Option<Sshd> {
        if !has("/usr/sbin/sshd", "openssh-server") {
            return None;
        }
        // As root it insists on this directory.
        let _ = std::fs::create_dir_all("/run/sshd");
        let subsystem =
            format!("{} subsystem snmp --socket {}", env!("CARGO_BIN_EXE_trunklined"), socket.display());
        let configuration = format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin yes\nPidFile none\nSubsystem snmp {subsystem}\n",
            world.path("sshd_key").display(),
            world.path("me.pub").display()
        );
        let (path, log) = (world.path("sshd_config"), world.path("sshd.log"));
        std::fs::write(&path, configuration).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let serving = std::thread::spawn(move || {
            let stream = listener.accept().unwrap().0;
            let (input, output) = (OwnedFd::from(stream.try_clone().unwrap()), OwnedFd::from(stream));
            let mut command = Command::new("/usr/sbin/sshd");
            command.arg("-i").arg("-f").arg(path).arg("-E").arg(log).stdin(input).stdout(output);
            assert!(command.status().is_ok());
        });
        Some(Sshd { address, serving: Some(serving) })
    }
}

fn ourselves() -> String {
    let output = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A manager with this key, which knows the hosts in `known_hosts`.
fn manager(world: &World, user: &str, key: &str) -> Secure {
    let key = SshPrivateKey::load(&world.path(key), || None).unwrap();
    let hosts = HostTrust::KnownHosts {
        own: world.path("known_hosts"),
        others: Vec::new(),
        unknown: UnknownHost::Refuse,
    };
    let identities = vec![ssh::Identity::Key(key)];
    Secure::new().with_ssh(Arc::new(SshClient {
        user: user.into(),
        identities,
        hosts,
        options: SshOptions::default(),
    }))
}

/// Makes the host at this address known by this key.
fn know(world: &World, address: SocketAddr, key: &str) {
    let line = std::fs::read_to_string(world.path(&format!("{key}.pub"))).unwrap();
    std::fs::write(world.path("known_hosts"), format!("[127.0.0.1]:{} {line}", address.port())).unwrap();
}

#[test]
fn our_manager_queries_our_agent_behind_openssh() {
    let world = World::usual();
    key(&world, "ed25519", "me");
    key(&world, "ed25519", "sshd_key");
    let agent = agent(&world, &[]);
    let Some(mut sshd) = Sshd::start(&world, &world.path("subsystem")) else { return };
    know(&world, sshd.address, "sshd_key");
    let me = ourselves();
    let target = proved(Transport::Ssh, sshd.address.port(), manager(&world, &me, "me"));
    // The user that the system reports for us has no role yet.
    let log = || std::fs::read_to_string(world.path("sshd.log")).unwrap_or_default();
    let refused = ask(&target, NAME).unwrap_or_else(|error| panic!("{error}: {}", log()));
    assert_eq!(refused.error_status, ErrorStatus::AuthorizationError.code());
    sshd.serving.take().unwrap().join().unwrap();

    let role = format!("[[snmp.principal]]\nname = {me:?}\nrole = \"reader\"\n");
    let more = format!(
        "[[role]]\nname = \"reader\"\nread = [\"1\"]\n{role}[snmp.ssh]\nsubsystem-socket = {:?}\n",
        world.path("subsystem")
    );
    agent.rewrite(&world.config(COMMUNITIES, &more));
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    let mut sshd = Sshd::start(&world, &world.path("subsystem")).unwrap();
    know(&world, sshd.address, "sshd_key");
    let target = proved(Transport::Ssh, sshd.address.port(), manager(&world, &me, "me"));
    run(async {
        let session =
            SnmpSession::open(&target, options()).await.unwrap_or_else(|error| panic!("{error}: {}", log()));
        let answer = session.get(&[oid(NAME)]).await.unwrap();
        assert!(matches!(answer.bindings[0].value, Bound::Value(Value::OctetString(_))), "{answer:?}");
        let found = walk(&session, oid("1.3.6.1.2.1.1"), WalkOptions::default()).collect().await.unwrap();
        assert!(found.len() > 8, "{found:?}");
        assert_eq!(session.counts().connections, 1);
    });
    sshd.serving.take().unwrap().join().unwrap();
}

#[test]
fn an_unknown_or_changed_host_is_not_queried() {
    if !has("ssh-keygen", "openssh-client") {
        return;
    }
    let world = World::usual();
    key(&world, "ed25519", "ann");
    key(&world, "ed25519", "other");
    let agent = agent(&world, &["ann"]);
    let right = std::fs::read(world.path("known_hosts")).unwrap();
    let address = agent.address("ssh");
    let get = || ask(&proved(Transport::Ssh, address.port(), manager(&world, "ann", "ann")), NAME);
    assert!(get().is_ok());
    know(&world, address, "other");
    let changed = get().unwrap_err().to_string();
    let line = agent.wait_for(" failed");
    assert!(line.contains("left before it was authenticated"), "{line}");
    std::fs::write(world.path("known_hosts"), "").unwrap();
    let unknown = get().unwrap_err().to_string();
    let line = agent.wait_for(" failed");
    assert!(line.contains("left before it was authenticated"), "{line}");
    assert!(changed.contains("changed") || changed.contains("another key"), "{changed}");
    assert!(unknown.contains("not known"), "{unknown}");
    assert_ne!(changed, unknown);
    std::fs::write(world.path("known_hosts"), right).unwrap();
    assert!(get().is_ok());
}

//! SSH, both ends in process: which users are accepted and how, what is offered, and what happens to peers that
//! break the rules.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use crate::ssh_support;

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ssh_support::{
    HOST, PASSWORD, PATIENCE, Place, Running, answer, ask, fault, limits, message, one, open, read_message,
    server_options,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use trunkline_password::{PasswordGate, Unproved};
use trunkline_transport::ssh::{
    HostKeys, HostTrust, Identity, Secret, SshAlgorithms, SshClient, SshFailure, SshFault, SshOptions,
    SshPrivateKey, SshServer, SshServerOptions, SshUsers, UnknownHost,
};
use trunkline_transport::tcp::{TcpCounts, TcpLimits};
use trunkline_transport::{TransportError, dial};

#[tokio::test]
async fn keys_of_every_kind_authenticate_the_user() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    for kind in ["ed25519", "ecdsa", "rsa"] {
        let name = format!("again_{kind}");
        place.key(kind, &name);
        place.authorize(&["alice_ed25519", &name]);
        let client = SshClient { identities: vec![place.identity(&name)], ..place.client() };
        let mut stream = running.open(&client).await.unwrap();
        assert_eq!(ask(&mut stream, b"who").await, b"alice", "{kind}");
        assert_eq!(ask(&mut stream, b"what it says").await, b"what it says");
    }
    assert_eq!(running.counters.read().received, 6);
}

#[tokio::test]
async fn host_keys_of_every_kind_authenticate_the_server() {
    for kind in ["ecdsa", "rsa"] {
        let place = Place::new();
        let keys = place.host_keys().with(&place.key(kind, "second")).unwrap();
        let second = HostKeys::load(&place.path("second")).unwrap();
        let known = format!("[{HOST}]:* {}\n", second.public_lines()[0]);
        std::fs::write(place.path("known_hosts"), known).unwrap();
        let server = trunkline_transport::ssh::SshServer::new(keys, place.users(), server_options());
        let running = Running::start(server, limits());
        // Of its two keys, the server presents the known one.
        let hosts = known_hosts(&place, UnknownHost::Refuse);
        let client = SshClient { hosts, ..place.client() };
        assert_eq!(ask(&mut running.open(&client).await.unwrap(), b"who").await, b"alice", "{kind}");
    }
}

#[tokio::test]
async fn a_password_authenticates_the_user() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let client = SshClient { identities: vec![Identity::Password(PASSWORD.into())], ..place.client() };
    assert_eq!(ask(&mut running.open(&client).await.unwrap(), b"who").await, b"alice");
    // The first accepted identity is used.
    place.key("ed25519", "other");
    let identities = vec![place.identity("other"), Identity::Password(PASSWORD.into())];
    let client = SshClient { identities, ..client };
    assert_eq!(ask(&mut running.open(&client).await.unwrap(), b"who").await, b"alice");
}

#[tokio::test]
async fn keys_behind_a_passphrase() {
    let place = Place::new();
    let path = place.path("alice_ed25519");
    let locked =
        Command::new("ssh-keygen").args(["-q", "-p", "-P", "", "-N", "sesame", "-f"]).arg(&path).status();
    assert!(locked.unwrap().success());
    let load = |words: Option<&str>| SshPrivateKey::load(&path, || words.map(Secret::from));
    assert!(matches!(load(None), Err(SshFailure::Passphrase { .. })));
    assert!(matches!(load(Some("open")), Err(SshFailure::WrongPassphrase { .. })));
    let key = load(Some("sesame")).unwrap();
    assert!(!format!("{key:?}").contains("PRIVATE"));
    assert!(matches!(SshPrivateKey::load(&place.path("none"), || None), Err(SshFailure::Key { .. })));
}

/// `ssh-agent`, stopped on drop.
struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_keys_of_an_agent_authenticate_the_user() {
    let place = Place::new();
    place.key("ed25519", "other");
    let socket = place.path("agent.socket");
    let mut agent = Command::new("ssh-agent");
    let agent = agent.arg("-D").arg("-a").arg(&socket).stdout(Stdio::piped());
    let mut agent = Agent(agent.spawn().expect("ssh-agent is there: install openssh-client"));
    // It prints its socket's path once it listens.
    let mut said = [0; 1];
    std::io::Read::read_exact(agent.0.stdout.as_mut().unwrap(), &mut said).unwrap();
    for key in ["other", "alice_ed25519"] {
        let mut add = Command::new("ssh-add");
        let added = add.arg("-q").arg(place.path(key)).env("SSH_AUTH_SOCK", &socket).status();
        assert!(added.unwrap().success());
    }
    let running = Running::start(place.server(server_options()), limits());
    let client = SshClient { identities: vec![Identity::Agent(socket)], ..place.client() };
    assert_eq!(ask(&mut running.open(&client).await.unwrap(), b"who").await, b"alice");
    let nowhere = SshClient { identities: vec![Identity::Agent(place.path("none"))], ..place.client() };
    assert!(matches!(running.open(&nowhere).await, Err(SshFailure::Agent { .. })));
}

/// The errors at both ends when this client connects.
async fn both(place: &Place, client: SshClient) -> (SshFailure, SshFault) {
    let (address, task) = one(place.server(server_options())).await;
    let failure = open(address, &client).await.unwrap_err();
    (failure, fault(task).await)
}

#[tokio::test]
async fn a_refused_client_gets_an_error_and_the_server_knows_why() {
    let place = Place::new();
    let nobody = SshClient { user: "mallory\n".into(), ..place.client() };
    let (failure, fault) = both(&place, nobody).await;
    assert!(
        matches!(&failure, SshFailure::NotAuthenticated { takes, .. } if takes == &["publickey", "password"])
    );
    assert_eq!(fault.to_string(), "no user `mallory\\n` may come in over SSH");

    place.key("ed25519", "other");
    let other = SshClient { identities: vec![place.identity("other")], ..place.client() };
    let (failure, fault) = both(&place, other).await;
    let SshFailure::NotAuthenticated { tried, .. } = failure else { panic!("{failure}") };
    assert!(
        matches!(fault, SshFault::WrongKey { fingerprint, user } if tried == [fingerprint.as_str()] && user == "alice")
    );

    let wrong = SshClient { identities: vec![Identity::Password("maplesirup".into())], ..place.client() };
    let (failure, fault) = both(&place, wrong.clone()).await;
    assert!(failure.to_string().contains("tried: password; it takes: publickey, password"), "{failure}");
    assert!(matches!(fault, SshFault::WrongPassword { .. }));

    let unknown = SshClient { user: "mallory".into(), ..wrong };
    assert!(matches!(both(&place, unknown).await.1, SshFault::UnknownUser { .. }));

    let bob = SshClient { user: "bob".into(), ..place.client() };
    assert!(matches!(both(&place, bob).await.1, SshFault::KeysUnreadable { user, .. } if user == "bob"));

    let nothing = SshClient { identities: vec![], ..place.client() };
    let (failure, fault) = both(&place, nothing).await;
    assert!(matches!(failure, SshFailure::NotAuthenticated { tried, .. } if tried.is_empty()));
    assert!(matches!(fault, SshFault::NotAuthenticated));
}

/// Attempts count for all listeners of a gate together; a key is not an attempt, and a password that was right
/// before is accepted.
#[tokio::test]
async fn a_network_that_guesses_waits_at_every_listener() {
    let (place, gate) = (Place::new(), Arc::<PasswordGate>::default());
    let listeners = [(); 2].map(|()| {
        let (keys, users) = (place.host_keys(), place.users());
        let server = SshServer::with_gate(keys, users, server_options(), Arc::clone(&gate));
        Running::start(server, limits())
    });
    let with = |words: &[&str]| {
        let identities = words.iter().map(|word| Identity::Password((*word).into())).collect();
        SshClient { identities, ..place.client() }
    };
    assert!(listeners[0].open(&with(&[PASSWORD])).await.is_ok());
    for listener in &listeners {
        assert!(listener.open(&with(&["one", "two", "three"])).await.is_err());
    }
    let fault = loop {
        let (keys, users) = (place.host_keys(), place.users());
        let server = SshServer::with_gate(keys, users, server_options(), Arc::clone(&gate));
        let (address, task) = one(server).await;
        open(address, &with(&["four", "five", "six"])).await.unwrap_err();
        match fault(task).await {
            SshFault::WrongPassword { .. } => {}
            other => break other,
        }
    };
    let SshFault::NotChecked { user, source } = fault else { panic!("{fault}") };
    assert!(user == "alice" && matches!(source, Unproved::TooMany { .. }), "{source}");
    // That listener has the hash for which the password was right before.
    assert!(listeners[0].open(&with(&[PASSWORD])).await.is_ok());
    assert!(listeners[1].open(&place.client()).await.is_ok());
}

#[tokio::test]
async fn attempts_are_counted() {
    let place = Place::new();
    let mut identities: Vec<_> =
        (0..5).map(|n| Identity::Password(format!("wrong{n}").as_str().into())).collect();
    identities.push(place.identity("alice_ed25519"));
    let client = SshClient { identities, ..place.client() };
    let options = SshServerOptions { max_attempts: 2, ..server_options() };
    let (address, task) = one(place.server(options)).await;
    let failure = open(address, &client).await.unwrap_err();
    let fault = fault(task).await;
    assert!(
        matches!(fault, SshFault::OutOfAttempts { attempts: 2, .. }),
        "the right key came too late: {fault}"
    );
    assert!(fault.to_string().contains("the last of the 2 attempts"), "{fault}");
    assert!(matches!(failure, SshFailure::Closed(_) | SshFailure::NotAuthenticated { .. }), "{failure}");
}

#[tokio::test]
async fn a_client_may_offer_all_of_its_keys_and_three_passwords() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let wrong = |number: usize| {
        let name = format!("wrong{number}");
        place.key("ed25519", &name);
        place.identity(&name)
    };
    let mut identities: Vec<_> = (0..19).map(wrong).collect();
    identities.push(place.identity("alice_ed25519"));
    assert!(running.open(&SshClient { identities, ..place.client() }).await.is_ok());
    let mut identities: Vec<_> =
        (0..3).map(|n| Identity::Password(format!("wrong{n}").as_str().into())).collect();
    identities.push(Identity::Password(PASSWORD.into()));
    let (address, task) = one(place.server(server_options())).await;
    assert!(open(address, &SshClient { identities, ..place.client() }).await.is_err());
    let fault = fault(task).await;
    assert!(matches!(fault, SshFault::OutOfPasswords { passwords: 3, .. }), "{fault}");
}

#[tokio::test]
async fn keys_and_users_change_while_the_server_runs() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let mut stream = running.open(&place.client()).await.unwrap();
    place.key("ed25519", "other");
    place.authorize(&["other"]);
    assert!(matches!(running.open(&place.client()).await, Err(SshFailure::NotAuthenticated { .. })));
    place.authorize(&["alice_ed25519"]);
    assert!(running.open(&place.client()).await.is_ok());
    running.server.set_users(SshUsers::default());
    let failure = running.open(&place.client()).await.unwrap_err();
    assert!(matches!(failure, SshFailure::NotAuthenticated { takes, .. } if takes == ["publickey"]));
    assert_eq!(ask(&mut stream, b"who").await, b"alice", "whoever is in is in");
}

#[tokio::test]
async fn a_key_may_be_for_some_addresses_only() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let key = std::fs::read_to_string(place.path("alice_ed25519.pub")).unwrap();
    for (options, is_in) in
        [("from=\"192.0.2.*\"", false), ("from=\"127.0.0.0/8\"", true), ("command=\"x\"", false)]
    {
        std::fs::write(place.path("authorized_keys"), format!("{options} {key}")).unwrap();
        assert_eq!(running.open(&place.client()).await.is_ok(), is_in, "{options}");
    }
}

fn known_hosts(place: &Place, unknown: UnknownHost) -> HostTrust {
    HostTrust::KnownHosts { own: place.path("known_hosts"), others: vec![place.path("none")], unknown }
}

#[tokio::test]
async fn a_host_is_known_once_it_was_trusted() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let strict = SshClient { hosts: known_hosts(&place, UnknownHost::Refuse), ..place.client() };
    let failure = running.open(&strict).await.unwrap_err();
    let SshFailure::UnknownHost { name, fingerprint, line, .. } = &failure else { panic!("{failure}") };
    assert_eq!(name, &format!("[{HOST}]:{}", running.address.port()));
    assert_eq!(place.host_keys().fingerprints(), std::slice::from_ref(fingerprint));
    assert!(failure.to_string().contains(line.as_str()));
    assert!(!place.path("known_hosts").exists());

    let first = SshClient { hosts: known_hosts(&place, UnknownHost::Add), ..place.client() };
    assert!(running.open(&first).await.is_ok());
    assert_eq!(std::fs::read_to_string(place.path("known_hosts")).unwrap(), format!("{line}\n"));
    assert!(running.open(&first).await.is_ok() && running.open(&strict).await.is_ok());
    assert_eq!(std::fs::read_to_string(place.path("known_hosts")).unwrap(), format!("{line}\n"));
}

#[tokio::test]
async fn a_host_that_has_changed_is_refused_loudly() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let name = format!("[{HOST}]:{}", running.address.port());
    let other = HostKeys::in_memory().unwrap().public_lines().remove(0);
    std::fs::write(place.path("known_hosts"), format!("# ours\n{name} {other}\n")).unwrap();
    for unknown in [UnknownHost::Refuse, UnknownHost::Add] {
        let client = SshClient { hosts: known_hosts(&place, unknown), ..place.client() };
        let failure = running.open(&client).await.unwrap_err();
        assert!(matches!(failure, SshFailure::ChangedHost { line: 2, .. }), "{failure}");
    }
    let ours = place.host_keys().public_lines().remove(0);
    std::fs::write(place.path("known_hosts"), format!("@revoked * {ours}\n{name} {ours}\n")).unwrap();
    let client = SshClient { hosts: known_hosts(&place, UnknownHost::Add), ..place.client() };
    assert!(matches!(running.open(&client).await, Err(SshFailure::RevokedHost { line: 1, .. })));
    std::fs::write(place.path("known_hosts"), format!("@cert-authority * {other}\n")).unwrap();
    assert!(matches!(running.open(&client).await, Err(SshFailure::HostAuthority { line: 1, .. })));
    let hosts = HostTrust::Fingerprints(HostKeys::in_memory().unwrap().fingerprints());
    let client = SshClient { hosts, ..place.client() };
    assert!(matches!(running.open(&client).await, Err(SshFailure::OtherFingerprint { .. })));
    assert_eq!(running.counters.read().received, 0, "nothing was said to the wrong host");
}

#[tokio::test]
async fn large_messages_and_several_at_one_time() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let mut stream = running.open(&place.client()).await.unwrap();
    let large: Vec<u8> = (0..300_000u32).map(|n| n as u8).collect();
    assert!(ask(&mut stream, &large).await == large);
    let (mut reader, mut writer) = tokio::io::split(stream);
    let asking = tokio::spawn(async move {
        for n in 0..2000u32 {
            writer.write_all(&message(&n.to_be_bytes().repeat(500))).await.unwrap();
        }
        writer
    });
    for n in 0..2000u32 {
        assert_eq!(read_message(&mut reader).await.unwrap(), n.to_be_bytes().repeat(500));
    }
    asking.await.unwrap();
}

#[tokio::test]
async fn new_keys_are_made_on_the_way() {
    let place = Place::new();
    for (here, there) in [(40_000, 1 << 30), (1 << 30, 40_000)] {
        let rekeying = |rekey_octets| SshOptions { rekey_octets, ..SshOptions::default() };
        let running = Running::start(
            place.server(SshServerOptions { ssh: rekeying(here), ..server_options() }),
            limits(),
        );
        let client = SshClient { options: rekeying(there), ..place.client() };
        let mut stream = running.open(&client).await.unwrap();
        for n in 0..300u32 {
            let body = n.to_be_bytes().repeat(100);
            assert_eq!(ask(&mut stream, &body).await, body);
        }
    }
}

#[tokio::test]
async fn algorithms_are_those_that_both_ends_support() {
    let place = Place::new();
    let with = |ciphers: &[&str], macs: &[&str]| SshOptions {
        algorithms: SshAlgorithms::default().with_ciphers(ciphers).unwrap().with_macs(macs).unwrap(),
        ..SshOptions::default()
    };
    let ctr = with(&["aes128-ctr"], &["hmac-sha2-256"]);
    let running =
        Running::start(place.server(SshServerOptions { ssh: ctr.clone(), ..server_options() }), limits());
    let client = SshClient { options: ctr, ..place.client() };
    assert_eq!(ask(&mut running.open(&client).await.unwrap(), b"who").await, b"alice");
    assert!(running.open(&place.client()).await.is_ok());
    let gcm = with(&["aes128-gcm@openssh.com"], &["hmac-sha2-256"]);
    let client = SshClient { options: gcm, ..place.client() };
    let failure = running.open(&client).await.unwrap_err();
    assert!(matches!(failure, SshFailure::Protocol(_) | SshFailure::Closed(_)), "{failure}");
}

/// Polls until the counters are as expected.
async fn counted(running: &Running, wanted: impl Fn(TcpCounts) -> bool) {
    let waiting = async {
        while !wanted(running.counters.read()) {
            tokio::task::yield_now().await;
        }
    };
    let reached = tokio::time::timeout(PATIENCE, waiting).await;
    assert!(reached.is_ok(), "{:?}", running.counters.read());
}

#[tokio::test]
async fn exceeding_a_limit_ends_only_that_session() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let mut other = running.open(&place.client()).await.unwrap();

    let mut giant = running.open(&place.client()).await.unwrap();
    giant.write_all(&u32::MAX.to_be_bytes()).await.unwrap();
    assert_eq!(giant.read(&mut [0; 1]).await.unwrap(), 0);
    let mut none = running.open(&place.client()).await.unwrap();
    none.write_all(&[0; 4]).await.unwrap();
    assert_eq!(none.read(&mut [0; 1]).await.unwrap(), 0);
    let mut cut = running.open(&place.client()).await.unwrap();
    cut.write_all(&message(b"the rest never comes")[..7]).await.unwrap();
    drop(cut);

    counted(&running, |counts| (counts.too_long, counts.framing_errors, counts.cut_short) == (1, 1, 1)).await;
    assert_eq!(ask(&mut other, b"who").await, b"alice");
    drop((giant, none, other));
    counted(&running, |counts| counts.open == 0).await;
}

#[tokio::test]
async fn data_written_before_a_stream_is_dropped_arrives() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let mut stream = running.open(&place.client()).await.unwrap();
    stream.write_all(&message(&[7; 100_000])).await.unwrap();
    drop(stream);
    counted(&running, |counts| counts.received == 1 && counts.open == 0).await;
}

#[tokio::test]
async fn slow_senders_and_idle_peers_are_closed() {
    let place = Place::new();
    let short = Duration::from_millis(20);
    let limits = TcpLimits { message_time: short, idle: short * 5, ..limits() };
    let running = Running::start(place.server(server_options()), limits);
    let mut slow = running.open(&place.client()).await.unwrap();
    slow.write_all(&message(b"slow")[..6]).await.unwrap();
    assert_eq!(slow.read(&mut [0; 1]).await.unwrap(), 0);
    let mut idle = running.open(&place.client()).await.unwrap();
    assert_eq!(idle.read(&mut [0; 1]).await.unwrap(), 0);
    drop((slow, idle));
    counted(&running, |counts| (counts.slow_messages, counts.idle_closed, counts.open) == (1, 1, 0)).await;
}

#[tokio::test]
async fn a_peer_that_does_not_log_in_in_time_is_closed() {
    let place = Place::new();
    let limits = TcpLimits { handshake_time: Duration::from_millis(50), max_handshakes: 8, ..limits() };
    let running = Running::start(place.server(server_options()), limits);
    let mut silent = TcpStream::connect(running.address).await.unwrap();
    let mut banner_only = TcpStream::connect(running.address).await.unwrap();
    banner_only.write_all(b"SSH-2.0-silent\r\n").await.unwrap();
    let mut third = TcpStream::connect(running.address).await.unwrap();
    for stream in [&mut silent, &mut banner_only, &mut third] {
        // A reset is an end too.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    counted(&running, |counts| (counts.slow_handshakes, counts.gave_way, counts.open) == (2, 1, 0)).await;
}

#[tokio::test]
async fn peers_without_ssh_get_nothing() {
    let place = Place::new();
    let (address, task) = one(place.server(server_options())).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&[0x30; 4000]).await.unwrap();
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said).await;
    assert!(said.starts_with(b"SSH-2.0-Trunkline_"), "{said:?}");
    assert!(matches!(fault(task).await, SshFault::Protocol(_) | SshFault::NotAuthenticated));
}

#[tokio::test]
async fn a_silent_host_times_out() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = Place::new();
    let address = silent.local_addr().unwrap();
    let failed = dial::ssh(&[address], &place.client(), HOST, "snmp", Duration::from_millis(20)).await;
    let Err(TransportError::Ssh { failure, .. }) = failed else { panic!("{failed:?}") };
    assert!(matches!(*failure, SshFailure::TimedOut(_)));
    let _ = answer;
}

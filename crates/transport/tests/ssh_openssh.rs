//! SSH against OpenSSH, both ways: its client with our server, and our client with its server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use crate::ssh_support;

use std::io::Write;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use ssh_support::{Place, Running, ask, limits, message, open, server_options};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, spawn_blocking};
use trunkline_testkit::has;
use trunkline_transport::ssh::{SshClient, SshFailure};

/// `ssh` as `alice`, with these final arguments and this input.
async fn ssh(place: &Place, address: SocketAddr, arguments: &[&str], input: Vec<u8>) -> Output {
    let line = place.host_keys().public_lines().remove(0);
    let known = format!("[127.0.0.1]:{} {line}\n", address.port());
    std::fs::write(place.path("known_hosts"), known).unwrap();
    let mut command = Command::new("ssh");
    command.args([
        "-F",
        "none",
        "-o",
        "BatchMode=yes",
        "-o",
        "IdentitiesOnly=yes",
        "-o",
        "StrictHostKeyChecking=yes",
    ]);
    command.arg("-o").arg(format!("UserKnownHostsFile={}", place.path("known_hosts").display()));
    command.arg("-i").arg(place.path("alice_ed25519")).args(["-p", &address.port().to_string()]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = move || {
        let mut child = command.spawn().expect("ssh is there: install openssh-client");
        let mut stdin = child.stdin.take().unwrap();
        let writing = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writing.join().unwrap();
        output
    };
    spawn_blocking(running).await.unwrap()
}

#[tokio::test]
async fn its_client_with_our_server() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let large: Vec<u8> = (0..100_000u32).map(|n| n as u8).collect();
    let input = [message(b"who"), message(&large), message(b"last")].concat();
    let output = ssh(&place, running.address, &["-s", "alice@127.0.0.1", "snmp"], input).await;
    let errors = String::from_utf8_lossy(&output.stderr);
    let expected = [message(b"alice"), message(&large), message(b"last")].concat();
    assert!(output.stdout == expected, "{} octets: {errors}", output.stdout.len());
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(running.counters.read().received, 3);
}

#[tokio::test]
async fn its_client_gets_nothing_else() {
    let place = Place::new();
    let running = Running::start(place.server(server_options()), limits());
    let said = |output: Output| {
        assert!(!output.status.success());
        assert_eq!(output.stdout, b"");
        String::from_utf8(output.stderr).unwrap()
    };
    let sftp = said(ssh(&place, running.address, &["-s", "alice@127.0.0.1", "sftp"], vec![]).await);
    assert!(sftp.contains("subsystem request failed"), "{sftp}");
    let exec = said(ssh(&place, running.address, &["alice@127.0.0.1", "id"], vec![]).await);
    assert!(exec.contains("exec request failed"), "{exec}");
    let mallory = said(ssh(&place, running.address, &["-s", "mallory@127.0.0.1", "snmp"], vec![]).await);
    assert!(mallory.contains("Permission denied"), "{mallory}");
    assert_eq!(running.counters.read().received, 0);
}

/// OpenSSH's server, one process per connection as from inetd; stopped on drop.
struct Sshd {
    address: SocketAddr,
    task: JoinHandle<Child>,
}

impl Sshd {
    /// With `cat` as the subsystem, which echoes requests. `None` if it is not installed.
    async fn start(place: &Place, subsystem: &str) -> Option<Self> {
        let program = Path::new("/usr/sbin/sshd");
        if !has("sshd", "openssh-server") {
            return None;
        }
        // As root it requires this directory.
        let _ = std::fs::create_dir_all("/run/sshd");
        let (host_key, keys) = (place.path("host_key"), place.path("authorized_keys"));
        let configuration = format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin yes\nPidFile none\n{subsystem}\n",
            host_key.display(),
            keys.display()
        );
        let path = place.path("sshd_config");
        std::fs::write(&path, configuration).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let log = place.path("sshd.log");
        let task = tokio::spawn(async move {
            let stream = listener.accept().await.unwrap().0.into_std().unwrap();
            stream.set_nonblocking(false).unwrap();
            let (input, output) = (OwnedFd::from(stream.try_clone().unwrap()), OwnedFd::from(stream));
            let mut command = Command::new(program);
            command.arg("-i").arg("-f").arg(path).arg("-E").arg(log).stdin(input).stdout(output);
            command.spawn().unwrap()
        });
        Some(Self { address, task })
    }

    async fn end(self) {
        let mut child = self.task.await.unwrap();
        spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    }
}

fn ourselves(place: &Place) -> SshClient {
    let name = Command::new("id").arg("-un").output().unwrap().stdout;
    SshClient { user: String::from_utf8(name).unwrap().trim().into(), ..place.client() }
}

#[tokio::test]
async fn our_client_with_its_server() {
    let place = Place::new();
    let Some(sshd) = Sshd::start(&place, "Subsystem snmp /bin/cat").await else { return };
    let opened = open(sshd.address, &ourselves(&place)).await;
    let log = || std::fs::read_to_string(place.path("sshd.log")).unwrap_or_default();
    let mut stream = opened.unwrap_or_else(|failure| panic!("{failure}: {}", log()));
    let large: Vec<u8> = (0..100_000u32).map(|n| n as u8).collect();
    assert_eq!(ask(&mut stream, b"small").await, b"small");
    assert!(ask(&mut stream, &large).await == large);
    drop(stream);
    sshd.end().await;
}

#[tokio::test]
async fn its_server_without_the_subsystem_or_the_key() {
    let place = Place::new();
    let Some(sshd) = Sshd::start(&place, "Subsystem sftp /bin/false").await else { return };
    let failure = open(sshd.address, &ourselves(&place)).await.unwrap_err();
    assert!(matches!(failure, SshFailure::NoSubsystem { .. }), "{failure}");
    sshd.end().await;

    place.key("ed25519", "other");
    place.authorize(&["other"]);
    let Some(sshd) = Sshd::start(&place, "Subsystem snmp /bin/cat").await else { return };
    let failure = open(sshd.address, &ourselves(&place)).await.unwrap_err();
    assert!(matches!(failure, SshFailure::NotAuthenticated { .. }), "{failure}");
    sshd.end().await;
}

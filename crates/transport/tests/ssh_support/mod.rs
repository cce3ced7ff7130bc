//! A server with a few users, clients for it, and keys, for the tests of SSH.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests; no test uses all"
)]

use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use trunkline_transport::ssh::{
    HostKeys, HostTrust, Identity, PasswordHash, SshClient, SshFailure, SshFault, SshGreeter, SshOptions,
    SshPrivateKey, SshServer, SshServerOptions, SshStream, SshUser, SshUsers,
};
use trunkline_transport::tcp::{
    Ends, FrameError, Greeter, HandshakeError, Messages, TcpCounters, TcpLimits, TcpServer,
};
use trunkline_transport::{
    Proof, Protection, SessionInfo, Subsystems, Transport, TransportError, Visit, dial,
};

pub const PATIENCE: Duration = Duration::from_secs(30);
pub const HOST: &str = "device.example.net";
pub const PASSWORD: &str = "maplesyrup";

/// A message is its length in four octets (included), then its content.
pub fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    let Some(length) = octets.first_chunk() else { return Ok(None) };
    match u32::from_be_bytes(*length) as usize {
        0..4 => Err(FrameError),
        length => Ok(Some(length)),
    }
}

pub fn message(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 4).to_be_bytes()[..], body].concat()
}

pub async fn read_message(stream: &mut (impl AsyncReadExt + Unpin)) -> std::io::Result<Vec<u8>> {
    let length = stream.read_u32().await? as usize;
    let mut body = vec![0; length - 4];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

pub async fn ask(stream: &mut SshStream, body: &[u8]) -> Vec<u8> {
    stream.write_all(&message(body)).await.unwrap();
    read_message(stream).await.unwrap()
}

/// Answers `who` with the peer's identity, and echoes everything else.
pub async fn answer(message: Vec<u8>, info: Arc<SessionInfo>) -> Option<Vec<u8>> {
    if &message[4..] != b"who" {
        return Some(message);
    }
    assert_eq!((info.transport, info.protection), (Transport::Ssh, Protection::Encrypted));
    let Proof::User(name) = &info.proof else { panic!("{:?}", info.proof) };
    Some(self::message(name.as_bytes()))
}

/// A directory with a host key and the keys of `alice`, who also has a password.
pub struct Place {
    pub dir: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        HostKeys::load_or_create(&place.path("host_key")).unwrap();
        place.key("ed25519", "alice_ed25519");
        place.authorize(&["alice_ed25519"]);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A key of this kind, made by `ssh-keygen`, without a passphrase.
    pub fn key(&self, kind: &str, name: &str) -> PathBuf {
        let path = self.path(name);
        keygen(&["-q", "-t", kind, "-N", "", "-C", name, "-f"], &path);
        path
    }

    pub fn authorize(&self, names: &[&str]) {
        let read = |name: &&str| std::fs::read_to_string(self.path(&format!("{name}.pub"))).unwrap();
        std::fs::write(self.path("authorized_keys"), names.iter().map(read).collect::<String>()).unwrap();
    }

    pub fn host_keys(&self) -> HostKeys {
        HostKeys::load_or_create(&self.path("host_key")).unwrap()
    }

    pub fn users(&self) -> SshUsers {
        let user =
            |name: &str, keys, password| SshUser { name: name.into(), authorized_keys: keys, password };
        let hash = PasswordHash::make(&PASSWORD.into()).unwrap();
        [
            user("alice", Some(self.path("authorized_keys")), Some(hash)),
            user("bob", Some(self.path("nothing_here")), None),
        ]
        .into_iter()
        .collect()
    }

    pub fn server(&self, options: SshServerOptions) -> SshServer {
        SshServer::new(self.host_keys(), self.users(), options)
    }

    pub fn identity(&self, name: &str) -> Identity {
        Identity::Key(SshPrivateKey::load(&self.path(name), || None).unwrap())
    }

    /// Logs in as `alice` with her key, and knows the host by its fingerprint.
    pub fn client(&self) -> SshClient {
        SshClient {
            user: "alice".into(),
            identities: vec![self.identity("alice_ed25519")],
            hosts: HostTrust::Fingerprints(self.host_keys().fingerprints()),
            options: SshOptions::default(),
        }
    }
}

pub fn server_options() -> SshServerOptions {
    SshServerOptions { failure_time: Duration::ZERO, ..SshServerOptions::default() }
}

pub fn limits() -> TcpLimits {
    TcpLimits { handshake_time: PATIENCE, max_message: 1 << 20, ..TcpLimits::default() }
}

/// The served subsystem: messages, under one name.
pub fn subsystems() -> Subsystems {
    Subsystems::of("snmp", Messages::new(Arc::new(answer), frame))
}

/// A listening server, stopped on drop.
pub struct Running {
    pub address: SocketAddr,
    pub counters: Arc<TcpCounters>,
    pub server: Arc<SshServer>,
    task: JoinHandle<Result<(), TransportError>>,
}

impl Running {
    pub fn start(server: SshServer, limits: TcpLimits) -> Self {
        let (tcp, server) = (TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap(), Arc::new(server));
        let (address, counters) = (tcp.local_addr(), tcp.counters());
        let task = tokio::spawn(tcp.serve(SshGreeter::new(server.clone(), subsystems()), limits));
        Self { address, counters, server, task }
    }

    pub async fn open(&self, client: &SshClient) -> Result<SshStream, SshFailure> {
        open(self.address, client).await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub async fn open(address: SocketAddr, client: &SshClient) -> Result<SshStream, SshFailure> {
    match dial::ssh(&[address], client, HOST, "snmp", PATIENCE).await {
        Ok((stream, info)) => {
            assert_eq!(info.proof, Proof::User(client.user.as_str().into()));
            assert_eq!((info.peer, info.transport), (address, Transport::Ssh));
            Ok(stream)
        }
        Err(TransportError::Ssh { failure, .. }) => Err(*failure),
        Err(other) => panic!("{other}"),
    }
}

/// Performs the handshake of one connection, and returns its fault.
pub async fn one(server: SshServer) -> (SocketAddr, JoinHandle<Result<(), HandshakeError>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let local = listener.local_addr().unwrap();
    let task = tokio::spawn(async move {
        let (stream, peer) = listener.accept().await.unwrap();
        let greeter = SshGreeter::new(Arc::new(server), subsystems());
        greeter.greet(stream, Ends { peer, local }, Visit::new(limits())).await?.await;
        Ok(())
    });
    (local, task)
}

pub async fn fault(task: JoinHandle<Result<(), HandshakeError>>) -> SshFault {
    match tokio::time::timeout(PATIENCE, task).await.expect("the greeting ends").unwrap() {
        Err(HandshakeError::Ssh(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

fn keygen(arguments: &[&str], path: &Path) {
    let made = Command::new("ssh-keygen").args(arguments).arg(path).stdin(Stdio::null()).status();
    assert!(made.expect("ssh-keygen is there: install openssh-client").success());
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

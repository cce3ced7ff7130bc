//! The local socket of the OpenSSH subsystem: who may use which name, and the small program's relay.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, spawn_blocking};
use trunkline_transport::local::{
    LocalError, LocalOptions, LocalServer, Preamble, RelayError, SshConnection, relay,
};
use trunkline_transport::tcp::{FrameError, Messages, TcpCounters, TcpLimits};
use trunkline_transport::{Proof, Protection, SessionInfo, Subsystems, Transport};

/// A message is a line.
fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    Ok(octets.iter().position(|octet| *octet == b'\n').map(|at| at + 1))
}

async fn answer(message: Vec<u8>, info: Arc<SessionInfo>) -> Option<Vec<u8>> {
    assert_eq!((info.transport, info.protection), (Transport::Ssh, Protection::Encrypted));
    let Proof::User(name) = &info.proof else { panic!("{:?}", info.proof) };
    let asked = String::from_utf8(message).unwrap();
    Some(format!("{name} at {} said {asked}", info.peer).into_bytes())
}

struct Running {
    dir: tempfile::TempDir,
    counters: Arc<TcpCounters>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Running {
    /// Every client has the name that `name_of` returns, unless it is root.
    fn start(name_of: fn(u32) -> std::io::Result<Option<String>>, limits: TcpLimits) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = LocalOptions { name_of, ..LocalOptions::at(&dir.path().join("socket")) };
        let server = LocalServer::bind(options).unwrap();
        let counters = server.counters();
        let task = tokio::spawn(
            server.serve(Subsystems::of("snmp", Messages::new(Arc::new(answer), frame)), limits),
        );
        Self { dir, counters, task }
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("socket")
    }

    async fn relay(&self, preamble: Preamble, input: &'static [u8]) -> Result<String, RelayError> {
        let socket = self.socket();
        let relaying = spawn_blocking(move || {
            let mut output = Vec::new();
            relay(&socket, &preamble, input, &mut output)?;
            Ok(String::from_utf8(output).unwrap())
        });
        relaying.await.unwrap()
    }

    /// The answer to these octets at the start.
    async fn raw(&self, octets: &'static [u8]) -> String {
        let socket = self.socket();
        let asking = spawn_blocking(move || {
            let mut stream = UnixStream::connect(socket).unwrap();
            let _ = stream.write_all(octets);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut said = Vec::new();
            let _ = stream.read_to_end(&mut said);
            String::from_utf8(said).unwrap()
        });
        asking.await.unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn alice(_: u32) -> std::io::Result<Option<String>> {
    Ok(Some("alice".into()))
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

#[tokio::test]
async fn octets_go_both_ways_under_the_users_name() {
    let running = Running::start(alice, TcpLimits::default());
    let connection: SshConnection = "192.0.2.7 50022 192.0.2.1 22".parse().unwrap();
    let preamble = Preamble::new("snmp", "alice", Some(connection)).unwrap();
    let said = running.relay(preamble, b"one\ntwo\n").await.unwrap();
    assert_eq!(said, "alice at 192.0.2.7:50022 said one\nalice at 192.0.2.7:50022 said two\n");
    let by_hand = running.relay(Preamble::new("snmp", "alice", None).unwrap(), b"x\n").await.unwrap();
    assert_eq!(by_hand, "alice at 127.0.0.1:0 said x\n");
    assert_eq!(running.counters.read().received, 3);
}

#[tokio::test]
async fn root_names_anybody_and_others_only_themselves() {
    let running = Running::start(alice, TcpLimits::default());
    let said = running.relay(Preamble::new("snmp", "bob", None).unwrap(), b"x\n").await;
    if is_root() {
        assert_eq!(said.unwrap(), "bob at 127.0.0.1:0 said x\n");
        as_nobody(&running).await;
    } else {
        let Err(RelayError::Refused(reason)) = said else { panic!("{said:?}") };
        assert!(reason.contains("may speak for themselves only, not for `bob`"), "{reason}");
    }
}

/// The same from a process that is not root.
async fn as_nobody(running: &Running) {
    use std::os::unix::process::CommandExt;
    let open = std::fs::Permissions::from_mode(0o777);
    std::fs::set_permissions(running.dir.path(), open.clone()).unwrap();
    std::fs::set_permissions(running.socket(), open).unwrap();
    let script = "import socket,sys
s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
s.sendall(sys.argv[2].encode()); s.shutdown(socket.SHUT_WR)
sys.stdout.write(b''.join(iter(lambda: s.recv(4096), b'')).decode())";
    for (name, verdict) in
        [("bob", "-user 65534 may speak for themselves only, not for `bob`\n"), ("alice", "+\n")]
    {
        let mut python = std::process::Command::new("python3");
        python
            .arg("-c")
            .arg(script)
            .arg(running.socket())
            .arg(format!("trunkline-subsystem 2 snmp {name} -\n"));
        python.uid(65534).gid(65534).current_dir("/");
        let said = spawn_blocking(move || python.output()).await.unwrap().expect("python3 is there");
        let errors = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!(String::from_utf8(said.stdout).unwrap(), verdict, "{errors}");
    }
}

#[tokio::test]
async fn an_invalid_preamble_is_refused_with_its_reason() {
    let running = Running::start(alice, TcpLimits::default());
    assert_eq!(
        running.raw(b"GET / HTTP/1.1\n").await,
        "-the preamble is none: it does not begin with `trunkline-subsystem`\n"
    );
    assert_eq!(
        running.raw(b"trunkline-subsystem 1 snmp alice -\nx\n").await,
        "-the preamble is none: it is of another version than 2\n"
    );
    assert!(running.raw(&[b'x'; 4000]).await.is_empty() || running.counters.read().received == 0);
    assert!(running.raw(b"trunkline-subsystem 2 snmp al").await.starts_with("-the connection failed"));
    // A message right after the preamble is a message.
    assert_eq!(
        running.raw(b"trunkline-subsystem 2 snmp alice -\nx\n").await,
        "+\nalice at 127.0.0.1:0 said x\n"
    );
}

#[tokio::test]
async fn a_preamble_that_takes_too_long_is_refused() {
    let limits = TcpLimits { handshake_time: Duration::from_millis(20), ..TcpLimits::default() };
    let running = Running::start(alice, limits);
    let socket = running.socket();
    let waiting = spawn_blocking(move || {
        let mut stream = UnixStream::connect(socket).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    });
    assert_eq!(waiting.await.unwrap(), "-the preamble took too long\n");
}

#[tokio::test]
async fn a_user_has_a_bounded_number_of_sessions() {
    let limits = TcpLimits { max_connections: 1, ..TcpLimits::default() };
    let running = Running::start(alice, limits);
    let held = UnixStream::connect(running.socket()).unwrap();
    let second = running.relay(Preamble::new("snmp", "alice", None).unwrap(), b"x\n").await;
    assert!(matches!(second, Err(RelayError::Closed | RelayError::Failed { .. })), "{second:?}");
    drop(held);
}

#[tokio::test]
async fn the_relay_reports_what_it_cannot_reach() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere =
        relay(&dir.path().join("none"), &Preamble::new("snmp", "alice", None).unwrap(), &b""[..], Vec::new());
    assert!(matches!(nowhere, Err(RelayError::Connect { .. })));
}

#[test]
fn the_socket_appears_with_its_permissions_and_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let bind = |path: &Path| LocalServer::bind(LocalOptions { mode: 0o620, ..LocalOptions::at(path) });
    let server = bind(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o620);
    assert!(matches!(bind(&path), Err(LocalError::Taken { .. })));
    drop(server);
    assert!(!path.exists());
    // A leftover of an earlier run is replaced; a file that is not a socket is not.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    drop(bind(&path).unwrap());
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(bind(&path), Err(LocalError::NoSocket { .. })));
    assert!(matches!(bind(&dir.path().join("no").join("socket")), Err(LocalError::Bind { .. })));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

//! Resident memory of open SSH sessions: `ssh_memory [SESSIONS] [--large]`. The server is this process, and the
//! clients are its children, so that only the server's memory is measured. With `--large` each session answers 30
//! KB once.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trunkline_transport::ssh::{
    HostKeys, HostTrust, Identity, SshClient, SshGreeter, SshOptions, SshPrivateKey, SshServer,
    SshServerOptions, SshUser,
};
use trunkline_transport::tcp::{FrameError, Messages, TcpLimits, TcpServer};
use trunkline_transport::{SessionInfo, Subsystems, dial};

const LARGE: usize = 30_000;
/// A process has a bounded number of descriptors.
const PER_CHILD: usize = 500;

fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    Ok(octets.first_chunk().map(|length| u32::from_be_bytes(*length) as usize))
}

async fn echo(message: Vec<u8>, _: Arc<SessionInfo>) -> Option<Vec<u8>> {
    Some(message)
}

fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if arguments.first().is_some_and(|first| first == "client") {
        return runtime.block_on(client(&arguments[1..]));
    }
    let sessions = arguments.first().map_or(1000, |count| count.parse().unwrap());
    runtime.block_on(server(sessions, arguments.iter().any(|argument| argument == "--large")));
}

async fn server(sessions: usize, large: bool) {
    let keys = HostKeys::in_memory().unwrap();
    let fingerprint = keys.fingerprints().remove(0);
    // A key instead of a password: checking a password takes megabytes for a moment, which is not what we measure.
    let dir = tempfile::tempdir().unwrap();
    let (key, authorized) = (dir.path().join("key"), dir.path().join("authorized_keys"));
    let user_key = HostKeys::load_or_create(&key).unwrap();
    std::fs::write(&authorized, user_key.public_lines().join("\n")).unwrap();
    let users = [SshUser { name: "lab".into(), authorized_keys: Some(authorized), password: None }];
    let users = users.into_iter().collect();
    let server = SshServer::new(keys, users, SshServerOptions::default());
    let tcp = TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (address, counters) = (tcp.local_addr(), tcp.counters());
    let limits = TcpLimits {
        max_connections: sessions + 1,
        max_per_peer: sessions + 1,
        max_handshakes: sessions + 1,
        handshake_time: Duration::from_secs(600),
        idle: Duration::from_secs(3600),
        ..TcpLimits::default()
    };
    let subsystems = Subsystems::of("snmp", Messages::new(Arc::new(echo), frame));
    let serving = tokio::spawn(tcp.serve(SshGreeter::new(Arc::new(server), subsystems), limits));
    let mut children = Vec::new();
    let per_session = |first: usize, before: usize| (resident() - before) / (sessions - first);
    // The first session also pays for what all share.
    let first = PER_CHILD.min(sessions / 4);
    let mut before = 0;
    for (n, count) in [first].into_iter().chain(parts(sessions - first)).enumerate() {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        let length = if large { LARGE } else { 8 };
        command
            .args(["client", &address.to_string(), &count.to_string(), &fingerprint, &length.to_string()])
            .arg(&key);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        tokio::task::spawn_blocking(move || output.read_exact(&mut [0; 1])).await.unwrap().unwrap();
        children.push(child);
        if n == 0 {
            before = resident();
        }
    }
    let each = per_session(first, before);
    println!("{sessions} sessions, {} messages: {each} octets each", counters.read().received);
    for mut child in children {
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    serving.abort();
}

fn parts(mut sessions: usize) -> Vec<usize> {
    let mut parts = Vec::new();
    while sessions > 0 {
        parts.push(sessions.min(PER_CHILD));
        sessions -= sessions.min(PER_CHILD);
    }
    parts
}

async fn client(arguments: &[String]) {
    let [address, count, fingerprint, length, key] = arguments else { return };
    let client = SshClient {
        user: "lab".into(),
        identities: vec![Identity::Key(SshPrivateKey::load(key.as_ref(), || None).unwrap())],
        hosts: HostTrust::Fingerprints(vec![fingerprint.clone()]),
        options: SshOptions::default(),
    };
    let (address, length) = (address.parse().unwrap(), length.parse::<u32>().unwrap());
    let mut streams = Vec::new();
    for _ in 0..count.parse().unwrap() {
        let (mut stream, _) =
            dial::ssh(&[address], &client, "lab", "snmp", Duration::from_secs(600)).await.unwrap();
        let mut message = vec![7; length as usize];
        message[..4].copy_from_slice(&length.to_be_bytes());
        stream.write_all(&message).await.unwrap();
        stream.read_exact(&mut message).await.unwrap();
        streams.push(stream);
    }
    std::io::stdout().write_all(b"+").unwrap();
    std::io::stdout().flush().unwrap();
    // Wait until the server has measured.
    tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0; 1])).await.unwrap().unwrap();
}

//! The cost of an open session: resident memory of a server in a separate process, idle and after each session has
//! carried a message of 30 KB. `cargo run --release --example session_memory -- tls 2000`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for people")]

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use trunkline_pki::{Authority, AuthorityOptions, Issued, LeafOptions, Name, Role};
use trunkline_transport::SessionInfo;
use trunkline_transport::dial::{self, DatagramLink};
use trunkline_transport::dtls::{DtlsConfig, DtlsLimits, DtlsServer};
use trunkline_transport::tcp::{FrameError, Messages, TcpLimits, TcpServer};
use trunkline_transport::tls::{
    ClientStream, Identity, ServerIdentity, TlsClient, TlsClientConfig, TlsGreeter, TlsServer,
    TlsServerConfig, Trust,
};

const PATIENCE: Duration = Duration::from_secs(60);
const LONG: usize = 30_000;

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let text: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    match text[1..] {
        ["serve", kind] => runtime.block_on(serve(kind)),
        [kind @ ("tls" | "dtls"), count] => runtime.block_on(measure(kind, count.parse().unwrap())),
        _ => println!("usage: session_memory tls|dtls COUNT"),
    }
}

fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    Ok(octets.first_chunk().map(|length| u32::from_be_bytes(*length) as usize + 4))
}

async fn echo(message: Vec<u8>, _: Arc<SessionInfo>) -> Option<Vec<u8>> {
    Some(message)
}

fn identity(issued: &Issued) -> Arc<Identity> {
    Identity::from_pem(issued.chain_pem().as_bytes(), issued.key_pem().as_bytes()).unwrap().into()
}

/// The server reads the authority and its own certificates from standard input, and prints the address that it
/// listens on.
async fn serve(kind: &str) {
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let (authority, own) = text.split_once("#\n").unwrap();
    let trust = Trust::builder().authorities_pem(authority.as_bytes()).unwrap().build();
    let identity = Identity::from_pem(own.as_bytes(), own.as_bytes()).unwrap();
    let config = TlsServerConfig::new(identity.into(), trust.into());
    let any = "127.0.0.1:0".parse().unwrap();
    let many = usize::MAX >> 1;
    if kind == "dtls" {
        let limits = DtlsLimits {
            max_sessions: many,
            max_per_peer: many,
            max_handshakes: many,
            ..DtlsLimits::default()
        };
        let server = DtlsServer::bind(any, Arc::new(DtlsConfig::new(&config).unwrap()), limits).unwrap();
        println!("{}", server.local_addr());
        server.serve(Arc::new(echo)).await.unwrap();
    } else {
        let server = TcpServer::bind(any).unwrap();
        println!("{}", server.local_addr());
        let limits = TcpLimits {
            max_connections: many,
            max_per_peer: many,
            max_handshakes: many,
            ..TcpLimits::default()
        };
        let tls = Arc::new(TlsServer::new(&config).unwrap());
        let greeter = TlsGreeter::new(tls, Messages::new(Arc::new(echo), frame));
        server.serve(greeter, limits).await.unwrap();
    }
}

enum Open {
    Tls(Box<ClientStream>),
    Dtls(DatagramLink),
}

impl Open {
    async fn ask(&mut self, octets: usize) {
        match self {
            Self::Tls(stream) => {
                let mut message = vec![0; octets + 4];
                message[..4].copy_from_slice(&u32::try_from(octets).unwrap().to_be_bytes());
                stream.write_all(&message).await.unwrap();
                stream.read_exact(&mut message).await.unwrap();
            }
            Self::Dtls(link) => {
                let mut answer = Vec::new();
                link.send(&vec![0; octets.min(16_384)]).await.unwrap();
                link.recv(&mut answer).await.unwrap();
            }
        }
    }
}

async fn measure(kind: &str, count: usize) {
    let authority = Authority::create(&AuthorityOptions::default()).unwrap();
    let issue =
        |role, name| authority.issue(role, &Name::new(name).unwrap(), &LeafOptions::default()).unwrap();
    let (agent, manager) = (issue(Role::Agent, "localhost"), issue(Role::Manager, "ann"));
    let program = std::env::current_exe().unwrap();
    let mut server = Command::new(program)
        .args(["serve", kind])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let own = format!("{}{}", agent.chain_pem(), agent.key_pem().as_str());
    let top = authority.certificate().to_pem();
    server.stdin.take().unwrap().write_all(format!("{top}#\n{own}").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address: SocketAddr = line.trim().parse().unwrap();
    let trust = Trust::builder().authorities_pem(top.as_bytes()).unwrap().build();
    let config =
        TlsClientConfig { resume: false, ..TlsClientConfig::new(Some(identity(&manager)), trust.into()) };
    let client = Arc::new(TlsClient::new(&config).unwrap());
    let mut sessions = open(kind, address, &client, 20).await;
    exchange(&mut sessions, 100).await;
    let before = resident(server.id());
    let mut more = open(kind, address, &client, count).await;
    exchange(&mut more, 100).await;
    report("idle", before, resident(server.id()), count);
    exchange(&mut more, LONG).await;
    report("idle after 30 KB", before, resident(server.id()), count);
    server.kill().unwrap();
    server.wait().unwrap();
}

async fn open(kind: &str, address: SocketAddr, client: &Arc<TlsClient>, count: usize) -> Vec<Open> {
    let (mut all, mut opening) = (Vec::new(), JoinSet::new());
    let datagrams = kind == "dtls";
    for _ in 0..count {
        if opening.len() >= 32 {
            all.push(opening.join_next().await.unwrap().unwrap());
        }
        let client = Arc::clone(client);
        opening.spawn(async move {
            let server = ServerIdentity::Name("localhost".into());
            if datagrams {
                Open::Dtls(dial::dtls(&[address], &client, &server, PATIENCE).await.unwrap().0)
            } else {
                Open::Tls(Box::new(dial::tls(&[address], &client, &server, PATIENCE).await.unwrap().0))
            }
        });
    }
    while let Some(session) = opening.join_next().await {
        all.push(session.unwrap());
    }
    all
}

async fn exchange(sessions: &mut [Open], octets: usize) {
    for session in sessions {
        session.ask(octets).await;
    }
}

fn resident(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1_024
}

fn report(what: &str, before: usize, now: usize, count: usize) {
    let each = now.saturating_sub(before) as f64 / count as f64 / 1_024.0;
    println!("{what}: {count} sessions, {each:.1} KiB each");
}

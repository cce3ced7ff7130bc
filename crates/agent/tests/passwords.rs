//! Passwords at the agent's own sockets: guessing takes bounded memory, which comes back, and keeps nobody out who knows.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;

use socket2::{Domain, Socket, Type};
use support::{Agent, PATIENCE};
use tokio::net::{TcpListener, TcpSocket};
use trunkline_transport::dial;
use trunkline_transport::ssh::{HostKeys, HostTrust, Identity, PasswordHash, SshClient, SshOptions};

/// `ann:maple syrup`, `ann:wrong` and `bob:wrong`.
const RIGHT: &str = "YW5uOm1hcGxlIHN5cnVw";
const WRONG: [&str; 2] = ["YW5uOndyb25n", "Ym9iOndyb25n"];

/// How many clients guess at the same time, and how often in all.
const AT_ONCE: usize = 20;
const AT_ONCE_OVER_SSH: usize = 10;
const OVER_HTTP: usize = 1_000;
const OVER_SSH: usize = 120;

/// What guessing may take above what the agent has anyway, while it lasts and afterwards.
const MOST: u64 = 45 << 20;
const LEFT: u64 = 8 << 20;

fn agent() -> Agent {
    let hash = PasswordHash::make(&"maple syrup".into()).unwrap().to_phc();
    Agent::start(&format!(
        "[snmp]\nlisten = [\"ssh://127.0.0.1:0\"]\n\
         [http]\nlisten = [\"http://127.0.0.1:0\"]\n[[role]]\nname = \"reader\"\nread = [\"1\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\npassword-hash = {hash:?}\n"
    ))
}

/// A request with basic authentication from that address; the status of its answer.
fn login(agent: SocketAddr, from: Ipv4Addr, who: &str) -> u16 {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.connect(&agent.into()).unwrap();
    let request = format!(
        "GET /soap HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Basic {who}\r\n\r\n"
    );
    (&socket).write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    (&socket).read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// Clients that guess over HTTP, each from separate addresses, and the answers by their status.
fn guess_over_http(agent: SocketAddr) -> Vec<JoinHandle<BTreeMap<u16, usize>>> {
    let guesser = move |number: usize| {
        move || {
            let mut answers = BTreeMap::new();
            for at in (number..OVER_HTTP).step_by(AT_ONCE) {
                // Ten addresses in all.
                let from = Ipv4Addr::new(127, 1, 0, 1 + (at % 10) as u8);
                *answers.entry(login(agent, from, WRONG[at % 2])).or_default() += 1;
            }
            answers
        }
    };
    (0..AT_ONCE).map(|number| std::thread::spawn(guesser(number))).collect()
}

/// A port in front of the agent, as seen from that address.
async fn way_from(from: Ipv4Addr, agent: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut near, _) = listener.accept().await.unwrap();
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((from, 0))).unwrap();
        let mut far = socket.connect(agent).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
    });
    address
}

/// One connection that tries three passwords; whether it came in.
async fn guess_over_ssh(agent: SocketAddr, from: Ipv4Addr, key: Vec<String>) -> bool {
    let way = way_from(from, agent).await;
    let client = SshClient {
        user: "ann".into(),
        identities: ["one", "two", "three"].map(|word| Identity::Password(word.into())).to_vec(),
        hosts: HostTrust::Fingerprints(key),
        options: SshOptions::default(),
    };
    dial::ssh(&[way], &client, "agent", "snmp", PATIENCE).await.is_ok()
}

#[test]
fn a_thousand_wrong_logins_take_little_memory_and_give_it_back() {
    let agent = agent();
    let (http, ssh) = (agent.address("http"), agent.address("ssh"));
    // Code that runs for the first time becomes resident too.
    assert_eq!(login(http, Ipv4Addr::new(127, 4, 0, 1), WRONG[0]), 401);
    let key = HostKeys::load(&agent.folder.path().join("state/ssh_host_key")).unwrap().fingerprints();
    let idle = agent.resident();
    let over_http = guess_over_http(http);
    let over_ssh = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let guess = |number: usize| {
                let from = Ipv4Addr::new(127, 2, 0, 1 + (number % 10) as u8);
                tokio::spawn(guess_over_ssh(ssh, from, key.clone()))
            };
            for at in (0..OVER_SSH / 3).step_by(AT_ONCE_OVER_SSH) {
                let some: Vec<_> = (at..at + AT_ONCE_OVER_SSH).map(guess).collect();
                for one in some {
                    assert!(!one.await.unwrap());
                }
            }
        });
    });
    // A user who knows the password logs in meanwhile, from anywhere.
    for number in 1..=5 {
        assert_eq!(login(http, Ipv4Addr::new(127, 3, 0, number), RIGHT), 200);
    }
    over_ssh.join().unwrap();
    let mut answers = BTreeMap::<u16, usize>::new();
    for thread in over_http {
        for (status, count) in thread.join().unwrap() {
            *answers.entry(status).or_default() += count;
        }
    }
    // Ten attempts of each address and what a few seconds restore; all others are refused without a check.
    let checked = answers.remove(&401).unwrap_or(0);
    let refused = answers.remove(&429).unwrap_or(0);
    assert!(
        answers.is_empty() && checked + refused == OVER_HTTP,
        "{answers:?} beside {checked} and {refused}"
    );
    assert!((100..400).contains(&checked), "{checked} were checked");
    let (most, left) = (agent.most_resident(), agent.resident());
    assert!(most <= idle + MOST, "{most} octets with {idle} before");
    assert!(left <= idle + LEFT, "{left} octets afterwards with {idle} before");
}

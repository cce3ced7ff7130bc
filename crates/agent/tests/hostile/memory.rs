//! A thousand connections over each transport that ask again and again and never read, with the limits that are the default and the
//! memory that the shipped unit allows.

use std::fs;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};

use crate::deaf::{Deaf, Flood, Means, USER};
use crate::streams::connect_from;
use crate::support::raw::element;
use crate::support::talk::{Talk, parse};
use crate::support::{Agent, BOTH};

/// What is left of MemoryMax of packaging/trunklined.service beside the members of groups, and their tables in flight.
const MEMORY_MAX: u64 = 256 << 20;

/// Connections over each transport.
const MANY: usize = 1_000;

/// Sessions of authenticated peers, over each transport.
const PROVED: usize = 100;

/// How often each connection of a thousand sends.
const ROUNDS: usize = 10;

/// How many refused peers reconnect at the same time: fewer than wait in the kernel, which would leave the others
/// waiting for seconds.
const AGAIN: usize = 40;

/// How much of the unit's memory stays free.
const FREE: u64 = 64 << 20;

/// A memory cgroup of that size, where one can be made.
struct Cgroup(PathBuf);

impl Cgroup {
    fn new() -> Option<Cgroup> {
        let name = format!("trunkline-test-{}", std::process::id());
        let limits: [(&str, &[(&str, u64)]); 2] = [
            (
                "/sys/fs/cgroup/memory",
                &[("memory.limit_in_bytes", MEMORY_MAX), ("memory.memsw.limit_in_bytes", MEMORY_MAX)],
            ),
            ("/sys/fs/cgroup", &[("memory.max", MEMORY_MAX), ("memory.swap.max", 0)]),
        ];
        limits.iter().find_map(|(root, limits)| {
            let path = Path::new(root).join(&name);
            fs::create_dir(&path).ok()?;
            let cgroup = Cgroup(path);
            let (first, rest) = limits.split_first()?;
            fs::write(cgroup.0.join(first.0), first.1.to_string()).ok()?;
            // A kernel without accounting of swap lacks this file, and a machine without swap does not need it.
            rest.iter().for_each(|(file, value)| drop(fs::write(cgroup.0.join(file), value.to_string())));
            Some(cgroup)
        })
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// The agent within that memory: in a cgroup, or else by its own limit of data.
fn agent_within(cgroup: Option<&Cgroup>, config: &str, folder: tempfile::TempDir) -> Agent {
    let bound = match cgroup {
        Some(Cgroup(path)) => format!("echo $$ > {}", path.join("cgroup.procs").display()),
        None => format!("ulimit -d {}", MEMORY_MAX >> 10),
    };
    let mut agent = Agent::spawn(folder, config, &["sh", "-c", &format!("{bound} && exec \"$0\" \"$@\"")]);
    agent.wait_for_listeners(6);
    agent
}

/// SNMPv3 discovery (RFC 3414 section 4).
pub fn discovery() -> Vec<u8> {
    let empty = element(4, b"");
    let usm = [&empty[..], &element(2, &[0]), &element(2, &[0]), &empty, &empty, &empty].concat();
    let global =
        [element(2, &[7]), element(2, &[0, 0xff, 0xe3]), element(4, &[4]), element(2, &[3])].concat();
    let pdu = [element(2, &[1]), element(2, &[0]), element(2, &[0]), element(0x30, b"")].concat();
    let scoped = [&empty[..], &empty, &element(0xa0, &pdu)].concat();
    let parts =
        [element(2, &[3]), element(0x30, &global), element(4, &element(0x30, &usm)), element(0x30, &scoped)];
    element(0x30, &parts.concat())
}

/// What each connection sends, and over what.
fn floods() -> [Flood; 6] {
    let discoveries = discovery().repeat(400);
    [
        ("tcp", bulk()),
        ("tcp", discoveries),
        ("http", WSDL.to_vec()),
        ("tls", vec![0x16, 3, 1]),
        ("ssh", b"SSH-2.0-silent\r\n".to_vec()),
        ("ssh", Vec::new()),
    ]
    .map(|(scheme, octets)| Flood { scheme, octets })
}

/// The same in sessions of TLS and SSH.
fn floods_of_sessions() -> [Flood; 4] {
    [("tls", bulk()), ("tls", discovery().repeat(400)), ("ssh", bulk()), ("https", WSDL.to_vec())]
        .map(|(scheme, octets)| Flood { scheme, octets })
}

fn bulk() -> Vec<u8> {
    parse("2c public bulk 0 10000 1.3.6.1.2.1").encode().repeat(8)
}

const WSDL: &[u8] = b"GET /soap?wsdl HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A connection that never reads, of one of 200 addresses.
fn connection(address: SocketAddr, number: usize) -> TcpStream {
    let stream = connect_from(address, 2 + (number % 200) as u8);
    stream.set_nonblocking(true).unwrap();
    stream
}

/// Sends what each connection still accepts, without waiting. Refused peers reconnect.
fn feed(streams: &mut [TcpStream], address: SocketAddr, octets: &[u8]) {
    let mut again = 0;
    for (number, stream) in streams.iter_mut().enumerate() {
        match stream.write(octets) {
            Err(error) if error.kind() != ErrorKind::WouldBlock && again < AGAIN => {
                *stream = connection(address, number);
                again += 1;
            }
            _ => {}
        }
    }
}

/// The authority, the agent's certificate and the manager's.
fn certificates(folder: &Path) -> Directory {
    let pki = Directory::at(folder.join("pki"));
    pki.init(&AuthorityOptions::named(Name::new("Test").unwrap()), false).unwrap();
    for (role, name) in [(Role::Agent, "localhost"), (Role::Manager, USER)] {
        pki.issue(role, &Name::new(name).unwrap(), &LeafOptions::default(), Storing::default()).unwrap();
    }
    pki
}

fn config(pki: &Directory, authorized: &Path) -> String {
    let listen = "\"tcp://127.0.0.1:0\", \"tls://127.0.0.1:0\", \"ssh://127.0.0.1:0\"";
    format!(
        "{}[snmp.tls]\ndirectory = {:?}\n[http]\nlisten = [\"http://127.0.0.1:0\", \"https://127.0.0.1:0\"]\n\
         [[role]]\nname = \"reader\"\nread = [\"1\"]\n\
         [[snmp.principal]]\nname = {USER:?}\nrole = \"reader\"\nauthorized-keys = {authorized:?}\n",
        BOTH.replace("\"tcp://127.0.0.1:0\"", listen)
            .replace("[snmp]\n", "[snmp]\ncommunities-in-sessions = true\n"),
        pki.path()
    )
}

#[test]
fn a_thousand_connections_that_never_read_fit_the_memory_of_the_unit() {
    // Both ends of all of them are ours.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).unwrap();
    let (folder, ours) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let pki = certificates(ours.path());
    let authorized = ours.path().join("authorized_keys");
    let means = Means::new(&pki, ours.path(), &authorized);
    let cgroup = Cgroup::new();
    let mut agent = agent_within(cgroup.as_ref(), &config(&pki, &authorized), folder);
    let talk = Talk::to(&agent);
    let is_served = || talk.check(&[("2c public get sysServices.0", "noError 0 sysServices.0=i:76")]);
    is_served();
    let idle = agent.resident();
    let within = |agent: &Agent, what: &str| {
        is_served();
        let most = agent.most_resident();
        assert!(most < MEMORY_MAX - FREE, "{what}: {} MB, idle {}", most >> 20, idle >> 20);
    };
    let mut held = Vec::new();
    for Flood { scheme, octets } in floods() {
        let address = agent.address(scheme);
        let mut streams = Vec::new();
        for number in 0..MANY {
            streams.push(connection(address, number));
            if number % AGAIN == 0 {
                is_served();
            }
        }
        for _ in 0..ROUNDS {
            feed(&mut streams, address, &octets);
            within(&agent, scheme);
        }
        held.push(streams);
    }
    let mut sessions = Vec::new();
    for flood in floods_of_sessions() {
        // They need separate places.
        held.clear();
        let scheme = flood.scheme;
        let deaf = Deaf::open(&agent, &means, flood, PROVED);
        // Until the agent accepts nothing more from any of them.
        let mut sent = None;
        while sent.replace(deaf.sent()) != Some(deaf.sent()) {
            for _ in 0..ROUNDS {
                within(&agent, scheme);
            }
        }
        sessions.push(deaf);
    }
    assert!(agent.is_alive());
    drop((held, sessions));
    // What was freed goes back to the system.
    let (start, back) = (Instant::now(), idle + (25 << 20));
    while agent.resident() > back {
        is_served();
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{} MB, idle {}",
            agent.resident() >> 20,
            idle >> 20
        );
    }
}

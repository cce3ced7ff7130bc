//! A running `trunklined` for tests: its own configuration and state in a temporary
//! folder, free ports on loopback, ended by its process id.

#![allow(dead_code, clippy::expect_used, clippy::panic, reason = "each test program uses its own part")]

pub mod raw;
pub mod talk;
pub mod yanglint;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use trunkline_smi::Oid;
use trunkline_snmp::wire::{Bound, Message, Pdu, PduKind, VarBind, Version};

/// How long anything may take before a test fails: generous, since it is not a measure of speed.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What most tests serve: both transports, a reader and a writer.
pub const BOTH: &str = r#"
[snmp]
listen = ["udp://127.0.0.1:0", "tcp://127.0.0.1:0"]
[[snmp.community]]
name = "public"
access = "read"
[[snmp.community]]
name = "private"
access = "write"
"#;

/// The same with one group of data that never grows too old: no request has to wait for a load twice.
pub fn steady(more: &str) -> String {
    format!("{BOTH}[freshness]\ndefault = \"1h\"\n{more}")
}

/// The agent as a child process.
pub struct Agent {
    child: Child,
    lines: Receiver<String>,
    pub folder: tempfile::TempDir,
    pub listening: Vec<String>,
}

impl Agent {
    /// Starts with this configuration and waits until it listens; `state` is added to it.
    pub fn start(config: &str) -> Agent {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Agent::start_in(folder, config)
    }

    /// The same in a folder that an agent used before.
    pub fn start_in(folder: tempfile::TempDir, config: &str) -> Agent {
        let mut agent = Agent::spawn(folder, config, &[]);
        let expected = listeners_in(config);
        agent.wait_for_listeners(expected);
        agent
    }

    pub fn spawn(folder: tempfile::TempDir, config: &str, wrapper: &[&str]) -> Agent {
        Agent::spawn_program(env!("CARGO_BIN_EXE_trunklined"), folder, config, wrapper)
    }

    /// The program of the laboratory, until it listens; started by a wrapper, if there is one.
    pub fn start_in_laboratory(config: &str, wrapper: &[&str]) -> Agent {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut agent = Agent::spawn_program(env!("CARGO_BIN_EXE_trunklined-lab"), folder, config, wrapper);
        agent.wait_for_listeners(listeners_in(config));
        agent
    }

    fn spawn_program(program: &str, folder: tempfile::TempDir, config: &str, wrapper: &[&str]) -> Agent {
        let file = folder.path().join("trunklined.toml");
        std::fs::write(&file, with_state(config, folder.path())).expect("write the configuration");
        let mut command = match wrapper {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        let mut child = command
            .arg("--config")
            .arg(&file)
            .arg("--log=info,trunkline_notify=debug,trunkline_agent::door::netconf::nacm=debug")
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("start trunklined");
        let lines = forward(child.stderr.take().expect("stderr is piped"));
        Agent { child, lines, folder, listening: Vec::new() }
    }

    /// `trunklined serve` with these words, until it listens, and the password that it has made up.
    pub fn serve(words: &[&str]) -> (Agent, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trunklined"))
            .args(["serve", "--listen", "http://127.0.0.1:0"])
            .args(words)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("start trunklined");
        let lines = forward(child.stderr.take().expect("stderr is piped"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut agent = Agent { child, lines, folder, listening: Vec::new() };
        agent.wait_for_listeners(1);
        let line = agent.wait_for("with the password ");
        let password = line.rsplit(' ').next().unwrap_or_default().to_owned();
        (agent, password)
    }

    /// Writes another configuration; SIGHUP makes the agent read it.
    pub fn rewrite(&self, config: &str) {
        let text = with_state(config, self.folder.path());
        std::fs::write(self.config(), text).expect("write the configuration");
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("trunklined.toml")
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &pid]).status().expect("run kill");
        assert!(status.success());
    }

    /// Whether a line on stderr since the last call contains `word`; does not wait.
    pub fn has_said(&self, word: &str) -> bool {
        self.lines.try_iter().any(|line| line.contains(word))
    }

    /// The next line on stderr that contains `word`.
    pub fn wait_for(&self, word: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(word) => return line,
                Ok(line) => seen.push(line),
                Err(error) => panic!("waiting for {word:?}: {error}; the agent said {seen:#?}"),
            }
        }
    }

    /// The lines on stderr up to the first that contains `word`.
    pub fn lines_until(&self, word: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(word) => return seen,
                Ok(line) => seen.push(line),
                Err(error) => panic!("waiting for {word:?}: {error}; the agent said {seen:#?}"),
            }
        }
    }

    /// The counters of the listener with this scheme, by name: SIGUSR1 makes the agent log them.
    pub fn counted(&self, scheme: &str) -> BTreeMap<String, u64> {
        self.signal("USR1");
        let lines: Vec<String> = self.listening.iter().map(|_| self.wait_for(" counted ")).collect();
        let line = lines.iter().find_map(|line| line.split_once(&format!(" counted {scheme}://")));
        let (_, counts) = line.unwrap_or_else(|| panic!("no {scheme} in {lines:#?}"));
        let count = |word: &str| word.split_once('=').map(|(name, n)| (name.into(), n.parse().expect("n")));
        counts.split_whitespace().filter_map(count).collect()
    }

    /// Resident memory in octets.
    pub fn resident(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// What the agent itself holds of that: without its code, which is mapped when it is first used.
    pub fn anonymous(&self) -> u64 {
        self.memory("RssAnon:")
    }

    /// The most that was resident so far, in octets.
    pub fn most_resident(&self) -> u64 {
        self.memory("VmHWM:")
    }

    fn memory(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).expect("the agent runs");
        let line = status.lines().find(|line| line.starts_with(field)).expect("a line of that field");
        let kibi: u64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number");
        kibi * 1024
    }

    pub fn wait_for_listeners(&mut self, count: usize) {
        for _ in 0..count {
            let line = self.wait_for("listening ");
            self.listening.push(line["listening ".len()..].to_string());
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `127.0.0.1:PORT` of the first listener with this scheme.
    pub fn address(&self, scheme: &str) -> SocketAddr {
        let prefix = format!("{scheme}://");
        let url = self.listening.iter().find_map(|url| url.strip_prefix(&prefix));
        url.unwrap_or_else(|| panic!("no {scheme} among {:?}", self.listening)).parse().expect("an address")
    }

    pub fn udp(&self) -> SocketAddr {
        self.address("udp")
    }

    pub fn tcp(&self) -> SocketAddr {
        self.address("tcp")
    }

    /// Ends it as an operator would and returns its folder.
    pub fn terminate(mut self) -> tempfile::TempDir {
        self.signal("TERM");
        let status = self.child.wait().expect("the agent ends");
        assert!(status.success(), "{status}");
        let fresh = tempfile::tempdir().expect("a temporary folder");
        std::mem::replace(&mut self.folder, fresh)
    }

    /// Waits for its end and returns its folder.
    pub fn into_folder(mut self) -> tempfile::TempDir {
        self.child.wait().expect("the agent ends");
        let fresh = tempfile::tempdir().expect("a temporary folder");
        std::mem::replace(&mut self.folder, fresh)
    }

    /// Whether it still runs.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("ask for the child").is_none()
    }

    /// One request and its answer over UDP.
    pub fn ask(&self, request: &Message) -> Message {
        let socket = socket_to(self.udp());
        socket.send(&request.encode()).expect("send");
        receive(&socket).expect("a message")
    }

    /// The value of one instance, by GET with v2c.
    pub fn get(&self, oid: &str) -> Bound {
        self.get_as("public", oid)
    }

    pub fn get_as(&self, community: &str, oid: &str) -> Bound {
        let answer = self.ask(&message(Version::V2c, community, get(&[oid])));
        answer.pdu.bindings.into_iter().next().expect("a binding").value
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request that needs no load except of the group "system", followed by a probe: the agent answers such
/// requests in order, so silence is detected without waiting for a time to pass.
pub fn exchange(agent: SocketAddr, octets: &[u8]) -> Option<Message> {
    let socket = socket_to(agent);
    let mut probe = get(&["1.3.6.1.2.1.1.3.0"]);
    probe.request_id = 0x7357_0001;
    let probe_id = probe.request_id;
    let probe = message(Version::V2c, "public", probe).encode();
    // The first probe makes sure that the group is loaded.
    socket.send(&probe).expect("send");
    receive(&socket).expect("a message");
    socket.send(octets).expect("send");
    socket.send(&probe).expect("send");
    let first = receive(&socket).expect("a message");
    if first.pdu.request_id == probe_id {
        return None;
    }
    receive(&socket).expect("the probe's answer");
    Some(first)
}

/// A socket that talks to one agent only.
pub fn socket_to(agent: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind(("127.0.0.1", 0)).expect("a socket");
    socket.connect(agent).expect("connect");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    socket
}

/// The next datagram as a message.
pub fn receive(socket: &UdpSocket) -> Result<Message, trunkline_snmp::DecodeError> {
    let mut buffer = vec![0; 65_535];
    let length = loop {
        match socket.recv(&mut buffer) {
            // A read with a time-out is not begun again by the kernel when the process was stopped meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            received => break received.expect("the agent answers"),
        }
    };
    Message::decode(&buffer[..length])
}

/// A connection to the agent's TCP listener.
pub fn connect(agent: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(agent).expect("connect");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    stream
}

/// Reads one message off a stream.
pub fn read_message(stream: &mut TcpStream) -> Option<Message> {
    use std::io::Read;
    let mut octets = Vec::new();
    loop {
        let length = trunkline_snmp::wire::frame_length(&octets).expect("a frame");
        if length == Some(octets.len()) {
            return Some(Message::decode(&octets).expect("a message"));
        }
        let mut octet = [0];
        if stream.read(&mut octet).ok()? == 0 {
            return None;
        }
        octets.push(octet[0]);
    }
}

/// Waits until a process that is not ours has ended.
pub fn wait_for_end(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let Ok(handle) = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) else { return };
    let mut polled = [rustix::event::PollFd::new(&handle, rustix::event::PollFlags::IN)];
    let patience = rustix::event::Timespec { tv_sec: 60, tv_nsec: 0 };
    assert_eq!(rustix::event::poll(&mut polled, Some(&patience)).unwrap(), 1, "it does not end");
}

pub fn oid(text: &str) -> Oid {
    text.parse().expect("an OID")
}

pub fn message(version: Version, community: &str, pdu: Pdu) -> Message {
    Message { version, community: community.as_bytes().to_vec(), pdu }
}

fn names(kind: PduKind, oids: &[&str]) -> Pdu {
    let names: Vec<Oid> = oids.iter().map(|text| oid(text)).collect();
    Pdu::read(kind, 1, &names)
}

pub fn get(oids: &[&str]) -> Pdu {
    names(PduKind::Get, oids)
}

pub fn next(oids: &[&str]) -> Pdu {
    names(PduKind::GetNext, oids)
}

pub fn bulk(non_repeaters: i32, max_repetitions: i32, oids: &[&str]) -> Pdu {
    let mut pdu = names(PduKind::GetBulk, oids);
    pdu.error_status = non_repeaters;
    pdu.error_index = max_repetitions;
    pdu
}

pub fn set(bindings: Vec<VarBind>) -> Pdu {
    Pdu::new(PduKind::Set, 1, bindings)
}

/// Runs one of Net-SNMP's tools; `None` if it is not installed: then the test is left out.
pub fn net_snmp(tool: &str, arguments: &[&str]) -> Option<Output> {
    // Reading interfaces waits for the kernel's lock on its network configuration, which others may hold for long.
    let common = ["-m", "", "-M", "/nonexistent", "-t", "60", "-r", "0"];
    trunkline_testkit::has(tool, "snmp")
        .then(|| Command::new(tool).args(common).args(arguments).output().unwrap())
}

fn listeners_in(config: &str) -> usize {
    // Targets and proxies have addresses too.
    let lines = config.lines().filter(|line| line.starts_with("listen"));
    lines.map(|line| line.matches("://").count()).sum()
}

fn with_state(config: &str, folder: &Path) -> String {
    let state = format!("state = {:?}", folder.join("state"));
    match config.contains("[agent]") {
        true => config.replace("[agent]", &format!("[agent]\n{state}")),
        false => format!("[agent]\n{state}\n{config}"),
    }
}

fn forward(stderr: ChildStderr) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// Waits for the end of an agent that should not run: whether it ended without an error.
pub fn ends_well(agent: &mut Agent) -> bool {
    agent.child.wait().expect("the agent ends").success()
}

//! What the end-to-end tests share: the program itself, Net-SNMP's agent as a child
//! process, and agents that lie.

#![allow(clippy::unwrap_used, dead_code, reason = "a test may fail by panic and say why")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::ops::Bound;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{self, Exception, Message, Pdu, PduKind, VarBind};
use trunkline_testkit::{has, leave_out};

/// `trunkline` with these arguments, without the environment's MIB settings.
pub fn trunkline(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunkline"));
    command
        .args(arguments)
        .env_remove("MIBS")
        .env_remove("MIBDIRS")
        .env("HOME", "/nonexistent")
        .env("SNMPCONFPATH", "/nonexistent");
    command
}

/// A folder with an authority, the certificate of an agent on this machine, and those of managers.
pub fn pki(managers: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::at(folder.path());
    let name = |text: &str| Name::new(text).unwrap();
    directory.init(&AuthorityOptions::named(name("Test CA")), false).unwrap();
    let managers = managers.iter().map(|manager| (Role::Manager, *manager));
    for (role, of) in [(Role::Agent, "localhost")].into_iter().chain(managers) {
        directory.issue(role, &name(of), &LeafOptions::default(), Storing::default()).unwrap();
    }
    folder
}

/// What it printed; the exit status must be `status`.
#[track_caller]
pub fn run(arguments: &[&str], status: i32) -> (String, String) {
    let output = trunkline(arguments).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}\n{out}\n{err}");
    (out, err)
}

/// Standard output and standard error.
pub fn texts(output: &Output) -> (String, String) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// Net-SNMP's agent on its own port, ended when dropped.
pub struct Snmpd {
    child: Child,
    folder: tempfile::TempDir,
    pub address: String,
}

impl Snmpd {
    /// Starts it, and returns when it answers; `None` when it is not installed.
    pub fn start(more: &str) -> Option<Self> {
        if !has("snmpd", "snmpd") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        // The port is free now; should another take it meanwhile, the next one is tried.
        for _ in 0..5 {
            let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            if let Some(started) = Self::on_port(port, more, folder.path()) {
                return Some(Snmpd { child: started, folder, address: format!("127.0.0.1:{port}") });
            }
        }
        panic!(
            "snmpd does not start: {}",
            std::fs::read_to_string(folder.path().join("log")).unwrap_or_default()
        );
    }

    fn on_port(port: u16, more: &str, folder: &Path) -> Option<Child> {
        let config = folder.join("snmpd.conf");
        let text = format!(
            "agentAddress udp:127.0.0.1:{port}\nrocommunity public 127.0.0.1\nrwcommunity private 127.0.0.1\n{more}\n"
        );
        std::fs::write(&config, text).unwrap();
        let program = if Path::new("/usr/sbin/snmpd").exists() { "/usr/sbin/snmpd" } else { "snmpd" };
        let mut child = Command::new(program)
            .args(["-f", "-C", "-Lf"])
            .arg(folder.join("log"))
            .arg("-c")
            .arg(&config)
            .arg("-p")
            .arg(folder.join("pid"))
            .env("SNMP_PERSISTENT_DIR", folder)
            .env("MIBS", "")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Asking again is the waiting: an answer is the event that says it is ready. Until it listens
        // the port is closed, and the question ends at once.
        let target = format!("127.0.0.1:{port}");
        let deadline = Instant::now() + Duration::from_secs(120);
        while Instant::now() < deadline && child.try_wait().unwrap().is_none() {
            let asked = ["get", "-m", "", "-t", "0.2", "-r", "50", &target, "1.3.6.1.2.1.1.3.0"];
            if trunkline(&asked).output().unwrap().status.success() {
                return Some(child);
            }
        }
        let _ = child.kill();
        let _ = child.wait();
        None
    }

    /// A separate folder for the test's files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An agent on a UDP port that answers as the test says. It ends when dropped.
pub struct Agent {
    pub address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Agent {
    /// `answer` gets each request and gives the answer's PDU, or nothing to stay silent.
    pub fn new(mut answer: impl FnMut(Message) -> Option<Pdu> + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let serve = move || {
            let mut octets = vec![0; 65_535];
            while let Ok((length, peer)) = socket.recv_from(&mut octets) {
                if length == 0 {
                    break; // an empty datagram is the test's signal to end
                }
                let Ok(request) = Message::decode(&octets[..length]) else { continue };
                let (version, community) = (request.version, request.community.clone());
                let request_id = request.pdu.request_id;
                if let Some(pdu) = answer(request) {
                    let pdu = Pdu { kind: PduKind::Response, request_id, ..pdu };
                    let _ = socket.send_to(&Message { version, community, pdu }.encode(), peer);
                }
            }
        };
        Agent { address, thread: Some(std::thread::spawn(serve)) }
    }

    /// An honest agent that serves these instances: Get, GetNext and GetBulk of SNMPv2c.
    pub fn serving(instances: BTreeMap<Oid, Value>) -> Self {
        Agent::new(move |request| {
            let exact = |name: &Oid| match instances.get(name) {
                Some(value) => VarBind::new(name.clone(), value.clone()),
                None => missing(name, Exception::NoSuchInstance),
            };
            let after = |name: &Oid| {
                let mut after = instances.range::<Oid, _>((Bound::Excluded(name), Bound::Unbounded));
                match after.next() {
                    Some((name, value)) => VarBind::new(name.clone(), value.clone()),
                    None => missing(name, Exception::EndOfMibView),
                }
            };
            Some(match request.pdu.kind {
                PduKind::Get => answer_next(&request, exact),
                _ => answer_next(&request, after),
            })
        })
    }

    /// The address as a target.
    pub fn target(&self) -> String {
        self.address.to_string()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let ended = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(&[], self.address));
        if ended.is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn missing(name: &Oid, exception: Exception) -> VarBind {
    VarBind { name: name.clone(), value: wire::Bound::Exception(exception) }
}

/// The requested names, each repeated as GetBulk requires, each with the binding that `next` returns.
pub fn answer_next(request: &Message, mut next: impl FnMut(&Oid) -> VarBind) -> Pdu {
    let asked: Vec<Oid> = request.pdu.bindings.iter().map(|binding| binding.name.clone()).collect();
    let (once, repetitions) = match request.pdu.kind {
        PduKind::GetBulk => (request.pdu.error_status as usize, request.pdu.error_index as usize),
        _ => (asked.len(), 1),
    };
    let mut bindings: Vec<VarBind> = asked[..once.min(asked.len())].iter().map(&mut next).collect();
    let mut cursors = asked[once.min(asked.len())..].to_vec();
    for _ in 0..repetitions.min(20) {
        for cursor in &mut cursors {
            let binding = next(cursor);
            *cursor = binding.name.clone();
            bindings.push(binding);
        }
    }
    Pdu::new(PduKind::Response, 0, bindings)
}

/// `trunklined` of this build on its own ports, ended when dropped.
pub struct Trunklined {
    child: Child,
    addresses: Vec<String>,
    pub folder: tempfile::TempDir,
    /// The lines of its log since it listens.
    log: Mutex<Receiver<String>>,
}

impl Trunklined {
    /// With this configuration, in which `STATE` is a new folder, listening with these schemes in this order.
    /// `None` if this build did not make one.
    pub fn start(config: &str, schemes: &[&str]) -> Option<Self> {
        let program = Path::new(env!("CARGO_BIN_EXE_trunkline")).with_file_name("trunklined");
        if !program.exists() {
            leave_out("trunklined is not built");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trunklined.toml");
        std::fs::write(&file, config.replace("STATE", folder.path().to_str().unwrap())).unwrap();
        let mut command = Command::new(program);
        command.arg("--config").arg(&file).arg("--log=info").stderr(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, log) = channel();
        let mut agent = Self { child, addresses: Vec::new(), folder, log: Mutex::new(log) };
        // Its log says where it listens: that is the event that is waited for.
        for scheme in schemes {
            let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
                let (_, rest) = line.split_once(&format!("listening {scheme}://"))?;
                Some(rest.trim().to_owned())
            });
            agent.addresses.push(address.unwrap());
        }
        let forward = move || lines.map_while(Result::ok).for_each(|line| drop(sender.send(line)));
        std::thread::spawn(forward);
        Some(agent)
    }

    /// Waits for a line of its log that contains these words, after those that are there already.
    pub fn wait_for_next(&self, words: &str, meanwhile: impl FnOnce()) {
        let log = self.log.lock().unwrap();
        while log.try_recv().is_ok() {}
        meanwhile();
        while !log.recv().unwrap().contains(words) {}
    }

    /// Ends it without a word.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Where it listens by the scheme at this place.
    pub fn address(&self, at: usize) -> &str {
        &self.addresses[at]
    }
}

impl Drop for Trunklined {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Debian's `snmpd`, started on a free loopback port and stopped on drop. Without it the tests are left out.
#![allow(dead_code, clippy::unwrap_used, reason = "helpers, not all used by each test program")]

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tempfile::TempDir;
use trunkline_testkit::has;

const SNMPD: &str = "/usr/sbin/snmpd";

/// A running agent, stopped on drop.
pub struct Snmpd {
    child: Child,
    pub port: u16,
    pub home: TempDir,
}

impl Snmpd {
    /// Starts an agent that listens on UDP and TCP, with more lines of configuration; `None` when there is no `snmpd`.
    pub fn start(more: &str) -> Option<Self> {
        Self::start_with(more, None)
    }

    /// The same over DTLS alone, with the certificates below `home/.snmp/tls`.
    pub fn start_secure(more: &str, home: &Path) -> Option<Self> {
        Self::start_with(more, Some(home))
    }

    fn start_with(more: &str, secure: Option<&Path>) -> Option<Self> {
        if !has(SNMPD, "snmpd") {
            return None;
        }
        let agent = (0..5).find_map(|_| Self::on_port(free_port(), more, secure));
        assert!(agent.is_some(), "snmpd does not start");
        agent
    }

    /// `None` if another process took the port meanwhile.
    fn on_port(port: u16, more: &str, secure: Option<&Path>) -> Option<Self> {
        let home = TempDir::new().unwrap();
        let configuration = home.path().join("snmpd.conf");
        let text = "rocommunity public\nrwcommunity private\nmaxGetbulkResponses -1\nsysLocation here\n";
        std::fs::write(&configuration, format!("{text}{more}\n")).unwrap();
        let mut child = Command::new(SNMPD)
            .args(["-f", "-Lo", "-C", "-r", "-c"])
            .arg(&configuration)
            .arg("-p")
            .arg(home.path().join("pid"))
            .args(places(port, secure))
            .env("SNMP_PERSISTENT_DIR", home.path())
            .env("HOME", secure.unwrap_or(home.path()))
            .env("MIBS", "")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stdout.take().unwrap());
        let agent = Self { child, port, home };
        // It prints its version once its sockets are open, and exits if they cannot be opened.
        let mut line = String::new();
        while !line.starts_with("NET-SNMP version") {
            line.clear();
            if log.read_line(&mut line).unwrap() == 0 {
                return None;
            }
        }
        // Its later output is drained, so that it never blocks on us.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Some(agent)
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a program of Net-SNMP listens.
fn places(port: u16, secure: Option<&Path>) -> Vec<String> {
    let transports: &[&str] = if secure.is_some() { &["dtlsudp"] } else { &["udp", "tcp"] };
    transports.iter().map(|transport| format!("{transport}:127.0.0.1:{port}")).collect()
}

/// A port that is free for both UDP and TCP at this moment.
pub fn free_port() -> u16 {
    loop {
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = udp.local_addr().unwrap().port();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

const SNMPTRAPD: &str = "/usr/sbin/snmptrapd";

/// A running `snmptrapd`, whose notifications come as lines.
pub struct Snmptrapd {
    child: Child,
    pub port: u16,
    pub home: TempDir,
    lines: Receiver<String>,
}

impl Snmptrapd {
    /// The target of an agent of ours that sends to it, as its configuration has it.
    pub fn as_target(&self) -> String {
        let address = format!("udp://127.0.0.1:{}", self.port);
        format!("[[snmp.target]]\nname = \"nms\"\naddress = \"{address}\"\ncommunity = \"public\"\n")
    }

    /// Starts a receiver on UDP and TCP with this configuration; `None` if `snmptrapd` is missing.
    pub fn start(configuration: &str) -> Option<Self> {
        Self::start_with(configuration, None)
    }

    /// The same over DTLS alone, with the certificates below `home/.snmp/tls`.
    pub fn start_secure(configuration: &str, home: &Path) -> Option<Self> {
        Self::start_with(configuration, Some(home))
    }

    fn start_with(configuration: &str, secure: Option<&Path>) -> Option<Self> {
        if !has(SNMPTRAPD, "snmptrapd") {
            return None;
        }
        let receiver = (0..5).find_map(|_| Self::on_port(free_port(), configuration, secure));
        assert!(receiver.is_some(), "snmptrapd does not start");
        receiver
    }

    fn on_port(port: u16, configuration: &str, secure: Option<&Path>) -> Option<Self> {
        let home = TempDir::new().unwrap();
        let file = home.path().join("snmptrapd.conf");
        std::fs::write(&file, configuration).unwrap();
        let mut child = Command::new(SNMPTRAPD)
            .args(["-f", "-Lo", "-C", "-On", "-n", "-F", "TRAP|%P|%N|%w|%q|%T|%a|%v\n", "-c"])
            .arg(&file)
            .arg("-p")
            .arg(home.path().join("pid"))
            .args(places(port, secure))
            .env("SNMP_PERSISTENT_DIR", home.path())
            .env("HOME", secure.unwrap_or(home.path()))
            .env("MIBS", "")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        let mut receiver = Self { child, port, home, lines };
        let mut line = String::new();
        while !line.starts_with("NET-SNMP version") {
            line.clear();
            if log.read_line(&mut line).unwrap() == 0 {
                let _ = receiver.child.wait();
                return None;
            }
        }
        std::thread::spawn(move || {
            let trap = |line: String| line.strip_prefix("TRAP|").map(str::to_owned);
            log.lines().map_while(Result::ok).filter_map(trap).try_for_each(|line| sender.send(line))
        });
        Some(receiver)
    }

    /// The next notification: `version and user or
    /// community|enterprise|generic|specific|ticks|agent-addr|bindings`.
    pub fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(30)).unwrap()
    }
}

impl Drop for Snmptrapd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Debian's `snmpd`, started on a free loopback port and ended when dropped. Without it the tests say so and
//! pass, except in CI.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers, not all used by each test program"
)]

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

const SNMPD: &str = "/usr/sbin/snmpd";

/// A running agent, ended when dropped.
pub struct Snmpd {
    child: Child,
    pub port: u16,
    pub home: TempDir,
}

impl Snmpd {
    /// Starts an agent that listens on UDP and TCP, with more lines of configuration; `None` when there is no `snmpd`.
    pub fn start(more: &str) -> Option<Self> {
        if !Path::new(SNMPD).exists() {
            assert!(std::env::var_os("CI").is_none(), "{SNMPD} is missing; apt-get install snmpd");
            eprintln!("skipped: {SNMPD} is missing; apt-get install snmpd");
            return None;
        }
        let agent = (0..5).find_map(|_| Self::on_port(free_port(), more));
        assert!(agent.is_some(), "snmpd does not start");
        agent
    }

    /// `None` when somebody else took the port meanwhile.
    fn on_port(port: u16, more: &str) -> Option<Self> {
        let home = TempDir::new().unwrap();
        let configuration = home.path().join("snmpd.conf");
        let text = "rocommunity public\nrwcommunity private\nmaxGetbulkResponses -1\nsysLocation here\n";
        std::fs::write(&configuration, format!("{text}{more}\n")).unwrap();
        let mut child = Command::new(SNMPD)
            .args(["-f", "-Lo", "-C", "-r", "-c"])
            .arg(&configuration)
            .arg("-p")
            .arg(home.path().join("pid"))
            .args([format!("udp:127.0.0.1:{port}"), format!("tcp:127.0.0.1:{port}")])
            .env("SNMP_PERSISTENT_DIR", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stdout.take().unwrap());
        let agent = Self { child, port, home };
        // It names its version when its sockets are open, and ends when they are not to be had.
        let mut line = String::new();
        while !line.starts_with("NET-SNMP version") {
            line.clear();
            if log.read_line(&mut line).unwrap() == 0 {
                return None;
            }
        }
        // Whatever it says later is read, so that it never waits for us.
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

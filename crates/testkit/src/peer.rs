//! Foreign SNMP engines as peers of a test: SNMP4J and pysnmp, driven by the small programs in `peers/`, which
//! read one command per line and answer each with a line. `cargo xtask setup --peers` builds them into
//! `target/peers`.
//!
//! If a peer is missing, its test is left out.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::leave_out;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// SNMP4J, in Java.
    Snmp4j,
    /// pysnmp, in Python.
    Pysnmp,
}

impl Kind {
    /// Both of them.
    pub const ALL: [Kind; 2] = [Kind::Snmp4j, Kind::Pysnmp];
}

/// A running peer; ended when dropped.
pub struct Peer {
    kind: Kind,
    child: Child,
    commands: ChildStdin,
    lines: Receiver<String>,
    /// Notifications that came while an answer was waited for.
    received: Vec<String>,
}

/// Longer than any exchange takes, retries included.
const PATIENCE: Duration = Duration::from_secs(60);

impl Peer {
    /// Starts the engine; `None` if it is not built: then the test is left out.
    pub fn start(kind: Kind) -> Option<Peer> {
        let Some(mut command) = command(kind) else {
            leave_out(format_args!("{kind:?} is not built (cargo xtask setup --peers)"));
            return None;
        };
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the peer's program");
        let commands = child.stdin.take().expect("its standard input");
        let output = BufReader::new(child.stdout.take().expect("its standard output"));
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let mut peer = Peer { kind, child, commands, lines, received: Vec::new() };
        assert_eq!(peer.line(), "ready");
        Some(peer)
    }

    /// Sends a command; returns its answer, or the engine's error.
    pub fn tell(&mut self, command: &str) -> Result<String, String> {
        writeln!(self.commands, "{command}").expect("the peer takes a command");
        loop {
            let line = self.line();
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("ok", answer) => return Ok(answer.to_owned()),
                ("error", reason) => return Err(reason.to_owned()),
                ("received", what) => self.received.push(what.to_owned()),
                _ => panic!("{:?} said {line:?}", self.kind),
            }
        }
    }

    /// A command that must succeed.
    pub fn ask(&mut self, command: &str) -> String {
        self.tell(command).unwrap_or_else(|reason| panic!("{:?}: {command}: {reason}", self.kind))
    }

    /// Adds a user: protocols by Net-SNMP's names, `-` for none.
    pub fn user(&mut self, name: &str, auth: (&str, &str), privacy: (&str, &str)) {
        self.ask(&format!("user {name} {} {} {} {}", auth.0, auth.1, privacy.0, privacy.1));
    }

    /// Starts to receive notifications; returns the port.
    pub fn listen(&mut self) -> u16 {
        self.ask("listen").parse().expect("a port")
    }

    /// Starts to serve a few objects of the system group; returns the port.
    pub fn agent(&mut self) -> u16 {
        self.ask("agent").parse().expect("a port")
    }

    /// The next notification: `TRAP 3 3:ann NAME=VALUE | ...`, with the kind, the number of the version on the
    /// wire, the security level and the security name.
    pub fn notification(&mut self) -> String {
        if !self.received.is_empty() {
            return self.received.remove(0);
        }
        let line = self.line();
        line.strip_prefix("received ").unwrap_or_else(|| panic!("{:?} said {line:?}", self.kind)).to_owned()
    }

    fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{:?}: {error}", self.kind))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(kind: Kind) -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let built: PathBuf = root.join("target/peers");
    match kind {
        Kind::Snmp4j => {
            let folder = built.join("snmp4j");
            folder.join("built-from").is_file().then(|| {
                let mut command = Command::new("java");
                let path = format!("{0}/classes:{0}/lib/*", folder.display());
                // Small and quick to start: two cores are shared with everything else.
                command.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m", "-cp"]).arg(path);
                command.arg("trunkline.Peer");
                command
            })
        }
        Kind::Pysnmp => {
            let folder = built.join("python");
            folder.join("built-from").is_file().then(|| {
                let mut command = Command::new(folder.join("bin/python"));
                command.arg(root.join("peers/python/peer.py"));
                command
            })
        }
    }
}

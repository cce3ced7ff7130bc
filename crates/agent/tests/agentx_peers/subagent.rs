//! The subagent of Net-SNMP's library (`peers/agentx`), which misbehaves on command.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};

use trunkline_testkit::leave_out;

use crate::support::PATIENCE;

/// A running subagent; ended when dropped.
pub struct Subagent {
    child: Child,
    commands: ChildStdin,
    lines: Receiver<String>,
    pub root: String,
}

/// How many columns its table has.
pub const COLUMNS: usize = 4;

/// Whether it is built; if not, the test is left out.
pub fn is_built() -> bool {
    let is_there = program().is_file();
    if !is_there {
        leave_out("the subagent is not built (cargo xtask setup --peers)");
    }
    is_there
}

fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/agentx/subagent")
}

impl Subagent {
    /// Starts it; it has registered its root with the master on `socket` when this returns, if there is one.
    pub fn start(socket: &Path, name: &str, root: &str, rows: usize) -> Subagent {
        let mut child = Command::new(program())
            .arg(socket)
            .args([name, root, &rows.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let subagent = Subagent { child, commands, lines, root: root.to_owned() };
        assert_eq!(subagent.line(), "ready");
        subagent
    }

    /// Gives a command that must succeed; returns what it says behind `ok`.
    pub fn tell(&mut self, command: &str) -> String {
        writeln!(self.commands, "{command}").unwrap();
        let line = self.line();
        line.strip_prefix("ok").unwrap_or_else(|| panic!("{command}: {line}")).trim().to_owned()
    }

    /// Kills it in the middle of what it does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// `ROOT.1.1.COLUMN.ROW`.
    pub fn instance(&self, column: usize, row: usize) -> String {
        format!("{}.1.1.{column}.{row}", self.root)
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the subagent answers")
    }
}

impl Drop for Subagent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

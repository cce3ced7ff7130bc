//! A child process that ends with us: on drop by its process id, and by the kernel if this program is killed and
//! cannot drop anything (`setpriv --pdeathsig`, if util-linux has it).

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::error::Error;

/// A running child whose output is drained, so that it never blocks on us.
#[derive(Debug)]
pub(super) struct ChildProcess {
    program: PathBuf,
    child: Child,
    lines: Receiver<String>,
    /// The child's files, removed after it.
    _directory: tempfile::TempDir,
}

/// Why an agent could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program.
    #[error("{} was not found", program.display())]
    NotFound {
        /// The given name or path.
        program: PathBuf,
    },
    /// It could not be started, or its files could not be written.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It ended instead of becoming ready.
    #[error("{} ended ({status}) instead of listening; it said: {last_words}", program.display())]
    Ended {
        /// The program.
        program: PathBuf,
        /// Its exit status.
        status: String,
        /// The last lines of its output.
        last_words: String,
    },
    /// It did not report that it listens.
    #[error("{} did not say within {} s that it listens: is it `trunklined`, or `trunklined-lab`, of the laboratory's version? it said: {last_words}", program.display(), waited.as_secs())]
    Silent {
        /// The program.
        program: PathBuf,
        /// The time-out.
        waited: Duration,
        /// The last lines of its output.
        last_words: String,
    },
}

impl ChildProcess {
    /// Starts a program whose arguments, environment and files `configure` sets; `directory` exists as long as it
    /// runs.
    pub(super) fn start(
        program: &Path,
        directory: tempfile::TempDir,
        configure: impl FnOnce(&mut Command),
    ) -> Result<Self, StartError> {
        let mut command = ending_with_us(program);
        configure(&mut command);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = command.spawn();
        let mut child =
            started.map_err(|source| StartError::Start { program: program.to_owned(), source })?;
        let (to, lines) = sync_channel(LINES_KEPT);
        let read =
            read_lines(child.stdout.take(), to.clone()).and_then(|()| read_lines(child.stderr.take(), to));
        let process = ChildProcess { program: program.to_owned(), child, lines, _directory: directory };
        read.map(|()| process).map_err(|source| StartError::Start { program: program.to_owned(), source })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it still runs, as it should until it is dropped; `agent` is its name.
    pub(super) fn still_runs(&self, agent: &str) -> Result<(), Error> {
        match self.ended() {
            Some(status) => Err(Error::AgentEnded { agent: agent.to_owned(), status }),
            None => Ok(()),
        }
    }

    fn ended(&self) -> Option<String> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)?;
        // It stays to be waited for.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(pid), options).ok()??;
        Some(match (status.terminating_signal(), status.exit_status()) {
            (Some(signal), _) => format!("signal {signal}"),
            (_, Some(code)) => format!("exit status {code}"),
            _ => "for an unknown reason".into(),
        })
    }

    /// Sends a signal.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It is still our child (not waited for), so the id is still its own.
            let _ = kill_process(pid, signal);
        }
    }

    /// Reads the child's output until `found` returns something; fails if the child ends or [`READY_WITHIN`] has
    /// passed.
    pub(super) fn wait_for<T>(&mut self, mut found: impl FnMut(&str) -> Option<T>) -> Result<T, StartError> {
        let deadline = Instant::now() + READY_WITHIN;
        let mut heard: Vec<String> = Vec::new();
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => match found(&line) {
                    Some(found) => return Ok(found),
                    None => heard.push(line),
                },
                Err(RecvTimeoutError::Timeout) => {
                    let (program, last_words) = (self.program.clone(), last(&heard));
                    return Err(StartError::Silent { program, waited: READY_WITHIN, last_words });
                }
                // Both its outputs are closed: it has ended or is about to.
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map_or_else(|error| error.to_string(), |it| describe(&it));
                    return Err(StartError::Ended {
                        program: self.program.clone(),
                        status,
                        last_words: last(&heard),
                    });
                }
            }
        }
    }

    /// Terminates the child, and kills it if it does not end within [`END_WITHIN`].
    fn end(&mut self) {
        let asked = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        if let Some(pid) = asked {
            // It is still our child (not waited for), so the id is still its own.
            let _ = kill_process(pid, Signal::TERM);
        }
        let deadline = Instant::now() + END_WITHIN;
        // The end of both its outputs is the signal; a line only shows that it is still running.
        while let Ok(_line) = self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// The command of a program, run through `setpriv --pdeathsig` if available: the kernel then ends the child when
/// the thread that started it is gone. `setpriv` becomes the program, so the process id is the program's.
pub(crate) fn ending_with_us(program: &Path) -> Command {
    match super::find("setpriv", None, &[], &[]) {
        Ok(setpriv) => {
            let mut command = Command::new(setpriv);
            command.args(["--pdeathsig", "KILL", "--"]).arg(program);
            command
        }
        Err(_) => Command::new(program),
    }
}

/// Reads lines on a separate thread until the stream ends; lines that are not fetched are dropped.
fn read_lines(stream: Option<impl Read + Send + 'static>, to: SyncSender<String>) -> std::io::Result<()> {
    let Some(stream) = stream else { return Ok(()) };
    let reading = move || {
        for line in BufReader::new(stream).split(b'\n') {
            let Ok(line) = line else { return };
            let _ = to.try_send(String::from_utf8_lossy(&line).into_owned());
        }
    };
    std::thread::Builder::new().name("lab-output".into()).spawn(reading).map(drop)
}

fn last(heard: &[String]) -> String {
    let from = heard.len().saturating_sub(3);
    if heard.is_empty() { "nothing".into() } else { heard[from..].join(" | ") }
}

fn describe(status: &ExitStatus) -> String {
    status.to_string()
}

/// The time-out for a child to report that it listens. With 3,000 interfaces snmpd needs 7 seconds on a busy
/// machine.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// The time-out for a child to end after SIGTERM.
const END_WITHIN: Duration = Duration::from_secs(2);
/// Maximum number of output lines that wait for the reader.
const LINES_KEPT: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> ChildProcess {
        let directory = tempfile::tempdir().unwrap();
        ChildProcess::start(Path::new("/bin/sh"), directory, |command| {
            command.args(["-c", script]);
        })
        .unwrap()
    }

    #[test]
    fn readiness_is_a_line() {
        let mut child = shell("echo warming up; echo listening on 5 >&2; exec cat /dev/zero > /dev/null");
        let port = child.wait_for(|line| line.strip_prefix("listening on ")?.parse::<u32>().ok()).unwrap();
        assert_eq!(port, 5);
    }

    #[test]
    fn a_child_ends_with_its_owner() {
        let mut child = shell("echo up; exec cat /dev/zero > /dev/null");
        child.wait_for(|line| (line == "up").then_some(())).unwrap();
        let process = format!("/proc/{}", child.id());
        assert!(Path::new(&process).exists());
        drop(child);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn a_child_that_ignores_sigterm_is_killed() {
        let mut child = shell("trap '' TERM; echo up; while :; do :; done");
        child.wait_for(|line| (line == "up").then_some(())).unwrap();
        let process = format!("/proc/{}", child.id());
        drop(child);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn last_words_are_kept() {
        let mut child = shell("echo one; echo bad port; exit 3");
        match child.wait_for(|_| None::<()>) {
            Err(StartError::Ended { status, last_words, .. }) => {
                assert!(status.contains('3'), "{status}");
                assert!(last_words.contains("bad port"), "{last_words}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_missing_program_is_a_start_error_or_ends() {
        let directory = tempfile::tempdir().unwrap();
        match ChildProcess::start(Path::new("/nowhere/agent"), directory, |_| {}) {
            // without setpriv
            Err(StartError::Start { program, .. }) => assert_eq!(program, Path::new("/nowhere/agent")),
            // with setpriv, which reports it itself
            Ok(mut child) => {
                assert!(matches!(child.wait_for(|_| None::<()>), Err(StartError::Ended { .. })));
            }
            Err(other) => panic!("{other}"),
        }
    }
}

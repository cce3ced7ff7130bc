//! Runs a program and reads its output, with limits on time, output and the number of programs.
//!
//! A program gets a new process group, no input but what it is given, no environment except a PATH, and none of our files. At its time
//! limit the whole group is killed. Processes that it leaves behind when it ends in time (a fix command may start
//! a daemon) keep running.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, OFlags, fcntl_getfl, fcntl_setfl, memfd_create};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// A program of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; with `shell` the parts of a line for `/bin/sh -c`.
    pub command: Vec<String>,
    /// Whether the shell runs it.
    pub shell: bool,
    /// A program that runs longer is killed, with everything that it has started.
    pub timeout: Duration,
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Standard output and standard error as they came, at most as much as was allowed.
    pub output: Vec<u8>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// On its own, with this status.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It was killed at its time limit.
    TimedOut,
    /// It could not be started; if no place becomes free within its time limit, it has timed out too.
    NotStarted(io::Error),
}

/// Starts programs, up to a limit at once; further ones wait, for at most their time limit.
#[derive(Debug)]
pub struct Runner {
    free: Mutex<usize>,
    freed: Condvar,
}

/// What a program reads, and how much of what it writes is kept.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'f> {
    /// Its standard input.
    pub input: &'f [u8],
    /// Most octets that are kept of its output.
    pub most: usize,
    /// Whether its standard error belongs to the output; otherwise nobody reads that.
    pub with_errors: bool,
}

impl Default for Feed<'_> {
    fn default() -> Self {
        Feed { input: &[], most: MAX_OUTPUT, with_errors: true }
    }
}

/// Most octets that are kept of an output: they fit in a message over UDP.
pub const MAX_OUTPUT: usize = 60_000;

/// The environment of a program.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// After its group was killed, a program that the kernel does not let go is not waited for any longer.
const LINGER: Duration = Duration::from_millis(500);

impl Program {
    /// The command that runs it, with more arguments at the end (which the shell does not see), in a new process
    /// group, with a root directory and environment. Standard input and output are for the caller to set.
    pub fn command(&self, more: &[&str]) -> Command {
        let mut command = if self.shell {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(self.command.join(" "));
            shell
        } else {
            let mut words = self.command.iter();
            let mut command = Command::new(words.next().map_or("", String::as_str));
            command.args(words).args(more);
            command
        };
        command.env_clear().env("PATH", PATH).env("HOME", "/").current_dir("/").process_group(0);
        command
    }
}

impl Runner {
    /// At most this many programs run at once.
    pub fn new(places: usize) -> Self {
        Runner { free: Mutex::new(places), freed: Condvar::new() }
    }

    /// Runs a program to its end or its limit, with more arguments. Blocks.
    pub fn run(&self, program: &Program, more: &[&str]) -> Outcome {
        self.feed(program, more, Feed::default())
    }

    /// The same with an input, and another bound of the output.
    pub fn feed(&self, program: &Program, more: &[&str], feed: Feed<'_>) -> Outcome {
        let deadline = Instant::now() + program.timeout;
        let mut output = Vec::new();
        let ended = match self.place(deadline) {
            None => {
                Ended::NotStarted(io::Error::new(io::ErrorKind::TimedOut, "too many programs are running"))
            }
            Some(_place) => run(program, more, deadline, feed, &mut output).unwrap_or_else(Ended::NotStarted),
        };
        Outcome { ended, output }
    }

    fn place(&self, deadline: Instant) -> Option<Place<'_>> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = deadline.saturating_duration_since(Instant::now());
        let waited = self.freed.wait_timeout_while(free, patience, |free| *free == 0);
        let (mut free, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *free = free.checked_sub(1)?;
        Some(Place { runner: self })
    }
}

/// Returned when dropped.
struct Place<'r> {
    runner: &'r Runner,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.runner.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.runner.freed.notify_one();
    }
}

fn run(
    program: &Program,
    more: &[&str],
    deadline: Instant,
    feed: Feed<'_>,
    output: &mut Vec<u8>,
) -> io::Result<Ended> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    fcntl_setfl(&reader, fcntl_getfl(&reader)? | OFlags::NONBLOCK)?;
    let mut command = program.command(more);
    let errors = if feed.with_errors { Stdio::from(writer.try_clone()?) } else { Stdio::null() };
    command.stdin(input(feed.input)?).stderr(errors).stdout(Stdio::from(writer));
    let child = command.spawn()?;
    drop(command); // and with it our copies of the writing end
    let process = Process::new(child)?;
    let mut reader = Some(reader);
    let in_time = process.watch(&mut reader, output, feed.most, deadline)?;
    Ok(if in_time { process.reap() } else { process.kill() })
}

/// An input as a file that nobody else has: a program need not read it, and nobody waits until it does.
fn input(octets: &[u8]) -> io::Result<Stdio> {
    if octets.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = File::from(memfd_create(c"input", MemfdFlags::CLOEXEC)?);
    file.write_all(octets)?;
    file.rewind()?;
    Ok(Stdio::from(file))
}

/// A child that leads a process group, and a descriptor that reports when it has ended.
struct Process {
    child: Child,
    ended: OwnedFd,
}

impl Process {
    fn new(mut child: Child) -> io::Result<Self> {
        let opened = group_of(&child).and_then(|pid| Ok(pidfd_open(pid, PidfdFlags::empty())?));
        match opened {
            Ok(ended) => Ok(Process { child, ended }),
            Err(error) => {
                kill_group(&child);
                child.wait()?;
                Err(error)
            }
        }
    }

    /// Reads until the child has ended; false if the deadline came first. The pipe is closed once enough is read:
    /// a child that prints more gets SIGPIPE.
    fn watch(
        &self,
        reader: &mut Option<OwnedFd>,
        output: &mut Vec<u8>,
        most: usize,
        deadline: Instant,
    ) -> io::Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut watched = vec![PollFd::new(&self.ended, PollFlags::IN)];
            watched.extend(reader.as_ref().map(|reader| PollFd::new(reader, PollFlags::IN)));
            match poll(&mut watched, Some(&timespec(left))) {
                Ok(0) => return Ok(false),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let has_ended = !watched[0].revents().is_empty();
            let is_complete = reader.as_ref().is_none_or(|reader| read_some(reader, output, most));
            if is_complete {
                *reader = None;
            }
            if has_ended {
                return Ok(true);
            }
            if left.is_zero() {
                return Ok(false);
            }
        }
    }

    fn reap(mut self) -> Ended {
        match self.child.wait() {
            Ok(status) => how(status),
            Err(error) => Ended::NotStarted(error),
        }
    }

    /// Waits for its end, for at most this long.
    fn has_ended(&self, patience: Duration) -> bool {
        let mut watched = [PollFd::new(&self.ended, PollFlags::IN)];
        poll(&mut watched, Some(&timespec(patience))).is_ok_and(|ready| ready > 0)
    }

    fn kill(mut self) -> Ended {
        kill_group(&self.child);
        if self.has_ended(LINGER) {
            let _ = self.child.wait();
        } else {
            // It hangs in the kernel. Somebody must reap it when it returns.
            let reap = move || drop(self.child.wait());
            let _ = std::thread::Builder::new().name("reap".into()).stack_size(64 * 1024).spawn(reap);
        }
        Ended::TimedOut
    }
}

/// Reads what is available; true when there will be no more, or no more is wanted.
fn read_some(reader: &OwnedFd, output: &mut Vec<u8>, most: usize) -> bool {
    loop {
        if output.len() >= most {
            return true;
        }
        let mut buffer = [0; 4096];
        let room = buffer.len().min(most - output.len());
        match rustix::io::read(reader.as_fd(), &mut buffer[..room]) {
            Ok(0) => return true,
            Ok(count) => output.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return false,
            Err(_) => return true,
        }
    }
}

fn how(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Code(code),
        (None, signal) => Ended::Signal(signal.unwrap_or(0)),
    }
}

/// Ends a child that leads a process group: it has this long to end on its own, then it is killed with its group.
/// Done on a separate thread; without one the child is left alone.
pub fn see_off(child: Child, patience: Duration) {
    let see_off = move || {
        if let Ok(process) = Process::new(child) {
            let _ = if process.has_ended(patience) { process.reap() } else { process.kill() };
        }
    };
    let _ = std::thread::Builder::new().name("reap".into()).stack_size(64 * 1024).spawn(see_off);
}

/// Kills all programs that this process still runs, with everything that they have started: for its exit, so that
/// none outlives it. Each program leads a process group; other children are left alone.
pub fn kill_all() {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return };
    for thread in threads.flatten() {
        let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let pids = children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
        for pid in pids.filter(|pid| rustix::process::getpgid(Some(*pid)) == Ok(*pid)) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Kills a child that leads a process group, and its group.
fn kill_group(child: &Child) {
    if let Ok(group) = group_of(child) {
        // ESRCH: it is gone already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn group_of(child: &Child) -> io::Result<Pid> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::Error::other("a process without a number"))
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, timeout: Duration) -> Outcome {
        let program = Program { command: vec![line.into()], shell: true, timeout };
        Runner::new(1).run(&program, &[])
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn output_and_exit_status() {
        let outcome = shell("echo one; echo two >&2; exit 3", LONG);
        assert!(matches!(outcome.ended, Ended::Code(3)));
        assert_eq!(outcome.output, b"one\ntwo\n");
        assert!(matches!(shell("kill -9 $$", LONG).ended, Ended::Signal(9)));
    }

    #[test]
    fn it_inherits_nothing_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        let _open = std::fs::File::create(folder.path().join("ours")).unwrap();
        let outcome = shell("pwd; cat; env; ls -l /proc/self/fd /proc/$$/fd", LONG);
        let text = String::from_utf8(outcome.output).unwrap();
        assert!(text.starts_with("/\n") && text.contains("/proc/self/fd"), "{text}");
        assert!(!text.contains(folder.path().to_str().unwrap()), "{text}");
        assert!(!text.contains("CARGO"), "{text}");
    }

    #[test]
    fn arguments_reach_it_as_they_are() {
        let command = ["/bin/echo", "a  b", "*"].map(String::from).to_vec();
        let program = Program { command, shell: false, timeout: LONG };
        assert_eq!(Runner::new(1).run(&program, &["$HOME"]).output, b"a  b * $HOME\n");
    }

    #[test]
    fn an_input_of_any_length_is_read_or_not() {
        let input = b"0123456789abcdef".repeat(100_000);
        let of = |line: &str, feed| {
            let program = Program { command: vec![line.into()], shell: true, timeout: LONG };
            Runner::new(1).feed(&program, &[], feed)
        };
        let feed = Feed { input: &input, most: 200_000, with_errors: false };
        let outcome = of("cat; echo wrong >&2", feed);
        assert_eq!(outcome.output, input[..200_000]);
        assert_eq!(of("wc -c", feed).output, b"1600000\n");
        assert!(matches!(of("exit 4", feed).ended, Ended::Code(4)));
    }

    #[test]
    fn at_its_limit_it_is_killed_with_its_children() {
        let started = Instant::now();
        // The child of the child would hold the pipe and run on.
        let outcome = shell("echo begun; sleep 1000 & sleep 1000", Duration::from_millis(300));
        assert!(matches!(outcome.ended, Ended::TimedOut));
        assert_eq!(outcome.output, b"begun\n");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn leftover_processes_are_not_waited_for() {
        let started = Instant::now();
        let outcome = shell("sleep 5 & echo begun", LONG);
        assert!(matches!(outcome.ended, Ended::Code(0)));
        assert_eq!(outcome.output, b"begun\n");
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_flood_is_cut() {
        let outcome = shell("exec yes", LONG);
        assert!(matches!(outcome.ended, Ended::Signal(13)), "{:?}", outcome.ended);
        assert_eq!(outcome.output.len(), MAX_OUTPUT);
    }

    #[test]
    fn a_missing_program() {
        let program = Program { command: vec!["/nonexistent/x".into()], shell: false, timeout: LONG };
        let outcome = Runner::new(1).run(&program, &[]);
        assert!(matches!(outcome.ended, Ended::NotStarted(error) if error.kind() == io::ErrorKind::NotFound));
    }

    #[test]
    fn the_number_of_programs_is_limited() {
        let runner = Runner::new(1);
        let slow =
            Program { command: vec!["sleep 1000".into()], shell: true, timeout: Duration::from_secs(1) };
        let quick = Program { command: vec!["echo".into()], shell: true, timeout: Duration::from_millis(50) };
        std::thread::scope(|scope| {
            let busy = scope.spawn(|| runner.run(&slow, &[]));
            while *runner.free.lock().unwrap() > 0 {
                std::thread::yield_now();
            }
            assert!(matches!(runner.run(&quick, &[]).ended, Ended::NotStarted(_)));
            assert!(matches!(busy.join().unwrap().ended, Ended::TimedOut));
        });
        let quick = Program { timeout: LONG, ..quick };
        assert!(matches!(runner.run(&quick, &[]).ended, Ended::Code(0)));
    }
}

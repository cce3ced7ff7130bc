//! Programs that get notifications: a queue, a few at once, each with a time limit.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use std::{io, net::IpAddr};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::counts::Counts;
use crate::form::Form;
use crate::host_name;
use crate::limits::Limits;
use crate::reports::Reports;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPlan {
    command: Vec<String>,
    /// What it reads.
    pub form: Form,
    /// From then on it is killed, with everything that it has started.
    pub timeout: Duration,
}

impl ProgramPlan {
    /// A program by its path, which no shell looks at.
    ///
    /// # Errors
    /// The path is not absolute, or a word cannot be an argument.
    pub fn new(command: Vec<String>, form: Form, timeout: Duration) -> Result<Self, String> {
        let Some(path) = command.first() else {
            return Err(
                "run: expected a program and its arguments, such as [\"/usr/local/bin/page\", \"ops\"]"
                    .into(),
            );
        };
        if !path.starts_with('/') {
            return Err(format!("run: {path:?} is not an absolute path"));
        }
        if command.iter().any(|word| word.contains('\0')) {
            return Err("run: an argument cannot have a NUL".to_owned());
        }
        Ok(ProgramPlan { command, form, timeout })
    }
}

/// A notification for a program.
struct Job {
    rule: Arc<str>,
    plan: Arc<ProgramPlan>,
    counts: Arc<Counts>,
    /// Whose name is the first line.
    named: Option<IpAddr>,
    input: String,
}

/// All programs: one queue, and those that run.
#[derive(Debug)]
pub(crate) struct Programs {
    queue: mpsc::Sender<Job>,
    /// Octets in the queue.
    octets: Arc<AtomicUsize>,
    starting: JoinHandle<()>,
}

/// How many octets of notifications may wait.
const MOST_WAITING: usize = 32 << 20;

impl Programs {
    /// Begins to run what comes.
    pub(crate) fn start(limits: Limits, reports: Reports) -> Self {
        let (queue, jobs) = mpsc::channel(limits.waiting);
        let octets = Arc::new(AtomicUsize::new(0));
        let starting = tokio::spawn(start_all(jobs, limits.programs, Arc::clone(&octets), reports));
        Programs { queue, octets, starting }
    }

    /// Queues a notification, or drops it if there is no room.
    pub(crate) fn run(
        &self,
        rule: &Arc<str>,
        plan: &Arc<ProgramPlan>,
        counts: &Arc<Counts>,
        (named, input): (Option<IpAddr>, String),
    ) -> bool {
        let length = input.len();
        let job =
            Job { rule: Arc::clone(rule), plan: Arc::clone(plan), counts: Arc::clone(counts), named, input };
        if self.octets.load(Relaxed) + length > MOST_WAITING {
            return false;
        }
        self.octets.fetch_add(length, Relaxed);
        let is_queued = self.queue.try_send(job).is_ok();
        if !is_queued {
            self.octets.fetch_sub(length, Relaxed);
        }
        is_queued
    }

    /// Waits for all that is queued, at most this long; what still runs then is killed.
    pub(crate) async fn finish(self, patience: Duration) {
        drop(self.queue);
        let mut starting = self.starting;
        if timeout(patience, &mut starting).await.is_err() {
            starting.abort();
            let _ = starting.await;
        }
    }
}

async fn start_all(mut jobs: mpsc::Receiver<Job>, most: usize, octets: Arc<AtomicUsize>, reports: Reports) {
    let places = Arc::new(Semaphore::new(most));
    let mut running = JoinSet::new();
    while let Some(job) = jobs.recv().await {
        octets.fetch_sub(job.input.len(), Relaxed);
        // It is closed by nobody.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        while running.try_join_next().is_some() {}
        let reports = reports.clone();
        running.spawn(async move {
            run(job, &reports).await;
            drop(place);
        });
    }
    while running.join_next().await.is_some() {}
}

/// Runs a program to its end.
async fn run(job: Job, reports: &Reports) {
    let subject = format!("rule {}", job.rule);
    let path = &job.plan.command[0];
    let mut output = Vec::new();
    let ended = match timeout(job.plan.timeout, feed(&job, &mut output)).await {
        Ok(ended) => ended,
        Err(_) => {
            job.counts.failed();
            let seconds = job.plan.timeout.as_secs_f64();
            reports.report(&subject, &format!("{path} did not end within {seconds} s and was killed"));
            return tell_output(&subject, &output, reports);
        }
    };
    match ended {
        Ok(status) if status.success() => job.counts.done(),
        Ok(status) => {
            job.counts.failed();
            reports.report(&subject, &format!("{path} ended with {status}"));
        }
        Err(fault) => {
            job.counts.failed();
            reports.report(&subject, &format!("{path} cannot be started: {fault}"));
        }
    }
    tell_output(&subject, &output, reports);
}

/// Starts the program, writes its input and reads its output, until it has ended. Dropping it kills the program.
async fn feed(job: &Job, output: &mut Vec<u8>) -> io::Result<ExitStatus> {
    let mut input = match job.named {
        Some(address) => format!("{}\n", host_name::of(address).await),
        None => String::new(),
    };
    input.push_str(&job.input);
    let mut running = Running::start(&job.plan.command)?;
    let (stdin, stdout, stderr) =
        (running.child.stdin.take(), running.child.stdout.take(), running.child.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            // A program need not read it.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let (mut from_stdout, mut from_stderr) = (Vec::new(), Vec::new());
    let status = {
        let beside = async {
            tokio::join!(write, read(stdout, &mut from_stdout), read(stderr, &mut from_stderr));
        };
        let mut beside = std::pin::pin!(beside);
        let mut is_done = false;
        let status = loop {
            tokio::select! {
                status = running.child.wait() => break status,
                () = &mut beside, if !is_done => is_done = true,
            }
        };
        if !is_done {
            // A process that it has left behind may hold its output open.
            let _ = timeout(AFTERWARDS, beside).await;
        }
        status
    };
    running.has_ended = true;
    output.append(&mut from_stdout);
    output.append(&mut from_stderr);
    status
}

/// How long the output of a program that has ended is read.
const AFTERWARDS: Duration = Duration::from_millis(200);

/// A program in its own process group, which is killed if it is dropped before its end.
struct Running {
    child: Child,
    has_ended: bool,
}

impl Running {
    fn start(command: &[String]) -> io::Result<Self> {
        let mut program = Command::new(&command[0]);
        program.args(&command[1..]).process_group(0).kill_on_drop(true);
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Our passwords are not the program's.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TRUNKLINE_") {
                program.env_remove(name);
            }
        }
        Ok(Running { child: program.spawn()?, has_ended: false })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let group = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(group) = group.filter(|_| !self.has_ended) {
            // It may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Reads to the end, and keeps the beginning.
async fn read(from: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>) {
    let Some(mut from) = from else { return };
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let room = MOST_OUTPUT.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..length.min(room)]);
    }
}

/// How many octets of each output are kept.
const MOST_OUTPUT: usize = 8 << 10;

/// What a program has written, as lines of ours.
fn tell_output(subject: &str, output: &[u8], reports: &Reports) {
    let text = String::from_utf8_lossy(output);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    for line in lines.by_ref().take(MOST_LINES) {
        let line: String = line.chars().take(MOST_CHARACTERS).collect();
        reports.line(subject, &line);
    }
    let more = lines.count();
    if more > 0 {
        reports.line(subject, &format!("... and {more} more lines"));
    }
}

const MOST_LINES: usize = 20;
const MOST_CHARACTERS: usize = 500;

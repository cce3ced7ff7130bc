//! Table 2 and figure 5: the client's instructions in a transaction, from the start of its program to its end.
//!
//! The paper counted instructions and clock cycles with the processor's counters. If the kernel allows it, so do
//! we (`perf stat`); many virtual machines have none. Then callgrind of valgrind counts instructions, those of the
//! program but not of the kernel; and CPU time, multiplied by the processor's clock rate, stands for cycles.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::experiments::ma2005::paper;
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration::Left;
use trunkline_labkit::error::Error;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::stage::{Role, Stage, Stand};
use trunkline_labkit::subject::COMMUNITY;
use trunkline_labkit::transport::Transport;

use super::{COMMANDS, DOMAINS, Options, sys_contact};

/// Commands in each domain.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let Chapter { options, choice, stage, runtime, ledger, .. } = chapter;
    stage.stand(Stand::Beside)?;
    let Some(program) = program(options) else {
        let (table, what) = (COMMANDS.into(), "every domain".into());
        let reason = "the program trunkline is not next to this one (--trunkline FILE names it)".into();
        return ledger.doubt(Doubt::LeftOut { table, what, reason });
    };
    let counter = Counter::find(&program);
    doubt_counter(&counter, ledger)?;
    let rounds = choice.rounds(paper::COMMANDS, QUICK_COMMANDS);
    let silent = runtime.block_on(SilentPeer::listen());
    let mut domains = domains(stage, ledger)?;
    in_turn(0..=rounds, &domains, ledger, |domain, round, ledger| {
        ledger.progress.inc(1);
        match cpu_time(&program, &domain.arguments) {
            Ok(nanos) => {
                ledger.reading(COMMANDS, &domain.series, 1, Quantity::CpuNs, round, nanos)?;
                Ok(true)
            }
            Err(reason) => domain.left_out(reason, ledger),
        }
    })?;
    // The same command up to its first message: what its start takes.
    let stream = |domain: &&Domain| domain.protocol.transport != Transport::Udp;
    let starts: Vec<Domain> = match &silent {
        Ok(silent) => domains.iter().filter(stream).map(|domain| domain.start(stage, silent.port)).collect(),
        Err(error) => {
            let (table, what) = (COMMANDS.into(), "commands without an exchange".into());
            ledger.doubt(Doubt::LeftOut { table, what, reason: error.to_string() })?;
            vec![]
        }
    };
    domains.extend(starts);
    let most = if choice.common.quick { 1 } else { SLOW_ROUNDS };
    let rounds = if counter.is_slow() { rounds.min(most) } else { rounds };
    if rounds < paper::COMMANDS && !ledger.is_interrupted() {
        let how =
            format!("instructions: commands in each domain: {rounds}; the paper has {}", paper::COMMANDS);
        ledger.doubt(Doubt::Shortened { table: COMMANDS.into(), how })?;
    }
    in_turn(1..=rounds, &domains, ledger, |domain, round, ledger| {
        let counted = match &silent {
            Ok(silent) if domain.is_start => {
                counter.count_start(&program, &domain.arguments, silent, runtime)
            }
            _ => counter.count(&program, &domain.arguments),
        };
        match counted {
            Ok([instructions, cycles]) => {
                for (quantity, figure) in [(Quantity::Executed, instructions), (Quantity::Cycles, cycles)] {
                    if let Some(figure) = figure {
                        ledger.reading(COMMANDS, &domain.series, 1, quantity, round, figure)?;
                    }
                }
                Ok(true)
            }
            Err(reason) => domain.left_out(reason, ledger),
        }
    })?;
    if ledger.is_interrupted() {
        return Ok(());
    }
    if let Some(clock) = clock() {
        ledger.reading(COMMANDS, CLOCK, 0, Quantity::Cycles, 1, clock)?;
    }
    Ok(())
}

/// A command in each domain of the agent.
fn domains(stage: &Stage, ledger: &mut Ledger) -> Result<Vec<Domain>, Error> {
    let mut domains: Vec<Domain> = Vec::new();
    for protocol in DOMAINS {
        let port = stage.agent(Role::Shipped).and_then(|agent| agent.port(protocol.transport));
        match port {
            Some(port) => domains.push(Domain {
                protocol,
                series: protocol.transport.to_string(),
                arguments: arguments(stage, protocol, port),
                is_start: false,
            }),
            None => {
                let reason = "the agent does not listen on it".into();
                ledger.doubt(Doubt::ProtocolLeftOut { table: COMMANDS.into(), protocol, reason })?;
            }
        }
    }
    Ok(domains)
}

/// A command over a domain of the paper.
struct Domain {
    protocol: Protocol,
    series: String,
    arguments: Vec<OsString>,
    /// Only up to its first message.
    is_start: bool,
}

impl Domain {
    /// The same command at a port at which nobody answers.
    fn start(&self, stage: &Stage, silent: u16) -> Domain {
        Domain {
            protocol: self.protocol,
            series: start_of(&self.series),
            arguments: arguments(stage, self.protocol, silent),
            is_start: true,
        }
    }

    /// Records that it cannot be measured.
    fn left_out(&self, reason: String, ledger: &mut Ledger) -> Result<bool, Error> {
        let (table, protocol) = (COMMANDS.into(), self.protocol);
        let doubt = match self.is_start {
            false => Doubt::ProtocolLeftOut { table, protocol, reason },
            true => Doubt::LeftOut { table, what: self.series.clone(), reason },
        };
        ledger.doubt(doubt).map(|()| false)
    }
}

/// The series of a command without an exchange.
pub(super) fn start_of(domain: &str) -> String {
    format!("{domain}, start alone")
}

/// A peer on the loopback that accepts connections, and never answers.
struct SilentPeer {
    port: u16,
    listener: TcpListener,
}

impl SilentPeer {
    async fn listen() -> std::io::Result<SilentPeer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        Ok(SilentPeer { port: listener.local_addr()?.port(), listener })
    }

    /// Waits until a command has sent the beginning of its first message here. Its connection stays open with what is
    /// returned.
    async fn hear(&self, child: &mut Child) -> Result<TcpStream, String> {
        let first = async {
            let (stream, _) = self.listener.accept().await?;
            stream.peek(&mut [0]).await.map(|_| stream)
        };
        let mut first = std::pin::pin!(first);
        loop {
            match timeout(LOOK_EVERY, &mut first).await {
                Ok(heard) => return heard.map_err(|error| error.to_string()),
                Err(_) => match child.try_wait() {
                    Ok(None) => {}
                    Ok(Some(_)) => return Err("it ended before it sent anything".into()),
                    Err(error) => return Err(error.to_string()),
                },
            }
        }
    }
}

/// Ends a command, or the one that it has started, as soon as it waits for something.
fn end_when_idle(pid: u32) -> Result<(), String> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let last = children.split_whitespace().last().and_then(|child| child.parse().ok());
    let pid = last.unwrap_or(pid);
    let deadline = Instant::now() + IDLE_WITHIN;
    let is_idle = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('S'))
    };
    while !is_idle() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or("a child without a process id")?;
    kill_process(pid, Signal::TERM).map_err(|error| error.to_string())
}

/// Measures each domain once in every round, in a newly drawn order, so that other load of the machine affects all
/// alike: until the user interrupts, and none again for which `measure` has returned false.
fn in_turn(
    rounds: RangeInclusive<u32>,
    domains: &[Domain],
    ledger: &mut Ledger,
    mut measure: impl FnMut(&Domain, u32, &mut Ledger) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut random = Rng::with_seed(ledger.seed);
    let mut order: Vec<&Domain> = domains.iter().collect();
    let mut failed: Vec<&str> = Vec::new();
    let (first, last) = (*rounds.start(), *rounds.end());
    let left = Left::of(u64::from(last - first) + 1);
    for round in rounds {
        left.announce(ledger, u64::from(round - first));
        random.shuffle(&mut order);
        for domain in &order {
            if ledger.is_interrupted() {
                return Ok(());
            }
            if !failed.contains(&domain.series.as_str()) && !measure(domain, round, ledger)? {
                failed.push(&domain.series);
            }
        }
    }
    Ok(())
}

/// The manager whose commands and size are measured: the one in the options, or the one next to this program.
pub(super) fn program(options: &Options) -> Option<PathBuf> {
    if let Some(named) = &options.trunkline {
        return Some(named.clone());
    }
    let us = std::env::current_exe().ok()?;
    us.ancestors().skip(1).take(2).map(|it| it.join("trunkline")).find(|it| it.is_file())
}

/// `get URL sysContact.0`, with the credentials and trust anchors that it needs.
fn arguments(stage: &Stage, protocol: Protocol, port: u16) -> Vec<OsString> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let scheme = protocol.transport.to_string().to_lowercase();
    let mut arguments: Vec<OsString> = vec!["get".into()];
    if protocol.transport == Transport::Https {
        for (option, file) in
            [("--certificate", "manager.pem"), ("--key", "manager.key"), ("--authorities", "ca.pem")]
        {
            arguments.extend([option.into(), stage.keyring().path(file).into_os_string()]);
        }
        // As in the sessions of table 1: SNMPv2c, with the principal authenticated by TLS.
        arguments.push(format!("snmp+{scheme}://{address}?version=2c").into());
    } else {
        arguments.push(format!("snmp+{scheme}://{COMMUNITY}@{address}?version=2c").into());
    }
    arguments.push(sys_contact().to_string().into());
    arguments
}

/// The instruction counter.
enum Counter {
    /// The processor's counters, through `perf`: of program and kernel.
    Hardware,
    /// callgrind of valgrind, of the program alone; with the reason against the processor's counters.
    Callgrind(String),
    /// Nothing.
    None(String),
}

impl Counter {
    fn find(program: &Path) -> Counter {
        let version = [OsString::from("--version")];
        if let Ok([Some(_), Some(_)]) = Counter::Hardware.count(program, &version) {
            return Counter::Hardware;
        }
        let callgrind = Counter::Callgrind("no counters of the processor, or no perf".into());
        match (callgrind.count(program, &version), callgrind) {
            (Err(error), Counter::Callgrind(reason)) => Counter::None(format!("{reason}; valgrind: {error}")),
            (_, callgrind) => callgrind,
        }
    }

    const fn is_slow(&self) -> bool {
        matches!(self, Counter::Callgrind(_))
    }

    /// Instructions and cycles of a command.
    fn count(&self, program: &Path, arguments: &[OsString]) -> Result<[Option<f64>; 2], String> {
        let Some(mut command) = self.command(program, arguments) else { return Ok([None, None]) };
        let output = command.output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() { self.read(&text) } else { Err(last_line(&text)) }
    }

    /// The same up to its first message, at a peer that never answers it. What follows there, until the answer, is no
    /// more than waiting; a connection that is refused would make the command report an error, which it does not do
    /// otherwise.
    fn count_start(
        &self,
        program: &Path,
        arguments: &[OsString],
        silent: &SilentPeer,
        runtime: &Runtime,
    ) -> Result<[Option<f64>; 2], String> {
        let Some(mut command) = self.command(program, arguments) else { return Ok([None, None]) };
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let heard = runtime.block_on(silent.hear(&mut child));
        let ended = heard.and_then(|stream| end_when_idle(child.id()).map(|()| stream));
        if ended.is_err() {
            // It has not ended, or is gone already.
            let _ = child.kill();
        }
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        drop(ended?);
        self.read(&String::from_utf8_lossy(&output.stderr))
    }

    fn command(&self, program: &Path, arguments: &[OsString]) -> Option<Command> {
        let mut command = match self {
            Counter::Hardware => {
                let mut perf = Command::new("perf");
                perf.args(["stat", "-x", ",", "-e", "instructions,cycles", "--"]);
                perf
            }
            Counter::Callgrind(_) => {
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
                valgrind
            }
            Counter::None(_) => return None,
        };
        command.arg(program).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Some(command)
    }

    fn read(&self, text: &str) -> Result<[Option<f64>; 2], String> {
        match self {
            Counter::Hardware => Ok(["instructions", "cycles"].map(|event| perf_count(text, event))),
            Counter::Callgrind(_) => {
                let instructions = collected(text).ok_or_else(|| String::from("it says no count"))?;
                Ok([Some(instructions), None])
            }
            Counter::None(_) => Ok([None, None]),
        }
    }
}

fn doubt_counter(counter: &Counter, ledger: &mut Ledger) -> Result<(), Error> {
    let table = || COMMANDS.to_owned();
    let (instructions, reason) = match counter {
        Counter::Hardware => return Ok(()),
        Counter::Callgrind(reason) => ("callgrind counts them, of the program without the kernel", reason),
        Counter::None(reason) => ("their places are empty", reason),
    };
    let counter = "the client's instructions".into();
    let stands = instructions.into();
    ledger.doubt(Doubt::NoCounter { table: table(), counter, reason: reason.clone(), stands })?;
    let counter = "the client's clock cycles".into();
    let stands = "user and system time by the clock of /proc/cpuinfo stand in for them".into();
    ledger.doubt(Doubt::NoCounter { table: table(), counter, reason: reason.clone(), stands })
}

/// `81545123,,instructions,...`; an unavailable count is `<not supported>`.
fn perf_count(text: &str, event: &str) -> Option<f64> {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let fields =
        lines.find(|fields| fields.get(2).is_some_and(|name| name.split(':').next() == Some(event)))?;
    fields.first()?.parse().ok()
}

/// `==123== Collected : 81545123`.
fn collected(text: &str) -> Option<f64> {
    let (_, count) = text.lines().find_map(|line| line.split_once("Collected : "))?;
    count.trim().parse().ok()
}

/// User and system time of a command, nanoseconds: of its first thread, which does all the work of our programs. That
/// of the whole process, which the kernel gives in ticks only, must not be more.
fn cpu_time(program: &Path, arguments: &[OsString]) -> Result<f64, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or("a child without a process id")?;
    // It has ended but is not reaped yet: its accounting can be read.
    let ended = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let [first, whole] =
        ["schedstat", "stat"].map(|file| std::fs::read_to_string(format!("/proc/{}/{file}", child.id())));
    let (is_success, words) = last_words(&mut child).map_err(|error| error.to_string())?;
    if !is_success {
        return Err(last_line(&words));
    }
    ended.map_err(|error| error.to_string())?;
    let first = first.map_err(|error| error.to_string())?;
    let first = trunkline_labkit::meter::cpu::first_number(&first).map_err(|error| error.to_string())?;
    let whole = whole.ok().and_then(|text| ticks(&text)).ok_or("the kernel's accounting cannot be read")?;
    if whole > first / TICK_NS + 1 {
        return Err(format!("other threads than its first worked too ({whole} ticks in all)"));
    }
    Ok(first as f64)
}

/// User and system time of all threads of a process in `/proc/PID/stat`, in ticks.
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

/// How a child ended, and its output on standard error.
fn last_words(child: &mut std::process::Child) -> std::io::Result<(bool, String)> {
    use std::io::Read;
    let mut words = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr.read_to_string(&mut words)?;
    }
    Ok((child.wait()?.success(), words))
}

/// The processor's clock rate, cycles per second, as the kernel reports it now.
fn clock() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("cpu MHz"))?;
    let mega: f64 = line.split_once(':')?.1.trim().parse().ok()?;
    Some(mega * 1e6)
}

fn last_line(text: &str) -> String {
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it failed without a word")
        .trim()
        .to_owned()
}

/// The processor's clock rate among the series.
pub(super) const CLOCK: &str = "clock";
/// How often a command that has sent nothing yet is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long a command may take to wait for the answer.
const IDLE_WITHIN: Duration = Duration::from_secs(5);
const QUICK_COMMANDS: u32 = 10;
/// callgrind takes fifty times as long; its counts vary little. Six are the least with an interval.
const SLOW_ROUNDS: u32 = trunkline_labkit::estimate::LEAST_REPETITIONS as u32;
/// A tick of Linux's accounting for programs, 1/100 s.
const TICK_NS: u64 = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn counts_are_read() {
        let text = "81545123,,instructions,1000,100.00,,\n<not supported>,,cycles:u,0,100.00,,\n";
        assert_eq!(perf_count(text, "instructions"), Some(81_545_123.0));
        assert_eq!(perf_count(text, "cycles"), None);
        let text = "==7== Callgrind\n==7== \n==7== Events    : Ir\n==7== Collected : 4711\n";
        assert_eq!(collected(text), Some(4711.0));
        assert_eq!(collected("valgrind: no"), None);
    }

    #[test]
    fn a_command_takes_time() {
        let shell = |script: &str| cpu_time(Path::new("/bin/sh"), &["-c".into(), script.into()]);
        assert!(shell("true").unwrap() > 0.0);
        assert_eq!(shell("echo no >&2; exit 3"), Err("no".into()));
    }

    #[test]
    fn the_whole_process_is_in_the_kernels_line() {
        let line = "7 (a) b) Z 1 7 7 0 -1 4 0 0 0 0 12 30 0 0 20 0 1 0 5 0 0";
        assert_eq!((ticks(line), ticks("7 (a) Z 1")), (Some(42), None));
    }

    #[test]
    fn a_command_ends_at_its_first_message() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let silent = runtime.block_on(SilentPeer::listen()).unwrap();
        let talk = format!("exec 3<>/dev/tcp/127.0.0.1/{}; echo ask >&3; read answer <&3", silent.port);
        let shell = |script: &str| {
            let mut child = Command::new("bash").args(["-c", script]).spawn().unwrap();
            let heard = runtime.block_on(silent.hear(&mut child));
            let ended = heard.and_then(|_stream| end_when_idle(child.id()));
            (ended, child.wait().unwrap().signal())
        };
        assert_eq!(shell(&talk), (Ok(()), Some(15)));
        assert_eq!(shell("true"), (Err("it ended before it sent anything".into()), None));
    }
}

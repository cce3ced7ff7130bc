//! Table 2 and figure 5: the client's instructions in a transaction, from the start of its program to its end.
//!
//! The paper counted instructions and clock cycles with the processor's counters. If the kernel allows it, so do
//! we (`perf stat`); many virtual machines have none. Then callgrind of valgrind counts instructions, those of the
//! program but not of the kernel; and CPU time, multiplied by the processor's clock rate, stands for cycles.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

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
    let Chapter { options, choice, stage, ledger, .. } = chapter;
    stage.stand(Stand::Beside)?;
    let Some(program) = program(options) else {
        let (table, what) = (COMMANDS.into(), "every domain".into());
        let reason = "the program trunkline is not beside this one (--trunkline FILE names it)".into();
        return ledger.doubt(Doubt::LeftOut { table, what, reason });
    };
    let counter = Counter::find(&program);
    doubt_counter(&counter, ledger)?;
    let rounds = choice.rounds(paper::COMMANDS, QUICK_COMMANDS);
    let closed = ClosedPort::reserve();
    let mut domains: Vec<Domain> = Vec::new();
    for protocol in DOMAINS {
        let port = stage.agent(Role::Shipped).and_then(|agent| agent.port(protocol.transport));
        match port {
            Some(port) => domains.push(Domain {
                protocol,
                series: protocol.transport.to_string(),
                arguments: arguments(stage, protocol, port),
                expected: Expected::Answer,
            }),
            None => {
                let reason = "the agent does not listen on it".into();
                ledger.doubt(Doubt::ProtocolLeftOut { table: COMMANDS.into(), protocol, reason })?;
            }
        }
    }
    // The same command with nobody to talk to: what its start takes.
    let stream = |domain: &&Domain| domain.protocol.transport != Transport::Udp;
    let starts: Vec<Domain> = match &closed {
        Ok(closed) => domains.iter().filter(stream).map(|domain| domain.start(stage, closed.port)).collect(),
        Err(error) => {
            let (table, what) = (COMMANDS.into(), "commands without an exchange".into());
            ledger.doubt(Doubt::LeftOut { table, what, reason: error.to_string() })?;
            vec![]
        }
    };
    domains.extend(starts);
    in_turn(0..=rounds, &domains, ledger, |domain, round, ledger| {
        ledger.progress.inc(1);
        match cpu_time(&program, &domain.arguments, domain.expected) {
            Ok(nanos) => {
                ledger.reading(COMMANDS, &domain.series, 1, Quantity::CpuNs, round, nanos)?;
                Ok(true)
            }
            Err(reason) => domain.left_out(reason, ledger),
        }
    })?;
    let most = if choice.common.quick { 1 } else { SLOW_ROUNDS };
    let rounds = if counter.is_slow() { rounds.min(most) } else { rounds };
    if rounds < paper::COMMANDS && !ledger.is_interrupted() {
        let how =
            format!("instructions of {rounds} commands in each domain; the paper has {}", paper::COMMANDS);
        ledger.doubt(Doubt::Shortened { table: COMMANDS.into(), how })?;
    }
    in_turn(1..=rounds, &domains, ledger, |domain, round, ledger| {
        match counter.count(&program, &domain.arguments, domain.expected) {
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

/// A command over a domain of the paper.
struct Domain {
    protocol: Protocol,
    series: String,
    arguments: Vec<OsString>,
    expected: Expected,
}

/// How a command is expected to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// With an answer.
    Answer,
    /// Without one: nobody listens.
    Refusal,
}

impl Domain {
    /// The same command at a port at which nobody listens.
    fn start(&self, stage: &Stage, closed: u16) -> Domain {
        Domain {
            protocol: self.protocol,
            series: start_of(&self.series),
            arguments: arguments(stage, self.protocol, closed),
            expected: Expected::Refusal,
        }
    }

    /// Records that it cannot be measured.
    fn left_out(&self, reason: String, ledger: &mut Ledger) -> Result<bool, Error> {
        let (table, protocol) = (COMMANDS.into(), self.protocol);
        let doubt = match self.expected {
            Expected::Answer => Doubt::ProtocolLeftOut { table, protocol, reason },
            Expected::Refusal => Doubt::LeftOut { table, what: self.series.clone(), reason },
        };
        ledger.doubt(doubt).map(|()| false)
    }
}

/// The series of a command without an exchange.
pub(super) fn start_of(domain: &str) -> String {
    format!("{domain}, start alone")
}

/// A TCP port of the loopback that is taken, and at which nobody listens: connections to it are refused.
struct ClosedPort {
    port: u16,
    _taken: tokio::net::TcpSocket,
}

impl ClosedPort {
    fn reserve() -> std::io::Result<ClosedPort> {
        let taken = tokio::net::TcpSocket::new_v4()?;
        taken.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        Ok(ClosedPort { port: taken.local_addr()?.port(), _taken: taken })
    }
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
    /// The processor's counters, through `perf`.
    Hardware,
    /// callgrind of valgrind; with the reason against the processor's counters.
    Callgrind(String),
    /// Nothing.
    None(String),
}

impl Counter {
    fn find(program: &Path) -> Counter {
        let version = [OsString::from("--version")];
        if let Ok([Some(_), Some(_)]) = perf(program, &version, Expected::Answer) {
            return Counter::Hardware;
        }
        let reason = "no counters of the processor, or no perf";
        match callgrind(program, &version, Expected::Answer) {
            Ok(_) => Counter::Callgrind(reason.into()),
            Err(error) => Counter::None(format!("{reason}; valgrind: {error}")),
        }
    }

    const fn is_slow(&self) -> bool {
        matches!(self, Counter::Callgrind(_))
    }

    fn count(
        &self,
        program: &Path,
        arguments: &[OsString],
        expected: Expected,
    ) -> Result<[Option<f64>; 2], String> {
        match self {
            Counter::Hardware => perf(program, arguments, expected),
            Counter::Callgrind(_) => {
                callgrind(program, arguments, expected).map(|instructions| [Some(instructions), None])
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
    let stands = "user and system time by the clock of /proc/cpuinfo stands for them".into();
    ledger.doubt(Doubt::NoCounter { table: table(), counter, reason: reason.clone(), stands })
}

/// Instructions and cycles of a command from the processor's counters, of program and kernel.
fn perf(program: &Path, arguments: &[OsString], expected: Expected) -> Result<[Option<f64>; 2], String> {
    let output = Command::new("perf")
        .args(["stat", "-x", ",", "-e", "instructions,cycles", "--"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    expected.check(output.status.success(), &text)?;
    Ok(["instructions", "cycles"].map(|event| perf_count(&text, event)))
}

/// `81545123,,instructions,...`; an unavailable count is `<not supported>`.
fn perf_count(text: &str, event: &str) -> Option<f64> {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let fields =
        lines.find(|fields| fields.get(2).is_some_and(|name| name.split(':').next() == Some(event)))?;
    fields.first()?.parse().ok()
}

/// Instructions of a command as counted by callgrind.
fn callgrind(program: &Path, arguments: &[OsString], expected: Expected) -> Result<f64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    expected.check(output.status.success(), &text)?;
    collected(&text).ok_or_else(|| "it says no count".into())
}

/// `==123== Collected : 81545123`.
fn collected(text: &str) -> Option<f64> {
    let (_, count) = text.lines().find_map(|line| line.split_once("Collected : "))?;
    count.trim().parse().ok()
}

impl Expected {
    /// Whether a command ended as expected; its last words if not.
    fn check(self, is_success: bool, words: &str) -> Result<(), String> {
        match (self, is_success) {
            (Expected::Answer, true) | (Expected::Refusal, false) => Ok(()),
            (Expected::Answer, false) => Err(last_line(words)),
            (Expected::Refusal, true) => Err("there was an answer".into()),
        }
    }
}

/// User and system time of a command, nanoseconds: of its first thread, which does all the work of our programs. That
/// of the whole process, which the kernel gives in ticks only, must not be more.
fn cpu_time(program: &Path, arguments: &[OsString], expected: Expected) -> Result<f64, String> {
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
    expected.check(is_success, &words)?;
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
const QUICK_COMMANDS: u32 = 10;
/// callgrind takes fifty times as long; its counts vary little. Six are the least with an interval.
const SLOW_ROUNDS: u32 = trunkline_labkit::estimate::LEAST_REPETITIONS as u32;
/// A tick of Linux's accounting for programs, 1/100 s.
const TICK_NS: u64 = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;

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
        let shell =
            |script: &str, expected| cpu_time(Path::new("/bin/sh"), &["-c".into(), script.into()], expected);
        assert!(shell("true", Expected::Answer).unwrap() > 0.0);
        assert_eq!(shell("echo no >&2; exit 3", Expected::Answer), Err("no".into()));
        assert!(shell("exit 1", Expected::Refusal).unwrap() > 0.0);
        assert!(shell("true", Expected::Refusal).is_err());
    }

    #[test]
    fn the_whole_process_is_in_the_kernels_line() {
        let line = "7 (a) b) Z 1 7 7 0 -1 4 0 0 0 0 12 30 0 0 20 0 1 0 5 0 0";
        assert_eq!((ticks(line), ticks("7 (a) Z 1")), (Some(42), None));
    }

    #[test]
    fn nobody_listens_at_a_closed_port() {
        let closed = ClosedPort::reserve().unwrap();
        let refused = std::net::TcpStream::connect(("127.0.0.1", closed.port)).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    }
}

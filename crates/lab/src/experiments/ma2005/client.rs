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

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::experiments::ma2005::paper;
use crate::kit::chapter::Chapter;
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::ledger::Ledger;
use crate::kit::protocol::Protocol;
use crate::kit::reading::Quantity;
use crate::kit::stage::{Role, Stage, Stand};
use crate::kit::subject::COMMUNITY;
use crate::kit::transport::Transport;

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
    let mut domains: Vec<Domain> = Vec::new();
    for protocol in DOMAINS {
        match arguments(stage, protocol) {
            Some(arguments) => domains.push((protocol, protocol.transport.to_string(), arguments)),
            None => {
                let reason = "the agent does not listen on it".into();
                ledger.doubt(Doubt::ProtocolLeftOut { table: COMMANDS.into(), protocol, reason })?;
            }
        }
    }
    in_turn(0..=rounds, &domains, ledger, |(protocol, series, arguments), round, ledger| {
        ledger.progress.inc(1);
        match cpu_time(&program, arguments) {
            Ok(nanos) => {
                ledger.reading(COMMANDS, series, 1, Quantity::CpuNs, round, nanos)?;
                Ok(true)
            }
            Err(reason) => {
                let (table, protocol) = (COMMANDS.into(), *protocol);
                ledger.doubt(Doubt::ProtocolLeftOut { table, protocol, reason })?;
                Ok(false)
            }
        }
    })?;
    let most = if choice.common.quick { 1 } else { SLOW_ROUNDS };
    let rounds = if counter.is_slow() { rounds.min(most) } else { rounds };
    if rounds < paper::COMMANDS && !ledger.is_interrupted() {
        let how =
            format!("instructions of {rounds} commands in each domain; the paper has {}", paper::COMMANDS);
        ledger.doubt(Doubt::Shortened { table: COMMANDS.into(), how })?;
    }
    in_turn(1..=rounds, &domains, ledger, |(_, series, arguments), round, ledger| {
        match counter.count(&program, arguments) {
            Ok([instructions, cycles]) => {
                for (quantity, figure) in [(Quantity::Executed, instructions), (Quantity::Cycles, cycles)] {
                    if let Some(figure) = figure {
                        ledger.reading(COMMANDS, series, 1, quantity, round, figure)?;
                    }
                }
                Ok(true)
            }
            Err(reason) => {
                let (table, what) = (COMMANDS.into(), format!("instructions over {series}"));
                ledger.doubt(Doubt::LeftOut { table, what, reason })?;
                Ok(false)
            }
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

/// A domain of the paper: its protocol, the name of its series, and the arguments of its command.
type Domain = (Protocol, String, Vec<OsString>);

/// Measures each domain once in every round, so that other load of the machine affects all alike: until the user
/// interrupts, and none again for which `measure` has returned false.
fn in_turn(
    rounds: RangeInclusive<u32>,
    domains: &[Domain],
    ledger: &mut Ledger,
    mut measure: impl FnMut(&Domain, u32, &mut Ledger) -> Result<bool, Error>,
) -> Result<(), Error> {
    let mut failed = vec![false; domains.len()];
    for round in rounds {
        for (domain, failed) in domains.iter().zip(&mut failed).filter(|(_, failed)| !**failed) {
            if ledger.is_interrupted() {
                return Ok(());
            }
            *failed = !measure(domain, round, ledger)?;
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
fn arguments(stage: &Stage, protocol: Protocol) -> Option<Vec<OsString>> {
    let port = stage.agent(Role::Shipped)?.port(protocol.transport)?;
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
    Some(arguments)
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
        if let Ok([Some(_), Some(_)]) = perf(program, &version) {
            return Counter::Hardware;
        }
        let reason = "no counters of the processor, or no perf";
        match callgrind(program, &version) {
            Ok(_) => Counter::Callgrind(reason.into()),
            Err(error) => Counter::None(format!("{reason}; valgrind: {error}")),
        }
    }

    const fn is_slow(&self) -> bool {
        matches!(self, Counter::Callgrind(_))
    }

    fn count(&self, program: &Path, arguments: &[OsString]) -> Result<[Option<f64>; 2], String> {
        match self {
            Counter::Hardware => perf(program, arguments),
            Counter::Callgrind(_) => {
                callgrind(program, arguments).map(|instructions| [Some(instructions), None])
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
fn perf(program: &Path, arguments: &[OsString]) -> Result<[Option<f64>; 2], String> {
    let output = Command::new("perf")
        .args(["stat", "-x", ",", "-e", "instructions,cycles", "--"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(last_line(&text));
    }
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
fn callgrind(program: &Path, arguments: &[OsString]) -> Result<f64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(last_line(&text));
    }
    collected(&text).ok_or_else(|| "it says no count".into())
}

/// `==123== Collected : 81545123`.
fn collected(text: &str) -> Option<f64> {
    let (_, count) = text.lines().find_map(|line| line.split_once("Collected : "))?;
    count.trim().parse().ok()
}

/// User and system time of a command, nanoseconds: of its first thread, which does all the work of our programs.
fn cpu_time(program: &Path, arguments: &[OsString]) -> Result<f64, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or("a child without a process id")?;
    // It has ended but is not reaped yet: its accounting can be read.
    let ended = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let accounting = std::fs::read_to_string(format!("/proc/{}/schedstat", child.id()));
    let (is_success, words) = last_words(&mut child).map_err(|error| error.to_string())?;
    if !is_success {
        return Err(last_line(&words));
    }
    ended.map_err(|error| error.to_string())?;
    let accounting = accounting.map_err(|error| error.to_string())?;
    crate::kit::meter::cpu::first_number(&accounting)
        .map(|nanos| nanos as f64)
        .map_err(|error| error.to_string())
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
/// callgrind takes fifty times as long; its counts vary little.
const SLOW_ROUNDS: u32 = 5;

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
        let nanos = cpu_time(Path::new("/bin/sh"), &["-c".into(), "true".into()]).unwrap();
        assert!(nanos > 0.0);
        let failed = cpu_time(Path::new("/bin/sh"), &["-c".into(), "echo no >&2; exit 3".into()]);
        assert_eq!(failed, Err("no".into()));
    }
}

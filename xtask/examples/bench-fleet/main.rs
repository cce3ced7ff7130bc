//! How large a group of agents can be that are each asked once a second: our engine and the simulated fleet, beside plain
//! sockets in the same run. `cargo xtask bench fleet` builds it for release and runs it.
//!
//! The monitoring error in three readings: the share of agents whose mean delay from the due time is above the period, the share
//! of single answers that are later than it, and the share of rounds whose longest delay is; what is lost counts as late.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit, reason = "a program for people to read")]

mod plain;

use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use trunkline_poll::{Parallel, Phase, RoundsOptions, Sample, Schedule, Shard, ShardOptions, SnmpRead};
use trunkline_sim::configuration::Plan;
use trunkline_sim::serve::{Running, ServeOptions};
use trunkline_smi::Oid;
use trunkline_snmp::wire::Version;

/// Each agent is asked so often.
const PERIOD: Duration = Duration::from_secs(1);
/// After the last request, answers have this time.
const SETTLE: Duration = Duration::from_secs(2);
/// Requests that are due within this time go out together, in both programs.
const GATHER: Duration = Duration::from_micros(200);
/// Periods of each measurement.
const ROUNDS: u64 = 3;

/// One measurement.
struct Measured {
    agents: u32,
    requests: u64,
    /// From the due time, in microseconds; those that were lost are missing.
    delays: Vec<u32>,
    asking_cpu: Duration,
    answering_cpu: Duration,
}

impl Measured {
    /// Whether no round has a delay above the period: nothing is lost, and the longest delay is short enough.
    fn is_without_error(&self) -> bool {
        self.delays.len() as u64 == self.requests && self.longest() <= PERIOD.as_micros() as u32
    }

    fn longest(&self) -> u32 {
        self.delays.iter().copied().max().unwrap_or(0)
    }

    fn quantile(&self, part: f64) -> u32 {
        let mut sorted = self.delays.clone();
        sorted.sort_unstable();
        sorted.get((sorted.len() as f64 * part) as usize).copied().unwrap_or(0)
    }

    fn line(&self, name: &str) -> String {
        let each = |cpu: Duration| cpu.as_secs_f64() * 1e6 / self.requests as f64;
        format!(
            "{name:6} {:>7} agents: median {:>6} us, 99th percentile {:>7} us, longest {:>7} us, lost {:>6}; CPU for each \
             request {:.2} us, for each answer {:.2} us",
            self.agents,
            self.quantile(0.5),
            self.quantile(0.99),
            self.longest(),
            self.requests - self.delays.len() as u64,
            each(self.asking_cpu),
            each(self.answering_cpu),
        )
    }
}

fn fail(doing: &str, error: &dyn Display) -> ! {
    eprintln!("bench fleet: cannot {doing}: {error}");
    std::process::exit(1);
}

/// The address of an agent: 127.64.0.0/10 has four million.
fn address(agent: u32, port: u16) -> SocketAddr {
    (Ipv4Addr::from_bits(Ipv4Addr::new(127, 64, 0, 0).to_bits() + agent), port).into()
}

fn cpu_of_thread() -> Duration {
    cpu(rustix::time::ClockId::ThreadCPUTime)
}

fn cpu(clock: rustix::time::ClockId) -> Duration {
    let time = rustix::time::clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Our engine asks our fleet.
fn ours(agents: u32, rounds: u64, stamps: bool) -> (Measured, [f64; 3]) {
    let text = format!("[[group]]\nname = \"bench\"\nprefix = \"127.64.0.0/10\"\nagents = {agents}\n");
    let plan = Plan::parse(&text, Path::new("bench")).unwrap_or_else(|error| fail("make a fleet", &error));
    let serve = ServeOptions { port: 0, ..plan.serve };
    let running = Running::start(Arc::new(plan.fleet), &serve).unwrap_or_else(|error| fail("serve", &error));
    let peers = (0..agents).map(|agent| address(agent, running.port())).collect();
    let schedule = Schedule::new(agents, PERIOD, Phase::EVEN, Some(rounds));
    let schedule = schedule.unwrap_or_else(|error| fail("make a schedule", &error));
    let options = ShardOptions {
        rounds: RoundsOptions { parallel: Parallel::Unbounded, deadline: SETTLE, places: None },
        gather: GATHER,
        kernel_stamps: stamps,
    };
    let names = [Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])];
    let protocol = SnmpRead::get(Version::V2c, b"public", &names);
    let requests = u64::from(agents) * rounds;
    let mut delays = Vec::with_capacity(requests as usize);
    let mut of_agent = vec![0_u64; agents as usize];
    let mut of_round = vec![0_u64; rounds as usize];
    let lost = SETTLE.as_micros() as u64;
    let sink = |sample: &Sample| {
        let delay = sample.from_due().map(|delay| delay.as_micros() as u64);
        delays.extend(delay.map(|delay| delay as u32));
        let delay = delay.unwrap_or(lost);
        of_agent[sample.agent as usize] += delay;
        let round = &mut of_round[sample.round as usize];
        *round = delay.max(*round);
    };
    let shard = Shard::open(schedule, peers, options, protocol, sink);
    let shard = shard.unwrap_or_else(|error| fail("open a socket", &error));
    let (all, mine) = (cpu(rustix::time::ClockId::ProcessCPUTime), cpu_of_thread());
    let ended = shard.run(Instant::now(), &AtomicBool::new(false));
    ended.unwrap_or_else(|error| fail("ask", &error));
    let asking_cpu = cpu_of_thread() - mine;
    let answering_cpu = cpu(rustix::time::ClockId::ProcessCPUTime) - all - asking_cpu;
    let period = PERIOD.as_micros() as u64;
    let share = |late: usize, of: u64| late as f64 / of as f64;
    let missing = requests - delays.len() as u64;
    let late = delays.iter().filter(|delay| u64::from(**delay) > period).count() + missing as usize;
    let errors = [
        share(of_agent.iter().filter(|sum| **sum / rounds > period).count(), u64::from(agents)),
        share(late, requests),
        share(of_round.iter().filter(|longest| **longest > period).count(), rounds),
    ];
    (Measured { agents, requests, delays, asking_cpu, answering_cpu }, errors)
}

/// The largest group without an error, by halving the steps between `least` and `most`.
fn largest(name: &str, until: Instant, measure: impl Fn(u32) -> Measured) -> u32 {
    let (mut good, mut bad) = (0, MOST);
    let mut agents = FIRST;
    while bad - good > STEP && Instant::now() < until {
        let measured = measure(agents);
        println!("{}", measured.line(name));
        if measured.is_without_error() {
            good = agents
        } else {
            bad = agents
        }
        agents = good.midpoint(bad).next_multiple_of(STEP / 2);
    }
    good
}

const FIRST: u32 = 200_000;
const MOST: u32 = 600_000;
const STEP: u32 = 20_000;

fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_owned()
}

fn main() {
    let agents = 100_000;
    println!(
        "load average at the start: {}",
        std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim()
    );
    for round in 0..5 {
        // Who begins alternates, so that what else the machine does falls on both.
        let plain = || println!("{}", plain::measure(agents, ROUNDS).line("plain"));
        if round % 2 == 0 {
            plain();
        }
        for (name, stamps) in [("ours", false), ("stamps", true)] {
            let (measured, [means, answers, rounds]) = ours(agents, ROUNDS, stamps);
            println!("{}", measured.line(name));
            println!("       monitoring error: agents {means}, answers {answers}, rounds {rounds}");
        }
        if round % 2 == 1 {
            plain();
        }
    }
    println!("resident at most, engine and simulator in one process, with the samples: {}", resident());
    let until = || Instant::now() + Duration::from_secs(40);
    let plain = largest("plain", until(), |agents| plain::measure(agents, ROUNDS));
    let ours = largest("ours", until(), |agents| ours(agents, ROUNDS, true).0);
    println!(
        "largest group with error 0: plain sockets {plain}, ours {ours}: {:.2}",
        f64::from(ours) / f64::from(plain.max(1))
    );
    println!(
        "load average at the end: {}",
        std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim()
    );
}

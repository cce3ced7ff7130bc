//! The cases `server` and `polls`: a machine with a thousand processes, ten thousand sockets and two hundred mounts, walked
//! wholly by way of both agents, and left alone but for a poll each minute.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use trunkline_lab::meter::cpu;

use crate::exchange;
use crate::report::{Bar, Report, median, ratio, with_interval};
use crate::subject::{SNMPD_SETTINGS, Subject, owned};
use crate::{Case, Options};

/// What the machine has, besides what the benchmark itself needs.
const PROCESSES: usize = 1000;
const SOCKETS: usize = 10_000;
const MOUNTS: usize = 200;

/// GetBulk's max-repetitions: what managers use.
const REPETITIONS: i32 = 25;

/// Longer than both agents' data may be old: each walk reads the kernel again.
const PAUSE: Duration = Duration::from_millis(1100);

/// What a monitoring system reads of a server each minute.
const POLLED: &[(&str, &[u32])] = &[
    ("system", &[1, 3, 6, 1, 2, 1, 1]),
    ("ifTable", &[1, 3, 6, 1, 2, 1, 2, 2]),
    ("ifXTable", &[1, 3, 6, 1, 2, 1, 31, 1, 1]),
    ("hrStorageTable", &[1, 3, 6, 1, 2, 1, 25, 2, 3]),
    ("hrProcessorTable", &[1, 3, 6, 1, 2, 1, 25, 3, 3]),
    ("memory", &[1, 3, 6, 1, 4, 1, 2021, 4]),
    ("laTable", &[1, 3, 6, 1, 4, 1, 2021, 10]),
    ("systemStats", &[1, 3, 6, 1, 4, 1, 2021, 11]),
    ("diskIOTable", &[1, 3, 6, 1, 4, 1, 2021, 13, 15]),
];

/// Measures the wanted ones of the two cases.
pub fn measure(options: &Options, report: &mut Report) -> io::Result<()> {
    let _crowd = Crowd::make()?;
    let ours = Subject::ours(options)?;
    let Some(snmpd) = Subject::snmpd(options)? else {
        report.note("The server: left out, snmpd is not installed (`apt-get install snmpd`)");
        return Ok(());
    };
    report.note(SNMPD_SETTINGS);
    if options.wants(Case::Server) {
        walks(options, &ours, &snmpd, report)?;
    }
    if options.wants(Case::Polls) {
        polls(options, &ours, &snmpd, report)?;
    }
    Ok(())
}

/// A whole walk of one agent.
struct Walk {
    seconds: f64,
    cpu: f64,
    instances: usize,
}

/// A figure of a walk.
type Column = fn(&Walk) -> f64;

fn walk(subject: &Subject) -> io::Result<Walk> {
    thread::sleep(PAUSE);
    let (cpu, begin) = (subject.cpu_ns()?, Instant::now());
    let instances = exchange::walk(subject.address(), &[1, 3, 6, 1], REPETITIONS)?.len();
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Walk { seconds, cpu: (subject.cpu_ns()? - cpu) as f64 / 1e9, instances })
}

fn walks(options: &Options, ours: &Subject, snmpd: &Subject, report: &mut Report) -> io::Result<()> {
    let name = format!("Walk of {PROCESSES} processes, {SOCKETS} sockets, {MOUNTS} mounts");
    let mut found: [Vec<Walk>; 2] = [Vec::new(), Vec::new()];
    for round in 0..=options.rounds {
        for turn in 0..2 {
            let who = (turn + round as usize) % 2;
            let walk = walk([ours, snmpd][who])?;
            if round > 0 {
                found[who].push(walk);
            }
        }
        report.progress(&name, round, options.rounds);
    }
    let column = |who: usize, of: Column| -> Vec<f64> { found[who].iter().map(of).collect() };
    let columns: [(&str, Column); 4] = [
        ("time", |walk| walk.seconds),
        ("CPU", |walk| walk.cpu),
        ("time per instance", |walk| walk.seconds / walk.instances as f64),
        ("CPU per instance", |walk| walk.cpu / walk.instances as f64),
    ];
    for (what, of) in columns {
        let share = ratio(&column(0, of), &column(1, of));
        report.add(format!("{name}: {what}, share of snmpd's"), Bar::AtMost(1.0), &share);
    }
    let memory = [ours.most_resident()?, snmpd.most_resident()?].map(|octets| octets as f64 / 1e6);
    report.count(
        format!("{name}: most memory, share of snmpd's"),
        "",
        Bar::AtMost(1.0),
        memory[0] / memory[1],
    );
    let said = |who: usize| {
        format!(
            "{:.0} instances in {:.3} s with {:.3} s of CPU and at most {:.1} MB of memory",
            median(&column(who, |walk| walk.instances as f64)),
            median(&column(who, |walk| walk.seconds)),
            median(&column(who, |walk| walk.cpu)),
            memory[who],
        )
    };
    report.note(format!("{name}: trunklined {}; snmpd {}", said(0), said(1)));
    let raw = |who: usize| json!({ "seconds": column(who, |w| w.seconds), "cpu_s": column(who, |w| w.cpu), "instances": column(who, |w| w.instances as f64) });
    report.keep("server", json!({ "trunklined": raw(0), "snmpd": raw(1), "memory_mb": memory }));
    Ok(())
}

/// CPU time of a subject with the threads that have ended since: the scheduler's accounts go with their threads.
struct Clock {
    pid: u32,
    threads: BTreeMap<String, u64>,
}

impl Clock {
    /// How often it must be read: a thread that has nothing to do lives for ten seconds.
    const PACE: Duration = Duration::from_secs(2);

    fn of(subject: &Subject) -> Clock {
        Clock { pid: subject.pid(), threads: BTreeMap::new() }
    }

    /// Nanoseconds since the start of each thread that was seen.
    fn read(&mut self) -> io::Result<u64> {
        for thread in fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let thread = thread?;
            // It may have ended just now.
            let Ok(account) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
            let name = thread.file_name().to_string_lossy().into_owned();
            self.threads.insert(name, cpu::first_number(&account)?);
        }
        Ok(self.threads.values().sum())
    }
}

/// Both agents for some minutes with one poll in each: all of their CPU time.
fn polls(options: &Options, ours: &Subject, snmpd: &Subject, report: &mut Report) -> io::Result<()> {
    let minute = Duration::from_secs_f64(options.minute);
    let name = format!("One poll of {} tables in {} s", POLLED.len(), options.minute);
    let mut used: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut instances = [0, 0];
    let mut clocks = [Clock::of(ours), Clock::of(snmpd)];
    for round in 0..=options.minutes {
        let begin = Instant::now();
        let mut before = [0, 0];
        for (who, clock) in clocks.iter_mut().enumerate() {
            before[who] = clock.read()?;
        }
        for (who, subject) in [ours, snmpd].into_iter().enumerate() {
            instances[who] = 0;
            for (_, root) in POLLED {
                instances[who] += exchange::walk(subject.address(), root, REPETITIONS)?.len();
            }
        }
        // The first minute only makes all data old, as at each later poll.
        while begin.elapsed() < minute {
            thread::sleep(Clock::PACE.min(minute.saturating_sub(begin.elapsed())));
            for clock in &mut clocks {
                clock.read()?;
            }
        }
        if round > 0 {
            for (who, clock) in clocks.iter_mut().enumerate() {
                used[who].push((clock.read()? - before[who]) as f64 / 1e6);
            }
        }
        report.progress(&name, round, options.minutes);
    }
    let share = ratio(&used[0], &used[1]);
    report.count(
        format!("{name}: CPU of trunklined"),
        " ms",
        Bar::AtMost(60.0 * options.minute / 60.0),
        median(&used[0]),
    );
    report.note(format!(
        "{name}, everything counted: {:.1} ms of CPU for trunklined ({} instances), {:.1} ms for snmpd ({}), {} of it; {:.4} % of one processor",
        median(&used[0]),
        instances[0],
        median(&used[1]),
        instances[1],
        with_interval(&share),
        median(&used[0]) / options.minute / 10.0
    ));
    report.keep("polls", json!({ "trunklined_ms": used[0], "snmpd_ms": used[1] }));
    Ok(())
}

/// The processes, sockets and mounts; they end with the namespaces of this process.
struct Crowd {
    children: Vec<Child>,
    _sockets: (Vec<UdpSocket>, Vec<TcpStream>, TcpListener),
}

impl Crowd {
    fn make() -> io::Result<Crowd> {
        let folder = tempfile::tempdir()?.keep();
        for number in 0..MOUNTS {
            let path = folder.join(number.to_string());
            std::fs::create_dir(&path)?;
            let status =
                Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&path).status()?;
            if !status.success() {
                return Err(io::Error::other(format!("mount ended with {status}")));
            }
        }
        // Half of them UDP; of the connections of TCP both ends are here.
        let limit = rustix::process::Rlimit { current: Some(20_000), maximum: Some(20_000) };
        rustix::process::setrlimit(rustix::process::Resource::Nofile, limit)?;
        let udp = (0..SOCKETS / 2).map(|_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)));
        let udp: Vec<UdpSocket> = udp.collect::<io::Result<_>>()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let mut tcp = Vec::new();
        while tcp.len() < SOCKETS / 2 {
            tcp.push(TcpStream::connect(listener.local_addr()?)?);
            tcp.push(listener.accept()?.0);
        }
        let mut crowd = Crowd { children: Vec::new(), _sockets: (udp, tcp, listener) };
        for _ in 0..PROCESSES {
            let mut command = owned("sleep".as_ref());
            command.arg("infinity").stdin(Stdio::null());
            crowd.children.push(command.spawn()?);
        }
        Ok(crowd)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
        }
        for child in &mut self.children {
            let _ = child.wait();
        }
    }
}

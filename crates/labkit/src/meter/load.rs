//! What else the machine did while it was measured: the processors' time that went to other programs and to other
//! guests of the host, and the processors' clock. Read between two samples, at most once a second, so that reading
//! disturbs no measurement.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The machine from one reading to the next.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoadRecord {
    /// Seconds since the run began.
    pub at: f64,
    /// The share of all processors' time that processes other than the lab and its children used, 0 to 1. Work of the
    /// kernel that belongs to no process counts as others'.
    pub others: f64,
    /// The share of all processors' time that the host gave to other guests, 0 to 1.
    pub steal: f64,
    /// The load average over the last minute.
    pub load: f64,
    /// The lowest and highest clock of a processor, MHz; 0 if the kernel does not say.
    pub mhz: (f64, f64),
}

/// Reads the machine's load, relative to the reading before.
#[derive(Debug)]
pub struct LoadMeter {
    begun: Instant,
    last: Instant,
    /// `None` if this kernel has no accounting.
    before: Option<Ticks>,
}

/// Processor time so far, in ticks of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ticks {
    all: u64,
    busy: u64,
    steal: u64,
    own: u64,
}

/// The time between two readings.
const PERIOD: Duration = Duration::from_secs(1);

impl LoadMeter {
    /// A meter whose first record is about the time from now on.
    pub fn start() -> Self {
        let now = Instant::now();
        LoadMeter { begun: now, last: now, before: Ticks::now() }
    }

    /// The load since the last record, if a second has passed.
    pub fn due(&mut self) -> Option<LoadRecord> {
        if self.last.elapsed() < PERIOD {
            return None;
        }
        self.last = Instant::now();
        let after = Ticks::now()?;
        let before = self.before.replace(after)?;
        let (others, steal) = shares(before, after)?;
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let load = text("/proc/loadavg").split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0.0);
        let mhz = clocks(&text("/proc/cpuinfo"));
        Some(LoadRecord { at: self.begun.elapsed().as_secs_f64(), others, steal, load, mhz })
    }
}

/// Others' and the host's share of the time between two readings; `None` if no time has passed.
fn shares(before: Ticks, after: Ticks) -> Option<(f64, f64)> {
    let passed = |tick: fn(Ticks) -> u64| tick(after).saturating_sub(tick(before)) as f64;
    let all = passed(|it| it.all);
    let others = (passed(|it| it.busy) - passed(|it| it.own)).max(0.0);
    (all > 0.0).then(|| (others / all, passed(|it| it.steal) / all))
}

impl Ticks {
    fn now() -> Option<Ticks> {
        let machine = machine(&fs::read_to_string("/proc/stat").ok()?)?;
        Some(Ticks { own: family(std::process::id(), &processes()), ..machine })
    }
}

/// The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
fn machine(stat: &str) -> Option<Ticks> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|it| it.parse().ok()).take(8).collect();
    let &[user, nice, system, idle, iowait, irq, softirq, steal] = ticks.as_slice() else { return None };
    let busy = user + nice + system + irq + softirq;
    Some(Ticks { all: busy + idle + iowait + steal, busy, steal, own: 0 })
}

/// A process: its parent, and its ticks with those of its children that ended.
type Process = (u32, u64);

fn processes() -> HashMap<u32, Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // A process that ends meanwhile is counted in its parent from the next reading on.
    numbers
        .filter_map(|pid| Some((pid, process(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?)))
        .collect()
}

/// Of `/proc/PID/stat`: fields 4 (parent) and 14 to 17 (times). The name, in parentheses, may hold anything.
fn process(stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().filter_map(|it| it.parse::<u64>().ok()).sum();
    Some((fields.get(1)?.parse().ok()?, ticks))
}

/// The ticks of a process and all its descendants.
fn family(root: u32, processes: &HashMap<u32, Process>) -> u64 {
    let mut members = HashSet::from([root]);
    loop {
        let children =
            processes.iter().filter(|(_, (parent, _))| members.contains(parent)).map(|(&pid, _)| pid);
        let grown: HashSet<u32> = members.iter().copied().chain(children).collect();
        if grown.len() == members.len() {
            return members.iter().filter_map(|pid| processes.get(pid)).map(|(_, ticks)| ticks).sum();
        }
        members = grown;
    }
}

/// The lowest and the highest `cpu MHz` of `/proc/cpuinfo`.
fn clocks(cpuinfo: &str) -> (f64, f64) {
    let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let clocks =
        lines.filter(|(name, _)| name.trim() == "cpu MHz").filter_map(|(_, it)| it.trim().parse().ok());
    let widen = |range: Option<(f64, f64)>, mhz: f64| {
        Some(range.map_or((mhz, mhz), |(low, high)| (low.min(mhz), high.max(mhz))))
    };
    clocks.fold(None, widen).unwrap_or((0.0, 0.0))
}

/// The load of a whole run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// How often it was read.
    pub readings: usize,
    /// Others' share of the processors: mean and highest.
    pub others: (f64, f64),
    /// The host's share: mean and highest.
    pub steal: (f64, f64),
    /// The lowest and highest clock, MHz; 0 if the kernel does not say.
    pub mhz: (f64, f64),
}

/// More than this share of the processors' time for others makes a machine busy.
const BUSY: f64 = 0.05;
/// More than this share for other guests of the host makes it busy.
const STOLEN: f64 = 0.02;

impl Load {
    /// Of all records of a run; `None` if there is none.
    pub fn of<'a>(records: impl Iterator<Item = &'a LoadRecord>) -> Option<Load> {
        let mut before = 0.0;
        Load::of_lasting(records.map(|it| {
            let seconds = it.at - before;
            before = it.at;
            (it, seconds)
        }))
    }

    /// Of some records, each with the seconds that it is about; `None` if there is none.
    pub fn of_lasting<'a>(records: impl Iterator<Item = (&'a LoadRecord, f64)>) -> Option<Load> {
        let records: Vec<(&LoadRecord, f64)> = records.map(|(it, seconds)| (it, seconds.max(1e-9))).collect();
        let readings = records.len();
        // A reading is about the time since the one before: a second, or minutes of silence.
        let spread = |share: fn(&LoadRecord) -> f64| {
            let sum: f64 = records.iter().map(|(it, seconds)| share(it) * seconds).sum();
            let seconds: f64 = records.iter().map(|(_, seconds)| seconds).sum();
            (sum / seconds, records.iter().map(|(it, _)| share(it)).fold(0.0, f64::max))
        };
        let low = records.iter().map(|(it, _)| it.mhz.0).fold(f64::INFINITY, f64::min);
        let high = records.iter().map(|(it, _)| it.mhz.1).fold(0.0, f64::max);
        (readings > 0).then(|| Load {
            readings,
            others: spread(|it| it.others),
            steal: spread(|it| it.steal),
            mhz: (low, high),
        })
    }

    /// Whether what else the machine did may have changed times.
    pub fn is_busy(&self) -> bool {
        self.others.0 > BUSY || self.steal.0 > STOLEN
    }

    /// In a sentence.
    pub fn line(&self) -> String {
        // With the same decimals: rounded otherwise, the mean could be above the most.
        let percent =
            |(mean, highest): (f64, f64)| format!("{:.1} % (at most {:.1} %)", mean * 100.0, highest * 100.0);
        let clock = match self.mhz {
            (_, 0.0) => String::new(),
            (low, high) => format!(", clock {low:.0} to {high:.0} MHz"),
        };
        format!(
            "other programs used {} of the processors' time, the host took {}{clock}; {} reading{}",
            percent(self.others),
            percent(self.steal),
            self.readings,
            if self.readings == 1 { "" } else { "s" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_kernel_lines_are_read() {
        let ticks = machine("cpu  10 1 5 80 3 1 2 4 0 0\ncpu0 5 0 2 40 1 0 1 2 0 0\n").unwrap();
        assert_eq!(ticks, Ticks { all: 106, busy: 19, steal: 4, own: 0 });
        assert_eq!(machine("cpu  1 2\n"), None);
        let stat = "42 (a) b (c) S 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 1 0 5 6 7";
        assert_eq!(process(stat), Some((7, 110)));
        assert_eq!(process("42 (short) S"), None);
        assert_eq!(clocks("cpu MHz\t\t: 2500.5\nmodel name : x\ncpu MHz : 1800\n"), (1800.0, 2500.5));
        assert_eq!(clocks(""), (0.0, 0.0));
    }

    #[test]
    fn a_family_is_the_process_and_all_below_it() {
        let processes =
            HashMap::from([(1, (0, 1)), (2, (1, 10)), (3, (2, 100)), (4, (1, 1000)), (5, (3, 10_000))]);
        assert_eq!(family(2, &processes), 10_110);
        assert_eq!(family(9, &processes), 0);
    }

    #[test]
    fn own_work_is_not_others() {
        let before = Ticks { all: 100, busy: 20, steal: 0, own: 15 };
        let after = Ticks { all: 300, busy: 140, steal: 10, own: 95 };
        assert_eq!(shares(before, after), Some((0.2, 0.05)));
        assert_eq!(shares(after, after), None);
        // A child that ended is counted late, so own time may exceed busy time for once.
        assert_eq!(shares(before, Ticks { own: 500, ..after }), Some((0.0, 0.05)));
    }

    #[test]
    fn work_of_a_child_is_own_work() {
        let before = family(std::process::id(), &processes());
        let status =
            Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]).status();
        assert!(status.unwrap().success());
        assert!(family(std::process::id(), &processes()) > before);
    }

    #[test]
    fn a_run_is_summed_up() {
        let record = |others, steal, mhz| LoadRecord { at: 1.0, others, steal, load: 0.5, mhz };
        let later = |at, record| LoadRecord { at, ..record };
        // The second is about three seconds.
        let quiet = [record(0.01, 0.0, (1800.0, 2000.0)), later(4.0, record(0.03, 0.01, (1900.0, 2500.0)))];
        let load = Load::of(quiet.iter()).unwrap();
        assert!(!load.is_busy());
        assert_eq!(
            load.line(),
            "other programs used 2.5 % (at most 3.0 %) of the processors' time, the host took 0.8 % (at most 1.0 %), clock \
             1800 to 2500 MHz; 2 readings"
        );
        assert!(Load::of([record(0.2, 0.0, (0.0, 0.0))].iter()).unwrap().is_busy());
        assert!(Load::of([record(0.0, 0.1, (0.0, 0.0))].iter()).unwrap().is_busy());
        assert_eq!(Load::of([].iter()), None);
    }
}

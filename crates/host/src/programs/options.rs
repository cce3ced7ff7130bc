//! The part of the configuration about programs and limits, and the handle through which the providers see it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread::Thread;
use std::time::Duration;

use trunkline_smi::Oid;

use super::entry::{Entry, EntryOptions};
use super::log_match::{LogFile, read_due};
use super::run::{Ended, Program, Runner};

/// The configuration. By default: no programs, every disk with a tenth of free space, and Net-SNMP's limits for
/// the load.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchOptions {
    /// The rows of NET-SNMP-EXTEND-MIB.
    pub extends: Vec<ExtendOptions>,
    /// The rows of extTable, which are in NET-SNMP-EXTEND-MIB too, as with Net-SNMP.
    pub execs: Vec<ExecOptions>,
    /// The rows of prTable.
    pub processes: Vec<ProcessOptions>,
    /// The rows of dskTable.
    pub disks: DiskOptions,
    /// The limits of laTable.
    pub load: LoadOptions,
    /// The rows of diskIOTable.
    pub disk_io: DiskIoOptions,
    /// Whether hrStorageTable has file systems of other machines.
    pub network_disks: bool,
    /// The rows of fileTable.
    pub files: Vec<FileOptions>,
    /// The rows of logMatchTable, at most [`MAX_LOG_MATCHES`].
    pub log_matches: Vec<LogMatchOptions>,
    /// With less unused swap space, in units of 1,024 octets, memSwapError is raised.
    pub minimum_swap: u64,
    /// The bridge of BRIDGE-MIB; `None`: the first one.
    pub bridge: Option<String>,
}

/// A program in NET-SNMP-EXTEND-MIB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendOptions {
    /// nsExtendToken.
    pub name: String,
    /// The program, and its time limit.
    pub program: Program,
    /// How long its output is kept.
    pub cache: Duration,
    /// The tables' root, if not nsExtendObjects. Roots that no program had at the start are not served.
    pub root: Option<Oid>,
}

/// A program in extTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOptions {
    /// extNames.
    pub name: String,
    /// The program, and its time limit.
    pub program: Program,
    /// What setting extErrFix to 1 runs.
    pub fix: Option<Vec<String>>,
}

/// A row of prTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessOptions {
    /// The processes' name; for a name longer than the 15 octets that the kernel keeps, `argv[0]`.
    pub name: String,
    /// Fewer are an error.
    pub min: u32,
    /// More are an error; `None`: any number is right.
    pub max: Option<u32>,
    /// What setting prErrFix to 1 runs.
    pub fix: Option<Vec<String>>,
}

/// The rows of dskTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskOptions {
    /// These, with numbers from 1 in this order.
    pub named: Vec<NamedDisk>,
    /// Behind them every other file system that holds data, with this minimum; `None`: no other.
    pub others: Option<DiskMinimum>,
}

/// A row of dskTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedDisk {
    /// Its mount point.
    pub path: PathBuf,
    /// Less free space is an error.
    pub minimum: DiskMinimum,
}

/// The least free space of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskMinimum {
    /// So many kilobytes (of 1024 octets).
    Kilobytes(u64),
    /// So many parts of a hundred.
    Percent(u8),
}

/// The limits of laTable for 1, 5 and 15 minutes; 0 means no limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadOptions {
    /// The limits.
    pub max: [f64; 3],
}

/// Which block devices diskIOTable has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskIoOptions {
    /// These alone; none: all.
    pub devices: Vec<String>,
    /// None whose name begins so.
    pub exclude: Vec<String>,
}

impl DiskIoOptions {
    /// Whether it has this one.
    pub(crate) fn shows(&self, device: &str) -> bool {
        let is_wanted = self.devices.is_empty() || self.devices.iter().any(|wanted| wanted == device);
        is_wanted && !self.exclude.iter().any(|start| device.starts_with(start.as_str()))
    }
}

/// A row of fileTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOptions {
    /// The file.
    pub path: PathBuf,
    /// A larger size, in units of 1,024 octets, is an error.
    pub max: Option<u32>,
}

/// A row of logMatchTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMatchOptions {
    /// logMatchName.
    pub name: String,
    /// The log file.
    pub path: PathBuf,
    /// The regular expression, in the syntax of the crate `regex`.
    pub pattern: String,
    /// How often it is read if nobody reads the table; zero: only then.
    pub every: Duration,
}

/// How many rows logMatchTable may have.
pub const MAX_LOG_MATCHES: usize = 250;

impl Default for WatchOptions {
    fn default() -> Self {
        WatchOptions {
            extends: Vec::new(),
            execs: Vec::new(),
            processes: Vec::new(),
            disks: DiskOptions::default(),
            load: LoadOptions::default(),
            disk_io: DiskIoOptions::default(),
            network_disks: true,
            files: Vec::new(),
            log_matches: Vec::new(),
            minimum_swap: 16_000,
            bridge: None,
        }
    }
}

impl Default for DiskOptions {
    fn default() -> Self {
        DiskOptions { named: Vec::new(), others: Some(DiskMinimum::Percent(10)) }
    }
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions { max: [12.0; 3] }
    }
}

/// What the providers share of the configuration, and the programs' last output.
#[derive(Clone, Debug, Default)]
pub struct Programs(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    runner: Arc<Runner>,
    current: Mutex<Arc<Current>>,
    /// Reads log files in time; started when the first one is configured.
    reader: OnceLock<Thread>,
}

/// The configuration as it is now.
#[derive(Debug, Default)]
pub(crate) struct Current {
    pub options: WatchOptions,
    /// Of every extend and then of every exec.
    pub entries: Vec<Arc<Entry>>,
    /// In the order of the options.
    pub logs: Vec<Arc<LogFile>>,
}

/// A command that runs when a manager requests it.
#[derive(Debug)]
pub(crate) struct Fix {
    pub name: String,
    pub command: Vec<String>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared { runner: Arc::new(Runner::new(PLACES)), current: Mutex::default(), reader: OnceLock::new() }
    }
}

impl Programs {
    /// Applies another configuration. Unchanged programs keep their last output, and unchanged log files their counters.
    pub fn configure(&self, options: WatchOptions) {
        let mut current = self.0.current.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = EntryOptions::all(&options).map(|wanted| {
            let known = current.entries.iter().find(|known| *known.options() == wanted);
            known.cloned().unwrap_or_else(|| Arc::new(Entry::new(wanted)))
        });
        let logs = options.log_matches.iter().take(MAX_LOG_MATCHES).map(|wanted| {
            let known = current.logs.iter().find(|known| known.options() == wanted);
            known.cloned().unwrap_or_else(|| Arc::new(LogFile::new(wanted.clone())))
        });
        *current = Arc::new(Current { logs: logs.collect(), entries: entries.collect(), options });
        let reads = current.logs.iter().any(|log| !log.options().every.is_zero());
        drop(current);
        if reads {
            self.read_logs();
        }
    }

    /// Starts the thread that reads log files, or tells it that there are others now.
    fn read_logs(&self) {
        if let Some(reader) = self.0.reader.get() {
            return reader.unpark();
        }
        let shared = Arc::downgrade(&self.0);
        let started = std::thread::Builder::new()
            .name("log-match".into())
            .stack_size(128 * 1024)
            .spawn(move || read_logs(&shared));
        match started {
            // Whoever configures holds no lock here; two at once would start two, and both read.
            Ok(started) => drop(self.0.reader.set(started.thread().clone())),
            Err(error) => tracing::warn!(%error, "log files are read only when logMatchTable is"),
        }
    }

    /// Runs programs within the bound that all of them share.
    pub fn runner(&self) -> &Arc<Runner> {
        &self.0.runner
    }

    pub(crate) fn current(&self) -> Arc<Current> {
        self.0.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a fix command on a separate thread: the set that triggered it does not wait.
    pub(crate) fn fix(&self, Fix { name, command }: Fix) -> std::io::Result<()> {
        let runner = Arc::clone(self.runner());
        let run = move || {
            let program = Program { command, shell: false, timeout: FIX_TIMEOUT };
            match runner.run(&program, &[]).ended {
                Ended::Code(0) => tracing::info!(name, "a fix command has run"),
                ended => tracing::warn!(name, ?ended, "a fix command has failed"),
            }
        };
        std::thread::Builder::new().name("fix".into()).stack_size(128 * 1024).spawn(run).map(drop)
    }
}

/// Reads log files until nobody has the configuration any more.
fn read_logs(shared: &Weak<Shared>) {
    while let Some(held) = shared.upgrade() {
        let logs = held.current.lock().unwrap_or_else(PoisonError::into_inner).logs.clone();
        drop(held);
        std::thread::park_timeout(read_due(&logs));
    }
}

/// Programs that run at once.
const PLACES: usize = 32;

/// How long a fix command may run.
const FIX_TIMEOUT: Duration = Duration::from_secs(60);

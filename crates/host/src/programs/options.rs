//! The part of the configuration about programs and limits, and the handle through which the providers see it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use trunkline_smi::Oid;

use super::entry::{Entry, EntryOptions};
use super::run::{Ended, Program, Runner};

/// The configuration. By default: no programs, every disk with a tenth of free space, and Net-SNMP's limits for
/// the load.
#[derive(Clone, Debug, Default, PartialEq)]
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
}

/// The configuration as it is now.
#[derive(Debug, Default)]
pub(crate) struct Current {
    pub options: WatchOptions,
    /// Of every extend and then of every exec.
    pub entries: Vec<Arc<Entry>>,
}

/// A command that runs when a manager requests it.
#[derive(Debug)]
pub(crate) struct Fix {
    pub name: String,
    pub command: Vec<String>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared { runner: Arc::new(Runner::new(PLACES)), current: Mutex::default() }
    }
}

impl Programs {
    /// Applies another configuration. Unchanged programs keep their last output.
    pub fn configure(&self, options: WatchOptions) {
        let mut current = self.0.current.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = EntryOptions::all(&options).map(|wanted| {
            let known = current.entries.iter().find(|known| *known.options() == wanted);
            known.cloned().unwrap_or_else(|| Arc::new(Entry::new(wanted)))
        });
        *current = Arc::new(Current { entries: entries.collect(), options });
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

/// Programs that run at once.
const PLACES: usize = 32;

/// How long a fix command may run.
const FIX_TIMEOUT: Duration = Duration::from_secs(60);

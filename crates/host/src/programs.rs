//! Programs of the configuration: running them within bounds, and what of it is served
//! (NET-SNMP-EXTEND-MIB here; prTable, extTable, dskTable, laTable, fileTable and logMatchTable in `ucd/`).

mod entry;
mod extend;
mod log_match;
mod options;
mod run;

pub use options::{
    DiskIoOptions, DiskMinimum, DiskOptions, ExecOptions, ExtendOptions, FileOptions, LoadOptions,
    LogMatchOptions, MAX_LOG_MATCHES, NamedDisk, ProcessOptions, Programs, WatchOptions,
};
pub use run::{Ended, Feed, MAX_OUTPUT, Outcome, Program, Runner, kill_all, see_off};

pub(crate) use entry::{Entry, fresh, words_of};
pub(crate) use extend::providers;
pub(crate) use options::Fix;

//! UCD-SNMP-MIB and UCD-DISKIO-MIB as Net-SNMP serves them on Linux: memory, load averages, system statistics, disks, and
//! the processes, programs and files that the configuration names.

mod disk;
mod disk_io;
mod exec;
mod files;
mod fix;
pub(crate) mod load;
mod log_match;
mod memory;
mod process;
mod system_stats;
mod version;

use std::sync::Arc;

use trunkline_tree::Provider;

use crate::HostOptions;
use trunkline_source::procfs::sampler::Sampler;
use trunkline_source::procfs::volumes::Volumes;

/// The groups ucd-memory, ucd-load, ucd-system-stats, ucd-disk, ucd-disk-io, ucd-process, ucd-exec, ucd-file,
/// ucd-log-match and ucd-version.
pub(crate) fn providers(
    options: &HostOptions,
    sampler: &Arc<Sampler>,
    volumes: &Arc<Volumes>,
) -> Vec<Arc<dyn Provider>> {
    vec![
        Arc::new(memory::Memory::new(options.root.clone(), options.programs.clone())),
        Arc::new(load::Load::new(options.root.clone(), options.programs.clone())),
        Arc::new(system_stats::SystemStats::new(Arc::clone(sampler))),
        Arc::new(disk::Disk::new(Arc::clone(volumes), options.programs.clone())),
        Arc::new(disk_io::DiskIo::new(options.root.clone(), options.programs.clone())),
        Arc::new(process::Process::new(options.root.clone(), options.programs.clone())),
        Arc::new(exec::Exec::new(options.programs.clone())),
        Arc::new(files::Files::new(options.programs.clone())),
        Arc::new(log_match::LogMatch::new(options.programs.clone())),
        Arc::new(version::Version),
    ]
}

/// UCDErrorFlag.
fn flag(is_error: bool) -> i32 {
    i32::from(is_error)
}

/// A number of KBytes as Integer32: at most 2^31-1 (2 TiB).
fn integer(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

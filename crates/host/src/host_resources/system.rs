//! hrSystem: uptime, date, what the system was started from and with, users, processes.

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use trunkline_smi::module::host_resources_mib as mib;
use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{Group, Live, Loaded, Provider, Snapshot, SourceError};

use super::date::date_and_time;
use super::devices::DeviceNumbers;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::{block, cut, lines, mounts::Mount, process, sampler, utmp};

static GROUP: Group = Group {
    name: "hr-system",
    scalars: &[
        &mib::HR_SYSTEM_UPTIME,
        &mib::HR_SYSTEM_DATE,
        &mib::HR_SYSTEM_INITIAL_LOAD_DEVICE,
        &mib::HR_SYSTEM_INITIAL_LOAD_PARAMETERS,
        &mib::HR_SYSTEM_NUM_USERS,
        &mib::HR_SYSTEM_PROCESSES,
        &mib::HR_SYSTEM_MAX_PROCESSES,
    ],
    tables: &[],
};

/// Serves the group `hr-system`.
#[derive(Debug)]
pub(super) struct System {
    root: SourceRoot,
    numbers: Arc<DeviceNumbers>,
    /// Does not change while the system runs.
    load_device: OnceLock<Option<u32>>,
}

impl System {
    pub(super) fn new(root: SourceRoot, numbers: Arc<DeviceNumbers>) -> Self {
        System { root, numbers, load_device: OnceLock::new() }
    }

    /// The disk that the root file system lies on, itself or in a partition, else the first fixed disk.
    fn find_load_device(&self) -> Option<u32> {
        let mounts = self.root.read_or_empty(Mount::FILE);
        let device =
            Mount::parse(&mounts).filter(|mount| mount.path == b"/").last().map(|mount| mount.device);
        let device = device.as_deref().and_then(|device| device.strip_prefix(b"/dev/")).unwrap_or_default();
        let disks = block::disks(&self.root);
        let numbers: Vec<u32> = disks.iter().map(|disk| self.numbers.disk(&disk.name)).collect();
        let holds_root = |disk: &block::Disk| {
            let mut names = disk.partitions.iter().map(|part| &part.name).chain([&disk.name]);
            names.any(|name| name.as_bytes() == device)
        };
        let at = disks.iter().position(holds_root).or_else(|| disks.iter().position(|disk| !disk.removable));
        at.map(|at| numbers[at])
    }

    fn count_processes(&self) -> Result<u32, SourceError> {
        let path = self.root.path("proc");
        let mut count = 0;
        File::open(&path)
            .and_then(|folder| process::numbered(folder.as_fd(), |_, _| count += 1))
            .map_err(|cause| SourceError::new(path.display().to_string(), cause))?;
        Ok(count)
    }

    /// Sessions in utmp whose process is alive; without utmp (Debian 13), user sessions of systemd-logind.
    fn count_users(&self) -> u32 {
        let utmp = self.root.read_or_empty("run/utmp");
        if !utmp.is_empty() {
            let lives = |pid: &u32| self.root.path(format!("proc/{pid}")).exists();
            return utmp::sessions(&utmp).filter(lives).count() as u32;
        }
        let Ok(entries) = std::fs::read_dir(self.root.path("run/systemd/sessions")) else { return 0 };
        let is_user = |name: std::ffi::OsString| {
            let session = self.root.read_or_empty(std::path::Path::new("run/systemd/sessions").join(name));
            lines(&session).any(|line| line == b"CLASS=user")
        };
        entries.flatten().filter(|entry| is_user(entry.file_name())).count() as u32
    }
}

impl Provider for System {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut text = Vec::new();
        let mut snapshot = Snapshot::builder(&GROUP);
        self.root.read_into("proc/uptime", &mut text)?;
        let uptime =
            Uptime { hundredths: (sampler::uptime(&text) * 100.0).round() as u64, at: Instant::now() };
        snapshot.live(&mib::HR_SYSTEM_UPTIME, Arc::new(uptime));
        let date = date_and_time(SystemTime::now()).to_vec();
        snapshot.scalar(&mib::HR_SYSTEM_DATE, Value::OctetString(date));
        if let Some(device) = *self.load_device.get_or_init(|| self.find_load_device()) {
            snapshot.scalar(&mib::HR_SYSTEM_INITIAL_LOAD_DEVICE, Value::Integer(device as i32));
        }
        self.root.read_into("proc/cmdline", &mut text)?;
        let parameters = cut(text.trim_ascii_end(), 128).to_vec();
        snapshot
            .scalar(&mib::HR_SYSTEM_INITIAL_LOAD_PARAMETERS, Value::OctetString(parameters))
            .scalar(&mib::HR_SYSTEM_NUM_USERS, Value::Unsigned32(self.count_users()))
            .scalar(&mib::HR_SYSTEM_PROCESSES, Value::Unsigned32(self.count_processes()?))
            // Limits are for each user and control group; none is the system's.
            .scalar(&mib::HR_SYSTEM_MAX_PROCESSES, Value::Integer(0));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// hrSystemUptime advances between loads. If the clock stops while the machine sleeps, the next load corrects it.
#[derive(Debug)]
struct Uptime {
    hundredths: u64,
    at: Instant,
}

impl Live for Uptime {
    fn read(&self, now: Instant) -> ValueRef<'_> {
        let since = now.saturating_duration_since(self.at).as_millis() as u64 / 10;
        ValueRef::TimeTicks(self.hundredths.wrapping_add(since) as u32)
    }
}

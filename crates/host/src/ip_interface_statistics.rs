//! IP-MIB: ipIfStatsTable, from the kernel's IPv6 counters for each interface,
//! one file of /proc/net/dev_snmp6 each. Linux keeps none for IPv4, so there are rows of IPv6 only.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::ip_mib::{IP_IF_STATS_TABLE, IP_IF_STATS_TABLE_LAST_CHANGE};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use crate::HostOptions;
use crate::ip_counters::{IpCounters, IpVersion, snmp6_counters};
use crate::last_change::LastChange;
use crate::links::up_time;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::{FILE_LIMIT, read_bounded};

/// The group's name, with which a link watch marks it as stale.
pub(crate) const NAME: &str = "ip-interface-statistics";

static GROUP: Group =
    Group { name: NAME, scalars: &[&IP_IF_STATS_TABLE_LAST_CHANGE], tables: &[&IP_IF_STATS_TABLE] };

/// Serves IP's counters for each interface.
#[derive(Debug)]
pub(crate) struct IpInterfaceStatistics {
    root: SourceRoot,
    started: Instant,
    rows: Mutex<LastChange<Vec<u32>>>,
}

impl IpInterfaceStatistics {
    pub(crate) fn new(options: &HostOptions) -> Self {
        IpInterfaceStatistics { root: options.root.clone(), started: options.started, rows: Mutex::default() }
    }
}

impl Provider for IpInterfaceStatistics {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let folder = self.root.path("proc/net/dev_snmp6");
        let mut found =
            read_folder(&folder).map_err(|cause| SourceError::new(folder.display().to_string(), cause))?;
        found.sort_unstable_by_key(|(interface, _)| *interface);
        let mut builder = Snapshot::builder(&GROUP);
        for (interface, counters) in &found {
            let mut row = builder.table(&IP_IF_STATS_TABLE).row(&[IpVersion::V6 as u32, *interface]);
            counters.fill(&mut row, &IP_IF_STATS_TABLE);
        }
        let now = up_time(self.started, Instant::now());
        let interfaces = found.into_iter().map(|(interface, _)| interface).collect();
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        builder.scalar(&IP_IF_STATS_TABLE_LAST_CHANGE, Value::TimeTicks(rows.see(interfaces, now)));
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

/// The counters of each interface; none without IPv6. A file may go while it is read, with its interface.
fn read_folder(folder: &Path) -> io::Result<Vec<(u32, IpCounters)>> {
    let files = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files?,
    };
    let mut text = Vec::new();
    let mut found = Vec::new();
    for file in files {
        if read_bounded(&file?.path(), FILE_LIMIT, &mut text).is_ok() {
            found.extend(parse(&text));
        }
    }
    Ok(found)
}

/// A file names its interface itself, in its first line.
fn parse(text: &[u8]) -> Option<(u32, IpCounters)> {
    let (_, interface) = snmp6_counters(text).find(|(name, _)| *name == b"ifIndex")?;
    Some((u32::try_from(interface).ok()?, IpCounters::of_v6(text)))
}

//! IP-MIB: ipIfStatsTable, from the kernel's IPv6 counters for each interface.
//! Linux keeps none for IPv4, so there are rows of IPv6 only.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::ip_mib::{IP_IF_STATS_TABLE, IP_IF_STATS_TABLE_LAST_CHANGE};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use crate::HostOptions;
use crate::ip_counters::{IpCounters, IpVersion};
use crate::last_change::LastChange;
use crate::links::up_time;
use crate::source::netlink::inet6::Inet6Link;
use crate::source::netlink::{Dump, Netlink};

/// The group's name, by which a link watch says that it is stale.
pub(crate) const NAME: &str = "ip-interface-statistics";

static GROUP: Group =
    Group { name: NAME, scalars: &[&IP_IF_STATS_TABLE_LAST_CHANGE], tables: &[&IP_IF_STATS_TABLE] };

/// Serves IP's counters for each interface.
#[derive(Debug)]
pub(crate) struct IpInterfaceStatistics {
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    netlink: Netlink,
    rows: LastChange<Vec<u32>>,
}

impl IpInterfaceStatistics {
    pub(crate) fn new(options: &HostOptions) -> Self {
        let state = State { netlink: options.root.netlink(), rows: LastChange::default() };
        IpInterfaceStatistics { started: options.started, state: Mutex::new(state) }
    }
}

impl Provider for IpInterfaceStatistics {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let start = || (Snapshot::builder(&GROUP), Vec::new());
        let (mut builder, interfaces) =
            state.netlink.collect(Dump::Inet6Links, start, |(builder, interfaces), message| {
                let Some(link) = Inet6Link::parse(message) else { return };
                interfaces.push(link.interface);
                let index = [IpVersion::V6 as u32, link.interface];
                let mut row = builder.table(&IP_IF_STATS_TABLE).row(&index);
                IpCounters::of_netlink(link.counters).fill(&mut row, &IP_IF_STATS_TABLE, IpVersion::V6);
            })?;
        let now = up_time(self.started, Instant::now());
        builder.scalar(&IP_IF_STATS_TABLE_LAST_CHANGE, Value::TimeTicks(state.rows.see(interfaces, now)));
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

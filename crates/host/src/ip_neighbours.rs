//! IP-MIB: ipNetToPhysicalTable, the legacy ipNetToMediaTable and RFC 1213's atTable, from ARP and neighbour discovery. Addresses
//! without link-layer resolution (loopback, multicast mappings) are not neighbours.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::module::ip_mib::{IP_NET_TO_MEDIA_TABLE, IP_NET_TO_PHYSICAL_TABLE};
use trunkline_smi::module::rfc1213_mib::AT_TABLE;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::inet_index::push_inet;
use crate::links::up_time;
use trunkline_source::netlink::neighbour::{
    NUD_DELAY, NUD_FAILED, NUD_INCOMPLETE, NUD_NOARP, NUD_PERMANENT, NUD_PROBE, NUD_REACHABLE, NUD_STALE,
    Neighbour,
};
use trunkline_source::netlink::{Dump, Netlink};

static GROUP: Group = Group {
    name: "ip-neighbours",
    scalars: &[],
    tables: &[&AT_TABLE, &IP_NET_TO_MEDIA_TABLE, &IP_NET_TO_PHYSICAL_TABLE],
};

/// Serves the neighbours of this machine.
#[derive(Debug)]
pub(crate) struct IpNeighbours {
    started: Instant,
    netlink: Mutex<Netlink>,
}

impl IpNeighbours {
    pub(crate) fn new(options: &HostOptions) -> Self {
        IpNeighbours { started: options.started, netlink: Mutex::new(options.root.netlink()) }
    }
}

impl Provider for IpNeighbours {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let now = up_time(self.started, Instant::now());
        let mut netlink = self.netlink.lock().unwrap_or_else(PoisonError::into_inner);
        let start = || Snapshot::builder(&GROUP);
        let builder = netlink.collect(Dump::Neighbours, start, |builder, message| {
            if let Some(neighbour) = Neighbour::parse(message) {
                add(builder, &neighbour, now);
            }
        })?;
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

fn add(builder: &mut SnapshotBuilder, neighbour: &Neighbour<'_>, now: u32) {
    let Some(state) = state(neighbour.state) else { return };
    let kind = kind(neighbour.state);
    let mut index = vec![neighbour.interface];
    push_inet(&mut index, neighbour.address);
    builder
        .table(&IP_NET_TO_PHYSICAL_TABLE)
        .row(&index)
        .octets(4, neighbour.link_address)
        .time_ticks(5, now.saturating_sub(neighbour.age))
        .integer(6, kind)
        .integer(7, state)
        .integer(8, ACTIVE);
    if let IpAddr::V4(v4) = neighbour.address {
        let [a, b, c, d] = v4.octets().map(u32::from);
        builder
            .table(&IP_NET_TO_MEDIA_TABLE)
            .row(&[neighbour.interface, a, b, c, d])
            .integer(1, neighbour.interface as i32)
            .octets(2, neighbour.link_address)
            .ip_address(3, v4.octets())
            .integer(4, kind);
        builder
            .table(&AT_TABLE)
            .row(&[neighbour.interface, INTERNET, a, b, c, d])
            .integer(1, neighbour.interface as i32)
            .octets(2, neighbour.link_address)
            .ip_address(3, v4.octets());
    }
}

/// ipNetToPhysicalState; `None` for addresses without resolution. A permanent entry needs no resolution: the
/// kernel sends to it, so it is reachable.
fn state(state: u16) -> Option<i32> {
    Some(match state {
        NUD_REACHABLE | NUD_PERMANENT => 1,
        NUD_STALE => 2,
        NUD_DELAY => 3,
        NUD_PROBE => 4,
        NUD_FAILED => 5,
        NUD_INCOMPLETE => 7,
        0 | NUD_NOARP => return None,
        _ => 6,
    })
}

/// ipNetToPhysicalType, and the same of ipNetToMediaType: invalid(2), dynamic(3), static(4).
fn kind(state: u16) -> i32 {
    match state {
        NUD_PERMANENT => 4,
        NUD_FAILED => 2,
        _ => 3,
    }
}

const ACTIVE: i32 = 1;
/// The family before an address of atTable.
const INTERNET: u32 = 1;

//! BRIDGE-MIB and Q-BRIDGE-MIB: one Linux bridge, that which the configuration names or else the first one. Ports have the kernel's numbers,
//! which are those of the spanning tree. A bridge that does not filter VLANs has no rows in Q-BRIDGE-MIB.
//!
//! These modules have room for one bridge of a machine; RFC 4188 section 3.1 leaves others to contexts, which the agent does not make.

mod addresses;
mod vlans;

use std::sync::{Arc, Mutex, PoisonError};

use trunkline_smi::Value;
use trunkline_smi::module::bridge_mib as mib;
use trunkline_source::netlink::bridge::{
    BR_STATE_BLOCKING, BR_STATE_FORWARDING, BR_STATE_LEARNING, BR_STATE_LISTENING, Bridge, BridgePort,
};
use trunkline_source::netlink::link::IFF_UP;
use trunkline_source::netlink::{Dump, Netlink};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::links_entry::without_texts;
use crate::programs::Programs;

static GROUP: Group = Group {
    name: "bridge",
    scalars: &[
        &mib::DOT1D_BASE_BRIDGE_ADDRESS,
        &mib::DOT1D_BASE_NUM_PORTS,
        &mib::DOT1D_BASE_TYPE,
        &mib::DOT1D_STP_PROTOCOL_SPECIFICATION,
        &mib::DOT1D_STP_PRIORITY,
        &mib::DOT1D_STP_DESIGNATED_ROOT,
        &mib::DOT1D_STP_ROOT_COST,
        &mib::DOT1D_STP_ROOT_PORT,
        &mib::DOT1D_STP_MAX_AGE,
        &mib::DOT1D_STP_HELLO_TIME,
        &mib::DOT1D_STP_HOLD_TIME,
        &mib::DOT1D_STP_FORWARD_DELAY,
        &mib::DOT1D_STP_BRIDGE_MAX_AGE,
        &mib::DOT1D_STP_BRIDGE_HELLO_TIME,
        &mib::DOT1D_STP_BRIDGE_FORWARD_DELAY,
        &mib::DOT1D_TP_LEARNED_ENTRY_DISCARDS,
        &mib::DOT1D_TP_AGING_TIME,
    ],
    tables: &[&mib::DOT1D_BASE_PORT_TABLE, &mib::DOT1D_STP_PORT_TABLE, &mib::DOT1D_TP_PORT_TABLE],
};

/// The groups bridge, bridge-addresses and bridge-vlans.
pub(crate) fn providers(options: &HostOptions) -> [Arc<dyn Provider>; 3] {
    [
        Arc::new(Bridges(Source::new(options))),
        Arc::new(addresses::Addresses(Source::new(options))),
        Arc::new(vlans::Vlans::new(options)),
    ]
}

/// Where a group reads the bridge.
#[derive(Debug)]
struct Source {
    netlink: Mutex<Netlink>,
    programs: Programs,
}

/// A bridge with its ports.
#[derive(Debug)]
struct Found {
    bridge: Bridge<'static>,
    address: Vec<u8>,
    /// In the order of their numbers.
    ports: Vec<BridgePort<'static>>,
}

impl Source {
    fn new(options: &HostOptions) -> Self {
        Source { netlink: Mutex::new(options.root.netlink()), programs: options.programs.clone() }
    }

    /// Hands over the bridge, if there is one, and the channel for more.
    fn with<T>(
        &self,
        read: impl FnOnce(Option<Found>, &mut Netlink) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let current = self.programs.current();
        let name = current.options.bridge.as_deref().map(str::as_bytes);
        let mut netlink = self.netlink.lock().unwrap_or_else(PoisonError::into_inner);
        let found = find(&mut netlink, name)?;
        read(found, &mut netlink)
    }
}

/// The bridge of this name; without one, that with the lowest ifIndex.
fn find(netlink: &mut Netlink, name: Option<&[u8]>) -> Result<Option<Found>, SourceError> {
    let start = || (None::<Found>, Vec::<BridgePort<'static>>::new());
    let (found, ports) = netlink.collect(Dump::Links, start, |(found, ports), message| {
        if let Some(port) = BridgePort::parse(message) {
            ports.push(BridgePort { link: without_texts(&port.link), ..port });
        }
        let Some(bridge) = Bridge::parse(message) else { return };
        let is_wanted = name.is_none_or(|name| name == bridge.link.name);
        let is_first = found.as_ref().is_none_or(|known| bridge.link.index < known.bridge.link.index);
        if is_wanted && is_first {
            let (address, link) = (bridge.link.address.to_vec(), without_texts(&bridge.link));
            *found = Some(Found { bridge: Bridge { link, ..bridge }, address, ports: Vec::new() });
        }
    })?;
    let Some(mut found) = found else { return Ok(None) };
    let index = found.bridge.link.index;
    found.ports = ports.into_iter().filter(|port| port.bridge == index).collect();
    found.ports.sort_by_key(|port| port.number);
    found.ports.dedup_by_key(|port| port.number);
    Ok(Some(found))
}

impl Found {
    /// The number of the port that an interface is; 0: it is none.
    fn port(&self, interface: u32) -> u16 {
        self.ports.iter().find(|port| port.link.index == interface).map_or(0, |port| port.number)
    }
}

/// Serves the group `bridge`.
#[derive(Debug)]
struct Bridges(Source);

impl Provider for Bridges {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&GROUP);
        let found = self.0.with(|found, _| Ok(found))?;
        if let Some(found) = found {
            base(&mut snapshot, &found);
            spanning_tree(&mut snapshot, &found.bridge);
            for port in &found.ports {
                fill_port(&mut snapshot, port);
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

fn base(snapshot: &mut SnapshotBuilder, found: &Found) {
    snapshot
        .scalar(&mib::DOT1D_BASE_BRIDGE_ADDRESS, Value::OctetString(found.address.clone()))
        .scalar(&mib::DOT1D_BASE_NUM_PORTS, Value::Integer(found.ports.len() as i32))
        .scalar(&mib::DOT1D_BASE_TYPE, Value::Integer(TRANSPARENT_ONLY))
        // The kernel's table of addresses has no bound.
        .scalar(&mib::DOT1D_TP_LEARNED_ENTRY_DISCARDS, Value::Counter32(0));
    let seconds = found.bridge.ageing_time / 100;
    if (10..=1_000_000).contains(&seconds) {
        snapshot.scalar(&mib::DOT1D_TP_AGING_TIME, Value::Integer(seconds.cast_signed()));
    }
}

fn spanning_tree(snapshot: &mut SnapshotBuilder, bridge: &Bridge<'_>) {
    let time = |hundredths: u32| Value::Integer(integer(hundredths));
    snapshot
        .scalar(
            &mib::DOT1D_STP_PROTOCOL_SPECIFICATION,
            // None, or a program speaks one of its own.
            Value::Integer(if bridge.stp_state == 1 { IEEE_8021D } else { UNKNOWN }),
        )
        .scalar(&mib::DOT1D_STP_PRIORITY, Value::Integer(bridge.priority.into()))
        .scalar(&mib::DOT1D_STP_DESIGNATED_ROOT, Value::OctetString(bridge.root_id.to_vec()))
        .scalar(&mib::DOT1D_STP_ROOT_COST, Value::Integer(integer(bridge.root_path_cost)))
        .scalar(&mib::DOT1D_STP_ROOT_PORT, Value::Integer(bridge.root_port.into()))
        .scalar(&mib::DOT1D_STP_MAX_AGE, time(bridge.max_age))
        .scalar(&mib::DOT1D_STP_HELLO_TIME, time(bridge.hello_time))
        .scalar(&mib::DOT1D_STP_HOLD_TIME, Value::Integer(HOLD_TIME))
        .scalar(&mib::DOT1D_STP_FORWARD_DELAY, time(bridge.forward_delay));
    // The kernel reports the times in force, which are those of the root.
    if bridge.root_id == bridge.bridge_id {
        let own = [
            (&mib::DOT1D_STP_BRIDGE_MAX_AGE, bridge.max_age),
            (&mib::DOT1D_STP_BRIDGE_HELLO_TIME, bridge.hello_time),
            (&mib::DOT1D_STP_BRIDGE_FORWARD_DELAY, bridge.forward_delay),
        ];
        for (scalar, hundredths) in own {
            let limits = i64::from(hundredths);
            // Without a spanning tree any time is allowed, such as 0.
            if (scalar.syntax.min..=scalar.syntax.max).contains(&limits) {
                snapshot.scalar(scalar, time(hundredths));
            }
        }
    }
}

fn fill_port(snapshot: &mut SnapshotBuilder, port: &BridgePort<'_>) {
    let number = i32::from(port.number);
    let index = [u32::from(port.number)];
    snapshot
        .table(&mib::DOT1D_BASE_PORT_TABLE)
        .row(&index)
        .integer(1, number)
        .integer(2, port.link.index.cast_signed())
        .oid(3, &[0, 0])
        // Linux forwards at once or not at all.
        .counter32(4, 0);
    let is_enabled = port.link.flags & IFF_UP != 0;
    snapshot
        .table(&mib::DOT1D_STP_PORT_TABLE)
        .row(&index)
        .integer(1, number)
        // The first octet of the Port ID: the kernel has its upper six bits.
        .integer(2, (i32::from(port.priority) << 2).min(255))
        .integer(3, state(port.state))
        .integer(4, if is_enabled { 1 } else { 2 })
        .integer(5, integer(port.cost).clamp(1, 65_535))
        .octets(6, &port.designated_root)
        .integer(7, port.designated_cost.into())
        .octets(8, &port.designated_bridge)
        .octets(9, &port.designated_port.to_be_bytes())
        .integer(11, integer(port.cost).clamp(1, 200_000_000));
    let counters = &port.link.counters;
    snapshot
        .table(&mib::DOT1D_TP_PORT_TABLE)
        .row(&index)
        .integer(1, number)
        .integer(2, integer(port.link.mtu))
        .counter32(3, counters.rx_packets)
        .counter32(4, counters.tx_packets)
        .counter32(5, counters.rx_dropped);
}

/// dot1dStpPortState.
fn state(state: u8) -> i32 {
    match state {
        BR_STATE_BLOCKING => 2,
        BR_STATE_LISTENING => 3,
        BR_STATE_LEARNING => 4,
        BR_STATE_FORWARDING => 5,
        _ => 1,
    }
}

fn integer(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

const TRANSPARENT_ONLY: i32 = 2;
const UNKNOWN: i32 = 1;
const IEEE_8021D: i32 = 3;
/// A second, in the kernel and in IEEE 802.1D.
const HOLD_TIME: i32 = 100;

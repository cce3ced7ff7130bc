//! IP-MIB: how IPv4 and IPv6 are set on each interface (ipv4InterfaceTable,
//! ipv6InterfaceTable, ipv6ScopeZoneIndexTable), from the kernel's IPv6 links and neighbour tables.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::ip_mib::{
    IPV4_INTERFACE_TABLE, IPV4_INTERFACE_TABLE_LAST_CHANGE, IPV6_INTERFACE_TABLE,
    IPV6_INTERFACE_TABLE_LAST_CHANGE, IPV6_SCOPE_ZONE_INDEX_TABLE,
};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::last_change::LastChange;
use crate::links::up_time;
use trunkline_source::netlink::address::Address;
use trunkline_source::netlink::attribute::AF_INET;
use trunkline_source::netlink::inet6::Inet6Link;
use trunkline_source::netlink::neighbour::NeighbourTable;
use trunkline_source::netlink::{Dump, Netlink};

/// The group's name, with which a link watch marks it as stale.
pub(crate) const NAME: &str = "ip-interfaces";

static GROUP: Group = Group {
    name: NAME,
    scalars: &[&IPV4_INTERFACE_TABLE_LAST_CHANGE, &IPV6_INTERFACE_TABLE_LAST_CHANGE],
    tables: &[&IPV4_INTERFACE_TABLE, &IPV6_INTERFACE_TABLE, &IPV6_SCOPE_ZONE_INDEX_TABLE],
};

/// Serves IP's settings on each interface.
#[derive(Debug)]
pub(crate) struct IpInterfaces {
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    netlink: Netlink,
    v4_rows: LastChange<Vec<V4>>,
    v6_rows: LastChange<Vec<V6>>,
}

/// IPv4 on an interface.
#[derive(Debug, PartialEq, Eq)]
struct V4 {
    interface: u32,
    retransmit_milliseconds: u64,
}

/// IPv6 on an interface.
#[derive(Debug, PartialEq, Eq)]
struct V6 {
    interface: u32,
    is_enabled: bool,
    is_forwarding: bool,
    reassembly_octets: u32,
    reachable_milliseconds: u32,
    retransmit_milliseconds: u32,
}

impl IpInterfaces {
    pub(crate) fn new(options: &HostOptions) -> Self {
        let state = State {
            netlink: options.root.netlink(),
            v4_rows: LastChange::default(),
            v6_rows: LastChange::default(),
        };
        IpInterfaces { started: options.started, state: Mutex::new(state) }
    }
}

impl Provider for IpInterfaces {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let v4 = state.netlink.collect(Dump::NeighbourTables, Vec::new, |all, message| {
            // Interface 0 is the parameters that new interfaces begin with.
            let of_interface = |table: &NeighbourTable| table.family == AF_INET && table.interface != 0;
            all.extend(NeighbourTable::parse(message).filter(of_interface).map(V4::from));
        })?;
        let v6 = state.netlink.collect(Dump::Inet6Links, Vec::new, |all, message| {
            all.extend(Inet6Link::parse(message).map(V6::from));
        })?;
        let identifiers = identifiers(&mut state.netlink)?;
        let now = up_time(self.started, Instant::now());
        let mut builder = Snapshot::builder(&GROUP);
        v4.iter().for_each(|row| row.add(&mut builder));
        v6.iter().for_each(|row| row.add(&mut builder, &identifiers));
        let v4_change = state.v4_rows.see(v4, now);
        let v6_change = state.v6_rows.see(v6, now);
        builder
            .scalar(&IPV4_INTERFACE_TABLE_LAST_CHANGE, Value::TimeTicks(v4_change))
            .scalar(&IPV6_INTERFACE_TABLE_LAST_CHANGE, Value::TimeTicks(v6_change));
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

/// The interface identifiers: the lower half of the link-local addresses (RFC 4291 section 2.5.6).
fn identifiers(netlink: &mut Netlink) -> Result<HashMap<u32, [u8; 8]>, SourceError> {
    netlink.collect(Dump::Addresses, HashMap::new, |all, message| {
        let Some(address) = Address::parse(message) else { return };
        if let IpAddr::V6(v6) = address.local
            && v6.is_unicast_link_local()
        {
            all.entry(address.interface).or_insert((v6.to_bits() as u64).to_be_bytes());
        }
    })
}

impl From<NeighbourTable> for V4 {
    fn from(table: NeighbourTable) -> Self {
        V4 { interface: table.interface, retransmit_milliseconds: table.retransmit_milliseconds }
    }
}

impl From<Inet6Link> for V6 {
    fn from(link: Inet6Link) -> Self {
        V6 {
            interface: link.interface,
            is_enabled: link.is_enabled,
            is_forwarding: link.is_forwarding,
            reassembly_octets: link.reassembly_octets,
            reachable_milliseconds: link.reachable_milliseconds,
            retransmit_milliseconds: link.retransmit_milliseconds,
        }
    }
}

impl V4 {
    fn add(&self, builder: &mut SnapshotBuilder) {
        builder
            .table(&IPV4_INTERFACE_TABLE)
            .row(&[self.interface])
            .integer(2, 65535)
            // Linux cannot switch IPv4 off on an interface that has it.
            .integer(3, UP)
            .gauge32(4, self.retransmit_milliseconds);
    }
}

impl V6 {
    fn add(&self, builder: &mut SnapshotBuilder, identifiers: &HashMap<u32, [u8; 8]>) {
        let identifier = identifiers.get(&self.interface).map_or(&[][..], |octets| octets);
        builder
            .table(&IPV6_INTERFACE_TABLE)
            .row(&[self.interface])
            .unsigned32(2, self.reassembly_octets.clamp(1500, 65535))
            .octets(3, identifier)
            .integer(5, if self.is_enabled { UP } else { DOWN })
            .unsigned32(6, self.reachable_milliseconds)
            .unsigned32(7, self.retransmit_milliseconds)
            .integer(8, if self.is_forwarding { 1 } else { 2 });
        let mut zones = builder.table(&IPV6_SCOPE_ZONE_INDEX_TABLE).row(&[self.interface]);
        // Linux has a zone for each link; above that the machine is one zone, the default 0 (RFC 4007 section 6).
        zones.unsigned32(2, self.interface);
        (3..=13).for_each(|column| {
            zones.unsigned32(column, 0);
        });
    }
}

const UP: i32 = 1;
const DOWN: i32 = 2;

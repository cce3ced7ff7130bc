//! IP-FORWARD-MIB: inetCidrRouteTable, the routes of all tables of the kernel (what `ip route show table all` shows: the main table, the
//! local table with this machine's own addresses, those of VRFs and of policy routing), and IP-MIB's ipDefaultRouterTable, from the main table
//! alone.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use trunkline_smi::Value;
use trunkline_smi::module::ip_forward_mib::{
    INET_CIDR_ROUTE_DISCARDS, INET_CIDR_ROUTE_NUMBER, INET_CIDR_ROUTE_TABLE,
};
use trunkline_smi::module::ip_mib::IP_DEFAULT_ROUTER_TABLE;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::inet_index::push_inet_of_zone;
use trunkline_source::netlink::changes::Changes;
use trunkline_source::netlink::route::{
    NextHop, RT_TABLE_MAIN, RTN_ANYCAST, RTN_BLACKHOLE, RTN_BROADCAST, RTN_LOCAL, RTN_MULTICAST,
    RTN_PROHIBIT, RTN_UNICAST, RTN_UNREACHABLE, Route,
};
use trunkline_source::netlink::{Dump, Netlink};

static GROUP: Group = Group {
    name: "ip-routes",
    scalars: &[&INET_CIDR_ROUTE_NUMBER, &INET_CIDR_ROUTE_DISCARDS],
    tables: &[&IP_DEFAULT_ROUTER_TABLE, &INET_CIDR_ROUTE_TABLE],
};

/// Serves the routes of this machine.
#[derive(Debug)]
pub(crate) struct Routes {
    source: Mutex<Source>,
}

#[derive(Debug)]
struct Source {
    netlink: Netlink,
    changes: Changes,
    /// Whether the last load saw a router that will expire: then lifetimes run while nothing happens.
    expires: bool,
}

/// Links, addresses, routes of both versions, and next hops (bit of group 32): when an interface goes down, the
/// kernel drops its IPv4 routes without a notification.
pub(crate) const CHANGE_GROUPS: u32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400 | 1 << 31;

impl Routes {
    pub(crate) fn new(options: &HostOptions) -> Self {
        let root = &options.root;
        let source = Source { netlink: root.netlink(), changes: root.changes(CHANGE_GROUPS), expires: false };
        Routes { source: Mutex::new(source) }
    }
}

impl Provider for Routes {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let happened = source.changes.happened();
        if previous.is_some() && !happened && !source.expires {
            return Ok(Loaded::Unchanged);
        }
        let start = || Filling {
            builder: Snapshot::builder(&GROUP),
            index: Vec::new(),
            siblings: Siblings::default(),
            expires: false,
        };
        let filling = source.netlink.collect(Dump::Routes, start, |filling, message| {
            if let Some(route) = Route::parse(message) {
                route.next_hops().for_each(|hop| filling.add(&route, hop));
            }
        });
        source.expires = filling.as_ref().map_or(true, |filling| filling.expires);
        let mut builder = filling?.builder;
        let rows = builder.table(&INET_CIDR_ROUTE_TABLE).len() as u32;
        builder
            .scalar(&INET_CIDR_ROUTE_NUMBER, Value::Unsigned32(rows))
            // Linux discards no valid route to make room; the last number of /proc/net/rt6_stats counts all that are deleted.
            .scalar(&INET_CIDR_ROUTE_DISCARDS, Value::Counter32(0));
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

struct Filling {
    builder: SnapshotBuilder,
    /// Of the row being made; kept for its memory.
    index: Vec<u32>,
    siblings: Siblings,
    expires: bool,
}

impl Filling {
    fn add(&mut self, route: &Route<'_>, hop: NextHop) {
        self.siblings.index(route, hop, &mut self.index);
        let metric = route.priority.min(i32::MAX as u32) as i32;
        let mut row = self.builder.table(&INET_CIDR_ROUTE_TABLE).row(&self.index);
        row.integer(7, hop.interface as i32)
            .integer(8, kind(route, hop))
            .integer(9, protocol(route.protocol))
            .unsigned32(10, 0) // the kernel does not keep the age of a route
            .unsigned32(11, 0) // nor the system that the next hop is in
            .integer(12, metric)
            .integer(17, ACTIVE);
        (13..=16).for_each(|unused| {
            row.integer(unused, UNUSED_METRIC);
        });
        if route.prefix_length == 0 && route.kind == RTN_UNICAST && route.table == RT_TABLE_MAIN {
            self.default_router(route, hop);
        }
    }

    fn default_router(&mut self, route: &Route<'_>, hop: NextHop) {
        const HUNDREDTHS: u32 = 100;
        let Some(gateway) = hop.gateway else { return };
        self.expires |= route.expires != 0;
        self.index.clear();
        push_inet_of_zone(&mut self.index, gateway, hop.interface);
        self.index.push(hop.interface);
        // A router that was configured stays; the object ends at 18.2 hours.
        let seconds = if route.expires == 0 { LONGEST_LIFETIME } else { route.expires / HUNDREDTHS };
        let preference = match route.preference {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        self.builder
            .table(&IP_DEFAULT_ROUTER_TABLE)
            .row(&self.index)
            .unsigned32(4, seconds.min(LONGEST_LIFETIME))
            .integer(5, preference);
    }
}

/// Tells routes apart that have one destination and one next hop: by table, metric, service or interface only.
///
/// inetCidrRoutePolicy is the part of the index that may do so. In the main table it is 0.0 for the first of them, which is
/// the best one, and 0.0.METRIC.IFINDEX.TOS for the others: the kernel lists routes of one destination together. In another table it is
/// 0.0.TABLE.METRIC.IFINDEX.TOS for each. (Net-SNMP has 0.0.IFINDEX or 0.0 and a number in the order in which it read the routes, and an address of zeros for the next
/// hop of routes without one, where RFC 4292 has the type unknown.)
#[derive(Default)]
struct Siblings {
    destination: Option<(u32, IpAddr, u8)>,
    hops: Vec<NextHop>,
}

impl Siblings {
    fn index(&mut self, route: &Route<'_>, hop: NextHop, index: &mut Vec<u32>) {
        let destination = (route.table, route.destination, route.prefix_length);
        if self.destination != Some(destination) {
            self.destination = Some(destination);
            self.hops.clear();
        }
        // On the link the next hop is empty, and only a link-local destination names its interface.
        let zoned = matches!(route.destination, IpAddr::V6(v6) if v6.is_unicast_link_local());
        let interface = if hop.gateway.is_some_and(is_link_local) || zoned { hop.interface } else { 0 };
        let shown = NextHop { interface, gateway: hop.gateway };
        let is_main = route.table == RT_TABLE_MAIN;
        let is_first = is_main && !self.hops.contains(&shown);
        index.clear();
        push_inet_of_zone(index, route.destination, hop.interface);
        index.push(route.prefix_length.into());
        if is_first {
            self.hops.push(shown);
            index.extend([2, 0, 0]);
        } else if is_main {
            index.extend([5, 0, 0, route.priority, hop.interface, route.tos.into()]);
        } else {
            index.extend([6, 0, 0, route.table, route.priority, hop.interface, route.tos.into()]);
        }
        match hop.gateway {
            Some(gateway) => push_inet_of_zone(index, gateway, hop.interface),
            None => index.extend([0, 0]), // unknown(0), no octets (RFC 4292)
        }
    }
}

fn is_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(v6) if v6.is_unicast_link_local())
}

/// inetCidrRouteType.
pub(crate) fn kind(route: &Route<'_>, hop: NextHop) -> i32 {
    match route.kind {
        RTN_UNICAST if hop.gateway.is_some() => REMOTE,
        // The datagram has arrived there.
        RTN_UNICAST | RTN_LOCAL | RTN_BROADCAST | RTN_ANYCAST | RTN_MULTICAST => LOCAL,
        RTN_UNREACHABLE | RTN_PROHIBIT => REJECT,
        RTN_BLACKHOLE => BLACKHOLE,
        _ => OTHER,
    }
}

/// IANAipRouteProtocol for RTPROT_: routes made by the kernel are local, those made by an administrator netmgmt.
pub(crate) fn protocol(protocol: u8) -> i32 {
    match protocol {
        1 | 9 => 4, // REDIRECT, RA: icmp
        2 => 2,     // KERNEL: local
        3 | 4 => 3, // BOOT, STATIC: netmgmt
        16 => 19,   // DHCP: dhcp
        17 => 17,   // MROUTED: dvmrp
        186 => 14,  // BGP: bgp
        187 => 9,   // ISIS: isIs
        188 => 13,  // OSPF: ospf
        189 => 8,   // RIP: rip
        192 => 16,  // EIGRP: ciscoEigrp
        _ => OTHER,
    }
}

const OTHER: i32 = 1;
const REJECT: i32 = 2;
const LOCAL: i32 = 3;
const REMOTE: i32 = 4;
pub(crate) const BLACKHOLE: i32 = 5;

const ACTIVE: i32 = 1;
const UNUSED_METRIC: i32 = -1;
const LONGEST_LIFETIME: u32 = 65535;

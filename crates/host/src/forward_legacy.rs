//! IP-FORWARD-MIB: the deprecated ipCidrRouteTable, the IPv4 routes of the main table, and RFC 1213's ipRouteTable, which has one route to each
//! destination: that with the longest prefix, and of those the best. A separate group, so that only requests for it pay for it.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use trunkline_smi::Value;
use trunkline_smi::module::ip_forward_mib::{IP_CIDR_ROUTE_NUMBER, IP_CIDR_ROUTE_TABLE};
use trunkline_smi::module::rfc1213_mib::IP_ROUTE_TABLE;
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::forward::{BLACKHOLE, CHANGE_GROUPS, kind, protocol};
use crate::inet_index::network;
use trunkline_source::netlink::changes::Changes;
use trunkline_source::netlink::route::{NextHop, RT_TABLE_MAIN, Route};
use trunkline_source::netlink::{Dump, Netlink};

static GROUP: Group = Group {
    name: "ip-routes-legacy",
    scalars: &[&IP_CIDR_ROUTE_NUMBER],
    tables: &[&IP_ROUTE_TABLE, &IP_CIDR_ROUTE_TABLE],
};

/// Serves the IPv4 routes in the form of RFC 2096.
#[derive(Debug)]
pub(crate) struct LegacyRoutes {
    source: Mutex<(Netlink, Changes)>,
}

impl LegacyRoutes {
    pub(crate) fn new(options: &HostOptions) -> Self {
        let root = &options.root;
        LegacyRoutes { source: Mutex::new((root.netlink(), root.changes(CHANGE_GROUPS))) }
    }
}

impl Provider for LegacyRoutes {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let (netlink, changes) = &mut *source;
        if !changes.happened() && previous.is_some() {
            return Ok(Loaded::Unchanged);
        }
        let start =
            || Filling { builder: Snapshot::builder(&GROUP), siblings: Vec::new(), rows: 0, shown: None };
        let Filling { mut builder, rows, .. } =
            netlink.collect(Dump::Routes, start, |filling, message| {
                if let Some(route) = Route::parse(message).filter(|route| route.table == RT_TABLE_MAIN) {
                    route.next_hops().for_each(|hop| filling.add(&route, hop));
                }
            })?;
        builder.scalar(&IP_CIDR_ROUTE_NUMBER, Value::Unsigned32(rows));
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

struct Filling {
    builder: SnapshotBuilder,
    /// The indexes of the rows of one destination: the kernel lists its routes together, the best first; of
    /// routes that have the same index in this table, the best is kept.
    siblings: Vec<Vec<u32>>,
    rows: u32,
    /// The destination whose row ipRouteTable has: the first of its routes is that to the longest prefix, and of those the best.
    shown: Option<[u8; 4]>,
}

impl Filling {
    fn add(&mut self, route: &Route<'_>, hop: NextHop) {
        let (IpAddr::V4(destination), IpAddr::V4(mask)) =
            (route.destination, network(IpAddr::from([255; 4]), route.prefix_length))
        else {
            return;
        };
        let gateway = match hop.gateway {
            Some(IpAddr::V4(gateway)) => gateway.octets(),
            _ => [0; 4],
        };
        let addresses = [destination.octets(), mask.octets(), gateway];
        let [to, mask, by] = addresses.map(|octets| octets.map(u32::from));
        let index = [&to[..], &mask, &[route.tos.into()], &by].concat();
        if route.tos == 0 && self.shown.replace(addresses[0]) != Some(addresses[0]) {
            fill_old(self.builder.table(&IP_ROUTE_TABLE).row(&to), addresses, route, hop);
        }
        if self.siblings.first().is_some_and(|sibling| sibling[..8] != index[..8]) {
            self.siblings.clear();
        }
        if !self.siblings.contains(&index) {
            fill(self.builder.table(&IP_CIDR_ROUTE_TABLE).row(&index), addresses, route, hop);
            self.siblings.push(index);
            self.rows += 1;
        }
    }
}

fn fill(mut row: RowBuilder<'_>, addresses: [[u8; 4]; 3], route: &Route<'_>, hop: NextHop) {
    let [destination, mask, gateway] = addresses;
    let kind = if kind(route, hop) == BLACKHOLE { REJECT } else { kind(route, hop) };
    let protocol = Some(protocol(route.protocol)).filter(|number| *number <= LAST_PROTOCOL).unwrap_or(OTHER);
    row.ip_address(1, destination)
        .ip_address(2, mask)
        .integer(3, route.tos.into())
        .ip_address(4, gateway)
        .integer(5, hop.interface as i32)
        .integer(6, kind)
        .integer(7, protocol)
        .integer(8, 0)
        .oid(9, &[0, 0])
        .integer(10, 0)
        .integer(11, route.priority.min(i32::MAX as u32) as i32)
        .integer(16, ACTIVE);
    (12..=15).for_each(|unused| {
        row.integer(unused, UNUSED_METRIC);
    });
}

/// A row of ipRouteTable.
fn fill_old(mut row: RowBuilder<'_>, addresses: [[u8; 4]; 3], route: &Route<'_>, hop: NextHop) {
    let [destination, mask, gateway] = addresses;
    let protocol = Some(protocol(route.protocol)).filter(|number| *number <= BGP).unwrap_or(OTHER);
    let kind = match kind(route, hop) {
        // What the kernel drops or refuses leads nowhere.
        BLACKHOLE | REJECT => INVALID,
        // local(3) and remote(4) are direct(3) and indirect(4) here.
        kind => kind,
    };
    row.ip_address(1, destination)
        .integer(2, hop.interface as i32)
        .integer(3, route.priority.min(i32::MAX as u32) as i32)
        .ip_address(7, gateway)
        .integer(8, kind)
        .integer(9, protocol)
        .integer(10, 0)
        .ip_address(11, mask)
        .oid(13, &[0, 0]);
    [4, 5, 6, 12].into_iter().for_each(|unused| {
        row.integer(unused, UNUSED_METRIC);
    });
}

const OTHER: i32 = 1;
const REJECT: i32 = 2;
/// Of ipRouteTable.
const INVALID: i32 = 2;
/// ipRouteTable's protocols end here.
const BGP: i32 = 14;
/// This table's protocols end at ciscoEigrp(16).
const LAST_PROTOCOL: i32 = 16;
const ACTIVE: i32 = 1;
const UNUSED_METRIC: i32 = -1;
